@tool
@icon("icons/picture.svg")
class_name ClashdPicture
extends Node3D
## What is seen of a sword, drawn where its blade does not sink into what it strikes.
##
## Put it under a [ClashdBlade], or under what that is under, and the sword's meshes under it; switch `resolved_poses` of the [Clashd]
## node on. It is put aside by as much as clashd says, and back when nothing is in the way.

const Frames := preload("frames.gd")
const PRIORITY := 1002 # after the Clashd node's, which waits at 1001

## The blade; empty: the nearest one above, or the first beside it.
@export var blade: Node3D = null:
	set(value):
		blade = value
		update_configuration_warnings()

var _frames: Frames = null
var _rest := Vector3.ZERO
var _aside := Vector3.ZERO # in the Clashd node's space
var _clashd: Node3D = null


func _ready() -> void:
	if Engine.is_editor_hint():
		return
	_frames = Frames.add_to(self, _put_aside, PRIORITY)
	_rest = position
	if blade == null:
		blade = find_blade()
	_clashd = blade.clashd if blade != null else null
	if _clashd == null:
		push_warning("ClashdPicture: name a ClashdBlade that has a Clashd node, or put it under one")
		return
	_clashd.poses.connect(_on_poses)
	_clashd.disconnected.connect(func(_reason: String) -> void: _aside = Vector3.ZERO)


func _process(_delta: float) -> void:
	if _frames != null: # none in the editor
		_frames.run()


func _put_aside(_delta: float) -> void:
	position = _rest
	if _clashd != null and _aside != Vector3.ZERO:
		global_position += _clashd.global_basis * _aside


func find_blade() -> Node3D:
	var node := get_parent()
	while node != null:
		for candidate: Node in [node] + node.get_children():
			if candidate.has_method("carried_device") and not candidate.has_method("describe_target"):
				return candidate
		node = node.get_parent()
	return null


func _on_poses(event: Dictionary) -> void:
	var device: String = _clashd.device_of(blade)
	for pose: Dictionary in event.poses:
		if pose.device == device:
			var to: Variant = pose.get("resolved_pose")
			_aside = to.origin - pose.transform.origin if to != null and pose.transform != null else Vector3.ZERO


func _get_configuration_warnings() -> PackedStringArray:
	var found: PackedStringArray = []
	var whose := blade if blade != null else find_blade()
	if whose == null:
		found.append("No ClashdBlade is above it or beside it: name one in the property `blade`.")
	elif is_ancestor_of(whose):
		found.append("The blade is below it: put it beside the blade, which has to stay where the hand is.")
	else:
		var node: Node3D = whose.clashd if whose.clashd != null else whose.find_clashd()
		if node != null and not node.resolved_poses:
			found.append("Switch on `resolved_poses` of the Clashd node.")
	return found
