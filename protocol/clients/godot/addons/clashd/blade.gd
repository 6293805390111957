@tool
@icon("icons/blade.svg")
class_name ClashdBlade
extends "thing.gd"
## A blade wherever this node is, and clashd tells when it meets another.
##
## Put it under the sword that the player sees, or under any other Node3D, such as an enemy's hand. The [Clashd] node pushes its pose
## once a frame.

const Part := preload("part.gd")
const CAPSULES_MAX := 16

## What events call it; empty: this node's name and number.
@export var blade_name := "":
	set(value):
		if value != blade_name:
			blade_name = value
			_refresh()
## False for a sword in its sheath: it keeps its name, and touches nothing.
@export var enabled := true:
	set(value):
		if value != enabled:
			enabled = value
			_refresh()
## No blade but a player's body: it strikes targets, and no blade strikes it.
@export var is_body := false
## The ends of the blade's axis, in this node's own space.
@export var hilt := Vector3.ZERO:
	set(value):
		if value != hilt:
			hilt = value
			_refresh()
@export var tip := Vector3(0, 0, -1):
	set(value):
		if value != tip:
			tip = value
			_refresh()
@export_range(0.001, 1.0, 0.001, "or_greater", "suffix:m") var radius := 0.02:
	set(value):
		if value != radius:
			radius = value
			_refresh()
## Where the cutting edge faces; zero for none.
@export var edge := Vector3.ZERO:
	set(value):
		if value != edge:
			edge = value
			_refresh()
## Instead of hilt, tip, radius and edge: a guard, a curved blade; at most 16 capsules in all.
@export var parts: Array[Part] = []:
	set(value):
		_watch(false)
		parts = value
		_watch(true)
		_refresh()


func _enter_tree() -> void:
	if Engine.is_editor_hint():
		return
	if blade_name.is_empty():
		blade_name = "%s %d" % [name.left(40), get_instance_id()]
	add_to_group(WAITING)
	look_for_clashd()
	_join()
	if clashd == null:
		push_warning("ClashdBlade: name a Clashd node, or put one beside it or above")


func _join() -> void:
	if _joins():
		clashd.add_blade(self)


func _leave() -> void:
	if _leaves():
		clashd.remove_blade(self)


# A part that is edited is seen at once.
func _watch(on: bool) -> void:
	for part: Part in parts:
		if part == null or not Engine.is_editor_hint():
			continue
		if on and not part.changed.is_connected(_refresh):
			part.changed.connect(_refresh)
		elif not on and part.changed.is_connected(_refresh):
			part.changed.disconnect(_refresh)


func _get_configuration_warnings() -> PackedStringArray:
	var found := super()
	if parts.is_empty():
		if hilt.is_equal_approx(tip):
			found.append("Hilt and tip are at the same place: the blade is a ball.")
	else:
		found.append_array(_parts_warnings())
	if blade_name.length() > 127:
		found.append("Its name has more than 127 characters.")
	return found


func _parts_warnings() -> PackedStringArray:
	var found: PackedStringArray = []
	var names := {}
	var capsules := 0
	for part: Part in parts:
		if part == null or part.points.size() < 2:
			found.append("A part needs two points or more.")
			continue
		if names.has(part.name):
			found.append("Two parts are named \"%s\"." % part.name)
		names[part.name] = true
		capsules += part.points.size() - 1
	if capsules > CAPSULES_MAX:
		found.append("Its parts have %d capsules in all: at most %d." % [capsules, CAPSULES_MAX])
	return found
