"""The build without the daemon and without any library (CLASHD_PURE_TESTS), which MemorySanitizer and other processors run,
can be made, and has the tests of libclash and the pipeline in it."""
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


if __name__ == "__main__":
    unittest.main()
