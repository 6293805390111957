"""Targets in the daemon: those of the configuration and those that clients push are in hello, are struck and told, are in
the recording, and a replay finds the same; a file that has become another one is not taken for it."""
import json
import struct
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import validate  # noqa: E402

BLADE = {"name": "npc", "device": "npc/hand", "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.02}
IDLE = {"name": "idle", "device": "/user/hand/left", "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.02}
PILLAR = {"name": "pillar", "position": [0, 0.5, -0.5], "box": {"size": [0.4, 1.0, 0.4]}}
# A roof of two triangles, its ridge along z at 3 m.
ROOF = {"name": "roof", "mesh": {"vertices": [[-1, 2, -2], [-1, 2, 2], [0, 3, 2], [0, 3, -2], [1, 2, 2], [1, 2, -2]],
                                 "triangles": [[0, 1, 2], [0, 2, 3], [3, 2, 4], [3, 4, 5]]}}
GROUND = {"name": "ground", "position": [-8, -1, -8],
          "terrain": {"columns": 17, "rows": 17, "spacing": [1, 1], "file": "ground.raw", "height": 2}}


def ground_bytes():
    """All of it at half the height: 1 m, so that it lies at 0."""
    return struct.pack("<289H", *[32768] * 289)


class Targets(clashd.TestCase):
    def start(self, targets, **settings):
        path = self.home / "settings.json"
        path.write_text(json.dumps({"blades": [IDLE], "targets": targets, "socket": {"push_timeout_ms": 60000},
                                    **settings}))
        self.recording = self.home / "recording.jsonl"
        self.daemon = clashd.Daemon("--config", path, "--source", "none", "--record", self.recording, home=self.home)
        self.addCleanup(self.daemon.process.wait)
        self.addCleanup(self.daemon.process.kill)
        self.client = self.connect()
        self.client.subscribe(events=["clash", "hold", "release"])
        self.seen = 0

    def connect(self):
        client = self.daemon.connect()
        self.addCleanup(client.close)
        return client

    def ok(self, client=None, **message):
        reply = (client or self.client).request({"id": "r", **message})
        self.assertEqual(reply["type"], "ok", reply)

    def refused(self, code, client=None, **message):
        reply = (client or self.client).request({"id": "r", **message})
        self.assertEqual((reply["type"], reply.get("code")), ("error", code), reply)
        return reply["message"]

    def move(self, *heights, device="npc/hand", x=0):
        """The blade at one height after another, 10 ms between them, as if just sampled."""
        for height in heights:
            self.ok(type="poses", poses=[{"device": device, "position": [x, height, 0], "orientation": [0, 0, 0, 1]}])

    def next(self, kind, **fields):
        """The next event of that kind, also where it came before the reply to a request."""
        while True:
            while self.seen < len(self.client.lines):
                message = json.loads(self.client.lines[self.seen])
                self.seen += 1
                if message["type"] == kind and all(message.get(key) == value for key, value in fields.items()):
                    return message
            self.client.read()

    def stop(self):
        """The recording's lines, all valid."""
        self.assertEqual(self.daemon.stop(), 0)
        lines = self.recording.read_text().splitlines()
        for line in lines:
            self.assertFalse(validate.check(line), line)
        return [json.loads(line) for line in lines]

    def verify(self):
        return clashd.clashctl("verify", self.recording, home=self.home)

    def test_those_of_the_configuration(self):
        (self.home / "ground.raw").write_bytes(ground_bytes())
        self.start([PILLAR, ROOF, GROUND])
        self.assertIn("targets", self.client.hello["capabilities"])
        listed = {target["name"]: target for target in self.client.hello["targets"]}
        self.assertEqual(list(listed), ["pillar", "roof", "ground"])
        self.assertEqual(listed["roof"]["mesh"], {})
        self.assertAlmostEqual(listed["pillar"]["box"]["size"][0], 0.4, places=6)
        self.ok(type="blade", **BLADE)
        self.move(1.2, 1.1, 0.9)
        clash = self.next("clash")
        self.assertEqual((clash["blades"], clash["target"]), (["npc", "pillar"], "pillar"))
        self.assertNotIn("triangle", clash)
        self.assertAlmostEqual(clash["points"][1][1], 1.0, places=4)
        self.assertAlmostEqual(clash["surface_normal"][1], 1.0, places=4)
        self.assertAlmostEqual(clash["normal"][1], -1.0, places=4)
        self.move(1.2)
        self.assertEqual(self.next("release")["target"], "pillar")
        self.move(2.0, 2.4, 3.4, x=0.5)
        clash = self.next("clash")
        self.assertEqual((clash["target"], clash["triangle"]), ("roof", clash["triangle"]))
        self.assertIn(clash["triangle"], (2, 3))
        self.assertGreater(clash["surface_normal"][0], 0.7)
        self.move(1.5, 0.5, -0.5, x=3)
        clash = self.next("clash", target="ground")
        self.assertAlmostEqual(clash["points"][1][1], 0, places=3)
        lines = self.stop()
        self.assertEqual([line["name"] for line in lines[1:4] if line["type"] == "target"], ["pillar", "roof", "ground"])
        self.assertEqual(len(lines[3]["terrain"]["digest"]), 64)
        done = self.verify()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        (self.home / "ground.raw").write_bytes(ground_bytes()[:-1] + b"\x81")
        done = self.verify()
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("is not the file that is meant", done.stderr)

    def test_those_of_clients(self):
        self.start([PILLAR])
        other = self.connect()
        self.refused("name_taken", type="target", name="pillar", sphere={"radius": 1})
        self.refused("name_taken", type="target", name="idle", sphere={"radius": 1})
        self.refused("bad_message", type="target", name="wall", mesh={"file": "/etc/hostname"})
        self.ok(other, type="target", name="rock", position=[0, 2, -0.5], sphere={"radius": 0.25})
        self.ok(other, type="target", name="shield", device="npc/arm", box={"size": [1, 0.1, 1]})
        self.ok(type="blade", **BLADE)
        self.refused("name_taken", type="blade", **{**BLADE, "name": "rock"})
        self.refused("unknown_name", type="subscribe", blades=["rock", "nothing"])
        self.ok(type="subscribe", events=["clash", "release"], blades=["rock"])
        with self.daemon.connect() as late:
            self.assertEqual([target["name"] for target in late.hello["targets"]], ["pillar", "rock", "shield"])
        self.move(3.0, 2.5, 2.0)
        clash = self.next("clash")
        self.assertEqual(clash["blades"], ["npc", "rock"])
        self.assertAlmostEqual(clash["points"][1][1], 2.25, places=3)
        self.ok(other, type="remove", name="rock")
        self.assertEqual(self.next("release")["reason"], "removed")
        self.ok(type="subscribe", events=["clash", "release"])
        for height in (1.5, 1.9, 1.97):
            self.ok(other, type="poses", poses=[{"device": "npc/arm", "position": [0, height, -0.5],
                                                 "orientation": [0, 0, 0, 1]}])
            self.move(2.0)
        self.assertEqual(self.next("clash")["target"], "shield")
        other.close()
        self.assertEqual(self.next("release")["reason"], "removed")
        lines = self.stop()
        self.assertEqual([line["target"] for line in lines if line["type"] == "remove" and "target" in line],
                         ["rock", "shield"])
        done = self.verify()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_order_of_definitions_is_recorded(self):
        """A step's events come in it: as it was before the file began, with what was defined anew in between."""
        self.start([{"name": "rock", "position": [0, 0, 0], "sphere": {"radius": 9}}])
        devices = [f"npc/{k}" for k in range(3)]
        blades = [{**BLADE, "name": device[-1], "device": device} for device in devices]
        for blade in blades:
            self.ok(type="blade", **blade)
        for radius in (8, 7):
            self.ok(type="target", name="hill", position=[0, 0, 0], sphere={"radius": radius})
            self.ok(type="target", name=f"hill {radius}", position=[0, 0, 0], sphere={"radius": radius})
            self.ok(type="blade", **blades[1])
        for step in range(3):
            self.ok(type="poses", poses=[{"device": device, "position": [0.01 * step, 0.01 * k, 0],
                                          "orientation": [0, 0, 0, 1]} for k, device in enumerate(devices)])
        lines = self.stop()
        self.assertEqual(len([line for line in lines if line["type"] == "clash"]), 3 * 4 + 3)
        done = self.verify()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_body_strikes_targets_only(self):
        self.start([PILLAR])
        self.ok(type="blade", **BLADE)
        self.ok(type="blade", name="body", device="chest", body=True, base=[0, 0, -0.5], tip=[0, 1, -0.5], radius=0.2)
        for height in (2.5, 1.5, 1.1):
            self.move(height + 0.5)
            self.move(height, device="chest")
        clash = self.next("clash")
        self.assertEqual(clash["blades"], ["body", "pillar"])
        self.assertAlmostEqual(clash["points"][1][1], 1.0, places=4)
        lines = self.stop()
        # Both came before the first pose, but behind a target, which no header has.
        self.assertEqual([line.get("body") for line in lines if line["type"] == "blade"], [None, True])
        self.assertFalse([line for line in lines if line.get("blades") == ["npc", "body"]])
        done = self.verify()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_colliders_of_unity(self):
        """A crate of 1 m, scaled 1.5 along x and moved half a metre along Unity's z, which is ours backwards."""
        self.start([{"name": "crate", "unity_collider": {
            "type": "box", "center": [0, 0.5, 0], "size": [1, 1, 1],
            "transforms": [{"position": [0, 0, 0.5], "scale": [1.5, 1, 1]}]}}])
        crate = self.client.hello["targets"][0]
        self.assertEqual((crate["position"], crate["box"]["size"]), ([0, 0.5, -0.5], [1.5, 1, 1]))
        self.ok(type="blade", name="npc", device="npc/hand", unity_collider={
            "type": "capsule", "center": [0, 0, 0.5], "radius": 0.02, "height": 1, "direction": 2})
        self.move(1.5, 1.2, 0.9, x=0.7)
        clash = self.next("clash")
        self.assertEqual(clash["target"], "crate")
        self.assertAlmostEqual(clash["points"][1][1], 1.0, places=4)
        self.assertAlmostEqual(clash["distance"], 0.02, places=4)
        self.stop()
        done = self.verify()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
