# A duel: the title, the fight, the result. All that touches, blades and bodies, is clashd's to find, by the addon's nodes in the scene;
# here it becomes points, sparks, sound, pulses and slow motion.
extends Node3D

enum State { TITLE, DUEL, RESULT }

const POINTS := 3
const SLOW := 0.18
const SLOW_MS := 420
const HURTS := 1.2 # m/s at which a blade has to strike a body
const MERCY_MS := 900 # after a hit there is no other
const BLOCKED_MS := 280 # nor by a blade that was just stopped
const RESULT_MS := 1200 # before a press begins anew
const PLAYERS_PLACE := Transform3D(Basis.IDENTITY, Vector3(0, 0, 1.0))
const BOARD_SIZE := Vector2(2.88, 1.62)
const BOARD_PLACE := Vector3(-0.55, 1.75, -1.7) # its left half, with the title, beside the opponent
const BOARD_PIXELS := Vector2i(880, 495)

## What the opponent does by chance; 0: another duel each time.
@export var chance := 0
## Intensity of a clash from which time slows down.
@export_range(0.0, 1.0, 0.01) var hard := 0.3

var state := State.TITLE
var clashes := 0
var hardest := 0.0 # m/s

var _points := {&"player": POINTS, &"opponent": POINTS}
var _slow_until_ms := 0
var _mercy_until_ms := 0
var _blocked_until_ms := 0
var _since_ms := 0 # the state
var _turn := 0.0 # of the camera at the title

@onready var clashd: Node3D = $Clashd
@onready var player: Node3D = $Player
@onready var opponent: Node3D = $Opponent
@onready var screen: Control = $Board/Screen
@onready var _sparks: Node3D = $Sparks
@onready var _sounds: Node3D = $Sounds
@onready var _stand: Camera3D = $Stand


func _ready() -> void:
	opponent.sword.blade.blade_name = "opponent's sword"
	clashd.clash.connect(_on_clash)
	clashd.connected.connect(_on_connected)
	clashd.disconnected.connect(_on_disconnected)
	clashd.problem.connect(func(message: String) -> void: screen.show_status(message, true))
	opponent.swings.connect(func(at: Vector3) -> void: _sounds.play(&"swish", at, 0.6, 0.9))
	for hand: XRController3D in player.hands():
		hand.button_pressed.connect(_on_button)
	_place_board()
	screen.show_status("Looking for clashd ...", false)
	_show_title()


func _process(delta: float) -> void:
	var now := Time.get_ticks_msec()
	var is_slow := now < _slow_until_ms
	Engine.time_scale = lerpf(Engine.time_scale, SLOW if is_slow else 1.0, 0.6 if is_slow else 0.25)
	player.act(delta / Engine.time_scale, opponent.position)
	opponent.act(delta, player.place(), player.sword)
	if state != State.DUEL:
		_turn += delta * 0.2
		var angle := 0.25 + 0.45 * sin(_turn)
		var middle: Vector3 = opponent.position + Vector3(0, 1.15, 0)
		_stand.position = middle + Vector3(2.6 * sin(angle), 0.2, 2.6 * cos(angle))
		_stand.look_at(middle)
	if Engine.time_scale > 0.98:
		Engine.time_scale = 1.0


func _exit_tree() -> void:
	Engine.time_scale = 1.0


func _unhandled_input(event: InputEvent) -> void:
	if event.is_action_pressed("ui_accept") or (event is InputEventMouseButton and event.pressed):
		_press()
	elif event.is_action_pressed("ui_cancel"):
		if state == State.TITLE:
			get_tree().quit()
		else:
			_show_title()


func _on_button(button: String) -> void:
	if button == "trigger_click" or button == "ax_button":
		_press()


# At the title or the result: the next duel, if there is somebody to judge it.
func _press() -> void:
	if state == State.DUEL or not clashd.is_connected_to_clashd():
		return
	if state == State.TITLE or Time.get_ticks_msec() - _since_ms > RESULT_MS:
		_begin()


func _enter(next: State) -> void:
	state = next
	_since_ms = Time.get_ticks_msec()
	player.is_ready = next == State.DUEL
	player.sword.visible = next == State.DUEL or player.in_vr
	if not player.in_vr:
		(player.camera if next == State.DUEL else _stand).current = true
		Input.mouse_mode = Input.MOUSE_MODE_CONFINED_HIDDEN if next == State.DUEL else Input.MOUSE_MODE_VISIBLE


func _show_title() -> void:
	_enter(State.TITLE)
	opponent.rest()
	screen.show_points(0, 0, 0)
	var how := "Pull the trigger" if player.in_vr else "Mouse: your sword\nButton held: thrust\nW A S D: steps\n\nPress Enter or click"
	screen.show_title("DOJO", how + " to begin")


