# The frames of the node that it is below: by its own _process, and also while the tree is paused. That node's process_mode stays as it is, since
# whatever the game has below it goes by that, too; one that the game has set, on the node or above it, counts, and so does set_process(false).
extends Node

const FRAME_MAX_S := 0.1 # so much one counts at most: in a longer one the game stood still

var _frame: Callable # by the time that the frame took, which also passes where the game's stands still, s
var _is_alone := false # the node's own _process does not run it
var _number := -1
var _at_us := 0


static func add_to(node: Node, frame: Callable, priority: int) -> Node:
	var frames: Node = new()
	frames._frame = frame
	frames.process_mode = PROCESS_MODE_ALWAYS
	frames.process_priority = priority
	node.process_priority = priority
	node.add_child(frames, false, INTERNAL_MODE_BACK)
	return frames


# Further frames of the same node, later in each.
static func add_after(node: Node, frame: Callable, priority: int) -> void:
	var frames := add_to(node, frame, node.process_priority)
	frames.process_priority = priority
	frames._is_alone = true


func _process(_delta: float) -> void:
	var node := get_parent()
	if node.is_processing() and (_is_alone if node.can_process() else _is_only_paused(node)):
		run()


# Once a frame, also if a listener pauses the tree in it.
func run() -> void:
	if _number == Engine.get_process_frames():
		return
	_number = Engine.get_process_frames()
	var now_us := Time.get_ticks_usec()
	var delta := minf((now_us - _at_us) / 1e6, FRAME_MAX_S)
	_at_us = now_us
	_frame.call(delta)


# Nothing but the tree itself says that it stands still.
static func _is_only_paused(node: Node) -> bool:
	var root := node.get_tree().root
	while node != root and node.process_mode == PROCESS_MODE_INHERIT:
		node = node.get_parent()
	return node == root and root.process_mode != PROCESS_MODE_DISABLED
