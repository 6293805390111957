# Up to where events have been taken, so that a connection that comes back to the same session gets what it missed.
extends RefCounted

var _session := ""
var _last_seq := -1
var _last_late := 0


# After Events.convert().
func take(event: Dictionary) -> void:
	_last_seq = event.get("to_seq" if event.type == "lagged" else "seq", _last_seq)
	var is_late: bool = event.get("late") is bool and event.late
	_last_late = event.get("id", 0) if is_late else 0


# Adds to a request to subscribe where to go on, if that clashd can.
func resume(hello: Dictionary, request: Dictionary) -> void:
	var session := str(hello.get("session", ""))
	if session != _session:
		_last_seq = -1
	elif can(hello, "since_seq") and _last_seq >= 0:
		request.since_seq = _last_seq
		if _last_late != 0:
			request.since_late = _last_late
	_session = session


static func can(hello: Dictionary, what: String) -> bool:
	var capabilities: Variant = hello.get("capabilities")
	return capabilities is Array and what in capabilities


# The session's time when it was sent.
static func time_ns(hello: Dictionary) -> int:
	return int(hello.time_ns) if hello.get("time_ns") is float else 0
