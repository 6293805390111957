# The blades and targets of a Clashd node: defines them at each connection, since clashd forgets them with it, and pushes their poses
# once a frame, at the session's time. Blades that carry a device of clashd's, such as a hand, feed it.
extends RefCounted

const Clock := preload("clock.gd")
const Member := preload("member.gd")
const POSES_MAX := 64
const ALL_LAYERS := 0xffffffff
const WAITING_MAX := 65536 # bytes; poses that do not get away are soon of no use
const DEFINE := "define " # what ids of definitions begin with
const REFUSED_AGAIN_US := 1000000 # a name that was taken may be free
const FEED_AGAIN_US := 2000000 # the game that had the hands may have gone

var clock := Clock.new()

var _members: Array[Member] = []
var _carriers := {} # device that is fed: the member whose pose is the device's
var _asked_devices := [] # those of the last `feed`
var _is_regrouped := false # a member has come, gone, or carries another device
var _can_feed := false
var _feed_again_us := 0 # when a feed that was refused is asked for again; 0: none was
var _definitions := 0
var _asked := 0
var _last_ns := 0
var _tick := 0
var _from_world := Transform3D.IDENTITY
var _pushed_from := Transform3D.IDENTITY


func add(thing: Node3D) -> void:
	_is_regrouped = true
	var member := _member_of(thing)
	if member == null:
		_members.append(Member.new(thing))
	else:
		member.has_left = false
		member.is_stale = true
		member.teleports = true


# Takes effect at the end of the frame: a sword that goes from one hand into another one leaves and comes back within it.
func remove(thing: Node3D) -> void:
	var member := _member_of(thing)
	if member != null:
		member.has_left = true
		_is_regrouped = true


func _member_of(thing: Node3D) -> Member:
	for member in _members:
		if is_same(member.thing, thing):
			return member
	return null


# Begins a connection whose session has that time. Returns what is wrong, in words.
func begin(can_feed: bool, time_ns: int, is_live: bool) -> PackedStringArray:
	_can_feed = can_feed
	_feed_again_us = 0
	_carriers = {}
	_asked_devices = []
	_is_regrouped = true
	_last_ns = 0
	_asked = 0
	clock.begin(time_ns, is_live)
	for member in _members:
		member.told_name = ""
		member.define_again()
	if not can_feed and _members.any(func(member: Member) -> bool: return member.is_carrier()):
		return ["this clashd is too old to be fed: the swords in the hands are blades beside its own"]
	return []


# Once a frame: which have come, gone, changed hands, or are of another size or shape. What is wrong with them, in words.
func tell_changes(link: RefCounted, origin: Node3D) -> PackedStringArray:
	var problems: PackedStringArray = []
	var has_ticked := Engine.get_physics_frames() != _tick
	_tick = Engine.get_physics_frames()
	_from_world = origin.global_transform.affine_inverse() # as to_global(), which is what sparks go by
	var is_any_changed := _is_regrouped
	for member in _members:
		if member.has_left:
			continue
		member.look(has_ticked)
		if member.is_refused and member.refused_us > 0 and Time.get_ticks_usec() - member.refused_us > REFUSED_AGAIN_US:
			member.define_again()
		is_any_changed = is_any_changed or member.is_changed
		if member.is_stepwise():
			problems.append("%s moves by physics ticks, fewer than frames: it strikes too fast without physics interpolation" % member.name)
	if not is_any_changed:
		return problems
	_regroup(link)
	for member in _members:
		if member.is_changed:
			var problem := _define(member, link)
			if not problem.is_empty():
				problems.append(problem)
	_choose()
	return problems


# Whose poses are pushed: of a device that is fed that of the one that carries it.
func _choose() -> void:
	for member in _members:
		var is_fed := _can_feed and member.is_carrier()
		member.is_pushed = member.moves and (_carriers.get(member.device) == member if is_fed else not member.is_refused)
		member.name_device(_device_of(member))


# The hands jump: a snap turn, a teleport, another origin.
func teleport() -> void:
	for member in _members:
		if not member.has_left:
			member.teleports = true


# What is in a hand, by its name.
func carries(name: String) -> Node3D:
	for member in _members:
		if not member.has_left and member.name == name and member.is_carrier():
			return member.thing
	return null


