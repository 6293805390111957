@tool
@icon("icons/clashd.svg")
class_name Clashd
extends Node3D
## Listens to clashd: connects, subscribes, emits a signal for each event on the main thread, and comes back when clashd does.
##
## It pushes the poses of its [ClashdBlade]s and [ClashdTarget]s once a frame, after all other nodes' [code]_process[/code], and emits
## what they caused in the same frame. Positions are relative to this node: use [code]to_global()[/code].[br][br]
## An event is a Dictionary with the fields of clashd's PROTOCOL.md. Arrays of three numbers are Vector3, whole numbers are int, a
## resolved_pose is two of Transform3D or null. [code]age_s[/code] is how long ago it was.

## Two blades, or a blade and a target, begin to touch: midpoint, normal, intensity, blades, closing_speed and more.
signal clash(event: Dictionary)
## They still do. [code]was_touching[/code] is true at the first hold of a contact that did not begin with a clash here: the two touched when a blade
## jumped, grew or changed hands, or the clash was older than `max_age_s`.
signal hold(event: Dictionary)
## They have parted.
signal release(event: Dictionary)
## A device is followed, or no longer.
signal tracking(event: Dictionary)
## The frame of reference of all positions is another one.
signal space_changed(event: Dictionary)
## Where the devices are, with `device_poses` or `resolved_poses` switched on: event.poses has for each its device, transform
## (null where it has no pose), tracked, and resolved_pose where it sinks into something.
signal poses(event: Dictionary)
## With `resolved_poses` switched on: for each device whose blades sink into something now, by its name, the Transform3D relative to this
## node at which to draw what it carries. Draw all others where they are.
signal resolved(places: Dictionary)
## Events are lost: from_seq, to_seq, missed.
signal lagged(event: Dictionary)
signal connected(hello: Dictionary)
signal disconnected(reason: String)
## Something is wrong, in words. What goes wrong the same way again and again is told once.
signal problem(message: String)

enum Transport { TCP, UNIX_SOCKET, WEBSOCKET }

const Answers := preload("answers.gd")
const Contacts := preload("contacts.gd")
const Events := preload("events.gd")
const Frames := preload("frames.gd")
const Haptics := preload("haptics.gd")
const Place := preload("place.gd")
const Pusher := preload("pusher.gd")
const Seen := preload("seen.gd")
const Thing := preload("thing.gd")
const StreamLink := preload("stream_link.gd")
const WebSocketLink := preload("websocket_link.gd")
const Words := preload("words.gd")
const CONNECT_S := 5.0
const RETRY_MIN_S := 0.25
const RETRY_MAX_S := 5.0
const PRIORITY := 1000 # after whatever moves blades
const EVENTS: Array[String] = ["clash", "hold", "release", "tracking", "space_changed"]

## TCP works everywhere; clashd listens there when started with --tcp PORT. Unix sockets need Godot 4.6, not on Windows.
## WebSocket is for a clashd started with --websocket PORT.
@export var transport := Transport.TCP:
	set(value):
		transport = value
		update_configuration_warnings()
@export var host := "127.0.0.1"
@export_range(1, 65535) var port := 4717
## Empty: where clashd listens by default.
@export var unix_socket := ""
@export var websocket_url := "ws://127.0.0.1:4718"
## Where the token for TCP and WebSocket is: its file, or clashd's socket beside which it is. Empty: where clashd puts it
## by default.
@export var token_file := ""
## Or the token itself, where its file cannot be read from here: clashd's setting `socket.token_file` has it last.
@export var token := ""
## Only contacts in which one of these takes part; empty for all.
@export var blades: PackedStringArray = []
## Only contacts that began at least this fast, m/s.
@export var min_closing_speed := 0.0
## Only contacts that become this fast, m/s: where they begin more slowly, clash comes then, and has `late`. 0 for all.
@export var min_peak_speed := 0.0
## No contact that begins sooner than this after the same two parted, if that was told, ms. 0 for all.
@export var min_apart_ms := 0.0
## Whether clash and hold say where to draw the two so that they do not sink into each other, as `resolved_pose`, and `resolved` is
## emitted; for [ClashdPicture].
@export var resolved_poses := false
## Whether `poses` is emitted.
@export var device_poses := false
## That so many times a second at most; 0: as they come.
@export_range(0.0, 1000.0, 1.0, "or_greater") var pose_rate_hz := 0.0
## How long a frame may wait for the events of the poses that it pushed, ms: as a rule they arrive within half of one. 0: it
## does not wait, and they come a frame later. If clashd often takes longer, or has been stopped, frames no longer wait, but for one
## each half second, and [signal problem] reports it.
@export_range(0.0, 10.0, 0.1) var wait_ms := 2.0
## Clashes and holds that are older than this are not emitted, s; 0: all are. They are old after a pause, a frame that took seconds, or a lost connection. What
## still touches then comes as [signal hold] with [code]was_touching[/code].
@export_range(0.0, 10.0, 0.1, "or_greater", "suffix:s") var max_age_s := 0.5
## Whether a hand whose ClashdBlade strikes something is told so by its controller.
@export var haptics := true
## The haptic action of the project's action map.
@export var haptic_action := "haptic"

