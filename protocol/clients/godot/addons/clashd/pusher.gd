# The blades and targets of a Clashd node: defines them at each connection, since clashd forgets them with it, and pushes their poses
# once a frame, at the session's time. That comes from the answers to pings: clashd takes one as soon as it is sent, whereas
# what it says is heard a frame later. Blades that carry a device of clashd's, such as a hand, feed it.
extends RefCounted

const Changes := preload("changes.gd")
const POSES_MAX := 64
const WAITING_MAX := 65536 # bytes; poses that do not get away are soon of no use
const CLOCK_US := 1000000
const CLOCK_FIRST := 4 # answers before poses are pushed: one may have waited long, as in a game's first frames
const CLOCK_DRIFT_NS := 20000 # between two pings, at most
const INTERPOLATED := &"get_global_transform_interpolated"
const DEFINE := "define " # what ids of definitions begin with
const FEED_AGAIN_US := 2000000 # who had the hands may have gone

## The number of the last push that clashd has answered.
var answered := 0

var _things := {} # node: whether clashd has refused it, or would
var _changes := Changes.new()
var _carriers := {} # device that is fed: the blade whose pose is the device's
var _asked_carriers := {} # those of the last `feed`
var _can_feed := false
var _feed_again_us := 0 # when a feed that was refused is asked for again; 0: none was
var _asked := 0
var _clock_answers := 0
var _is_clock_asked := false
var _offset_ns := 0 # session time less our own
var _asked_us := 0
var _last_ns := 0


# What is wrong with it in words, "" where nothing is.
func add(thing: Node3D, link: RefCounted, origin: Node3D) -> String:
	_things[thing] = false
	if link == null:
		return ""
	if device_of(thing) != _name(thing):
		return "; ".join(_feed(link, origin))
	return _define(thing, link, origin)


# What is wrong with those that are left, in words.
func remove(thing: Node3D, link: RefCounted, origin: Node3D) -> String:
	var refused: bool = _things.get(thing, true)
	_things.erase(thing)
	_changes.forget(thing)
	if link == null:
		return ""
	if not refused:
		_send(link, {"type": "remove", "name": _name(thing)})
	return "; ".join(_feed(link, origin)) if device_of(thing) != _name(thing) else ""


# A connection stands, and that is its session's time. What is wrong with things, in words.
func begin(link: RefCounted, origin: Node3D, can_feed: bool, time_ns: int) -> PackedStringArray:
	var problems: PackedStringArray = []
	_can_feed = can_feed
	_feed_again_us = 0
	_carriers = {}
	_offset_ns = time_ns - Time.get_ticks_usec() * 1000 # about; events of before the answers may be told again
	_clock_answers = 0
	_is_clock_asked = false
	_last_ns = 0
	_asked_us = 0
	_asked = 0
	answered = 0
	for thing: Node3D in _things:
		_things[thing] = false
		var problem := _define(thing, link, origin) if device_of(thing) == _name(thing) else ""
		if not problem.is_empty():
			problems.append(problem)
	if not can_feed and _things.keys().any(func(thing: Node3D) -> bool: return _wanted_device(thing) != _name(thing)):
		problems.append("this clashd is too old to be fed: the swords in the hands are blades beside its own")
	return problems + _feed(link, origin)


# Those that have come into another hand, or are of another size or shape. What is wrong with them in words, "" where nothing is.
func tell_changes(link: RefCounted, origin: Node3D) -> PackedStringArray:
	var problems: PackedStringArray = []
	var moved := []
	_changes.begin_frame()
	for thing: Node3D in _things:
		if _moves(thing) and _changes.is_stepwise(thing, _drawn(thing)):
			problems.append("%s moves by physics ticks, fewer than frames: it strikes too fast without physics interpolation" % _name(thing))
		if _changes.is_elsewhere(thing, _wanted_device(thing)):
			moved.append(thing)
		elif _changes.is_reshaped(thing):
			problems.append(_define(thing, link, origin))
	for thing: Node3D in moved:
		if not _things[thing]:
			_send(link, {"type": "remove", "name": _name(thing)})
		_things[thing] = false
		if device_of(thing) == _name(thing):
			problems.append(_define(thing, link, origin))
	if not moved.is_empty():
		problems.append_array(_feed(link, origin))
	return problems


# The hands jump: a snap turn, a teleport, another origin.
func teleport() -> void:
	for thing: Node3D in _things:
		thing.teleport()


func carries(name: String) -> Node3D:
	for thing: Node3D in _things:
		if _name(thing) == name and _wanted_device(thing) != name:
			return thing
	return null


