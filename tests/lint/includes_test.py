"""Who may include whom. FLOORS and what follows is the table; everything else here reads #include lines and looks them up."""
import fnmatch
import posixpath
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tree  # noqa: E402

# The rooms, floor by floor. A room may include its own headers and those of the rooms on floors below its own, and of its own
# floor nothing but itself. Within protocol/ the parts have an order of their own, as written.
FLOORS = [
    ["daemon/cli/failure.h", "daemon/cli/array.h"],  # the one type of errors, and how arrays grow, for every room but libclash
    ["include/clash", "daemon/cli", "daemon/platform"],
    ["daemon/geometry", "daemon/ports", "daemon/mesh", "protocol"],
    ["daemon/ipc", "daemon/pipeline", "daemon/log", "daemon/metrics", "daemon/recorder", "daemon/runtime", "daemon/layer",
     *(path.relative_to(tree.ROOT).as_posix() for kind in ("sources", "sinks") for path in sorted((tree.ROOT / "daemon" / kind).iterdir()))],
    ["daemon/config", "daemon/server"],
    ["daemon/scene", "daemon/service"],
    ["daemon/offline", "daemon/app"],
    ["daemon/ctl", "daemon/viewer"],
    ["daemon/main.c"],
]
PROTOCOL_PARTS = ["protocol/json", "protocol/schema_check", "protocol/messages", "protocol/recording"]
# Rooms that may see less than what is below them. Of libclash everybody else sees the public headers only.
NARROW = {
    "include/clash": (), "daemon/cli": ("daemon/cli/failure.h", "daemon/cli/array.h"), "daemon/platform": ("daemon/cli/failure.h",), "daemon/geometry": ("include/clash",), "daemon/ports": ("include/clash", "daemon/cli/failure.h"),
    "daemon/pipeline": ("include/clash", "daemon/ports", "daemon/cli/array.h"),
    "protocol/clients/c": ("include/clash", "daemon/cli", *PROTOCOL_PARTS), "protocol/clients/c/examples": ("include/clash",),
    "daemon/layer": ("include/clash", "protocol"), "daemon/runtime": ("include/clash", "daemon/cli", "protocol"),
}
PRIVATE = ("daemon/geometry", "daemon/mesh/helper", "daemon/sources/openxr/helper", "daemon/sinks/mqtt/helper", "protocol/clients")
# What else a room may include: the C library everybody; posix any other system header; intrinsics the compiler's; and the
# libraries' headers.
SYSTEM = {
    "include/clash": "", "daemon/viewer": "", "daemon/geometry": "intrinsics", "daemon/ports": "", "daemon/pipeline": "",
    "daemon/cli": "posix", "daemon/platform": "posix", "daemon/mesh": "posix uv", "daemon/mesh/helper": "posix cjson assimp", "protocol": "posix cjson",
    "protocol/clients/c": "posix cjson", "daemon/runtime": "posix openxr", "daemon/layer": "posix openxr",
    "daemon/sources/openxr": "posix uv", "daemon/sinks/osc": "posix uv lo", "daemon/sinks/mqtt": "posix uv", "daemon/sinks/mqtt/helper": "posix uv mosquitto", "daemon/sources/openxr/helper": "posix openxr", "daemon/ctl": "posix uv cjson", "daemon/offline": "posix uv cjson",
    "daemon/config": "posix cjson", "tests": "posix uv cjson cmocka openxr intrinsics lo mosquitto",
    "daemon/viewer/src": "posix cjson",
}
SYSTEM_ELSE = "posix uv"
OPENXR_ROOMS = ("daemon/sources/openxr/*", "daemon/layer/*", "daemon/runtime/*", "tests/*")

C_LIBRARY = set(
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic "
    "stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype".split())
LIBRARIES = [("openxr/", "openxr"), ("uv.h", "uv"), ("uv/", "uv"), ("cjson/", "cjson"), ("assimp/", "assimp"), ("cmocka", "cmocka"), ("lo/", "lo"), ("mosquitto.h", "mosquitto"), ("mqtt_protocol.h", "mosquitto"),
             ("immintrin.h", "intrinsics"), ("arm_neon.h", "intrinsics")]
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
# Where a quoted name may start, after the file's own directory.
QUOTED_FROM = ("daemon", "", "protocol", "tests")


