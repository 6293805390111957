"""clashctl calibrate: base and tip of a sword out of a recording and of a running clashd, from poses with noise as controllers
have it; into settings of which all else stays; what a motion does not say, and what cannot be."""
import json
import math
import random
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402

LEFT, RIGHT = "/user/hand/left", "/user/hand/right"
TIP, BASE = [0.01, 0.03, -0.92], [0.005, 0.012, -0.11]
OTHER_TIP = [-0.02, 0.01, -1.05]


def turned(q, v):
    x, y, z, w = q
    once = [y * v[2] - z * v[1], z * v[0] - x * v[2], x * v[1] - y * v[0]]
    return [v[0] + 2 * (w * once[0] + y * once[2] - z * once[1]), v[1] + 2 * (w * once[1] + z * once[0] - x * once[2]),
            v[2] + 2 * (w * once[2] + x * once[1] - y * once[0])]


def about(axis, angle):
    scale = math.sin(angle / 2) / math.hypot(*axis)
    return [part * scale for part in axis] + [math.cos(angle / 2)]


def times(p, q):
    return [p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1], p[3] * q[1] - p[0] * q[2] + p[1] * q[3] + p[2] * q[0],
            p[3] * q[2] + p[0] * q[1] - p[1] * q[0] + p[2] * q[3], p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2]]


class Motion:
    """A device that is leaned over in a circle about a point of it that rests; 1 mm and 0.3 degrees of noise."""

    def __init__(self, point, place, lean=0.7, rounds=0.4, seed=1):
        self.point, self.place, self.lean, self.rounds = point, place, lean, rounds
        self.random = random.Random(seed)

    def pose(self, device, t):
        angle = 2 * math.pi * self.rounds * t
        noise = [self.random.gauss(0, math.radians(0.3)) for _ in range(3)]
        q = times(times(about([1, 0.2, 0], -1.3), about([math.cos(angle), math.sin(angle), 0], self.lean)),
                  about([*noise[:2], noise[2] + 1e-12], math.hypot(*noise)))
        away = turned(q, self.point)
        return {"device": device, "position": [self.place[i] - away[i] + self.random.gauss(0, 1e-3) for i in range(3)],
                "orientation": q, "tracked": True}