## How long the last frame waited for them, microseconds.
var waited_us: int:
	get:
		return answers.waited_us

var answers := Answers.new() # of clashd to what frames push

var _signals := {"clash": clash, "hold": hold, "release": release, "tracking": tracking, "space_changed": space_changed, "lagged": lagged}
var _frames: Frames = null
var _link: RefCounted = null
var _pusher := Pusher.new()
var _haptics := Haptics.new()
var _contacts := Contacts.new()
var _world_scale := 1.0
var _jumps := 0 # frames from now in which the hands jump
var _greeted := false
var _is_heard := false # the subscription has been answered
var _wait_s := 0.0
var _retry_s := RETRY_MIN_S
var _age_s := 0.0
var _seen := Seen.new()
var _told := {} # what has gone wrong since clashd was last there, in words


# Where the tracking's origin jumps, the hands do.
func _enter_tree() -> void:
	if Engine.is_editor_hint():
		set_notify_transform(true)
		return
	if _frames == null:
		_frames = Frames.add_to(self, _run_frame, PRIORITY)
		Frames.add_after(self, _end_frame, PRIORITY + 1)
	var change := &"reference_frame_changed"
	if XRServer.has_signal(change) and not XRServer.is_connected(change, _on_recentred):
		XRServer.connect(change, _on_recentred)
	get_tree().call_group.call_deferred(Thing.WAITING, &"look_for_clashd")


func _process(_delta: float) -> void:
	if _frames != null: # none in the editor
		_frames.run()


func _run_frame(delta: float) -> void:
	if _link != null:
		_age_s += delta
		follow()
		if _greeted:
			_push()
		return
	_wait_s -= delta
	if _wait_s <= 0.0:
		_open()


# When all Clashd nodes have pushed.
func _end_frame(_delta: float) -> void:
	Answers.wait()
	var why := answers.problem(self) if _greeted else ""
	if not why.is_empty():
		_tell(why)


func _exit_tree() -> void:
	_drop()


func _notification(what: int) -> void:
	if what == NOTIFICATION_TRANSFORM_CHANGED:
		update_configuration_warnings()


func _get_configuration_warnings() -> PackedStringArray:
	return Words.warnings(self)


## The player jumps, by a teleport or a snap turn: call it in the frame in which the blades are where they come to. Else the way
## there counts as a stroke.
func teleport() -> void:
	_pusher.teleport()


func is_connected_to_clashd() -> bool:
	return _greeted


## Called by ClashdBlade nodes; any Node3D with their properties will do.
func add_blade(blade: Node3D) -> void:
	_pusher.add(blade)


func remove_blade(blade: Node3D) -> void:
	_pusher.remove(blade)


## Called by ClashdTarget nodes.
func add_target(target: Node3D) -> void:
	_pusher.add(target)


func remove_target(target: Node3D) -> void:
	_pusher.remove(target)


## The name by which clashd knows what carries that blade or target.
func device_of(thing: Node3D) -> String:
	return _pusher.device_of(thing)


# The controllers follow at once or in the next frame, by when it was done.
func _on_recentred() -> void:
	_jumps = 2


# Pushes where the blades are drawn in this frame.
func _push() -> void:
	if XRServer.world_scale != _world_scale:
		_world_scale = XRServer.world_scale
		_jumps = 1
	if _jumps > 0:
		_jumps -= 1
		teleport()
	var link := _link
	for why: String in _pusher.tell_changes(link, self):
		_tell(why)
	if _is_heard:
		_pusher.clock.ask(link)
	Answers.enter(self, _pusher.push(link))


# A question that clashd answers after the events of all that it has answered before, on whatever connection that was. Its number.
func ask() -> int:
	return _pusher.ask(_link)


