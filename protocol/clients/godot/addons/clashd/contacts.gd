# Decides by which signal the game gets an event of a contact. If a contact began too long ago, or without a stroke, the game gets no clash but a hold
# with `was_touching`.
extends RefCounted

var _known := {} # id of a contact that has begun: whether the game has got it
var _session := ""


# Other sessions have other contacts of the same ids.
func begin(session: String) -> void:
	if session != _session:
		_known = {}
	_session = session


# The type whose signal emits the event, which Events.convert() has converted; "" if the game does not get it.
func sort(event: Dictionary, max_age_s: float) -> String:
	var is_old: bool = max_age_s > 0.0 and event.age_s > max_age_s
	match event.type:
		"clash":
			return _begin(event, is_old)
		"hold":
			return "" if is_old else _go_on(event)
		"release":
			return _end(event, is_old)
	return event.type


func _begin(event: Dictionary, is_old: bool) -> String:
	var goes_on: bool = event.get("resumed") == true # after a jump, or of a blade that grew or changed hands
	if is_old or goes_on:
		_known[event.get("id", 0)] = false
		return "" if is_old else _go_on(event)
	_known[event.get("id", 0)] = true
	return "clash"


func _go_on(event: Dictionary) -> String:
	if not _known.get(event.get("id", 0), false):
		_known[event.get("id", 0)] = true
		event.was_touching = true
	if event.type == "clash":
		event.type = "hold"
		event.duration_ns = 0
	return "hold"


func _end(event: Dictionary, is_old: bool) -> String:
	var is_known: Variant = _known.get(event.get("id", 0))
	_known.erase(event.get("id", 0))
	return "release" if is_known == true or (is_known == null and not is_old) else ""