func _begin() -> void:
	_points = {&"player": POINTS, &"opponent": POINTS}
	clashes = 0
	hardest = 0.0
	_enter(State.DUEL)
	player.stand(PLAYERS_PLACE)
	opponent.begin(chance if chance != 0 else int(Time.get_unix_time_from_system()))
	screen.show_title("", "")
	screen.show_points(POINTS, POINTS, POINTS)
	screen.call_out("Hajime!", Color.WHITE)
	_sounds.play(&"gong", opponent.position + Vector3(0, 1.5, -2), 1.0, 1.0)


func _end(player_won: bool) -> void:
	_enter(State.RESULT)
	if not player_won:
		opponent.rest()
	var words := "%d to %d\n%d clashes\nthe hardest at %.1f m/s\n\n" % [POINTS - _points[&"opponent"], POINTS - _points[&"player"], clashes, hardest]
	screen.show_title("VICTORY" if player_won else "DEFEAT", words + ("Pull the trigger" if player.in_vr else "Press Enter or click") + " to fight again")
	_sounds.play(&"gong", opponent.position + Vector3(0, 1.5, 0), 1.0, 1.25 if player_won else 0.75)


func _on_connected(hello: Dictionary) -> void:
	screen.show_status("clashd %s is there" % hello.get("version", ""), false)
	get_tree().create_timer(3.0, true, false, true).timeout.connect(func() -> void:
		if clashd.is_connected_to_clashd():
			screen.show_status("", false))


func _on_disconnected(reason: String) -> void:
	screen.show_status(reason, true)
	_show_title()


func _on_clash(event: Dictionary) -> void:
	if state != State.DUEL:
		return
	var at: Vector3 = clashd.to_global(event.midpoint)
	if event.has("target"):
		_on_struck(event, at)
	elif "opponent's sword" in event.blades:
		_on_steel(event, at)


func _on_steel(event: Dictionary, at: Vector3) -> void:
	clashes += 1
	hardest = maxf(hardest, event.closing_speed)
	_blocked_until_ms = Time.get_ticks_msec() + BLOCKED_MS
	_sparks.burst(at, clashd.global_basis * (event.normal as Vector3), event.intensity)
	_sounds.play(&"clang", at, 0.3 + 2.0 * event.intensity, 0.75 + 1.4 * event.intensity)
	player.shake(event.intensity * 2.0)
	if opponent.phase == opponent.Phase.STRIKE:
		screen.call_out("Parried!", Color(0.96, 0.8, 0.42))
	elif opponent.phase == opponent.Phase.PARRY:
		screen.call_out("Blocked", Color(0.8, 0.85, 0.95))
	opponent.was_met()
	if event.intensity >= hard:
		Engine.time_scale = SLOW
		_slow_until_ms = Time.get_ticks_msec() + SLOW_MS


# A blade has come to something that is no blade.
func _on_struck(event: Dictionary, at: Vector3) -> void:
	var by: String = event.blades[0]
	var now := Time.get_ticks_msec()
	if event.closing_speed < HURTS or now < _mercy_until_ms or now < _blocked_until_ms:
		return
	var whom := &""
	if by == "opponent's sword" and event.target == "player" and opponent.phase == opponent.Phase.STRIKE:
		whom = &"player"
	elif by.begins_with("player's") and str(event.target).begins_with("opponent"):
		whom = &"opponent"
	if whom.is_empty():
		return
	_mercy_until_ms = now + MERCY_MS
	_points[whom] -= 1
	_sounds.play(&"blow", at, 1.0, 0.9 + event.intensity)
	screen.show_points(_points[&"player"], _points[&"opponent"], POINTS)
	var is_last: bool = _points[whom] == 0
	if whom == &"opponent":
		opponent.was_hit(is_last)
		screen.call_out("Hit!", Color(0.96, 0.8, 0.42))
	else:
		screen.bleed()
		player.shake(1.0)
		player.buzz(1.0)
		screen.call_out("You are hit", Color(0.95, 0.35, 0.3))
	if is_last:
		_end(whom == &"opponent")


# At a desk the screen is the window's; in a headset it hangs in the room.
func _place_board() -> void:
	screen.get_parent().remove_child(screen)
	if not player.in_vr:
		var layer := CanvasLayer.new()
		layer.add_child(screen)
		add_child(layer)
		return
	var view := SubViewport.new()
	view.size = BOARD_PIXELS
	view.transparent_bg = true
	view.add_child(screen)
	var board := MeshInstance3D.new()
	var quad := QuadMesh.new()
	quad.size = BOARD_SIZE
	board.mesh = quad
	board.position = BOARD_PLACE
	var material := StandardMaterial3D.new()
	material.shading_mode = BaseMaterial3D.SHADING_MODE_UNSHADED
	material.transparency = BaseMaterial3D.TRANSPARENCY_ALPHA
	material.albedo_texture = view.get_texture()
	board.material_override = material
	$Board.add_child(view)
	$Board.add_child(board)
