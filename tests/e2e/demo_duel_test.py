"""daemon/demo.sh duel, as the README has it: two players' clashds, a real broker, a real person's swings through the OpenXR loader, and in the
end the same clashes on both sides."""
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import broker  # noqa: E402
import clashd  # noqa: E402
import demo  # noqa: E402

broker.need()
# Of 28 in the recording. Both hands' runtimes start when they start, so the hands are not quite where they were; a machine with much else
# to do may miss samples of them.
LEAST = 5


class Duel(clashd.TestCase):
    def test_both_find_the_same(self):
        root, env = demo.checkout(self.home)
        done = subprocess.run(["sh", "daemon/demo.sh", "duel"], cwd=root, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=clashd.WAIT_S)
        self.assertEqual(done.returncode, 0, done.stdout)
        told = re.search(r"anna's clashd found (\d+) clashes, ben's (\d+), and (\d+) of them", done.stdout)
        self.assertIsNotNone(told, done.stdout)
        anna, ben, both = map(int, told.groups())
        self.assertGreaterEqual(both, LEAST, done.stdout)
        # What is under way at the end may be known to one of them alone.
        self.assertLessEqual(max(anna, ben) - both, 2, done.stdout)
        self.assertEqual(done.stdout.count("ben/saber"), anna, done.stdout)
        self.assertEqual(list((root / "tmp").iterdir()), [])


if __name__ == "__main__":
    unittest.main()
