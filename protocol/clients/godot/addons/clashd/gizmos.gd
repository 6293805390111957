# What the editor draws of ClashdBlade and ClashdTarget: the steel, its edge, and handles to pull its hilt, tip and radius; the shape.
@tool
extends EditorNode3DGizmoPlugin

const Blade := preload("blade.gd")
const Target := preload("target.gd")
const CORNERS := 24
const CORNERS_PER_SIDE := 6
const EDGE_M := 0.06
const HANDLES: Array[StringName] = [&"hilt", &"tip", &"radius"]

var undo: EditorUndoRedoManager = null


func _init() -> void:
	create_material("steel", Color(0.45, 0.9, 1.0))
	create_material("axis", Color(0.45, 0.9, 1.0, 0.5))
	create_material("edge", Color(1.0, 0.8, 0.3))
	create_material("target", Color(1.0, 0.55, 0.35))
	create_handle_material("handles")


func _get_gizmo_name() -> String:
	return "Clashd"


func _has_gizmo(node: Node3D) -> bool:
	return node is Blade or node is Target


func _redraw(gizmo: EditorNode3DGizmo) -> void:
	gizmo.clear()
	var node := gizmo.get_node_3d()
	if node is Target:
		_draw_target(gizmo, node)
	elif node is Blade and node.parts.is_empty():
		_draw_row(gizmo, PackedVector3Array([node.hilt, node.tip]), node.radius, node.edge)
		gizmo.add_handles(_handles(node), get_material("handles", gizmo), [])
	elif node is Blade:
		for part: Blade.Part in node.parts:
			if part != null:
				_draw_row(gizmo, part.points, part.radius, part.edge)


func _draw_target(gizmo: EditorNode3DGizmo, target: Target) -> void:
	var shape := target.found_shape()
	if shape == null:
		return
	var mesh := shape.get_debug_mesh()
	var lines: PackedVector3Array = []
	for surface in mesh.get_surface_count():
		if mesh.surface_get_primitive_type(surface) == Mesh.PRIMITIVE_LINES:
			lines.append_array(mesh.surface_get_arrays(surface)[Mesh.ARRAY_VERTEX])
	if not lines.is_empty():
		gizmo.add_lines(lines, get_material("target", gizmo))
		gizmo.add_collision_segments(lines)


# Capsules in a row.
func _draw_row(gizmo: EditorNode3DGizmo, points: PackedVector3Array, radius: float, edge: Vector3) -> void:
	var steel: PackedVector3Array = []
	var axis: PackedVector3Array = []
	var edges: PackedVector3Array = []
	for i in points.size() - 1:
		var from := points[i]
		var to := points[i + 1]
		steel.append_array(_capsule(from, to, radius))
		axis.append_array([from, to])
		if not edge.is_zero_approx():
			var middle := from.lerp(to, 0.5) + edge.normalized() * radius
			edges.append_array([middle, middle + edge.normalized() * EDGE_M])
	if steel.is_empty():
		return
	gizmo.add_lines(steel, get_material("steel", gizmo))
	gizmo.add_lines(axis, get_material("axis", gizmo))
	gizmo.add_collision_segments(steel)
	if not edges.is_empty():
		gizmo.add_lines(edges, get_material("edge", gizmo))


static func _capsule(from: Vector3, to: Vector3, radius: float) -> PackedVector3Array:
	var lines: PackedVector3Array = []
	var along := (to - from).normalized() if not from.is_equal_approx(to) else Vector3.UP
	var aside := _across(along)
	var other := along.cross(aside)
	for i in CORNERS:
		var a := TAU * i / CORNERS
		var b := TAU * (i + 1) / CORNERS
		var here := (aside * cos(a) + other * sin(a)) * radius
		var there := (aside * cos(b) + other * sin(b)) * radius
		lines.append_array([from + here, from + there, to + here, to + there])
		if i % CORNERS_PER_SIDE == 0: # sides
			lines.append_array([from + here, to + here])
	for side: Vector3 in [aside, other]: # round ends
		for i in CORNERS:
			var a := PI * i / CORNERS
			var b := PI * (i + 1) / CORNERS
			var here := side * cos(a) * radius
			var there := side * cos(b) * radius
			lines.append_array([to + here + along * sin(a) * radius, to + there + along * sin(b) * radius])
			lines.append_array([from + here - along * sin(a) * radius, from + there - along * sin(b) * radius])
	return lines


static func _across(along: Vector3) -> Vector3:
	return along.cross(Vector3.UP if absf(along.y) < 0.9 else Vector3.RIGHT).normalized()


static func _handles(blade: Blade) -> PackedVector3Array:
	var along := (blade.tip - blade.hilt).normalized() if not blade.hilt.is_equal_approx(blade.tip) else Vector3.UP
	return [blade.hilt, blade.tip, blade.hilt.lerp(blade.tip, 0.5) + _across(along) * blade.radius]


func _get_handle_name(_gizmo: EditorNode3DGizmo, id: int, _secondary: bool) -> String:
	return HANDLES[id].capitalize()


func _get_handle_value(gizmo: EditorNode3DGizmo, id: int, _secondary: bool) -> Variant:
	return gizmo.get_node_3d().get(HANDLES[id])


# Pulled in the plane through the handle that faces the camera.
func _set_handle(gizmo: EditorNode3DGizmo, id: int, _secondary: bool, camera: Camera3D, screen: Vector2) -> void:
	var blade := gizmo.get_node_3d() as Blade
	var at := blade.global_transform * _handles(blade)[id]
	var plane := Plane(camera.global_basis.z, at)
	var hit: Variant = plane.intersects_ray(camera.project_ray_origin(screen), camera.project_ray_normal(screen))
	if hit == null:
		return
	var to: Vector3 = blade.global_transform.affine_inverse() * (hit as Vector3)
	if HANDLES[id] == &"radius":
		blade.radius = maxf(0.001, Geometry3D.get_closest_point_to_segment_uncapped(to, blade.hilt, blade.tip).distance_to(to))
	else:
		blade.set(HANDLES[id], to)


func _commit_handle(gizmo: EditorNode3DGizmo, id: int, _secondary: bool, restore: Variant, cancel: bool) -> void:
	var node := gizmo.get_node_3d()
	if cancel:
		node.set(HANDLES[id], restore)
		return
	undo.create_action("Change the blade's %s" % HANDLES[id])
	undo.add_do_property(node, HANDLES[id], node.get(HANDLES[id]))
	undo.add_undo_property(node, HANDLES[id], restore)
	undo.commit_action()
