"""Targets in the Unity package under Mono: what clashd's lines say of them and of where to draw blades, live and in Unity's
axes; colliders as targets, until they are removed; and the components for both in a scene."""
import json
import math
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import unity_client  # noqa: E402
from unity_client import Unity, single  # noqa: E402

EXAMPLES = clashd.SOURCE / "protocol" / "examples" / "server.jsonl"
KINDS = {"hello": "Connected", "clash": "Clash", "hold": "Hold", "release": "Release", "tracking": "Tracking",
         "space_changed": "SpaceChanged", "poses": "Poses", "lagged": "Lagged", "error": "Problem", "ok": "Ok"}


def singles(numbers):
    return [single(number) for number in numbers]


def turned(vector, sign):
    """Unity's axes where `sign` is -1."""
    return [*vector[:2], sign * vector[2]]


def pose_numbers(pose, sign=1):
    """Position and orientation as the package prints them; None as null."""
    if pose is None:
        return None
    x, y, *rest = pose["orientation"]
    return singles([*turned(pose["position"], sign), sign * x, sign * y, *rest])


def printed(words):
    return None if words == "null" else singles(words.split())


class UnityTargets(Unity):
    def expect_contact(self, line, message, sign=1):
        """What the package prints of a clash or hold is what clashd's line says."""
        seq, target, normal, triangle, has_poses, *poses = line.split(" ", 1)[1].split("|")
        self.assertEqual(int(seq), message["seq"])
        self.assertEqual(target, message.get("target", "none"))
        self.assertEqual(singles(normal.split()), singles(turned(message.get("surface_normal", [0, 0, 0]), sign)))
        self.assertEqual(int(triangle), message.get("triangle", -1))
        self.assertEqual(has_poses, str("resolved_pose" in message))
        self.assertEqual([printed(pose) for pose in poses],
                         [pose_numbers(pose, sign) for pose in message.get("resolved_pose", [None, None])])

    def expect_pose(self, line, pose, sign=1):
        _, device, at, tracked, sinks, resolved, drawn = line.split(" ", 1)[1].split("|")
        self.assertEqual((device, tracked), (pose["device"], str(pose["tracked"])))
        self.assertEqual(printed(at), pose_numbers(pose, sign))
        self.assertEqual(sinks, str("resolved_pose" in pose))
        self.assertEqual(printed(resolved), pose_numbers(pose.get("resolved_pose"), sign))
        self.assertEqual(printed(drawn), pose_numbers(pose.get("resolved_pose") or pose, sign))

    def test_the_examples(self):
        done = subprocess.run(["mono", self.program, "lines", EXAMPLES], capture_output=True, text=True,
                              timeout=clashd.WAIT_S * 3)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        lines = iter(done.stdout.splitlines())
        messages = [json.loads(line) for line in EXAMPLES.read_text().splitlines()]
        for message in messages:
            self.assertEqual(next(lines), f"kind {KINDS.get(message['type'], 'None')}")
            if message["type"] in ("clash", "hold"):
                self.expect_contact(next(lines), message)
            elif message["type"] == "release":
                self.assertEqual(next(lines), f"parted {message['seq']} {message.get('target', 'none')} {message['reason']}")
            for pose in message.get("poses", []):
                self.expect_pose(next(lines), pose)
        self.assertEqual(list(lines), [])
        # The examples have something of everything.
        self.assertTrue([m for m in messages if m["type"] == "hold" and "resolved_pose" in m and "target" in m])
        self.assertTrue([m for m in messages if m["type"] == "clash" and "triangle" in m])

    def strike(self, mode):
        """A sword that swings at a collider of Unity's; what the package says of it is what a plain client is told."""
        with self.pushed_to() as daemon, daemon.connect() as client:
            client.subscribe(events=["clash", "hold", "release"], resolved_poses=True)
            process = self.start_client("unix", daemon.path, mode=mode)
            client.read_until(lambda m: m["type"] == "clash")  # where the sword first is: it may begin within
            for _ in range(3):
                clash = client.read_until(lambda m: m["type"] == "clash")[-1]
                self.assertEqual((clash["blades"], clash["target"]), (['sword "1"', "crate"], "crate"))
                x, y, z = clash["points"][1]
                self.assertAlmostEqual(abs(x), 0.06, delta=1e-4)
                self.assertAlmostEqual(y, 1.2, delta=1e-4)
                self.assertTrue(-0.6601 < z < -0.5399, z)
                self.expect_contact(self.wait_for(f"struck {clash['seq']}|")[0], clash, -1)
                # Into the target is against what is out of it; clockwise from outside in Unity is outside here.
                self.assertLess(sum(a * b for a, b in zip(clash["normal"], clash["surface_normal"])), 0)
                self.assertEqual("triangle" in clash, mode != "box")
            process.stdin.write("still\n")
            process.stdin.flush()
            still = lambda m: m["type"] == "hold" and not any(m["velocities"][0])  # noqa: E731
            hold = client.read_until(still)[-1]
            self.expect_contact(self.wait_for(f"held {hold['seq']}|")[0], hold, -1)
            self.assertIsNone(hold["resolved_pose"][1])
            if mode == "box":
                self.assertAlmostEqual(abs(hold["resolved_pose"][0]["position"][0]), 0.075, delta=2e-4)
                # The newest poses say so too.
                line = [line for line in self.wait_for("pose ") if line.split("|")[1] == "sword hand"][-1]
                self.assertEqual(line.split("|")[4], "True")
                self.assertAlmostEqual(abs(float(line.split("|")[6].split()[0])), 0.075, delta=2e-4)
            process.stdin.write("remove\n")
            process.stdin.flush()
            release = client.read_until(lambda m: m["type"] == "release" and m["reason"] == "removed")[-1]
            self.assertEqual(self.wait_for(f"parted {release['seq']} ")[0], f"parted {release['seq']} crate removed")
            with daemon.connect() as other:
                self.assertNotIn("targets", other.hello)
            self.assertFalse([line for line in self.said if line.startswith("problem")], self.said)
            self.stop(process)

    def test_a_box_is_struck(self):
        self.strike("box")

    def test_a_mesh_is_struck(self):
        self.strike("mesh")

    def test_a_hull_is_struck(self):
        self.strike("hull")

    def targets_when(self, daemon, holds):
        """hello's targets, by name, once they are as expected."""
        deadline = time.monotonic() + clashd.WAIT_S
        while True:
            with daemon.connect() as client:
                targets = {target["name"]: target for target in client.hello.get("targets", [])}
            if holds(targets):
                return targets
            self.assertLess(time.monotonic(), deadline, targets)
            time.sleep(0.05)

    def expect_near(self, found, expected, delta=1e-5):
        for a, b in zip(found, expected, strict=True):
            self.assertAlmostEqual(a, b, delta=delta, msg=(found, expected))

    def expect_targets(self, daemon):
        targets = self.targets_when(daemon, lambda t: len(t) == 5)
        self.assertEqual(sorted(targets), ["crate", "pillar", "rock", "roof", "shield"])
        self.assertEqual((targets["rock"]["mesh"], targets["roof"]["mesh"]), ({"convex": True}, {}))
        half = math.sqrt(0.5)
        pillar, crate, shield = (targets[name] for name in ("pillar", "crate", "shield"))
        self.expect_near(pillar["position"], [0, 0.9, -0.6])
        self.expect_near([pillar["capsule"]["radius"], pillar["capsule"]["tip"][1], pillar["capsule"]["base"][1]],
                         [0.06, 0.9, -0.9])
        self.expect_near(crate["position"], [3, 0.75, -1])
        self.expect_near(crate["box"]["size"], [1.5, 1, 2])
        self.expect_near(crate["orientation"], [0, -half, 0, half])
        # Where its device has it.
        self.assertEqual(shield["device"], "shield")
        self.expect_near(shield["position"], [0, 0, -0.1])
        self.expect_near([shield["sphere"]["radius"]], [0.25])
        self.assertNotIn("device", pillar)

    def command(self, process, words):
        process.stdin.write(words + "\n")
        process.stdin.flush()

    def test_components_in_a_scene(self):
        scene = self.compile_scene()
        with self.pushed_to("--tcp", "127.0.0.1:0") as daemon, daemon.connect() as client:
            port = self.port_of(daemon, "TCP")
            process = self.start_program(scene, "targets", "127.0.0.1", port, daemon.path)
            self.expect_targets(daemon)
            warnings = "\n".join(self.wait_for("warning", 4))
            self.assertIn("big is not sent to clashd: a mesh of 1002 vertices and 1000 triangles is too big: at most 512 and 1024",
                          warnings)
            self.assertIn("locked is not sent to clashd: the mesh strip cannot be read", warnings)
            self.assertIn("wheel is not sent to clashd: a WheelCollider cannot be one", warnings)
            self.assertIn('"nothing" needs a collider', warnings)
            client.subscribe(events=["clash", "poses"])
            clash = client.read_until(lambda m: m["type"] == "clash")[-1]
            self.assertEqual(clash["target"], "pillar")
            # The rig is turned by a quarter about y.
            words = self.wait_for(f"struck {clash['seq']} ")[0].split()
            x, y, z = clash["surface_normal"]
            self.expect_near(map(float, words[3:]), [-z, y, -x])
            poses = client.read_until(lambda m: m["type"] == "poses")[-1]["poses"]
            shield = next(pose for pose in poses if pose["device"] == "shield")
            self.expect_near(shield["position"], [-3, 1.5, -2])
            self.draw_aside(process, 0.15)
            self.command(process, "off pillar")
            self.wait_for("parted pillar removed")
            self.targets_when(daemon, lambda t: "pillar" not in t and len(t) == 4)
            self.draw_aside(process, 0)
            self.command(process, "on pillar")
            self.command(process, "move crate")
            targets = self.targets_when(daemon, lambda t: len(t) == 5 and t["crate"]["position"][0] > 4)
            self.expect_near(targets["crate"]["position"], [5, 0.75, -1])
            self.command(process, "move crate")  # where the next daemon gets it
            self.targets_when(daemon, lambda t: t["crate"]["position"][0] > 6)
            self.draw_aside(process, 0.15)
        self.wait_for("warning clashd: ")
        self.draw_aside(process, 0)
        with self.pushed_to("--tcp", f"127.0.0.1:{port}") as daemon:
            targets = self.targets_when(daemon, lambda t: len(t) == 5)
            self.expect_near(targets["crate"]["position"], [7, 0.75, -1])
            self.stop(process)

    def expect_buckler(self, daemon, client, device, position, hand_at):
        """It is in that hand, at `position` there, and the hand is where what carries it is."""
        held = lambda t: t.get("buckler", {}).get("device") == device and abs(t["buckler"]["position"][1] - position[1]) < 1e-4  # noqa: E731
        buckler = self.targets_when(daemon, held)["buckler"]
        self.expect_near(buckler["position"], position)
        self.expect_near(buckler["box"]["size"], [0.6, 0.8, 0.04])
        at = lambda m: {p["device"]: p for p in m.get("poses", []) if "position" in p}.get(device)  # noqa: E731
        found = at(client.read_until(lambda m: at(m) and abs(at(m)["position"][1] - hand_at[1]) < 1e-4)[-1])
        self.expect_near(found["position"], hand_at)
        self.assertEqual({"buckler", "shield"} & {pose["device"] for pose in client.read_until(at)[-1]["poses"]}, {"shield"})

    def test_a_target_in_a_hand(self):
        """It is fed as the hand; as it lies beside the dagger where that is in the same hand; and it may change hands."""
        scene = self.compile_scene()
        with self.pushed_to("--tcp", "127.0.0.1:0") as daemon, daemon.connect() as client:
            process = self.start_program(scene, "targets", "127.0.0.1", self.port_of(daemon, "TCP"), daemon.path)
            client.subscribe(events=["poses"])
            self.command(process, "on buckler")
            self.expect_buckler(daemon, client, "/user/hand/left", [0, 0, -0.1], [2, 1, -3])
            self.command(process, "on dagger")
            self.expect_buckler(daemon, client, "/user/hand/left", [0.1, -0.5, 0], [2, 1.5, -3])
            self.command(process, "off dagger")
            self.expect_buckler(daemon, client, "/user/hand/left", [0, 0, -0.1], [2, 1, -3])
            self.command(process, "right buckler")
            self.expect_buckler(daemon, client, "/user/hand/right", [0, 0, -0.1], [2, 1, -3])
            self.stop(process)

    def ground_at(self, client, column, row):
        """Where a needle that falls on the middle of a square of the ground touches it, in the rig; None where nothing is."""
        x, z = -90 + 2 * (column + 0.5), -40 + (row + 0.5)
        place = [-(z - 30) / 2, 0, -(x - 10) / 2]  # in the rig's axes, which are turned, half as long, and here OpenXR's
        self.falls += 1
        device = f"needle {self.falls}"
        client.request({"type": "blade", "id": 1, "name": device, "device": device, "base": [0, 0, 0], "tip": [0, 0.1, 0],
                        "radius": 0.0005})
        for step in range(24):
            place[1] = -3.6 - 0.075 * step
            client.send({"type": "poses", "poses": [{"device": device, "position": place, "orientation": [0, 0, 0, 1]}]})
        client.send({"type": "remove", "name": device})
        client.send({"type": "ping", "id": device})
        told = client.read_until(lambda m: m.get("id") == device and m["type"] != "error")
        clashes = [m for m in told if m["type"] == "clash" and m["blades"] == [device, "ground"]]
        return clashes[0]["points"][1] if clashes else None

    def expect_ground(self, client, column, row):
        """Unity parts the square between its points (column, row) and (column + 1, row + 1)."""
        height = lambda x, z: (37 * x + 61 * z) % 97 / 97 * 2  # noqa: E731
        middle = (height(column, row) + height(column + 1, row + 1)) / 2
        found = self.ground_at(client, column, row)
        self.assertIsNotNone(found, (column, row))
        self.assertAlmostEqual(found[1], (10 + middle - 20) / 2, delta=4e-3, msg=(column, row))

    def test_a_terrain_of_the_scene(self):
        scene = self.compile_scene()
        self.falls = 0
        with self.pushed_to("--tcp", "127.0.0.1:0") as daemon, daemon.connect() as client:
            process = self.start_program(scene, "targets", "127.0.0.1", self.port_of(daemon, "TCP"), daemon.path)
            self.targets_when(daemon, lambda t: len(t) == 5)
            self.command(process, "on ground")
            ground = self.targets_when(daemon, lambda t: "ground" in t)["ground"]
            half = math.sqrt(0.5)
            self.expect_near([abs(number) for number in ground["orientation"]], [0, half, 0, half])
            self.assertIn("clashd gets the 60 by 60 points of ground about rig", self.wait_for("log ClashdTarget")[0])
            self.assertIn("ground has holes", "".join(self.wait_for("warning ClashdTarget: ground")))
            client.subscribe(events=["clash"], blades=["ground"])
            # The rig stands over (50, 70).
            for column, row in ((50, 70), (51, 70), (50, 71), (33, 44), (78, 98), (20, 40), (30, 60)):
                self.expect_ground(client, column, row)
            self.assertIsNone(self.ground_at(client, 80, 70))
            self.assertIsNone(self.ground_at(client, 50, 39))
            # The crate is some metres from the rig, which is too little to be told; then it is further.
            self.command(process, "around crate")
            self.command(process, "move crate")
            time.sleep(0.2)
            self.expect_ground(client, 20, 40)
            for _ in range(20):
                self.command(process, "move crate")
            moved = lambda t: t["ground"]["position"] != ground["position"]  # noqa: E731
            self.targets_when(daemon, moved)
            deadline = time.monotonic() + clashd.WAIT_S
            while self.ground_at(client, 50, 31) is None:
                self.assertLess(time.monotonic(), deadline)
            self.expect_ground(client, 50, 32)
            self.stop(process)

    def draw_aside(self, process, expected):
        """How far from the sword that is kept within the pillar its picture is drawn, in the scene's metres."""
        self.command(process, "still")
        deadline, since = time.monotonic() + clashd.WAIT_S, len(self.said)
        while time.monotonic() < deadline:
            lines = [line for line in self.said[since:] if line.startswith("picture ")]
            x, y, z = map(float, lines[-1].split()[1:]) if lines else (math.inf, 0, 0)
            if abs(math.dist((x, y, z), (0, 0, 0)) - expected) < 1e-3:
                self.assertAlmostEqual(abs(z), expected, delta=1e-3)
                return
            time.sleep(0.05)
        raise AssertionError(f"the picture is not drawn {expected} m aside: {lines[-5:]}")


if __name__ == "__main__":
    unity_client.main()
