# A game in OpenXR with a sword in each hand, each a ClashdBlade and nothing else. Prints, as JSON, what it draws in each frame and
# each clash. Words after --: HOST PORT TOKEN_FILE, the pose that the swords follow (grip, aim), and what is done to the world:
# plain, scale:2, moved, moving, under (Clashd below the origin), recentre, snap, losses; or layer, for swords that are none of clashd's: an
# API layer feeds the hands.
extends Node3D

const Blade := preload("res://addons/clashd/blade.gd")
const Clashd := preload("res://addons/clashd/clashd.gd")
const WAIT_MS := 200.0 # a machine that draws with its processors may be busy; how long it was is printed
const TURN_S := 1.5 # between two snap turns or recentrings

var clashd: Node3D
var origin := XROrigin3D.new()
var swords: Array[Node3D] = []
var what := ""
var since_turn_s := 0.0
var jumped := false
var turns := 0
var asked := 0 # of clashd whether it has had all that the layer sent
var looks_again := false


# Prints when all else of the frame is done, the Clashd node's work included.
class Printer extends Node:
	func _process(_delta: float) -> void:
		get_parent().print_frame()


func _ready() -> void:
	var words := OS.get_cmdline_user_args()
	var xr := XRServer.find_interface("OpenXR")
	if xr == null or not xr.is_initialized():
		print(JSON.stringify({"problem": "OpenXR did not start"}))
		get_tree().quit(1)
		return
	get_viewport().use_xr = true
	what = words[4]
	_add_clashd(words)
	_add_hands(words[3])
	var printer := Printer.new()
	printer.process_priority = 2000
	add_child(printer)


func _add_clashd(words: PackedStringArray) -> void:
	clashd = Clashd.new()
	clashd.host = words[0]
	clashd.port = int(words[1])
	clashd.token_file = words[2]
	clashd.wait_ms = WAIT_MS
	if what != "layer":
		clashd.position = Vector3(3, 1, -2)
		clashd.rotation = Vector3(0.1, 0.7, 0)
	clashd.clash.connect(_on_clash)
	clashd.problem.connect(func(message: String) -> void: print(JSON.stringify({"problem": message})))
	clashd.connected.connect(func(hello: Dictionary) -> void: print(JSON.stringify({"connected": hello.session})))
	(origin if what in ["under", "layer"] else self).add_child(clashd)


func _add_hands(pose: String) -> void:
	add_child(origin)
	origin.add_child(XRCamera3D.new())
	if what.begins_with("scale:"):
		origin.world_scale = float(what.trim_prefix("scale:"))
	for tracker: StringName in [&"left_hand", &"right_hand"]:
		var hand := XRController3D.new()
		hand.tracker = tracker
		hand.pose = pose
		var sword: Node3D = Node3D.new() if what == "layer" else Blade.new()
		if what != "layer":
			_make_blade(sword, "left" if tracker == &"left_hand" else "right")
		hand.add_child(sword)
		origin.add_child(hand)
		swords.append(sword)


func _make_blade(sword: Node3D, called: String) -> void:
	sword.blade_name = called
	sword.hilt = Vector3(0, 0, -0.05)
	sword.tip = Vector3(0, 0, -1.0)
	sword.radius = 0.015
	sword.scale = Vector3.ONE * origin.world_scale # a sword for the giant's hand, or the dwarf's
	sword.clashd = clashd


func _process(delta: float) -> void:
	since_turn_s += delta
	jumped = since_turn_s > TURN_S and what in ["snap", "recentre"]
	if jumped:
		since_turn_s = 0.0
	if what == "moved" or what == "moving":
		var at := Time.get_ticks_usec() * 1e-6 if what == "moving" else 1.0
		origin.position = Vector3(5.0 * sin(at), 0.5, 2.0 * cos(0.7 * at))
		origin.rotation.y = at
	elif jumped and what == "snap":
		origin.rotate_y(PI / 4.0)
		clashd.teleport()
	elif jumped:
		turns += 1
		if turns % 2 == 1:
			XRServer.center_on_hmd(XRServer.RESET_FULL_ROTATION, false)
		else:
			XRServer.clear_reference_frame()
	if FileAccess.file_exists("/run/user/stop"):
		get_tree().quit()


# A game in which a layer feeds the hands waits for nobody; a game's logic takes longer than this one's, which is none. clashd answers
# in the order in which it was asked: what the layer has sent in this frame is before this.
func _look_again() -> void:
	asked = clashd.ask()
	var since := Time.get_ticks_usec()
	looks_again = true
	while clashd.answers._answered < asked and Time.get_ticks_usec() - since < WAIT_MS * 1000.0:
		OS.delay_usec(50)
		clashd.follow()
	looks_again = false
	clashd.answers.waited_us = Time.get_ticks_usec() - since


func print_frame() -> void:
	if not clashd.is_connected_to_clashd():
		return
	if what == "layer":
		_look_again()
	var drawn := swords.map(func(sword: Node3D) -> Array:
		var at := clashd.global_transform.affine_inverse() * sword.global_transform
		var turn := at.basis.get_rotation_quaternion()
		return [turn.x, turn.y, turn.z, turn.w, at.origin.x, at.origin.y, at.origin.z])
	print(JSON.stringify({"frame": Engine.get_process_frames(), "time_ns": clashd._pusher._last_ns, "jumped": jumped, "waited_us": clashd.waited_us,
			"lost": swords.any(func(sword: Node3D) -> bool: return not sword.get_parent().get_has_tracking_data()),
			"fed": swords.all(func(sword: Node3D) -> bool: return clashd._pusher.carries(sword.blade_name) == sword),
			"swords": drawn}, "", false, true))


func _on_clash(event: Dictionary) -> void:
	var at: Vector3 = event.midpoint
	print(JSON.stringify({"clash": event.seq, "frame": Engine.get_process_frames(), "time_ns": event.time_ns,
			"midpoint": [at.x, at.y, at.z], "distance": event.distance, "blades": event.blades, "looked_again": looks_again}, "", false, true))
