# The opponent: attacks, parries and staggers by a script, with chance from a seed. Its sword and body are clashd's by the addon; what
# comes of them the dojo tells it.
extends Node3D

signal attacks
signal swings(at: Vector3)

enum Phase { REST, GUARD, WINDUP, STRIKE, RECOVER, PARRY, STAGGER, FALLEN }

const Armour := preload("armour.gd")
const STRIKE_S := 0.17
const WINDUP_S := 0.62
const RANGE_M := 1.72 # between the two, when nobody attacks
const LUNGE_M := 0.42
const PARRY_SPEED := 3.0 # of the player's tip, m/s
## From the grip and the way of the blade before a stroke to those at its end, in its own space, where it faces -z.
const STROKES := {
	&"overhead": [Vector3(0.12, 1.72, -0.22), Vector3(0.05, 0.75, 0.6), Vector3(0, 1.12, -0.55), Vector3(0, -0.1, -1)],
	&"right": [Vector3(0.36, 1.45, -0.2), Vector3(0.75, 0.6, 0.15), Vector3(-0.22, 1.08, -0.5), Vector3(-0.45, 0.0, -0.9)],
	&"left": [Vector3(-0.34, 1.45, -0.2), Vector3(-0.75, 0.6, 0.15), Vector3(0.24, 1.08, -0.5), Vector3(0.45, 0.0, -0.9)],
	&"thrust": [Vector3(0.16, 1.12, -0.12), Vector3(-0.08, 0.12, -1), Vector3(0.02, 1.26, -0.72), Vector3(-0.02, 0.05, -1)]}
const GUARD := [Vector3(0.04, 1.0, -0.4), Vector3(-0.06, 0.5, -0.85)]
const REST := [Vector3(0.3, 0.86, -0.2), Vector3(0.12, -0.62, -0.75)]
const PARRIES := {
	&"high": [Vector3(0.4, 1.5, -0.5), Vector3(-0.95, 0.22, -0.2)],
	&"right": [Vector3(0.34, 1.02, -0.5), Vector3(0.12, 0.96, -0.3)],
	&"left": [Vector3(-0.3, 1.02, -0.5), Vector3(-0.12, 0.96, -0.3)]}

var phase := Phase.REST
var skill := 0.55 # how often it parries

var _dice := RandomNumberGenerator.new()
var _left_s := 0.0 # of the phase
var _from: Array[Vector3] = []
var _to: Array[Vector3] = []
var _way_s := 1.0
var _age_s := 0.0
var _lunge := 0.0
var _sink := 0.0
var _looked_s := 0.0
var _stroke := &"overhead"
var _time_s := 0.0

@onready var sword: Node3D = $Sword
@onready var armour: Armour = $Armour


func _ready() -> void:
	_from.assign(REST)
	_to.assign(REST)


func begin(chance: int) -> void:
	_dice.seed = chance
	_sink = 0.0
	_enter(Phase.GUARD, GUARD, 0.6, 1.4)


func rest() -> void:
	_enter(Phase.REST, REST, 0.8, 0.0)


## Its sword met the player's.
func was_met() -> void:
	if phase == Phase.STRIKE or phase == Phase.WINDUP:
		var back: Array = STROKES[_stroke]
		_enter(Phase.STAGGER, [back[0] + Vector3(0, -0.12, 0.12), back[1]], 0.2, 0.9)
	elif phase == Phase.PARRY:
		_left_s = minf(_left_s, 0.15)


func was_hit(is_last: bool) -> void:
	armour.flash()
	if is_last:
		_enter(Phase.FALLEN, [Vector3(0.32, 0.72, -0.35), Vector3(0.35, -0.5, -0.8)], 0.7, 0.0)
	else:
		_enter(Phase.STAGGER, [Vector3(0.3, 1.1, -0.15), Vector3(0.5, 0.5, -0.5)], 0.2, 0.8)


