"""The units: systemd finds nothing wrong with them, they expose no more than they may, and a real user manager runs clashd
under exactly what they say: it is ready once it listens, finds its runtime, sends clashes, is fed to its watchdog, starts
at its first client, comes back after kill -9, and reloads; hardened too, where only its own user is let in.

The manager is `systemd --user` as an ordinary user, in namespaces that need root: see support/user_manager.py."""
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import tree  # noqa: E402
import user_manager  # noqa: E402

PORTABLE_MOST, HARDENED_MOST = 6.2, 1.0
MADE = clashd.BUILD / "daemon" / "app"
HANDS = ["/user/hand/left", "/user/hand/right"]
BLADES = [{"name": hand.rsplit("/", 1)[1], "device": hand, "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.1}
          for hand in HANDS]
SOCKET = user_manager.RUNTIME / "clashd" / "clashd.sock"
UNITS = user_manager.HOME / ".config" / "systemd" / "user"
HARDENED = UNITS / "clashd.service.d" / "hardened.conf"
# Nothing that is allowed or forbidden: what the test itself sees and sets.
OBSERVED = f"""[Service]
Environment=CLASH_RUNTIME_SCRIPT=crossing
StandardError=append:{user_manager.HOME}/clashd.log
"""


class Files(unittest.TestCase):
    """What can be said of the files as they stand."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="clashd-units-")
        self.addCleanup(directory.cleanup)
        self.home = Path(directory.name)
        # The program need not be installed for the units to be looked at.
        text = (MADE / "clashd.service").read_text()
        self.assertRegex(text, r"(?m)^ExecStart=/\S+/clashd$")
        self.assertRegex(text, r"(?m)^ExecReload=/\S+/clashctl reload$")
        (self.home / "clashd.service").write_text(self.without_programs(text))
        shutil.copy(MADE / "clashd.socket", self.home)

    @staticmethod
    def without_programs(text):
        return re.sub(r"(?m)^(Exec\w+)=(\+?)/.*", r"\1=\2/bin/true", text)

    def harden(self):
        (self.home / "clashd.service.d").mkdir()
        text = (MADE / "hardened.conf").read_text()
        self.assertRegex(text, r"(?m)^ExecReload=\+/\S+/clashctl reload$")
        (self.home / "clashd.service.d" / "hardened.conf").write_text(self.without_programs(text))

    def analyze(self, *words):
        done = subprocess.run(["systemd-analyze", "--user", *words], cwd=self.home, capture_output=True, text=True,
                              env=clashd.environment(self.home), timeout=clashd.WAIT_S)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def verify(self):
        said = self.analyze("verify", "--man=no", "./clashd.service", "./clashd.socket")
        self.assertEqual(said, ("", ""))

    def exposure(self):
        said, _ = self.analyze("security", "--offline=true", "--no-pager", "./clashd.service")
        return float(re.search(r"Overall exposure level for clashd\.service: ([\d.]+)", said).group(1))

    def test_systemd_understands_them(self):
        self.verify()
        self.harden()
        self.verify()

    def test_what_they_expose(self):
        portable = self.exposure()
        self.assertLessEqual(portable, PORTABLE_MOST)
        self.harden()
        hardened = self.exposure()
        self.assertLessEqual(hardened, HARDENED_MOST)
        print(f"exposure: {portable}, hardened {hardened}")

    def test_some_managers_refuse_only_the_hardened_one(self):
        refused = r"(?m)^(CapabilityBoundingSet|ProtectKernelModules|PrivateUsers)="
        self.assertNotRegex((MADE / "clashd.service").read_text(), refused)
        self.assertEqual(len(re.findall(refused, (MADE / "hardened.conf").read_text())), 3)

    def test_monado_first_but_not_required(self):
        lines = (MADE / "clashd.service").read_text().splitlines()
        self.assertIn("After=monado.service", lines)
        self.assertFalse([line for line in lines if "monado" in line and not line.startswith(("After=", "#"))])


@unittest.skipIf(user_manager.INSIDE in os.environ or user_manager.why_not(), user_manager.why_not())
class InManager(unittest.TestCase):
    def test_inside(self):
        self.assertEqual(user_manager.run_inside(__file__), 0)


class Manager(unittest.TestCase):
    """Runs inside."""

    hardened = False

    @classmethod
    def setUpClass(cls):
        cls.manager = user_manager.Manager()

    @classmethod
    def tearDownClass(cls):
        cls.manager.stop()

    def setUp(self):
        with user_manager.as_user():
            config = user_manager.HOME / ".config"
            (config / "clashd").mkdir(parents=True, exist_ok=True)
            self.config = config / "clashd" / "config.json"
            self.configure(BLADES)
            active = config / "openxr" / "1" / "active_runtime.json"
            active.parent.mkdir(parents=True, exist_ok=True)
            active.unlink(missing_ok=True)
            active.symlink_to(user_manager.prefix() / "share" / "clashd" / "clash_runtime.json")
            HARDENED.parent.mkdir(parents=True, exist_ok=True)
            (HARDENED.parent / "observed.conf").write_text(OBSERVED)
            HARDENED.unlink(missing_ok=True)
            if self.hardened:
                shutil.copy(user_manager.prefix() / "share" / "clashd" / "hardened.conf", HARDENED)
            self.log = user_manager.HOME / "clashd.log"
            self.log.unlink(missing_ok=True)
        self.manager.control("daemon-reload")
        self.addCleanup(self.end)

    def configure(self, blades):
        """With a target that nobody strikes: its file is read by a program that clashd starts."""
        (self.config.parent / "far.obj").write_text("v 900 0 0\nv 901 0 0\nv 900 1 0\nf 1 2 3\n")
        far = {"name": "far", "mesh": {"file": "far.obj"}}
        self.config.write_text(json.dumps({"blades": blades, "targets": [far]}))

    def end(self):
        self.manager.control("stop", "clashd.socket", "clashd.service")
        self.manager.control("reset-failed")

    def control(self, *words):
        done = self.manager.control(*words, check=False)
        self.assertEqual(done.returncode, 0, done.stderr + self.manager.log.read_text() + self.said())

    def said(self):
        return self.log.read_text() if self.log.exists() else ""

    def show(self, what):
        return self.manager.show("clashd.service", what)

    def connect(self):
        with user_manager.as_user():
            client = clashd.Client(SOCKET)
        self.addCleanup(client.close)
        client.hello = client.read()
        self.assertEqual(client.hello["type"], "hello")
        return client

    def expect_clashes(self, client, count=2):
        client.subscribe(events=["clash"])
        for _ in range(count):
            client.read_until(lambda message: message["type"] == "clash")

    def wait_until(self, holds, what):
        self.manager.wait_until(holds, what + "\n" + self.said())

    def test_started(self):
        self.control("start", "clashd.service")  # which ends when it is ready
        client = self.connect()
        self.expect_clashes(client)
        status = client.request({"type": "status", "id": 1})
        self.assertEqual((status["source"], status["state"]), ("openxr", "running"))
        self.assertEqual(self.show("NotifyAccess"), "main")
        self.assertNotEqual(self.show("WatchdogTimestampMonotonic"), "0")
        self.assertNotEqual(self.show("StatusText"), "")

    def test_watchdog_is_fed(self):
        with user_manager.as_user():
            (HARDENED.parent / "watchdog.conf").write_text("[Service]\nWatchdogSec=2s\n")
        self.addCleanup((HARDENED.parent / "watchdog.conf").unlink)
        self.manager.control("daemon-reload")
        self.control("start", "clashd.service")
        first = int(self.show("WatchdogTimestampMonotonic"))
        pid = self.show("MainPID")
        self.wait_until(lambda: int(self.show("WatchdogTimestampMonotonic")) > first + 3e6, "the watchdog is fed")
        self.assertEqual(self.show("MainPID"), pid)

    def test_first_client_starts_it_and_none_is_refused(self):
        self.control("start", "clashd.socket")
        self.assertEqual(self.show("ActiveState"), "inactive")
        self.assertEqual((SOCKET.stat().st_mode & 0o777, SOCKET.parent.stat().st_mode & 0o777), (0o600, 0o700))
        inode = SOCKET.stat().st_ino
        self.expect_clashes(self.connect())
        pid = self.show("MainPID")
        self.manager.control("kill", "--signal=KILL", "clashd.service")
        again = self.connect()  # by the socket, that stayed where it was
        self.assertNotEqual(self.show("MainPID"), pid)
        self.expect_clashes(again)
        self.control("stop", "clashd.service")
        self.assertEqual(SOCKET.stat().st_ino, inode)
        self.expect_clashes(self.connect())

    def test_killed_it_comes_back(self):
        self.control("start", "clashd.service")
        session = self.connect().hello["session"]
        pid = self.show("MainPID")
        self.manager.control("kill", "--signal=KILL", "clashd.service")
        self.wait_until(lambda: self.show("ActiveState") == "active" and self.show("MainPID") not in (pid, "0"),
                        "clashd comes back")
        self.assertNotEqual(self.connect().hello["session"], session)
        self.assertEqual(self.show("NRestarts"), "1")

    def test_bad_settings_are_not_tried_again(self):
        self.config.write_text('{"blades": 1}')
        self.assertNotEqual(self.manager.control("start", "clashd.service", check=False).returncode, 0)
        self.assertEqual((self.show("ActiveState"), self.show("ExecMainStatus")), ("failed", "2"))
        self.assertEqual(self.show("NRestarts"), "0")

    def test_reloaded(self):
        self.control("start", "clashd.service")
        client = self.connect()
        changed = [{**blade, "radius": 0.05} for blade in BLADES]
        self.configure(changed)
        pid = self.show("MainPID")
        self.control("reload", "clashd.service")
        self.assertEqual({round(blade["radius"], 3) for blade in self.connect().hello["blades"]}, {0.05})
        self.assertEqual(self.show("MainPID"), pid)
        self.expect_clashes(client)

    def test_a_refused_reload_fails(self):
        self.control("start", "clashd.service")
        client = self.connect()
        pid = self.show("MainPID")
        self.config.write_text('{"blades": 1} // which are a list')
        done = self.manager.control("reload", "clashd.service", check=False)
        self.assertNotEqual(done.returncode, 0, done)
        self.assertEqual((self.show("ActiveState"), self.show("MainPID")), ("active", pid))
        self.assertEqual(len(self.connect().hello["blades"]), 2)
        self.configure(BLADES[:1])
        self.control("reload", "clashd.service")
        self.assertEqual(len(self.connect().hello["blades"]), 1)
        self.assertEqual(client.request({"type": "status", "id": 2})["counters"]["reloads_refused"], 1)


class Hardened(Manager):
    hardened = True

    def test_only_its_own_user_is_let_in(self):
        """In a namespace with one user all others are the same one, root too."""
        self.control("start", "clashd.service")
        with clashd.Client(SOCKET) as stranger:
            self.assertIsNone(stranger.read_line())
        self.assertRegex(self.said(), r"refused a client of user 65534 .* expected user " + str(user_manager.USER))
        self.expect_clashes(self.connect())

    def test_what_it_cannot_reach(self):
        """As what runs in it sees it: the restrictions are there, and the test would notice where they were not."""
        secret = user_manager.HOME / "secret"
        with user_manager.as_user():
            secret.write_text("")
        self.control("start", "clashd.service")
        root = Path("/proc") / self.show("MainPID") / "root"
        self.assertFalse((root / secret.relative_to("/")).exists())
        self.assertTrue((root / self.config.relative_to("/")).exists())
        status = (root.parent / "status").read_text()
        for line in ("CapBnd:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"):
            self.assertIn(line, status)
        mine, its = (os.readlink(f"/proc/{pid}/ns/{{}}".format("net")) for pid in ("self", self.show("MainPID")))
        self.assertNotEqual(mine, its)

    def test_it_says_where_it_cannot_listen(self):
        """bind() fails on a mount that is read only; connecting, as to a runtime, does not."""
        with user_manager.as_user():
            self.config.write_text(json.dumps({"socket": {"path": str(user_manager.RUNTIME / "elsewhere.sock")}}))
            runtime = socket.socket(socket.AF_UNIX)
            runtime.bind(str(user_manager.RUNTIME / "runtime.sock"))
        self.addCleanup(runtime.close)
        runtime.listen()
        self.assertNotEqual(self.manager.control("start", "clashd.service", check=False).returncode, 0)
        self.assertRegex(self.said(), r"cannot listen on \S+/elsewhere\.sock: .*Read-only file system")
        with user_manager.as_user():
            self.configure(BLADES)
        self.control("start", "clashd.service")
        there = ["nsenter", "--target", self.show("MainPID"), "--mount", "--"]
        connect = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])"
        done = subprocess.run([*there, *user_manager.as_user_command(sys.executable, "-c", connect,
                                                                     user_manager.RUNTIME / "runtime.sock")],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


def main():
    if not shutil.which("systemd-analyze"):
        tree.skip("there is no systemd-analyze here")
    if user_manager.INSIDE not in os.environ:
        unittest.main(defaultTest=["Files", "InManager"])
    user_manager.make_machine()
    unittest.main(defaultTest=["Manager", "Hardened"])


if __name__ == "__main__":
    main()
