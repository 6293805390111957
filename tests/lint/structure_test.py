"""How finely the code is cut, as a table: present, limit, aim. A limit is what the tree has reached; a change that makes a
figure better lowers its limit here, and none may raise it.

A unit is name.c with name.h. A header has one includer if, outside its own unit, exactly one file includes it. A circle is a
set of units of one module that include each other, directly or through others."""
import posixpath
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tree  # noqa: E402

# figure: (limit, aim)
LIMITS = {
    "files under 60 lines, in 100": (41, 20),
    "headers with one includer": (138, 40),
    "_private.h": (21, 6),
    "circles of units": (27, 6),
    "units in the largest circle": (13, 4),
    "files that know that a step may pause": (23, 4),
    "lines of C in production": (93730, 75000),
}
SMALL = 60
PRODUCTION = ("daemon/", "include/", "protocol/")
PAUSING = re.compile(r"is_unfinished|pipeline_continue|pipeline_finish|set_pause_function|world_continue|world_finish|\bturns_|"
                     r"session_outbox_settle|pending_targets|target_load")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)
INCLUDED_FROM = ("daemon", "", "protocol", "include")


def unit_of(name):
    return posixpath.splitext(name)[0]


def module_of(name):
    parts = name.split("/")
    deep = 3 if parts[1:2] in (["sources"], ["sinks"], ["clients"]) else 2
    return "/".join(parts[:deep])


def resolve(name, included, names):
    """The file of the tree that an #include of a file finds, or None for a library's."""
    for base in (posixpath.dirname(name), *INCLUDED_FROM):
        found = posixpath.normpath(posixpath.join(base, included))
        if found in names:
            return found
    return None


def includes(files):
    """file -> the files of the tree that it includes."""
    return {name: {found for one in INCLUDE.findall(text) if (found := resolve(name, one, files))} for name, text in files.items()}


def one_includer(edges):
    users = {}
    for name, used in edges.items():
        for header in used:
            if unit_of(header) != unit_of(name):
                users.setdefault(header, set()).add(name)
    return sorted(header for header, names in users.items() if header.endswith(".h") and len(names) == 1)


def circles(edges):
    """Sets of two or more units of one module that reach each other (Tarjan's strongly connected components)."""
    graph = {}
    for name, used in edges.items():
        graph.setdefault(unit_of(name), set()).update(
            unit_of(other) for other in used if module_of(other) == module_of(name) and unit_of(other) != unit_of(name))
    order, low, stack, found = {}, {}, [], []

    def visit(unit):
        order[unit] = low[unit] = len(order)
        stack.append(unit)
        for other in graph.get(unit, ()):
            if other not in order:
                visit(other)
            if other in stack:
                low[unit] = min(low[unit], low[other])
        if low[unit] == order[unit]:
            part = set()
            while unit not in part:
                part.add(stack.pop())
            if len(part) > 1:
                found.append(sorted(part))

    sys.setrecursionlimit(10000)
    for unit in sorted(graph):
        if unit not in order:
            visit(unit)
    return sorted(found)


def measure(files):
    edges = includes(files)
    rounds = circles(edges)
    lists = {
        "headers with one includer": one_includer(edges),
        "_private.h": sorted(name for name in files if name.endswith("_private.h")),
        "circles of units": [" ".join(part) for part in rounds],
        "files that know that a step may pause": sorted(name for name, text in files.items() if PAUSING.search(text)),
        "files under 60 lines, in 100": sorted(name for name, text in files.items() if text.count("\n") < SMALL),
    }
    figures = {key: len(value) for key, value in lists.items()}
    figures["files under 60 lines, in 100"] = round(100 * figures["files under 60 lines, in 100"] / max(1, len(files)))
    figures["units in the largest circle"] = max((len(part) for part in rounds), default=0)
    figures["lines of C in production"] = sum(text.count("\n") for text in files.values())
    return figures, lists


def check(figures, limits):
    return [f"{key}: {figures[key]}, more than the {limit} that the tree had reached (aim {aim}); "
            f"'python3 tests/lint/structure_test.py --list' shows which" for key, (limit, aim) in limits.items() if figures[key] > limit]


def self_test():
    files = {
        "daemon/a/x.c": '#include "a/x.h"\n#include "y.h"\n', "daemon/a/x.h": "\n" * SMALL, "daemon/a/y.c": '#include "y.h"\n',
        "daemon/a/y.h": '#include "a/x.h"\n', "daemon/b/z.c": '#include "a/x.h"\n#include <uv.h>\nworld_continue(w);\n',
        "daemon/b/z_private.h": "",
    }
    figures, lists = measure(files)
    assert lists["headers with one includer"] == ["daemon/a/y.h"], lists
    assert lists["circles of units"] == ["daemon/a/x daemon/a/y"], lists
    assert lists["files that know that a step may pause"] == ["daemon/b/z.c"], lists
    assert figures["_private.h"] == 1 and figures["units in the largest circle"] == 2, figures
    assert figures["files under 60 lines, in 100"] == 83, figures
    tree.must_report("more than was reached", check(figures, {"_private.h": (0, 0)}))
    tree.must_accept("what was reached", check(figures, {"_private.h": (1, 0)}))


def main():
    self_test()
    names = [name for name in tree.files() if name.startswith(PRODUCTION) and name.endswith((".c", ".h"))]
    figures, lists = measure({name: tree.text(name) for name in names})
    if "--list" in sys.argv[1:]:
        for key, value in lists.items():
            print(f"{key}:", *value, sep="\n  ")
    print(f"{'':40}{'now':>8}{'limit':>8}{'aim':>8}")
    for key, (limit, aim) in LIMITS.items():
        print(f"{key:40}{figures[key]:8}{limit:8}{aim:8}")
        if figures[key] < limit and key != "lines of C in production":
            print(f"note: the limit of '{key}' can be lowered to {figures[key]}")
    tree.verdict(check(figures, LIMITS), f"{len(names)} files of C")


main()
