"""Targets, from end to end: the configured ones of the example that daemon/demo.sh shows, struck by human swings through the
whole daemon; a client's own; recordings that carry both, and in which the same events are found."""
import json
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import validate  # noqa: E402

RECORDING = clashd.DATA / "duel-20s.jsonl"
EXAMPLE = clashd.SOURCE / "protocol" / "examples" / "config-targets.json"
PATIENT = {"contact": {"max_gap_ms": 10000, "hold_rate_hz": 1000}, "socket": {"push_timeout_ms": 60000}}
STICK = {"name": "stick", "device": "npc/hand", "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.01}


def contacts_of(lines):
    return [line for line in lines if '"id":' in line and json.loads(line)["type"] in ("clash", "hold", "release")]


class Targets(clashd.TestCase):
    def start(self, *words):
        self.recording = self.home / "recording.jsonl"
        self.daemon = clashd.Daemon("--record", self.recording, *words, home=self.home)
        self.addCleanup(self.daemon.process.wait)
        self.addCleanup(self.daemon.process.kill)

    def connect(self):
        client = self.daemon.connect()
        self.addCleanup(client.close)
        return client

    def ok(self, client, **message):
        reply = client.request({"id": "r", **message})
        self.assertEqual(reply["type"], "ok", reply)

    def recorded(self):
        """Stops clashd. Its recording is valid, and holds what detect finds in it; the contact lines of it."""
        self.assertEqual(self.daemon.stop(), 0)
        lines = self.recording.read_text().splitlines()
        for line in lines:
            self.assertEqual(validate.check(line), [], line)
        found = contacts_of(clashd.detect(self.recording, home=self.home))
        self.assertEqual(found, contacts_of(lines))
        verified = clashd.clashctl("verify", self.recording, home=self.home)
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        return found

    def test_human_swings_strike_a_shield_a_pillar_and_the_ground(self):
        found = contacts_of(clashd.detect(RECORDING, "--config", EXAMPLE, home=self.home))
        struck = {}
        for message in map(json.loads, found):
            if message["type"] == "clash" and "target" in message:
                self.assertEqual(message["blades"][1], message["target"])
                self.assertNotEqual(message["blades"], ["left", "shield"])  # both are in the left hand
                self.assertEqual("triangle" in message, message["target"] == "ground")
                struck[message["target"]] = struck.get(message["target"], 0) + 1
        self.assertEqual(set(struck), {"shield", "pillar", "ground"})
        self.assertGreater(min(struck.values()), 10)
        # The same contacts between blades as without any target.
        def between_blades(lines):
            return [(m["time_ns"], m["midpoint"]) for m in map(json.loads, lines) if m["type"] == "clash" and "target" not in m]
        alone = contacts_of(clashd.detect(RECORDING, home=self.home))
        self.assertEqual(between_blades(found), between_blades(alone))
        # And live.
        self.start("--config", EXAMPLE, "--source", f"replay:{RECORDING}", "--speed", "max")
        watcher = self.connect()
        self.assertEqual([t["name"] for t in watcher.hello["targets"]], ["pillar", "shield", "ground"])
        watcher.subscribe(since_seq=0)
        watcher.read_until(lambda m: m["type"] == "tracking" and m["reason"] == "source_ended")
        self.assertEqual(self.recorded(), found)

    def test_a_clients_own_target(self):
        path = self.home / "settings.json"
        path.write_text(json.dumps(PATIENT))
        self.start("--config", path, "--source", "none")
        client, watcher = self.connect(), self.connect()
        self.assertIn("targets", client.hello["capabilities"])
        watcher.subscribe()
        self.ok(client, type="blade", **STICK)
        self.ok(client, type="target", name="wall", position=[0, 1, -3], box={"size": [2, 2, 4.5]})
        for y in (2.5, 1.9, 2.5):  # the wall's upper face is at 2
            time.sleep(0.005)
            self.ok(client, type="poses", time_ns=time.monotonic_ns() - int(client.hello["epoch_monotonic_ns"]),
                    poses=[{"device": "npc/hand", "position": [0, y, -1], "orientation": [0, 0, 0, 1]}])
        clash, release = [m for m in watcher.read_until(lambda m: m["type"] == "release") if m["type"] in ("clash", "release")]
        self.assertEqual((clash["blades"], clash["target"], release["target"]), (["stick", "wall"], "wall", "wall"))
        self.assertAlmostEqual(clash["points"][1][1], 2, 5)
        self.assertAlmostEqual(clash["surface_normal"][1], 1, 5)
        self.assertAlmostEqual(clash["crossing_angle"], 0, 3)
        client.close()  # and all that was its own goes
        deadline = time.monotonic() + clashd.WAIT_S
        while self.connect().hello.get("targets") and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertFalse(self.connect().hello.get("targets"))
        self.assertEqual(len(self.recorded()) >= 2, True)


if __name__ == "__main__":
    unittest.main()
