# What a frame of a Clashd node costs in GDScript, without a network and without waiting: a link answers each push at once. Words after --: how many
# blades there are, how many of them move in each frame, and how many frames. Prints microseconds a frame: the least and the median of 20 batches.
extends SceneTree

const Blade := preload("res://addons/clashd/blade.gd")
const Clashd := preload("res://addons/clashd/clashd.gd")
const BATCHES := 20
const FRAME_S := 0.011


# As much of a link as a frame uses: it takes lines, and answers the requests that have an id.
class AnsweringLink extends RefCounted:
	var _answers: PackedStringArray = []
	var bytes := 0

	func poll() -> int:
		return 1

	func send(line: String) -> void:
		bytes += line.length()
		var at := line.find("\"id\":")
		if at < 0:
			return
		var to := line.find(",", at)
		var id := line.substr(at + 5, (to if to >= 0 else line.length() - 1) - at - 5).trim_suffix("}")
		_answers.append("{\"type\":\"ok\",\"id\":%s,\"seq\":1,\"time_ns\":%d}" % [id, Time.get_ticks_usec() * 1000])

	func take_lines() -> PackedStringArray:
		var lines := _answers
		_answers = []
		return lines

	func waiting() -> int:
		return 0

	func close() -> void:
		pass


func _initialize() -> void:
	var words := OS.get_cmdline_user_args()
	_measure.call_deferred(int(words[0]), int(words[1]), int(words[2]))


func _measure(count: int, moving: int, frames: int) -> void:
	var node := Clashd.new()
	node.wait_ms = 0.0
	root.add_child(node)
	var link := AnsweringLink.new()
	var blades: Array[Node3D] = []
	for i in count:
		var blade := Blade.new()
		blade.blade_name = "blade %d" % i
		blade.hand = [Blade.Hand.LEFT, Blade.Hand.RIGHT, Blade.Hand.NONE][mini(i, 2)]
		var holder := Node3D.new()
		holder.add_child(blade)
		root.add_child(holder)
		blade.clashd = node
		blades.append(holder)
	node._link = link
	node._greet({"type": "hello", "session": "s", "time_ns": Time.get_ticks_usec() * 1000.0, "capabilities": ["feed", "since_seq"]})
	for i in 20: # until the clock is known
		node._run_frame(FRAME_S)
	var times: Array[float] = []
	link.bytes = 0
	for batch in BATCHES:
		var spent := 0
		for i in frames:
			for index in moving:
				blades[index].transform = Transform3D(Basis(Vector3.UP, 0.01 * i + index), Vector3(0.01 * i, 0.1 * index, 0.3))
			var since := Time.get_ticks_usec()
			node._run_frame(FRAME_S)
			spent += Time.get_ticks_usec() - since
		times.append(float(spent) / frames)
	times.sort()
	print("%d blades, %d moving: %.1f us a frame at least, %.1f at the median; %d bytes" % [count, moving, times[0], times[BATCHES >> 1],
			roundi(float(link.bytes) / (BATCHES * frames))])
	node._link = null
	quit()
