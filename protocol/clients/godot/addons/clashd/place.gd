# Where clashd and its token are, when nobody says so.
extends RefCounted


# In clashd's runtime directory; "" where that is not known.
static func default_path(name: String) -> String:
	var directory := OS.get_environment("XDG_RUNTIME_DIR")
	if directory.is_empty():
		directory = _runtime_directory()
	return "" if directory.is_empty() else directory.path_join("clashd").path_join(name)


static func _runtime_directory() -> String:
	var file := FileAccess.open("/proc/self/status", FileAccess.READ)
	for i in 64 if file != null else 0:
		var words := file.get_line().split("\t")
		if words[0] == "Uid:" and words.size() > 1:
			return "/run/user/" + words[1]
	return ""


# `named`: the token's file, or clashd's Unix socket, beside which it is; "" for where clashd puts it by default. "" where
# there is none: clashd may not ask for one. `given`: the token itself, which goes before both.
static func read_token(named: String, given := "") -> String:
	if not given.strip_edges().is_empty():
		return given.strip_edges()
	var path := default_path("clashd.token") if named.is_empty() else named
	if path.ends_with(".sock"):
		path = path.trim_suffix(".sock") + ".token"
	if path.is_empty() or not FileAccess.file_exists(path):
		return ""
	return FileAccess.get_file_as_string(path).strip_edges()
