"""Convex hulls: of meshes in the settings, in files and from clients, who wait for theirs and are answered in order, whatever they
have asked meanwhile; what has no inside is refused. A recording has the hull itself."""
import json
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import transports  # noqa: E402
import validate  # noqa: E402

IDLE = {"name": "idle", "device": "/user/hand/left", "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.02}
BLADE = {"name": "npc", "device": "npc/hand", "base": [0, 0, 0], "tip": [0, 0.1, 0], "radius": 0.01}
# Two squares, a roof's eaves and ridge: open below and at its ends, which the hull is not.
ROOF = [[-1, 0, -2], [-1, 0, 2], [0, 1, 2], [0, 1, -2], [1, 0, 2], [1, 0, -2], [0, 0.5, 0]]
TRIANGLES = [[0, 1, 2], [0, 2, 3], [3, 2, 4], [3, 4, 5]]
FLAT = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0.3, 0.4, 0]]
OBJ = "".join(f"v {x} {y} {z}\n" for x, y, z in ROOF) + "f 1 2 3 4\nf 4 3 5 6\nf 1 2 7\n"
BAD_HELPER = clashd.BUILD / "tests" / "bad_helper"


class Convex(clashd.TestCase):
    def start(self, targets=(), env=None, **more):
        path = self.home / "settings.json"
        path.write_text(json.dumps({"blades": [IDLE], "targets": list(targets), "socket": {"push_timeout_ms": 60000}}))
        self.recording = self.home / "recording.jsonl"
        self.daemon = clashd.Daemon("--config", path, "--source", "none", "--record", self.recording, *more.pop("words", ()),
                                    home=self.home, env=env, **more)
        self.addCleanup(self.daemon.process.wait)
        self.addCleanup(self.daemon.process.kill)

    def connect(self):
        client = self.daemon.connect()
        self.addCleanup(client.close)
        return client

    def strike(self, client, *places):
        """A needle through those places, 10 ms between them; what is struck from below the roof is its hull's floor."""
        client.subscribe(events=["clash"])
        self.assertEqual(client.request({"type": "blade", "id": "b", **BLADE})["type"], "ok")
        for place in places:
            client.request({"type": "poses", "id": "p", "poses": [
                {"device": BLADE["device"], "position": place, "orientation": [0, 0, 0, 1]}]})
        return [json.loads(line) for line in client.lines if json.loads(line)["type"] == "clash"]

    def expect_floor(self, clashes, name):
        self.assertEqual([clash["target"] for clash in clashes], [name])
        self.assertEqual(clashes[0]["surface_normal"], [0, -1, 0])
        self.assertAlmostEqual(clashes[0]["points"][1][1], 0, delta=1e-6)

    def finish(self):
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log)
        lines = self.recording.read_text().splitlines()
        for line in lines:
            self.assertFalse(validate.check(line), line)
        return [json.loads(line) for line in lines]

    def verify(self, **env):
        return subprocess.run([clashd.CLASHCTL, "verify", self.recording], capture_output=True, text=True,
                              timeout=clashd.WAIT_S, env=clashd.environment(self.home, **env))

    UP = ([0.2, -0.6, 0.3], [0.2, -0.3, 0.3], [0.2, 0.05, 0.3])

    def test_of_a_mesh_that_is_written_out(self):
        for more in ({}, {"triangles": TRIANGLES}):
            self.start([{"name": "roof", "mesh": {"vertices": ROOF, "convex": True, **more}}])
            client = self.connect()
            self.assertEqual(client.hello["targets"][0]["mesh"], {"convex": True})
            self.expect_floor(self.strike(client, *self.UP), "roof")
            lines = self.finish()
            mesh = next(line for line in lines if line["type"] == "target")["mesh"]
            self.assertEqual((len(mesh["vertices"]), len(mesh["triangles"]), "convex" in mesh), (6, 8, False))
            # It has the hull: nobody has to find it.
            done = self.verify(CLASHD_MESH_HELPER="/nowhere")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.recording.unlink()

    def test_of_a_file(self):
        (self.home / "roof.obj").write_text(OBJ)
        self.start([{"name": "roof", "mesh": {"file": "roof.obj", "scale": 0.5, "convex": True}},
                    {"name": "open", "position": [5, 0, 0], "mesh": {"file": "roof.obj", "scale": 0.5}}])
        client = self.connect()
        self.assertEqual([target["mesh"] for target in client.hello["targets"]], [{"convex": True}, {}])
        self.expect_floor(self.strike(client, *self.UP), "roof")
        lines = self.finish()
        mesh = next(line for line in lines if line["type"] == "target")["mesh"]
        self.assertEqual((mesh["convex"], len(mesh["digest"])), (True, 64))
        done = self.verify()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_of_a_client(self):
        self.start()
        client = self.connect()
        reply = client.request({"type": "target", "id": 1, "name": "roof", "device": "npc/arm", "mesh": {
            "vertices": ROOF, "convex": True}})
        self.assertEqual(reply["type"], "ok", reply)
        client.request({"type": "poses", "id": 2, "poses": [
            {"device": "npc/arm", "position": [0, 0, 0], "orientation": [0, 0, 0, 1]}]})
        client.subscribe(events=["clash"])
        self.assertEqual(client.request({"type": "blade", "id": "b", **BLADE})["type"], "ok")
        for y in (-0.6, -0.3, 0.05):
            client.request({"type": "poses", "id": 3, "poses": [
                {"device": device, "position": place, "orientation": [0, 0, 0, 1]}
                for device, place in (("npc/arm", [0, 0, 0]), ("npc/hand", [0.2, y, 0.3]))]})
        self.expect_floor([json.loads(line) for line in client.lines if json.loads(line)["type"] == "clash"], "roof")
        with self.daemon.connect() as other:
            self.assertEqual(other.hello["targets"][0]["mesh"], {"convex": True})
        collider = {"type": "mesh", "vertices": ROOF, "convex": True, "transforms": [{"scale": [1, 1, -3]}]}
        self.assertEqual(client.request({"type": "target", "id": 4, "name": "u", "unity_collider": collider})["type"], "ok")
        lines = self.finish()
        for line in lines:
            if line["type"] == "target":
                self.assertEqual(len(line["mesh"]["triangles"]), 8)
        done = self.verify(CLASHD_MESH_HELPER="/nowhere")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_what_has_no_inside(self):
        self.start()
        client = self.connect()
        for vertices, why in ((FLAT, "in one plane"), (FLAT[:2] * 3, "on one line"), (FLAT[:1] * 9, "at one place"),
                              (ROOF[:3], "there are 3 vertices")):
            reply = client.request({"type": "target", "id": 1, "name": "x", "mesh": {"vertices": vertices, "convex": True}})
            self.assertEqual((reply["type"], reply["code"]), ("error", "bad_message"), reply)
            self.assertTrue(reply["message"].startswith("mesh.convex: "), reply)
            self.assertIn(why, reply["message"])
        self.assertNotIn("targets", self.connect().hello)
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log)
        path = self.home / "flat.obj"
        path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n")
        for mesh, why in (({"vertices": FLAT}, "target 'x': convex: its vertices are all in one plane"),
                          ({"file": str(path)}, f"target 'x': {path}: convex: its vertices are all in one plane")):
            self.start([{"name": "x", "mesh": {**mesh, "convex": True}}], listening=False)
            self.assertEqual(self.daemon.wait(), 2)
            self.assertIn(why, self.daemon.log[-1])

    REQUESTS = [{"type": "target", "id": 1, "name": "t1", "mesh": {"vertices": ROOF, "convex": True}},
                {"type": "target", "id": 2, "name": "t1", "sphere": {"radius": 1}},
                {"type": "ping", "id": 3},
                {"type": "target", "id": 4, "name": "t2", "mesh": {"vertices": FLAT, "convex": True}},
                {"type": "target", "id": 5, "name": "t3", "device": "d", "mesh": {"vertices": ROOF, "convex": True}},
                {"type": "poses", "id": 6, "poses": [{"device": "d", "position": [0, 0, 0], "orientation": [0, 0, 0, 1]}]},
                {"type": "remove", "id": 7, "name": "t3"},
                {"type": "remove", "id": 8, "name": "t3"}]
    ANSWERS = [(1, "ok"), (2, "ok"), (3, "ok"), (4, "bad_message"), (5, "ok"), (6, "ok"), (7, "ok"), (8, "unknown_name")]

    def answers(self, client):
        found = []
        while len(found) < len(self.REQUESTS):
            message = client.read()
            if message["type"] in ("ok", "error"):
                found.append((message["id"], message.get("code", message["type"])))
        return found

    def test_requests_that_follow_are_answered_after_it(self):
        self.start(words=("--websocket", "127.0.0.1:0"))
        client = self.connect()
        client.send(b"".join(json.dumps(request).encode() + b"\n" for request in self.REQUESTS))
        self.assertEqual(self.answers(client), self.ANSWERS)
        client.close()
        said = self.daemon.log[self.daemon.wait_for_log("WebSocket") - 1]
        port = int(said.split("listening on 127.0.0.1:", 1)[1].split()[0])
        token = (self.home / "clashd" / "clashd.token").read_text().strip()
        web = transports.WebSocketClient(("127.0.0.1", port), token)
        self.addCleanup(web.close)
        self.assertEqual(web.read()["type"], "hello")
        for request in self.REQUESTS:  # short ones, so that many come at a time
            web.send(json.dumps(request, separators=(",", ":")).encode())
        self.assertEqual(self.answers(web), self.ANSWERS)
        self.finish()

    def test_only_its_own_client_waits(self):
        self.start(env={"CLASHD_MESH_HELPER": BAD_HELPER, "BAD_HELPER": "hang", "CLASHD_MESH_SECONDS": "86000",
                        "BAD_HELPER_LOG": self.home / "helpers"})
        client, other = self.connect(), self.connect()
        client.send({"type": "target", "id": 1, "name": "t", "mesh": {"vertices": ROOF, "convex": True}})
        client.send({"type": "ping", "id": 2})
        deadline = time.monotonic() + clashd.WAIT_S
        while not (self.home / "helpers").exists():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        self.assertEqual(other.request({"type": "ping", "id": 3})["type"], "ok")
        # Its name is nobody's yet.
        self.assertEqual(other.request({"type": "target", "id": 4, "name": "t", "sphere": {"radius": 1}})["type"], "ok")
        client.close()
        self.assertEqual(other.request({"type": "ping", "id": 5})["type"], "ok")
        other.send({"type": "target", "id": 6, "name": "u", "mesh": {"vertices": ROOF, "convex": True}})
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log)


if __name__ == "__main__":
    unittest.main()
