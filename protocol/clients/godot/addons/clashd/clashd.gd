# Listens to clashd: connects, subscribes, emits a signal for each event on the main thread, and comes back when clashd
# does. Pushes the poses of its blades (blade.gd) and targets (target.gd), and emits what they caused in the same frame. Positions
# are relative to this node: use to_global().
#
# An event is a Dictionary with the fields of PROTOCOL.md. Arrays of three numbers are Vector3, whole numbers are int, a
# resolved_pose is two of Transform3D or null.
extends Node3D

signal clash(event: Dictionary)
signal hold(event: Dictionary)
signal release(event: Dictionary)
signal tracking(event: Dictionary)
signal space_changed(event: Dictionary)
## Events are lost: from_seq, to_seq, missed.
signal lagged(event: Dictionary)
signal connected(hello: Dictionary)
signal disconnected(reason: String)
## Something is wrong, in words. What goes wrong the same way again and again is told once.
signal problem(message: String)

enum Transport { TCP, UNIX_SOCKET, WEBSOCKET }

const Haptics := preload("haptics.gd")
const Place := preload("place.gd")
const Pusher := preload("pusher.gd")
const StreamLink := preload("stream_link.gd")
const WebSocketLink := preload("websocket_link.gd")
const CONNECT_S := 5.0
const RETRY_MIN_S := 0.25
const RETRY_MAX_S := 5.0
const POLL_US := 50
const EVENTS: Array[String] = ["clash", "hold", "release", "tracking", "space_changed"]
const VECTORS: Array[String] = ["midpoint", "normal", "surface_normal"]
const VECTOR_PAIRS: Array[String] = ["points", "velocities"]
const INTEGERS: Array[String] = ["seq", "time_ns", "id", "duration_ns", "interval_ns", "since_release_ns", "from_seq",
	"to_seq", "missed", "triangle"]

## TCP works everywhere; clashd listens there when started with --tcp PORT. Unix sockets need Godot 4.6, not on Windows.
## WebSocket is for a clashd started with --websocket PORT.
@export var transport := Transport.TCP
@export var host := "127.0.0.1"
@export var port := 4717
## Empty: where clashd listens by default.
@export var unix_socket := ""
@export var websocket_url := "ws://127.0.0.1:4718"
## Where the token for TCP and WebSocket is: its file, or clashd's socket beside which it is. Empty: where clashd puts it
## by default.
@export var token_file := ""
## Only contacts in which one of these takes part; empty for all.
@export var blades: PackedStringArray = []
## Only contacts that began at least this fast, m/s.
@export var min_closing_speed := 0.0
## Only contacts that become this fast, m/s: where they begin more slowly, clash comes then, and has `late`. 0 for all.
@export var min_peak_speed := 0.0
## No contact that begins sooner than this after the same two parted, if that was told, ms. 0 for all.
@export var min_apart_ms := 0.0
## Whether clash and hold say where to draw the two so that they do not sink into each other, as `resolved_pose`.
@export var resolved_poses := false
## How long a frame may wait for the events of the poses that it pushed, ms: as a rule they are there within half of one. 0: it
## does not wait, and they come a frame later.
@export_range(0.0, 10.0, 0.1) var wait_ms := 2.0
## Whether a hand whose ClashdBlade strikes something is told so by its controller.
@export var haptics := true
## The haptic action of the project's action map.
@export var haptic_action := "haptic"

## How long the last frame waited for them, microseconds.
var waited_us := 0

var _link: RefCounted = null
var _pusher := Pusher.new()
var _haptics := Haptics.new()
var _world_scale := 1.0
var _jumps := 0 # frames from now in which the hands jump
var _greeted := false
var _wait_s := 0.0
var _retry_s := RETRY_MIN_S
var _age_s := 0.0
var _session := ""
var _last_seq := -1
var _last_late := 0
var _last_problem := ""


# After whatever moves blades. Where the tracking's origin jumps, the hands do.
func _enter_tree() -> void:
	process_priority = 1000
	var change := &"reference_frame_changed"
	if XRServer.has_signal(change) and not XRServer.is_connected(change, _on_recentred):
		XRServer.connect(change, _on_recentred)


