# The blades of a Clashd node: defines them at each connection, since clashd forgets them with it, and pushes their poses
# once a frame, at the session's time. That comes from the answers to pings: clashd takes one as soon as it is sent, whereas
# what it says is heard a frame later.
extends RefCounted

const POSES_MAX := 64
const WAITING_MAX := 65536 # bytes; poses that do not get away are soon of no use
const CLOCK_US := 1000000
const CLOCK_DRIFT_NS := 20000 # between two pings, at most
const BLADE_ID := "blade "

var _blades := {} # node: whether clashd has refused it
var _knows_clock := false
var _offset_ns := 0 # session time less our own
var _asked_us := 0
var _last_ns := 0


func add(blade: Node3D, link: RefCounted, origin: Node3D) -> void:
	_blades[blade] = false
	if link != null:
		_define(blade, link, origin)


func remove(blade: Node3D, link: RefCounted) -> void:
	if link != null and _blades.get(blade) == false:
		_send(link, {"type": "remove", "name": blade.blade_name})
	_blades.erase(blade)


# A connection stands.
func begin(link: RefCounted, origin: Node3D) -> void:
	_knows_clock = false
	_last_ns = 0
	_asked_us = 0
	for blade: Node3D in _blades:
		_blades[blade] = false
		_define(blade, link, origin)


# Poses of a device that clashd does not know would spoil those of all others.
func refuse(id: String) -> void:
	for blade: Node3D in _blades:
		if id == BLADE_ID + blade.blade_name:
			_blades[blade] = true


func take_clock(time_ns: int) -> void:
	var offset := time_ns - _asked_us * 1000
	_offset_ns = mini(offset, _offset_ns + CLOCK_DRIFT_NS) if _knows_clock else offset
	_knows_clock = true


func push(link: RefCounted, origin: Node3D) -> void:
	if _blades.is_empty():
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
	for blade: Node3D in _blades:
		if _blades[blade]:
			continue
		if poses.size() == POSES_MAX:
			_send(link, {"type": "poses", "time_ns": _last_ns, "axes": "godot", "poses": poses})
			poses = []
		poses.append(_pose(blade, from_world * blade.global_transform))
	if not poses.is_empty():
		_send(link, {"type": "poses", "time_ns": _last_ns, "axes": "godot", "poses": poses})


func _define(blade: Node3D, link: RefCounted, origin: Node3D) -> void:
	var scale := (origin.global_transform.affine_inverse() * blade.global_transform).basis.get_scale().x
	var request := {"type": "blade", "id": BLADE_ID + blade.blade_name, "name": blade.blade_name,
			"device": blade.blade_name, "axes": "godot"}
	var parts: Variant = blade.get("parts")
	if parts is Array and not parts.is_empty():
		request.parts = parts.map(_part.bind(scale))
	else:
		request.merge({"base": _numbers(blade.hilt * scale), "tip": _numbers(blade.tip * scale)})
		request.merge(_steel(blade, scale))
	_send(link, request)


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


static func _pose(blade: Node3D, at: Transform3D) -> Dictionary:
	var turn := at.basis.get_rotation_quaternion()
	var pose := {"device": blade.blade_name, "position": _numbers(at.origin),
			"orientation": [turn.x, turn.y, turn.z, turn.w]}
	if blade.take_teleport():
		pose.teleport = true
	return pose


static func _numbers(v: Vector3) -> Array:
	return [v.x, v.y, v.z]


static func _send(link: RefCounted, message: Dictionary) -> void:
	link.send(JSON.stringify(message, "", false, true))