func _open() -> void:
	var why := ""
	_age_s = 0.0
	if transport == Transport.WEBSOCKET:
		_link = WebSocketLink.new()
		why = _link.start(websocket_url, Place.read_token(token_file, token))
	elif transport == Transport.UNIX_SOCKET:
		_link = StreamLink.new()
		why = _link.start_unix(Place.default_path("clashd.sock") if unix_socket.is_empty() else unix_socket)
	else:
		_link = StreamLink.new()
		why = _link.start_tcp(host, port, Place.read_token(token_file, token))
	if not why.is_empty():
		_link = null
		_end(Words.cannot_connect(self, why))


func _drop() -> void:
	if _link != null:
		_link.close()
	_link = null
	_greeted = false


func _end(reason: String) -> void:
	var was_greeted := _greeted
	_drop()
	_wait_s = _retry_s
	_retry_s = minf(_retry_s * 2.0, RETRY_MAX_S)
	if not was_greeted:
		_tell(reason)
		return
	disconnected.emit(reason)
	if disconnected.get_connections().is_empty():
		print("clashd: ", reason)


# Whoever listens to nothing hears it all the same.
func _tell(message: String) -> void:
	if _told.has(message):
		return
	_told[message] = true
	problem.emit(message)
	if problem.get_connections().is_empty():
		printerr("clashd: ", message)


# Takes what clashd has sent.
func follow() -> void:
	var link := _link
	var state: int = link.poll()
	for line: String in link.take_lines():
		_take_line(line)
		if _link != link: # a listener, or the line, ended the connection
			return
	if state == StreamLink.State.CLOSED:
		_end(link.close_reason() if link.was_open() else Words.cannot_connect(self, link.close_reason()))
	elif _age_s > CONNECT_S and not _greeted: # connected or not: whoever has the port may never say anything
		_end(Words.cannot_connect(self, "no answer"))
	elif _age_s > CONNECT_S and not _is_heard:
		_end("clashd does not answer")


func _take_line(line: String) -> void:
	var json := JSON.new()
	if json.parse(line) != OK or not json.data is Dictionary or not json.data.get("type") is String:
		_tell("a line cannot be used: " + line.left(80))
		return
	var event: Dictionary = json.data
	var type: String = event.type
	if type == "hello":
		_greet(event)
	elif type == "ok" and str(event.get("id", "")) == "clock" and event.get("time_ns") is float:
		_pusher.clock.take(int(event.time_ns))
	elif type == "ok" and str(event.get("id", "")) == "subscribe":
		_is_heard = true
	elif type == "ok" and str(event.get("id", "")) == "feed":
		_pusher.accept_feed()
	elif type == "ok" and event.get("id") is float:
		answers.take(int(event.id))
	elif type == "error":
		if event.get("id") is float: # of a push: its events will not come
			answers.take(int(event.id))
		_is_heard = _is_heard or str(event.get("id", "")) == "subscribe"
		if _pusher.refuse(str(event.get("id", ""))):
			_tell(str(event.get("message", "clashd refused a request")))
	elif type == "poses":
		_take_poses(event)
	elif _signals.has(type):
		_take_event(type, event)


func _take_event(type: String, event: Dictionary) -> void:
	if not Events.convert(event):
		_tell("a line of type %s cannot be used" % type)
		return
	_seen.take(event)
	event.age_s = _pusher.clock.age_ns(event.get("time_ns", 0)) / 1e9 if event.has("time_ns") else 0.0
	var told := _contacts.sort(event, max_age_s)
	if told.is_empty():
		return
	if haptics and told == "clash":
		_haptics.strike(event, _pusher, haptic_action)
	_signals[told].emit(event)


func _take_poses(event: Dictionary) -> void:
	if not Events.convert_poses(event):
		_tell("a line of type poses cannot be used")
		return
	var places := Events.resolved_places(event)
	poses.emit(event)
	if resolved_poses:
		resolved.emit(places)


# hello: subscribe; where it is the session of before, from where it broke off.
func _greet(hello: Dictionary) -> void:
	var request := Events.subscription(self, EVENTS)
	_seen.resume(hello, request)
	_contacts.begin(str(hello.get("session", "")))
	_link.send(JSON.stringify(request, "", false, true))
	_greeted = true
	answers.begin()
	_is_heard = false
	_age_s = 0.0
	_retry_s = RETRY_MIN_S
	var was_missed := not _told.is_empty()
	_told = {}
	for why: String in _pusher.begin(Seen.can(hello, "feed"), Seen.time_ns(hello), not Seen.can(hello, "replay")):
		_tell(why)
	connected.emit(hello)
	if was_missed and connected.get_connections().is_empty():
		print("clashd %s is there, at %s" % [hello.get("version", ""), Words.where(self)])
