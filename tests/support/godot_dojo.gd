# Plays the demo game, the dojo, under Godot's --script: waits until it says that clashd is missing, and then that it is there, begins, swings the
# sword by the mouse, or in a headset lets the controllers do it and press, until somebody has won, and begins again. Takes pictures of each, and prints
# as JSON what was there to see. Words after --: HOST PORT TOKEN_FILE, and a directory for the pictures.
extends SceneTree

const SEEN_SHARE := 0.045 # of the picture's width: how far a spark's light reaches on it
const SEEN_SPEED := 0.8 # m/s: of a clash that makes a good picture
const SLOW_FROM := 0.02
const EYE_SIZE := 0.4 # of what the headset has: processors draw it
const TOO_LONG_S := 300.0

var dojo: Node3D
var clashd: Node3D
var directory := ""
var shot := {} # what a picture of a clash is taken of, and in how many frames
var has_clash := false
var calm: Image # of the duel, before anything has clashed
var swings := false
var view: SubViewport # in a headset
var frames := 0
var sweep := 0.0
var time_s := 0.0


func _initialize() -> void:
	var words := OS.get_cmdline_user_args()
	directory = words[3]
	dojo = load("res://demo/dojo.tscn").instantiate()
	dojo.chance = 5
	dojo.hard = SLOW_FROM
	clashd = dojo.get_node("Clashd")
	clashd.host = words[0]
	clashd.port = int(words[1])
	clashd.token_file = words[2]
	clashd.wait_ms = 50.0
	clashd.clash.connect(_on_clash)
	var xr := XRServer.find_interface("OpenXR")
	if xr != null and xr.is_initialized():
		xr.render_target_size_multiplier = EYE_SIZE
	root.add_child(dojo)
	_play.call_deferred()


func _play() -> void:
	await _until(func() -> bool: return "cannot connect" in dojo.screen.status(), "it says that clashd is missing")
	await _frames(8)
	await _picture("missing", {"status": dojo.screen.status()})
	await _until(func() -> bool: return clashd.is_connected_to_clashd(), "clashd")
	await _frames(8)
	await _picture("title", {"status": dojo.screen.status(), "in_vr": dojo.player.in_vr})
	await _press()
	await _frames(8)
	await _picture("duel", {"state": dojo.state, "things": clashd._pusher._members.size()})
	swings = true
	await _until(func() -> bool: return dojo.state == dojo.State.RESULT, "a result")
	await _frames(20)
	_key(KEY_W, false)
	await _picture("result", {"points": dojo._points, "clashes": dojo.clashes, "hardest": dojo.hardest, "frames": frames})
	await create_timer(1.5, true, false, true).timeout
	await _press()
	print(JSON.stringify({"again": dojo._points, "time_scale": Engine.time_scale}))
	quit()


func _press() -> void:
	if not dojo.player.in_vr: # there the test pulls the trigger when it has read of the picture
		_key(KEY_ENTER, true)
		_key(KEY_ENTER, false)
	await _until(func() -> bool: return dojo.state == dojo.State.DUEL, "the duel")


func _until(done: Callable, what: String) -> void:
	while not done.call():
		if time_s > TOO_LONG_S:
			print(JSON.stringify({"missed": what}))
			quit(1)
		await process_frame


func _frames(count: int) -> void:
	for i in count:
		await process_frame


# The arm comes from either side and from above, and goes nearer.
func _process(delta: float) -> bool:
	frames += 1
	time_s += delta / Engine.time_scale
	if dojo != null and dojo.is_node_ready() and dojo.state == dojo.State.DUEL and swings and not dojo.player.in_vr:
		var event := InputEventMouseMotion.new()
		var size := Vector2(root.size)
		sweep += minf(7.0 * delta / Engine.time_scale, 1.1) # a slow machine sees the sword in few places, but far apart
		event.position = size * Vector2(0.5 + 0.42 * sin(sweep), 0.45 + 0.3 * sin(0.41 * sweep))
		if not has_clash: # through the opponent's sword, which rises to its tip as the player's does
			event.position = size * Vector2(0.5 + 0.35 * signf(sin(sweep)), 0.5)
		Input.parse_input_event(event)
		_key(KEY_W, has_clash)
	if not shot.is_empty():
		shot.frames -= 1
		if shot.frames == 0:
			_take_clash(shot)
			shot = {}
	return false


func _key(key: Key, pressed: bool) -> void:
	var event := InputEventKey.new()
	event.keycode = key
	event.physical_keycode = key
	event.pressed = pressed
	Input.parse_input_event(event)


# The first one that is hard enough to see.
func _on_clash(event: Dictionary) -> void:
	if dojo.state != dojo.State.DUEL or event.has("target") or has_clash or not "opponent's sword" in event.blades:
		return
	if event.closing_speed < SEEN_SPEED or calm == null:
		return
	has_clash = true
	shot = {"frames": 1, "at": clashd.to_global(event.midpoint), "intensity": event.intensity, "closing_speed": event.closing_speed}


# What the player sees. What a headset draws cannot be had, so there it is drawn once more.
func _eyes() -> Camera3D:
	if not dojo.player.in_vr:
		return dojo.player.camera
	if view == null:
		view = SubViewport.new()
		view.size = Vector2i(640, 360)
		view.world_3d = root.world_3d
		view.render_target_update_mode = SubViewport.UPDATE_DISABLED
		view.add_child(Camera3D.new())
		root.add_child(view)
	var camera: Camera3D = view.get_child(0)
	camera.global_transform = dojo.player.eyes().global_transform
	camera.current = true
	return camera


func _take_clash(clash: Dictionary) -> void:
	dojo.hard = 2.0
	var eyes := _eyes()
	var at: Vector2 = eyes.unproject_position(clash.at)
	var spot: Node3D = dojo.get_node("Sparks").get_child(-1)
	await _picture("clash", {"intensity": clash.intensity, "closing_speed": clash.closing_speed, "time_scale": Engine.time_scale,
			"spark_off_m": spot.global_position.distance_to(clash.at), "seen": not eyes.is_position_behind(clash.at)}, at)


# `at`: around where on the picture is counted how much is as bright as fire; and, to compare, on the other side of its middle.
func _picture(name: String, facts: Dictionary, at := Vector2.INF) -> void:
	var port: Viewport = root
	if dojo.player.in_vr:
		_eyes()
		port = view
		view.render_target_update_mode = SubViewport.UPDATE_ONCE
	await RenderingServer.frame_post_draw
	var image := port.get_texture().get_image()
	facts.picture = name
	facts.size = [image.get_width(), image.get_height()]
	if at != Vector2.INF:
		var scale := image.get_width() / port.get_visible_rect().size.x
		facts.at = [at.x * scale, at.y * scale]
		facts.fire = _fire(image, at * scale)
		facts.elsewhere = _fire(image, Vector2(image.get_width(), image.get_height()) - at * scale)
	elif name == "duel":
		calm = image
	image.save_png(directory.path_join(name + ".png"))
	print(JSON.stringify(facts))


# How many pixels around there are bright, and brighter than before.
func _fire(image: Image, at: Vector2) -> int:
	var count := 0
	var reach := SEEN_SHARE * image.get_width()
	for y in range(maxi(0, int(at.y - reach)), mini(image.get_height(), int(at.y + reach))):
		for x in range(maxi(0, int(at.x - reach)), mini(image.get_width(), int(at.x + reach))):
			var color := image.get_pixel(x, y)
			if color.r > 0.75 and color.g > 0.45 and color.g > calm.get_pixel(x, y).g + 0.2:
				count += 1
	return count
