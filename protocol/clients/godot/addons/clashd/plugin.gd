# Puts the nodes Clashd, ClashdBlade and ClashdTarget, and a blade's parts, into the editor's lists.
@tool
extends EditorPlugin


func _enter_tree() -> void:
	add_custom_type("Clashd", "Node3D", preload("clashd.gd"), null)
	add_custom_type("ClashdBlade", "Node3D", preload("blade.gd"), null)
	add_custom_type("ClashdTarget", "Node3D", preload("target.gd"), null)
	add_custom_type("ClashdPart", "Resource", preload("part.gd"), null)


func _exit_tree() -> void:
	remove_custom_type("ClashdPart")
	remove_custom_type("ClashdTarget")
	remove_custom_type("ClashdBlade")
	remove_custom_type("Clashd")
