# The opponent's body, of simple shapes: robe, lacquered armour, helmet with horns, and arms that reach for the sword.
extends Node3D

const ARM_M := 0.31
const INDIGO := Color(0.07, 0.08, 0.16)
const LACQUER := Color(0.45, 0.045, 0.035)
const GOLD := Color(0.8, 0.6, 0.22)
const SKIN := Color(0.09, 0.085, 0.09)

var _trunk := Node3D.new()
var _head := Node3D.new()
var _limbs: Array[MeshInstance3D] = [] # upper and lower arm, left, right
var _hands: Array[MeshInstance3D] = []
var _eyes := StandardMaterial3D.new()
var _plates: Array[StandardMaterial3D] = []


func _ready() -> void:
	add_child(_trunk)
	_trunk.add_child(_head)
	_add_robe()
	_add_trunk()
	_add_head()
	for i in 4:
		_limbs.append(_part(self, _rod(0.055 if i % 2 == 0 else 0.045, 0.05 if i % 2 == 0 else 0.036, 1.0), INDIGO.lightened(0.08), 0.8, Vector3.ZERO))
	for i in 2:
		_hands.append(_part(self, _ball(0.05), SKIN, 0.6, Vector3.ZERO))


## Where the body leans, what its hands hold, how much it means to strike (0 to 1), and whether it reels.
func pose(sway: Vector3, sword: Transform3D, intent: float, reels: bool) -> void:
	_trunk.position = sway
	_trunk.rotation.x = lerpf(_trunk.rotation.x, 0.16 if reels else sway.z * 0.4, 0.2)
	_head.rotation.x = lerpf(_head.rotation.x, 0.3 if reels else 0.0, 0.2)
	_eyes.emission_energy_multiplier = 1.2 + 6.0 * intent
	for side in 2:
		var sign_x := -1.0 if side == 0 else 1.0
		var hand := sword * Vector3(0, 0, 0.1 if side == 0 else -0.04)
		_reach(side, _trunk.transform * Vector3(sign_x * 0.23, 1.4, 0), hand, Vector3(sign_x * 0.7, -0.7, 0.25))


func flash() -> void:
	for plate in _plates:
		plate.emission_enabled = true
		plate.emission = Color.WHITE
		plate.emission_energy_multiplier = 1.6
		create_tween().tween_property(plate, "emission_energy_multiplier", 0.0, 0.35)


# Two bones of one length from the shoulder to the hand, the elbow outward.
func _reach(side: int, shoulder: Vector3, hand: Vector3, out: Vector3) -> void:
	var way := hand - shoulder
	var length := minf(way.length(), 1.98 * ARM_M)
	var ahead := way.normalized()
	var aside := (out - ahead * out.dot(ahead)).normalized()
	var elbow := shoulder + ahead * length / 2.0 + aside * sqrt(maxf(0.0, ARM_M * ARM_M - length * length / 4.0))
	_stretch(_limbs[2 * side], shoulder, elbow)
	_stretch(_limbs[2 * side + 1], elbow, hand)
	_hands[side].position = hand


static func _stretch(rod: Node3D, from: Vector3, to: Vector3) -> void:
	var along := to - from
	var aside := along.cross(Vector3.FORWARD if absf(along.normalized().z) < 0.9 else Vector3.RIGHT).normalized()
	rod.transform = Transform3D(Basis(aside, along, aside.cross(along.normalized())), from.lerp(to, 0.5))


func _add_robe() -> void:
	_part(_trunk, _rod(0.2, 0.36, 0.86), INDIGO, 0.9, Vector3(0, 0.46, 0))
	for i in 8:
		var fold := _part(_trunk, _rod(0.012, 0.03, 0.84), INDIGO.lightened(0.05), 0.9, Vector3(0, 0.46, 0))
		fold.position += Basis(Vector3.UP, TAU * i / 8.0) * Vector3(0, 0, 0.285)
		fold.basis = Basis(Vector3.UP, TAU * i / 8.0) * Basis(Vector3.RIGHT, -0.185)
	_part(_trunk, _rod(0.21, 0.21, 0.08), GOLD.darkened(0.45), 0.6, Vector3(0, 0.9, 0))