# Says which devices this connection speaks for, and defines the blades on them. The first blade of a device carries it:
# further ones, such as a dagger in the same hand, are where they are beside it now.
func _feed(link: RefCounted, origin: Node3D) -> PackedStringArray:
	var problems: PackedStringArray = []
	var carriers := _find_carriers() if _can_feed else {}
	if carriers.keys() != _carriers.keys():
		_ask(link, carriers)
	for device: String in carriers:
		if _carriers.get(device, carriers[device]) != carriers[device]: # the device is where another blade is at once
			carriers[device].teleport()
	_carriers = carriers
	for thing: Node3D in _things:
		var problem := _define(thing, link, origin) if device_of(thing) != _name(thing) else ""
		if not problem.is_empty():
			problems.append(problem)
	return problems


func _find_carriers() -> Dictionary:
	var carriers := {}
	for thing: Node3D in _things:
		if _wanted_device(thing) != _name(thing) and not carriers.has(_wanted_device(thing)):
			carriers[_wanted_device(thing)] = thing
	return carriers


func _ask(link: RefCounted, carriers: Dictionary) -> void:
	_asked_carriers = carriers
	_send(link, {"type": "feed", "id": "feed", "devices": carriers.keys(), "space": "godot"})


# Poses of a device that clashd does not know would spoil those of all others. If another game feeds the hands, the blades in them
# become blades of their own until it does no more. False if that was to be expected: what was defined on a device whose feed
# is refused.
func refuse(id: String, link: RefCounted, origin: Node3D) -> bool:
	if id == "feed":
		_take_back(link, origin)
	for thing: Node3D in _things:
		if id == _definition(thing):
			_things[thing] = true
			return true
	return not id.begins_with(DEFINE)


func _take_back(link: RefCounted, origin: Node3D) -> void:
	_feed_again_us = Time.get_ticks_usec() + FEED_AGAIN_US
	if not _can_feed:
		return
	_can_feed = false
	_carriers = {}
	for thing: Node3D in _things:
		if _wanted_device(thing) != _name(thing):
			_define(thing, link, origin)


# The hands are free after all: the blades in them are what carries them again. What is wrong with things, in words.
func accept_feed(link: RefCounted, origin: Node3D) -> PackedStringArray:
	if _feed_again_us == 0:
		return []
	_feed_again_us = 0
	_can_feed = true
	_carriers = _asked_carriers
	for thing: Node3D in _things:
		_things[thing] = _things[thing] and _wanted_device(thing) == _name(thing)
	return _feed(link, origin)


# How long ago that was.
func age_ns(time_ns: int) -> int:
	return Time.get_ticks_usec() * 1000 + _offset_ns - time_ns


func _ask_again(link: RefCounted, now_us: int) -> void:
	var carriers := _find_carriers()
	if _feed_again_us == 0 or now_us < _feed_again_us or carriers.is_empty():
		return
	_feed_again_us = now_us + FEED_AGAIN_US
	_ask(link, carriers)


func _definition(thing: Node3D) -> String:
	return DEFINE + "%s %s" % [device_of(thing), _name(thing)]


func take_clock(time_ns: int) -> void:
	var offset := time_ns - _asked_us * 1000
	_offset_ns = mini(offset, _offset_ns + CLOCK_DRIFT_NS) if _clock_answers > 0 else offset
	_clock_answers += 1
	_is_clock_asked = false


# Every frame until it is known, then once a second; one at a time.
func _ask_clock(link: RefCounted, now_us: int) -> void:
	if now_us - _asked_us <= CLOCK_US and (_is_clock_asked or _clock_answers >= CLOCK_FIRST):
		return
	_asked_us = now_us
	_is_clock_asked = true
	_send(link, {"type": "ping", "id": "clock"})


# The number of the push, whose answer comes after the events that it caused; 0 if there was nothing to push.
func push(link: RefCounted, origin: Node3D) -> int:
	if _things.is_empty():
		return 0
	var now_us := Time.get_ticks_usec()
	_ask_clock(link, now_us)
	_ask_again(link, now_us)
	if _clock_answers < CLOCK_FIRST or link.waiting() > WAITING_MAX:
		return 0
	_last_ns = maxi(now_us * 1000 + _offset_ns, _last_ns + 1)
	var poses := _poses(origin.global_transform.affine_inverse()) # as to_global(), which is what sparks go by
	if poses.is_empty():
		return 0
	_asked += 1
	for first in range(0, poses.size(), POSES_MAX):
		var message := {"type": "poses", "time_ns": _last_ns, "axes": "godot", "poses": poses.slice(first, first + POSES_MAX)}
		if first + POSES_MAX >= poses.size():
			message.id = _asked
		_send(link, message)
	return _asked


func _poses(from_world: Transform3D) -> Array:
	var poses := []
	for thing: Node3D in _things:
		var device := device_of(thing)
		if _things[thing] or not _moves(thing) or _carriers.get(device, thing) != thing:
			continue
		poses.append(_pose(thing, device, from_world * _drawn(thing)))
	return poses