def room_of(name):
    """The room that a file is in: of those that are named above the one with the longest name."""
    rooms = [room for floor in FLOORS for room in floor] + PROTOCOL_PARTS + list(NARROW) + list(SYSTEM)
    return max((room for room in rooms if name == room or name.startswith(room + "/")), key=len, default=None)


def floor_of(room):
    return next((number for number, floor in enumerate(FLOORS)
                 if any(room == one or room.startswith(one + "/") for one in floor)), None)


def may_see(room, other):
    """Whether files of a room may include files of another one."""
    if room == other or room == "tests":
        return True
    if room in NARROW:
        return any(other == one or other.startswith(one + "/") for one in NARROW[room])
    if any(other == one or other.startswith(one + "/") for one in PRIVATE):
        return False
    if room.startswith("protocol/") and other in PROTOCOL_PARTS:
        return PROTOCOL_PARTS.index(other) < PROTOCOL_PARTS.index(room)
    if room.endswith("/helper") and other == posixpath.dirname(room):
        return True
    return floor_of(other) is not None and floor_of(other) < floor_of(room)


def resolve(name, quote, target, known):
    """What an include leads to: a file of the project, or a word of the table."""
    if quote == '"':
        for start in (posixpath.dirname(name), *QUOTED_FROM):
            path = posixpath.normpath(posixpath.join(start, target))
            if path in known:
                return path
        return None
    if target.startswith("clash/"):
        return "public"
    for prefix, library in LIBRARIES:
        if target.startswith(prefix):
            return library
    return "c" if target[:-2] in C_LIBRARY else "posix"


def is_allowed(name, room, found):
    if found == "openxr":
        return any(fnmatch.fnmatch(name, pattern) for pattern in OPENXR_ROOMS)
    if found == "c":
        return True
    if "/" not in found and found != "public":
        key = max((one for one in SYSTEM if room == one or room.startswith(one + "/")), key=len, default=None)
        return found in (SYSTEM[key] if key else SYSTEM_ELSE).split()
    return room == "include/clash" if found == "public" and room == "daemon/cli" else \
        True if found == "public" else may_see(room, room_of(found))


def check(name, text, known):
    room = room_of(name)
    if room is None:
        return [f"{name}: no floor has this room"]
    problems = []
    for match in INCLUDE.finditer(text):
        where = f"{name}:{text.count(chr(10), 0, match.start()) + 1}"
        found = resolve(name, match[1], match[2], known)
        if found is None:
            problems.append(f'{where}: "{match[2]}" is not a file of the project')
        elif not is_allowed(name, room, found):
            problems.append(f"{where}: {match[2]} is not for {room}: tests/lint/includes_test.py says what is")
    return problems


def same_names(names):
    """Two files of one name in different rooms are one too many: nobody knows which of them is meant."""
    rooms = {}
    for name in names:
        if name.startswith("daemon/") or name.startswith("protocol/") and not name.startswith("protocol/clients/"):
            rooms.setdefault(posixpath.basename(name), []).append(name)
    return [f"{' and '.join(found)} have one name" for found in rooms.values() if len(found) > 1]


def shares(known):
    """No room has more than a quarter of the lines of production, and app less than 2,000."""
    lines = {}
    for name in known:
        if name.endswith((".c", ".h", ".inl")) and not name.startswith(("tests/", "protocol/clients/")):
            room = room_of(name)
            lines[room] = lines.get(room, 0) + tree.text(name).count("\n")
    total = sum(lines.values())
    return [f"{room} has {count} of {total} lines" for room, count in lines.items() if count * 4 > total] + \
        ([f"daemon/app has {lines['daemon/app']} lines"] if lines["daemon/app"] >= 2000 else [])


