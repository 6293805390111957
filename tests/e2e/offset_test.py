"""openxr.offsets: with each controller hands' poses are grip * offset, told and recorded, and a controller that becomes another strikes
nothing. A tracker that moves as the left hand does, and has no offset, says where the grip is."""
import json
import math
import signal
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import validate  # noqa: E402

MANIFEST = clashd.BUILD / "daemon" / "runtime" / "clash_runtime.json"
LEFT, RIGHT, PROP = "/user/hand/left", "/user/hand/right", "/user/vive_tracker_htcx/role/handheld_object"
INDEX, VIVE = "/interaction_profiles/valve/index_controller", "/interaction_profiles/htc/vive_controller"
TURNED = {"position": [0.1, -0.2, -0.3], "orientation": [0.5, -0.5, 0.5, 0.5]}
TOLERANCE = 1e-6


def product(p, q):
    (px, py, pz, pw), (qx, qy, qz, qw) = p, q
    return [pw * qx + px * qw + py * qz - pz * qy, pw * qy - px * qz + py * qw + pz * qx,
            pw * qz + px * qy - py * qx + pz * qw, pw * qw - px * qx - py * qy - pz * qz]


def composed(pose, offset):
    """(position, orientation) of pose * offset."""
    turn = pose["orientation"]
    back = [-turn[0], -turn[1], -turn[2], turn[3]]
    moved = product(product(turn, [*offset.get("position", [0, 0, 0]), 0]), back)[:3]
    return ([a + b for a, b in zip(pose["position"], moved)], product(turn, offset.get("orientation", [0, 0, 0, 1])))


def blade(name, device, x=0):
    return {"name": name, "device": device, "base": [x, 0, 0], "tip": [x, 0, -1], "radius": 0.02}


def motion(seconds, hz=90):
    """The left hand turns about an axis of its own and goes up and down, and the prop with it; the right one is at rest."""
    yield {"type": "recording", "version": 1, "space": "stage"}
    for frame in range(int(seconds * hz)):
        at = frame / hz
        half = math.sin(at) / 10
        turn = [0.6 * math.sin(half), 0, 0.8 * math.sin(half), math.cos(half)]
        left = {"position": [0.1, 1.2 + 0.2 * math.sin(3 * at), 0.2], "orientation": turn, "tracked": True}
        yield {"type": "poses", "time_ns": round(at * 1e9), "poses": [
            {"device": LEFT, **left}, {"device": PROP, **left},
            {"device": RIGHT, "position": [1.1, 1.2, 0], "orientation": [0, 0, 0, 1], "tracked": True}]}


