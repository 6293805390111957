# Decides by which signal the game gets an event of a contact. If a contact began too long ago, or without a stroke, the game gets no clash but a hold
# with `was_touching`.
extends RefCounted

const REMOVED_NS := 100000000 # within which a blade that was defined anew touches what it touched before

var _known := {} # id of a contact that has begun: whether the game has got it
var _removed := {} # names of two: when their contact ended because one of them was defined anew
var _session := ""


# Other sessions have other contacts of the same ids.
func begin(session: String) -> void:
	if session != _session:
		_known = {}
		_removed = {}
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
	if is_old or _touched_before(event):
		_known[event.id] = false
		return "" if is_old else _go_on(event)
	_known[event.id] = true
	return "clash"


# A jump in mid-contact, a blade that grows or changes hands: clashd ends the contact and begins another one.
func _touched_before(event: Dictionary) -> bool:
	var since_ns: int = event.time_ns - _removed.get(_pair(event), -REMOVED_NS - event.time_ns)
	return event.get("resumed") == true or (event.get("fraction") == 0.0 and since_ns <= REMOVED_NS)


func _go_on(event: Dictionary) -> String:
	if not _known.get(event.id, false):
		_known[event.id] = true
		event.was_touching = true
	if event.type == "clash":
		event.type = "hold"
		event.duration_ns = 0
	return "hold"


func _end(event: Dictionary, is_old: bool) -> String:
	var is_known: Variant = _known.get(event.id)
	_known.erase(event.id)
	_removed.erase(_pair(event))
	if event.get("reason") == "removed":
		_removed[_pair(event)] = event.time_ns
	return "release" if is_known == true or (is_known == null and not is_old) else ""


static func _pair(event: Dictionary) -> String:
	return "|".join(PackedStringArray(event.get("blades", [])))
