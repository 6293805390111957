# A blade wherever this node is: put it under any Node3D, such as an enemy's hand, and clashd tells when it meets another. The
# Clashd node pushes its pose once a frame.
extends "thing.gd"

const Part := preload("part.gd")

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