def self_test():
    known = {"daemon/config/config.h", "daemon/server/server.h", "daemon/sources/openxr/ring.h", "daemon/ports/log.h",
             "daemon/geometry/vec.h", "daemon/pipeline/track.h", "protocol/messages/codec.h", "daemon/ipc/peer.h",
             "protocol/recording/recording.h", "daemon/app/daemon.h", "daemon/cli/failure.h", "daemon/cli/flags.h", "daemon/mesh/loader.h", "daemon/mesh/helper/file.h"}
    wrong = [
        ("include/clash/base.h", "<uv.h>"), ("include/clash/base.h", "<unistd.h>"),
        ("include/clash/base.h", '"ports/log.h"'),
        ("daemon/platform/module.c", '"cli/flags.h"'), ("daemon/geometry/vec.h", '"cli/failure.h"'),
        ("daemon/geometry/time_of_impact.c", '"ports/log.h"'), ("daemon/geometry/time_of_impact.c", "<unistd.h>"),
        ("daemon/ports/log.h", '"protocol/messages/codec.h"'), ("daemon/ports/log.h", "<uv.h>"),
        ("protocol/messages/codec.c", "<uv.h>"), ("protocol/messages/codec.c", '"ports/log.h"'),
        ("protocol/messages/codec.c", '"protocol/recording/recording.h"'),
        ("daemon/pipeline/pipeline.c", '"geometry/vec.h"'), ("daemon/pipeline/pipeline.c", '"../geometry/vec.h"'),
        ("daemon/pipeline/pipeline.c", '"protocol/messages/codec.h"'), ("daemon/pipeline/pipeline.c", "<uv.h>"),
        ("daemon/sources/openxr/ring.c", '"server/server.h"'), ("daemon/sources/replay/replay.c", "<openxr/openxr.h>"),
        ("daemon/server/server.c", '"sources/nowhere.h"'), ("daemon/server/server.c", '"config/config.h"'),
        ("daemon/server/server.c", "<cjson/cJSON.h>"), ("daemon/server/server.c", '"app/daemon.h"'),
        ("daemon/ipc/peer.c", '"server/server.h"'), ("daemon/ipc/peer.c", '"pipeline/track.h"'),
        ("daemon/config/config.c", "<openxr/openxr.h>"), ("daemon/ctl/watch.c", '"geometry/vec.h"'),
        ("daemon/offline/detect.c", '"app/daemon.h"'), ("daemon/mesh/loader.c", '"protocol/messages/codec.h"'),
        ("protocol/clients/c/examples/x.c", '"protocol/messages/codec.h"'), ("protocol/clients/c/x.c", '"ipc/peer.h"'),
        ("daemon/server/server.c", '"nowhere.h"'), ("daemon/elsewhere/x.c", "<math.h>"),
    ]
    right = [
        ("daemon/platform/module.h", '"cli/failure.h"'), ("include/clash/sweep.h", "<clash/pose.h>"), ("include/clash/base.h", "<stdint.h>"),
        ("daemon/geometry/time_of_impact.c", '"vec.h"'), ("daemon/geometry/time_of_impact.c", "<clash/sweep.h>"),
        ("protocol/messages/codec.c", "<cjson/cJSON.h>"), ("daemon/pipeline/track.c", '"ports/log.h"'),
        ("protocol/recording/recording.c", '"protocol/messages/codec.h"'),
        ("daemon/sources/openxr/time.c", "<openxr/openxr.h>"), ("daemon/server/server.c", '"ipc/peer.h"'),
        ("daemon/app/daemon.c", '"server/server.h"'), ("daemon/ctl/watch.c", '"ipc/peer.h"'),
        ("daemon/ctl/watch.c", '"config/config.h"'), ("tests/unit/x_test.c", '"app/daemon.h"'),
    ]
    for name, target in wrong:
        tree.must_report(f"#include {target} in {name}", check(name, f"\n#include {target}\n", known))
    for name, target in right:
        tree.must_accept(f"#include {target} in {name}", check(name, f"\n#include {target}\n", known))


def main():
    self_test()
    known = tree.files()
    names = [name for name in known if name.endswith((".c", ".h", ".inl"))]
    problems = [problem for name in names for problem in check(name, tree.text(name), set(known))]
    problems += same_names(names) + shares(known)
    tree.verdict(problems, f"{len(names)} C files")


main()
