"""Where to draw blades so that they do not sink into what they struck: resolved_pose in clash, hold and poses, for who asks
for it; in the axes asked for; of a blade on a pillar, of two blades, of human swings that strike all kinds of things."""
import json
import math
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import validate  # noqa: E402

RECORDING = clashd.DATA / "duel-20s.jsonl"
EXAMPLE = clashd.SOURCE / "protocol" / "examples" / "config-targets.json"
CONTACT = {"hold_rate_hz": 1000, "max_gap_ms": 10000}
PILLAR = {"name": "pillar", "position": [0, 0.5, -0.5], "box": {"size": [0.4, 1.0, 0.4]}}
MOON = {"name": "moon", "position": [0, 50, 0], "sphere": {"radius": 5}}
ALONG_Z = {"name": "npc", "device": "npc/hand", "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.02}
ALONG_X = {"name": "foe", "device": "foe/hand", "base": [-0.5, 0, -0.5], "tip": [0.5, 0, -0.5], "radius": 0.02}
AXES = ("openxr", "unity", "godot")
DEPTH = 1e-4 + 5e-6


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def rotated(q, v):
    x, y, z, w = q
    t = [2 * c for c in cross([x, y, z], v)]
    return [c + w * d + e for c, d, e in zip(v, t, cross([x, y, z], t))]


def point_at(pose, point):
    return [a + b for a, b in zip(pose["position"], rotated(pose["orientation"], point))]


def distance(p, q, r, s):
    """Between the segments pq and rs: along the one, the distance to the other falls and then rises."""
    def to_other(share):
        point, way = [a + share * (b - a) for a, b in zip(p, q)], minus(s, r)
        on = min(1, max(0, dot(minus(point, r), way) / (dot(way, way) or 1)))
        return math.dist(point, [a + on * b for a, b in zip(r, way)])
    low, high = 0.0, 1.0
    for _ in range(80):
        left, right = (2 * low + high) / 3, (low + 2 * high) / 3
        low, high = (low, right) if to_other(left) < to_other(right) else (left, high)
    return to_other(low)


class Resolved(clashd.TestCase):
    def start(self, *words, **settings):
        path = self.home / "settings.json"
        path.write_text(json.dumps({"contact": CONTACT, "socket": {"push_timeout_ms": 60000}} | settings))
        self.recording = self.home / "recording.jsonl"
        self.daemon = clashd.Daemon("--config", path, "--record", self.recording, *words, home=self.home)
        self.addCleanup(self.daemon.process.wait)
        self.addCleanup(self.daemon.process.kill)
        self.client = self.connect()

    def connect(self):
        client = self.daemon.connect()
        self.addCleanup(client.close)
        return client

    def watch(self, axes="openxr", resolved=True, **what):
        client = self.connect()
        client.subscribe(events=["clash", "hold", "release", "poses", "tracking"], axes=axes,
                         **({"resolved_poses": True} if resolved else {}), **what)
        return client

    def ok(self, **message):
        reply = self.client.request({"id": "r", **message})
        self.assertEqual(reply["type"], "ok", reply)

    def move(self, positions):
        """Devices to where they are, as if just sampled."""
        time.sleep(0.004)
        self.ok(type="poses", poses=[{"device": device, "position": position, "orientation": [0, 0, 0, 1]}
                                     for device, position in positions.items()])

    def seen(self, client):
        """What has come, each valid."""
        client.request({"type": "ping", "id": "seen"})
        for line in client.lines:
            self.assertEqual(validate.check(line), [], line)
        return [json.loads(line) for line in client.lines]

    def stop(self):
        """The recording knows nothing of it and is what a replay finds."""
        self.assertEqual(self.daemon.stop(), 0)
        self.assertNotIn("resolved", self.recording.read_text())
        done = clashd.clashctl("verify", self.recording, home=self.home)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def last_pose(self, messages, device):
        return [pose for m in messages if m["type"] == "poses" for pose in m["poses"] if pose["device"] == device][-1]

    def test_a_blade_stops_at_a_pillar(self):
        self.start("--source", "none", targets=[PILLAR, MOON])
        self.assertIn("resolved_poses", self.client.hello["capabilities"])
        watchers = {axes: self.watch(axes) for axes in AXES}
        plain = self.watch(resolved=False)
        self.ok(type="blade", **ALONG_Z)
        for height in (1.2, 1.1, 1.0, 0.95, 0.93, 0.9):
            self.move({"npc/hand": [0.05, height, 0.125]})
        for axes, watcher in watchers.items():
            z = -0.125 if axes == "unity" else 0.125
            messages = self.seen(watcher)
            contacts = [m for m in messages if m["type"] in ("clash", "hold")]
            self.assertEqual(contacts[0]["type"], "clash")
            self.assertGreater(len(contacts), 3)
            for message in contacts:
                pose, none = message["resolved_pose"]
                self.assertIsNone(none)  # of the target
                self.assertAlmostEqual(pose["position"][1], 1.02, delta=DEPTH)
                self.assertAlmostEqual(pose["position"][0], 0.05, delta=1e-5)
                self.assertAlmostEqual(pose["position"][2], z, delta=1e-5)
            pose = self.last_pose(messages, "npc/hand")
            self.assertAlmostEqual(pose["position"][1], 0.9, places=6)
            self.assertAlmostEqual(pose["resolved_pose"]["position"][1], 1.02, delta=DEPTH)
            self.assertAlmostEqual(pose["resolved_pose"]["position"][2], z, delta=1e-5)
            self.assertEqual(pose["resolved_pose"]["orientation"], pose["orientation"])
            above = [m for m in messages if m["type"] == "poses" and m["poses"][0]["position"][1] > 1.05]
            self.assertTrue(all("resolved_pose" not in m["poses"][0] for m in above))
        messages = self.seen(plain)
        self.assertIn("hold", [m["type"] for m in messages])
        self.assertNotIn("resolved_pose", json.dumps(messages[1:]))  # hello has the capability
        # Inside of something so big that no place outside is in reach.
        self.move({"npc/hand": [0, 50, 0]})
        self.assertIsNone(self.last_pose(self.seen(watchers["openxr"]), "npc/hand")["resolved_pose"])
        self.move({"npc/hand": [0, 51, 0]})
        holds = [m for m in self.seen(watchers["godot"]) if m["type"] == "hold" and m["target"] == "moon"]
        self.assertEqual(holds[-1]["resolved_pose"], [None, None])
        # What comes again by since_seq is of a time whose motions are gone.
        again = self.watch(since_seq=0)
        again.read_until(lambda m: m["type"] == "hold" and m["target"] == "moon")
        self.assertFalse([m for m in self.seen(again) if "resolved_pose" in m])
        self.stop()

    def test_two_blades_give_way_to_each_other(self):
        self.start("--source", "none", targets=[])
        watcher = self.watch()
        for blade in (ALONG_Z, ALONG_X):
            self.ok(type="blade", **blade)
        for height in (0.2, 0.1, 0.03, 0.02, 0.01):
            self.move({"npc/hand": [0, 1 + height, 0], "foe/hand": [0.1, 1, 0]})
        messages = self.seen(watcher)
        holds = [m for m in messages if m["type"] == "hold"]
        self.assertTrue(holds)
        for message in [m for m in messages if m["type"] == "clash"] + holds:
            poses = dict(zip(message["blades"], message["resolved_pose"]))
            apart = poses["npc"]["position"][1] - poses["foe"]["position"][1]
            self.assertGreaterEqual(apart, 0.04 - DEPTH)
            self.assertLess(apart, 0.0402)
        npc, foe = (self.last_pose(messages, device)["resolved_pose"] for device in ("npc/hand", "foe/hand"))
        self.assertAlmostEqual(npc["position"][1], 1.025, delta=2e-4)
        self.assertAlmostEqual(foe["position"][1], 0.985, delta=2e-4)
        self.move({"npc/hand": [0, 1.3, 0], "foe/hand": [0.1, 1, 0]})
        self.assertNotIn("resolved_pose", self.last_pose(self.seen(watcher), "npc/hand"))
        self.stop()

    def counters(self):
        return self.client.request({"type": "status", "id": "s"})["counters"]

    def test_many_blades_in_one_ball(self):
        """However many ask: a frame costs no more than its work, somebody else is answered, and each is told something."""
        # Few holds: a step of a slow machine may be a second long.
        heights = [(i * 7919 % 101) * 0.003 for i in range(41 * 41)]
        self.start("--source", "none", contact=CONTACT | {"hold_rate_hz": 20}, targets=[
            {"name": "world", "position": [0, 0, 0], "sphere": {"radius": 10}},
            {"name": "ground", "position": [-2, 20, -2],
             "terrain": {"columns": 41, "rows": 41, "spacing": [0.1, 0.1], "heights": heights}}])
        watchers = [self.connect() for _ in AXES]
        for watcher, axes in zip(watchers, AXES):
            watcher.subscribe(events=["poses", "clash"], axes=axes, resolved_poses=True, pose_rate_hz=200)
        devices = [f"npc/{k}" for k in range(64)]
        for k, device in enumerate(devices):
            self.ok(type="blade", name=f"blade {k}", device=device, base=[0, 0, 0], tip=[0, 0.2, -0.9], radius=0.02)
        other = self.connect()
        before = self.counters()
        for step in range(12):
            height = 0 if step < 6 else 20  # in the ball, then in the rough ground
            self.move({device: [0.12 * (k % 8) - 1 + 0.01 * step, height + 0.05 * (k % 3), 0.12 * (k // 8) - 1]
                       for k, device in enumerate(devices)})
            self.assertEqual(other.request({"type": "ping", "id": step})["type"], "ok")
            for watcher in watchers:
                watcher.request({"type": "ping", "id": step})
        after = self.counters()
        asked, given_up, work = (after[f"resolved_{what}"] - before[f"resolved_{what}"]
                                 for what in ("asked", "given_up", "work"))
        self.assertGreater(asked, 12 * 64)
        self.assertGreater(given_up, 0)
        self.assertLessEqual(given_up, asked)
        self.assertGreater(work, 0)
        self.assertLessEqual(work, 12 * 12000)
        for watcher in watchers:
            last = [line for line in watcher.lines if '"poses"' in line[:20]][-1]
            self.assertEqual(validate.check(last), [])
            self.assertEqual(len(json.loads(last)["poses"]), 64)
        self.stop()

    def test_human_swings(self):
        example = json.loads(EXAMPLE.read_text())
        self.start("--source", f"replay:{RECORDING}", "--speed", "max", "--wait-for-client", **example)
        blades = {blade["name"]: blade for blade in self.client.hello["blades"]}
        pillar = next(t for t in example["targets"] if t["name"] == "pillar")["capsule"]
        watcher = self.watch()
        watcher.read_until(lambda m: m["type"] == "tracking" and m["reason"] == "source_ended", wait_s=300)
        messages = [json.loads(line) for line in watcher.lines]
        contacts = [m for m in messages if m["type"] in ("clash", "hold")]
        against = {}
        for message in contacts:
            self.assertEqual(len(message["resolved_pose"]), 2)
            sides = []
            for name, pose in zip(message["blades"], message["resolved_pose"]):
                if pose and name in blades:
                    sides.append([point_at(pose, blades[name][end]) for end in ("base", "tip")] + [blades[name]["radius"]])
                elif name == "pillar":
                    sides.append([pillar["base"], pillar["tip"], pillar["radius"]])
            if len(sides) < 2:
                continue
            (p, q, a), (r, s, b) = sides
            against[message.get("target", "blade")] = against.get(message.get("target", "blade"), 0) + 1
            self.assertGreaterEqual(distance(p, q, r, s), a + b - DEPTH, message)
        self.assertGreater(against["pillar"], 10)
        self.assertGreater(against["blade"], 10)
        nowhere = [m for m in contacts if m["resolved_pose"][0] is None]
        self.assertLess(len(nowhere), len(contacts) / 20)
        self.stop()


if __name__ == "__main__":
    unittest.main()