func _process(delta: float) -> void:
	if _link != null:
		_age_s += delta
		_follow()
		if _greeted:
			_push()
		return
	_wait_s -= delta
	if _wait_s <= 0.0:
		_open()


func _exit_tree() -> void:
	_drop()


## The player jumps, by a teleport or a snap turn: call it in the frame in which the blades are where they come to. Else the way
## there counts as a stroke.
func teleport() -> void:
	_pusher.teleport()


func is_connected_to_clashd() -> bool:
	return _greeted


## Called by ClashdBlade nodes; any Node3D with their properties will do.
func add_blade(blade: Node3D) -> void:
	_tell_if(_pusher.add(blade, _link if _greeted else null, self))


func remove_blade(blade: Node3D) -> void:
	_tell_if(_pusher.remove(blade, _link if _greeted else null, self))


## Called by ClashdTarget nodes.
func add_target(target: Node3D) -> void:
	_tell_if(_pusher.add(target, _link if _greeted else null, self))


func remove_target(target: Node3D) -> void:
	_tell_if(_pusher.remove(target, _link if _greeted else null, self))


# The controllers follow at once or in the next frame, by when it was done.
func _on_recentred() -> void:
	_jumps = 2


# Pushes where the blades are drawn in this frame, and takes what comes of it.
func _push() -> void:
	if XRServer.world_scale != _world_scale:
		_world_scale = XRServer.world_scale
		_jumps = 1
	if _jumps > 0:
		_jumps -= 1
		teleport()
	var link := _link
	var asked: int = _pusher.push(link, self)
	var since_us := Time.get_ticks_usec()
	waited_us = 0
	while asked > _pusher.answered and waited_us < wait_ms * 1000.0:
		OS.delay_usec(POLL_US)
		_follow()
		waited_us = Time.get_ticks_usec() - since_us
		if _link != link: # it has ended
			return


func _open() -> void:
	var why := ""
	_age_s = 0.0
	if transport == Transport.WEBSOCKET:
		_link = WebSocketLink.new()
		why = _link.start(websocket_url, Place.read_token(token_file))
	elif transport == Transport.UNIX_SOCKET:
		_link = StreamLink.new()
		why = _link.start_unix(Place.default_path("clashd.sock") if unix_socket.is_empty() else unix_socket)
	else:
		_link = StreamLink.new()
		why = _link.start_tcp(host, port, Place.read_token(token_file))
	if not why.is_empty():
		_link = null
		_end(why)


func _drop() -> void:
	if _link != null:
		_link.close()
	_link = null
	_greeted = false


func _end(reason: String) -> void:
	var was_greeted := _greeted
	_drop()
	_wait_s = _retry_s
	_retry_s = minf(_retry_s * 2.0, RETRY_MAX_S)
	if was_greeted:
		disconnected.emit(reason)
	else:
		_tell(reason)


func _tell_if(message: String) -> void:
	if not message.is_empty():
		_tell(message)


func _tell(message: String) -> void:
	if message != _last_problem:
		_last_problem = message
		problem.emit(message)


# One frame of a connection.
func _follow() -> void:
	var link := _link
	var state: int = link.poll()
	if state == StreamLink.State.CONNECTING and _age_s > CONNECT_S:
		_end("no answer from clashd")
		return
	for line: String in link.take_lines():
		_take_line(line)
		if _link != link: # a listener, or the line, ended the connection
			return
	if state == StreamLink.State.CLOSED:
		_end(link.close_reason())


func _send(message: Dictionary) -> void:
	_link.send(JSON.stringify(message, "", false, true))


