"""Everything has the version of CMakeLists.txt, and the list of changes begins with it; what engines' packages have as lists of their
own is made of that one. `version_test.py --write` does both."""
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tree  # noqa: E402

# What says a version of its own: the file, and what stands around the version. Where a file is not there, nothing is asked of it.
PLACES = [
    ("include/clash/base.h", r'(#define CLASH_VERSION_STRING ")([^"]*)(")'),
    ("protocol/clients/unity/package.json", r'(^  "version": ")([^"]*)(")'),
    ("protocol/clients/js/package.json", r'(^  "version": ")([^"]*)(")'),
    ("protocol/clients/godot/addons/clashd/plugin.cfg", r'(^version=")([^"]*)(")'),
    ("protocol/clients/python/pyproject.toml", r'(^version = ")([^"]*)(")'),
    ("protocol/mqtt.asyncapi.json", r'(^    "version": ")([^"]*)(")'),
    ("protocol/CHANGES.md", r"(\A# .*?^## )([^ ]*)( \(\d{4}-\d\d-\d\d\)$)"),
]
# Whose changes stand in CHANGES.md under `### NAME`, and under `### NAME VERSION` where the version was their own.
LISTS = {"Unity": "protocol/clients/unity/CHANGELOG.md", "Godot": "protocol/clients/godot/addons/clashd/CHANGELOG.md"}
NUMBERS = ("MAJOR", "MINOR", "PATCH")
FLAGS = re.MULTILINE | re.DOTALL
# Manifests of packages, by their names: one that is new belongs above.
MANIFESTS = ("package.json", "plugin.cfg", "pyproject.toml", "setup.cfg", "setup.py", "Cargo.toml")


def wrong(name, pattern, text, version):
    found = re.search(pattern, text, FLAGS)
    if not found:
        return [f"{name}: no version found in it, {version} was expected"]
    return [] if found[2] == version else [f"{name}: version {found[2]}, not {version}; version_test.py --write mends it"]


def wrong_numbers(text, version):
    found = [re.search(rf"#define CLASH_VERSION_{number} (\d+)$", text, re.MULTILINE)[1] for number in NUMBERS]
    return [] if ".".join(found) == version else [f"include/clash/base.h: CLASH_VERSION_MAJOR and so on are {'.'.join(found)}, not {version}"]


def list_of(name, changes):
    """What of the list of all changes is of that client, newest first, as a list of its own."""
    parts, version = [], None
    for level, title, text in re.findall(r"^(##|###) ([^\n]*)\n(.*?)(?=^##|\Z)", changes, FLAGS):
        if level == "##":
            version = title.split()[0] if re.match(r"\d", title) else None
        elif title == name and version:
            parts.append(f"## {version}\n\n{text.strip()}\n")
        elif title.startswith(name + " "):
            parts.append(f"## {title.removeprefix(name + ' ')}\n\n{text.strip()}\n")
    return "# Changelog\n\n" + "\n".join(parts)


def wrong_list(name, path, changes, text):
    return [] if text == list_of(name, changes) else [
        f"{path}: not what protocol/CHANGES.md has of {name}: put it there under `### {name}`, then version_test.py --write"]


def unknown(names):
    known = {name for name, _ in PLACES}
    return [f"{name}: has it a version? tests/lint/version_test.py does not know it"
            for name in names if name.rsplit("/", 1)[-1] in MANIFESTS and name.startswith("protocol/") and name not in known]


def write(version):
    for name, pattern in PLACES:
        path = tree.ROOT / name
        if path.exists() and name != "protocol/CHANGES.md": # what was changed is for people to say
            path.write_text(re.sub(pattern, lambda found: found[1] + version + found[3], path.read_text(), count=1, flags=FLAGS))
    for name, path in LISTS.items():
        (tree.ROOT / path).write_text(list_of(name, (tree.ROOT / "protocol/CHANGES.md").read_text()))
    path = tree.ROOT / "include/clash/base.h"
    text = path.read_text()
    for number, value in zip(NUMBERS, version.split(".")):
        text = re.sub(rf"(#define CLASH_VERSION_{number} )\d+$", rf"\g<1>{value}", text, flags=re.MULTILINE)
    path.write_text(text)


def self_test():
    pattern = dict(PLACES)["protocol/CHANGES.md"]
    changes = "# Changes\n\nAll.\n\n## 1.2.3 (2026-01-02)\n\n## 1.2.2 (2026-01-01)\n"
    tree.must_accept("the list", wrong("x", pattern, changes, "1.2.3"))
    tree.must_report("the one before", wrong("x", pattern, changes, "1.2.2"))
    tree.must_report("no version", wrong("x", pattern, "# Changes\n\nNone.\n", "1.2.3"))
    package = '{\n  "name": "x",\n  "version": "1.2.3",\n  "needs": {"version": "9"}\n}'
    tree.must_accept("a package", wrong("x", PLACES[1][1], package, "1.2.3"))
    assert json.loads(package)["version"] == "1.2.3"
    changes = "# All\n\n## 2.0.0 (2026-01-02)\n\n- A.\n\n### X\n\n- B.\n\n## Else\n\n### Y\n\n- C.\n\n## Before\n\n### X 0.1\n\n- D.\n"
    tree.must_accept("a client's list", wrong_list("X", "x", changes, "# Changelog\n\n## 2.0.0\n\n- B.\n\n## 0.1\n\n- D.\n"))
    tree.must_report("a list that has more", wrong_list("X", "x", changes, "# Changelog\n\n## 2.0.0\n\n- B.\n- E.\n\n## 0.1\n\n- D.\n"))
    header = "#define CLASH_VERSION_MAJOR 1\n#define CLASH_VERSION_MINOR 2\n#define CLASH_VERSION_PATCH 3\n"
    tree.must_accept("numbers", wrong_numbers(header, "1.2.3"))
    tree.must_report("other numbers", wrong_numbers(header, "1.3.3"))
    tree.must_report("a new client", unknown(["protocol/clients/lua/package.json"]))


def main():
    self_test()
    version = tree.version()
    if sys.argv[1:] == ["--write"]:
        write(version)
    problems = unknown(tree.files()) + wrong_numbers((tree.ROOT / "include/clash/base.h").read_text(), version)
    for name, pattern in PLACES:
        if (tree.ROOT / name).exists():
            problems += wrong(name, pattern, (tree.ROOT / name).read_text(), version)
    changes = (tree.ROOT / "protocol/CHANGES.md").read_text()
    for name, path in LISTS.items():
        problems += wrong_list(name, path, changes, (tree.ROOT / path).read_text())
    tree.verdict(problems, f"{len(PLACES)} places, version {version}")


main()
