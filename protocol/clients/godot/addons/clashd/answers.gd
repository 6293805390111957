# How frames wait for the events of what they pushed. All Clashd nodes push first, then all wait together: what one of them has pushed concerns the
# others as well. A node whose clashd does not answer in time stops waiting, and tries again now and then.
extends RefCounted

const Words := preload("words.gd")
const POLL_US := 50
const MISSES_MAX := 3 # in a row, after which frames no longer wait
const PROBE_US := 500000 # until one of them does again
const STALLED_US := 1000000 # without any answer
const LATE_US := 5000000 # in which no answer came in time

static var _frame := -1
static var _nodes := [] # that are in this frame, and connected
static var _pushers := [] # those of them that have pushed

## How long the last frame waited, microseconds.
var waited_us := 0

var _asked := 0 # the number of the last push or question
var _answered := 0
var _misses := 0
var _probe_us := 0 # when a frame waits again
var _late_us := 0 # since when answers come too late
var _open_us := 0 # since when there is no answer at all; 0: nothing is to be answered


func begin() -> void:
	_asked = 0
	_answered = 0
	_misses = 0
	_open_us = 0


# Once a frame, before any node waits. `number`: of the push, 0 if there was none.
static func enter(node: Node3D, number: int) -> void:
	if _frame != Engine.get_process_frames():
		_frame = Engine.get_process_frames()
		_nodes = []
		_pushers = []
	node.answers.waited_us = 0
	_nodes.append(node)
	if number > 0:
		node.answers._asked = number
		_pushers.append(node)


# The first node that comes here waits for all.
static func wait() -> void:
	if _frame != Engine.get_process_frames():
		return
	_frame = -1
	var since_us := Time.get_ticks_usec()
	var nodes := _connected(_nodes).filter(func(node: Node3D) -> bool: return node.answers._is_patient(since_us, node.wait_ms))
	_wait_for(nodes, since_us)
	var asking := _connected(nodes).filter(func(node: Node3D) -> bool: return _pushers.any(func(other: Variant) -> bool: return not is_same(other, node)))
	for node: Node3D in asking: # clashd has answered all pushes: what they caused comes before the answer to this
		node.answers._asked = node.ask()
	_wait_for(asking, since_us)
	for node: Node3D in _connected(_nodes):
		node.answers._judge(node in nodes)
	_nodes = []
	_pushers = []


# A listener may have freed one of them, or ended its connection.
static func _connected(nodes: Array) -> Array:
	return nodes.filter(func(node: Variant) -> bool: return is_instance_valid(node) and node.is_connected_to_clashd())


static func _wait_for(nodes: Array, since_us: int) -> void:
	var waiting := nodes
	while true:
		var waited := Time.get_ticks_usec() - since_us
		waiting = _connected(waiting).filter(func(node: Node3D) -> bool: return node.answers._is_open() and waited < node.wait_ms * 1000.0)
		if waiting.is_empty():
			return
		OS.delay_usec(POLL_US)
		for node: Variant in waiting:
			if is_instance_valid(node):
				node.follow()
				node.answers.waited_us = Time.get_ticks_usec() - since_us


# clashd has answered the push or question of that number.
func take(number: int) -> void:
	_answered = number
	_open_us = 0


func _is_open() -> bool:
	return _asked > _answered


func _is_patient(now_us: int, wait_ms: float) -> bool:
	return wait_ms > 0.0 and (_misses < MISSES_MAX or now_us >= _probe_us)


# Called when a frame's waiting is over; `has_waited`: this node took part in it.
func _judge(has_waited: bool) -> void:
	var now_us := Time.get_ticks_usec()
	if _answered >= _asked:
		_open_us = 0
		if has_waited:
			_misses = 0
		return
	if _open_us == 0:
		_open_us = now_us
	if has_waited:
		_misses += 1
		_probe_us = now_us + PROBE_US
		if _misses == MISSES_MAX:
			_late_us = now_us


# What is wrong with them in words, "" if nothing is.
func problem(node: Node3D) -> String:
	var now_us := Time.get_ticks_usec()
	if _open_us > 0 and now_us - _open_us > STALLED_US:
		return "clashd at %s does not answer: it has been stopped, or its machine is overloaded. Frames no longer wait for it" % Words.where(node)
	if _misses >= MISSES_MAX and now_us - _late_us > LATE_US:
		return "clashd at %s answers later than wait_ms (%s ms): frames no longer wait for it, and its events come in a later one" % [
				Words.where(node), node.wait_ms]
	return ""