## Once a frame: where the player is, and the player's sword.
func act(delta: float, player: Vector3, blade: Node3D) -> void:
	_time_s += delta
	_age_s += delta
	_left_s -= delta
	if phase != Phase.FALLEN and phase != Phase.REST:
		_face(player, delta)
	match phase:
		Phase.GUARD:
			_look(delta, blade)
			if phase == Phase.GUARD and _left_s <= 0.0:
				_begin_stroke()
		Phase.WINDUP:
			if _left_s <= 0.0:
				_enter(Phase.STRIKE, STROKES[_stroke].slice(2), STRIKE_S, STRIKE_S + 0.12)
				swings.emit(sword.tip())
		Phase.STRIKE:
			if _left_s <= 0.0:
				_enter(Phase.RECOVER, GUARD, 0.5, 0.5)
		Phase.RECOVER, Phase.PARRY, Phase.STAGGER:
			if _left_s <= 0.0:
				_enter(Phase.GUARD, GUARD, 0.3, _dice.randf_range(0.5, 1.4))
	_draw(delta)


func _begin_stroke() -> void:
	_stroke = STROKES.keys()[_dice.randi_range(0, STROKES.size() - 1)]
	_enter(Phase.WINDUP, STROKES[_stroke].slice(0, 2), WINDUP_S * 0.8, WINDUP_S)
	attacks.emit()


# Parries a sword that comes fast, if it sees it coming: it looks some times a second.
func _look(delta: float, blade: Node3D) -> void:
	_looked_s -= delta
	if _looked_s > 0.0 or blade.tip_speed < PARRY_SPEED:
		return
	_looked_s = 0.35
	if _dice.randf() > skill:
		return
	var at := to_local(blade.tip())
	var side := &"high" if at.y > 1.5 else &"right" if at.x > 0.0 else &"left"
	_enter(Phase.PARRY, PARRIES[side], 0.11, 0.55)


func _enter(next: Phase, to: Array, way_s: float, left_s: float) -> void:
	_from = [_grip(), _way()]
	_to.assign(to)
	_way_s = way_s
	_age_s = 0.0
	_left_s = left_s
	phase = next


func _face(player: Vector3, delta: float) -> void:
	var way := Vector3(player.x - position.x, 0, player.z - position.z)
	rotation.y = lerp_angle(rotation.y, atan2(-way.x, -way.z), 1.0 - exp(-6.0 * delta))
	var missing := way.length() - RANGE_M
	var step := clampf(missing, -0.8 * delta, 1.1 * delta) if absf(missing) > 0.08 else 0.0
	position += way.normalized() * step
	position = position.clamp(Vector3(-1.6, 0, -2.0), Vector3(1.6, 0, 2.0))


func _share() -> float:
	var share := clampf(_age_s / _way_s, 0.0, 1.0)
	return share * share if phase == Phase.STRIKE else smoothstep(0.0, 1.0, share) # a stroke ends at its fastest


func _grip() -> Vector3:
	return _from[0].lerp(_to[0], _share())


func _way() -> Vector3:
	var from := _from[1].normalized()
	var to := _to[1].normalized()
	return from.slerp(to, _share()) if absf(from.dot(to)) < 0.9999 else to


func _draw(delta: float) -> void:
	var lunges := phase == Phase.STRIKE or (phase == Phase.RECOVER and _age_s < 0.15)
	_lunge = lerpf(_lunge, LUNGE_M if lunges else 0.0, 1.0 - exp((-14.0 if lunges else -5.0) * delta))
	_sink = lerpf(_sink, 0.42 if phase == Phase.FALLEN else 0.0, 1.0 - exp(-4.0 * delta))
	var sway := Vector3(0.012 * sin(1.3 * _time_s), 0.012 * sin(2.1 * _time_s) - _sink, -_lunge)
	var way := _way()
	sword.transform = Transform3D(Basis.looking_at(way, Vector3.UP if absf(way.y) < 0.95 else Vector3.BACK), _grip() + sway)
	armour.pose(sway, sword.transform, clampf((_age_s / WINDUP_S) if phase == Phase.WINDUP else 0.0, 0.0, 1.0),
			phase == Phase.STAGGER or phase == Phase.FALLEN)
