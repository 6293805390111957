"""A game feeds the hands that clashd has from the stand-in OpenXR runtime: it takes over, stops, falls silent, comes back and goes;
what was recorded meanwhile gives the same events again."""
import json
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import validate  # noqa: E402

MANIFEST = clashd.BUILD / "daemon" / "runtime" / "clash_runtime.json"
HANDS = ["/user/hand/left", "/user/hand/right"]
BLADES = [{"name": hand.rsplit("/", 1)[1], "device": hand, "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.02}
          for hand in HANDS]
EVENTS = ["clash", "hold", "release", "tracking", "space_changed"]
KATANA = {"name": "left", "device": HANDS[0], "base": [0, 0, 0], "tip": [0, 0, -2], "radius": 0.02}


@unittest.skipUnless(MANIFEST.exists(), "the stand-in runtime has not been built")
class Feed(clashd.TestCase):
    def start(self, *words, **env):
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({"blades": BLADES, "contact": {"max_gap_ms": 900}, "socket": {"push_timeout_ms": 1000}}))
        self.recording = self.home / "recording.jsonl"
        self.log = self.home / "runtime.log"
        self.daemon = clashd.Daemon("--config", settings, "--record", self.recording, *words, home=self.home, env={
            "XR_RUNTIME_JSON": MANIFEST, "CLASH_RUNTIME_SCRIPT": "crossing", "CLASH_RUNTIME_LOG": self.log, **env})
        self.addCleanup(self.daemon.process.kill)
        self.game, self.watcher = self.connect(), self.connect()
        self.game.subscribe(events=EVENTS)
        self.watcher.subscribe(events=EVENTS)

    def connect(self):
        client = self.daemon.connect()
        self.addCleanup(client.close)
        return client

    def ok(self, client, **message):
        """What came before the reply."""
        client.send({"id": "r", **message})
        *before, reply = client.read_until(lambda m: m.get("id") == "r" and m["type"] in ("ok", "error"))
        self.assertEqual(reply["type"], "ok", reply)
        return before

    def feed(self, client, devices=HANDS, **more):
        self.ok(client, type="feed", devices=devices, **more)

    def push(self, client, right_y, **more):
        """Both hands, the left one still at 1.2 m, 100 m from where the runtime has them."""
        poses = [{"device": hand, "position": [100, y, 0], "orientation": [0, 0, 0.5 ** 0.5, 0.5 ** 0.5] if hand == HANDS[1]
                  else [0, 0, 0, 1], **more} for hand, y in zip(HANDS, (1.2, right_y))]
        return self.ok(client, type="poses", poses=poses)

    def sources(self, key="source"):
        status = self.game.request({"type": "status", "id": "s"})
        return [device.get(key) for device in status["devices"]]

    def wait_for(self, kind):
        return self.watcher.read_until(lambda m: m["type"] == kind)[-1]

    def wait_for_switch(self, source):
        self.assertEqual(self.wait_for("space_changed").get("source"), source)

    def swing(self, client):
        """From 0.3 m above the left hand's blade to 0.3 m below: all that this causes, by the time that it is done."""
        seen = []
        for step in range(13):
            seen += self.push(client, 1.5 - 0.05 * step)
            time.sleep(0.01)
        return seen

    def test_takes_over_stops_falls_silent_comes_back_and_goes(self):
        self.start()
        self.wait_for("clash")
        self.assertEqual(self.sources(), ["openxr", "openxr"])
        self.feed(self.game, space="origin")
        self.wait_for_switch_of_push("game")
        self.assertEqual(self.sources(), ["game", "game"])
        self.assertEqual(self.sources("space"), ["origin", "origin"])
        with self.daemon.connect() as late:
            self.assertIn("feed", late.hello["capabilities"])
            self.assertEqual([(d["device"], d["tracked"], d["source"], d["space"]) for d in late.hello["devices"]],
                             [(hand, True, "game", "origin") for hand in HANDS])
        swings = [m for m in self.swing(self.game) if m["type"] == "clash"]
        self.assertEqual([clash["blades"] for clash in swings], [["left", "right"]])
        self.assertAlmostEqual(swings[0]["midpoint"][0], 100, delta=1)
        self.feed(self.game, [])
        self.wait_for_switch("openxr")
        self.assertEqual(self.sources(), ["openxr", "openxr"])
        self.feed(self.game)
        self.wait_for_switch_of_push("game")
        self.wait_for_switch("openxr")  # nothing was sent for a second
        self.wait_for_switch_of_push("game")
        self.game.close()
        self.wait_for_switch("openxr")
        self.wait_for("clash")
        counters = self.watcher.request({"type": "status", "id": "s"})["counters"]
        self.assertEqual(counters["feed_switches"], 12)
        self.replays_alike()

    def wait_for_switch_of_push(self, source):
        """Poses until one has taken over: it says so before the ok."""
        for _ in range(100):
            if any(m["type"] == "space_changed" and m["source"] == source for m in self.push(self.game, 1.5)):
                self.wait_for_switch(source)
                return
        self.fail("the game has not taken over")

    def replays_alike(self):
        """The recording is valid, and is found to be the same by verify, by detect, and when it is played."""
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log)
        lines = self.recording.read_text().splitlines()
        for line in lines:
            self.assertFalse(validate.check(line), line)
        verified = clashd.clashctl("verify", self.recording, home=self.home)
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        events = [line for line in lines[1:] if json.loads(line)["type"] in EVENTS]
        found = [line for line in clashd.detect(self.recording, home=self.home) if "source_ended" not in line]
        self.assertEqual(clashd.unsourced(found)[:len(events)], clashd.unsourced(events))
        again = self.home / "again.jsonl"
        with clashd.Daemon("--source", f"replay:{self.recording}", "--speed", "max", "--exit-at-end", "--record", again,
                           home=self.home) as daemon:
            self.assertEqual(daemon.wait(), 0)
        poses = [[line for line in path.read_text().splitlines() if json.loads(line)["type"] in ("poses", "space_changed")]
                 for path in (self.recording, again)]
        self.assertEqual(*poses)

    def test_a_games_own_blade_and_its_own_vibration(self):
        self.start()
        self.wait_for("clash")
        refusal = self.game.request({"type": "blade", "id": "b", **KATANA})
        self.assertEqual(refusal["code"], "name_taken", refusal)
        self.feed(self.game)
        self.wait_for_switch_of_push("game")
        self.ok(self.game, type="blade", **KATANA)
        clash = [m for m in self.swing(self.game) if m["type"] == "clash"]
        self.assertEqual([sorted(m["blades"]) for m in clash], [["left", "right"]])
        begun_ns = int(self.game.hello["epoch_monotonic_ns"]) + clash[0]["time_ns"]
        ended_ns = time.monotonic_ns()
        self.feed(self.game, [])
        with self.daemon.connect() as late:
            tips = {blade["name"]: blade["tip"][2] for blade in late.hello["blades"]}
        self.assertEqual(tips, {"left": -1, "right": -1})
        self.wait_for_switch("openxr")
        self.wait_for("clash")
        self.replays_alike()
        pulses = [int(line.split()[0]) for line in self.log.read_text().splitlines() if " haptic " in line]
        self.assertEqual([pulse for pulse in pulses if begun_ns < pulse < ended_ns], [])
        self.assertTrue(pulses)

    def test_who_feeds_a_hand_lets_it_vibrate(self):
        """Whoever asked for it, of that rank which feeds the hand; clashd's own session does not, whatever the source."""
        layer_poses = [{"device": HANDS[0], "position": [100, 1.2, 0], "orientation": [0, 0, 0, 1]}]
        stage = {"position": [0, -1.5, 0], "orientation": [0, 0, 0, 1]}
        self.start("--source", "none")
        layer = self.connect()
        self.feed(layer, HANDS[:1], source="layer", haptics=True, stage=stage)
        self.feed(self.game, HANDS[1:], haptics=False)
        self.ok(layer, type="poses", poses=layer_poses)
        self.assertEqual(self.sources("stage"), [stage, None])
        told = []
        for step in range(13):
            pose = {"device": HANDS[1], "position": [100, 1.5 - 0.05 * step, 0], "orientation": [0, 0, 0.5 ** 0.5, 0.5 ** 0.5]}
            told += self.ok(layer, type="poses", poses=layer_poses)
            for line in self.ok(self.game, type="poses", poses=[pose]):
                self.assertNotEqual(line["type"], "haptic")
            time.sleep(0.01)
        clash = self.wait_for("clash")
        told += self.ok(layer, type="ping")
        (pulse,) = [line for line in told if line["type"] == "haptic"]
        self.assertEqual(pulse["device"], HANDS[0])
        self.assertAlmostEqual(pulse["amplitude"], max(clash["intensity"], 0.1), delta=1e-6)
        self.assertTrue(15e6 <= pulse["duration_ns"] <= 45e6, pulse)
        self.feed(self.game, haptics=True)
        self.push(self.game, 1.5, teleport=True)
        seen = self.swing(self.game)
        self.assertEqual([m["device"] for m in seen if m["type"] == "haptic"], HANDS)
        self.assertLess(*[next(i for i, m in enumerate(seen) if m["type"] == kind) for kind in ("clash", "haptic")])
        self.assertEqual(self.ok(layer, type="ping"), [], "the game comes before it")
        for line in [*layer.lines, *self.game.lines]:
            self.assertFalse(validate.check(line), line)
        self.assertNotIn('"type":"haptic"', "".join(self.watcher.lines))
        self.assertNotIn('"type":"haptic"', self.recording.read_text())

    def test_a_wrong_stage(self):
        self.start("--source", "none")
        for stage, word in (({"position": [0, 0, 0], "orientation": [0, 0, 0, 2]}, "unit length"),
                            ({"position": [1e300, 0, 0], "orientation": [0, 0, 0, 1]}, "out of range")):
            refusal = self.game.request({"type": "feed", "id": 1, "devices": HANDS, "stage": stage})
            self.assertEqual(refusal["code"], "bad_message")
            self.assertIn(word, refusal["message"])
        self.feed(self.game)

    def test_who_was_refused_is_told_when_a_feed_ends(self):
        """By a smaller feed, and by a connection that ends; and only who waits."""
        with clashd.Daemon("--source", "none", home=self.home) as daemon, daemon.connect() as waits, daemon.connect() as other:
            for ends in ("feed", "close"):
                with daemon.connect() as first:
                    self.assertEqual(first.request({"type": "feed", "id": 1, "devices": HANDS})["type"], "ok")
                    refusal = waits.request({"type": "feed", "id": 2, "devices": HANDS[:1]})
                    self.assertEqual(refusal["code"], "name_taken", refusal)
                    if ends == "feed":
                        first.send({"type": "feed", "devices": HANDS[1:]})
                        self.assertEqual(waits.read(), {"type": "feed_free"})
                        self.assertEqual(waits.request({"type": "feed", "id": 3, "devices": HANDS[:1]})["type"], "ok")
                        self.assertEqual(waits.request({"type": "feed", "id": 4, "devices": []})["type"], "ok")
                if ends == "close":
                    self.assertEqual(waits.read(), {"type": "feed_free"})
            self.assertEqual(waits.request({"type": "feed", "id": 5, "devices": HANDS})["type"], "ok")
            self.assertEqual(other.request({"type": "ping", "id": 6})["id"], 6)
            for client in (waits, other):
                for line in client.lines:
                    self.assertFalse(validate.check(line), line)

    def test_without_a_source_of_its_own(self):
        self.start("--source", "none")
        self.assertEqual(self.sources(), [None, None])
        self.feed(self.game)
        first = self.push(self.game, 1.5)
        self.assertEqual([(m["type"], m.get("source")) for m in first], [("tracking", "game")] * 2)
        self.assertEqual(self.sources(), ["game", "game"])
        told = [m["type"] for m in self.swing(self.game)]
        self.assertEqual([kind for kind in told if kind != "hold"], ["clash", "release"], told)  # a busy machine takes longer over it
        before = self.push(self.game, 1.5, teleport=True)  # from below to above at once
        self.assertEqual(before, [])
        self.watcher.read_until(lambda m: m["type"] == "tracking" and not m["tracked"])
        self.replays_alike()


if __name__ == "__main__":
    unittest.main()
