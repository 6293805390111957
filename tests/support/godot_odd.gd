# A game that does with the addon's nodes what its example does not. Words after --: what it does, then the socket of each Clashd node.
# The first change is made as soon as the file res://step1 is there, the second with res://step2; it ends with res://stop.
extends SceneTree

const Blade := preload("res://addons/clashd/blade.gd")
const Clashd := preload("res://addons/clashd/clashd.gd")
const Target := preload("res://addons/clashd/target.gd")
const TICK_M := 0.1
const SWING_FRAMES := 16 # from one side of the post to the other
const LOSS_FRAMES := 8
const CYCLES := 4

var words := OS.get_cmdline_user_args()
var world := Node3D.new()
var nodes: Array[Node3D] = []
var sword: Node3D
var dagger: Node3D
var enemy: Node3D
var below: Timer # of the Clashd node
var picture: Node3D
var ahead_m := 0.0
var steps := 0
var ticks := 0
var arms: Array[Node3D] = []
var holder: Node3D # of the sword
var frames := 0
var waits := 0
var stopped_ms := 0
var tracker := XRPositionalTracker.new()
var losses: Array[Callable] = [] # what the hand does in each frame from now on


func _initialize() -> void:
	Engine.max_fps = 60
	for socket in words.slice(1):
		_add_clashd(socket)
	sword = _make_blade("sword")
	sword.hand = Blade.Hand.RIGHT
	if words[0] == "carrier":
		dagger = _make_blade("dagger")
		dagger.hand = Blade.Hand.RIGHT
		dagger.position = Vector3(0, 0, 5)
	if words[0] == "later":
		sword.clashd = null
	if words[0] in ["felt", "losses"]:
		sword.hand = Blade.Hand.AUTO
		var arm := XRController3D.new()
		arm.tracker = &"right_hand"
		world.add_child(arm)
		arm.add_child(sword)
	if words[0] in ["interpolated", "paused_between", "ticks"]:
		physics_interpolation = words[0] != "ticks"
		Engine.physics_ticks_per_second = 10
	if sword.get_parent() == null:
		world.add_child(sword)
	if dagger != null:
		world.add_child(dagger)
	root.add_child(world)
	if words[0] == "picture":
		_add_picture()
	if words[0] in ["change", "again"]:
		_outlive_scenes()
	if words[0] in ["paused", "paused_itself", "paused_above"]:
		_add_what_pauses()
	if words[0] == "losses":
		_plan_losses()
	if words[0] == "ignites":
		_plan_ignitions()
	if words[0] == "two":
		_share_a_duel()
	if words[0] == "jumps":
		_plan_jumps()
	if words[0] == "swap":
		dagger = _make_blade("left")
		dagger.hand = Blade.Hand.LEFT
		sword.blade_name = "right"
		world.add_child(dagger)
	if words[0] == "rename":
		_add_wall()
	if words[0] == "carry":
		_add_arms()
	if words[0] in ["freed", "gone", "losses", "ignites", "two", "jumps"]:
		var post := _make_blade("post") # where the sword is
		if words[0] in ["losses", "ignites", "two", "jumps"]:
			post.hilt = Vector3(0, -1, -0.5)
			post.tip = Vector3(0, 1, -0.5)
			post.clashd = nodes[-1]
		world.add_child(post)


# The hand swings through the post, and three times comes back to the other side of it without a stroke: its tracking is lost meanwhile; it jumps in a frame,
# from far away so that even a slow frame is too short for it; the runtime repeats its last pose and marks it as a guess.
func _plan_losses() -> void:
	tracker.name = &"right_hand"
	tracker.type = XRServer.TRACKER_CONTROLLER
	XRServer.add_tracker(tracker)
	_place_hand(-0.75)
	for cycle in CYCLES:
		_plan_swing()
		for i in LOSS_FRAMES:
			losses.append(tracker.invalidate_pose.bind(&"default"))
		_plan_swing()
		for x: float in [20.0, -20.0]:
			losses.append(_place_hand.bind(x))
		_plan_swing()
		for i in LOSS_FRAMES:
			losses.append(_place_hand.bind(0.75, XRPose.XR_TRACKING_CONFIDENCE_LOW))


func _plan_swing() -> void:
	for i in SWING_FRAMES:
		losses.append(_place_hand.bind(lerpf(-0.75, 0.75, float(i) / (SWING_FRAMES - 1))))


# The sword is off, grows while it swings through the post, and is off again.
func _plan_ignitions() -> void:
	_swing_growing(0.0)
	for cycle in CYCLES:
		for i in SWING_FRAMES:
			losses.append(_swing_growing.bind(float(i) / (SWING_FRAMES - 1)))
		losses.append(_swing_growing.bind(0.0))


