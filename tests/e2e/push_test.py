"""Blades that clients push: an NPC's sword at 72 Hz against the player's at 500 Hz from the stand-in OpenXR runtime, held
against an exhaustive search over both recorded motions; and who may push what."""
import json
import math
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import monado_check  # noqa: E402
import validate  # noqa: E402

MANIFEST = clashd.BUILD / "daemon" / "runtime" / "clash_runtime.json"
LEFT = {"name": "left", "device": "/user/hand/left", "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.02}
NPC = {"name": "npc", "device": "npc/hand", "base": [-1.5, 0, 0], "tip": [1.5, 0, 0], "radius": 0.015}
OTHER = {"name": "wall", "device": "wall/device", "base": [-1.5, 0, 0], "tip": [1.5, 0, 0], "radius": 0.015}


def pose(y, device="npc/hand", angle=0.0, **more):
    return {"device": device, "position": [0, y, -0.5], "orientation": [0, 0, math.sin(angle / 2), math.cos(angle / 2)],
            **more}


class Push(clashd.TestCase):
    def start(self, *words, blades=(LEFT,), env=None, **settings):
        path = self.home / "settings.json"
        path.write_text(json.dumps({"blades": list(blades), **settings}))
        self.recording = self.home / "recording.jsonl"
        self.daemon = clashd.Daemon("--config", path, "--record", self.recording, *words, home=self.home, env=env)
        self.addCleanup(self.daemon.process.wait)
        self.addCleanup(self.daemon.process.kill)
        return self.daemon

    def connect(self):
        client = self.daemon.connect()
        self.addCleanup(client.close)
        return client

    def now(self, client):
        return time.monotonic_ns() - int(client.hello["epoch_monotonic_ns"])

    def ok(self, client, **message):
        reply = client.request({"id": "r", **message})
        self.assertEqual(reply["type"], "ok", reply)

    def refused(self, client, code, **message):
        reply = client.request({"id": "r", **message})
        self.assertEqual((reply["type"], reply.get("code")), ("error", code), reply)
        return reply["message"]

    def counters(self, client):
        return client.request({"type": "status", "id": "s"})["counters"]

    def replays_alike(self):
        """Stops clashd: its recording is valid, and clashctl detect finds in it the same events, to the bit."""
        self.assertEqual(self.daemon.stop(), 0)
        lines = self.recording.read_text().splitlines()
        for line in lines:
            self.assertFalse(validate.check(line), line)
        events = [line for line in lines[1:] if json.loads(line)["type"] not in ("poses", "blade", "remove", "equipment")]
        verified = clashd.clashctl("verify", self.recording, home=self.home)
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        found = clashd.detect(self.recording, home=self.home)
        self.assertEqual([line for line in found if "source_ended" not in line][:len(events)],
                         clashd.unsourced(events))
        return lines, [json.loads(line) for line in events]


class Hitch(Push):
    def test_a_strike_within_a_hitch(self):
        """A game at 90 Hz feeds a hand and stops for 55 ms while its sword goes past a post: reported, recorded and found again."""
        self.start("--source", "none")
        game = self.connect()
        reply = game.request({"type": "feed", "id": 1, "devices": ["/user/hand/right"]})
        self.assertEqual((reply["type"], reply["max_gap_ms"]), ("ok", 100))
        self.assertEqual(validate.mistakes("server/ok", reply), [])
        for name, device in (("sword", "/user/hand/right"), ("post", "post")):
            self.ok(game, type="blade", name=name, device=device, base=[-1, 0, 0], tip=[1, 0, 0], radius=0.02)
        game.subscribe()
        begin = self.now(game) - 500_000_000  # so that no time is in the future, however fast this is
        for time_ms in [11 * i for i in range(19)] + [253 + 11 * i for i in range(10)]:
            height = (time_ms - 225) * 0.004
            poses = [pose(height, "/user/hand/right"), pose(0, "post")]
            self.ok(game, type="poses", time_ns=begin + time_ms * 1_000_000, poses=poses)
        clash, release = [json.loads(line) for line in game.lines if '"sword","post"' in line]
        self.assertEqual((clash["type"], clash["interval_ns"]), ("clash", 55_000_000))
        self.assertEqual((release["type"], release["reason"]), ("release", "apart"))
        lines, _ = self.replays_alike()
        joined = [pose["device"] for line in map(json.loads, lines) if line["type"] == "poses"
                  for pose in line["poses"] if pose.get("joined")]
        self.assertEqual(sorted(joined), ["/user/hand/right", "post"])


class Npc(Push):
    def test_against_an_exhaustive_search(self):
        if not MANIFEST.exists():
            self.skipTest(f"{MANIFEST} has not been built")
        # The search does not know a gap by the rate of samples, which a machine that is busy has.
        self.start(env={"XR_RUNTIME_JSON": MANIFEST, "CLASH_RUNTIME_SCRIPT": "crossing"}, contact={"max_gap_ms": 100})
        watcher, npc = self.connect(), self.connect()
        watcher.subscribe(events=["clash", "tracking"], since_seq=0)
        watcher.read_until(lambda m: m["type"] == "tracking" and m["tracked"])
        self.ok(npc, type="blade", **NPC)
        with self.daemon.connect() as late:
            self.assertEqual([blade["name"] for blade in late.hello["blades"]], ["left", "npc"])
        begun = time.monotonic()
        for frame in range(72 * 5):
            time.sleep(max(0.0, begun + frame / 72 - time.monotonic()))
            at = frame / 72
            npc.send({"type": "poses", "time_ns": self.now(npc),
                      "poses": [pose(1.2 + 0.45 * math.sin(5.5 * at), angle=0.2 * math.sin(3 * at))]})
        self.assertGreater(self.counters(npc)["pushed_poses"], 350)
        lines, events = self.replays_alike()
        header = json.loads(lines[0])
        header["blades"].append(NPC)
        kept = [json.dumps(header)]
        for line in map(json.loads, lines[1:]):
            if line["type"] == "poses":
                line["poses"] = [p for p in line["poses"] if p["device"] in ("/user/hand/left", "npc/hand")]
            if line["type"] not in ("blade", "remove"):
                kept.append(json.dumps(line))
        before, monado_check.DEVICES = monado_check.DEVICES, ("/user/hand/left", "npc/hand")
        try:
            worst = monado_check.against_recording(monado_check.Recording(kept))
        finally:
            monado_check.DEVICES = before
        self.assertGreaterEqual(worst.clashes, 5)
        print(f"{worst.clashes} clashes; worst: {worst.start_ns * 1e-6:.4f} ms, {worst.midpoint * 1e3:.4f} mm")


class Owners(Push):
    def setUp(self):
        super().setUp()
        # However long a busy machine takes from one pose to the next.
        self.start("--source", "none", socket={"push_timeout_ms": 60000}, contact={"max_gap_ms": 10000})
        self.a, self.b = self.connect(), self.connect()
        self.watcher = self.connect()
        self.watcher.subscribe()

    def define_both(self):
        self.ok(self.a, type="blade", **NPC)
        self.ok(self.b, type="blade", **{**OTHER, "base": [0, 0, -1], "tip": [0, 0, 1]})

    def of_both(self, *kinds):
        """Events of the two, as the watcher received them."""
        return [m for m in map(json.loads, self.watcher.lines) if m["type"] in kinds and sorted(m.get("blades", [])) == ["npc", "wall"]]

    def touch(self):
        """Both blades are there and touch: until the clash is reported."""
        self.define_both()
        for y in (1.5, 1.0):
            self.ok(self.b, type="poses", poses=[pose(1.2, "wall/device")])
            self.ok(self.a, type="poses", poses=[pose(y)])
        self.ok(self.b, type="poses", poses=[pose(1.2, "wall/device")])
        self.ok(self.a, type="poses", poses=[pose(1.2)])
        self.ok(self.b, type="poses", poses=[pose(1.2, "wall/device")])
        self.ok(self.a, type="poses", poses=[pose(1.2)])
        self.ok(self.b, type="poses", poses=[pose(1.2, "wall/device")])
        clashes = [m for m in self.watcher.read_until(lambda m: m["type"] == "clash")]
        self.watcher.read_until(lambda m: m["type"] == "release")
        second = self.watcher.read_until(lambda m: m["type"] == "clash")[-1]
        self.assertEqual(sorted(second["blades"]), ["npc", "wall"])
        return clashes[-1]["id"], second["id"]

    def test_who_goes_takes_all_along(self):
        _, contact = self.touch()
        self.b.close()
        release = self.watcher.read_until(lambda m: m["type"] == "release")[-1]
        self.assertEqual((release["id"], release["reason"]), (contact, "removed"))
        lost = self.watcher.read_until(lambda m: m["type"] == "tracking")[-1]
        self.assertEqual((lost["device"], lost["tracked"], lost["reason"]), ("wall/device", False, "lost"))
        with self.daemon.connect() as late:
            self.assertEqual([blade["name"] for blade in late.hello["blades"]], ["left", "npc"])
            self.ok(late, type="blade", **OTHER)
        for line in self.watcher.lines:
            self.assertFalse(validate.check(line), line)
        self.replays_alike()

    def test_a_blade_is_removed_or_changed(self):
        _, contact = self.touch()
        before = self.a.request({"type": "status", "id": "s"})["counters"]["definitions"]
        self.ok(self.a, type="blade", **NPC)  # the same again changes nothing
        self.assertEqual(self.a.request({"type": "status", "id": "s"})["counters"]["definitions"], before)
        self.ok(self.a, type="blade", **{**NPC, "radius": 0.02})  # one that grows goes on touching
        self.ok(self.a, type="blade", **{**NPC, "enabled": False})
        release = self.watcher.read_until(lambda m: m["type"] == "release")[-1]
        self.assertEqual((release["id"], release["reason"]), (contact, "removed"))
        self.assertEqual(len([line for line in self.watcher.lines if json.loads(line)["type"] == "release"]), 2)
        self.ok(self.a, type="blade", **{**NPC, "device": "npc/other"})
        lost = self.watcher.read_until(lambda m: m["type"] == "tracking")[-1]
        self.assertEqual((lost["device"], lost["reason"]), ("npc/hand", "lost"))
        self.refused(self.a, "unknown_name", type="poses", poses=[pose(1)])
        self.ok(self.a, type="remove", name="npc")
        self.refused(self.a, "unknown_name", type="remove", name="npc")
        self.refused(self.a, "unknown_name", type="poses", poses=[pose(1, "npc/other")])
        devices = [d["device"] for d in self.a.request({"type": "status", "id": "s"})["devices"]]
        self.assertEqual(devices, ["/user/hand/left", "wall/device"])
        self.replays_alike()

    def test_a_saber_that_ignites_through_another(self):
        """It grows in 40 definitions, as a game sends them with its poses, and shrinks again: one contact."""
        self.define_both()
        for step in range(80):
            length = 0.05 * (step + 1 if step < 40 else 80 - step)
            self.ok(self.a, type="blade", **{**NPC, "base": [0, 0, 0], "tip": [length, 0, 0]})
            self.ok(self.a, type="poses", poses=[pose(1.2)])
            self.ok(self.b, type="poses", poses=[{"device": "wall/device", "position": [1, 1.2, -0.5], "orientation": [0, 0, 0, 1]}])
        self.a.close()
        self.watcher.read_until(lambda m: m["type"] == "tracking" and m["device"] == "npc/hand" and not m["tracked"])
        seen = [m for m in self.of_both("clash", "release")]
        self.assertEqual([m["type"] for m in seen], ["clash", "release"], seen)
        self.assertNotIn("resumed", seen[0])
        self.assertEqual(seen[1]["reason"], "apart")
        self.replays_alike()

    def test_a_shield_that_is_sent_once(self):
        """It holds: longer than push_timeout_ms after its only pose, a blade at 90 Hz strikes it each time; then it moves, and is let go."""
        self.define_both()
        self.ok(self.b, type="poses", poses=[pose(1.2, "wall/device", holds=True)])
        begun = time.monotonic()
        strokes = 0
        while time.monotonic() - begun < 1.0 or strokes < 5:
            for y in (1.5, 1.4, 1.3, 1.1, 1.3, 1.4):
                self.ok(self.a, type="poses", poses=[pose(y)])
            strokes += 1
            time.sleep(0.01)
        status = {d["device"]: d for d in self.b.request({"type": "status", "id": "s"})["devices"]}
        self.assertTrue(status["wall/device"]["tracked"])
        self.ok(self.b, type="remove", name="wall")
        self.watcher.read_until(lambda m: m["type"] == "tracking" and m["device"] == "wall/device" and not m["tracked"])
        self.assertGreaterEqual(len(self.of_both("clash")), strokes)
        self.replays_alike()

    def test_names_of_others_are_taken(self):
        self.ok(self.a, type="blade", **NPC)
        for name, device in (("npc", "mine"), ("mine", "npc/hand"), ("mine", "/user/hand/left"),
                             ("mine", "/user/hand/right")):
            self.refused(self.b, "name_taken", type="blade", **{**NPC, "name": name, "device": device})
        self.refused(self.b, "name_taken", type="remove", name="npc")
        self.refused(self.b, "name_taken", type="remove", name="left")
        self.refused(self.b, "unknown_name", type="poses", poses=[pose(1)])
        self.refused(self.b, "unknown_name", type="poses", poses=[pose(1, "/user/hand/left")])
        self.assertEqual(self.counters(self.a)["pushed_blades"], 1)

    def test_limits(self):
        """4032 blades of a crowd, and still the hands' own two."""
        crowd = [{"type": "blade", "id": i, **NPC, "name": f"b{i}", "device": f"d{i}"} for i in range(4032)]
        for first in range(0, len(crowd), 64):
            for message in crowd[first:first + 64]:
                self.a.send(message)
            self.a.read_until(lambda message: message.get("id") == first + 63)
        self.assertIn('blade "npc": this client has 4032', self.refused(self.a, "limit", type="blade", **NPC))
        self.ok(self.a, type="feed", devices=["/user/hand/right"])
        self.ok(self.a, type="blade", **{**NPC, "name": "sword", "device": "/user/hand/right"})
        with self.daemon.connect() as late:
            self.assertEqual(validate.mistakes("server/hello", late.hello), [])
        self.ok(self.a, type="blade", **{**NPC, "name": "b3", "device": "d9"})
        self.ok(self.b, type="blade", **NPC)
        said, deadline = [], time.monotonic() + clashd.WAIT_S
        while not said:  # a busy machine may take more than a second for them
            self.assertLess(time.monotonic(), deadline)
            self.b.send(b'{"type":"poses","poses":[]}\n' * 3000 + b'{"type":"ping","id":"end"}\n')
            said = self.b.read_until(lambda m: m.get("id") == "end")[:-1]
        self.assertEqual({m["code"] for m in said}, {"limit"})
        self.assertIn("2000", said[0]["message"])
        self.assertLessEqual(len(said), 1000)

    def test_times(self):
        self.ok(self.a, type="blade", **NPC)
        now = self.now(self.a)
        self.ok(self.a, type="poses", time_ns=now, poses=[pose(1)])
        for time_ns in (now, now - 1, now - 2_000_000_000):
            self.refused(self.a, "bad_time", type="poses", time_ns=time_ns, poses=[pose(1)])
        self.refused(self.a, "bad_time", type="poses", time_ns=self.now(self.a) + 1_000_000_000, poses=[pose(1)])
        self.ok(self.a, type="poses", poses=[pose(1)])
        self.assertIn("stands twice", self.refused(self.a, "bad_message", type="poses", poses=[pose(1), pose(1)]))
        counters = self.counters(self.a)
        self.assertEqual((counters["push_refused_late"], counters["push_refused_future"]), (3, 1))
        self.assertEqual(counters["pushed_poses"], 3)

    def test_a_bad_pose_costs_itself(self):
        """The client hears of it, and the other device of the message is where it was said to be."""
        for name in ("one", "two"):
            self.ok(self.a, type="blade", **{**NPC, "name": name, "device": name})
        for number, (bad, why) in enumerate([({"orientation": [0, 0, 0, 0]}, "expected a quaternion of unit length"),
                                             ({"position": [0, 1e39, 0]}, "no coordinate beyond 10000"),
                                             ({"position": [0, 10001, 0]}, "no coordinate beyond 10000")]):
            message = self.refused(self.a, "bad_message", type="poses", poses=[{**pose(1, "one"), **bad}, pose(1, "two")])
            self.assertIn("one: ", message)
            self.assertIn(why, message)
            counters = self.counters(self.a)
            self.assertEqual((counters["pushed_poses"], counters["push_refused_pose"]), (number + 1, number + 1))
        self.ok(self.a, type="poses", poses=[{**pose(1, "one"), "position": [0, 1e39, 0], "valid": False}, pose(1, "two")])

    def test_unitys_axes_mean_the_same(self):
        self.ok(self.a, type="blade", **{**NPC, "base": [0, 0, -1], "tip": [0, 0, 2], "axes": "unity"})
        with self.daemon.connect() as late:
            blade = late.hello["blades"][1]
            self.assertEqual((blade["base"], blade["tip"]), ([0, 0, 1], [0, 0, -2]))
        self.watcher.subscribe(events=["poses"])
        self.ok(self.a, type="poses", axes="unity", poses=[{**pose(1), "orientation": [0.5, 0.5, 0.5, 0.5]}])
        seen = self.watcher.read_until(lambda m: m["type"] == "poses")[-1]["poses"][0]
        self.assertEqual((seen["position"], seen["orientation"]), ([0, 1, 0.5], [-0.5, -0.5, 0.5, 0.5]))


class Silence(Push):
    def test_a_silent_device_is_cut(self):
        self.start("--source", "none")
        client, watcher = self.connect(), self.connect()
        watcher.subscribe()
        self.ok(client, type="blade", **NPC)
        for expected in (1, 2):
            self.ok(client, type="poses", poses=[pose(1)])
            self.assertTrue(watcher.read_until(lambda m: m["type"] == "tracking")[-1]["tracked"])
            lost = watcher.read_until(lambda m: m["type"] == "tracking")[-1]
            self.assertEqual((lost["tracked"], lost["reason"]), (False, "lost"))
            self.assertEqual(self.counters(client)["push_silent"], expected)
        self.replays_alike()


if __name__ == "__main__":
    unittest.main()