# Forgets those that have left, and asks to feed the devices of the others. The first blade of a device carries it: further ones, such as a dagger
# in the same hand, keep the place beside it that they have now.
func _regroup(link: RefCounted) -> void:
	_is_regrouped = false
	var left := _members.filter(func(member: Member) -> bool: return member.has_left)
	_members = _members.filter(func(member: Member) -> bool: return not member.has_left)
	for member: Member in left:
		_give_back(member.told_name if not member.is_refused else "", link)
	if not _can_feed:
		return
	var carriers := _find_carriers()
	var devices := carriers.keys()
	if devices != _asked_devices:
		_ask(link, devices)
	for device: String in carriers:
		if _carriers.get(device, carriers[device]) != carriers[device]: # the device is where another blade is at once
			carriers[device].teleports = true
	for member in _members:
		if _carriers.get(member.device) != carriers.get(member.device):
			member.define_again()
	_carriers = carriers


# Sorted by device, so that two swords can change hands without another feed.
func _find_carriers() -> Dictionary:
	var found := {}
	for member in _members:
		if member.is_carrier() and not found.has(member.device):
			found[member.device] = member
	var carriers := {}
	var devices := found.keys()
	devices.sort()
	for device: String in devices:
		carriers[device] = found[device]
	return carriers


# A name that one here had, unless another one has it now.
func _give_back(name: String, link: RefCounted) -> void:
	if not name.is_empty() and not _members.any(func(member: Member) -> bool: return member.told_name == name):
		_send(link, {"type": "remove", "name": name})


func _ask(link: RefCounted, devices: Array) -> void:
	_asked_devices = devices
	_send(link, {"type": "feed", "id": "feed", "devices": devices, "space": "godot"})


# Poses of a device that clashd does not know would spoil those of all others. If another game feeds the hands, the blades in them
# become blades of their own until it does no more. False if that was to be expected: what was defined on a device whose feed
# is refused.
func refuse(id: String) -> bool:
	if id == "feed":
		_feed_again_us = Time.get_ticks_usec() + FEED_AGAIN_US
		if _can_feed:
			_can_feed = false
			_carriers = {}
			_define_carriers_again()
	if not id.begins_with(DEFINE):
		return true
	for member in _members:
		if id == DEFINE + str(member.definition):
			member.refuse(Time.get_ticks_usec())
			_choose()
			return true
	return false


# The hands are free after all: the blades in them are what carries them again.
func accept_feed() -> void:
	if _feed_again_us == 0:
		return
	_feed_again_us = 0
	_can_feed = true
	_is_regrouped = true
	_define_carriers_again()


func _define_carriers_again() -> void:
	for member in _members:
		if member.is_carrier():
			member.define_again()


func _ask_again(link: RefCounted, now_us: int) -> void:
	if _feed_again_us == 0 or now_us < _feed_again_us:
		return
	var devices := _find_carriers().keys()
	if devices.is_empty():
		return
	_feed_again_us = now_us + FEED_AGAIN_US
	_ask(link, devices)


# The number of the push, whose answer comes after the events that it caused; 0 if there was nothing to push.
func push(link: RefCounted) -> int:
	if _members.is_empty():
		return 0
	_ask_again(link, Time.get_ticks_usec())
	if not clock.is_known() or link.waiting() > WAITING_MAX:
		return 0
	_last_ns = maxi(clock.now_ns(), _last_ns + 1)
	var poses := _poses()
	if poses.is_empty():
		return 0
	_asked += 1
	var head := "{\"type\":\"poses\",\"time_ns\":%d,\"axes\":\"godot\",\"poses\":[" % _last_ns
	var tail := "],\"id\":%d}" % _asked
	if poses.size() <= POSES_MAX:
		link.send(head + ",".join(poses) + tail)
		return _asked
	for first in range(0, poses.size(), POSES_MAX):
		link.send(head + ",".join(poses.slice(first, first + POSES_MAX)) + (tail if first + POSES_MAX >= poses.size() else "]}"))
	return _asked


# The number of a question whose answer comes after the events that clashd has sent before it.
func ask(link: RefCounted) -> int:
	_asked += 1
	_send(link, {"type": "ping", "id": _asked})
	return _asked


