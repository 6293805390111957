# What a hand feels of a clash: a pulse by its controller, as strong and long as the clash was hard.
extends RefCounted

const WEAKEST := 0.1 # below it most controllers do not move at all
const SHORTEST_S := 0.02
const LONGEST_S := 0.1
## A pair that bounces, or rattles, is felt as one.
const APART_US := 50000
const OLD_S := 0.25

var _last_us := {} # the names of two: when they were last felt


# One that is long over, told again after a pause or a lost connection, is not felt.
func strike(event: Dictionary, pusher: RefCounted, action: String) -> void:
	if event.age_s > OLD_S:
		return
	var pair := "|".join(PackedStringArray(event.get("blades", [])))
	var now_us := Time.get_ticks_usec()
	if now_us - _last_us.get(pair, -APART_US) < APART_US:
		return
	for blade_name: Variant in event.get("blades", []):
		var blade: Node3D = pusher.carries(str(blade_name))
		var controller: XRController3D = blade.controller() if blade != null and blade.has_method("controller") else null
		if controller != null:
			_last_us[pair] = now_us
			controller.trigger_haptic_pulse(action, 0.0, maxf(event.intensity, WEAKEST), lerpf(SHORTEST_S, LONGEST_S, event.intensity), 0.0)
