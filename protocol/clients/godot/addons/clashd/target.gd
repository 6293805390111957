@tool
@icon("icons/target.svg")
class_name ClashdTarget
extends "thing.gd"
## What blades strike that is no blade, wherever this node is: a shield, a pillar, the ground.
##
## Put it under a CollisionShape3D, whose shape it takes, or give it one. Below an XRController3D it is in the player's hand: a shield,
## which blades in the same hand do not strike.

const VERTICES_MAX := 512
const TRIANGLES_MAX := 1024
const HEIGHTS_MAX := 3600

## What events call it; empty: this node's name and number.
@export var target_name := "":
	set(value):
		if value != target_name:
			target_name = value
			_refresh()
## A sphere, box, capsule, concave or convex polygon or height map; empty: that of the CollisionShape3D above.
@export var shape: Shape3D = null:
	set(value):
		_watch(false)
		shape = value
		_watch(true)
		_refresh()
## Whether its pose is pushed once a frame, as it always is of one in a hand. A target that does not move is where it was when it was
## defined.
@export var moves := false:
	set(value):
		if value != moves:
			moves = value
			_refresh()


func _enter_tree() -> void:
	if Engine.is_editor_hint():
		return
	if target_name.is_empty():
		target_name = "%s %d" % [name.left(40), get_instance_id()]
	shape = found_shape()
	add_to_group(WAITING)
	look_for_clashd()
	_join()
	if clashd == null:
		push_warning("ClashdTarget: name a Clashd node, or put one beside it or above")
	elif shape == null:
		push_warning("ClashdTarget: give it a shape, or put it under a CollisionShape3D that has one")


func _join() -> void:
	if shape != null and _joins():
		clashd.add_target(self)


func _leave() -> void:
	if _leaves():
		clashd.remove_target(self)


## Its own, or that of the CollisionShape3D above.
func found_shape() -> Shape3D:
	var above := get_parent() as CollisionShape3D
	return above.shape if shape == null and above != null else shape


## Whether a device carries it, one of its own or a hand.
func is_carried() -> bool:
	return moves or not carried_device().is_empty()


## The shape's fields of a `target` message, of an evenly scaled node, and the way from the node to it as "offset". Where
## there is none for it, why not, as "problem".
func describe_target(size: float) -> Dictionary:
	var of := found_shape()
	if of is SphereShape3D:
		return {"sphere": {"radius": of.radius * size}}
	if of is BoxShape3D:
		return {"box": {"size": _numbers(of.size * size)}}
	if of is CapsuleShape3D:
		var end := Vector3(0, maxf(of.height / 2.0 - of.radius, 0.0), 0) * size
		return {"capsule": {"base": _numbers(-end), "tip": _numbers(end), "radius": of.radius * size}}
	if of is ConcavePolygonShape3D:
		return _mesh(of.get_faces(), size)
	if of is ConvexPolygonShape3D:
		return _hull(of.points, size)
	if of is HeightMapShape3D:
		return _terrain(of, size)
	return {"problem": "%s: a %s is none of clashd's shapes" % [target_name, of.get_class()]}


# Godot's faces are clockwise seen from outside, clashd's counter-clockwise.
func _mesh(faces: PackedVector3Array, size: float) -> Dictionary:
	var numbers := {}
	var triangles := []
	for face in range(0, faces.size() - 2, 3):
		var corners := []
		for corner: Vector3 in [faces[face], faces[face + 2], faces[face + 1]]:
			if not numbers.has(corner):
				numbers[corner] = numbers.size()
			corners.append(numbers[corner])
		triangles.append(corners)
	if numbers.size() > VERTICES_MAX or triangles.size() > TRIANGLES_MAX:
		return {"problem": "%s: %d vertices, %d triangles: a mesh may have %d and %d" % [target_name, numbers.size(),
				triangles.size(), VERTICES_MAX, TRIANGLES_MAX]}
	return {"mesh": {"vertices": numbers.keys().map(func(v: Vector3) -> Array: return _numbers(v * size)),
			"triangles": triangles}}


# clashd finds the hull, as Godot does.
func _hull(points: PackedVector3Array, size: float) -> Dictionary:
	var places := {}
	for point: Vector3 in points:
		places[point] = true
	if places.size() > VERTICES_MAX:
		return {"problem": "%s: %d points: a convex polygon may have %d" % [target_name, places.size(), VERTICES_MAX]}
	return {"mesh": {"vertices": places.keys().map(func(v: Vector3) -> Array: return _numbers(v * size)), "convex": true}}


# Godot's height map has its middle where clashd's terrain has its first corner.
func _terrain(map: HeightMapShape3D, size: float) -> Dictionary:
	if map.map_data.size() > HEIGHTS_MAX:
		return {"problem": "%s: %d heights: a terrain may have %d" % [target_name, map.map_data.size(), HEIGHTS_MAX]}
	if is_carried():
		return {"problem": "%s: a terrain does not move" % target_name}
	return {"terrain": {"columns": map.map_width, "rows": map.map_depth, "spacing": [size, size],
			"heights": Array(map.map_data).map(func(height: float) -> float: return height * size)},
			"offset": Vector3(map.map_width - 1, 0, map.map_depth - 1) * -0.5 * size}


static func _numbers(v: Vector3) -> Array:
	return [v.x, v.y, v.z]


# A shape that is edited is seen at once.
func _watch(on: bool) -> void:
	if shape == null or not Engine.is_editor_hint():
		return
	if on and not shape.changed.is_connected(_refresh):
		shape.changed.connect(_refresh)
	elif not on and shape.changed.is_connected(_refresh):
		shape.changed.disconnect(_refresh)


func _get_configuration_warnings() -> PackedStringArray:
	var found := super()
	if found_shape() == null:
		found.append("It has no shape: put it under a CollisionShape3D that has one, or set the property `shape`.")
	else:
		var told := describe_target(1.0)
		if told.has("problem"):
			found.append(str(told.problem).trim_prefix(target_name + ": ") + ".")
	return found
