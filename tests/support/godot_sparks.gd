# Runs the addon's example scene under Godot's --script, and prints what its node and its sparks do, until the file
# res://stop is there. Words after --: tcp HOST PORT TOKEN_FILE, unix PATH, or ws URL TOKEN_FILE; then push, for a post and a
# sword that swings at it, parts, for one that has several, hand, for one in the left hand, shield, for a target in the right one
# that has a sword in the left one turn into it, or a post that is a target: target, moving, mesh, hull, height. The scene is moved, so that a position which was not brought into the world shows.
extends SceneTree

const OFFSET := Vector3(10, 20, 30)

const Blade := preload("res://addons/clashd/blade.gd")
const Part := preload("res://addons/clashd/part.gd")
const Picture := preload("res://addons/clashd/picture.gd")
const Target := preload("res://addons/clashd/target.gd")

var scene: Node3D
var hand: Node3D
var falls := false
var picture: Node3D
var drawn := 0
var tries := 0
var retry_s := 0.0
var shown_devices := {}


func _initialize() -> void:
	var words := OS.get_cmdline_user_args()
	scene = load("res://addons/clashd/example/sparks.tscn").instantiate()
	scene.position = OFFSET
	var node := scene.get_node("Clashd")
	node.max_age_s = 0.0 # on a busy machine, too, every event is told
	if words[0] == "tcp":
		node.host = words[1]
		node.port = int(words[2])
		if words[3].begins_with("token:"):
			node.token = words[3].trim_prefix("token:") + "\n" # as a file has it
		else:
			node.token_file = words[3]
	elif words[0] == "ws":
		node.transport = node.Transport.WEBSOCKET
		node.websocket_url = words[1]
		node.token_file = words[2]
	else:
		node.transport = node.Transport.UNIX_SOCKET
		node.unix_socket = words[1]
	if words[-1] == "shield":
		_add_shield()
		_add_sword(false)
		hand.get_child(0).hand = Blade.Hand.LEFT
	elif words[-1] in ["push", "parts", "hand"]:
		_add_post()
		_add_sword(words[-1] == "parts")
		hand.get_child(0).hand = Blade.Hand.LEFT if words[-1] == "hand" else Blade.Hand.NONE
	elif words[-1] in ["target", "moving", "mesh", "hull", "height"]:
		node.resolved_poses = true
		_add_target(words[-1])
		_add_sword(false)
	scene.ready.connect(_listen.bind(node))
	root.add_child(scene)


# 0.6 m in front.
func _add_post() -> void:
	var post := Blade.new()
	post.blade_name = "post"
	post.position = Vector3(0, 0, -0.6)
	post.tip = Vector3(0, 1.8, 0)
	post.radius = 0.06
	scene.add_child(post)


# A board on the right arm where the post would be, half its size in a hand of twice that, and beside the hand; with a dagger in the
# same hand that stands through it.
func _add_shield() -> void:
	var arm := XRController3D.new()
	arm.tracker = &"right_hand"
	var grip := Node3D.new()
	grip.position = Vector3(0, 1.2, -0.6)
	grip.scale = Vector3.ONE * 2.0
	var body := CollisionShape3D.new()
	body.position = Vector3(0, 0.05, 0)
	body.shape = BoxShape3D.new()
	body.shape.size = Vector3(0.06, 1, 0.2)
	var shield := Target.new()
	shield.target_name = "post"
	var dagger := Blade.new()
	dagger.blade_name = "dagger"
	dagger.position = Vector3(0, 0.3, 0) # above the sword
	dagger.tip = Vector3(0, 0.1, 0)
	scene.add_child(arm)
	arm.add_child(grip)
	grip.add_child(dagger)
	grip.add_child(body)
	body.add_child(shield)


# A post like that, of half size in a body of twice that; or a wall where its surface is, on either side of the hand, as a
# closed mesh; or ground that the sword comes down upon, at a height of 1 m.
func _add_target(kind: String) -> void:
	var body := CollisionShape3D.new()
	var target := Target.new()
	target.target_name = "post"
	target.moves = kind == "moving"
	if kind == "mesh" or kind == "hull":
		var box := BoxMesh.new()
		box.size = Vector3(0.12, 4, 0.4)
		body.shape = box.create_trimesh_shape() if kind == "mesh" else box.create_convex_shape()
		body.position = Vector3(0, 0, -0.6)
	elif kind == "height":
		body.shape = HeightMapShape3D.new()
		body.shape.map_width = 4
		body.shape.map_depth = 3
		body.shape.map_data = PackedFloat32Array([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])
		falls = true
	else:
		body.shape = CapsuleShape3D.new()
		body.shape.height = 0.96
		body.shape.radius = 0.03
		body.position = Vector3(0, 0.9, -0.6)
		body.scale = Vector3.ONE * 2.0
	body.add_child(target)
	scene.add_child(body)


