"""Who may include whom. RULES is the table; everything else here reads #include lines and looks them up in it."""
import fnmatch
import posixpath
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tree  # noqa: E402

# A file belongs to the first pattern that fits, and may include its own room and what stands here:
#   public    <clash/..>            c      the C library       posix   any other system header
#   intrinsics  the compiler's      *       everything      openxr, uv, cjson, assimp, cmocka   headers of that library
RULES = [
    ("include/clash/*", "include/clash", "c"),
    ("daemon/geometry/examples/*", "daemon/geometry/examples", "public c"),
    ("daemon/geometry/*", "daemon/geometry", "public c intrinsics"),
    ("daemon/ports/*", "daemon/ports", "public c"),
    ("daemon/platform/*", "daemon/platform", "public c posix"),
    ("daemon/mesh/helper/*", "daemon/mesh", "public c posix cjson assimp"),
    ("daemon/mesh/*", "daemon/mesh", "public c posix uv daemon/platform"),
    ("protocol/clients/c/examples/*", "protocol/clients/c/examples", "public c posix"),
    ("protocol/clients/c/*", "protocol", "public c posix cjson"),
    ("protocol/*", "protocol", "public c posix cjson"),
    ("daemon/pipeline/*", "daemon/pipeline", "public c daemon/ports"),
    ("daemon/sources/openxr*", "daemon/sources", "public c posix uv daemon/platform daemon/ports protocol daemon/ipc openxr"),
    ("daemon/sources/*", "daemon/sources", "public c posix uv daemon/ports protocol daemon/ipc"),
    ("daemon/ipc/*", "daemon/ipc", "public c posix uv daemon/ports protocol"),
    ("daemon/sinks/*", "daemon/sinks", "public c posix uv daemon/ports protocol daemon/ipc"),
    ("daemon/layer/*", "daemon/layer", "public c posix protocol openxr"),
    ("daemon/runtime/*", "daemon/runtime", "public c posix protocol openxr"),
    ("daemon/app/*", "daemon/app", "*"),
    ("daemon/main.c", "daemon/main.c", "*"),
    ("daemon/ctl/*", "daemon/ctl", "public c posix cjson protocol daemon/ports daemon/ipc"),
    ("tests/*", "tests", "*"),
]
# Nobody else may include app: it is the room that knows all the others.
MAY_INCLUDE_APP = ("daemon/app/", "daemon/main.c", "tests/")
# Only the helper program has the code that reads strangers' files.
HELPER = "daemon/mesh/helper/"
OPENXR_ROOMS = ("daemon/sources/openxr*", "daemon/layer/*", "daemon/runtime/*", "tests/*")

C_LIBRARY = set(
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic "
    "stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype".split())
LIBRARIES = [("openxr/", "openxr"), ("uv.h", "uv"), ("uv/", "uv"), ("cjson/", "cjson"), ("assimp/", "assimp"), ("cmocka", "cmocka"),
             ("immintrin.h", "intrinsics"), ("arm_neon.h", "intrinsics")]
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
# Where a quoted name may start, after the file's own directory.
QUOTED_FROM = ("daemon", "", "protocol", "tests")


def find_rule(name):
    return next((rule for rule in RULES if fnmatch.fnmatch(name, rule[0])), None)


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


def is_allowed(name, rule, found):
    if found == "openxr":
        return any(fnmatch.fnmatch(name, pattern) for pattern in OPENXR_ROOMS)
    if found.startswith("daemon/app/") and not name.startswith(MAY_INCLUDE_APP):
        return False
    if found.startswith(HELPER) and not name.startswith((HELPER, "tests/")):
        return False
    if found == "assimp" and not name.startswith(HELPER):
        return False
    allowed = rule[2].split()
    if "*" in allowed or found in allowed:
        return True
    if found == "public":
        return name.startswith("include/clash/")
    return any(found.startswith(room + "/") for room in (rule[1], *allowed))


def check(name, text, known):
    rule = find_rule(name)
    if rule is None:
        return [f"{name}: no rule says what this room may include"]
    problems = []
    for match in INCLUDE.finditer(text):
        where = f"{name}:{text.count(chr(10), 0, match.start()) + 1}"
        found = resolve(name, match[1], match[2], known)
        if found is None:
            problems.append(f'{where}: "{match[2]}" is not a file of the project')
        elif not is_allowed(name, rule, found):
            problems.append(f"{where}: {match[2]} is not for {rule[0]}, which may include {rule[2]}")
    return problems


