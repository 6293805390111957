# All that is heard, made of sines and noise when the game starts: steel, a cut through the air, a blow on armour, the gong.
extends Node3D

const RATE := 22050
const VOICES := 8

var _streams := {}
var _voices: Array[AudioStreamPlayer3D] = []
var _next := 0
var _dice := RandomNumberGenerator.new()


func _ready() -> void:
	_dice.seed = 11
	_streams = {
		&"clang": _made(0.8, _clang), &"swish": _made(0.28, _swish), &"blow": _made(0.35, _blow), &"gong": _made(2.4, _gong)}
	for i in VOICES:
		var voice := AudioStreamPlayer3D.new()
		voice.unit_size = 4.0
		add_child(voice)
		_voices.append(voice)


func _exit_tree() -> void:
	for voice in _voices:
		voice.stop()


## `pitch` 1 is as it was made; `strength` from 0 to 1.
func play(what: StringName, at: Vector3, strength: float, pitch: float) -> void:
	var voice := _voices[_next]
	_next = (_next + 1) % VOICES
	voice.stream = _streams[what]
	voice.global_position = at
	voice.volume_db = linear_to_db(clampf(strength, 0.02, 1.0))
	voice.pitch_scale = clampf(pitch * _dice.randf_range(0.97, 1.03), 0.3, 3.0)
	voice.play()


func _made(length_s: float, at: Callable) -> AudioStreamWAV:
	var data := PackedByteArray()
	data.resize(2 * int(length_s * RATE))
	for i in int(length_s * RATE):
		var sample: float = at.call(float(i) / RATE)
		data.encode_s16(2 * i, int(clampf(sample, -1.0, 1.0) * 32767.0))
	var stream := AudioStreamWAV.new()
	stream.format = AudioStreamWAV.FORMAT_16_BITS
	stream.mix_rate = RATE
	stream.data = data
	return stream


# Partials of a bar, which are no harmonics, and the scrape at its start.
func _clang(t: float) -> float:
	var sum := 0.0
	for partial: Vector3 in [Vector3(1180, 0.34, 5.0), Vector3(2310, 0.26, 7.0), Vector3(3470, 0.2, 10.0), Vector3(5120, 0.14, 16.0)]:
		sum += sin(TAU * partial.x * t) * partial.y * exp(-partial.z * t)
	return sum + _dice.randf_range(-0.5, 0.5) * exp(-60.0 * t)


func _swish(t: float) -> float:
	return _dice.randf_range(-0.45, 0.45) * pow(sin(PI * t / 0.28), 3.0)


func _blow(t: float) -> float:
	return sin(TAU * (70.0 + 90.0 * exp(-20.0 * t)) * t) * 0.8 * exp(-9.0 * t) + _dice.randf_range(-0.6, 0.6) * exp(-45.0 * t)


func _gong(t: float) -> float:
	var sum := 0.0
	for partial: Vector3 in [Vector3(98, 0.4, 1.2), Vector3(151, 0.25, 1.7), Vector3(263, 0.15, 2.4), Vector3(411, 0.1, 3.6)]:
		sum += sin(TAU * partial.x * t) * partial.y * exp(-partial.z * t)
	return sum * minf(1.0, 60.0 * t)