func _add_trunk() -> void:
	for i in 5:
		_plate(_trunk, _rod(0.245 - 0.006 * absf(i - 3.0), 0.235 - 0.01 * absf(i - 3.0), 0.105), Vector3(0, 0.99 + 0.105 * i, 0))
		_part(_trunk, _rod(0.243, 0.243, 0.012), GOLD.darkened(0.35), 0.4, Vector3(0, 1.043 + 0.105 * i, 0))
	for side: float in [-1.0, 1.0]:
		for i in 3:
			var sleeve := BoxMesh.new()
			sleeve.size = Vector3(0.05, 0.1, 0.24 - 0.02 * i)
			var plate := _plate(_trunk, sleeve, Vector3(side * (0.28 + 0.03 * i), 1.42 - 0.09 * i, 0))
			plate.rotation.z = side * 0.45
		for i in 2:
			var skirt := BoxMesh.new()
			skirt.size = Vector3(0.2, 0.2, 0.03)
			var tasset := _plate(_trunk, skirt, Vector3(side * 0.13, 0.8, -0.25 if i == 0 else 0.25))
			tasset.rotation.x = 0.22 if i == 0 else -0.22


func _add_head() -> void:
	_head.position = Vector3(0, 1.6, 0)
	_part(_head, _rod(0.06, 0.07, 0.14), SKIN, 0.8, Vector3(0, -0.11, 0))
	_part(_head, _ball(0.115), SKIN, 0.5, Vector3(0, 0.01, 0))
	_plate(_head, _ball(0.135), Vector3(0, 0.1, 0.015)).scale = Vector3(1, 0.85, 1)
	_plate(_head, _rod(0.13, 0.215, 0.09), Vector3(0, 0.085, 0.02))
	_part(_head, _rod(0.132, 0.137, 0.02), GOLD, 0.3, Vector3(0, 0.13, 0.01))
	for side: float in [-1.0, 1.0]:
		var horn := _part(_head, _rod(0.003, 0.02, 0.26), GOLD, 0.3, Vector3(side * 0.085, 0.25, -0.1))
		horn.rotation.z = -side * 0.55
		var eye := _part(_head, _ball(0.018), Color.BLACK, 0.5, Vector3(side * 0.045, 0.0, -0.1))
		eye.material_override = _eyes
	var mask := PrismMesh.new()
	mask.size = Vector3(0.14, 0.085, 0.04)
	_part(_head, mask, LACQUER.darkened(0.72), 0.8, Vector3(0, -0.07, -0.1)).rotation.z = PI
	_eyes.albedo_color = Color.BLACK
	_eyes.emission_enabled = true
	_eyes.emission = Color(1.0, 0.55, 0.15)


func _plate(parent: Node3D, mesh: Mesh, at: Vector3) -> MeshInstance3D:
	var part := _part(parent, mesh, LACQUER, 0.3, at)
	var material := part.material_override as StandardMaterial3D
	material.metallic = 0.35
	_plates.append(material)
	return part


static func _part(parent: Node3D, mesh: Mesh, color: Color, roughness: float, at: Vector3) -> MeshInstance3D:
	var part := MeshInstance3D.new()
	part.mesh = mesh
	part.position = at
	var material := StandardMaterial3D.new()
	material.albedo_color = color
	material.roughness = roughness
	part.material_override = material
	parent.add_child(part)
	return part


static func _rod(top: float, bottom: float, height: float) -> Mesh:
	var mesh := CylinderMesh.new()
	mesh.top_radius = top
	mesh.bottom_radius = bottom
	mesh.height = height
	mesh.radial_segments = 20
	mesh.rings = 1
	return mesh


static func _ball(radius: float) -> Mesh:
	var mesh := SphereMesh.new()
	mesh.radius = radius
	mesh.height = 2.0 * radius
	mesh.radial_segments = 20
	mesh.rings = 10
	return mesh
