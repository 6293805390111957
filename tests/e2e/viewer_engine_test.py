"""What decides in the page: clashd's own rooms as WebAssembly, in Node. The same events as clashctl detect gives, byte for byte; the same
damage by line and reason; the rows of clashctl tune; the table of clashctl convert; what samples alone see."""
import json
import os
import random
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import viewer_page  # noqa: E402

RUN = Path(viewer_page.__file__).with_name("viewer_engine.mjs")
SWINGS = clashd.DATA / "duel-20s.jsonl"
EXAMPLE = clashd.SOURCE / "protocol" / "examples" / "recording.jsonl"
STANDIN = clashd.DATA / "standin-10s.jsonl.zst"
RECORDINGS = [SWINGS, clashd.DATA / "duel-start-5s.jsonl", STANDIN, EXAMPLE]
POSES = ('{"type":"poses","time_ns":%s,"poses":[{"device":"/user/hand/left","position":[0,1,0],"orientation":[0,0,0,1]%s}]}')


class Engine(clashd.TestCase):
    def setUp(self):
        super().setUp()
        self.engine = viewer_page.engine(self.home)

    def node(self, command, file, settings=None):
        run = subprocess.run(["node", RUN, self.engine, command, file, json.dumps(settings)], capture_output=True, text=True,
                             timeout=clashd.WAIT_S)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def ask(self, *words):
        return json.loads(self.node(*words))

    def ctl(self, *words):
        return clashd.clashctl(*words, home=self.home)

    def unpacked(self, file):
        if file.suffix != ".zst":
            return file
        plain = self.home / file.stem
        plain.write_bytes(subprocess.run(["zstdcat", file], capture_output=True, check=True).stdout)
        return plain

    def test_the_same_events_to_the_byte(self):
        for file in RECORDINGS:
            with self.subTest(file.name):
                events = self.node("detect", file)
                self.assertEqual(events, self.ctl("detect", str(file)).stdout)
                if file.with_suffix(".events").exists():
                    self.assertEqual(events, file.with_suffix(".events").read_text())

    def test_other_settings(self):
        for contact in ({"margin": 0.05}, {"max_gap_ms": 11}, {"min_closing_speed": 20, "hold_rate_hz": 90}, {"release_margin": 0.3}):
            words = [f"--set=contact.{key}={value}" for key, value in contact.items()]
            events = self.ctl("detect", str(SWINGS), *words).stdout
            self.assertEqual(self.node("detect", SWINGS, {"contact": contact}), events, contact)
            self.assertNotEqual(events, (clashd.DATA / "duel-20s.events").read_text())

    def test_wrong_settings_are_refused_in_clashds_words(self):
        run = subprocess.run(["node", RUN, self.engine, "detect", SWINGS, '{"contact":{"margn":1}}'], capture_output=True, text=True, check=False)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn('contact: unknown key "margn", is it "margin"?', run.stderr)

    def test_outlines_are_those_that_clashd_tells(self):
        """Of everything that a client may define, recorded by clashd: the same numbers as by `outlines`; nothing of what is in a file."""
        targets = [{"name": "ball", "position": [1, 2, 3], "sphere": {"radius": 0.5, "center": [0.25, 0, 0]}},
                   {"name": "pill", "device": "cart", "position": [0, 0, 1], "capsule": {"base": [0, 0, 0], "tip": [0, 1, 0], "radius": 0.2}},
                   {"name": "crate", "orientation": [0, 0.6, 0, 0.8], "box": {"size": [1, 2, 3]}},
                   {"name": "tent", "position": [0, 0.5, 0], "mesh": {"vertices": [[-1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0.5, 1]],
                                                                      "triangles": [[0, 1, 2], [0, 1, 3]]}},
                   {"name": "hull", "device": "cart", "mesh": {"convex": True, "vertices": [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]}},
                   {"name": "ground", "terrain": {"columns": 60, "rows": 60, "spacing": [0.5, 0.5], "heights": [i % 7 for i in range(3600)]}}]
        recording = self.home / "targets.jsonl"
        with clashd.Daemon("--source", "none", "--record", recording, home=self.home) as daemon, daemon.connect() as client:
            for target in targets:
                self.assertEqual(client.request({"type": "target", "id": 1, **target})["type"], "ok")
            self.assertEqual(client.request({"type": "poses", "id": 2, "poses": [
                {"device": "cart", "position": [0, 0, 0], "orientation": [0, 0, 0, 1]}]})["type"], "ok")
            told, following = {}, {}
            while following is not None:
                page = client.request({"type": "outlines", "id": 3, **following})
                for target in page["targets"]:
                    told.setdefault(target["name"], {"device": target.get("device", ""), "simplified": target.get("simplified", False),
                                                     "lines": []})["lines"] += [x for line in target["lines"] for x in line]
                following = {"from_target": page["next_target"], "from_line": page["next_line"]} if "next_target" in page else None
        copy = self.home / "copy.jsonl"
        lines = [line for line in recording.read_text().splitlines() if '"remove"' not in line]
        lines.insert(1, json.dumps({"type": "target", "time_ns": 0, "name": "far", "position": [1, 2, 3],
                                    "mesh": {"file": "/tmp/far.obj", "scale": 1}}))
        copy.write_text("".join(f"{line}\n" for line in lines))
        found = self.ask("outlines", copy)
        self.assertIsNone(found["again"], "they come anew though nothing has changed")
        far = found["outlines"].pop(0)
        self.assertEqual((far["name"], far["lines"], far["position"]), ("far", None, [1, 2, 3]))
        self.assertIn("/tmp/far.obj", far["problem"])
        self.assertEqual([target["name"] for target in found["outlines"]], [target["name"] for target in targets])
        self.assertTrue(told["ground"]["simplified"])
        for target in found["outlines"]:
            one = told[target["name"]]
            self.assertEqual((target["device"], target["simplified"]), (one["device"], one["simplified"]))
            self.assertEqual(len(target["lines"]), len(one["lines"]))
            self.assertTrue(all(abs(a - b) <= 1e-7 * max(1, abs(b)) for a, b in zip(target["lines"], one["lines"], strict=True)), target["name"])

    def test_nothing_is_imported(self):
        self.assertEqual(self.ask("imports", SWINGS), [])

    def damaged(self):
        lines = SWINGS.read_text().splitlines()[:400]
        wrong = ["{", "[1]", '{"type":"poses"}', '{"type":"nothing known"}', "", "  \r", '{"type":"poses","type":"poses"}', "\ufeff" + lines[20],
                 POSES % ("1e999", ""), POSES % ("1.5", ""), POSES % (5, ',"tracked":7'), '{"type":"mark","time_ns":1,"text":"a <b>mark</b>"}',
                 '{"type":"clash","seq":1}', '{"type":"remove","time_ns":1}', '{"type":"blade","time_ns":1,"name":"x","device":"d"}',
                 '{"type":"poses","time_ns":1,"poses":"' + "x" * 70000 + '"}', POSES % (900000000000, ""), "nul\0l", '{"a":"\\ud800"}', "9" * 80,
                 '{"type":"target","time_ns":1,"name":"t","box":{"size":[1,1,1]},"sphere":{"radius":1}}',
                 '{"type":"target","time_ns":1,"name":"t","mesh":{"vertices":[[0,0,0]],"triangles":[[0,0,9]]}}']
        for number, line in enumerate(wrong):
            lines.insert(30 + 15 * number, line)
        file = self.home / "damaged.jsonl"
        file.write_bytes("\n".join(lines).encode() + b"\n" + (POSES % (6000000000, ""))[:50].encode())
        return file

    def said(self, file):
        """The first places of damage as clashctl says them, by line with the reason; and how many there are."""
        told = self.ctl("detect", str(file)).stderr
        places = re.findall(r"damaged\.jsonl:(\d+): left out: (.*)", told)
        return {int(line): reason for line, reason in places}, int(re.search(r"damaged lines: (\d+)", told)[1])

    def test_damage_is_named_by_line_and_reason_as_clashctl_does(self):
        file = self.damaged()
        summary = self.ask("summary", file)
        expected, count = self.said(file)
        found = {row["line"]: row["reason"] for row in summary["damage"]}
        self.assertEqual((len(expected), summary["damageCount"]), (10, count))
        for line, reason in expected.items():
            self.assertEqual(found.get(line), reason)
        self.assertEqual(summary["counts"]["torn"], 1)
        self.assertEqual(summary["counts"]["unknown"], 1)
        self.assertIn(" s ahead of the poses before and after it", " ".join(found.values()))
        self.assertEqual(summary["marks"][0]["text"], "a <b>mark</b>")
        self.assertEqual(self.node("detect", file), self.ctl("detect", str(file)).stdout)

    def test_mutated_recordings_give_what_clashctl_gives(self):
        rng = random.Random(20261123)
        source = EXAMPLE.read_bytes()
        for _ in range(int(os.environ.get("CLASHD_MUTATIONS", "2"))):
            text = bytearray(source)
            for _ in range(rng.randrange(1, 6)):
                text[rng.randrange(200, len(text))] = rng.choice(b'0159-.eE"{}[],:\n\\tfnu \x00\xff')
            file = self.home / "mutated.jsonl"
            file.write_bytes(text)
            self.assertEqual(self.node("detect", file), self.ctl("detect", str(file)).stdout, bytes(text))

    def test_a_file_that_is_none_says_what_was_expected(self):
        for text, words in (("", "is empty"), ("hello\n", "expected a header"), ('{"type":"recording","version":9,"space":"stage"}\n', "newer than"),
                            ("x" * 70000 + "\n", "longer than 64 KiB")):
            file = self.home / "wrong.jsonl"
            file.write_text(text)
            summary = self.ask("summary", file)
            self.assertIsNone(summary["header"])
            self.assertIn(words, summary["failure"])

    def test_compressed_damage_costs_its_frame(self):
        frames = []
        lines = SWINGS.read_bytes().splitlines(keepends=True)
        for first in range(0, len(lines), 300):
            frames.append(subprocess.run(["zstd", "-q", "-c"], input=b"".join(lines[first:first + 300]), capture_output=True, check=True).stdout)
        whole = self.home / "whole.jsonl.zst"
        whole.write_bytes(b"".join(frames))
        self.assertEqual(self.node("detect", whole), (clashd.DATA / "duel-20s.events").read_text())
        broken = bytearray(frames[2])
        broken[6:200] = bytes(194)
        file = self.home / "broken.jsonl.zst"
        file.write_bytes(b"".join([*frames[:2], bytes(broken), *frames[3:-1], frames[-1][:-40]]))
        summary = self.ask("summary", file)
        self.assertEqual(summary["counts"]["torn"], 1)
        self.assertGreaterEqual(summary["counts"]["damaged"], 1)
        self.assertGreater(summary["counts"]["entries"], 1000)
        self.assertTrue(all("compressed data" in row["reason"] for row in summary["damage"]), summary["damage"])

    def test_one_flipped_bit_is_found_by_the_checksum(self):
        """In a literal of a compressed line, so that it decompresses to other numbers: the frame is left out, as clashctl leaves it out."""
        lines = SWINGS.read_bytes().splitlines(keepends=True)
        frames = [subprocess.run(["zstd", "-q", "-c", "--check"], input=b"".join(lines[first:first + 300]), capture_output=True, check=True).stdout
                  for first in range(0, len(lines), 300)]
        file, tried, passed = self.home / "flipped.jsonl.zst", 0, random.Random(1)
        while tried == 0:
            broken = bytearray(frames[2])
            at = passed.randrange(20, len(broken))
            broken[at] ^= 1 << passed.randrange(8)
            run = subprocess.run(["zstd", "-q", "-d", "-c", "--no-check"], input=bytes(broken), capture_output=True, check=False)
            if run.returncode or run.stdout == b"".join(lines[600:900]):
                continue  # found without a checksum, or in what is not looked at
            file.write_bytes(b"".join([*frames[:2], bytes(broken), *frames[3:]]))
            summary = self.ask("summary", file)
            self.assertEqual(len(summary["damage"]), 1, (at, summary["damage"]))
            self.assertIn("the compressed data is damaged", summary["damage"][0]["reason"])
            if "checksum is not that" not in summary["damage"][0]["reason"]:
                continue  # found before: matches that point to nowhere
            tried += 1
            self.assertEqual(self.node("detect", file), self.ctl("detect", str(file)).stdout, at)

    def test_a_torn_frame_and_a_large_one(self):
        data, file = SWINGS.read_bytes(), self.home / "one.jsonl.zst"
        whole = subprocess.run(["zstd", "-q", "-c", "--check"], input=data, capture_output=True, check=True).stdout
        self.assertGreater(len(data), 1 << 19)
        for cut in (1, len(whole) // 2):
            file.write_bytes(whole[:len(whole) - cut])
            self.assertEqual(self.node("detect", file), self.ctl("detect", str(file)).stdout, cut)

    def test_tune_gives_clashctls_rows(self):
        for key, values, settings in (("contact.margin", "0:0.1:0.05", lambda v: {"contact": {"margin": v}}),
                                      ("contact.release_margin", "0:0.2:0.1", lambda v: {"contact": {"release_margin": v}}),
                                      ("contact.max_gap_ms", "9:29:10", lambda v: {"contact": {"max_gap_ms": v}})):
            rows = [json.loads(line) for line in self.ctl("tune", str(SWINGS), f"{key}={values}", "--json").stdout.splitlines()]
            found = self.ask("tune", SWINGS, [settings(row["value"]) for row in rows])
            self.compare(rows, found)

    def test_tuned_blades_give_clashctls_rows(self):
        for changes, sets in (({"left": {"radius": 0.05, "hilt": 0, "tip": 0}}, ["blades.left.radius=0.05"]),
                              ({"left": {"hilt": 0.1, "tip": 0.25}, "right": {"radius": 0.03, "hilt": 0, "tip": -0.5}},
                               ["blades.left.base=[0,0,-0.15]", "blades.left.tip=[0,0,-1.25]", "blades.right.tip=[0,0,-0.5]",
                                "blades.right.radius=0.03"])):
            made = self.ask("settings", SWINGS, {"blades": changes})
            words = [word for one in sets for word in ("--set", one)]
            rows = [json.loads(self.ctl("tune", str(SWINGS), "contact.margin=0.01:0.01", *words, "--json").stdout)]
            self.compare(rows, self.ask("tune", SWINGS, [{**made["over"], "contact": {"margin": 0.01}}]))

    def compare(self, rows, found):
        self.assertGreater(len(rows), 0)
        for row, other in zip(rows, found):
            for name in ("contacts", "holds", "closing_speed", "intensity"):
                self.assertEqual(other[name], row[name], name)
            self.assertAlmostEqual(other["contacts_per_minute"], row["contacts_per_minute"], 4)
            self.assertEqual(clashd_float(other["min_distance"]), clashd_float(row["min_distance"]))
            for name in ("median", "p90", "max"):
                self.assertEqual(clashd_float(other["duration_s"][name]), clashd_float(row["duration_s"][name]))

    def test_copied_settings_are_a_configuration(self):
        changes = {"margin": 0.02, "release_margin": 0.01, "max_gap_ms": 50, "blades": {"left": {"radius": 0.04, "hilt": -0.05, "tip": 0.1}}}
        for file in (SWINGS, EXAMPLE):
            path = self.home / "settings.json"
            path.write_text(json.dumps(self.ask("settings", file, changes)["file"]))
            run = subprocess.run([clashd.CLASHD, "--check-config", "--config", path], capture_output=True, text=True, timeout=clashd.WAIT_S,
                                 env=clashd.environment(self.home))
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            tuned = self.ctl("detect", str(file), "--config", str(path)).stdout
            self.assertEqual(self.node("detect", file, self.ask("settings", file, changes)["over"]), tuned)

    def test_the_table_is_clashctls(self):
        for file in (SWINGS, EXAMPLE):
            rows = self.ctl("detect", str(file), "--csv").stdout.splitlines()
            found = self.node("csv", file).splitlines()
            self.assertEqual(found[0], rows[0])
            self.assertEqual([values(row) for row in found[1:]], [values(row) for row in rows[1:]])

    def test_each_contact_is_drawn_where_the_radii_meet(self):
        contacts = self.ask("contacts", SWINGS)
        self.assertEqual(len(contacts), 28)
        for contact in contacts:
            self.assertAlmostEqual(contact["distance"], 0.03, 6)
            self.assertAlmostEqual(contact["hit"], contact["start"], delta=1)
            self.assertEqual(contact["path"], [5, 5])
        missed = [contact for contact in contacts if contact["seen"] is False]
        self.assertEqual(len(missed), 17)
        for contact in missed:
            self.assertFalse(any(end["touching"] for end in contact["ends"]))
            self.assertGreater(min(end["distance"] for end in contact["ends"]), 0.03)


def clashd_float(number):
    """As nine digits, which tell every float32."""
    return f"{number:.9g}"


def values(row):
    """Cells of a table, numbers as what they are."""
    cells = []
    for cell in row.split(","):
        try:
            cells.append(float(cell))
        except ValueError:
            cells.append(cell)
    return cells


if __name__ == "__main__":
    # Of the page's own packages it takes one; those of its tests are asked for so that they do not come while it runs.
    reason = viewer_page.missing_engine() or (viewer_page.missing_packages("--dev") and viewer_page.missing_packages())
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main()
