"""Blades made of several parts, from end to end: pushed by a client and configured; the part that is hit is named; a pair
has one contact however many parts touch; recordings carry the parts, and the same events are found in them."""
import json
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import validate  # noqa: E402

RECORDING = clashd.DATA / "duel-20s.jsonl"
CURVE = {"name": "blade", "points": [[0, 0, -0.0625], [0, 0, -0.5], [0, 0.25, -1]], "radius": 0.0125, "edge": [0, -1, 0]}
GUARD = {"name": "guard", "base": [-0.125, 0, -0.0625], "tip": [0.125, 0, -0.0625], "radius": 0.01}
SABRE = {"name": "sabre", "device": "npc/hand", "parts": [CURVE, GUARD]}
STICK = {"name": "stick", "device": "wall/device", "base": [-0.01, 0, 0], "tip": [0.01, 0, 0], "radius": 0.015}
PATIENT = {"contact": {"max_gap_ms": 10000, "hold_rate_hz": 1000}, "socket": {"push_timeout_ms": 60000}}


def pose(device, position):
    return {"device": device, "position": position, "orientation": [0, 0, 0, 1]}


def events_of(lines):
    return [m for m in map(json.loads, lines) if m["type"] in ("clash", "hold", "release", "tracking", "space_changed")]


def half_and_half(name, device):
    """The default blade in two pieces."""
    return {"name": name, "device": device, "parts": [
        {"name": "lower", "base": [0, 0, -0.05], "tip": [0, 0, -0.5], "radius": 0.015, "edge": [0, -1, 0]},
        {"name": "upper", "base": [0, 0, -0.5], "tip": [0, 0, -1], "radius": 0.015, "edge": [0, -1, 0]}]}


