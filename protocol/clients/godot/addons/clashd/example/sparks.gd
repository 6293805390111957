# The swords that clashd knows, and for every clash a spark, its light and a clang, bigger and louder for a harder one. Take it over and change it.
extends Node3D

const LIFETIME_S := 0.6
const RATE := 22050
const STEEL := [Color(0.45, 0.75, 1.0), Color(1.0, 0.5, 0.35)] # what the edges of the first and the second sword shine in
const RESTING := { "/user/hand/left": Transform3D(Basis(Vector3.FORWARD, -0.7), Vector3(-0.38, 0.85, -0.1)), # until there are poses
		"/user/hand/right": Transform3D(Basis(Vector3.FORWARD, 0.7), Vector3(0.38, 0.85, -0.15)) }

var _hands := {} # device: what its swords are below

@onready var clashd: Node3D = $Clashd
@onready var _status: Label = $Screen/Status


func _ready() -> void:
	$Clang.stream = _make_clang()
	for device: String in RESTING:
		_add_sword(device, Vector3.ZERO, Vector3(0, 0, -1))
		_hands[device].transform = RESTING[device] * Transform3D(Basis(Vector3.RIGHT, PI / 2), Vector3.ZERO)
	_say("Looking for clashd ...")
	clashd.clash.connect(_on_clash)
	clashd.poses.connect(_on_poses)
	clashd.connected.connect(_on_connected)
	clashd.disconnected.connect(_say)
	clashd.problem.connect(_say)


func _on_connected(hello: Dictionary) -> void:
	_say("clashd %s. Swing your swords, or start it with --source replay:FILE" % hello.get("version", "?"))
	for hand: Node3D in _hands.values():
		hand.queue_free()
	_hands = {}
	for blade: Dictionary in hello.get("blades", []):
		_add_sword(blade.device, _vector(blade.base), _vector(blade.tip))


func _on_poses(event: Dictionary) -> void:
	for pose: Dictionary in event.poses:
		if _hands.has(pose.device) and pose.transform != null:
			_hands[pose.device].transform = clashd.transform * pose.transform
			_hands[pose.device].show()


func _on_clash(event: Dictionary) -> void:
	if not can_process(): # clashes come in a pause, too, and sparks would fly when it is over
		return
	_say("%s: %.1f m/s" % [" and ".join(event.blades), event.closing_speed])
	var spark := _make_spark(event.intensity)
	spark.add_to_group("sparks")
	spark.position = to_local(clashd.to_global(event.midpoint)) # before it is added: that is where particles come from
	add_child(spark)
	spark.emitting = true
	var light: OmniLight3D = spark.get_child(0)
	var fading := spark.create_tween().set_parallel()
	fading.tween_property(light, "light_energy", 0.0, 0.5 * LIFETIME_S)
	fading.tween_property(light.get_child(0), "scale", Vector3.ONE * 0.01, 0.4 * LIFETIME_S)
	get_tree().create_timer(2.0 * LIFETIME_S, false).timeout.connect(spark.queue_free)
	$Clang.global_position = spark.global_position
	$Clang.volume_db = linear_to_db(0.15 + 0.85 * event.intensity)
	$Clang.pitch_scale = randf_range(0.8, 1.1) + 0.4 * event.intensity
	$Clang.play()


func _say(text: String) -> void:
	_status.text = text


