# In the editor: opens check.tscn, and says of each node of the addon's what the editor shows: its class, icon, gizmos and warnings.
@tool
extends EditorPlugin

const FRAMES := 20


func _ready() -> void:
	_check.call_deferred()


func _check() -> void:
	while EditorInterface.get_resource_filesystem().is_scanning():
		await get_tree().process_frame
	EditorInterface.open_scene_from_path("res://addons/check/check.tscn")
	for i in FRAMES:
		await get_tree().process_frame
	var root := EditorInterface.get_edited_scene_root()
	for node in root.find_children("*", "Node3D"):
		print(JSON.stringify({"node": node.name, "class": node.get_script().get_global_name() if node.get_script() != null else "",
				"gizmos": node.get_gizmos().size(), "warnings": node._get_configuration_warnings() if node.get_script() != null else []}))
	for known in ProjectSettings.get_global_class_list():
		if known.path.begins_with("res://addons/clashd/"):
			print(JSON.stringify({"class": known.class, "icon": known.icon, "icon_is_there": load(known.icon) is Texture2D}))
	print(JSON.stringify({"done": true}))
	get_tree().quit()
