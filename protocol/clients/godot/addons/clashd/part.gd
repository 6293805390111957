# One part of a blade, such as its guard or a curve: capsules of one radius in a row. For `parts` of a ClashdBlade.
extends Resource

## What events call it; no other part of the blade has that name.
@export var name := "blade"
## Corners of its axis in the blade node's own space, two or more: there is a capsule between every two that follow each other.
@export var points: PackedVector3Array = [Vector3.ZERO, Vector3(0, 0, -1)]
@export var radius := 0.02
## Where the cutting edge faces; zero for none.
@export var edge := Vector3.ZERO
