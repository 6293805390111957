# A blade wherever this node is: put it under the sword that the player sees, or under any other Node3D, such as an enemy's hand,
# and clashd tells when it meets another. The Clashd node pushes its pose once a frame.
extends "thing.gd"

enum Hand { AUTO, NONE, LEFT, RIGHT }

const Part := preload("part.gd")
const DEVICES := { Hand.LEFT: "/user/hand/left", Hand.RIGHT: "/user/hand/right" }
const TRACKERS := { &"left_hand": Hand.LEFT, &"right_hand": Hand.RIGHT }

## What events call it; empty: this node's name and number.
@export var blade_name := ""
## No blade but a player's body: it strikes targets, and no blade strikes it.
@export var is_body := false
## The ends of the blade's axis, in this node's own space.
@export var hilt := Vector3.ZERO
@export var tip := Vector3(0, 0, -1)
@export var radius := 0.02
## Where the cutting edge faces; zero for none.
@export var edge := Vector3.ZERO
## Instead of hilt, tip, radius and edge: a guard, a curved blade; at most 16 capsules in all.
@export var parts: Array[Part] = []
## Whose hand holds it: clashd then takes that hand from here instead of from its own OpenXR session. AUTO: the hand of the
## XRController3D above this node, none if there is none.
@export var hand := Hand.AUTO
## Another device of clashd's that this node stands for, such as a tracker; instead of `hand`.
@export var device := ""


func _enter_tree() -> void:
	if blade_name.is_empty():
		blade_name = "%s %d" % [name.left(40), get_instance_id()]
	if clashd == null:
		clashd = find_clashd()
	if clashd == null:
		push_warning("ClashdBlade: name a Clashd node, or put one beside it or above")
	else:
		clashd.add_blade(self)


func _exit_tree() -> void:
	if clashd != null:
		clashd.remove_blade(self)


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
