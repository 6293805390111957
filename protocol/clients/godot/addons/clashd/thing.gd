# What ClashdBlade and ClashdTarget have in common: which Clashd node tells clashd of them, and when they jump.
extends Node3D

## The Clashd node; empty: the nearest one among this node's ancestors and their children.
@export var clashd: Node3D = null

var _teleports := false


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