func _define(thing: Node3D, link: RefCounted, origin: Node3D) -> String:
	var from_world := origin.global_transform.affine_inverse()
	var device := device_of(thing) if _moves(thing) else ""
	_changes.tell(thing, _wanted_device(thing))
	var at := from_world * thing.global_transform if device.is_empty() else _in_device(thing, from_world)
	var request := _target(thing, device, at) if _is_target(thing) else _blade(thing, device, at)
	if request.has("problem"):
		_things[thing] = true
		return request.problem
	request.id = _definition(thing)
	_send(link, request)
	return ""


# From the thing's own space to that of its device: the thing's, or the carrier's, without their scale.
func _in_device(thing: Node3D, from_world: Transform3D) -> Transform3D:
	var carrier: Node3D = _carriers.get(device_of(thing), thing)
	return (from_world * _drawn(carrier)).orthonormalized().affine_inverse() * from_world * _drawn(thing)


# Where it is drawn in this frame, which with physics interpolation is not where the last tick has put it.
static func _drawn(thing: Node3D) -> Transform3D:
	if thing.has_method(INTERPOLATED): # not before Godot 4.4
		return thing.call(INTERPOLATED)
	return thing.global_transform


# The device that it is a blade or target of: that which it carries if clashd can be fed, else one of its own name.
func device_of(thing: Node3D) -> String:
	return _wanted_device(thing) if _can_feed else _name(thing)


static func _wanted_device(thing: Node3D) -> String:
	var device: String = thing.carried_device() if thing.has_method("carried_device") else ""
	return _name(thing) if device.is_empty() else device


static func _is_target(thing: Node3D) -> bool:
	return thing.has_method("describe_target")


static func _name(thing: Node3D) -> String:
	return thing.target_name if _is_target(thing) else thing.blade_name


static func _moves(thing: Node3D) -> bool:
	return not _is_target(thing) or thing.moves or _wanted_device(thing) != _name(thing)


static func _blade(blade: Node3D, device: String, in_device: Transform3D) -> Dictionary:
	var request := {"type": "blade", "name": blade.blade_name, "device": device, "axes": "godot"}
	if blade.get("is_body"):
		request.body = true
	if blade.get("enabled") == false:
		request["enabled"] = false
	request.merge(_layers(blade))
	var parts: Variant = blade.get("parts")
	if parts is Array and not parts.is_empty():
		request.parts = parts.map(_part.bind(in_device))
	else:
		request.merge({"base": _numbers(in_device * blade.hilt), "tip": _numbers(in_device * blade.tip)})
		request.merge(_steel(blade, in_device))
	return request


# As far as they are not clashd's own defaults.
static func _layers(thing: Node3D) -> Dictionary:
	var layers := {}
	if thing.get("collision_layer") not in [null, 1]:
		layers["layers"] = thing.collision_layer
	if thing.get("collision_mask") not in [null, 0xFFFFFFFF]:
		layers["mask"] = thing.collision_mask
	return layers


# `at`: from the target's own space to that of its device, or of where there is none to that of the Clashd node.
static func _target(target: Node3D, device: String, at: Transform3D) -> Dictionary:
	var request: Dictionary = target.describe_target(at.basis.get_scale().x)
	var offset: Vector3 = request.get("offset", Vector3.ZERO)
	var turn := at.basis.get_rotation_quaternion()
	request.erase("offset")
	request.merge({"type": "target", "name": target.target_name, "axes": "godot"})
	if not device.is_empty():
		request.device = device
	request.position = _numbers(at.origin + turn * offset)
	request.orientation = [turn.x, turn.y, turn.z, turn.w]
	return request


static func _part(part: Resource, in_device: Transform3D) -> Dictionary:
	var points := []
	for point: Vector3 in part.points:
		points.append(_numbers(in_device * point))
	return {"name": part.name, "points": points}.merged(_steel(part, in_device))


static func _steel(of: Object, in_device: Transform3D) -> Dictionary:
	var steel := {"radius": of.radius * in_device.basis.get_scale().x}
	if not of.edge.is_zero_approx():
		steel.edge = _numbers((in_device.basis * of.edge).normalized())
	return steel


static func _pose(thing: Node3D, device: String, at: Transform3D) -> Dictionary:
	var turn := at.basis.get_rotation_quaternion()
	var pose := {"device": device, "position": _numbers(at.origin), "orientation": [turn.x, turn.y, turn.z, turn.w]}
	if thing.take_teleport():
		pose.teleport = true
	return pose


static func _numbers(v: Vector3) -> Array:
	return [v.x, v.y, v.z]


static func _send(link: RefCounted, message: Dictionary) -> void:
	link.send(JSON.stringify(message, "", false, true))