class Swords(clashd.TestCase):
    def config(self, **settings):
        path = self.home / "settings.json"
        path.write_text(json.dumps(settings))
        return path

    def start(self, *words, **settings):
        self.recording = self.home / "recording.jsonl"
        self.daemon = clashd.Daemon("--config", self.config(**settings), "--record", self.recording, *words, home=self.home)
        self.addCleanup(self.daemon.process.wait)
        self.addCleanup(self.daemon.process.kill)

    def connect(self):
        client = self.daemon.connect()
        self.addCleanup(client.close)
        return client

    def ok(self, client, **message):
        reply = client.request({"id": "r", **message})
        self.assertEqual(reply["type"], "ok", reply)

    def move(self, client, position):
        """Stick there, and the sabre where it is, at the same time, later than all before."""
        time.sleep(0.005)
        now = time.monotonic_ns() - int(client.hello["epoch_monotonic_ns"])
        self.ok(client, type="poses", time_ns=now, poses=[pose("npc/hand", [0, 1, 0]), pose("wall/device", position)])

    def test_the_part_that_is_hit_is_named(self):
        self.start("--source", "none", **PATIENT)
        client, watcher = self.connect(), self.connect()
        self.assertIn("parts", client.hello["capabilities"])
        watcher.subscribe()
        self.ok(client, type="blade", **SABRE)
        self.ok(client, type="blade", **STICK)
        with self.daemon.connect() as late:
            listed = [blade for blade in late.hello["blades"] if blade["name"] == "sabre"][0]
        self.assertEqual([part["name"] for part in listed["parts"]], ["blade", "guard"])
        self.assertEqual(listed["parts"][0]["points"][2], [0, 0.25, -1])
        self.assertEqual(listed["parts"][1]["points"], [[-0.125, 0, -0.0625], [0.125, 0, -0.0625]])
        self.assertEqual(listed["tip"], [0, 0.25, -1])
        # Down onto the guard's end and up again; down onto the blade, then along it and out along the guard, and up.
        for x, y, z in ((0.1, 1.5, -0.0625), (0.1, 1.0, -0.0625), (0.1, 1.5, -0.0625),
                        (0, 1.5, -0.3125), (0, 1.01, -0.3125), (0, 1.01, -0.0625), (0.1, 1.01, -0.0625), (0.1, 1.5, -0.0625)):
            self.move(client, [x, y, z])
        got = watcher.read_until(lambda m: m["type"] == "release" and m["id"] == 2)
        clashes = [m for m in got if m["type"] == "clash"]
        self.assertEqual([m["blades"] for m in clashes], [["sabre", "stick"]] * 2)
        self.assertEqual([m["parts"] for m in clashes], [["guard", None], ["blade", None]])
        self.assertTrue(0.85 < clashes[0]["along"][0] < 0.95, clashes[0]["along"])  # the stick is parallel to it
        self.assertAlmostEqual(clashes[0]["distance"], 0.025, 6)
        self.assertNotIn("edge_alignment", clashes[0])
        self.assertAlmostEqual(clashes[1]["distance"], 0.0275, 6)
        length = 0.4375 + (0.25 ** 2 + 0.5 ** 2) ** 0.5
        self.assertAlmostEqual(clashes[1]["along"][0], 0.25 / length, 3)
        self.assertAlmostEqual(clashes[1]["edge_alignment"][0], -1, 5)
        self.assertIsNone(clashes[1]["edge_alignment"][1])
        held = [m["parts"][0] for m in got if m["type"] == "hold" and m["id"] == 2]
        self.assertEqual(sorted(set(held)), ["blade", "guard"])
        self.replays_alike(watcher)

    def replays_alike(self, watcher):
        """Stops clashd: its recording is valid, and clashctl detect finds in it the same events, to the bit."""
        self.assertEqual(self.daemon.stop(), 0)
        lines = self.recording.read_text().splitlines()
        for line in lines + watcher.lines:
            self.assertEqual(validate.check(line), [], line)
        recorded = [line for line in lines if '"id"' in line]
        found = [line for line in clashd.detect(self.recording, home=self.home) if '"id"' in line]
        self.assertGreater(len(recorded), 0)
        self.assertEqual(found, recorded)
        verified = clashd.clashctl("verify", self.recording, home=self.home)
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        # And served as if it happened now, with the blades that the client had defined.
        copy = self.home / "copy.jsonl"
        clashd.Daemon("--config", self.config(**PATIENT), "--source", f"replay:{self.recording}", "--speed", "max", "--record",
                      copy, "--exit-at-end", home=self.home, listening=False).wait()
        self.assertEqual([line for line in copy.read_text().splitlines() if '"id"' in line], recorded)
        # What was defined before the first pose stands in the copy's header.
        defined = [json.loads(line) for line in lines if line.startswith('{"type":"blade"') and '"parts":[{' in line]
        header = json.loads(copy.read_text().splitlines()[0])
        for blade in defined[-1:]:
            [copied] = [one for one in header["blades"] if one["name"] == blade["name"]]
            self.assertEqual(copied, {key: blade[key] for key in copied})

    def test_what_is_wrong_is_told(self):
        self.start("--source", "none")
        client = self.connect()
        for wrong, words in (({"parts": []}, "parts: expected an array of 1 to 16"),
                             ({"parts": [CURVE, CURVE]}, "parts[1].name: \"blade\""),
                             ({"edge": [0, 1, 0]}, "edge: stands beside parts")):
            reply = client.request({"type": "blade", "id": 7, **SABRE, **wrong})
            self.assertEqual((reply["type"], reply["code"]), ("error", "bad_message"))
            self.assertIn(words, reply["message"])
        self.ok(client, type="blade", **SABRE)
        path = self.config(blades=[{"name": "a", "device": "/user/hand/left", "parts": [GUARD, {**GUARD, "egde": [1, 0, 0]}]}])
        done = clashd.clashctl("detect", RECORDING, "--config", path, home=self.home)
        self.assertEqual(done.returncode, 2)
        self.assertIn("blades[0].parts[1]: unknown key \"egde\", is it \"edge\"?", done.stderr)

    def test_two_halves_are_the_whole(self):
        """On human swings; and what is configured is in the recording's header."""
        halves = [half_and_half("left", "/user/hand/left"), half_and_half("right", "/user/hand/right")]
        whole = events_of(clashd.detect(RECORDING, home=self.home))
        found = clashd.detect(RECORDING, "--config", self.config(blades=halves), home=self.home)
        split = events_of(found)
        self.assertGreater(sum(m["type"] == "clash" for m in whole), 5)
        self.assertEqual([m["type"] for m in whole], [m["type"] for m in split])
        for a, b in zip(whole, split):
            self.assertLessEqual(abs(a["time_ns"] - b["time_ns"]), 1)
            if "parts" in b:
                self.assertTrue({"lower", "upper"} >= set(b["parts"]), b["parts"])
                self.assertAlmostEqual(a["distance"], b["distance"], 5)
            elif a["type"] == "release":
                self.assertAlmostEqual(a["min_distance"], b["min_distance"], 4)
        self.assertTrue(all("parts" in m for m in split if m["type"] in ("clash", "hold")))
        self.start("--source", f"replay:{RECORDING}", "--speed", "max", blades=halves)
        watcher = self.connect()
        watcher.subscribe(since_seq=0)
        watcher.read_until(lambda m: m["type"] == "tracking" and m["reason"] == "source_ended")
        self.assertEqual(self.daemon.stop(), 0)
        lines = self.recording.read_text().splitlines()
        for line in lines:
            self.assertEqual(validate.check(line), [], line)
        self.assertEqual([part["name"] for part in json.loads(lines[0])["blades"][0]["parts"]], ["lower", "upper"])
        self.assertEqual([line for line in lines if '"parts":["' in line], [line for line in found if '"parts":["' in line])
        again = clashd.detect(self.recording, home=self.home)
        self.assertEqual([line for line in again if '"id"' in line], [line for line in found if '"id"' in line])


if __name__ == "__main__":
    unittest.main()
