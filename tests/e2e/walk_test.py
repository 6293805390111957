"""The walk of daemon/geometry/examples as a program: what it prints, and that the same seed is the same walk."""
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tree  # noqa: E402

WALK = tree.BUILD / "daemon" / "geometry" / "examples" / "walk"
LINES = re.compile(r"stage: (\d+) triangles\n"
                   r"(\d+) frames, \d+ s: (\d+) m walked, (\d+) jumps, \d+ % on the ground, between \S+ and \S+ m high\n"
                   r"a frame: ([\d.]+) us on average, [\d.]+ at the median, 99 of 100 below [\d.]+, the longest \d+\n")


def walk(*words):
    return subprocess.run([WALK, *words], capture_output=True, text=True, timeout=120)


class Walk(unittest.TestCase):
    def test_what_it_prints(self):
        done = walk("5000", "7")
        self.assertEqual(done.returncode, 0, done.stderr)
        triangles, frames, metres, jumps, micros = LINES.fullmatch(done.stdout).groups()
        self.assertTrue(16500 < int(triangles) < 17500, triangles)
        self.assertEqual(frames, "5000")
        self.assertTrue(int(metres) > 100 and int(jumps) > 10 and float(micros) > 0, done.stdout)
        self.assertEqual(walk("5000", "7").stdout.splitlines()[1], done.stdout.splitlines()[1])
        self.assertNotEqual(walk("5000", "8").stdout.splitlines()[1], done.stdout.splitlines()[1])

    def test_no_frames(self):
        for word in ("0", "-5", "many"):
            done = walk(word)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", "usage: walk [FRAMES [SEED]]\n"))


if __name__ == "__main__":
    unittest.main()
