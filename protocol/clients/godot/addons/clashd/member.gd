# One blade or target of a Clashd node: what clashd was sent of it, and what of it is different in this frame.
extends RefCounted

enum Tracking { LOST, GUESSED, TRACKED }

const STILL_FRAMES := 60.0 # without a tick, in which what the ticks moved stood still: then only they move it
const STILL_SHARE := 0.1 # of ticks that move it: fewer such frames are a game's ordinary unevenness
# A tracked hand that is faster than this has not moved but been found again elsewhere. In 55,852 frames of a lively player of Beat Saber, at 91 a
# second, the fastest hand has 32.5 m/s, and one frame in a thousand more than 18.4 m/s.
const HAND_SPEED_MAX := 50.0
const FRAME_MIN_S := 1.0 / 72.0 # poses are of when frames are shown, which is evener than when they are made
const LOST := "[0,0,0],\"orientation\":[0,0,0,1],\"valid\":false}"
const INTERPOLATED := &"get_global_transform_interpolated"

var thing: Node3D
var is_target := false
var name := ""
var device := "" # that it carries, or its own name
var moves := true
var has_left := false # it is no longer below this Clashd node: clashd is told at the end of the frame
var is_refused := false
var refused_us := 0 # when clashd refused it; 0 if it was not clashd
var told_name := "" # that clashd knows it by; empty if it does not
var told_text := ""
var definition := 0 # number of the last one
var is_changed := true
var drawn := Transform3D.IDENTITY # in this frame
var is_moved := true # since the frame before
var text := "" # its pose as it was last sent
var text_head := "" # of it: the device that it is of

var is_stale := false # a property of it was set, or it was moved to another parent
var teleports := false # what carries it is elsewhere at once
var tracking := Tracking.TRACKED
var is_pushed := false # its pose is the one of its device

var _told_device := ""
var _size := Vector3.ZERO # its scale, as clashd was told
var _polls := true # it does not say so when a property of it is set
var _is_interpolated := false
var _controller: XRController3D = null
var _tracker := &""
var _place := Vector3.ZERO # of the controller, m from the tracking's origin
var _place_us := 0
var _is_by_ticks := false # the last tick has moved it
var _stills := 0.0 # how many frames it stood still between ticks that move it, beyond that share


func _init(of: Node3D) -> void:
	thing = of
	is_target = of.has_method("describe_target")
	_is_interpolated = of.has_method(INTERPOLATED) # not before Godot 4.4
	if &"member" in of:
		of.set(&"member", self)
		_polls = false
	_refresh()


# A thing that left and came back within a frame, such as one that changed its parent, has another controller above it.
func _refresh() -> void:
	is_stale = false
	name = thing.target_name if is_target else thing.blade_name
	var carried: String = thing.carried_device() if thing.has_method("carried_device") else ""
	device = name if carried.is_empty() else carried
	moves = not is_target or thing.moves or device != name
	_controller = thing.controller() if thing.has_method("controller") else null
	_tracker = _controller.tracker if _controller != null else &""
	is_changed = true


func is_carrier() -> bool:
	return device != name


# Once a frame: what has changed since the last one. `has_ticked`: physics, meanwhile.
func look(has_ticked: bool) -> void:
	if is_stale or _polls or (_controller != null and _controller.tracker != _tracker):
		_refresh()
	if _controller != null:
		_follow_hand()
	# With physics interpolation it is drawn between the places where the last two ticks have put it.
	var at: Transform3D = thing.call(INTERPOLATED) if _is_interpolated else thing.global_transform
	is_moved = at != drawn
	if is_moved:
		if not is_changed and at.basis != drawn.basis and moves and not _size.is_equal_approx(at.basis.get_scale()):
			is_changed = true
		drawn = at
	if _is_by_ticks or is_moved:
		_look_for_steps(has_ticked)


# A controller stays where it was when its tracking is lost, and is elsewhere when that returns: no stroke leads there.
func _follow_hand() -> void:
	var before := tracking
	var pose := _controller.get_pose()
	tracking = _tracking_of(pose)
	if tracking != before:
		text = ""
	if tracking == Tracking.LOST:
		teleports = true
	if pose == null:
		return
	var now_us := Time.get_ticks_usec()
	var place := _controller.position / XRServer.world_scale
	if place.distance_to(_place) > HAND_SPEED_MAX * maxf((now_us - _place_us) / 1e6, FRAME_MIN_S):
		teleports = true
	_place = place
	_place_us = now_us


# Without XR the game itself moves the controller's node.
static func _tracking_of(pose: XRPose) -> Tracking:
	if pose == null:
		return Tracking.TRACKED if XRServer.primary_interface == null else Tracking.LOST
	if not pose.has_tracking_data or pose.tracking_confidence == XRPose.XR_TRACKING_CONFIDENCE_NONE:
		return Tracking.LOST
	return Tracking.GUESSED if pose.tracking_confidence == XRPose.XR_TRACKING_CONFIDENCE_LOW else Tracking.TRACKED


# Whether it is found now that it goes in steps, from tick to tick: each takes a frame then, and it seems faster than it is.
func is_stepwise() -> bool:
	return _stills >= STILL_FRAMES and moves


func _look_for_steps(has_ticked: bool) -> void:
	if has_ticked:
		_is_by_ticks = is_moved
	elif is_moved:
		_is_by_ticks = false
		_stills = 0.0
	if _is_by_ticks:
		_stills = maxf(_stills + (-STILL_SHARE if has_ticked else 1.0), 0.0)


# clashd knows it now, as that.
func tell(request: String, number: int) -> void:
	told_name = name
	told_text = request
	definition = number
	_size = drawn.basis.get_scale()
	is_changed = false
	is_refused = false


# The device that its poses are of.
func name_device(as_device: String) -> void:
	if as_device != _told_device or text_head.is_empty():
		_told_device = as_device
		text_head = "{\"device\":%s,\"position\":" % JSON.stringify(as_device)
		text = ""


# clashd does not take it; `now_us`: 0 if it was not asked.
func refuse(now_us: int) -> void:
	is_refused = true
	refused_us = now_us
	is_changed = false


# clashd is to be sent it again, whatever it knows.
func define_again() -> void:
	told_text = ""
	definition = 0 # its refusal, which may be on its way, is of no concern
	is_changed = true
