"""CONFIGURATION.md and the one-file schema are what protocol/schema/configuration.py makes, and the schema says of every setting what a
reader wants to know."""
import copy
import json
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "protocol" / "schema")]
import tree  # noqa: E402

try:
    import jsonschema
    import validate
except ImportError as error:
    tree.skip(f"python3-jsonschema is missing: {error}")
import configuration  # noqa: E402


def simple():
    """The settings that are one value each."""
    return [row for row in configuration.rows() if row.section not in ("$schema", "blades", "targets")]


def schema_of(key):
    schema = validate.schemas()["config"]
    for name in key.split("."):
        schema = schema["properties"][name]
    return schema


def document(key, value):
    for name in reversed(key.split(".")):
        value = {name: value}
    return value


class Documents(unittest.TestCase):
    def test_they_are_fresh(self):
        self.assertEqual([str(path) for path, _ in configuration.stale()], [], "run protocol/schema/configuration.py")

    def test_a_stale_table_is_seen(self):
        text = configuration.DOCUMENT.read_text()
        changed = text.replace("| `socket.tcp` | string", "| `socket.tcp` | number")
        self.assertNotEqual(changed, text)
        self.assertEqual(configuration.fresh_document(changed), text)

    def test_every_section_has_its_table(self):
        found = [match[2] for match in configuration.TABLE.finditer(configuration.DOCUMENT.read_text())]
        self.assertEqual(found, [name for name, _ in configuration.sections()])

    def test_every_setting_is_there(self):
        keys = [row.key for row in configuration.rows()]
        self.assertEqual(len(keys), len(set(keys)))
        for key in ("blades[].tip", "blades[].parts[].points", "targets[].mesh.file", "contact.margin", "log.level"):
            self.assertIn(key, keys)


class Settings(unittest.TestCase):
    def test_each_says_all_that_is_to_be_said(self):
        for row in configuration.rows():
            self.assertTrue(row.type and (row.description or row.unit), row)
        for row in simple():
            schema = schema_of(row.key)
            self.assertTrue(row.default and row.example and row.description, row)
            self.assertIsInstance(schema.get("x-reload"), bool, row)
            if {"number", "integer"} & set(configuration.kinds(schema)):
                self.assertTrue(row.unit and row.range, row)

    def test_names_with_a_unit_have_that_unit(self):
        for row in simple():
            for ending, unit in (("_ms", "ms"), ("_hz", "Hz"), ("_bytes", "bytes"), ("_speed", "m/s")):
                if row.key.endswith(ending):
                    self.assertEqual(row.unit, unit, row)

    def test_examples_are_right_and_no_defaults(self):
        for row in configuration.rows():
            if not row.example:
                continue
            self.assertNotEqual(json.loads(row.example), json.loads(row.default or "0"), row)
            self.assertEqual(validate.mistakes("config", document(row.key, json.loads(row.example))), [], row)
            self.assertTrue(validate.mistakes("config", document(row.key, {"no": "such thing"})), row)


class OneFile(unittest.TestCase):
    def setUp(self):
        self.schema = json.loads(configuration.WHOLE.read_text())

    def mistakes(self, value):
        return list(jsonschema.Draft202012Validator(self.schema).iter_errors(value))

    def test_it_needs_no_other_file(self):
        jsonschema.Draft202012Validator.check_schema(self.schema)
        self.assertEqual(self.schema["$id"], validate.written()["config"]["$id"])
        self.assertNotIn("common.schema.json", json.dumps(self.schema))

    def test_it_takes_what_the_others_take(self):
        for name in ("config.json", "config-targets.json"):
            value = json.loads((validate.PROTOCOL / "examples" / name).read_text())
            self.assertEqual(self.mistakes({"$schema": "/usr/share/clashd/config.schema.json", **value}), [])
            for key in value:
                self.assertTrue(self.mistakes({**value, key: "wrong"}), key)
        wrong = copy.deepcopy(json.loads((validate.PROTOCOL / "examples" / "config.json").read_text()))
        wrong["blades"][0]["tip"][2] = 10001
        self.assertTrue(self.mistakes(wrong))
        wrong["blades"][0].update(tip=[0, 0, -1], lenght=1)
        self.assertTrue(self.mistakes(wrong))


if __name__ == "__main__":
    unittest.main()
