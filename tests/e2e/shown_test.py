"""demo.sh and run.sh show what apt and the compiler are at: on a terminal on one line, which is gone in the end, elsewhere now and then;
all of it is in the log, and what the command returned comes back."""
import os
import pty
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tree  # noqa: E402

# As demo.sh has it, and with what ninja says.
SCRIPT = """set -eu
. tests/support/packages.sh
work() {
    i=0
    while [ $i -lt 60 ]; do i=$((i + 1)); echo "[$i/60] Building C object $i.c"; done
    echo 'a warning of the compiler' >&2
    echo 'Setting up libuv1-dev'
    cat
    return $1
}
shown "$1" work $2 || { echo "returned $?"; exit 3; }
echo went well
"""


class Shown(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="clashd-shown-")
        self.addCleanup(directory.cleanup)
        self.log = Path(directory.name) / "log"

    def run_it(self, status, **more):
        return subprocess.Popen(["sh", "-c", SCRIPT, "sh", str(self.log), str(status)], cwd=tree.ROOT, **more)

    def check_log(self):
        said = self.log.read_text()
        for line in ("[1/60] Building C object 1.c\n", "[60/60] Building C object 60.c\n", "a warning of the compiler\n", "Setting up libuv1-dev\n"):
            self.assertIn(line, said)

    def test_elsewhere(self):
        # What the command reads is nobody's: it would wait for whoever sits there.
        process = self.run_it(0, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.PIPE, text=True)
        said = process.stdout.read()
        self.assertEqual(process.wait(60), 0)
        process.stdin.close()
        process.stdout.close()
        lines = said.splitlines()
        self.assertEqual(lines[0], "  [1/60] Building C object 1.c")
        self.assertEqual(lines[-1], "went well")
        self.assertTrue(3 <= len(lines) <= 8, said)
        self.assertNotIn("warning", said)
        self.assertNotIn("\x1b", said)
        self.check_log()

    def test_fails(self):
        process = self.run_it(7, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True)
        said = process.stdout.read()
        process.stdout.close()
        self.assertEqual(process.wait(60), 3)
        self.assertEqual(said.splitlines()[-1], "returned 7")
        self.check_log()

    def test_terminal(self):
        try:
            ours, theirs = pty.openpty()
        except OSError as problem:  # as in a root without /dev/pts
            self.skipTest(f"no terminal can be had here: {problem}")
        process = self.run_it(0, stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL)
        os.close(theirs)
        said = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # nobody has the other end any more
                break
            if not piece:
                break
            said += piece
        os.close(ours)
        self.assertEqual(process.wait(60), 0)
        self.assertIn(b"\r\x1b[K  [60/60] Building C object 60.c\r\x1b[K", said)
        self.assertEqual(said.count(b"\n"), 1, "one line is left: what comes after it")
        self.check_log()

    def test_apt_waits(self):
        """A machine that upgrades itself meanwhile has the lock for minutes: each of apt's calls waits for it."""
        apt = self.log.with_name("apt-get")
        apt.write_text(f'#!/bin/sh\necho "$*" >>{self.log}\n')
        apt.chmod(0o755)
        subprocess.run(["sh", "-c", ". tests/support/packages.sh; packages_root=; packages_apt tree"], cwd=tree.ROOT, check=True,
                       env={**os.environ, "PATH": f"{apt.parent}:{os.environ['PATH']}"})
        calls = self.log.read_text().splitlines()
        self.assertEqual([call.split()[-1] for call in calls], ["update", "tree"])
        for call in calls:
            self.assertRegex(call, r"-o DPkg::Lock::Timeout=\d+ ")


if __name__ == "__main__":
    unittest.main()
