@tool
@icon("icons/part.svg")
class_name ClashdPart
extends Resource
## One part of a blade, such as its guard or a curve: capsules of one radius in a row. For the parts of a [ClashdBlade].

## What events call it; no other part of the blade has that name.
@export var name := "blade":
	set(value):
		name = value
		emit_changed()
## Corners of its axis in the blade node's own space, two or more: there is a capsule between every two that follow each other.
@export var points: PackedVector3Array = [Vector3.ZERO, Vector3(0, 0, -1)]:
	set(value):
		points = value
		emit_changed()
@export_range(0.001, 1.0, 0.001, "or_greater", "suffix:m") var radius := 0.02:
	set(value):
		radius = value
		emit_changed()
## Where the cutting edge faces; zero for none.
@export var edge := Vector3.ZERO:
	set(value):
		edge = value
		emit_changed()