static func _make_spark(intensity: float) -> CPUParticles3D:
	var spark := CPUParticles3D.new()
	spark.emitting = false
	spark.one_shot = true
	spark.explosiveness = 0.95
	spark.amount = 60 + int(140.0 * intensity)
	spark.lifetime = LIFETIME_S
	spark.spread = 180.0
	spark.initial_velocity_min = 0.5
	spark.initial_velocity_max = 2.0 + 4.0 * intensity
	spark.gravity = Vector3(0, -5, 0)
	spark.particle_flag_align_y = true
	spark.mesh = BoxMesh.new()
	spark.mesh.size = Vector3(0.006, 0.045, 0.006)
	spark.mesh.material = _glow(Color(1.0, 0.6, 0.2), 3.0)
	spark.scale_amount_curve = Curve.new()
	spark.scale_amount_curve.add_point(Vector2(0, 1))
	spark.scale_amount_curve.add_point(Vector2(1, 0))
	var light := OmniLight3D.new()
	light.light_color = Color(1.0, 0.75, 0.4)
	light.light_energy = 2.0 + 6.0 * intensity
	light.omni_range = 3.0
	spark.add_child(light)
	var flash := MeshInstance3D.new()
	flash.mesh = SphereMesh.new()
	flash.mesh.radius = 0.04 + 0.08 * intensity
	flash.mesh.height = 2.0 * flash.mesh.radius
	flash.mesh.material = _glow(Color(1.0, 0.8, 0.5), 4.0)
	flash.cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_OFF
	light.add_child(flash)
	return spark


# A bar of steel with a shining edge, a guard and a grip, along the blade.
func _add_sword(device: String, base: Vector3, tip: Vector3) -> void:
	if not _hands.has(device):
		_hands[device] = Node3D.new()
		add_child(_hands[device])
	var sword := Node3D.new()
	var up := Vector3.UP if absf((tip - base).normalized().y) < 0.9 else Vector3.RIGHT
	if not base.is_equal_approx(tip):
		sword.transform = Transform3D(Basis.looking_at(tip - base, up), base)
	_hands[device].add_child(sword)
	var length := base.distance_to(tip)
	var shine: Color = STEEL[(_hands.size() - 1) % STEEL.size()]
	_add_box(sword, Vector3(0.01, 0.04, length), -length / 2.0, _metal(Color(0.6, 0.63, 0.68)))
	_add_box(sword, Vector3(0.012, 0.01, length), -length / 2.0, _glow(shine, 0.6)).position.y = -0.023
	_add_box(sword, Vector3(0.03, 0.14, 0.02), 0.0, _metal(Color(0.8, 0.6, 0.25)))
	_add_box(sword, Vector3(0.026, 0.032, 0.18), 0.1, _metal(Color(0.12, 0.1, 0.1)))
	_add_box(sword, Vector3(0.036, 0.042, 0.03), 0.2, _metal(Color(0.8, 0.6, 0.25)))


static func _add_box(to: Node3D, size: Vector3, z: float, material: Material) -> MeshInstance3D:
	var box := MeshInstance3D.new()
	box.mesh = BoxMesh.new()
	box.mesh.size = size
	box.mesh.material = material
	box.position.z = z
	to.add_child(box)
	return box


static func _metal(color: Color) -> StandardMaterial3D:
	var material := StandardMaterial3D.new()
	material.albedo_color = color
	material.metallic = 0.2
	material.metallic_specular = 0.9
	material.roughness = 0.25
	return material


static func _glow(color: Color, energy: float) -> StandardMaterial3D:
	var material := StandardMaterial3D.new()
	material.albedo_color = color
	material.emission_enabled = true
	material.emission = color
	material.emission_energy_multiplier = energy
	return material


# The inharmonic partials of a bar of steel, and the scrape at its start.
static func _make_clang() -> AudioStreamWAV:
	var samples := PackedByteArray()
	samples.resize(2 * RATE)
	for i in RATE:
		var t := float(i) / RATE
		var sum := randf_range(-0.4, 0.4) * exp(-60.0 * t)
		for partial: Vector3 in [Vector3(1180, 0.34, 5.0), Vector3(2310, 0.26, 7.0), Vector3(3470, 0.2, 10.0), Vector3(5120, 0.14, 16.0)]:
			sum += sin(TAU * partial.x * t) * partial.y * exp(-partial.z * t)
		samples.encode_s16(2 * i, int(clampf(sum, -1.0, 1.0) * 32767.0))
	var stream := AudioStreamWAV.new()
	stream.format = AudioStreamWAV.FORMAT_16_BITS
	stream.mix_rate = RATE
	stream.data = samples
	return stream


static func _vector(numbers: Array) -> Vector3:
	return Vector3(numbers[0], numbers[1], numbers[2])
