# Puts the node Clashd into the editor's list.
@tool
extends EditorPlugin


func _enter_tree() -> void:
	add_custom_type("Clashd", "Node3D", preload("clashd.gd"), null)


func _exit_tree() -> void:
	remove_custom_type("Clashd")
