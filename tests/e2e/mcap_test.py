"""clashctl convert to MCAP and back: by a reader of its own (support/mcap.py), strict as to the format; messages by their schemas, and
these as Foxglove takes them; what is in them against the recording; damage and hostile files on the way back."""
import json
import math
import os
import random
import shutil
import struct
import subprocess
import sys
import unittest
from pathlib import Path

import jsonschema

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import mcap  # noqa: E402

DUEL = clashd.DATA / "duel-20s.jsonl"
STANDIN = clashd.DATA / "standin-10s.jsonl.zst"
EXAMPLE = clashd.SOURCE / "protocol" / "examples" / "recording.jsonl"
SEED = int(os.environ.get("CLASHD_SEED", "1"), 0)


def closed(schema):
    """With no properties but those that are named, all of which must be there."""
    schema = {key: closed(value) if isinstance(value, dict) else value for key, value in schema.items()}
    if schema.get("type") == "object" and "properties" in schema:
        schema["additionalProperties"] = False
    return schema


def flat(schema, path=""):
    """(path, schema) of each property, however deep."""
    for name, part in schema.get("properties", {}).items():
        yield f"{path}.{name}", part
        yield from flat(part, f"{path}.{name}")
        yield from flat(part.get("items", {}), f"{path}.{name}[]")


def rotate(q, v):
    """By a unit quaternion {x, y, z, w}."""
    x, y, z, w = (q[key] for key in "xyzw")
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]]


def vec(value):
    return [value[key] for key in "xyz"]


@unittest.skipUnless(shutil.which("zstd"), "the program zstd is not installed")
class Case(clashd.TestCase):
    def ctl(self, *words, code=0, **options):
        done = clashd.clashctl(*words, home=self.home, text=False, **options)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done.stdout, done.stderr.decode()

    def convert(self, source):
        return mcap.Mcap(self.ctl("convert", source, "-", "--to", "mcap")[0])

    def write(self, lines, name="r.jsonl"):
        path = self.home / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path


class Format(Case):
    def test_it_is_by_the_specification(self):
        for source in (DUEL, STANDIN, EXAMPLE):
            made = self.convert(source)
            self.assertEqual((made.profile, made.library.split()[0]), ("", "clashd"))
            self.assertGreater(len(made.messages), 10)
        self.assertGreater(len(self.convert(DUEL).chunks), 1)

    def test_a_file_and_a_pipe_have_the_same(self):
        path = self.home / "a.mcap"
        said = self.ctl("convert", DUEL, path)[1]
        self.assertIn("28 contacts", said)
        self.assertEqual(path.read_bytes(), self.ctl("convert", "-", "-", "--to", "mcap", input=DUEL.read_bytes())[0])

    def test_every_message_is_by_its_schema(self):
        for source in (DUEL, EXAMPLE):
            made = self.convert(source)
            for number, (topic, schema) in made.channels.items():
                check = jsonschema.Draft202012Validator(closed(made.schema_of(topic)[1]) if schema else {})
                for _, message in made.topic(topic)[:300]:
                    check.validate(message)

    def test_schemas_are_as_foxglove_reads_them(self):
        """It knows one type for each property, arrays of one kind, and neither arrays of arrays nor $ref."""
        names = set()
        for name, kind, text in self.convert(EXAMPLE).schemas.values():
            schema = json.loads(text)
            names.add(name)
            self.assertEqual(schema["type"], "object")
            for path, part in flat(schema):
                self.assertIn(part.get("type"), ("boolean", "string", "number", "integer", "object", "array"), f"{name}{path}")
                if part["type"] == "array":
                    self.assertIn(part["items"]["type"], ("boolean", "string", "number", "integer", "object"), f"{name}{path}")
        self.assertTrue({"foxglove.FrameTransforms", "foxglove.SceneUpdate", "foxglove.Log"} < names, names)

    def test_nothing_but_a_header(self):
        for lines in ([{"type": "recording", "version": 1, "space": "stage"}],
                      [{"type": "recording", "version": 1, "space": "stage", "blades": []}]):
            made = self.convert(self.write(lines))
            self.assertEqual([value for _, value in made.topic("/recording")], lines)

    def modules(self):
        """Where other people's are."""
        there = os.environ.get("CLASHD_MCAP_NODE")
        if not there:
            self.skipTest("CLASHD_MCAP_NODE names no directory with @mcap/core, @foxglove/schemas and fzstd")
        return there

    def test_foxgloves_own_schemas(self):
        """As it has them in its package @foxglove/schemas: all fields are required there."""
        there = self.modules()
        text = subprocess.run(["node", "-p", "JSON.stringify(require('@foxglove/schemas/jsonschema'))"], cwd=there, check=True,
                              capture_output=True, text=True).stdout
        schemas = {f"foxglove.{name}": schema for name, schema in json.loads(text).items()}
        seen = set()
        for source in (DUEL, EXAMPLE):
            made = self.convert(source)
            for topic, schema in made.channels.values():
                name = made.schemas[schema][0] if schema else ""
                for _, message in made.topic(topic)[:300] if name in schemas else ():
                    jsonschema.Draft7Validator(schemas[name]).validate(message)
                    seen.add(topic)
        self.assertEqual(seen, {"/tf", "/tf_static", "/blades", "/targets", "/sparks", "/log"})

    def test_other_peoples_reader(self):
        """@mcap/core, by its indexes."""
        there = self.modules()
        path = self.home / "a.mcap"
        self.ctl("convert", DUEL, path)
        done = subprocess.run(["node", clashd.SOURCE / "tests" / "support" / "mcap_reader.mjs", path], cwd=there, text=True,
                              capture_output=True, env={**os.environ, "MCAP_MODULES": there})
        self.assertEqual(done.returncode, 0, done.stderr)
        found, made = json.loads(done.stdout), self.convert(DUEL)
        self.assertEqual(found["total"], len(made.messages))
        self.assertEqual(found["topics"], {topic: len(made.topic(topic)) for topic, _ in made.channels.values() if made.topic(topic)})


