# The session's time, from the answers to pings. clashd answers a ping as soon as it arrives, whereas an event waits until a frame reads it and so
# does not show what time it is.
extends RefCounted

const AGAIN_US := 1000000
const FIRST := 4 # answers before it is known: one may have waited long, as in a game's first frames
const DRIFT_NS := 20000 # between two pings, at most

var _offset_ns := 0 # session time less our own
var _answers := 0
var _is_asked := false
var _asked_us := 0
var _is_live := true


# A connection has begun, and that is about its session's time. Events of a recording that is played (not `is_live`) have the recording's times, and so no age.
func begin(time_ns: int, is_live: bool) -> void:
	_offset_ns = time_ns - Time.get_ticks_usec() * 1000
	_answers = 0
	_is_asked = false
	_asked_us = 0
	_is_live = is_live


func is_known() -> bool:
	return _answers >= FIRST


func now_ns() -> int:
	return Time.get_ticks_usec() * 1000 + _offset_ns


# How long ago that was.
func age_ns(time_ns: int) -> int:
	return maxi(now_ns() - time_ns, 0) if _is_live else 0


# Every frame until it is known, then once a second; one question at a time.
func ask(link: RefCounted) -> void:
	var now_us := Time.get_ticks_usec()
	if now_us - _asked_us <= AGAIN_US and (_is_asked or is_known()):
		return
	_asked_us = now_us
	_is_asked = true
	link.send("{\"type\":\"ping\",\"id\":\"clock\"}")


func take(time_ns: int) -> void:
	var offset := time_ns - _asked_us * 1000
	_offset_ns = mini(offset, _offset_ns + DRIFT_NS) if _answers > 0 else offset
	_answers += 1
	_is_asked = false