class Calibrate(clashd.TestCase):
    def record(self, *stretches):
        """Each stretch: from when, for how long, and the motion of each device."""
        path = self.home / "turned.jsonl"
        lines = [{"type": "recording", "version": 1, "space": "stage"}]
        for start, length, motions in stretches:
            for i in range(int(90 * length)):
                t = start + i / 90
                lines.append({"type": "poses", "time_ns": round(t * 1e9),
                              "poses": [motion.pose(device, t) for device, motion in motions.items()]})
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    def calibrate(self, *words, code=0):
        done = clashd.clashctl("calibrate", *words, home=self.home)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def both_ends(self):
        place = [0.3, 0.0, -0.5]
        return self.record((2, 8, {RIGHT: Motion(TIP, place)}), (12, 8, {RIGHT: Motion(BASE, [0.3, 0.9, -0.5])}))

    def assert_near(self, found, truth, bound=0.003):
        self.assertLess(math.dist(found, truth), bound)

    def blade(self, document, name="right"):
        return next(blade for blade in document["blades"] if blade["name"] == name)

    def test_both_ends_of_a_recording(self):
        done = self.calibrate("--from", self.both_ends(), "--tip", "2:10", "--base", "12:20")
        document = json.loads(done.stdout)
        self.assert_near(self.blade(document)["tip"], TIP)
        self.assert_near(self.blade(document)["base"], BASE)
        self.assertEqual(self.blade(document)["radius"], 0.015)
        self.assertEqual(self.blade(document, "left")["tip"], [0, 0, -1])
        for part in ("tip: ", "base: ", "standard error", "condition number", f"{math.dist(TIP, BASE):.2f}"):
            self.assertIn(part, done.stderr)

    def test_all_else_of_a_file_stays(self):
        settings = self.home / "mine.json"
        before = {"contact": {"margin": 0.01}, "blades": [
            {"name": "sword", "device": RIGHT, "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.0125, "edge": [0, -1, 0]},
            {"name": "cane", "device": LEFT, "parts": [{"name": "stick", "points": [[0, 0, 0], [0, 0, -1]], "radius": 0.02}]}]}
        settings.write_text(json.dumps(before))
        link = self.home / "link.json"
        link.symlink_to(settings)
        done = self.calibrate("--from", self.both_ends(), "--tip", "2:10", "--write", link)
        self.assertEqual(done.stdout, "")
        self.assertIn("link.json", done.stderr)
        self.assertTrue(link.is_symlink())
        after = json.loads(settings.read_text())
        self.assert_near(self.blade(after, "sword")["tip"], TIP)
        self.blade(after, "sword")["tip"] = [0, 0, -1]
        self.assertEqual(after, before)
        self.assertEqual([path.name for path in self.home.glob("*.new")], [])
        self.assertIn("has parts", self.calibrate("--from", self.both_ends(), "--device", LEFT, "--write", link, code=2).stderr)
        checked = subprocess.run([clashd.CLASHD, "--check-config", "--config", settings], env=clashd.environment(self.home),
                                 capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stderr)

    def test_the_settings_are_indented(self):
        """Printed and in a file: by two spaces, a vector on one line, tabs of names as they were."""
        settings = self.home / "mine.json"
        settings.write_text(json.dumps({"blades": [{"name": "a\tb: c", "device": RIGHT, "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.02}]}))
        printed = self.calibrate("--profile", "index").stdout
        self.calibrate("--profile", "index", "--write", settings)
        for text in (printed, settings.read_text()):
            self.assertNotIn("\t", text)
            self.assertIn('"tip": [0, 0, -1]', text)
            for line in text.splitlines():
                self.assertEqual((len(line) - len(line.lstrip(" "))) % 2, 0, line)
            self.assertGreater(len(text.splitlines()), 8)
        self.assertTrue(printed.startswith('{\n  "blades": ['), printed)
        self.assertEqual(json.loads(settings.read_text())["blades"][0]["name"], "a\tb: c")

    def test_a_new_file(self):
        new = self.home / "new.json"
        self.calibrate("--from", self.both_ends(), "--only-base", "--base", "12:20", "--write", new)
        self.assert_near(self.blade(json.loads(new.read_text()))["base"], BASE)
        self.assertEqual(self.blade(json.loads(new.read_text()))["tip"], [0, 0, -1])

    def test_two_tips(self):
        place = [0.0, 1.2, -0.4]
        path = self.record((0, 8, {LEFT: Motion(OTHER_TIP, place, rounds=0.3), RIGHT: Motion(TIP, place, rounds=-0.5, seed=2)}))
        document = json.loads(self.calibrate("--tips", "--from", path).stdout)
        self.assert_near(self.blade(document)["tip"], TIP)
        self.assert_near(self.blade(document, "left")["tip"], OTHER_TIP)

    def test_what_a_motion_does_not_say(self):
        for lean, rounds, part in ((0.0, 0.0, "hardly turned"), (0.05, 0.4, "hardly turned")):
            path = self.record((0, 8, {RIGHT: Motion(TIP, [0, 0, 0], lean=lean, rounds=rounds)}))
            done = self.calibrate("--from", path, code=1)
            self.assertEqual(done.stdout, "")
            self.assertIn(part, done.stderr)
        self.assertIn("expected 20", self.calibrate("--from", self.both_ends(), "--tip", "10.5:11", code=1).stderr)
        same = self.record((0, 8, {RIGHT: Motion(TIP, [0, 0, 0])}))
        self.assertIn("other end", self.calibrate("--from", same, "--tip", "0:8", "--base", "0:8", code=1).stderr)

    def test_mistakes(self):
        broken = self.home / "broken.json"
        broken.write_text('{"blades": 7}')
        for words, part in ((("--tip", "5:3", "--from", "x"), "FROM:TO"), (("--tip", "1:2"), "--from"),
                            (("--blade", "middle", "--from", "x"), "middle"), (("--device", "a/b", "--from", "x"), "a/b"),
                            (("--from", "x", "--write", broken), "blades"), (("--from", self.home / "none"), "none"),
                            (("--profile", "broom"), "index"), (("--profile", "wmr", "--aim"), "aim"), (("--aim",), "--profile"),
                            (("--tips", "--device", RIGHT), "--tips"), (("now",), "options only")):
            self.assertIn(part, self.calibrate(*words, code=2).stderr)
        self.assertEqual(broken.read_text(), '{"blades": 7}')
        commented = self.home / "commented.json"
        commented.write_text('{} // mine\n')
        self.assertIn("has comments", self.calibrate("--from", "x", "--write", commented, code=2).stderr)
        self.assertEqual(commented.read_text(), '{} // mine\n')
        self.assertIn("nothing listens at", self.calibrate(code=3).stderr)

    def test_controllers_to_begin_with(self):
        for name, begin in (("index", 0.06), ("touch", 0.06), ("vive", 0.12), ("pico", 0.06), ("wmr", 0.06), ("simple", 0.05),
                            ("/interaction_profiles/htc/vive_controller", 0.12)):
            document = json.loads(self.calibrate("--profile", name).stdout)
            for hand in ("left", "right"):
                self.assertEqual(self.blade(document, hand)["base"], [0, 0, -begin])
                self.assertEqual(self.blade(document, hand)["tip"], [0, 0, -1])
        aimed = self.blade(json.loads(self.calibrate("--profile", "index", "--aim").stdout))
        self.assertLess(aimed["tip"][1], -0.8)  # down from the handle, as it is held
        self.assertAlmostEqual(math.hypot(*aimed["tip"]), 1, delta=1e-3)
        self.assertAlmostEqual(sum(a * b for a, b in zip(aimed["tip"], aimed["edge"])), 0, delta=1e-3)

    def test_a_running_clashd(self):
        """A prop sword of a client's; the first try is too short of turning, the second one is good."""
        settings = self.home / "prop.json"
        settings.write_text(json.dumps({"blades": [{"name": "prop", "device": "prop/1", "base": [0, 0, 0], "tip": [0, 0, -1],
                                                    "radius": 0.02}]}))
        motion = Motion(TIP, [0.5, 0, -1], rounds=1.0)
        still = Motion(TIP, [0.5, 0, -1], lean=0.0)
        stop, good = threading.Event(), threading.Event()
        with clashd.Daemon("--source", "none", home=self.home) as daemon, daemon.connect() as client:
            blade = {"name": "any", "device": "prop/1", "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.02}
            self.assertEqual(client.request({"type": "blade", "id": 1, **blade})["type"], "ok")

            def push():
                while not stop.wait(0.01):
                    client.send({"type": "poses", "poses": [(motion if good.is_set() else still).pose("prop/1", time.monotonic())]})
            pusher = threading.Thread(target=push)
            pusher.start()
            try:
                process = subprocess.Popen(
                    [clashd.CLASHCTL, "calibrate", "--device", "prop/1", "--only-tip", "--seconds", "3", "--countdown", "1",
                     "--write", settings], stderr=subprocess.PIPE, text=True, env=clashd.environment(self.home))
                said = []
                for line in process.stderr:
                    said.append(line)
                    if "not enough" in line:
                        good.set()
                self.assertEqual(process.wait(timeout=clashd.WAIT_S), 0, said)
            finally:
                process.kill()
                process.stderr.close()
                stop.set()
                pusher.join()
        self.assert_near(self.blade(json.loads(settings.read_text()), "prop")["tip"], TIP, 0.005)
        text = "".join(said)
        for part in ("Put the TIP", "1..", "lean the hilt over", "3 s", "hardly turned", "Done.", "tip: ", "Written to"):
            self.assertIn(part, text)


if __name__ == "__main__":
    unittest.main()
