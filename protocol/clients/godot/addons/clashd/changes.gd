# What is another than clashd was told of a blade or target: what carries it, at once; or its size and shape, once they have come to rest.
# And whether it moves by physics ticks alone.
extends RefCounted

const STILL_FRAMES := 60.0 # without a tick, in which what the ticks moved stood still: then only they move it
const STILL_SHARE := 0.1 # of ticks that move it: fewer such frames are a game's ordinary unevenness

var _devices := {} # thing: what carries it, as clashd was told
var _sizes := {} # thing: its scale, as clashd was told
var _before := {} # thing: its scale a frame ago
var _changed := {} # thing: whether a property of its shape was set since
var _places := {} # thing: where it was drawn a frame ago
var _moved := {} # thing: whether the last tick has moved it
var _stills := {} # thing: how many such frames there were, beyond that share
var _tick := 0
var _has_ticked := false


func tell(thing: Node3D, device: String) -> void:
	_devices[thing] = device
	_sizes[thing] = thing.global_basis.get_scale()
	_before[thing] = _sizes[thing]
	_changed[thing] = false
	_take_change(thing)


func forget(thing: Node3D) -> void:
	for all: Dictionary in [_devices, _sizes, _before, _changed, _places, _moved, _stills]:
		all.erase(thing)


func is_elsewhere(thing: Node3D, device: String) -> bool:
	return _devices.get(thing, device) != device


# Once a frame. A sword that grows is told of when it has grown, as that ends its contacts.
func is_reshaped(thing: Node3D) -> bool:
	if not _sizes.has(thing):
		return false
	var size := thing.global_basis.get_scale()
	var is_at_rest := size.is_equal_approx(_before[thing])
	_before[thing] = size
	if _take_change(thing):
		_changed[thing] = true
		return false
	return is_at_rest and (_changed[thing] or not size.is_equal_approx(_sizes[thing]))


# Once a frame, before is_stepwise().
func begin_frame() -> void:
	_has_ticked = Engine.get_physics_frames() != _tick
	_tick = Engine.get_physics_frames()


# Whether it is found now that it goes in steps, from tick to tick: each takes a frame then, and it seems faster than it is.
func is_stepwise(thing: Node3D, at: Transform3D) -> bool:
	var moved: bool = at != _places.get(thing, at)
	_places[thing] = at
	if _has_ticked:
		_moved[thing] = moved
	elif moved:
		_moved[thing] = false
		_stills[thing] = 0.0
	if not _moved.get(thing, false):
		return false
	_stills[thing] = maxf(_stills.get(thing, 0.0) + (-STILL_SHARE if _has_ticked else 1.0), 0.0)
	return _stills[thing] >= STILL_FRAMES


static func _take_change(thing: Node3D) -> bool:
	return thing.has_method("take_change") and thing.take_change()