# A thing that has not moved sends the text of the frame before. It cannot be left out: clashd would wait for its pose before it looks for what strikes
# it, and those events would come late.
func _poses() -> PackedStringArray:
	var poses: PackedStringArray = []
	var is_origin_moved := _from_world != _pushed_from
	_pushed_from = _from_world
	for member in _members:
		if not member.is_pushed:
			continue
		if member.tracking == Member.Tracking.LOST:
			poses.append(member.text_head + Member.LOST)
			continue
		if member.teleports:
			poses.append(_write_pose(member) + ",\"teleport\":true}")
			member.teleports = false
			member.text = ""
			continue
		if member.is_moved or is_origin_moved or member.text.is_empty():
			member.text = _write_pose(member) + "}"
		poses.append(member.text)
	return poses


func _write_pose(member: Member) -> String:
	var at := _from_world * member.drawn
	var turn := at.basis.get_rotation_quaternion()
	var place := at.origin
	return member.text_head + JSON.stringify([place.x, place.y, place.z], "", false, true) + ",\"orientation\":" + JSON.stringify(
			[turn.x, turn.y, turn.z, turn.w], "", false, true) + (",\"tracked\":false" if member.tracking == Member.Tracking.GUESSED else "")


func _define(member: Member, link: RefCounted) -> String:
	var thing := member.thing
	var device := _device_of(member) if member.moves else ""
	var at := _from_world * thing.global_transform if device.is_empty() else _in_device(member)
	var request := _target(thing, device, at) if member.is_target else _blade(thing, device, at)
	if request.has("problem"):
		member.refuse(0)
		return request.problem
	var text := JSON.stringify(request, "", false, true)
	if text == member.told_text:
		member.is_changed = false
		return ""
	var old_name := member.told_name
	_definitions += 1
	request.id = DEFINE + str(_definitions)
	_send(link, request)
	member.tell(text, _definitions)
	if old_name != member.name:
		_give_back(old_name, link)
	return ""


# From the thing's own space to that of its device: the thing's, or the carrier's, without their scale.
func _in_device(member: Member) -> Transform3D:
	var carrier: Member = _carriers.get(_device_of(member), member)
	return (_from_world * carrier.drawn).orthonormalized().affine_inverse() * _from_world * member.drawn


# The device that it is a blade or target of: that which it carries if clashd can be fed, else one of its own name.
func _device_of(member: Member) -> String:
	return member.device if _can_feed else member.name


func device_of(thing: Node3D) -> String:
	var member := _member_of(thing)
	return _device_of(member if member != null else Member.new(thing))


static func _blade(blade: Node3D, device: String, in_device: Transform3D) -> Dictionary:
	var request := {"type": "blade", "name": blade.blade_name, "device": device, "axes": "godot"}
	if blade.get("is_body"):
		request.body = true
	if blade.get("enabled") == false:
		request.enabled = false
	request.merge(_layers(blade))
	var parts: Variant = blade.get("parts")
	if parts is Array and not parts.is_empty():
		request.parts = parts.map(_part.bind(in_device))
	else:
		request.merge({"base": _numbers(in_device * blade.hilt), "tip": _numbers(in_device * blade.tip)})
		request.merge(_steel(blade, in_device))
	return request


# `at`: from the target's own space to that of its device, or of where there is none to that of the Clashd node.
static func _target(target: Node3D, device: String, at: Transform3D) -> Dictionary:
	var request: Dictionary = target.describe_target(at.basis.get_scale().x)
	var offset: Vector3 = request.get("offset", Vector3.ZERO)
	var turn := at.basis.get_rotation_quaternion()
	request.erase("offset")
	request.merge({"type": "target", "name": target.target_name, "axes": "godot"})
	request.merge(_layers(target))
	if not device.is_empty():
		request.device = device
	request.position = _numbers(at.origin + turn * offset)
	request.orientation = [turn.x, turn.y, turn.z, turn.w]
	return request


# Without a sign, as clashd has them. A thing without layers is in the first one, and touches all.
static func _layers(thing: Node3D) -> Dictionary:
	var layer: Variant = thing.get("collision_layer")
	var mask: Variant = thing.get("collision_mask")
	var found := {}
	if layer is int and layer != 1:
		found.layers = layer & ALL_LAYERS
	if mask is int and mask & ALL_LAYERS != ALL_LAYERS:
		found.mask = mask & ALL_LAYERS
	return found


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


static func _numbers(v: Vector3) -> Array:
	return [v.x, v.y, v.z]


static func _send(link: RefCounted, message: Dictionary) -> void:
	link.send(JSON.stringify(message, "", false, true))
