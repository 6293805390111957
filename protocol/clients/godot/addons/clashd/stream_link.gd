# A way to clashd over TCP or a Unix socket: whole lines in both directions. Never waits: what the socket does not take now
# is kept, up to a bound, and goes with a later poll().
extends RefCounted

enum State { CONNECTING, OPEN, CLOSED }

const LINE_MAX := 65536

var _stream: StreamPeer
var _in := PackedByteArray()
var _out := PackedByteArray()
var _token := ""
var _greets := true # the token is still to be shown
var _too_long := false


# "" or why it cannot.
func start_tcp(host: String, port: int, token: String) -> String:
	_stream = StreamPeerTCP.new()
	_token = token
	var error: Error = _stream.connect_to_host(host, port)
	if error == ERR_CANT_RESOLVE:
		return "there is no such host"
	return "" if error == OK else error_string(error)


func start_unix(path: String) -> String:
	if not ClassDB.class_exists("StreamPeerUDS"):
		return "this Godot has no Unix sockets: use TCP"
	if not _is_there(path):
		return "there is no such socket"
	_stream = ClassDB.instantiate("StreamPeerUDS")
	# Godot would say so itself at each try, where a clashd has left its socket behind.
	var was_printing := Engine.print_error_messages
	Engine.print_error_messages = false
	var error: Error = _stream.connect_to_host(path)
	Engine.print_error_messages = was_printing
	return "" if error == OK else "nobody listens there"


# A socket is no file to FileAccess.
static func _is_there(path: String) -> bool:
	var directory := path.get_base_dir()
	return DirAccess.dir_exists_absolute(directory) and path.get_file() in DirAccess.get_files_at(directory)


# The two kinds of stream share their states' numbers.
func poll() -> State:
	_stream.poll()
	match _stream.get_status():
		StreamPeerTCP.STATUS_CONNECTING:
			return State.CONNECTING
		StreamPeerTCP.STATUS_CONNECTED:
			if _greets:
				_greets = false
				if _stream is StreamPeerTCP:
					_stream.set_no_delay(true) # a frame waits for the answer to its poses
				if not _token.is_empty():
					_out = (JSON.stringify({"type": "auth", "token": _token}) + "\n").to_utf8_buffer() + _out
			_flush()
			return State.OPEN
	return State.CLOSED


# Also after the end: what clashd said before it went.
func take_lines() -> PackedStringArray:
	var lines := PackedStringArray()
	if _stream.get_status() != StreamPeerTCP.STATUS_CONNECTED: # it would be an error to ask
		return lines
	var available: int = _stream.get_available_bytes()
	if available <= 0:
		return lines
	var got: Array = _stream.get_partial_data(available)
	if got[0] != OK:
		return lines
	_in.append_array(got[1])
	var start := 0
	var newline := _in.find(10)
	while newline >= 0:
		if not _too_long:
			lines.append(_in.slice(start, newline).get_string_from_utf8())
		_too_long = false
		start = newline + 1
		newline = _in.find(10, start)
	_in = _in.slice(start)
	if _in.size() >= LINE_MAX and not _too_long:
		_too_long = true # dropped up to its newline; this, which is no message, stands for it
		lines.append("more than %d bytes" % LINE_MAX)
	if _too_long:
		_in.clear()
	return lines


func send(line: String) -> void:
	_out.append_array((line + "\n").to_utf8_buffer())
	if not _greets:
		_flush()


# Bytes that are not sent yet.
func waiting() -> int:
	return _out.size()


func close() -> void:
	_stream.disconnect_from_host()


func was_open() -> bool:
	return not _greets


func close_reason() -> String:
	return "nobody listens there" if _greets else "clashd closed the connection"


func _flush() -> void:
	if _out.is_empty():
		return
	var got: Array = _stream.put_partial_data(_out)
	if got[0] == OK:
		_out = _out.slice(got[1])
