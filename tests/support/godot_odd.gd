# A game that does with the addon's nodes what its example does not. Words after --: what it does, then the socket of each Clashd node.
# The first change is made as soon as the file res://step1 is there, the second with res://step2; it ends with res://stop.
extends SceneTree

const Blade := preload("res://addons/clashd/blade.gd")
const Clashd := preload("res://addons/clashd/clashd.gd")
const TICK_M := 0.1

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
	if words[0] == "felt":
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
	if words[0] in ["freed", "gone"]:
		var post := _make_blade("post") # where the sword is
		world.add_child(post)


func _add_clashd(socket: String) -> void:
	var node := Clashd.new()
	node.transport = Clashd.Transport.UNIX_SOCKET
	node.unix_socket = socket
	node.problem.connect(func(message: String) -> void: print("problem ", message))
	node.connected.connect(func(_hello: Dictionary) -> void: print("connected ", nodes.find(node)))
	node.clash.connect(_on_clash.bind(node))
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


func _on_clash(_event: Dictionary, node: Node3D) -> void:
	print("clash")
	if words[0] == "freed" and is_instance_valid(sword):
		sword.free()
	elif words[0] == "gone":
		world.remove_child(node)
		node.queue_free()


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


# What a hand feels of a clash of so long ago.
func _strike(age_ns: int) -> void:
	var pulses := preload("res://addons/clashd/haptics.gd").new()
	var pusher: RefCounted = nodes[0]._pusher
	var now_ns: int = Time.get_ticks_usec() * 1000 + pusher._offset_ns
	pulses.strike({"blades": ["sword", "post"], "intensity": 0.5, "time_ns": now_ns - age_ns}, pusher, "haptic")
	print("felt ", not pulses._last_us.is_empty())


func _second_step() -> void:
	match words[0]:
		"other":
			sword.free()
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