class Contents(Case):
    def test_frames_are_where_the_devices_are(self):
        made = self.convert(EXAMPLE)
        lines = [json.loads(line) for line in EXAMPLE.read_text().splitlines()]
        epoch = int(lines[0]["epoch_unix_ns"])
        wanted = {(epoch + line["time_ns"], pose["device"]): pose for line in lines if line["type"] == "poses"
                  for pose in line["poses"] if pose.get("valid", True)}
        found = {(time, one["child_frame_id"]): one for time, message in made.topic("/tf") for one in message["transforms"]}
        self.assertEqual(set(found), set(wanted))
        for key, one in found.items():
            self.assertEqual((vec(one["translation"]), [one["rotation"][part] for part in "xyzw"]),
                             (wanted[key]["position"], wanted[key]["orientation"]))
            self.assertEqual((one["timestamp"]["sec"] * 10**9 + one["timestamp"]["nsec"], one["parent_frame_id"]), (key[0], "stage"))
        (_, static), = made.topic("/tf_static")
        up = rotate(static["transforms"][0]["rotation"], (0, 1, 0))
        self.assertLess(math.dist(up, (0, 0, 1)), 1e-6, "what is up in OpenXR is up in Foxglove")

    def test_blades_and_targets_are_drawn_as_they_are(self):
        made = self.convert(EXAMPLE)
        header = json.loads(EXAMPLE.read_text().splitlines()[0])
        first = made.topic("/blades")[0][1]
        self.assertEqual(first["deletions"][0]["type"], 1)
        for entity, blade in zip(first["entities"], header["blades"], strict=True):
            self.assertEqual((entity["id"], entity["frame_id"], entity["frame_locked"]), (blade["name"], blade["device"], True))
            cylinder, = entity["cylinders"]
            half = rotate(cylinder["pose"]["orientation"], (0, 0, cylinder["size"]["z"] / 2))
            ends = sorted([[a + s * b for a, b in zip(vec(cylinder["pose"]["position"]), half)] for s in (-1, 1)])
            for end, wanted in zip(ends, sorted([blade["base"], blade["tip"]]), strict=True):
                self.assertLess(math.dist(end, wanted), 1e-6)
            self.assertAlmostEqual(cylinder["size"]["x"], 2 * blade["radius"], 6)
        # npc/7 came and went before the next poses; the ground stayed.
        self.assertEqual([[one["id"] for one in message["entities"]] for _, message in made.topic("/targets")], [["ground"]])
        ground, = made.topic("/targets")[0][1]["entities"]
        self.assertEqual((len(ground["triangles"][0]["points"]), len(ground["triangles"][0]["indices"])), (4, 6))

    def test_every_way_a_blade_can_point(self):
        generator = random.Random(SEED)
        tips = [[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)] + \
               [[generator.uniform(-1, 1) for _ in range(3)] for _ in range(30)] + [[1e-4, 0, -1], [0, 1e-6, -1], [0, 0, -1 - 1e-7]]
        header = {"type": "recording", "version": 1, "space": "stage", "blades": [
            {"name": f"b{i}", "device": f"d{i}", "base": [0, 0, 0], "tip": tip, "radius": 0.01, "edge": [1, 2, 3]}
            for i, tip in enumerate(tips)]}
        made = self.convert(self.write([header, {"type": "poses", "time_ns": 0, "poses": []}]))
        for entity, tip in zip(made.topic("/blades")[0][1]["entities"], tips, strict=True):
            cylinder, arrow = entity["cylinders"][0], entity["arrows"][0]
            end = rotate(cylinder["pose"]["orientation"], (0, 0, cylinder["size"]["z"]))
            self.assertLess(min(math.dist(end, tip), math.dist(end, [-part for part in tip])), 2e-3, tip)
            edge = rotate(arrow["pose"]["orientation"], (1, 0, 0))
            self.assertLess(math.dist(edge, [part / math.sqrt(14) for part in (1, 2, 3)]), 1e-6)

    def test_events_are_those_that_are_found(self):
        made = self.convert(DUEL)
        events = [json.loads(line) for line in clashd.detect(DUEL, home=self.home)]
        for kind in ("clash", "hold", "release"):
            wanted = [event for event in events if event["type"] == kind]
            found = made.topic(f"/{kind}")
            self.assertEqual([(time, message["id"], message["seq"]) for time, message in found],
                             [(event["time_ns"], event["id"], event["seq"]) for event in wanted])
            for (_, message), event in zip(found, wanted):
                self.assertEqual([message["blade"], message["other_blade"]], event["blades"])
                for name in {"closing_speed", "intensity", "min_distance", "reason", "tracked"} & set(event):
                    self.assertEqual(message[name], event[name], name)
                if kind != "release":
                    self.assertEqual((vec(message["midpoint"]), vec(message["normal"])), (event["midpoint"], event["normal"]))
        sparks = made.topic("/sparks")
        self.assertEqual(len(sparks), len(made.topic("/clash")))
        for (time, spark), (_, clash) in zip(sparks, made.topic("/clash")):
            self.assertEqual(spark["entities"][0]["spheres"][0]["pose"]["position"], clash["midpoint"])
        counts = [message["open"] for _, message in made.topic("/contacts")]
        self.assertEqual((counts[0], counts[-1], max(counts)), (0, 0, 1))

    def test_speeds_are_those_of_info(self):
        info = json.loads(self.ctl("info", DUEL, "--json")[0])
        speeds = self.convert(DUEL).topic("/speeds")
        for blade, device in zip(info["blades"], info["devices"]):
            found = [(one["tip"], one["grip"]) for _, message in speeds for one in message["blades"] if one["blade"] == blade["name"]]
            self.assertEqual(len(found), blade["tip_speed"]["count"])
            self.assertEqual((max(found)[0], max(grip for _, grip in found)), (blade["tip_speed"]["max"], device["grip_speed"]["max"]))

    def test_the_log_says_what_happened(self):
        said = [message["message"] for _, message in self.convert(EXAMPLE).topic("/log")]
        for part in ("gap: lines are missing", "the left hand goes behind the back", "/user/hand/left is not tracked any more",
                     "the reference space moved"):
            self.assertTrue(any(part in text for text in said), (part, said))


