"""The script that changes geometry to see whether a test notices: it finds the right places, knows the changes that make no
difference, and gives each kind of verdict where that one is right, on one file and one quick test of this build."""
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import mutation  # noqa: E402
import mutation_sites  # noqa: E402
import tree  # noqa: E402


def all_changes(text):
    return [mutation_sites.changed(text, site, other) for site in mutation_sites.sites(text) for other in site.others]


class Sites(unittest.TestCase):
    def assert_changes(self, text, *expected):
        self.assertEqual(all_changes(text), list(expected))

    def test_comparisons(self):
        self.assert_changes("a < b", "a <= b", "a > b")
        self.assert_changes("a >= b", "a > b", "a <= b")
        self.assert_changes("a == b", "a != b")
        self.assert_changes("a && b", "a || b")

    def test_signs(self):
        self.assert_changes("a - b", "a + b")
        self.assert_changes("return -b;", "return b;")
        self.assert_changes("f(-b)", "f(b)")
        self.assert_changes("(a) -1", "(a) +1")
        self.assert_changes("a -= b", "a += b")

    def test_constants(self):
        self.assert_changes("x * 0.5", "x * -0.5")
        self.assert_changes("x * -0.5f", "x * 0.5f")
        self.assert_changes("x + 2.0", "x - 2.0", "x + -2.0")
        self.assert_changes("0.0 * 3")

    def test_what_only_looks_like_one(self):
        for text in ("/* a < b */", "// a + b", '"a - b"', "'-'", "#if A > 1", "#define B(x) \\\n (-(x))", "p->x", "i++",
                     "a << 2", "a >>= 1", "1e-9", "a * b"):
            self.assert_changes(text)

    def test_lines(self):
        self.assertEqual([site.line for site in mutation_sites.sites("a\n/*\n*/ < b\n+ c")], [3, 4])


class Choice(unittest.TestCase):
    FILES = ["vec.h", "line.c", "trig.h"]

    def test_the_seed_decides(self):
        first, same, other = (mutation.pick(self.FILES, 30, seed) for seed in (1, 1, 2))
        self.assertEqual(first, same)
        self.assertNotEqual(first, other)

    def test_every_file_gets_its_share_and_no_change_comes_twice(self):
        picked = mutation.pick(self.FILES, 30, 1)
        self.assertEqual({file: sum(m.file == file for m in picked) for file in self.FILES}, dict.fromkeys(self.FILES, 10))
        self.assertEqual(len({m.text for m in picked}), 30)

    def test_what_is_said_to_make_no_difference_is_still_there(self):
        for (file, before, after), reason in mutation.equivalents().items():
            lines = [line.strip() for line in (mutation.GEOMETRY / file).read_text().splitlines()]
            self.assertIn(before, lines, f"{file} in {mutation.EQUIVALENT.name}")
            self.assertIn(after, [change for line in lines if line == before for change in all_changes(line)])
            self.assertGreater(len(reason), 20)


@unittest.skipUnless((tree.BUILD / "build.ninja").exists(), "the build is not Ninja's")
class Verdicts(unittest.TestCase):
    FILE, TEST, OTHER_TEST = "outline.c", "outline_test", "distance_test"

    def setUp(self):
        self.directory = Path(tempfile.mkdtemp(prefix="clashd-mutation-"))
        self.addCleanup(shutil.rmtree, self.directory)
        self.build = mutation.Build(tree.BUILD)
        self.text = (mutation.GEOMETRY / self.FILE).read_text()

    def judge(self, before, after, tests):
        self.assertEqual(self.text.count(before), 1, "the line to change is gone: choose another")
        mutant = mutation.Mutant(self.FILE, 1, before, after, before, after, self.text.replace(before, after))
        return mutation.Worker(self.build, self.directory / "worker", tests).judge(mutant)

    def test_each(self):
        line, other = "dvec_add_scaled(center, x, cosine)", "dvec_add_scaled(center, x, -2.0 * cosine)"
        self.assertEqual(self.judge(line, other, [self.OTHER_TEST, self.TEST]), ("caught", self.TEST))
        self.assertEqual(self.judge(line, other, [self.OTHER_TEST]), ("survived", None))
        self.assertEqual(self.judge(line, f"{line} ", [self.TEST]), ("same code", None))
        self.assertEqual(self.judge(line, "dvec_add_scaled(", [self.TEST]), ("no C", None))


if __name__ == "__main__":
    unittest.main()
