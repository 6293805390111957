# What ClashdBlade and ClashdTarget have in common: which Clashd node tells clashd of them, who holds them, and when they jump.
@tool
extends Node3D

enum Hand { AUTO, NONE, LEFT, RIGHT }

const ALL_LAYERS := 0xffffffff
const Words := preload("words.gd")
const WAITING := &"clashd_things" # whom a Clashd node that comes later calls
const DEVICES := { Hand.LEFT: "/user/hand/left", Hand.RIGHT: "/user/hand/right" }
const TRACKERS := { &"left_hand": Hand.LEFT, &"right_hand": Hand.RIGHT }

## The Clashd node; empty: the nearest one among this node's ancestors and their children.
@export var clashd: Node3D = null:
	set(value):
		if value != clashd:
			_leave()
			clashd = value
			_join()
		_refresh()
## Whose hand holds it: clashd then takes that hand from here instead of from its own OpenXR session. AUTO: the hand of the
## XRController3D above this node, none if there is none.
@export var hand := Hand.AUTO:
	set(value):
		if value != hand:
			hand = value
			_refresh()
## Another device of clashd's that this node stands for, such as a tracker; instead of `hand`.
@export var device := "":
	set(value):
		if value != device:
			device = value
			_refresh()
## The layers that it is in: what touches it needs one of them in its `collision_mask`.
@export_flags_3d_physics var collision_layer := 1:
	set(value):
		if value != collision_layer:
			collision_layer = value
			_refresh()
## The layers of what it can touch. NPCs of one side in layer 2, with a mask without that one, do not strike each other.
@export_flags_3d_physics var collision_mask := ALL_LAYERS:
	set(value):
		if value != collision_mask:
			collision_mask = value
			_refresh()

var member: RefCounted = null # what the Clashd node has sent to clashd of it
var _has_joined := false # the Clashd node has been told of it


func _notification(what: int) -> void:
	if what == NOTIFICATION_ENTER_TREE and Engine.is_editor_hint():
		set_notify_transform(true)
	elif what == NOTIFICATION_TRANSFORM_CHANGED or what == NOTIFICATION_PARENTED:
		update_configuration_warnings()


func _exit_tree() -> void:
	_leave()


## For a Clashd node that comes later than this one: whoever has none looks for one again.
func look_for_clashd() -> void:
	if clashd == null:
		clashd = find_clashd()


# Both are the blade's or the target's own way of telling the Clashd node.
func _join() -> void:
	pass


func _leave() -> void:
	pass


# Whether to tell the Clashd node now, and that it is done.
func _joins() -> bool:
	if _has_joined or clashd == null or not is_inside_tree() or Engine.is_editor_hint():
		return false
	_has_joined = true
	return true


# The Clashd node may be gone already.
func _leaves() -> bool:
	var had_joined := _has_joined
	_has_joined = false
	return had_joined and clashd != null


## Say so when the node is moved at once to another place: the way there is then no stroke.
func teleport() -> void:
	if member != null:
		member.teleports = true


## Puts `what`, a sword or a shield with its blades below it, under `to`, such as the XRController3D of a hand, at that place in it. From
## then on it moves with that hand; it does not strike on the way there.
static func attach(what: Node3D, to: Node3D, place := Transform3D.IDENTITY) -> void:
	_put_below(what, to)
	what.transform = place
	_jump(what)


## Puts it under `to`, such as the scene, where it is now: a sword that is thrown or dropped. Its blades are then devices of their own.
static func detach(what: Node3D, to: Node3D) -> void:
	var place := what.global_transform
	_put_below(what, to)
	what.global_transform = place
	_jump(what)


static func _put_below(what: Node3D, to: Node3D) -> void:
	if what.get_parent() == null:
		to.add_child(what)
	else:
		what.reparent(to, false)


static func _jump(node: Node) -> void:
	if node is Node3D and node.has_method("carried_device"):
		node.teleport()
	for child in node.get_children():
		_jump(child)


## The device of clashd's that this node carries; empty: it is a device of its own.
func carried_device() -> String:
	if not device.is_empty():
		return device
	var whose := hand
	if hand == Hand.AUTO:
		var node := controller()
		whose = TRACKERS.get(node.tracker, Hand.NONE) if node != null else Hand.NONE
	return DEVICES.get(whose, "")


## The nearest XRController3D above; null if there is none.
func controller() -> XRController3D:
	var node := get_parent()
	while node != null and not node is XRController3D:
		node = node.get_parent()
	return node


func find_clashd() -> Node3D:
	var node: Node = get_parent()
	while node != null:
		for candidate: Node in [node] + node.get_children():
			if candidate.has_method("add_blade"):
				return candidate
		node = node.get_parent()
	return null


# What the editor shows of it, and what clashd is to be told.
func _refresh() -> void:
	if member != null:
		member.is_stale = true
	if Engine.is_editor_hint():
		update_gizmos()
		update_configuration_warnings()


func _get_configuration_warnings() -> PackedStringArray:
	var found: PackedStringArray = []
	if is_inside_tree() and clashd == null and find_clashd() == null:
		found.append("No Clashd node is above it or beside what is above it: put one into the scene, or name it in the property `clashd`.")
	if is_inside_tree() and not Words.even(self):
		found.append("It is scaled unevenly, and clashd's lengths are the same in all directions: give it and its parents an even scale.")
	if hand != Hand.AUTO and not device.is_empty():
		found.append("Both `hand` and `device` are set: `device` counts.")
	return found
