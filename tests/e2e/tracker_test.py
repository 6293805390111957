"""A prop sword with a tracker on it: a blade whose device is a role of XR_HTCX_vive_tracker_interaction is where the stand-in runtime
has that tracker, and clashes with the hands' blades as an exhaustive search over the recorded poses says."""
import json
import math
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import dense  # noqa: E402
import validate  # noqa: E402

MANIFEST = clashd.BUILD / "daemon" / "runtime" / "clash_runtime.json"
LEFT, RIGHT, PROP = "/user/hand/left", "/user/hand/right", "/user/vive_tracker_htcx/role/handheld_object"
START_TOLERANCE_NS = 1e5


def blade(name, device):
    return {"name": name, "device": device, "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.02}


def swings(seconds, hz=90):
    """The left hand holds its sword still, level and along -z; the prop's, along x, goes up and down through it once a second."""
    half = math.pi / 4  # of a quarter turn to the left
    yield {"type": "recording", "version": 1, "space": "stage"}
    for frame in range(int(seconds * hz)):
        at = frame / hz
        yield {"type": "poses", "time_ns": round(at * 1e9), "poses": [
            {"device": LEFT, "position": [0, 1.2, 0], "orientation": [0, 0, 0, 1], "tracked": True},
            {"device": RIGHT, "position": [5, 1.2, 0], "orientation": [0, 0, 0, 1], "tracked": True},
            {"device": PROP, "position": [0.5, 1.2 + 0.3 * math.cos(2 * math.pi * at), -0.5],
             "orientation": [0, math.sin(half), 0, math.cos(half)], "tracked": True}]}


class Tracker(clashd.TestCase):
    def start(self, blades, **env):
        played = self.home / "played.jsonl"
        played.write_text("".join(json.dumps(line) + "\n" for line in swings(10)))
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({"blades": blades}))
        self.recording = self.home / "recording.jsonl"
        daemon = clashd.Daemon("--config", settings, "--record", self.recording, home=self.home,
                               env={"XR_RUNTIME_JSON": MANIFEST, "CLASH_RUNTIME_RECORDING": played, **env})
        self.addCleanup(daemon.process.kill)
        client = daemon.connect()
        self.addCleanup(client.close)
        client.subscribe(since_seq=0)
        return daemon, client

    def until_clashes(self, client, count):
        seen = []
        client.read_until(lambda message: message["type"] == "clash" and (seen.append(message) or len(seen) == count))
        return seen

    def test_a_prop_sword(self):
        daemon, client = self.start([blade("left", LEFT), blade("prop", PROP)], CLASH_RUNTIME_TRACKERS=1)
        for clash in self.until_clashes(client, 4):
            self.assertEqual(sorted(clash["blades"]), ["left", "prop"])
            for found, right in zip(clash["midpoint"], (0, 1.2, -0.5)):
                self.assertAlmostEqual(found, right, delta=0.03)
        status = client.request({"type": "status", "id": 1})
        self.assertEqual({device["device"]: (device["tracked"], device["source"]) for device in status["devices"]},
                         {device: (True, "openxr") for device in (LEFT, RIGHT, PROP)})
        self.assertEqual(daemon.stop(), 0, daemon.log)
        client.read_all()
        for line in client.lines:
            self.assertFalse(validate.check(line), line)
        recorded = self.recording.read_text()
        kinds = ("clash", "hold", "release", "tracking", "space_changed")
        self.assertEqual(*([line for line in lines if json.loads(line)["type"] in kinds] for lines in (client.lines, recorded.splitlines()[1:])))
        found = [message["time_ns"] for message in map(json.loads, client.lines) if message["type"] == "clash"]
        expected = dense.contact_starts(recorded.replace(PROP, "prop").replace(RIGHT, "other").replace("prop", RIGHT).splitlines())
        self.assertEqual(len(found), len(expected), (found, expected))
        for found_ns, expected_ns in zip(found, expected):
            self.assertLess(abs(found_ns - expected_ns), START_TOLERANCE_NS)
        verified = clashd.clashctl("verify", self.recording, home=self.home)
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)

    def test_nobody_asks_for_it(self):
        """Without a blade on it a tracker is no device."""
        daemon, client = self.start([blade("left", LEFT)], CLASH_RUNTIME_TRACKERS=1)
        client.read_until(lambda message: message["type"] == "tracking" and message["device"] == RIGHT)
        status = client.request({"type": "status", "id": 1})
        self.assertEqual([device["device"] for device in status["devices"]], [LEFT, RIGHT])
        self.assertEqual(daemon.stop(), 0, daemon.log)
        self.assertNotIn(PROP, self.recording.read_text())

    def test_a_runtime_without_trackers(self):
        """It says so once, and the hands go on."""
        blades = [blade("left", LEFT), blade("prop", PROP), blade("odd", f"{PROP.rpartition('/')[0]}/tail")]
        daemon, client = self.start(blades)
        client.read_until(lambda message: message["type"] == "tracking" and message["device"] == RIGHT and message["tracked"])
        daemon.wait_for_log("knows no trackers")
        status = client.request({"type": "status", "id": 1})
        tracked = {device["device"]: device["tracked"] for device in status["devices"]}
        self.assertEqual((tracked[LEFT], tracked[RIGHT], tracked[PROP]), (True, True, False))
        self.assertEqual(daemon.stop(), 0, daemon.log)
        self.assertEqual(sum("is no role of a tracker" in line for line in daemon.log), 1)

    def test_more_than_the_runtime_knows(self):
        """The stand-in knows one role, clashd follows six: the others are said to be missing, and that one is there."""
        roles = ["handheld_object", "waist", "chest", "left_foot", "right_foot", "camera", "keyboard"]
        blades = [blade(role, f"{PROP.rpartition('/')[0]}/{role}") for role in roles] + [blade("left", LEFT)]
        daemon, client = self.start(blades, CLASH_RUNTIME_TRACKERS=1)
        self.until_clashes(client, 1)
        self.assertEqual(daemon.stop(), 0, daemon.log)
        self.assertEqual(["keyboard" in line for line in daemon.log if "one tracker too many" in line], [True])
        unknown = [line for line in daemon.log if "has no tracker" in line]
        self.assertEqual([role for role in roles if any(f"/{role} " in line for line in unknown)], roles[1:6])


if __name__ == "__main__":
    if not MANIFEST.exists():
        print(f"skipped: {MANIFEST} has not been built")
        sys.exit(77)
    unittest.main()
