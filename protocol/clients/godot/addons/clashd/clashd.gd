# Listens to clashd: connects, subscribes, emits a signal for each event on the main thread, and comes back when clashd
# does. Positions are relative to this node: put it at the tracking origin (XROrigin3D) and use to_global().
#
# An event is a Dictionary with the fields of PROTOCOL.md. Arrays of three numbers are Vector3, whole numbers are int.
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

enum Transport { TCP, UNIX_SOCKET }

const LINE_MAX := 65536
const CONNECT_S := 5.0
const RETRY_MIN_S := 0.25
const RETRY_MAX_S := 5.0
const EVENTS: Array[String] = ["clash", "hold", "release", "tracking", "space_changed"]
const VECTORS: Array[String] = ["midpoint", "normal"]
const VECTOR_PAIRS: Array[String] = ["points", "velocities"]
const INTEGERS: Array[String] = ["seq", "time_ns", "id", "duration_ns", "from_seq", "to_seq", "missed"]

## TCP works everywhere; clashd listens there when started with --tcp PORT. Unix sockets need Godot 4.6, not on Windows.
@export var transport := Transport.TCP
@export var host := "127.0.0.1"
@export var port := 4717
## Empty: where clashd listens by default.
@export var unix_socket := ""
## Where TCP's token is; empty: clashd.token beside the default socket.
@export var token_file := ""
## Only contacts in which one of these takes part; empty for all.
@export var blades: PackedStringArray = []
## Only contacts that began at least this fast, m/s.
@export var min_closing_speed := 0.0

var _stream: StreamPeer = null
var _buffer := PackedByteArray()
var _too_long := false
var _shown := false # the connection stands, and over TCP the token has been sent
var _greeted := false
var _wait_s := 0.0
var _retry_s := RETRY_MIN_S
var _age_s := 0.0
var _session := ""
var _last_seq := -1
var _last_problem := ""


func _process(delta: float) -> void:
	if _stream != null:
		_age_s += delta
		_follow()
		return
	_wait_s -= delta
	if _wait_s <= 0.0:
		_open()


func _exit_tree() -> void:
	_drop()


func is_connected_to_clashd() -> bool:
	return _greeted


func _default_path(name: String) -> String:
	var directory := OS.get_environment("XDG_RUNTIME_DIR")
	return "" if directory.is_empty() else directory.path_join("clashd").path_join(name)


func _open() -> void:
	var error := ERR_UNAVAILABLE
	if transport == Transport.TCP:
		_stream = StreamPeerTCP.new()
		error = _stream.connect_to_host(host, port)
	elif ClassDB.class_exists("StreamPeerUDS"):
		_stream = ClassDB.instantiate("StreamPeerUDS")
		error = _stream.connect_to_host(_default_path("clashd.sock") if unix_socket.is_empty() else unix_socket)
	else:
		_end("this Godot has no Unix sockets: use TCP")
		return
	_age_s = 0.0
	if error != OK:
		_end("cannot connect: " + error_string(error))


func _drop() -> void:
	if _stream != null:
		_stream.disconnect_from_host()
	_stream = null
	_buffer.clear()
	_too_long = false
	_shown = false
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


func _tell(message: String) -> void:
	if message != _last_problem:
		_last_problem = message
		problem.emit(message)


# One frame of a connection. The two kinds of stream share their states' numbers.
func _follow() -> void:
	_stream.poll()
	var status: int = _stream.get_status()
	if status == StreamPeerTCP.STATUS_CONNECTING:
		if _age_s > CONNECT_S:
			_end("no answer from %s:%d" % [host, port])
		return
	if status == StreamPeerTCP.STATUS_CONNECTED:
		if not _shown:
			_show_token()
		_read()
		return
	_read() # what clashd said before it went
	if _stream != null:
		_end("clashd closed the connection" if _shown else "cannot connect to clashd")


func _show_token() -> void:
	_shown = true
	if transport != Transport.TCP:
		return
	var path := _default_path("clashd.token") if token_file.is_empty() else token_file
	if path.is_empty() or not FileAccess.file_exists(path):
		return # clashd may not ask for one
	_send({"type": "auth", "token": FileAccess.get_file_as_string(path).strip_edges()})


func _send(message: Dictionary) -> void:
	_stream.put_data((JSON.stringify(message) + "\n").to_utf8_buffer())


func _read() -> void:
	var available: int = _stream.get_available_bytes()
	if available <= 0:
		return
	var got: Array = _stream.get_partial_data(available)
	if got[0] != OK:
		return
	_buffer.append_array(got[1])
	var start := 0
	var newline := _buffer.find(10)
	while newline >= 0:
		if not _too_long:
			_take_line(_buffer.slice(start, newline).get_string_from_utf8())
			if _stream == null: # a listener, or the line, ended the connection
				return
		_too_long = false
		start = newline + 1
		newline = _buffer.find(10, start)
	_buffer = _buffer.slice(start)
	if _buffer.size() >= LINE_MAX:
		_too_long = true
		_tell("a line has more than %d bytes" % LINE_MAX)
	if _too_long:
		_buffer.clear()


func _take_line(line: String) -> void:
	var json := JSON.new()
	if json.parse(line) != OK or not json.data is Dictionary or not json.data.get("type") is String:
		_tell("a line cannot be used: " + line.left(80))
		return
	var event: Dictionary = json.data
	var type: String = event.type
	if type == "hello":
		_greet(event)
	elif type == "error":
		_tell(str(event.get("message", "clashd refused a request")))
	elif type == "lagged" or type in EVENTS:
		_take_event(type, event)


func _take_event(type: String, event: Dictionary) -> void:
	if not _convert(event):
		_tell("a line of type %s cannot be used" % type)
		return
	_last_seq = event.get("to_seq" if type == "lagged" else "seq", _last_seq)
	emit_signal(type, event)


# hello: subscribe; where it is the session of before, from where it broke off.
func _greet(hello: Dictionary) -> void:
	var session := str(hello.get("session", ""))
	var capabilities: Variant = hello.get("capabilities")
	var resumes: bool = capabilities is Array and "since_seq" in capabilities
	var request := {"type": "subscribe", "id": "subscribe", "events": EVENTS, "axes": "godot",
			"min_closing_speed": min_closing_speed}
	if not blades.is_empty():
		request.blades = Array(blades)
	if session != _session:
		_last_seq = -1
	elif resumes and _last_seq >= 0:
		request.since_seq = _last_seq
	_session = session
	_send(request)
	_greeted = true
	_retry_s = RETRY_MIN_S
	_last_problem = ""
	connected.emit(hello)


static func _is_vector(value: Variant) -> bool:
	return value is Array and value.size() == 3 and value.all(func(n: Variant) -> bool: return n is float)


static func _vector(value: Array) -> Vector3:
	return Vector3(value[0], value[1], value[2])


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
	return event.type != "clash" or (event.get("midpoint") is Vector3 and event.get("intensity") is float)
