# The fields of a message of clashd's as Godot has them: arrays of three numbers as Vector3, whole numbers as int, poses as Transform3D.
extends RefCounted

const VECTORS: Array[String] = ["midpoint", "normal", "surface_normal"]
const VECTOR_PAIRS: Array[String] = ["points", "velocities"]
const INTEGERS: Array[String] = ["seq", "time_ns", "id", "duration_ns", "interval_ns", "since_release_ns", "room_id", "room_time_ns", "clock_error_ns", "from_seq",
	"to_seq", "missed", "triangle"]


# What a Clashd node asks for.
static func subscription(clashd: Node3D, events: Array[String]) -> Dictionary:
	var request := {"type": "subscribe", "id": "subscribe", "events": events.duplicate(), "axes": "godot",
			"min_closing_speed": clashd.min_closing_speed}
	if clashd.min_peak_speed != 0.0:
		request.min_peak_speed = clashd.min_peak_speed
	if clashd.min_apart_ms != 0.0:
		request.min_apart_ms = clashd.min_apart_ms
	if clashd.resolved_poses:
		request.resolved_poses = true
	if clashd.resolved_poses or clashd.device_poses:
		request.events.append("poses")
		if clashd.pose_rate_hz > 0.0:
			request.pose_rate_hz = clashd.pose_rate_hz
	if not clashd.blades.is_empty():
		request.blades = Array(clashd.blades)
	return request


# JSON's arrays and numbers to Godot's. False where a field is not what it must be.
static func convert(event: Dictionary) -> bool:
	for key in INTEGERS:
		if event.has(key):
			if not event[key] is float:
				return false
			event[key] = int(event[key])
	for key in VECTORS:
		if event.has(key):
			if not _is_vector(event[key]):
				return false
			event[key] = _vector(event[key])
	for key in VECTOR_PAIRS:
		if event.has(key):
			var pair: Variant = event[key]
			if not pair is Array or pair.size() != 2 or not pair.all(_is_vector):
				return false
			event[key] = [_vector(pair[0]), _vector(pair[1])]
	if event.has("resolved_pose"):
		var poses: Variant = event.resolved_pose
		if not poses is Array or poses.size() != 2:
			return false
		event.resolved_pose = poses.map(_transform)
		if event.resolved_pose.has(false):
			return false
	return event.type != "clash" or (event.get("midpoint") is Vector3 and event.get("intensity") is float)


# The same of a `poses` message: each has its transform, null where there is none.
static func convert_poses(event: Dictionary) -> bool:
	if not event.get("poses") is Array or not event.get("time_ns") is float:
		return false
	event.time_ns = int(event.time_ns)
	for pose: Variant in event.poses:
		if not pose is Dictionary or not pose.get("device") is String:
			return false
		pose.transform = null if pose.get("valid", true) == false else _transform(pose)
		pose.erase("position")
		pose.erase("orientation")
		if pose.has("resolved_pose"):
			pose.resolved_pose = _transform(pose.resolved_pose)
		if pose.transform is bool or pose.get("resolved_pose") is bool:
			return false
	return true


# Of a converted `poses` message: where to draw what each device carries, if it sinks into something.
static func resolved_places(event: Dictionary) -> Dictionary:
	var places := {}
	for pose: Dictionary in event.poses:
		if pose.get("resolved_pose") != null:
			places[pose.device] = pose.resolved_pose
	return places


static func _is_vector(value: Variant) -> bool:
	return value is Array and value.size() == 3 and value.all(func(n: Variant) -> bool: return n is float)


static func _vector(value: Array) -> Vector3:
	return Vector3(value[0], value[1], value[2])


# A pose or null, as one of a resolved_pose; false where it is neither.
static func _transform(value: Variant) -> Variant:
	if value == null:
		return null
	if not value is Dictionary or not _is_vector(value.get("position")):
		return false
	var turn: Variant = value.get("orientation")
	if not turn is Array or turn.size() != 4 or not turn.all(func(n: Variant) -> bool: return n is float):
		return false
	return Transform3D(Basis(Quaternion(turn[0], turn[1], turn[2], turn[3]).normalized()), _vector(value.position))