class Offsets(clashd.TestCase):
    def start(self, offsets, blades, **env):
        played = self.home / "played.jsonl"
        played.write_text("".join(json.dumps(line) + "\n" for line in motion(20)))
        self.path, self.blades = self.home / "settings.json", blades
        self.write(offsets)
        self.recording = self.home / "recording.jsonl"
        daemon = clashd.Daemon("--config", self.path, "--record", self.recording, home=self.home,
                               env={"XR_RUNTIME_JSON": MANIFEST, "CLASH_RUNTIME_RECORDING": played, "CLASH_RUNTIME_TRACKERS": 1, **env})
        self.addCleanup(daemon.process.kill)
        client = daemon.connect()
        self.addCleanup(client.close)
        client.subscribe(since_seq=0, events=["clash", "poses"], pose_rate_hz=250)
        return daemon, client

    def write(self, offsets):
        self.path.write_text(json.dumps({"blades": self.blades, "openxr": {"offsets": offsets}}))

    def wait_for(self, client, offset, count=30):
        """Reads until the left hand has been told with that offset, so often."""
        seen = []

        def is_last(message):
            if message["type"] == "poses":
                told = {pose["device"]: pose for pose in message["poses"]}
                if LEFT in told and PROP in told and self.is_offset(told[LEFT], told[PROP], offset):
                    seen.append(message)
            return len(seen) == count
        client.read_until(is_last)

    def is_offset(self, told, grip, offset):
        position, turn = composed(grip, offset)
        same = sum(a * b for a, b in zip(turn, told["orientation"])) < 0  # both signs are the same rotation
        turn = [-x for x in turn] if same else turn
        return max(abs(a - b) for a, b in zip([*position, *turn], [*told["position"], *told["orientation"]])) < TOLERANCE

    def finish(self, daemon, client):
        """Returns the recording's lines; it verifies, and what clashd told of its events stands there."""
        self.assertEqual(daemon.stop(), 0, daemon.log)
        client.read_all()
        for line in client.lines:
            self.assertFalse(validate.check(line), line)
        text = self.recording.read_text()
        self.assertEqual(validate.check_text(text, "recording"), [])
        verified = clashd.clashctl("verify", self.recording, home=self.home)
        self.assertTrue(verified.returncode == 0 or "no event could be compared" in verified.stderr, verified.stdout + verified.stderr)
        return [json.loads(line) for line in text.splitlines()]

    def check_poses(self, lines, offsets):
        """Every recorded pose of the left hand is the prop's by the offset of the controller that it then has. Returns how many
        there were of each controller, and at which times the hand was cut."""
        profile, counts, cuts = None, {}, []
        for line in lines:
            if line["type"] in ("recording", "equipment"):
                profile = {one["device"]: one["profile"] for one in line.get("controllers", [])}.get(LEFT)
            if line["type"] != "poses":
                continue
            told = {pose["device"]: pose for pose in line["poses"] if pose.get("valid", True)}
            if LEFT not in told or PROP not in told:
                continue
            self.assertTrue(self.is_offset(told[LEFT], told[PROP], offsets.get(profile, {})), (profile, told))
            self.assertFalse(told[PROP].get("teleport", False), line)
            counts[profile] = counts.get(profile, 0) + 1
            if told[LEFT].get("teleport"):
                cuts.append(profile)
        return counts, cuts

    def test_another_controller_in_mid_run(self):
        """The left sword jumps across a rail beside it, and back again, which a sweep from pose to pose would take for clashes."""
        here, across = ({**TURNED, "position": [x, -0.5, -0.3]} for x in (0.1, 2))  # upright
        daemon, client = self.start({"index": here, VIVE: across}, [blade("left", LEFT), blade("rail", PROP, 1)],
                                    CLASH_RUNTIME_FAULTS=f"profile@1s:{VIVE}, profile@2s:{INDEX}")
        at = daemon.wait_for_log(f"left hand: {VIVE}")
        daemon.wait_for_log(f"left hand: {INDEX}", at)
        self.wait_for(client, here)  # however late this client was, the recording has all of it
        lines = self.finish(daemon, client)
        counts, cuts = self.check_poses(lines, {INDEX: here, VIVE: across})
        self.assertGreater(min(counts[INDEX], counts[VIVE]), 5, counts)
        self.assertEqual([one for one in cuts if one][-2:], [VIVE, INDEX])
        self.assertEqual([line for line in lines if line["type"] == "clash"], [])
        # the same motion, not cut, has both
        joined = self.home / "joined.jsonl"
        joined.write_text("".join(json.dumps({**line, "poses": [{key: value for key, value in pose.items() if key != "teleport"}
                                                               for pose in line["poses"]]} if line["type"] == "poses" else line) + "\n"
                                  for line in lines))
        found = [json.loads(line) for line in clashd.detect(joined, "--set", "contact.max_gap_ms=10000", home=self.home)]  # however late a busy machine was
        self.assertEqual(sum(line["type"] == "clash" for line in found), 2)

    def test_a_default_and_a_controller_without(self):
        daemon, client = self.start({"vive": "default"}, [blade("prop", PROP)], CLASH_RUNTIME_FAULTS=f"profile@1s:{VIVE}")
        end = {"position": [0, 0, -0.12]}
        self.wait_for(client, end)
        counts, _ = self.check_poses(self.finish(daemon, client), {VIVE: end})
        self.assertGreater(min(counts[INDEX], counts[VIVE]), 5, counts)

    def test_a_reload_takes_them(self):
        daemon, client = self.start({}, [blade("prop", PROP)])
        self.wait_for(client, {})
        self.write({"index": TURNED})
        daemon.process.send_signal(signal.SIGHUP)
        self.wait_for(client, TURNED)
        shown = clashd.clashctl("config", home=self.home).stdout
        self.assertIn(f'{{"{INDEX}":{{"position":[0.1,-0.2,-0.3],"orientation":[0.5,-0.5,0.5,0.5]}}}}', shown)
        self.write({"index": {"orientation": [0, 0, 0, 2]}})
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_for_log("openxr.offsets.index.orientation: expected a quaternion")
        self.wait_for(client, TURNED)
        self.finish(daemon, client)


if __name__ == "__main__":
    if not MANIFEST.exists():
        print(f"skipped: {MANIFEST} has not been built")
        sys.exit(77)
    unittest.main()
