# The player: in a headset by its controllers, a sword in the right hand and a short one in the left; at a desk by the mouse, which points the sword, and W A S D.
extends Node3D

const Sword := preload("sword.tscn")
const STEP_SPEED := 1.7 # m/s
const NEAREST_M := 1.05 # to the opponent
const EYES := Vector3(0, 1.62, 0)

var sword: Node3D
var in_vr := false
var is_ready := false # to fight: else the sword is lowered

var _aim := Vector2(0.25, 0.0) # -1 to 1 from left to right, from top to bottom
var _thrust := 0.0
var _hilt := Vector3(0.2, 1.1, -0.4)
var _tip := Vector3(0.1, 1.3, -1.3)
var _shake := 0.0
var _dice := RandomNumberGenerator.new()

@onready var camera: Camera3D = $Camera
@onready var _origin: XROrigin3D = $Origin
@onready var _head: XRCamera3D = $Origin/Head
@onready var _left: XRController3D = $Origin/Left
@onready var _right: XRController3D = $Origin/Right
@onready var _body: Node3D = $Body


func _exit_tree() -> void:
	if _origin.get_parent() == null:
		_origin.free()


func _ready() -> void:
	var xr := XRServer.find_interface("OpenXR")
	in_vr = xr != null and xr.is_initialized()
	sword = Sword.instantiate()
	sword.get_node("Blade").blade_name = "player's sword"
	if in_vr:
		get_viewport().use_xr = true
		DisplayServer.window_set_vsync_mode(DisplayServer.VSYNC_DISABLED) # the headset sets the pace
		_head.current = true
		_right.add_child(sword)
		var short: Node3D = Sword.instantiate()
		short.get_node("Blade").blade_name = "player's short sword"
		short.scale = Vector3.ONE * 0.6
		_left.add_child(short)
	else:
		remove_child(_origin)
		add_child(sword)


## In a headset; else none.
func hands() -> Array[XRController3D]:
	var found: Array[XRController3D] = [_left, _right]
	if not in_vr:
		found.clear()
	return found


## The camera through which the player sees.
func eyes() -> Camera3D:
	return _head if in_vr else camera


## Where the player stands, on the floor.
func place() -> Vector3:
	var at := eyes().global_position if in_vr else global_position
	return Vector3(at.x, 0, at.z)


func shake(strength: float) -> void:
	_shake = maxf(_shake, strength)


## In front of the opponent again.
func stand(at: Transform3D) -> void:
	global_transform = at
	if in_vr:
		XRServer.center_on_hmd(XRServer.RESET_BUT_KEEP_TILT, true)
	sword.blade.teleport()
	_body.teleport()
	sword.forget()


func buzz(strength: float) -> void:
	if in_vr:
		for hand in hands():
			hand.trigger_haptic_pulse("haptic", 0.0, strength, 0.25, 0.0)


func _unhandled_input(event: InputEvent) -> void:
	if event is InputEventMouseMotion:
		var size := get_viewport().get_visible_rect().size
		_aim = (event.position / size * 2.0 - Vector2.ONE).clampf(-1.0, 1.0)


## Once a frame. The player's time does not slow down.
func act(delta: float, opponent: Vector3) -> void:
	if not in_vr:
		_step(delta, opponent)
		_move_sword(delta)
		_look(delta)
	_body.global_position = place() + Vector3(0, 1.05, 0)


func _step(delta: float, opponent: Vector3) -> void:
	var way := Vector2(_axis(KEY_A, KEY_D), _axis(KEY_W, KEY_S)) if is_ready else Vector2.ZERO
	if way != Vector2.ZERO:
		position += basis * Vector3(way.x, 0, way.y).normalized() * STEP_SPEED * delta
	var off := position - opponent
	if off.length() < NEAREST_M:
		position = opponent + off.normalized() * NEAREST_M
	position = Vector3(clampf(position.x, -1.7, 1.7), 0, clampf(position.z, -2.1, 2.1))
	rotation.y = lerp_angle(rotation.y, atan2(off.x, off.z), 1.0 - exp(-5.0 * delta))


static func _axis(less: Key, more: Key) -> float:
	return float(Input.is_physical_key_pressed(more)) - float(Input.is_physical_key_pressed(less))


# The hilt follows the mouse on a plane before the chest, the blade points to where the mouse is on one farther away.
func _move_sword(delta: float) -> void:
	var thrusts := is_ready and Input.is_mouse_button_pressed(MOUSE_BUTTON_LEFT)
	_thrust = lerpf(_thrust, 0.35 if thrusts else 0.0, 1.0 - exp(-14.0 * delta))
	var hilt := Vector3(0.14 + 0.4 * _aim.x, 1.18 - 0.34 * _aim.y, -0.46 - _thrust)
	var tip := Vector3(1.05 * _aim.x, 1.5 - 0.85 * _aim.y, -1.32 - _thrust)
	if not is_ready:
		hilt = Vector3(0.3, 0.95, -0.42)
		tip = Vector3(0.1, 1.25, -1.3)
	var share := 1.0 - exp(-22.0 * delta)
	_hilt = _hilt.lerp(hilt, share)
	var moved := tip - _tip
	_tip = _tip.lerp(tip, share)
	var way := _tip - _hilt
	# The edge leads: down, and a little to where the stroke goes.
	var back := (Vector3.UP - moved.limit_length(0.8)).normalized()
	var turn := Basis.looking_at(way, back if back.cross(way).length() > 0.05 else Vector3.UP)
	sword.transform = Transform3D(sword.basis.slerp(turn, share).orthonormalized(), _hilt)


func _look(delta: float) -> void:
	_shake = maxf(0.0, _shake - 2.5 * delta)
	camera.position = EYES + Vector3(_dice.randf_range(-1, 1), _dice.randf_range(-1, 1), 0) * 0.02 * _shake
	camera.rotation = Vector3(-0.12 - 0.05 * _aim.y, -0.07 * _aim.x, 0.02 * _shake * _dice.randf_range(-1, 1))
