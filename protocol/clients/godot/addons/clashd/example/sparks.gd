# A spark for every clash, bigger for a harder one. Take it over and change it.
extends Node3D

const LIFETIME_S := 0.5

@onready var clashd: Node3D = $Clashd


func _ready() -> void:
	clashd.clash.connect(_on_clash)
	clashd.connected.connect(func(hello: Dictionary) -> void: print("clashd ", hello.get("version", "?")))
	clashd.disconnected.connect(func(reason: String) -> void: print("clashd: ", reason))
	clashd.problem.connect(func(message: String) -> void: print("clashd: ", message))


func _on_clash(event: Dictionary) -> void:
	if not can_process(): # clashes come in a pause, too, and sparks would fly when it is over
		return
	var spark := CPUParticles3D.new()
	spark.one_shot = true
	spark.explosiveness = 1.0
	spark.amount = 8 + int(24.0 * event.intensity)
	spark.lifetime = LIFETIME_S
	spark.spread = 90.0
	spark.initial_velocity_max = 1.0 + 2.0 * event.intensity
	spark.mesh = SphereMesh.new()
	spark.mesh.radius = 0.004
	spark.mesh.height = 0.008
	spark.add_to_group("sparks")
	add_child(spark)
	spark.global_position = clashd.to_global(event.midpoint)
	spark.emitting = true
	get_tree().create_timer(2.0 * LIFETIME_S, false).timeout.connect(spark.queue_free)
