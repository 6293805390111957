"""demo.sh and run.sh on a machine without apt and dpkg: they go by the commands, libraries and headers that are there, name what is missing
before anything is built, and take --no-install and --help. What would be built is this build's, or nothing."""
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import demo  # noqa: E402

DEBIAN = re.compile(r"apt|dpkg|sudo$")
NO_APT = "Missing, and there is no apt-get here to install them with:"


class NoApt(clashd.TestCase):
    def setUp(self):
        super().setUp()
        self.root, self.env = demo.checkout(self.home, packages_are_there=False)
        self.tools = self.home / "tools"
        self.tools.mkdir()
        for directory in ("/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin"):
            for file in Path(directory).iterdir() if Path(directory).is_dir() else ():
                link = self.tools / file.name
                if not DEBIAN.match(file.name) and not link.is_symlink():
                    link.symlink_to(file)
        self.env["PATH"] = f"{self.root / 'bin'}:{self.tools}"

    def without(self, *commands):
        for command in commands:
            (self.tools / command).unlink(missing_ok=True)
            (self.root / "bin" / command).unlink(missing_ok=True)

    def run_it(self, script, *words, **more):
        return subprocess.run(["/bin/sh", script, *words], cwd=self.root, env={**self.env, **more}, capture_output=True, text=True,
                              timeout=clashd.WAIT_S, check=False)

    def put_run(self):
        """run.sh, with a cmake and a ctest that only note what they are to do."""
        (self.root / "tests" / "run.sh").write_text((clashd.SOURCE / "tests" / "run.sh").read_text())
        for name in ("cmake", "ctest"):
            (self.root / "bin" / name).write_text(f'#!/bin/sh\necho "{name} $*" >>"{self.home}/noted"\n')
            (self.root / "bin" / name).chmod(0o755)

    def noted(self):
        return (self.home / "noted").read_text() if (self.home / "noted").exists() else ""

    def test_the_demo_with_all_that_it_needs(self):
        (self.root / "bin" / "cmake").write_text(f'#!/bin/sh\necho "cmake $*" >>"{self.home}/noted"\n')
        done = self.run_it("daemon/demo.sh")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("All there.", done.stdout)
        self.assertRegex(done.stdout, r"clashd reported [1-9]\d* clashes")
        page = (clashd.BUILD / "daemon/viewer/made/page/index.html").exists()
        self.assertRegex(done.stdout, r"To look at them +\S+/clashctl demo;" if page else r"To look at them +(install nodejs|this build is without)")
        self.assertRegex(self.noted(), "cmake --build build/demo --target .*demo_recording", "clashctl demo would not find its recording")

    def test_the_demo_names_what_is_missing(self):
        self.without("ninja", "pkg-config")
        done = self.run_it("daemon/demo.sh")
        self.assertEqual(done.returncode, 1, done.stdout)
        named = re.search(f"{NO_APT}(.*)", done.stderr)[1].split()
        for name in ("ninja-build", "pkg-config", "libuv1-dev"):
            self.assertIn(name, named)
        self.assertNotIn("cmake", named)
        self.assertNotIn("== Build", done.stdout)

    def test_the_demo_goes_on_if_asked_to(self):
        self.without("ninja")
        (self.root / "bin" / "cmake").write_text("#!/bin/sh\necho no ninja here; exit 1\n")
        done = self.run_it("daemon/demo.sh", "--no-install", "duel")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Nothing is installed. Missing, by the names that Debian has for them: ninja-build\n", done.stdout)
        self.assertRegex(done.stderr, r"no ninja here\n\ndemo\.sh: the build failed")

    def test_help_and_mistakes(self):
        for script, known in (("daemon/demo.sh", "targets"), ("tests/run.sh", "PRESET")):
            self.put_run()
            for word in ("-h", "--help"):
                done = self.run_it(script, word)
                self.assertEqual((done.returncode, done.stderr), (0, ""), script)
                for part in (f"sh {script} [--no-install]", known):
                    self.assertIn(part, done.stdout)
            done = self.run_it(script, "--no-instal")
            self.assertEqual((done.returncode, done.stdout), (2, ""), script)
            self.assertIn("unexpected '--no-instal'", done.stderr)
        self.assertEqual(self.run_it("daemon/demo.sh", "view", "duel").returncode, 2)
        self.assertEqual(self.noted(), "")

    def test_the_tests_need_no_apt(self):
        """What only some tests need is named, and they are run; what all need is named, and nothing is."""
        self.put_run()
        self.without("socat", "mosquitto_sub")
        done = self.run_it("tests/run.sh")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        named = re.search(f"{NO_APT}(.*)", done.stderr)[1].split()
        self.assertLessEqual({"socat", "mosquitto-clients"}, set(named))
        self.assertNotIn("libuv1-dev", named)
        self.assertRegex(self.noted(), r"cmake --preset release(.|\n)*ctest --preset release")
        (self.home / "noted").unlink()
        done = self.run_it("tests/run.sh", PKG_CONFIG_LIBDIR=str(self.home))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stderr, f"{NO_APT}.* libuv1-dev .*libcmocka-dev")
        self.assertEqual(self.noted(), "")

    def test_a_node_from_elsewhere_counts(self):
        """And nothing is asked of apt, which would replace it: dpkg knows of no nodejs."""
        for name, text in (("dpkg-query", "exit 1"), ("apt-get", f'echo "apt-get $*" >>"{self.home}/noted"; exit 100'), ("node", "exit 0")):
            (self.root / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
            (self.root / "bin" / name).chmod(0o755)
        done = subprocess.run(["/bin/sh", "-c", '. tests/support/packages.sh; packages_install "$1" nodejs', "sh", self.home / "log"],
                              cwd=self.root, env=self.env, capture_output=True, text=True, timeout=clashd.WAIT_S, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr, self.noted()), (0, "", "", ""))


if __name__ == "__main__":
    unittest.main()
