# What to tell whoever cannot connect: to which address, why, and what to start; and what is wrong with a Clashd node in the editor.
extends RefCounted

enum Transport { TCP, UNIX_SOCKET, WEBSOCKET } # as in clashd.gd


static func where(clashd: Node3D) -> String:
	if clashd.transport == Transport.WEBSOCKET:
		return clashd.websocket_url
	if clashd.transport == Transport.UNIX_SOCKET:
		return "clashd's socket" if clashd.unix_socket.is_empty() else clashd.unix_socket
	return "%s:%d" % [clashd.host, clashd.port]


static func start(clashd: Node3D) -> String:
	if clashd.transport == Transport.WEBSOCKET:
		return "clashd --websocket " + _port_of(clashd.websocket_url)
	if clashd.transport == Transport.UNIX_SOCKET:
		return "clashd" if clashd.unix_socket.is_empty() else "clashd --socket " + clashd.unix_socket
	return "clashd --tcp %d" % clashd.port


static func cannot_connect(clashd: Node3D, why: String) -> String:
	return "cannot connect to %s: %s. Start \"%s\"; it is tried again until it is there" % [where(clashd), why, start(clashd)]


static func warnings(clashd: Node3D) -> PackedStringArray:
	var found: PackedStringArray = []
	if clashd.transport == Transport.UNIX_SOCKET and not ClassDB.class_exists("StreamPeerUDS"):
		found.append("This Godot has no Unix sockets: choose TCP or WebSocket.")
	if clashd.is_inside_tree() and not even(clashd):
		found.append("It is scaled unevenly, and clashd's lengths are the same in all directions: give it and its parents an even scale.")
	return found


# Whether lengths are the same in all directions.
static func even(node: Node3D) -> bool:
	var size := node.global_transform.basis.get_scale()
	return is_equal_approx(size.x, size.y) and is_equal_approx(size.y, size.z)


static func _port_of(url: String) -> String:
	var digits := url.get_slice("://", 1).get_slice("/", 0).get_slice("?", 0).get_slice("]", url.count("]")).get_slice(":", 1)
	return digits if digits.is_valid_int() else "4718"
