# Puts the nodes Clashd and ClashdBlade into the editor's list.
@tool
extends EditorPlugin


func _enter_tree() -> void:
	add_custom_type("Clashd", "Node3D", preload("clashd.gd"), null)
	add_custom_type("ClashdBlade", "Node3D", preload("blade.gd"), null)


func _exit_tree() -> void:
	remove_custom_type("ClashdBlade")
	remove_custom_type("Clashd")
