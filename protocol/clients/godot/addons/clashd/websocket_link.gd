# A way to clashd over WebSocket: one message a text frame. The same functions as stream_link.gd.
extends RefCounted

enum State { CONNECTING, OPEN, CLOSED }

const IN_MAX := 1048576
const OUT_MAX := 262144

var _peer := WebSocketPeer.new()
var _was_open := false


# "" or why it cannot.
func start(url: String, token: String) -> String:
	_peer.inbound_buffer_size = IN_MAX
	_peer.outbound_buffer_size = OUT_MAX
	_peer.supported_protocols = ["clashd.v1"] if token.is_empty() else ["clashd.v1", "token." + token]
	var error := _peer.connect_to_url(url)
	return "" if error == OK else error_string(error)


func poll() -> State:
	_peer.poll()
	match _peer.get_ready_state():
		WebSocketPeer.STATE_CONNECTING:
			return State.CONNECTING
		WebSocketPeer.STATE_OPEN:
			_was_open = true
			return State.OPEN
		WebSocketPeer.STATE_CLOSING: # it has still to be polled to its end
			return State.OPEN
	return State.CLOSED


func take_lines() -> PackedStringArray:
	var lines := PackedStringArray()
	while _peer.get_available_packet_count() > 0:
		lines.append(_peer.get_packet().get_string_from_utf8())
	return lines


func send(line: String) -> void:
	if _peer.get_ready_state() == WebSocketPeer.STATE_OPEN:
		_peer.send_text(line)


func waiting() -> int:
	return _peer.get_current_outbound_buffered_amount()


func close() -> void:
	_peer.close()


func was_open() -> bool:
	return _was_open


# Why a request is refused clashd says in HTTP, which Godot keeps to itself.
func close_reason() -> String:
	if not _was_open:
		return "nobody listens there, or the token is a wrong one"
	var said := _peer.get_close_reason()
	return "clashd closed the connection" + ("" if said.is_empty() else ": " + said)
