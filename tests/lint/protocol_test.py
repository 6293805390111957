"""The schemas, what is made from them and what has to agree with them: tables, examples, and clashd's own validator, which is
held against another implementation on right, wrong and hostile lines."""
import json
import math
import os
import random
import struct
import subprocess
import sys
import unittest
from pathlib import Path

import jsonschema

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import mutate  # noqa: E402
import protocol_tables  # noqa: E402
import tree  # noqa: E402
import unity_reach  # noqa: E402
import validate  # noqa: E402

EXAMPLES = validate.PROTOCOL / "examples"
VALIDATE_LINES = tree.BUILD / "tests" / "validate_lines"
SEED = int(os.environ.get("CLASHD_SEED", "1"), 0)
CASES = float(os.environ.get("CLASHD_CASES", "1"))


def own_verdicts(pairs):
    """What clashd's own code says of each (name, text): "ok" or what is wrong. Text is bytes, without a newline."""
    lines = b"".join(name.encode() + b"\t" + text + b"\n" for name, text in pairs)
    done = subprocess.run([VALIDATE_LINES], input=lines, capture_output=True, timeout=600)
    assert done.returncode == 0, done.stderr.decode()
    answers = done.stdout.decode().splitlines()
    assert len(answers) == len(pairs), (len(answers), len(pairs))
    return answers


def example_lines(name):
    return (EXAMPLES / name).read_text().splitlines()


def examples():
    """(schema's name, value) of every example."""
    found = [("config", json.loads(path.read_text())) for path in sorted(EXAMPLES.glob("config*.json"))]
    for side in ("server", "client", "report", "room"):
        messages = map(json.loads, example_lines(f"{side}.jsonl"))
        found += [(f"{side}/{message['type']}", message) for message in messages]
    header, *others = map(json.loads, example_lines("recording.jsonl"))
    own = {name: f"recording/{name}" for name in ("blade", "target", "remove", "equipment", "gap", "mark")}
    return found + [("recording", header)] + [(own.get(line["type"], f"server/{line['type']}"), line) for line in others]


def is_strict_json(text):
    """By Python's parser, less what it lets through: surrogates without their other half, zeros, numbers beyond a double,
    and what clashd says that it does not take: brackets over 64 deep, numbers over 63 characters."""
    def number(word):
        if len(word) > 63 or float(word) in (float("inf"), float("-inf")):
            raise ValueError(word)
        return float(word)

    def look(value, depth):
        if isinstance(value, str):
            value.encode()
            if "\0" in value:
                raise ValueError("zero")
        elif isinstance(value, (dict, list)):
            if depth == 64:
                raise ValueError("too deep")
            for part in value if isinstance(value, list) else [*value, *value.values()]:
                look(part, depth + 1)
    try:
        value = json.loads(text.decode().removeprefix("\ufeff"), object_pairs_hook=validate.once, parse_int=number,
                           parse_float=number, parse_constant=validate.not_json)
        look(value, 0)
    except (ValueError, RecursionError):
        return False
    return True


