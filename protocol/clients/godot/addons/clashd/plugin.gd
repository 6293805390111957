# Shows blades and targets in the editor. The nodes themselves are there by their class_names, whether the plugin is on or not.
@tool
extends EditorPlugin

const Gizmos := preload("gizmos.gd")

var _gizmos: Gizmos = null


func _enter_tree() -> void:
	_gizmos = Gizmos.new()
	_gizmos.undo = get_undo_redo()
	add_node_3d_gizmo_plugin(_gizmos)


func _exit_tree() -> void:
	remove_node_3d_gizmo_plugin(_gizmos)
	_gizmos = null