def self_test():
    known = {"daemon/app/config.h", "daemon/sinks/socket.h", "daemon/sources/ring.h", "daemon/ports/log.h",
             "daemon/geometry/vec.h", "daemon/mesh/loader.h", "daemon/mesh/frame.h",
             "daemon/mesh/helper/scene.h", "daemon/pipeline/track.h", "protocol/codec.h", "daemon/ipc/peer.h"}
    wrong = [
        ("include/clash/base.h", "<uv.h>"), ("include/clash/base.h", "<unistd.h>"),
        ("include/clash/base.h", '"ports/log.h"'),
        ("daemon/geometry/sweep.c", '"ports/log.h"'), ("daemon/geometry/sweep.c", "<unistd.h>"),
        ("daemon/ports/log.h", '"protocol/codec.h"'), ("daemon/ports/log.h", "<uv.h>"),
        ("protocol/codec.c", "<uv.h>"), ("protocol/codec.c", '"ports/log.h"'),
        ("daemon/pipeline/pipeline.c", '"geometry/vec.h"'), ("daemon/pipeline/pipeline.c", '"../geometry/vec.h"'),
        ("daemon/pipeline/pipeline.c", '"protocol/codec.h"'), ("daemon/pipeline/pipeline.c", "<uv.h>"),
        ("daemon/sources/ring.c", '"sinks/socket.h"'), ("daemon/sources/ring.c", "<openxr/openxr.h>"),
        ("daemon/sinks/socket.c", '"sources/ring.h"'), ("daemon/sinks/socket.c", '"pipeline/track.h"'),
        ("daemon/sinks/socket.c", "<cjson/cJSON.h>"), ("daemon/sinks/socket.c", '"app/config.h"'),
        ("daemon/ipc/peer.c", '"sinks/socket.h"'), ("daemon/ctl/main.c", '"sinks/socket.h"'),
        ("daemon/app/config.c", "<openxr/openxr.h>"), ("daemon/sources/ring.c", '"../app/config.h"'),
        ("daemon/ipc/peer.c", '"app/config.h"'), ("daemon/ctl/main.c", '"app/config.h"'),
        ("protocol/clients/c/examples/x.c", '"protocol/codec.h"'), ("protocol/clients/c/x.c", '"ipc/peer.h"'),
        ("daemon/mesh/loader.c", '"ports/log.h"'), ("daemon/mesh/loader.c", '"mesh/helper/scene.h"'),
        ("daemon/mesh/loader.c", "<assimp/scene.h>"), ("daemon/app/targets.c", "<assimp/scene.h>"),
        ("daemon/app/targets.c", '"mesh/helper/scene.h"'), ("daemon/mesh/helper/scene.c", "<uv.h>"),
        ("daemon/sinks/socket.c", '"mesh/loader.h"'),
        ("daemon/sinks/socket.c", '"nowhere.h"'), ("daemon/elsewhere/x.c", "<math.h>"),
    ]
    right = [
        ("include/clash/sweep.h", "<clash/pose.h>"), ("include/clash/base.h", "<stdint.h>"),
        ("daemon/geometry/sweep.c", '"vec.h"'), ("daemon/geometry/sweep.c", "<clash/sweep.h>"),
        ("protocol/codec.c", "<cjson/cJSON.h>"), ("daemon/pipeline/track.c", '"ports/log.h"'),
        ("daemon/sources/openxr_time.c", "<openxr/openxr.h>"), ("daemon/sinks/socket.c", '"ipc/peer.h"'),
        ("daemon/mesh/loader.c", "<uv.h>"), ("daemon/mesh/helper/main.c", '"mesh/frame.h"'),
        ("daemon/mesh/helper/scene.c", "<assimp/scene.h>"), ("daemon/app/targets.c", '"mesh/loader.h"'),
        ("daemon/app/config.c", '"sinks/socket.h"'), ("daemon/ctl/main.c", '"ipc/peer.h"'),
        ("tests/unit/x_test.c", '"app/config.h"'),
    ]
    for name, target in wrong:
        tree.must_report(f"#include {target} in {name}", check(name, f"\n#include {target}\n", known))
    for name, target in right:
        tree.must_accept(f"#include {target} in {name}", check(name, f"\n#include {target}\n", known))


def main():
    self_test()
    known = tree.files()
    names = [name for name in known if name.endswith((".c", ".h"))]
    problems = [problem for name in names for problem in check(name, tree.text(name), set(known))]
    tree.verdict(problems, f"{len(names)} C files")


main()
