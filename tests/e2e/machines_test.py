"""support/machines.py skips a test, with the reason, on a system that cannot run programs in a network namespace."""
import os
import subprocess
import sys
import unittest
from pathlib import Path

SUPPORT = Path(__file__).resolve().parents[1] / "support"
sys.path.insert(0, str(SUPPORT))
import clashd  # noqa: E402
import machines  # noqa: E402

machines.need()

FAILURES = {
    "netns add": "no network namespace can be made here",
    "link add": "no veth can be made here",
    "netns exec": "'ip netns exec' fails here, as it does in a chroot",
}


class Need(clashd.TestCase):
    def need(self, failing):
        """Runs machines.need() with an `ip` that fails at one call; returns the exit code and the output."""
        stub = self.home / "ip"
        stub.write_text(f'#!/bin/sh\nif [ "$1 $2" = "{failing}" ]; then echo "the reason" >&2; exit 1; fi\n')
        stub.chmod(0o755)
        done = subprocess.run([sys.executable, "-c", "import machines; machines.need()"], capture_output=True, text=True,
                              env={**os.environ, "PATH": f"{self.home}:{os.environ['PATH']}", "PYTHONPATH": str(SUPPORT)})
        return done.returncode, done.stdout

    def test_each_call_that_fails_is_a_reason_to_skip(self):
        for failing, reason in FAILURES.items():
            with self.subTest(failing):
                code, output = self.need(failing)
                self.assertEqual(code, 77, output)
                self.assertIn(reason, output)
                self.assertIn("the reason", output)

    def test_a_system_without_failures_is_accepted(self):
        self.assertEqual(self.need("-"), (0, ""))


if __name__ == "__main__":
    unittest.main()
