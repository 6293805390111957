"""clashctl info, detect and verify for programs: --json by the schemas, --csv as a table, and nothing else on standard output;
exit codes as without them. Speeds of grips and tips, and which of them are remarked."""
import csv
import io
import json
import math
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import validate  # noqa: E402

DUEL = clashd.DATA / "duel-20s.jsonl"
DOCUMENT = (clashd.SOURCE / "protocol" / "RECORDING.md").read_text()
HAND = "/user/hand/left"
NASTY = "=HYPERLINK(\"x\"),\n'a"


def pose(device=HAND, position=(0, 1, 0), orientation=(0, 0, 0, 1), **more):
    return {"device": device, "position": list(position), "orientation": list(orientation), "tracked": True, **more}


def about_y(angle):
    return 0, math.sin(angle / 2), 0, math.cos(angle / 2)


class Case(clashd.TestCase):
    def ctl(self, *words, code=0, **options):
        done = clashd.clashctl(*words, home=self.home, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout

    def record(self, frames, name="r.jsonl", blades=(("left", HAND, 1.0),), **header):
        """frames: (time_ns, poses)."""
        header = {"type": "recording", "version": 1, "space": "stage", **header,
                  "blades": [{"name": blade, "device": device, "base": [0, 0, 0], "tip": [0, 0, -length], "radius": 0.02}
                             for blade, device, length in blades]}
        lines = [header, *({"type": "poses", "time_ns": time_ns, "poses": poses} if isinstance(poses, list) else poses
                           for time_ns, poses in frames)]
        path = self.home / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    def info(self, path, code=0, **options):
        text = self.ctl("info", path, "--json", code=code, **options)
        self.assertEqual(text.count("\n"), 1)
        self.assertEqual(validate.check(text.rstrip("\n"), "report"), [])
        return json.loads(text)

    def table(self, *words, **options):
        text = self.ctl(*words, "--csv", **options)
        names, *rows = csv.reader(io.StringIO(text, newline=""))
        return [dict(zip(names, row, strict=True)) for row in rows]


class Speeds(Case):
    def test_of_grip_and_tip_by_hand(self):
        """1 m/s sideways; then 2 rad/s about the grip, so that the tip of 0.75 m goes at 1.5 m/s on its arc."""
        frames = [(i * 10_000_000, [pose(position=(i * 0.01, 1, 0))]) for i in range(51)]
        frames += [(500_000_000 + i * 10_000_000, [pose(position=(0.5, 1, 0), orientation=about_y(i * 0.02))]) for i in range(1, 51)]
        info = self.info(self.record(frames, blades=(("left", HAND, 0.75),)))
        grip, tip = info["devices"][0]["grip_speed"], info["blades"][0]["tip_speed"]
        self.assertEqual((grip["count"], tip["count"]), (100, 100))
        self.assertAlmostEqual(grip["max"], 1, 4)
        self.assertAlmostEqual(tip["max"], 1.5, 4)
        self.assertAlmostEqual(grip["p99"], 1, delta=0.01)
        self.assertAlmostEqual(tip["median"], 1, delta=0.01)
        self.assertAlmostEqual(tip["p90"], 1.5, delta=0.015)
        self.assertEqual((tip["implausible"], info["remarks"]), (0, []))

    def test_a_large_turn_is_an_arc(self):
        """A third of a turn in 20 ms: the chord would give 86.6 m/s in the place of 104.7."""
        info = self.info(self.record([(0, [pose()]), (20_000_000, [pose(orientation=about_y(2 * math.pi / 3))])]))
        tip = info["blades"][0]["tip_speed"]
        self.assertAlmostEqual(tip["max"], 2 * math.pi / 3 / 0.02, 3)
        self.assertAlmostEqual(tip["max_turned"], 2 * math.pi / 3, 5)
        self.assertEqual(tip["max_moved"], 0)

    def test_jumps_are_remarked_and_teleports_that_are_said_are_not(self):
        frames = [(i * 10_000_000, [pose(position=(0.001 * i, 1, 0))]) for i in range(20)]
        frames += [(200_000_000, [pose(position=(3, 1, 0))]), (210_000_000, [pose(position=(3, 1, 0))])]
        info = self.info(self.record(frames))
        grip = info["devices"][0]["grip_speed"]
        self.assertEqual((grip["implausible"], grip["first_implausible_ns"], grip["max_time_ns"], grip["max_interval_ns"]),
                         (1, 200_000_000, 200_000_000, 10_000_000))
        self.assertAlmostEqual(grip["max"], 298.1, 2)
        self.assertEqual(len(info["remarks"]), 2)
        self.assertIn("grip of /user/hand/left: over 20 m/s in 1 of 21 samples, first at 0.200 s", info["remarks"][0])
        said = self.ctl("info", self.home / "r.jsonl")
        self.assertIn("remarks   grip of", said)
        self.assertIn("grip median 0.10, 90 % 0.10, 99 % 297", said)
        for what in ({"teleport": True}, {"valid": False}):
            changed = [(time_ns, [{**one, **what} for one in poses] if time_ns == 200_000_000 else poses) for time_ns, poses in frames]
            self.assertEqual(self.info(self.record(changed))["remarks"], [], what)

    def test_a_pose_that_is_a_frame_late_is_no_jump(self):
        """One interval without motion, and the next with twice its speed; a jump stays one."""
        at = [15 * 0.01 * i for i in range(20)]
        at[10] = at[9]
        frames = [(i * 10_000_000, [pose(position=(x, 1, 0))]) for i, x in enumerate(at)]
        info = self.info(self.record(frames))
        self.assertAlmostEqual(info["devices"][0]["grip_speed"]["max"], 30, 3)
        self.assertEqual((info["devices"][0]["grip_speed"]["implausible"], info["remarks"]), (0, []))
        frames = [(time_ns, [pose(position=(poses[0]["position"][0] + (0.5 if time_ns >= 100_000_000 else 0), 1, 0))]) for time_ns, poses in frames]
        self.assertEqual(self.info(self.record(frames))["devices"][0]["grip_speed"]["implausible"], 2)

    def test_a_real_persons_swings_are_plausible(self):
        """But for one instant in which the tip turned 144 degrees in 11 ms, which no hand does."""
        info = self.info(DUEL)
        self.assertEqual([device["grip_speed"]["implausible"] for device in info["devices"]], [0, 0])
        self.assertEqual([blade["tip_speed"]["implausible"] for blade in info["blades"]], [1, 0])
        self.assertIn("first at 18.984 s", info["remarks"][0])
        shown = clashd.clashctl("info", DUEL, home=self.home).stdout
        self.assertIn("peak 161.52 m/s at 15.808 s (after a slow interval: a pose came late)", shown)
        self.assertIn("peak 256.51 m/s at 18.984 s\n", shown)

    def test_nothing_is_measured_across_what_cuts_a_track(self):
        far, near = pose(position=(5, 1, 0)), pose()
        for cut in ({"type": "space_changed", "seq": 1, "time_ns": 5},
                    {"type": "tracking", "seq": 1, "time_ns": 5, "device": HAND, "tracked": False, "reason": "lost"},
                    {"type": "gap", "time_ns": 5, "from_ns": 1, "lines": 3, "open_contacts": 0}):
            info = self.info(self.record([(0, [near]), (5, cut), (10_000_000, [far])]))
            self.assertNotIn("grip_speed", info["devices"][0], cut["type"])
        # An orientation of length 0, as in headsets' first frames, and a gap of more than max_gap_ms.
        for frames in ([(0, [pose(orientation=(0, 0, 0, 0))]), (10_000_000, [far])], [(0, [near]), (101_000_000, [far])],
                       [(10_000_000, [near]), (0, [far])]):
            self.assertNotIn("grip_speed", self.info(self.record(frames))["devices"][0])

    def test_parts_and_blades_that_come_later(self):
        blade = {"type": "blade", "time_ns": 1, "name": "npc", "device": "npc", "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.01,
                 "parts": [{"name": "long", "base": [0, 0, 2], "tip": [0, 0, 1], "radius": 0.01},
                           {"name": "short", "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.01}]}
        frames = [(0, [pose()]), (1, blade)] + [(i * 10_000_000, [pose("npc", orientation=about_y(i * 0.1))]) for i in range(1, 4)]
        info = self.info(self.record(frames))
        self.assertEqual([(blade["name"], blade["device"]) for blade in info["blades"]], [("left", HAND), ("npc", "npc")])
        self.assertAlmostEqual(info["blades"][1]["tip_speed"]["max"], 20, 3)  # the end of `long`


class Reports(Case):
    def test_info_says_the_same_in_all_forms(self):
        info, rows, said = self.info(DUEL), self.table("info", DUEL), self.ctl("info", DUEL)
        self.assertEqual([row["kind"] for row in rows], ["recording", "device", "device", "blade", "blade"])
        self.assertEqual((int(rows[0]["contacts"]), int(rows[0]["samples"])), (info["contacts"], info["frames"]))
        self.assertAlmostEqual(float(rows[0]["duration_s"]), info["duration_ns"] * 1e-9, 8)
        for row, speeds in zip(rows[1:], [device["grip_speed"] for device in info["devices"]] +
                               [blade["tip_speed"] for blade in info["blades"]]):
            for name in ("median", "p90", "p99", "max"):
                self.assertAlmostEqual(float(row[f"speed_{name}"]), speeds[name], 4)
            self.assertEqual(int(row["implausible"]), speeds["implausible"])
            self.assertIn(f"peak {speeds['max']:.2f} m/s at {speeds['max_time_ns'] * 1e-9:.3f} s", said)
        for remark in info["remarks"]:
            self.assertIn(remark, said)

    def test_the_document_lists_the_columns(self):
        for command in ("info", "verify"):
            part = DOCUMENT.split(f"\n### {command}\n")[1].split("\n#")[0].split("| columns |")[1]
            listed = [word.strip(" `") for line in part.splitlines() if line.startswith("| `")
                      for word in line.split("|")[1].split(",")]
            self.assertEqual(listed, list(self.table(command, self.recorded())[0]), command)

    def recorded(self):
        """What clashd writes of the duel."""
        path = self.home / "recorded.jsonl"
        if not path.exists():
            with clashd.Daemon("--source", f"replay:{DUEL}", "--speed", "max", "--exit-at-end", "--record", path,
                               home=self.home) as daemon:
                self.assertEqual(daemon.wait(), 0)
        return path

    def verify(self, path, code):
        """Its line of JSON, which says the same as its row."""
        text = self.ctl("verify", path, "--json", code=code)
        self.assertEqual(text.count("\n"), 1)
        self.assertEqual(validate.check(text.rstrip("\n"), "report"), [])
        found, (row,) = json.loads(text), self.table("verify", path, code=code)
        for name in ("verdict", "compared", "clashes", "frames", "gaps", "passed", "behind_damage", "damaged", "torn"):
            self.assertEqual(row[name], str(found[name]), name)
        self.assertEqual(row["difference_reason"], found.get("difference", {}).get("reason", ""))
        return found

    def test_verify_and_its_verdicts(self):
        path = self.recorded()
        lines = path.read_text().splitlines(keepends=True)
        found = self.verify(path, 0)
        events = sum(json.loads(line)["type"] not in ("recording", "poses") for line in lines)
        self.assertEqual((found["verdict"], found["compared"]), ("identical", events))
        first = next(i for i, line in enumerate(lines) if '"type":"clash"' in line)
        other = self.home / "other.jsonl"
        changed = lines[first].replace('"slide_speed":', '"slide_speed":1', 1)
        self.assertNotEqual(changed, lines[first])
        other.write_text("".join([*lines[:first], changed, *lines[first + 1:]]))
        found = self.verify(other, 1)
        self.assertEqual((found["verdict"], found["difference"]["line"]), ("different", first + 1))
        self.assertEqual((found["difference"]["recorded"], found["difference"]["found"]), (changed.rstrip(), lines[first].rstrip()))
        other.write_text("".join([*lines[:first], "{\n", *lines[first:]]))
        self.assertEqual(self.verify(other, 1)["verdict"], "damaged")
        self.assertEqual(self.verify(DUEL, 2)["verdict"], "no_events")
        self.assertIn(f"'clashctl detect {DUEL}' finds its clashes", clashd.clashctl("verify", DUEL, home=self.home).stderr)

    def test_detect(self):
        lines = self.ctl("detect", DUEL)
        self.assertEqual(self.ctl("detect", DUEL, "--json"), lines)
        contacts = self.home / "contacts.csv"
        self.ctl("convert", DUEL, contacts)
        self.assertEqual(self.ctl("detect", DUEL, "--csv"), contacts.read_text())
        # With other settings it finds others.
        more = self.table("detect", DUEL, "--set", "contact.margin=0.05")
        self.assertGreater(len(more), len(self.table("detect", DUEL)))


class Hostile(Case):
    def test_what_is_no_recording_prints_nothing(self):
        empty = self.home / "empty.jsonl"
        empty.write_text("")
        for command in ("info", "detect", "verify"):
            for form in ("--json", "--csv"):
                for path in (empty, self.home / "none", self.home):
                    self.assertEqual(self.ctl(command, path, form, code=2), "", (command, form, path))

    def test_a_header_alone(self):
        path = self.record([])
        info = self.info(path)
        self.assertEqual((info["frames"], info["duration_ns"], info["rate_hz"], info["max_closing_speed"]), (0, 0, 0, None))
        self.assertEqual(len(self.table("info", path)), 2)
        self.assertEqual(self.table("detect", path), [])

    def test_damage_is_counted_and_said_elsewhere(self):
        path = self.record([(0, [pose()]), (10_000_000, [pose()])])
        path.write_bytes(path.read_bytes() + b'{"type":"poses"}\n{"type":"weather"}\n\xff\xfe\n{"type":"po')
        done = clashd.clashctl("info", path, "--json", home=self.home)
        self.assertEqual(validate.check(done.stdout.rstrip("\n"), "report"), [])
        lines = json.loads(done.stdout)["lines"]
        self.assertEqual((lines["damaged"], lines["torn"], lines["unknown"]), (2, 1, 1))
        self.assertIn("left out", done.stderr)

    def test_names_stay_text(self):
        """Quotes, commas, newlines and formulas: one cell each, which no spreadsheet computes."""
        device = "@SUM(1;2)\t\"x"
        crossing = [pose(device, (0, 1, 0)), pose("other", (-0.5, 1, -0.5), (0, -math.sqrt(0.5), 0, math.sqrt(0.5)))]
        apart = [crossing[0], {**crossing[1], "position": [-0.5, 2, -0.5]}]
        frames = [(i * 10_000_000, crossing if i % 2 else apart) for i in range(10)]
        path = self.record(frames, name="+1,\"2\"\n.jsonl", blades=((NASTY, device, 1), ("-other", "other", 1)))
        rows = self.table("info", path)
        self.assertEqual([(row["name"], row["device"]) for row in rows[3:]],
                         [("'" + NASTY, "'" + device), ("'-other", "other")])
        self.assertEqual({row["file"] for row in rows}, {str(path)})
        contacts = self.table("detect", path)
        self.assertEqual({(row["blade"], row["other_blade"]) for row in contacts}, {("'" + NASTY, "'-other")})
        self.assertGreater(len(contacts), 3)
        self.assertEqual(self.info(path)["blades"][0]["name"], NASTY)
        path.rename(self.home / "=1.jsonl")
        self.assertIn("\n'=1.jsonl,recording,", self.ctl("info", "=1.jsonl", "--csv", cwd=self.home))

    def test_full_disks_and_readers_that_go_away(self):
        path = self.recorded_of_many()
        for command in ("info", "detect", "verify"):
            code = 2 if command == "verify" else 0
            for form in ("--json", "--csv"):
                with open("/dev/full", "w") as full:
                    done = subprocess.run([clashd.CLASHCTL, command, path, form], stdout=full, stderr=subprocess.PIPE, text=True)
                self.assertEqual(done.returncode, 2, (command, form))
                self.assertIn("standard output: No space left on device", done.stderr, (command, form))
                process = subprocess.Popen([clashd.CLASHCTL, command, path, form], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                process.stdout.close()
                said = process.stderr.read().decode()
                process.stderr.close()
                self.assertEqual(process.wait(), code, (command, form, said))
                self.assertNotIn("standard output", said)

    def recorded_of_many(self, count=2000):
        """So many contacts, of one frame each."""
        here = pose(HAND, (0, 1, 0))
        there = [pose("other", (-0.5, y, -0.5), (0, -math.sqrt(0.5), 0, math.sqrt(0.5))) for y in (1.0, 1.1)]
        lines = [[here, there[i % 2]] for i in range(2)]
        return self.record(((i * 10_000_000, lines[i % 2]) for i in range(2 * count)), name="many.jsonl",
                           blades=(("left", HAND, 1), ("other", "other", 1)))

    def test_very_many_contacts(self):
        count = 1_000_000 if os.environ.get("CLASHD_MILLION") else 5000
        path = self.recorded_of_many(count)
        process = subprocess.Popen([clashd.CLASHCTL, "detect", path, "--csv"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        rows = sum(1 for _ in process.stdout) - 1
        process.stdout.close()
        self.assertEqual((process.wait(), rows), (0, count))
        self.assertEqual(self.info(path)["contacts"], count)

    def test_standard_input(self):
        for how in ({"input": DUEL.read_text()}, {"stdin": open(DUEL)}):
            info = self.info("-", **how)
            self.assertEqual((info["file"], info["frames"]), ("-", 1801))
            for stream in how.values():
                if hasattr(stream, "close"):
                    stream.close()
        self.assertEqual(self.ctl("detect", "-", input=DUEL.read_text()), self.ctl("detect", DUEL))
        # A file of that name is another one.
        (self.home / "-").write_text("")
        self.assertEqual(self.ctl("info", "./-", code=2, cwd=self.home), "")
        self.assertIn("cannot be read more than once",
                      clashd.clashctl("tune", "-", "contact.margin=0:0.1", home=self.home, input=DUEL.read_text()).stderr)


if __name__ == "__main__":
    unittest.main()
