# A katana: what clashd is told of it is the ClashdBlade, which is where the hand is; what is seen of it is below the ClashdPicture.
extends Node3D

const TRAIL_FRAMES := 10
const TRAIL_SPEED := 2.5 # of the tip, m/s, from which it leaves a trail

@export var steel := Color(0.82, 0.86, 0.92)
@export var cord := Color(0.1, 0.1, 0.14)
@export var glow := Color(0.6, 0.8, 1.0)

var tip_speed := 0.0

var _trail := ImmediateMesh.new()
var _passed: Array[PackedVector3Array] = [] # where the blade has been: its middle and its tip
var _last_tip := Vector3.INF

@onready var blade: Node3D = $Blade
@onready var _picture: Node3D = $Blade/Picture


func _ready() -> void:
	var points: PackedVector3Array = blade.parts[0].points
	_add(_blade_mesh(points), _material(steel, 0.85, 0.22))
	_add(_disc(0.042, 0.01), _material(Color(0.72, 0.55, 0.2), 0.9, 0.35), Vector3(0, 0, -0.115), Vector3(PI / 2, 0, 0))
	_add(_disc(0.016, 0.26), _material(cord, 0.0, 0.9), Vector3(0, 0, 0.015), Vector3(PI / 2, 0, 0))
	for i in 6:
		_add(_disc(0.0175, 0.012), _material(cord.lightened(0.35), 0.0, 0.8), Vector3(0, 0, -0.08 + 0.04 * i), Vector3(PI / 2, 0, 0.25))
	_add(_disc(0.018, 0.018), _material(Color(0.72, 0.55, 0.2), 0.9, 0.35), Vector3(0, 0, 0.148), Vector3(PI / 2, 0, 0))
	var trail := MeshInstance3D.new()
	trail.mesh = _trail
	trail.top_level = true
	trail.material_override = _trail_material()
	trail.cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_OFF
	add_child(trail)


func tip() -> Vector3:
	return _picture.global_transform * blade.parts[0].points[-1]


func middle() -> Vector3:
	return _picture.global_transform * blade.parts[0].points[2]


func _process(delta: float) -> void:
	var now := tip()
	if _last_tip != Vector3.INF and delta > 0.0:
		tip_speed = now.distance_to(_last_tip) / delta
	_last_tip = now
	_passed.push_front(PackedVector3Array([middle(), now]))
	if _passed.size() > TRAIL_FRAMES:
		_passed.resize(TRAIL_FRAMES)
	_draw_trail()


# No trail of a jump.
func forget() -> void:
	_passed.clear()
	_last_tip = Vector3.INF


func _draw_trail() -> void:
	_trail.clear_surfaces()
	if _passed.size() < 3 or tip_speed < TRAIL_SPEED:
		return
	_trail.surface_begin(Mesh.PRIMITIVE_TRIANGLE_STRIP)
	for i in _passed.size():
		var share := 1.0 - float(i) / (_passed.size() - 1)
		var strength := clampf((tip_speed - TRAIL_SPEED) / 10.0, 0.0, 0.4)
		_trail.surface_set_color(Color(glow, 0.0))
		_trail.surface_add_vertex(_passed[i][0])
		_trail.surface_set_color(Color(glow, strength * share * share))
		_trail.surface_add_vertex(_passed[i][1])
	_trail.surface_end()


func _add(mesh: Mesh, material: Material, at := Vector3.ZERO, turn := Vector3.ZERO) -> void:
	var node := MeshInstance3D.new()
	node.mesh = mesh
	node.material_override = material
	node.position = at
	node.rotation = turn
	_picture.add_child(node)


static func _disc(radius: float, height: float) -> Mesh:
	var mesh := CylinderMesh.new()
	mesh.top_radius = radius
	mesh.bottom_radius = radius
	mesh.height = height
	mesh.radial_segments = 16
	mesh.rings = 1
	return mesh


static func _material(color: Color, metallic: float, roughness: float) -> StandardMaterial3D:
	var material := StandardMaterial3D.new()
	material.albedo_color = color
	material.metallic = metallic
	material.metallic_specular = 0.7
	material.roughness = roughness
	return material


static func _trail_material() -> StandardMaterial3D:
	var material := StandardMaterial3D.new()
	material.shading_mode = BaseMaterial3D.SHADING_MODE_UNSHADED
	material.transparency = BaseMaterial3D.TRANSPARENCY_ALPHA
	material.blend_mode = BaseMaterial3D.BLEND_MODE_ADD
	material.cull_mode = BaseMaterial3D.CULL_DISABLED
	material.vertex_color_use_as_albedo = true
	return material


# Along the points, edge down, narrower at the end: a ridge on each side, a flat back.
static func _blade_mesh(points: PackedVector3Array) -> Mesh:
	var tool := SurfaceTool.new()
	tool.begin(Mesh.PRIMITIVE_TRIANGLES)
	var rings: Array[PackedVector3Array] = []
	var curve := Curve3D.new()
	for point in points:
		curve.add_point(point)
	var steps := 14
	for i in steps + 1:
		var share := float(i) / steps
		var at := curve.sample_baked(share * curve.get_baked_length())
		var width := lerpf(0.017, 0.011, share) * (1.0 if i < steps else 0.05)
		rings.append(PackedVector3Array([at + Vector3(0, -width, 0), at + Vector3(0.0045, width * 0.3, 0), at + Vector3(0.003, width, 0),
				at + Vector3(-0.003, width, 0), at + Vector3(-0.0045, width * 0.3, 0)]))
	for i in steps:
		for side in 5:
			var next := (side + 1) % 5
			for corner: Vector3 in [rings[i][side], rings[i][next], rings[i + 1][side], rings[i][next], rings[i + 1][next], rings[i + 1][side]]:
				tool.set_smooth_group(-1)
				tool.add_vertex(corner)
	tool.generate_normals()
	return tool.commit()