func _take_line(line: String) -> void:
	var json := JSON.new()
	if json.parse(line) != OK or not json.data is Dictionary or not json.data.get("type") is String:
		_tell("a line cannot be used: " + line.left(80))
		return
	var event: Dictionary = json.data
	var type: String = event.type
	if type == "hello":
		_greet(event)
	elif type == "ok" and str(event.get("id", "")) == "clock" and event.get("time_ns") is float:
		_pusher.take_clock(int(event.time_ns))
	elif type == "ok" and event.get("id") is float:
		_pusher.answered = int(event.id)
	elif type == "error":
		if event.get("id") is float: # of a push: its events will not come
			_pusher.answered = int(event.id)
		_pusher.refuse(str(event.get("id", "")), _link, self)
		_tell(str(event.get("message", "clashd refused a request")))
	elif type == "lagged" or type in EVENTS:
		_take_event(type, event)


func _take_event(type: String, event: Dictionary) -> void:
	if not _convert(event):
		_tell("a line of type %s cannot be used" % type)
		return
	_last_seq = event.get("to_seq" if type == "lagged" else "seq", _last_seq)
	var is_late: bool = event.get("late") is bool and event.late
	_last_late = event.get("id", 0) if is_late else 0
	if haptics and type == "clash":
		_haptics.strike(event, _pusher, haptic_action)
	emit_signal(type, event)


# hello: subscribe; where it is the session of before, from where it broke off.
func _greet(hello: Dictionary) -> void:
	var session := str(hello.get("session", ""))
	var capabilities: Variant = hello.get("capabilities")
	var resumes: bool = capabilities is Array and "since_seq" in capabilities
	var request := {"type": "subscribe", "id": "subscribe", "events": EVENTS, "axes": "godot",
			"min_closing_speed": min_closing_speed}
	if min_peak_speed != 0.0:
		request.min_peak_speed = min_peak_speed
	if min_apart_ms != 0.0:
		request.min_apart_ms = min_apart_ms
	if resolved_poses:
		request.resolved_poses = true
	if not blades.is_empty():
		request.blades = Array(blades)
	if session != _session:
		_last_seq = -1
	elif resumes and _last_seq >= 0:
		request.since_seq = _last_seq
		if _last_late != 0:
			request.since_late = _last_late
	_session = session
	_send(request)
	_greeted = true
	_retry_s = RETRY_MIN_S
	_last_problem = ""
	for why: String in _pusher.begin(_link, self, capabilities is Array and "feed" in capabilities):
		_tell(why)
	connected.emit(hello)


static func _is_vector(value: Variant) -> bool:
	return value is Array and value.size() == 3 and value.all(func(n: Variant) -> bool: return n is float)


static func _vector(value: Array) -> Vector3:
	return Vector3(value[0], value[1], value[2])


# A pose or null, as one of a resolved_pose; false where it is neither.
static func _transform(value: Variant) -> Variant:
	if value == null:
		return null
	if not value is Dictionary or not _is_vector(value.get("position")):
		return false
	var turn: Variant = value.get("orientation")
	if not turn is Array or turn.size() != 4 or not turn.all(func(n: Variant) -> bool: return n is float):
		return false
	return Transform3D(Basis(Quaternion(turn[0], turn[1], turn[2], turn[3]).normalized()), _vector(value.position))


# JSON's arrays and numbers to Godot's. False where a field is not what it must be.
static func _convert(event: Dictionary) -> bool:
	for key in INTEGERS:
		if event.has(key):
			if not event[key] is float:
				return false
			event[key] = int(event[key])
	for key in VECTORS:
		if event.has(key):
			if not _is_vector(event[key]):
				return false
			event[key] = _vector(event[key])
	for key in VECTOR_PAIRS:
		if event.has(key):
			var pair: Variant = event[key]
			if not pair is Array or pair.size() != 2 or not pair.all(_is_vector):
				return false
			event[key] = [_vector(pair[0]), _vector(pair[1])]
	if event.has("resolved_pose"):
		var poses: Variant = event.resolved_pose
		if not poses is Array or poses.size() != 2:
			return false
		event.resolved_pose = poses.map(_transform)
		if event.resolved_pose.has(false):
			return false
	return event.type != "clash" or (event.get("midpoint") is Vector3 and event.get("intensity") is float)
