"""The table of limits in PROTOCOL.md has the numbers that the source and the configuration's schema have."""
import json
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tree  # noqa: E402

ROW = re.compile(r"^\| ([^|]+) \| (?:clients \+ )?(\d+) \| `([^`|]+)` \| ([^|]+) \|$")
DEFINE = re.compile(r"^#define ([A-Z][A-Z0-9_]*) (.+?)\s*(?:/\*.*)?$", re.MULTILINE)


def document_rows(text):
    section = text.split("\n## Limits\n", 1)[1].split("\n## ", 1)[0]
    rows = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [(line, ROW.match(line)) for line in rows]


def constants():
    """Every object-like macro's values; some names mean several things in several files."""
    found = {}
    for name in tree.sources(".c", ".h"):
        if name.startswith(("daemon/", "protocol/", "include/")) and "/clients/" not in name:
            for macro, value in DEFINE.findall((tree.ROOT / name).read_text()):
                found.setdefault(macro, set()).add(value)
    return found


def value_of(expression, macros):
    """Of C's integer arithmetic, as far as it is used here."""
    expression = re.sub(r"U?INT\d+_C|\(size_t\)", "", expression)
    expression = re.sub(r"(?<=\d)[uUlL]+", "", expression)

    def replace(match):
        values = macros[match.group()]
        assert len(values) == 1, f"{match.group()} is not one thing: {values}"
        return f"({value_of(next(iter(values)), macros)})"

    expression = re.sub(r"[A-Z_][A-Z0-9_]+", replace, expression)
    assert re.fullmatch(r"[\d\s()+*<-]+", expression), expression
    return eval(expression)  # noqa: S307: digits and operators only


def setting_default(key):
    part = json.loads((tree.ROOT / "protocol/schema/config.schema.json").read_text())
    for name in key.split("."):
        part = part["properties"][name]
    return part["default"]


def problems(text, macros):
    found = []
    for line, match in document_rows(text):
        if not match:
            found.append(f"not as a row should be: {line}")
            continue
        number, name = int(match.group(2)), match.group(3)
        actual = setting_default(name) if name[0].islower() else value_of(name, macros)
        if actual != number:
            found.append(f"{name} is {actual}: {line}")
    return found


class Limits(unittest.TestCase):
    def setUp(self):
        self.text = (tree.ROOT / "protocol/PROTOCOL.md").read_text()
        self.macros = constants()

    def test_the_table_says_what_is(self):
        self.assertEqual(problems(self.text, self.macros), [])
        self.assertGreater(len(document_rows(self.text)), 30)

    def test_another_number_is_found(self):
        for _, match in document_rows(self.text):
            changed = match.group().replace(f"{match.group(2)} | `", f"{int(match.group(2)) + 1} | `", 1)
            self.assertEqual(len(problems(self.text.replace(match.group(), changed), self.macros)), 1, changed)

    def test_the_schemas_have_the_same(self):
        config = json.loads((tree.ROOT / "protocol/schema/config.schema.json").read_text())["properties"]
        self.assertEqual(config["blades"]["maxItems"], value_of("CONFIG_BLADES_MAX", self.macros))
        self.assertEqual(config["targets"]["maxItems"], value_of("CONFIG_TARGETS_MAX", self.macros))
        poses = json.loads((tree.ROOT / "protocol/schema/client/poses.schema.json").read_text())["properties"]
        self.assertEqual(poses["poses"]["maxItems"], value_of("PROTOCOL_POSES_MAX", self.macros))
        subscribe = json.loads((tree.ROOT / "protocol/schema/client/subscribe.schema.json").read_text())["properties"]
        self.assertEqual(subscribe["blades"]["maxItems"], value_of("PROTOCOL_NAMES_MAX", self.macros))


if __name__ == "__main__":
    unittest.main()
