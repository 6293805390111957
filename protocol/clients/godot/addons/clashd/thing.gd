# What ClashdBlade and ClashdTarget have in common: which Clashd node tells clashd of them, and when they jump.
@tool
extends Node3D

const Words := preload("words.gd")

## The Clashd node; empty: the nearest one among this node's ancestors and their children.
@export var clashd: Node3D = null:
	set(value):
		clashd = value
		_refresh()

var _teleports := false


func _notification(what: int) -> void:
	if what == NOTIFICATION_ENTER_TREE and Engine.is_editor_hint():
		set_notify_transform(true)
	elif what == NOTIFICATION_TRANSFORM_CHANGED or what == NOTIFICATION_PARENTED:
		update_configuration_warnings()


## Say so when the node is moved at once to another place: the way there is then no stroke.
func teleport() -> void:
	_teleports = true


func take_teleport() -> bool:
	var was := _teleports
	_teleports = false
	return was


func find_clashd() -> Node3D:
	var node: Node = get_parent()
	while node != null:
		for candidate: Node in [node] + node.get_children():
			if candidate.has_method("add_blade"):
				return candidate
		node = node.get_parent()
	return null


# What the editor shows of it.
func _refresh() -> void:
	if Engine.is_editor_hint():
		update_gizmos()
		update_configuration_warnings()


func _get_configuration_warnings() -> PackedStringArray:
	var found: PackedStringArray = []
	if is_inside_tree() and clashd == null and find_clashd() == null:
		found.append("No Clashd node is above it or beside what is above it: put one into the scene, or name it in the property `clashd`.")
	if is_inside_tree() and not Words.even(self):
		found.append("It is scaled unevenly, and clashd's lengths are the same in all directions: give it and its parents an even scale.")
	return found
