# Loads every script of the project and says of each whether it is without errors; what is wrong Godot says itself. Where the project makes errors of
# warnings, that includes them. What is not to be looked at comes as words after --.
extends SceneTree


func _initialize() -> void:
	_load_all("res://")
	quit()


func _load_all(directory: String) -> void:
	for name in DirAccess.get_directories_at(directory):
		if not name.begins_with("."):
			_load_all(directory.path_join(name))
	for name in DirAccess.get_files_at(directory):
		var path := directory.path_join(name)
		if name.get_extension() == "gd" and not path in OS.get_cmdline_user_args():
			var script: GDScript = load(path)
			print("%s %s" % ["loaded" if script != null and script.can_instantiate() else "failed", path])