# At 1.2 m, of half size and in a hand of twice that, which turns it about its hilt.
func _add_sword(has_parts: bool) -> void:
	hand = Node3D.new()
	hand.position = Vector3(0, 1.2, 0)
	hand.scale = Vector3.ONE * 2.0
	var sword := Blade.new()
	sword.blade_name = "sword \"1\""
	sword.tip = Vector3(0, 0, -0.5)
	sword.radius = 0.0075
	sword.edge = Vector3(0, -1, 0)
	if has_parts:
		sword.parts = [_part("blade", [Vector3.ZERO, Vector3(0, 0, -0.45), sword.tip], sword.radius),
				_part("guard", [Vector3(-0.05, 0, -0.03), Vector3(0.05, 0, -0.03)], 0.01)]
		sword.tip = Vector3(0, 9, 0) # stands for nothing now
	picture = Picture.new()
	sword.add_child(picture)
	hand.add_child(sword)
	scene.add_child(hand)


func _part(name: String, points: PackedVector3Array, radius: float) -> Part:
	var part := Part.new()
	part.name = name
	part.points = points
	part.radius = radius
	return part


func _listen(node: Node3D) -> void:
	for type in ["hold", "release", "tracking"]:
		node.connect(type, func(event: Dictionary) -> void: print("%s %d" % [type, event.seq]))
	node.clash.connect(_on_clash)
	node.poses.connect(_on_poses.bind(node))
	node.connected.connect(func(hello: Dictionary) -> void: print("connected ", hello.session, " in Godot ", Engine.get_version_info().string))
	node.disconnected.connect(func(reason: String) -> void: print("disconnected ", reason))
	node.problem.connect(func(message: String) -> void: print("problem ", message))


# After the scene's own listener: the last spark is that of this clash.
func _on_clash(event: Dictionary) -> void:
	var sparks := get_nodes_in_group("sparks")
	var at: Vector3 = sparks[-1].global_position - OFFSET if not sparks.is_empty() else Vector3.INF
	print("parts %d %s" % [event.seq, event.get("parts")])
	if event.has("target"):
		var out: Vector3 = event.surface_normal
		var to: Transform3D = event.resolved_pose[0]
		print("struck %d %s %.6f %.6f %.6f %s %.6f %.6f %.6f" % [event.seq, event.target, out.x, out.y, out.z,
				event.get("triangle"), to.origin.x, to.origin.y, to.origin.z])
	print("clash %d %.6f %.6f %.6f %.6f %.6f %.6f %.6f %s" % [event.seq, at.x, at.y, at.z, event.midpoint.x,
			event.normal.z, event.velocities[1].y, event.closing_speed, "|".join(event.blades)])


# Of a sword that sinks into something: where the hand is, where it is to be drawn, and where its picture is at the end of the frame.
func _on_poses(event: Dictionary, node: Node3D) -> void:
	_print_swords(event, node)
	for pose: Dictionary in event.poses:
		if pose.get("resolved_pose") != null and pose.device == "sword \"1\"":
			drawn += 1
			_print_drawn.call_deferred(drawn, pose.transform.origin, pose.resolved_pose.origin, node)


# Of each device whose sword the scene shows, once: how far that is from the device's pose, and of how many boxes it is.
func _print_swords(event: Dictionary, node: Node3D) -> void:
	for pose: Dictionary in event.poses:
		var shown: Node3D = scene._hands.get(pose.device)
		if shown == null or pose.transform == null or shown_devices.has(pose.device):
			continue
		shown_devices[pose.device] = true
		print("sword %s %.6f %d" % [pose.device, shown.global_position.distance_to(node.to_global(pose.transform.origin)),
				shown.find_children("*", "MeshInstance3D", true, false).size()])


func _print_drawn(number: int, held: Vector3, put: Vector3, node: Node3D) -> void:
	if number != drawn: # a busy machine's second one in the same frame, which is where the picture is
		return
	var shown: Vector3 = node.to_local(picture.global_position)
	print("drawn %.6f %.6f %.6f %.6f %.6f %.6f %.6f %.6f %.6f" % [held.x, held.y, held.z, put.x, put.y, put.z, shown.x, shown.y, shown.z])


func _process(_delta: float) -> bool:
	var next_s: float = scene.get_node("Clashd")._retry_s # longer after each try in vain
	if next_s > retry_s and retry_s > 0.0:
		tries += 1
		print("tried ", tries)
	retry_s = next_s
	if hand != null:
		var swing := sin(PI * Time.get_ticks_usec() * 1e-6)
		hand.rotation = Vector3(0, 0.0 if falls else 0.8 * swing, 0)
		hand.position.y = 1.2 + 0.6 * swing if falls else 1.2
	return FileAccess.file_exists("res://stop")
