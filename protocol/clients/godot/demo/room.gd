# The dojo itself: boards, walls of paper and wood, lanterns, a banner; all of it made here, of boxes.
extends Node3D

const HALF_M := 4.0
const HEIGHT_M := 3.2
const WOOD := Color(0.36, 0.21, 0.11)
const DARK_WOOD := Color(0.13, 0.075, 0.045)
const PAPER := Color(0.62, 0.53, 0.42)

var _materials := {}


func _ready() -> void:
	_add_floor()
	for side in 4:
		_add_wall(side)
	_add_ceiling()
	_add_banner()
	for x: float in [-2.6, 2.6]:
		_add_lantern(Vector3(x, 2.3, -2.6))


# Boards of a few shades, and the mat on which the duel is.
func _add_floor() -> void:
	var dice := RandomNumberGenerator.new()
	dice.seed = 7
	var width := 0.4
	var count := int(2.0 * HALF_M / width)
	for i in count:
		var shade := WOOD.lightened(dice.randf_range(0.0, 0.12)).darkened(dice.randf_range(0.0, 0.12))
		_box(Vector3(-HALF_M + (i + 0.5) * width, -0.05, 0), Vector3(width - 0.008, 0.1, 2.0 * HALF_M), shade, 0.35)
	_box(Vector3(0, 0.005, 0), Vector3(3.6, 0.012, 4.4), Color(0.45, 0.46, 0.27), 0.95)
	for x: float in [-1.8, 1.8]:
		_box(Vector3(x, 0.008, 0), Vector3(0.09, 0.014, 4.4), Color(0.09, 0.12, 0.09), 0.9)
	for z: float in [-2.2, 0.0, 2.2]:
		_box(Vector3(0, 0.008, z), Vector3(3.6, 0.014, 0.05 if z == 0.0 else 0.09), Color(0.09, 0.12, 0.09), 0.9)


func _add_wall(side: int) -> void:
	var wall := Node3D.new()
	wall.rotation.y = side * PI / 2.0
	add_child(wall)
	_box(Vector3(0, 0.35, -HALF_M), Vector3(2.0 * HALF_M, 0.7, 0.1), DARK_WOOD.lightened(0.06), 0.6, wall)
	_box(Vector3(0, HEIGHT_M - 0.35, -HALF_M), Vector3(2.0 * HALF_M, 0.7, 0.1), DARK_WOOD.lightened(0.1), 0.6, wall)
	var paper := _box(Vector3(0, 1.6, -HALF_M), Vector3(2.0 * HALF_M, 1.8, 0.02), PAPER, 0.9, wall)
	var light := _material(PAPER, 0.9).duplicate() as StandardMaterial3D
	light.emission_enabled = true
	light.emission = Color(0.9, 0.62, 0.36)
	light.emission_energy_multiplier = 0.2
	paper.material_override = light
	for i in 13:
		_box(Vector3(-HALF_M + i * HALF_M / 6.0, 1.6, -HALF_M + 0.02), Vector3(0.03, 1.8, 0.03), DARK_WOOD, 0.6, wall)
	for i in 4:
		_box(Vector3(0, 0.95 + 0.43 * i, -HALF_M + 0.02), Vector3(2.0 * HALF_M, 0.025, 0.03), DARK_WOOD, 0.6, wall)
	for x: float in [-HALF_M, -HALF_M / 3.0, HALF_M / 3.0]:
		_box(Vector3(x, HEIGHT_M / 2.0, -HALF_M + 0.04), Vector3(0.2, HEIGHT_M, 0.2), DARK_WOOD, 0.5, wall)


func _add_ceiling() -> void:
	_box(Vector3(0, HEIGHT_M + 0.05, 0), Vector3(2.0 * HALF_M, 0.1, 2.0 * HALF_M), DARK_WOOD.darkened(0.2), 0.9)
	for i in 5:
		_box(Vector3(0, HEIGHT_M - 0.1, -HALF_M + (i + 0.5) * 1.6), Vector3(2.0 * HALF_M, 0.2, 0.18), DARK_WOOD, 0.7)


# Two crossed blades in gold on red.
func _add_banner() -> void:
	_box(Vector3(0, 1.75, -HALF_M + 0.1), Vector3(1.2, 1.9, 0.02), Color(0.42, 0.04, 0.05), 0.9)
	_box(Vector3(0, 2.72, -HALF_M + 0.11), Vector3(1.36, 0.06, 0.05), Color(0.68, 0.5, 0.18), 0.4)
	for way: float in [-1.0, 1.0]:
		var steel := _box(Vector3(0, 1.78, -HALF_M + 0.12), Vector3(0.05, 1.15, 0.01), Color(0.82, 0.64, 0.26), 0.4)
		steel.rotation.z = way * 0.72
		var guard := _box(Vector3(way * 0.24, 1.5, -HALF_M + 0.125), Vector3(0.22, 0.045, 0.01), Color(0.82, 0.64, 0.26), 0.4)
		guard.rotation.z = way * 0.72


func _add_lantern(at: Vector3) -> void:
	var lantern := MeshInstance3D.new()
	var shape := CylinderMesh.new()
	shape.top_radius = 0.16
	shape.bottom_radius = 0.2
	shape.height = 0.5
	lantern.mesh = shape
	lantern.cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_OFF
	var glow := _material(Color(1.0, 0.62, 0.28), 0.9).duplicate() as StandardMaterial3D
	glow.emission_enabled = true
	glow.emission = Color(1.0, 0.45, 0.14)
	glow.emission_energy_multiplier = 1.1
	lantern.material_override = glow
	lantern.position = at
	add_child(lantern)
	for y: float in [-0.27, 0.27]:
		_box(at + Vector3(0, y, 0), Vector3(0.3, 0.04, 0.3), DARK_WOOD, 0.6)
	_box(at + Vector3(0, 0.6, 0), Vector3(0.015, 0.65, 0.015), DARK_WOOD, 0.6)
	var light := OmniLight3D.new()
	light.position = at + Vector3(0, -0.1, 0.3)
	light.light_color = Color(1.0, 0.6, 0.3)
	light.light_energy = 1.1
	light.omni_range = 5.0
	add_child(light)


func _box(at: Vector3, size: Vector3, color: Color, roughness: float, parent: Node3D = self) -> MeshInstance3D:
	var node := MeshInstance3D.new()
	var mesh := BoxMesh.new()
	mesh.size = size
	node.mesh = mesh
	node.position = at
	node.material_override = _material(color, roughness)
	node.cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_OFF # the light comes in from outside
	parent.add_child(node)
	return node


func _material(color: Color, roughness: float) -> StandardMaterial3D:
	var key := [color, roughness]
	if not _materials.has(key):
		var material := StandardMaterial3D.new()
		material.albedo_color = color
		material.roughness = roughness
		_materials[key] = material
	return _materials[key]
