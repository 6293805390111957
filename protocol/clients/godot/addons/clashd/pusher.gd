# The blades and targets of a Clashd node: defines them at each connection, since clashd forgets them with it, and pushes their poses
# once a frame, at the session's time. That comes from the answers to pings: clashd takes one as soon as it is sent, whereas
# what it says is heard a frame later.
extends RefCounted

const POSES_MAX := 64
const WAITING_MAX := 65536 # bytes; poses that do not get away are soon of no use
const CLOCK_US := 1000000
const CLOCK_DRIFT_NS := 20000 # between two pings, at most
const DEFINE_ID := "define "

var _things := {} # node: whether clashd has refused it, or would
var _knows_clock := false
var _offset_ns := 0 # session time less our own
var _asked_us := 0
var _last_ns := 0


# What is wrong with it in words, "" where nothing is.
func add(thing: Node3D, link: RefCounted, origin: Node3D) -> String:
	_things[thing] = false
	return _define(thing, link, origin) if link != null else ""


func remove(thing: Node3D, link: RefCounted) -> void:
	if link != null and _things.get(thing) == false:
		_send(link, {"type": "remove", "name": _name(thing)})
	_things.erase(thing)


# A connection stands. What is wrong with things, in words.
func begin(link: RefCounted, origin: Node3D) -> PackedStringArray:
	var problems: PackedStringArray = []
	_knows_clock = false
	_last_ns = 0
	_asked_us = 0
	for thing: Node3D in _things:
		_things[thing] = false
		var problem := _define(thing, link, origin)
		if not problem.is_empty():
			problems.append(problem)
	return problems


# Poses of a device that clashd does not know would spoil those of all others.
func refuse(id: String) -> void:
	for thing: Node3D in _things:
		if id == DEFINE_ID + _name(thing):
			_things[thing] = true


func take_clock(time_ns: int) -> void:
	var offset := time_ns - _asked_us * 1000
	_offset_ns = mini(offset, _offset_ns + CLOCK_DRIFT_NS) if _knows_clock else offset
	_knows_clock = true


func push(link: RefCounted, origin: Node3D) -> void:
	if _things.is_empty():
		return
	var now_us := Time.get_ticks_usec()
	if _asked_us == 0 or now_us - _asked_us > CLOCK_US:
		_asked_us = now_us
		_send(link, {"type": "ping", "id": "clock"})
	if not _knows_clock or link.waiting() > WAITING_MAX:
		return
	_last_ns = maxi(now_us * 1000 + _offset_ns, _last_ns + 1)
	var poses := []
	var from_world := origin.global_transform.affine_inverse()
	for thing: Node3D in _things:
		if _things[thing] or not _moves(thing):
			continue
		if poses.size() == POSES_MAX:
			_send(link, {"type": "poses", "time_ns": _last_ns, "axes": "godot", "poses": poses})
			poses = []
		poses.append(_pose(thing, from_world * thing.global_transform))
	if not poses.is_empty():
		_send(link, {"type": "poses", "time_ns": _last_ns, "axes": "godot", "poses": poses})


func _define(thing: Node3D, link: RefCounted, origin: Node3D) -> String:
	var at := origin.global_transform.affine_inverse() * thing.global_transform
	var request := _target(thing, at) if _is_target(thing) else _blade(thing, at.basis.get_scale().x)
	if request.has("problem"):
		_things[thing] = true
		return request.problem
	_send(link, request)
	return ""


static func _is_target(thing: Node3D) -> bool:
	return thing.has_method("describe_target")


static func _name(thing: Node3D) -> String:
	return thing.target_name if _is_target(thing) else thing.blade_name


static func _moves(thing: Node3D) -> bool:
	return not _is_target(thing) or thing.moves


static func _blade(blade: Node3D, scale: float) -> Dictionary:
	var request := {"type": "blade", "id": DEFINE_ID + blade.blade_name, "name": blade.blade_name,
			"device": blade.blade_name, "axes": "godot"}
	if blade.get("is_body"):
		request.body = true
	var parts: Variant = blade.get("parts")
	if parts is Array and not parts.is_empty():
		request.parts = parts.map(_part.bind(scale))
	else:
		request.merge({"base": _numbers(blade.hilt * scale), "tip": _numbers(blade.tip * scale)})
		request.merge(_steel(blade, scale))
	return request


static func _target(target: Node3D, at: Transform3D) -> Dictionary:
	var request: Dictionary = target.describe_target(at.basis.get_scale().x)
	var offset: Vector3 = request.get("offset", Vector3.ZERO)
	var turn := at.basis.get_rotation_quaternion()
	request.erase("offset")
	request.merge({"type": "target", "id": DEFINE_ID + target.target_name, "name": target.target_name, "axes": "godot"})
	if target.moves:
		request.device = target.target_name
	else:
		request.position = _numbers(at.origin + turn * offset)
		request.orientation = [turn.x, turn.y, turn.z, turn.w]
	return request


static func _part(part: Resource, scale: float) -> Dictionary:
	var points := []
	for point: Vector3 in part.points:
		points.append(_numbers(point * scale))
	return {"name": part.name, "points": points}.merged(_steel(part, scale))


static func _steel(of: Object, scale: float) -> Dictionary:
	var steel := {"radius": of.radius * scale}
	if not of.edge.is_zero_approx():
		steel.edge = _numbers(of.edge)
	return steel


static func _pose(thing: Node3D, at: Transform3D) -> Dictionary:
	var turn := at.basis.get_rotation_quaternion()
	var pose := {"device": _name(thing), "position": _numbers(at.origin),
			"orientation": [turn.x, turn.y, turn.z, turn.w]}
	if thing.take_teleport():
		pose.teleport = true
	return pose


static func _numbers(v: Vector3) -> Array:
	return [v.x, v.y, v.z]


static func _send(link: RefCounted, message: Dictionary) -> void:
	link.send(JSON.stringify(message, "", false, true))