func _swing_growing(part: float) -> void:
	if part == 0.0:
		sword.teleport()
	sword.position.x = lerpf(-0.75, 0.75, part)
	sword.tip.z = lerpf(-0.05, -1.0, part)


# The sword is one Clashd node's, the post the other's.
func _share_a_duel() -> void:
	_move_sword(-0.75)
	for node in nodes:
		node.wait_ms = 500.0
	for cycle in CYCLES:
		for i in SWING_FRAMES:
			var part := float(i) / (SWING_FRAMES - 1)
			losses.append(_move_sword.bind(lerpf(-0.75, 0.75, part if cycle % 2 == 0 else 1.0 - part)))


# The sword comes to the post and touches it while the player jumps again and again.
func _plan_jumps() -> void:
	_move_sword(-0.75)
	for i in SWING_FRAMES:
		losses.append(_move_sword.bind(lerpf(-0.75, 0.0, float(i) / (SWING_FRAMES - 1))))
	for jump in 5:
		losses.append(nodes[0].teleport)
		for i in LOSS_FRAMES:
			losses.append(_move_sword.bind(0.001 * i))


func _move_sword(x: float) -> void:
	sword.position.x = x


# The sword in the left hand, and the right one 5 m behind.
func _add_arms() -> void:
	for hand: StringName in [&"left_hand", &"right_hand"]:
		var arm := XRController3D.new()
		arm.tracker = hand
		arm.position.z = 5.0 * arms.size()
		arms.append(arm)
		world.add_child(arm)
	holder = Node3D.new()
	holder.position = Vector3(0, 0, 0.25)
	sword.hand = Blade.Hand.AUTO
	sword.reparent(holder, false)
	arms[0].add_child(holder)


func _add_wall() -> void:
	var wall := Target.new()
	wall.target_name = "wall"
	wall.shape = BoxShape3D.new()
	wall.clashd = nodes[0]
	wall.position.x = 50
	wall.name = "Wall"
	world.add_child(wall)


func _place_hand(x: float, confidence := XRPose.XR_TRACKING_CONFIDENCE_HIGH) -> void:
	tracker.set_pose(&"default", Transform3D(Basis.IDENTITY, Vector3(x, 0, 0)), Vector3.ZERO, Vector3.ZERO, confidence)


func _add_clashd(socket: String) -> void:
	var node := Clashd.new()
	node.transport = Clashd.Transport.UNIX_SOCKET
	node.unix_socket = socket
	node.problem.connect(func(message: String) -> void: print("problem ", message))
	node.connected.connect(func(_hello: Dictionary) -> void: print("connected ", nodes.find(node)))
	node.clash.connect(_on_clash.bind(node))
	node.hold.connect(_on_hold)
	if words[0] in ["paused_itself", "paused_above"]:
		node.max_age_s = 0.0 # what happens in a pause is told after it
	nodes.append(node)
	if words[0] != "later":
		world.add_child(node)


# Something of the game's own below the Clashd node, the example beside it, and a process_mode that the game sets.
func _add_what_pauses() -> void:
	below = Timer.new()
	below.wait_time = 0.02
	below.autostart = true
	below.timeout.connect(func() -> void: ticks += 1)
	nodes[0].add_child(below)
	var sparks: Node3D = load("res://addons/clashd/example/sparks.tscn").instantiate()
	var its_own: Node3D = sparks.get_node("Clashd")
	its_own.transport = Clashd.Transport.UNIX_SOCKET
	its_own.unix_socket = words[1]
	root.add_child(sparks)
	its_own.clash.connect(func(_event: Dictionary) -> void: _count_sparks.call_deferred())
	if words[0] == "paused_itself":
		nodes[0].process_mode = Node.PROCESS_MODE_PAUSABLE
	elif words[0] == "paused_above":
		world.process_mode = Node.PROCESS_MODE_PAUSABLE


# Its sword comes near and goes back again as is said by ahead_m.
func _add_picture() -> void:
	picture = preload("res://addons/clashd/picture.gd").new()
	nodes[0].resolved_poses = true
	sword.add_child(picture)
	ahead_m = -1.0


func _count_sparks() -> void:
	print("sparks ", get_nodes_in_group("sparks").size())


# The Clashd node is where an autoload is, and the world is a scene.
func _outlive_scenes() -> void:
	nodes[0].reparent.call_deferred(root)
	enemy = _make_blade("enemy")
	enemy.position.x = 3
	world.add_child(enemy)
	set_deferred("current_scene", world)


# Another scene with blades of the same names elsewhere.
func _change_scene() -> void:
	var other := Node3D.new()
	for called: String in ["sword", "enemy"]:
		var blade := _make_blade(called)
		blade.clashd = null
		blade.hand = Blade.Hand.RIGHT if called == "sword" else Blade.Hand.NONE
		blade.position = Vector3(0 if called == "sword" else 3, 0, 5)
		other.add_child(blade)
		blade.owner = other
	var scene := PackedScene.new()
	scene.pack(other)
	other.free()
	change_scene_to_packed(scene)


