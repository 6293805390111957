"""clashctl convert makes recordings of Beat Saber replays: what an independent writer of that format wrote is found in them,
in our axes, and nothing of who played."""
import json
import math
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import bsor  # noqa: E402
import clashd  # noqa: E402
import validate  # noqa: E402

CORPUS = clashd.SOURCE / "tests" / "fuzz" / "corpus" / "bsor"
AHEAD = (0, 0, 0, 1)


def turned(degrees):
    """Unity: about the vertical axis, clockwise as seen from above."""
    return (0, math.sin(math.radians(degrees) / 2), 0, math.cos(math.radians(degrees) / 2))


class Import(clashd.TestCase):
    def convert(self, data, name="out.jsonl", code=0):
        source, made = self.home / "play.bsor", self.home / name
        source.write_bytes(data)
        made.unlink(missing_ok=True)
        done = clashd.clashctl("convert", source, made, home=self.home)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(made.exists(), code == 0)
        self.said = done.stderr
        return made

    def lines(self, made):
        text = made.read_text()
        self.assertEqual(validate.check_text(text, "recording"), [])
        return [json.loads(line) for line in text.splitlines()]

    def test_the_examples_are_the_writers(self):
        for name, data in bsor.examples().items():
            self.assertEqual((CORPUS / name).read_bytes(), data, name)

    def test_poses_are_in_our_axes(self):
        frames, wanted = [], []
        for i in range(50):
            poses = [((0.25 * i, 1.5, -0.125 * i), turned(3 * i)), ((-0.5, 1, i / 64), (0.1, 0.2, 0.3, 0.9)),
                     ((0.5, 1, 0.75), (0, 0, math.sin(i), math.cos(i)))]
            frames.append(bsor.frame(i / 64, *poses))
            wanted.append([([x, y, -z], [-a, -b, c, d]) for (x, y, z), (a, b, c, d) in poses])
        header, *lines = self.lines(self.convert(bsor.replay(frames, notes=(0, 1, 2, 3))))
        self.assertEqual(header["space"], "stage")
        self.assertEqual([(blade["device"], blade["base"], blade["tip"]) for blade in header["blades"]],
                         [(f"/user/hand/{hand}", [0, 0, 0], [0, 0, -1]) for hand in ("left", "right")])
        self.assertEqual([line["time_ns"] for line in lines], [15625000 * i for i in range(50)])
        for line, poses in zip(lines, wanted, strict=True):
            self.assertEqual([pose["device"] for pose in line["poses"]], ["/user/head", "/user/hand/left", "/user/hand/right"])
            for pose, (position, orientation) in zip(line["poses"], poses, strict=True):
                self.assertTrue(pose["tracked"])
                for got, value in zip(pose["position"] + pose["orientation"], position + orientation, strict=True):
                    self.assertAlmostEqual(got, value, delta=1e-6)

    def test_sabers_clash_where_they_cross(self):
        """The left points ahead, the right points left and comes from above; they meet at x 0, z 0.5 of Unity's."""
        frames = [bsor.frame(i / 64, left=((0, 1, 0), AHEAD), right=((0.5, 1.5 - i / 32, 0.5), turned(-90))) for i in range(32)]
        made = self.convert(bsor.replay(frames))
        clash, *more = [event for event in map(json.loads, clashd.detect(made, home=self.home)) if event["type"] == "clash"]
        self.assertEqual(more, [])
        for got, value in zip(clash["midpoint"], (0, 1.01, -0.5), strict=True):
            self.assertAlmostEqual(got, value, delta=1e-3)
        self.assertAlmostEqual(clash["closing_speed"], 2, delta=1e-3)
        self.assertAlmostEqual(clash["crossing_angle"], math.pi / 2, delta=1e-3)
        for along in clash["along"]:
            self.assertAlmostEqual(along, 0.5, delta=1e-3)

    def test_a_song_that_runs_faster_is_no_faster_swing(self):
        frames = [bsor.frame(1.2 * i / 64, left=((0, 1, 0), AHEAD), right=((0.5, 1.5 - i / 32, 0.5), turned(-90)))
                  for i in range(32)]
        for modifiers, speed in (("FS", 1.2), ("NF,FS", 1.2), ("XFS", 1), ("", 1)):
            made = self.convert(bsor.replay(frames, modifiers=modifiers))
            self.assertAlmostEqual(self.lines(made)[-1]["time_ns"], 31 * 1.2e9 / 64 / speed, delta=1e3)
            [clash] = [event for event in map(json.loads, clashd.detect(made, home=self.home)) if event["type"] == "clash"]
            self.assertAlmostEqual(clash["closing_speed"], 2 * speed / 1.2, delta=1e-3)

    def test_nothing_is_swept_across_a_pause(self):
        """What crossed while nobody looked did not clash."""
        frames = [bsor.frame(i / 64, left=((0, 1, 0), AHEAD), right=((0.5, 1.5 if i < 4 else 0.5, 0.5), turned(-90)))
                  for i in range(8)]
        for pauses, clashes in (((), 1), (((10, 3 / 64),), 0), (((10, 5 / 64),), 1)):
            made = self.convert(bsor.replay(frames, pauses=pauses))
            events = [json.loads(line)["type"] for line in clashd.detect(made, home=self.home)]
            self.assertEqual(events.count("clash"), clashes)

    def test_nobody_is_in_it(self):
        for name in ("r.jsonl", "r.jsonl.zst"):
            made = self.convert(bsor.replay([bsor.frame(0)], playerName="J\u00f6rg", songName="\u6b4c"), name)
            plain = self.home / "plain.jsonl"
            plain.unlink(missing_ok=True)
            self.assertEqual(clashd.clashctl("convert", made, plain, home=self.home).returncode, 0)
            text = plain.read_text()
            for key in ("playerID", "timestamp", "hash", "mapper", "environment", "difficulty", "controller"):
                self.assertNotIn(bsor.INFO[key], text)
            for word in ("J\u00f6rg", "rg", "\u6b4c", "Quest"):
                self.assertNotIn(word, text)
            self.assertEqual(json.loads(text.splitlines()[0]).keys(), {"type", "version", "space", "axes", "blades", "note"})

    def test_odd_frames_are_counted(self):
        self.lines(self.convert((CORPUS / "odd-frames").read_bytes()))
        for part in ("6 lines of 9 frames", "2 that go back", "2 without", "repeated times: 1", "not finite: 2"):
            self.assertIn(part, self.said)

    def test_what_is_wrong_is_said_and_nothing_is_left(self):
        whole = (CORPUS / "whole").read_bytes()
        for data, part in ((whole[:100], "at byte "), (whole[:-100], "at byte "), (whole[:2], "play.bsor"),
                           (whole[:4] + b"\2" + whole[5:], "at byte 4: expected version 1 of the format, got 2"),
                           (whole.replace(b"\6\0\0\0A Song", b"\xff\xff\xff\x7fA Song"), "expected the length of a string")):
            self.convert(data, code=2)
            self.assertIn(part, self.said)

    def test_clashd_does_not_replay_it(self):
        source = self.home / "play.bsor"
        source.write_bytes((CORPUS / "whole").read_bytes())
        done = subprocess.run([clashd.CLASHD, "--source", f"replay:{source}"], env=clashd.environment(self.home), capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("is a Beat Saber replay; expected a recording, as clashctl convert makes one of it", done.stderr)
        (self.home / "there.jsonl").write_text("mine")
        done = clashd.clashctl("convert", source, self.home / "there.jsonl", home=self.home)
        self.assertEqual((done.returncode, (self.home / "there.jsonl").read_text()), (2, "mine"))
        self.assertIn("File exists", done.stderr)


if __name__ == "__main__":
    unittest.main()
