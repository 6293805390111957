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

    def test_without_installing_it_stops_before_a_build_that_cannot_succeed(self):
        (self.root / "bin" / "cmake").write_text(f'#!/bin/sh\necho "cmake $*" >>"{self.home}/noted"\n')
        self.without("ninja", "mosquitto", "node")
        broker = "" if Path("/usr/sbin/mosquitto").exists() else " mosquitto"
        for words, missing in ((("duel",), f"ninja-build{broker}"), (("view",), "ninja-build nodejs"), ((), "ninja-build")):
            done = self.run_it("daemon/demo.sh", "--no-install", *words)
            self.assertEqual(done.returncode, 1, words)
            self.assertIn(f"demo.sh: missing, by the names that Debian has for them: {missing}\n", done.stderr)
            self.assertNotIn("== Build", done.stdout)
        self.assertEqual(self.noted(), "")

    def test_what_the_build_can_do_without_is_left_out(self):
        """Without installing, and on a machine that cannot install."""
        (self.root / "bin" / "pkg-config").write_text('#!/bin/sh\ncase $* in *systemd*|*liblo*) exit 1 ;; esac\nexec /usr/bin/pkg-config "$@"\n')
        (self.root / "bin" / "pkg-config").chmod(0o755)
        for words in (("--no-install",), ()):
            done = self.run_it("daemon/demo.sh", *words)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            said = done.stdout if words else done.stderr
            self.assertRegex(said, r"(left out|Left out|Missing).*: libsystemd-dev liblo-dev\n")
            self.assertRegex(done.stdout, r"clashd reported [1-9]\d* clashes")

    def test_a_page_that_cannot_be_made_has_one_reason(self):
        for line in ("CLASHD_VIEWER is ON, but nodejs was older than 18 (Debian: nodejs ca-certificates)",
                     "clashd's page needs packages that cannot be installed: cannot download https://x: refused. -DCLASHD_VIEWER=OFF builds without the page"):
            (self.root / "bin" / "cmake").write_text(f"#!/bin/sh\necho 'CMake Error at daemon/viewer/CMakeLists.txt:27 (message):'\ncat <<END\n  {line}\nEND\nexit 1\n")
            done = self.run_it("daemon/demo.sh", "--no-install", "view")
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr.splitlines()[0], f"demo.sh: there is no page to show: {line}")
            self.assertNotIn("CMake Error", done.stderr)

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