func _make_blade(called: String) -> Node3D:
	var blade := Blade.new()
	blade.blade_name = called
	blade.clashd = nodes[0]
	return blade


func _on_clash(event: Dictionary, node: Node3D) -> void:
	if words[0] == "two":
		print("heard %d %d" % [event.seq, Engine.get_process_frames()])
	else:
		print("clash")
	if words[0] == "freed" and is_instance_valid(sword):
		sword.free()
	elif words[0] == "gone":
		world.remove_child(node)
		node.queue_free()


func _on_hold(event: Dictionary) -> void:
	if event.get("was_touching", false):
		print("touching ", event.type, " ", event.age_s < 0.5)


# How many frames have waited for clashd, of all since the first step.
func _count_waits() -> void:
	frames += 1
	if nodes[0].waited_us > 0:
		waits += 1
	if frames == 200:
		print("waited in %d of 200 frames, in %d ms" % [waits, Time.get_ticks_msec() - stopped_ms])
	if steps == 2 and nodes[0].waited_us > 0 and nodes[0].answers._misses == 0:
		print("waits again")


func _first_step() -> void:
	match words[0]:
		"hand":
			sword.hand = Blade.Hand.LEFT
		"none":
			sword.hand = Blade.Hand.NONE
		"other":
			sword.clashd = nodes[1]
		"later":
			world.add_child(nodes[0])
		"grows":
			sword.scale = Vector3.ONE * 2.0
		"longer":
			sword.tip = Vector3(0, 0, -3)
		"carrier":
			sword.free()
		"felt":
			_strike(0)
			_strike(1000000000)
		"change":
			_change_scene()
		"again":
			root.remove_child(world)
			sword.position.z = 5
			enemy.position.z = 5
			root.add_child(world)
		"paused", "paused_itself", "paused_above", "paused_between":
			paused = true
			ticks = 0
		"picture":
			ahead_m = 0.0
		"still":
			Engine.time_scale = 0.0
		"scene":
			root.remove_child(world)
		"stopped":
			stopped_ms = Time.get_ticks_msec()
		"stalls":
			print("stalls")
			while not FileAccess.file_exists("res://wake"):
				OS.delay_msec(20)
		"rename":
			sword.blade_name = "blade"
			world.get_node("Wall").target_name = "rampart"
		"sheathed":
			sword.enabled = false
		"carry":
			Blade.attach(holder, arms[1], Transform3D(Basis.IDENTITY, Vector3(0, 0, 0.5)))
		"swap":
			sword.hand = Blade.Hand.LEFT
			dagger.hand = Blade.Hand.RIGHT


# What a hand feels of a clash of so long ago.
func _strike(age_ns: int) -> void:
	var pulses := preload("res://addons/clashd/haptics.gd").new()
	var pusher: RefCounted = nodes[0]._pusher
	var age_s: float = pusher.clock.age_ns(pusher.clock.now_ns() - age_ns) / 1e9
	pulses.strike({"blades": ["sword", "post"], "intensity": 0.5, "age_s": age_s}, pusher, "haptic")
	print("felt ", not pulses._last_us.is_empty())


func _second_step() -> void:
	match words[0]:
		"other":
			sword.free()
		"sheathed":
			sword.enabled = true
			sword.collision_layer = 2
			sword.collision_mask = -2
		"carry":
			Blade.detach(holder, world)
		"swap": # of names
			sword.blade_name = "left"
			dagger.blade_name = "right"
		"paused", "paused_itself", "paused_above":
			print("below ", ticks)
			paused = false
		"felt":
			nodes[0].connected.connect(func(_hello: Dictionary) -> void: _strike(1000000000))
			nodes[0]._end("again")
		"picture":
			paused = true
			ahead_m = -1.0
		"scene":
			root.add_child(world)


func _physics_process(_delta: float) -> bool:
	if words[0] in ["interpolated", "paused_between", "ticks"] and not paused:
		ticks += 1
		sword.position.x = TICK_M * ticks
	return false


func _process(_delta: float) -> bool:
	if words[0] == "stopped" and steps > 0:
		_count_waits()
	if steps == 1 and not losses.is_empty():
		losses.pop_front().call()
		if losses.is_empty():
			print("all")
	if words[0] == "picture":
		sword.position.z = move_toward(sword.position.z, -ahead_m, 0.02)
		print("aside" if picture.position != Vector3.ZERO else "at rest", " in a pause" if paused else "")
	if FileAccess.file_exists("res://step%d" % (steps + 1)):
		steps += 1
		if steps == 1:
			_first_step()
		else:
			_second_step()
		print("step ", steps)
	return FileAccess.file_exists("res://stop")
