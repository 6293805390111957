"""Limits that a client can come to with a message or the configuration with a key: an error to the one who did, which says
what is allowed, while another one's contacts go on and every event of them is told. Limits of lines, connections,
queues and disks: hostile_*_test.py, transport_test.py, websocket_test.py, record_disk_test.py."""
import json
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402

WALL = {"name": "wall", "device": "/user/hand/left", "base": [-1, 0, 0], "tip": [1, 0, 0], "radius": 0.02}
BLADE = {"base": [0, 0, -1], "tip": [0, 0, 1], "radius": 0.02}


def vertices(count):
    return [[i, 0, i % 2] for i in range(count)]


class Messages(clashd.TestCase):
    def setUp(self):
        super().setUp()
        path = self.home / "settings.json"
        # However long a busy machine takes from one pose to the next.
        path.write_text(json.dumps({"blades": [WALL], "socket": {"push_timeout_ms": 60000}, "contact": {"max_gap_ms": 10000}}))
        self.daemon = clashd.Daemon("--source", "none", "--config", path, home=self.home)
        self.addCleanup(self.daemon.__exit__, None)
        self.witness, self.fencer, self.greedy = (self.connect() for _ in range(3))
        self.witness.subscribe(events=["clash", "release", "tracking"])
        for name, device in (("post", "post"), ("sword", "sword")):
            self.ok(self.fencer, type="blade", name=name, device=device, **BLADE)
        self.swings = 0

    def connect(self):
        client = self.daemon.connect()
        self.addCleanup(client.close)
        return client

    def ok(self, client, **message):
        reply = client.request({"id": "r", **message})
        self.assertEqual(reply["type"], "ok", reply)

    def refused(self, code, *says, **message):
        reply = self.greedy.request({"id": "r", **message})
        self.assertEqual((reply["type"], reply.get("code")), ("error", code), reply)
        for part in says:
            self.assertIn(part, reply["message"])
        self.swing()

    def swing(self):
        """The fencer's sword goes through the post: a clash and a release, and nothing between them is missing."""
        side = 1 if self.swings % 2 == 0 else -1
        self.swings += 1
        turned = [0, 0.7071068, 0, 0.7071068]
        for x in (-0.4 * side, -0.1 * side, 0.1 * side, 0.4 * side):
            self.ok(self.fencer, type="poses", poses=[
                {"device": "post", "position": [0, 0, 0], "orientation": [0, 0, 0, 1]},
                {"device": "sword", "position": [0, x, 0], "orientation": turned}])
        kinds = [message["type"] for message in self.witness.read_until(lambda message: message["type"] == "release")]
        self.assertEqual([kind for kind in kinds if kind != "tracking"], ["clash", "release"])

    def test_what_one_message_may_hold(self):
        self.swing()
        self.greedy.send({"type": "ping", "id": "x" * 129})  # too long to be repeated
        reply = self.greedy.read()
        self.assertEqual((reply["type"], reply["code"]), ("error", "bad_message"), reply)
        self.swing()
        for name in ("n" * 64, "\u00e4" * 32):
            self.refused("bad_message", "name", type="blade", name=name, device="d", **BLADE)
        self.refused("bad_message", "device", type="blade", name="n", device="d" * 128, **BLADE)
        self.ok(self.greedy, type="blade", name="n" * 63, device="d" * 127, **BLADE)
        self.refused("bad_message", "blades", type="subscribe", blades=["wall"] * 33)
        self.ok(self.greedy, type="subscribe", blades=["wall"] * 32)
        pose = {"device": "d" * 127, "position": [0, 9, 0], "orientation": [0, 0, 0, 1]}
        self.refused("bad_message", "poses", type="poses", poses=[pose] * 65)
        points = [[0, 0, -i] for i in range(18)]
        self.refused("bad_message", "parts", type="blade", name="s", device="s",
                     parts=[{"name": "p", "points": points, "radius": 0.01}])
        self.ok(self.greedy, type="blade", name="s", device="s",
                parts=[{"name": "p", "points": points[:17], "radius": 0.01}])
        self.assertFalse([line for line in self.witness.lines if '"lagged"' in line])

    def test_what_a_target_may_hold(self):
        far = {"type": "target", "name": "t", "position": [0, 99, 0]}
        self.refused("bad_message", "vertices", **far, mesh={"vertices": vertices(513), "triangles": [[0, 1, 2]]})
        self.refused("bad_message", "triangles", **far, mesh={"vertices": vertices(3), "triangles": [[0, 1, 2]] * 1025})
        self.refused("bad_message", "heights", **far,
                     terrain={"columns": 13, "rows": 277, "spacing": [1, 1], "heights": [0] * 3601})
        self.ok(self.greedy, **far, mesh={"vertices": vertices(512), "triangles": [[0, 1, 2]] * 1024})
        self.ok(self.greedy, **far, terrain={"columns": 60, "rows": 60, "spacing": [1, 1], "heights": [0] * 3600})

    def fill(self, kind, each, together, **shape):
        """Clients that each have all that one may, until all have what all may."""
        others = []
        names = iter(f"{kind}{index}" for index in range(10 * together))
        for _ in range(each):
            name = next(names)
            self.ok(self.greedy, type=kind, name=name, **shape, **({"device": name} if kind == "blade" else {}))
        self.refused("limit", str(each), type=kind, name="more", **shape, **({"device": "more"} if kind == "blade" else {}))
        count = each
        status = self.witness.request({"type": "status", "id": "s"})["counters"]
        count = status[f"pushed_{kind}s"]
        while count < together:
            others.append(self.connect())
            for _ in range(min(each, together - count)):
                name = next(names)
                self.ok(others[-1], type=kind, name=name, **shape, **({"device": name} if kind == "blade" else {}))
                count += 1
        late = self.connect()
        reply = late.request({"type": kind, "id": "r", "name": "late", **shape,
                              **({"device": "late"} if kind == "blade" else {})})
        self.assertEqual((reply["type"], reply["code"]), ("error", "limit"), reply)
        self.assertIn(str(together), reply["message"])
        self.swing()
        others[-1].close()
        self.witness.request({"type": "ping", "id": "p"})
        while self.witness.request({"type": "status", "id": "s"})["counters"][f"pushed_{kind}s"] == together:
            pass
        self.ok(late, type=kind, name="late", **shape, **({"device": "late"} if kind == "blade" else {}))
        self.swing()

    def test_how_many_blades(self):
        self.fill("blade", 4032, 8128, **BLADE)  # 64 more of either are for hands: push_test

    def test_how_many_targets(self):
        self.fill("target", 64, 192, position=[0, 99, 0], sphere={"radius": 0.1})


