"""The build without the daemon and without any library (CLASHD_PURE_TESTS), which MemorySanitizer and other processors run,
can be made, and has the tests of libclash and the pipeline in it. No unit of libclash takes long to compile."""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tree  # noqa: E402

SOME = ("unit/mesh_test", "unit/pipeline_test", "unit/sweep_test", "property/golden_test", "property/order_property_test",
        "property/pipeline_property_test", "property/push_out_property_test", "property/terrain_property_test")

# Bytes of code in one unit: gcc 12 compiles as much in about 3 s.
LARGEST = 160_000


class Pure(unittest.TestCase):
    def test_configures_and_has_its_tests(self):
        with tempfile.TemporaryDirectory() as build:
            done = subprocess.run(["cmake", "-S", tree.ROOT, "-B", build, "-G", "Ninja", "-DCLASHD_DAEMON=OFF",
                                   "-DCLASHD_PURE_TESTS=ON"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            listed = subprocess.run(["ctest", "--test-dir", build, "-N", "-L", "^msan$"], capture_output=True, text=True)
        tests = re.findall(r"Test +#\d+: (\S+)", listed.stdout)
        self.assertEqual([name for name in SOME if name not in tests], [])
        self.assertGreater(len(tests), 50)
        self.assertEqual([name for name in tests if name.startswith(("e2e", "lint"))], [])

    def test_no_unit_of_libclash_is_large(self):
        """The time that a compiler takes grows with the code that it makes, and other processors cannot help with one unit."""
        objects = sorted((tree.BUILD / "daemon" / "geometry").rglob("*.c.o"))
        if not objects or not re.search(r"CMAKE_BUILD_TYPE:\w+=Release$", (tree.BUILD / "CMakeCache.txt").read_text(), re.MULTILINE):
            self.skipTest(f"{tree.BUILD} is not a release build")
        sizes = subprocess.run(["size", *objects], check=True, capture_output=True, text=True).stdout.splitlines()[1:]
        large = [line for line in sizes if int(line.split()[0]) > LARGEST]
        self.assertEqual(large, [], "split what inlines the most (SIMD_LONG in f64x4.h)")


if __name__ == "__main__":
    unittest.main()