class Schemas(unittest.TestCase):
    def test_every_schema_is_one(self):
        for name, schema in validate.schemas().items():
            jsonschema.Draft202012Validator.check_schema(schema)
            self.assertEqual(schema["$id"], f"{validate.BASE}{name}.schema.json")
            self.assertEqual(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")

    def test_every_field_is_described(self):
        for name in validate.schemas():
            if name != "common":
                for row in protocol_tables.rows(validate.schemas()[name]):
                    self.assertFalse(row.endswith("|  |"), f"{name}: {row}")

    def test_every_message_says_its_type(self):
        for name, schema in validate.schemas().items():
            if "/" in name:
                self.assertEqual(schema["properties"]["type"]["const"], name.split("/")[1])
                self.assertIn("type", schema["required"])


class Documents(unittest.TestCase):
    def test_tables_are_fresh(self):
        self.assertEqual(protocol_tables.stale(), [])

    def test_every_message_has_its_table(self):
        named = [name for path in protocol_tables.DOCUMENTS for name in protocol_tables.tables_in(path.read_text())]
        self.assertEqual(sorted(named), sorted(name for name in validate.schemas() if "/" in name or name == "recording"))

    def test_a_stale_table_is_seen(self):
        text = (validate.PROTOCOL / "PROTOCOL.md").read_text()
        self.assertNotEqual(text.replace("| `seq` | yes |", "| `seq` | no |"), text)
        self.assertEqual(protocol_tables.fresh(text.replace("| `seq` | yes |", "| `seq` | no |")), text)


class Examples(unittest.TestCase):
    def test_they_are_valid(self):
        for name, what in (("server.jsonl", "server"), ("client.jsonl", "client"), ("recording.jsonl", "recording"), ("report.jsonl", "report"),
                           ("room.jsonl", "room"), ("config.json", "config"), ("config-targets.json", "config")):
            self.assertEqual(validate.check_text((EXAMPLES / name).read_text(), what), [], name)
        self.assertEqual(validate.check_text((tree.ROOT / "systemd" / "config.example.json").read_text(), "config"), [])

    def test_clashd_takes_them(self):
        pairs = [(name, mutate.text_of(value).encode()) for name, value in examples()]
        pairs += [("request", line.encode()) for line in example_lines("client.jsonl")]
        self.assertEqual(set(own_verdicts(pairs)), {"ok"})

    def test_every_message_has_one(self):
        for side in ("server", "client", "report", "room"):
            types = [json.loads(line)["type"] for line in example_lines(f"{side}.jsonl")]
            schemas = [name.split("/")[1] for name in validate.schemas() if name.startswith(f"{side}/")]
            self.assertEqual(sorted(set(types)), sorted(schemas))

    def test_the_settings_are_the_defaults(self):
        properties = validate.schemas()["config"]["properties"]
        defaults = {name: section["default"] if "default" in section else
                    {key: field["default"] for key, field in section["properties"].items()}
                    for name, section in properties.items() if name != "$schema"}
        for path in (EXAMPLES / "config.json", tree.ROOT / "systemd" / "config.example.json"):
            self.assertEqual(json.loads(path.read_text()), defaults, path)


class Undecided(Exception):
    """A collider that reaches just as far as it may: rounding says on which side."""


class Agreement(unittest.TestCase):
    """clashd's validator says ok where the other one finds nothing, and only there."""

    def compare(self, cases):
        """cases: (name, text, whether it should be taken)."""
        answers = own_verdicts([(name, text) for name, text, _ in cases])
        for (name, text, right), answer in zip(cases, answers):
            self.assertEqual(answer == "ok", right, f"seed {SEED}, {name}: {text!r}: {answer}")
        for verdict in (True, False):
            share = sum(right == verdict for _, _, right in cases) / len(cases)
            self.assertGreater(share, 0.05, f"nearly all cases are {'wrong' if verdict else 'right'}: they say nothing")

    def changed_examples(self, count):
        generator = random.Random(SEED)
        for name, right in examples():
            for value in mutate.changed_values(generator, right, validate.schemas()[name], int(count * CASES)):
                yield name, value

    def test_values(self):
        cases = []
        for name, value in self.changed_examples(60):
            text = mutate.text_of(value).encode()
            cases.append((name, text, not validate.mistakes(name, json.loads(text), strict=False)))
        self.compare(cases)

    def test_requests(self):
        """A request is taken where its schema takes it. Unknown types have no schema; without an id they are ignored."""
        cases = []
        for name, value in self.changed_examples(200):
            if name.startswith("client/") and isinstance(value, dict) and f"client/{value.get('type')}" in validate.schemas():
                wrong = validate.mistakes(f"client/{value['type']}", value, strict=False)
                try:
                    cases.append(("request", mutate.text_of(value).encode(), not wrong and beyond_schema(value)))
                except Undecided:
                    pass
        self.assertGreater(len(cases), 100)
        self.compare(cases)

    def test_how_far_colliders_reach(self):
        """Random chains of transforms, under which about half of the colliders reach too far."""
        generator = random.Random(SEED)
        cases, kinds = [], set()
        for _ in range(int(4000 * CASES)):
            value = random_collider(generator)
            try:
                right = beyond_schema(value)
            except Undecided:
                continue
            kinds.add((value["type"], value["unity_collider"]["type"], right))
            cases.append(("request", mutate.text_of(value).encode(), right))
        self.compare(cases)
        self.assertEqual(len(kinds), 14, "each kind of collider is there, right and wrong")

    def test_texts(self):
        generator = random.Random(SEED)
        lines = [line.encode() for name in ("server.jsonl", "client.jsonl") for line in example_lines(name)]
        lines += [mutate.text_of([*mutate.WORDS, *mutate.NUMBERS, *mutate.OTHERS]).encode(), b"0", b'""', b"[]", b"-1.5e+3",
                  b"\xef\xbb\xbf{}"]
        texts = lines + [mutate.changed_text(generator, generator.choice(lines)) for _ in range(int(6000 * CASES))]
        self.compare([("json", text, is_strict_json(text)) for text in texts])


def random_collider(generator):
    """A request that is right but for how far it reaches."""
    def size():
        return generator.choice((-1, 1)) * 10 ** generator.uniform(-1, 2.5)

    def transform():
        q = [generator.gauss(0, 1) for _ in range(4)]
        whole = {"position": [size() for _ in range(3)], "rotation": [part / math.hypot(*q) for part in q],
                 "scale": [size() for _ in range(3)]}
        return {key: whole[key] for key in whole if generator.random() < 0.6}
    shape = generator.choice(({"type": "sphere", "radius": size()}, {"type": "box", "size": [size(), size(), size()]},
                              {"type": "capsule", "radius": size(), "height": size(), "direction": generator.randrange(3)},
                              {"type": "mesh", "vertices": [[size() for _ in range(3)] for _ in range(4)],
                               "triangles": [[0, 1, 2], [0, 2, 3]]},
                              {"type": "terrain", "columns": 2, "rows": 3, "spacing": [abs(size()), 1], "heights": [0] * 6}))
    is_blade = shape["type"] in ("sphere", "capsule") and generator.random() < 0.6
    if is_blade:
        shape["radius"] *= 1e-3
    if shape["type"] in ("sphere", "box", "capsule") and generator.random() < 0.5:
        shape["center"] = [size() for _ in range(3)]
    if shape["type"] == "sphere" and generator.random() < 0.5:
        shape["sphere_rule"] = "column"
    shape["transforms"] = [transform() for _ in range(generator.randrange(4))]
    return {"type": "blade" if is_blade else "target", "id": 1, "name": "any", "unity_collider": shape,
            **({"device": "any/device"} if is_blade else {})}


def as_floats(numbers):
    """As clashd keeps them; None where one does not fit."""
    try:
        return [struct.unpack("<f", struct.pack("<f", number))[0] for number in numbers]
    except OverflowError:
        return None


def right_axis(blade):
    """A capsule's or a part's numbers fit, and an edge has a length."""
    vectors = [as_floats(vector) for key in ("base", "tip", "edge") if key in blade for vector in [blade[key]]]
    vectors += map(as_floats, blade.get("points", []))
    return None not in vectors and ("edge" not in blade or math.hypot(*as_floats(blade["edge"])) > 0)


def right_parts(parts):
    names = [part["name"] for part in parts]
    return (len(set(names)) == len(names) and all(len(name.encode()) <= 31 for name in names) and all(map(right_axis, parts)) and
            all(("base" in part, "tip" in part) == (("points" not in part),) * 2 for part in parts) and
            sum(len(part.get("points", "ab")) - 1 for part in parts) <= 16)


SHAPES = ("sphere", "capsule", "box", "mesh", "terrain", "unity_collider")
NUMBERS = ("center", "radius", "base", "tip", "size", "orientation", "vertices", "spacing", "heights", "height", "scale",
           "position", "rotation")


def flat(value):
    """All numbers in lists of lists."""
    return [number for part in value for number in flat(part)] if isinstance(value, list) else [value]


def numbers_fit(shape):
    return all(as_floats(flat(shape[key])) is not None for key in NUMBERS if key in shape)


def is_unit(quaternion):
    return as_floats(quaternion) is not None and abs(math.hypot(*as_floats(quaternion)) - 1) <= 0.01


def right_mesh(mesh):
    return (mesh.keys() >= {"vertices", "triangles"} and
            all(corner < len(mesh["vertices"]) for triangle in mesh["triangles"] for corner in triangle))


def right_terrain(terrain):
    return (terrain.keys() >= {"columns", "rows", "spacing", "heights"} and min(as_floats(terrain["spacing"])) > 0 and
            len(terrain["heights"]) == terrain["columns"] * terrain["rows"])


def right_collider(collider, is_blade=False):
    needs = {"sphere": {"radius"}, "capsule": {"radius", "height"}, "box": {"size"}}.get(collider["type"], set())
    transforms = collider.get("transforms", [])
    if not numbers_fit(collider) or not all(map(numbers_fit, transforms)) or not collider.keys() >= needs:
        return False
    if not all(is_unit(transform.get("rotation", [0, 0, 0, 1])) for transform in transforms):
        return False
    if not {"mesh": right_mesh, "terrain": right_terrain}.get(collider["type"], lambda _: True)(collider):
        return False
    share = unity_reach.share(collider, is_blade)
    if 0.999 < share < 1.001:
        raise Undecided
    return share < 1


def right_shape(kind, shape):
    if not numbers_fit(shape):
        return False
    if kind in ("mesh", "terrain"):
        return "file" not in shape and {"mesh": right_mesh, "terrain": right_terrain}[kind](shape)
    return kind != "box" or is_unit(shape.get("orientation", [0, 0, 0, 1]))


def right_target(request):
    kinds = [kind for kind in SHAPES if kind in request]
    if len(kinds) != 1 or len(request.get("device", "").encode()) > 127:
        return False
    shape = request[kinds[0]]
    if "device" in request and "terrain" in (kinds[0], shape.get("type")):
        return False
    if kinds == ["unity_collider"]:
        return "position" not in request and "orientation" not in request and right_collider(shape)
    return (as_floats(request.get("position", [])) is not None and is_unit(request.get("orientation", [0, 0, 0, 1])) and
            right_shape(kinds[0], shape))


def right_blade(request):
    beside = [key in request for key in ("base", "tip", "radius")]
    if len(request["device"].encode()) > 127:
        return False
    if "unity_collider" in request:
        return (not any(beside) and "parts" not in request and right_axis({key: request[key] for key in ("edge",) if key in request}) and
                right_collider(request["unity_collider"], is_blade=True))
    if "parts" in request:
        return not any(beside) and "edge" not in request and right_parts(request["parts"])
    return all(beside) and right_axis(request)


def right_stage(stage):
    return as_floats(stage["position"]) is not None and is_unit(stage["orientation"])


def beyond_schema(request):
    """What no schema says: bytes of names, numbers that fit their types, lengths."""
    if request["type"] in ("blade", "target", "remove") and len(request["name"].encode()) > 63:
        return False
    if request["type"] == "record":
        return request["action"] != "mark" or "text" in request
    if request["type"] == "blade":
        return right_blade(request)
    if request["type"] == "target":
        return right_target(request)
    if request["type"] == "poses":
        return all(len(pose["device"].encode()) <= 127 for pose in request["poses"]) # numbers are judged pose by pose
    if request["type"] == "feed":
        stage = {"device": "stage", **request["stage"], "valid": True} if "stage" in request else None
        return (stage is None or right_stage(stage)) and len(request.get("space", "").encode()) <= 63 and all(len(name.encode()) <= 127 for name in request["devices"])
    return all(len(name.encode()) <= 127 for name in request.get("blades", []))


if __name__ == "__main__":
    if not VALIDATE_LINES.exists():
        tree.skip(f"{VALIDATE_LINES} has not been built")
    unittest.main()