class Configuration(clashd.TestCase):
    def refused(self, settings, *says):
        path = self.home / "settings.json"
        path.write_text(json.dumps(settings))
        done = subprocess.run([clashd.CLASHD, "--check-config", "--config", path], capture_output=True, text=True,
                              env=clashd.environment(self.home), timeout=clashd.WAIT_S)
        self.assertEqual(done.returncode, 2, done.stdout)
        for part in says:
            self.assertIn(part, done.stderr)

    def test_too_many(self):
        blades = [{**WALL, "name": f"b{index}"} for index in range(65)]
        self.refused({"blades": blades}, "blades", "64")
        targets = [{"name": f"t{index}", "sphere": {"radius": 1}} for index in range(33)]
        self.refused({"targets": targets}, "targets", "32")
        self.refused({"socket": {"max_clients": 65537}}, "socket.max_clients", "65536")
        self.refused({"record": {"keep": 0}}, "record.keep", "1")
        self.refused({"targets": [{"name": "t", "mesh": {"vertices": vertices(513), "triangles": [[0, 1, 2]]}}]},
                     "vertices", "512")


class Descriptors(clashd.TestCase):
    def test_the_soft_limit_is_raised_or_it_says_so(self):
        path = self.home / "settings.json"
        path.write_text(json.dumps({"socket": {"max_clients": 1024}}))
        for soft, hard, warns in ((64, 4096, False), (64, 512, True)):
            process = subprocess.Popen(["prlimit", f"--nofile={soft}:{hard}", clashd.CLASHD, "--source", "none", "--config",
                                        path], stderr=subprocess.PIPE, text=True, env=clashd.environment(self.home))
            with process.stderr:
                said = ""
                while "listening on" not in said:
                    said += process.stderr.readline()
                with clashd.Client(self.home / "clashd" / "clashd.sock") as client:
                    self.assertEqual(client.read()["type"], "hello")
                    limits = Path(f"/proc/{process.pid}/limits").read_text()
                process.terminate()
                said += process.stderr.read()
            self.assertEqual(process.wait(timeout=clashd.WAIT_S), 0, said)
            line = next(line for line in limits.splitlines() if line.startswith("Max open files"))
            self.assertEqual(int(line.split()[3]), min(hard, 1024 + 64))
            self.assertEqual("too few for 1024 clients" in said, warns, said)


if __name__ == "__main__":
    unittest.main()
