# What is another than clashd was told of a blade or target: what carries it, at once; or its size and shape, once they have come to rest.
extends RefCounted

var _devices := {} # thing: what carries it, as clashd was told
var _sizes := {} # thing: its scale, as clashd was told
var _before := {} # thing: its scale a frame ago
var _changed := {} # thing: whether a property of its shape was set since


func tell(thing: Node3D, device: String) -> void:
	_devices[thing] = device
	_sizes[thing] = thing.global_basis.get_scale()
	_before[thing] = _sizes[thing]
	_changed[thing] = false
	_take_change(thing)


func forget(thing: Node3D) -> void:
	for all: Dictionary in [_devices, _sizes, _before, _changed]:
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


static func _take_change(thing: Node3D) -> bool:
	return thing.has_method("take_change") and thing.take_change()