class Back(Case):
    def test_it_is_the_same_to_the_byte(self):
        for source in (DUEL, STANDIN, EXAMPLE):
            plain = self.ctl("convert", source, "-")[0]
            made = self.ctl("convert", source, "-", "--to", "mcap")[0]
            self.assertEqual(self.ctl("convert", "-", "-", input=made)[0], plain)
            self.assertEqual(self.ctl("convert", "-", "-", "--from", "mcap", input=made)[0], plain)
        path = self.home / "a.mcap"
        path.write_bytes(made)
        self.ctl("convert", path, self.home / "a.jsonl.zst")
        self.assertIn("identical", self.ctl("verify", self.home / "a.jsonl.zst")[0].decode())

    def test_times_before_the_epoch_and_out_of_order(self):
        header = {"type": "recording", "version": 1, "space": "stage"}
        pose = {"device": "/user/hand/left", "position": [0, 0, 0], "orientation": [0, 0, 0, 1], "tracked": True}
        lines = [header] + [{"type": "poses", "time_ns": time_ns, "poses": [pose]} for time_ns in (-5, 0, 20, 10, 2**53 - 1)]
        source = self.write(lines)
        made = self.convert(source)
        self.assertEqual([time for time, _ in made.topic("/recording")], [0, 0, 0, 20, 10, 2**53 - 1])
        self.assertEqual(self.ctl("convert", "-", "-", input=made.data)[0], source.read_bytes())

    def test_a_torn_file_gives_what_is_in_it(self):
        made = self.ctl("convert", DUEL, "-", "--to", "mcap")[0]
        whole = mcap.Mcap(made)
        torn, back = self.home / "torn.mcap", self.home / "back.jsonl"
        torn.write_bytes(made[:whole.chunks[-1]["offset"] + 100])
        self.assertIn("ends too early", self.ctl("convert", torn, back, code=2)[1])
        lines = back.read_bytes()
        self.assertTrue(DUEL.read_bytes().startswith(lines) and lines.count(b"\n") > 100)

    def test_damage_is_left_out_and_said(self):
        made = bytearray(self.ctl("convert", DUEL, "-", "--to", "mcap")[0])
        chunk = mcap.Mcap(bytes(made)).chunks[1]
        made[chunk["offset"] + chunk["length"] // 2] ^= 1
        out, said = self.ctl("convert", "-", "-", input=bytes(made))
        self.assertIn("damaged, and left out: 1 chunks", said)
        lines = DUEL.read_bytes().splitlines()
        self.assertTrue(set(out.splitlines()) < set(lines) and len(out.splitlines()) > 100)

    def test_files_of_other_tools(self):
        """Chunks that are not compressed, whose size is not in the frame, without checksums; messages outside of chunks."""
        lines = EXAMPLE.read_bytes().splitlines()
        channel = mcap.record(mcap.CHANNEL, struct.pack("<HH", 7, 0) + mcap.text("/recording") + mcap.text("json") + bytes(4))
        records = [mcap.record(mcap.MESSAGE, struct.pack("<HIQQ", 7, i, 0, 0) + line) for i, line in enumerate(lines)]
        inside = b"".join([channel, mcap.record(mcap.CHANNEL, struct.pack("<HH", 8, 0) + mcap.text("/a") + mcap.text("json") + bytes(4)),
                           mcap.record(mcap.MESSAGE, struct.pack("<HIQQ", 8, 0, 0, 0) + b"{}"), *records])
        streamed = subprocess.run(["zstd", "-cq", "-"], input=inside, capture_output=True, check=True).stdout
        end = mcap.record(mcap.DATA_END, bytes(4)) + mcap.record(mcap.FOOTER, bytes(20)) + mcap.MAGIC
        for body in (mcap.chunk("", inside, inside), mcap.chunk("zstd", streamed, inside), channel + b"".join(records),
                     mcap.chunk("zstd", streamed, inside) + mcap.record(0x81, b"of an application's own")):
            data = mcap.MAGIC + mcap.record(mcap.HEADER, mcap.text("") + mcap.text("other")) + body + end
            self.assertEqual(self.ctl("convert", "-", "-", input=data)[0], EXAMPLE.read_bytes())
        data = mcap.MAGIC + mcap.chunk("lz4", inside, inside) + end
        self.assertIn("by other means than zstd", self.ctl("convert", "-", "-", input=data, code=2)[1])

    def test_hostile_files(self):
        """Whatever is in it, it ends well, in memory that does not follow its numbers."""
        small = self.ctl("convert", EXAMPLE, "-", "--to", "mcap")[0]
        generator = random.Random(SEED)
        huge = mcap.MAGIC + b"\x06" + (2**63).to_bytes(8, "little")
        large = mcap.MAGIC + b"\x06" + (60 << 20).to_bytes(8, "little") + b"\0" * 100
        cases = [mcap.MAGIC, mcap.MAGIC * 2, huge, large, small[:8] + small[-37:], mcap.MAGIC + bytes(1000)]
        for _ in range(60):
            changed = bytearray(small[:generator.randrange(9, len(small))] if generator.random() < 0.3 else small)
            for _ in range(generator.randrange(1, 6)):
                changed[generator.randrange(8, len(changed))] = generator.randrange(256)
            cases.append(bytes(changed))
        for number, data in enumerate(cases):
            done = subprocess.run([clashd.CLASHCTL, "convert", "-", "-"], input=data, capture_output=True)
            self.assertIn(done.returncode, (0, 2), f"seed {SEED}, case {number}: {done.stderr}")
            self.assertTrue(done.stderr, number)
        none = self.home / "none.jsonl"
        other = self.home / "other.mcap"
        other.write_bytes(small.replace(b"/recording", b"/elsewhere"))
        self.assertIn("there is no recording in it", self.ctl("convert", other, none, code=2)[1])
        self.assertFalse(none.exists())

    def test_what_else_it_is_not(self):
        path = self.home / "a.mcap"
        self.ctl("convert", EXAMPLE, path)
        done = subprocess.run([clashd.CLASHD, "--source", f"replay:{path}"], env=clashd.environment(self.home), capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("is an MCAP file; expected a recording", done.stderr)
        self.assertIn("File exists", self.ctl("convert", EXAMPLE, path, code=2)[1])

    def test_full_disks_and_readers_that_go_away(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([clashd.CLASHCTL, "convert", DUEL, "-", "--to", "mcap"], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"standard output: No space left on device", done.stderr)
        process = subprocess.Popen([clashd.CLASHCTL, "convert", DUEL, "-", "--to", "mcap"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.close()
        self.assertEqual((process.stderr.read(), process.wait()), (b"", 0))
        process.stderr.close()


if __name__ == "__main__":
    unittest.main()
