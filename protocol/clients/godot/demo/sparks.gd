# Where two blades meet: sparks off the steel, a flash, and its light for a moment. Bigger for a harder clash.
extends Node3D

const LIFE_S := 0.55

var _fresh: Array[Callable] = []
var _texture := _star() # made at once: a new one is empty for a frame


## `normal` is the direction from the one blade to the other, in the world.
func burst(at: Vector3, normal: Vector3, intensity: float) -> void:
	var strength := clampf(intensity * 2.5, 0.15, 1.0)
	var spot := Node3D.new()
	spot.add_to_group("sparks")
	add_child(spot)
	spot.global_position = at
	for side: float in [-1.0, 1.0]:
		spot.add_child(_shower(normal * side, strength))
	var flash := _flash(strength)
	var light := OmniLight3D.new()
	light.light_color = Color(1.0, 0.75, 0.4)
	light.light_energy = 4.0 * strength
	light.omni_range = 2.5
	spot.add_child(flash)
	spot.add_child(light)
	_fresh.append(_fade.bind(spot, light, flash))


# From the next frame on: the one before may have been long, and is the one that shows them.
func _process(_delta: float) -> void:
	for fade in _fresh:
		fade.call()
	_fresh.clear()


func _fade(spot: Node3D, light: OmniLight3D, flash: MeshInstance3D) -> void:
	var tween := spot.create_tween().set_parallel()
	tween.tween_property(light, "light_energy", 0.0, 0.22)
	tween.tween_property(flash, "scale", Vector3.ONE * 0.05, 0.16)
	tween.chain().tween_interval(2.0 * LIFE_S)
	tween.chain().tween_callback(spot.queue_free)


func _shower(way: Vector3, strength: float) -> CPUParticles3D:
	var shower := CPUParticles3D.new()
	var streak := BoxMesh.new()
	streak.size = Vector3(0.0035, 0.05, 0.0035)
	streak.material = _glow()
	shower.mesh = streak
	shower.one_shot = true
	shower.explosiveness = 0.95
	shower.amount = 10 + int(40.0 * strength)
	shower.lifetime = LIFE_S
	shower.particle_flag_align_y = true
	shower.direction = way + Vector3(0, 0.35, 0)
	shower.spread = 55.0
	shower.initial_velocity_min = 0.8
	shower.initial_velocity_max = 1.5 + 4.5 * strength
	shower.gravity = Vector3(0, -6.0, 0)
	shower.damping_min = 1.0
	shower.damping_max = 3.0
	shower.scale_amount_min = 0.4
	shower.scale_amount_max = 1.0
	var ramp := Gradient.new()
	ramp.colors = PackedColorArray([Color(1, 0.93, 0.6), Color(1, 0.6, 0.15), Color(0.9, 0.25, 0.05, 0.0)])
	ramp.offsets = PackedFloat32Array([0.0, 0.35, 1.0])
	shower.color_ramp = ramp
	shower.emitting = true
	return shower


func _flash(strength: float) -> MeshInstance3D:
	var flash := MeshInstance3D.new()
	var quad := QuadMesh.new()
	quad.size = Vector2.ONE * (0.22 + 0.4 * strength)
	var material := _glow()
	material.billboard_mode = BaseMaterial3D.BILLBOARD_ENABLED
	material.billboard_keep_scale = true
	material.albedo_texture = _texture
	material.no_depth_test = true
	quad.material = material
	flash.mesh = quad
	flash.cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_OFF
	return flash


static func _glow() -> StandardMaterial3D:
	var material := StandardMaterial3D.new()
	material.shading_mode = BaseMaterial3D.SHADING_MODE_UNSHADED
	material.transparency = BaseMaterial3D.TRANSPARENCY_ALPHA
	material.blend_mode = BaseMaterial3D.BLEND_MODE_ADD
	material.vertex_color_use_as_albedo = true
	return material


static func _star() -> GradientTexture2D:
	var texture := GradientTexture2D.new()
	texture.fill = GradientTexture2D.FILL_RADIAL
	texture.fill_from = Vector2(0.5, 0.5)
	texture.fill_to = Vector2(1.0, 0.5)
	texture.gradient = Gradient.new()
	texture.gradient.colors = PackedColorArray([Color(1, 1, 0.9), Color(1, 0.8, 0.35, 0.55), Color(1, 0.4, 0.1, 0.0)])
	texture.gradient.offsets = PackedFloat32Array([0.0, 0.25, 1.0])
	return texture
