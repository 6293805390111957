"""Files of meshes that hang, crash or are none, at the start, by SIGHUP, in a replay and in commands: clashd goes on serving, hears
signals, says which file it was, and leaves no helper program behind."""
import json
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402

BAD_HELPER = clashd.BUILD / "tests" / "bad_helper"
NEVER = "86000"  # seconds until a file is given up: not in a test's time
# Of a blade's length in front of the left hand: what the bad helper says is in every file.
BLADE = {"name": "left", "device": "/user/hand/left", "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.02}


def wall(path, name="wall", **more):
    return {"name": name, "position": [0, 0, -0.5], "mesh": {"file": str(path), **more}}


class Case(clashd.TestCase):
    def setUp(self):
        super().setUp()
        self.settings = self.home / "settings.json"
        self.helpers = self.home / "helpers"
        self.env = {"CLASHD_MESH_HELPER": BAD_HELPER, "BAD_HELPER": "as-written", "BAD_HELPER_LOG": self.helpers,
                    "CLASHD_MESH_SECONDS": NEVER}

    def file(self, name, how=""):
        """A file that makes the bad helper do that."""
        path = self.home / name
        path.write_text(how)
        return path

    def write(self, *targets, **settings):
        self.settings.write_text(json.dumps({"blades": [BLADE], "targets": list(targets), **settings}))

    def start(self, *words, listening=True, source="none", **env):
        self.daemon = clashd.Daemon("--config", self.settings, "--source", source, *words, home=self.home,
                                    listening=listening, env={**self.env, **env})
        self.addCleanup(self.daemon.process.wait)
        self.addCleanup(self.daemon.process.kill)

    def begun(self, name, count=1):
        """The pid of the last of so many helpers that have begun to read a file of that name."""
        deadline = time.monotonic() + clashd.WAIT_S
        while time.monotonic() < deadline:
            lines = self.helpers.read_text().splitlines() if self.helpers.exists() else []
            found = [line.split()[1] for line in lines if line.startswith("+") and line.endswith("/" + name)]
            if len(found) >= count:
                return int(found[-1])
            time.sleep(0.01)
        self.fail(f"no helper has begun to read {name}")

    def wait_for_end(self, pid):
        deadline = time.monotonic() + clashd.WAIT_S
        while self.is_running(pid):
            self.assertLess(time.monotonic(), deadline, f"process {pid} is still there")
            time.sleep(0.01)

    @staticmethod
    def is_running(pid):
        try:
            return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
        except (FileNotFoundError, ProcessLookupError):
            return False

    def children(self):
        """Of clashd, dead ones too."""
        found = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                after = path.read_text().rsplit(")", 1)[1].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(after[1]) == self.daemon.process.pid:
                found.append(int(path.parent.name))
        return found


class Start(Case):
    def refused(self, path, why, **env):
        self.write(wall(path))
        self.start(listening=False, **env)
        self.assertEqual(self.daemon.wait(), 2, self.daemon.log)
        self.assertIn(f"target 'wall': {path}: {why}", self.daemon.log[-1])
        done = subprocess.run([clashd.CLASHD, "--version"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0)

    def test_what_is_no_file_is_an_error_at_once(self):
        real = {"CLASHD_MESH_HELPER": ""}
        pipe, sparse, zero = (self.home / name for name in ("pipe.obj", "sparse.obj", "zero.obj"))
        os.mkfifo(pipe)
        sparse.touch()
        os.truncate(sparse, 5 << 30)
        zero.symlink_to("/dev/zero")
        self.refused(pipe, "is no regular file", **real)
        self.refused(sparse, "is larger than 1073741824 bytes", **real)
        self.refused("/dev/zero", "is neither OBJ", **real)

    def test_what_a_helper_does_is_an_error_that_names_the_file(self):
        self.refused(self.file("crash.obj", "crash"), "reading it crashed: Segmentation fault")
        self.refused(self.file("hang.obj", "hang"), "reading it takes longer than 1 s", CLASHD_MESH_SECONDS="1")
        self.refused(self.file("a.obj"), "its reader cannot be started: /nowhere: no such file or directory",
                     CLASHD_MESH_HELPER="/nowhere")

    def test_settings_that_are_no_file(self):
        pipe = self.home / "pipe.json"
        os.mkfifo(pipe)
        for path, why in ((pipe, "is no regular file"), ("/dev/zero", "is no regular file"), ("/", "Is a directory")):
            for words in (("--check-config",), ("--source", "none")):
                done = subprocess.run([clashd.CLASHD, "--config", path, *words], capture_output=True, text=True,
                                      timeout=clashd.WAIT_S, env=clashd.environment(self.home))
                self.assertEqual((done.returncode, f"{path}: {why}" in done.stderr), (2, True), done)

    def test_signals_are_heard_meanwhile(self):
        self.write(wall(self.file("hang.obj", "hang")))
        self.start(listening=False)
        helper = self.begun("hang.obj")
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log)
        self.wait_for_end(helper)
        self.assertFalse([line for line in self.daemon.log if "listening" in line or "error" in line.lower()],
                         self.daemon.log)

    def test_who_kills_clashd_kills_its_helper(self):
        """The real one, over a file that takes it an hour."""
        corners = "".join(f"v {i} {i % 2 * 5} 0\n" for i in range(32000))
        face = "f" + "".join(f" {i + 1}" for i in range(32000)) + "\n"
        self.write(wall(self.file("long.obj", corners + 300 * face)))
        self.start(listening=False, CLASHD_MESH_HELPER="")
        deadline = time.monotonic() + clashd.WAIT_S
        while not (helpers := self.children()):
            self.assertLess(time.monotonic(), deadline, "no helper was started")
            time.sleep(0.01)
        self.daemon.stop(signal.SIGKILL)
        self.wait_for_end(helpers[0])

    def test_a_manager_hears_of_it(self):
        import socket
        path = str(self.home / "notify")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.settimeout(clashd.WAIT_S)
            manager.bind(path)
            self.write(wall(self.file("slow.obj", "slow")), wall(self.file("a.obj"), "b"))
            self.start(NOTIFY_SOCKET=path, CLASHD_MESH_SECONDS="20")
            self.assertEqual(manager.recv(4096).decode().split("\n"),
                             ["STATUS=reading 2 files of targets", "EXTEND_TIMEOUT_USEC=50000000"])
            self.assertTrue(manager.recv(4096).decode().startswith("READY=1"))
        with self.daemon.connect() as client:
            self.assertEqual([target["name"] for target in client.hello["targets"]], ["wall", "b"])
        self.assertEqual(self.daemon.stop(), 0)

    def test_a_hangup_meanwhile_is_heeded_afterwards(self):
        path = self.file("slow.obj", "slow")
        self.write(wall(path))
        self.start(listening=False)
        self.begun("slow.obj")
        self.write(wall(path), wall(path, "other"))
        self.daemon.process.send_signal(signal.SIGHUP)
        self.daemon.wait_for_log("the settings apply: 1 blades, 2 targets")
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log)


class Reload(Case):
    def test_while_files_are_read_all_goes_on(self):
        self.write(wall(self.file("good.obj")))
        self.start()
        with self.daemon.connect() as client:
            self.write(wall(self.file("hang.obj", "hang")), blades=[{**BLADE, "name": "other"}])
            self.daemon.process.send_signal(signal.SIGHUP)
            helper = self.begun("hang.obj")
            self.assertEqual(client.request({"type": "ping", "id": 1})["type"], "ok")
            with self.daemon.connect() as late:
                self.assertEqual([blade["name"] for blade in late.hello["blades"]], ["left"])
            self.write(wall(self.file("slow.obj", "slow"), "fence"))
            self.daemon.process.send_signal(signal.SIGHUP)
            self.daemon.wait_for_log("the settings apply")
            self.assertTrue(any("again, before" in line for line in self.daemon.log), self.daemon.log)
            self.wait_for_end(helper)
            with self.daemon.connect() as late:
                self.assertEqual([target["name"] for target in late.hello["targets"]], ["fence"])
            counters = client.request({"type": "status", "id": 2})["counters"]
            self.assertEqual((counters["reloads"], counters["reloads_refused"]), (1, 0))
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log)

    def test_the_end_in_the_midst_of_it(self):
        self.write()
        self.start()
        self.write(*(wall(self.file(f"hang{i}.obj", "hang"), f"w{i}") for i in range(9)))
        self.daemon.process.send_signal(signal.SIGHUP)
        helpers = [self.begun("hang0.obj"), self.begun("hang1.obj")]
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log)
        for helper in helpers:
            self.wait_for_end(helper)
        self.assertNotIn("hang2", self.helpers.read_text())

    def test_one_bad_file_refuses_all_and_leaves_nothing(self):
        self.write(wall(self.file("good.obj")))
        self.start()
        crash = self.file("crash.obj", "crash")
        for _ in range(3):
            self.write(wall(self.file("hang.obj", "hang"), "h"), wall(crash), blades=[{**BLADE, "name": "other"}])
            self.daemon.process.send_signal(signal.SIGHUP)
            end = self.daemon.wait_for_log(f"target 'wall': {crash}: reading it crashed")
            self.assertIn("are refused, and all stays as it was", self.daemon.log[end - 1])
            self.daemon.log.clear()
        with self.daemon.connect() as client:
            self.assertEqual([target["name"] for target in client.hello["targets"]], ["wall"])
        deadline = time.monotonic() + clashd.WAIT_S
        while self.children():  # a zombie is one too
            self.assertLess(time.monotonic(), deadline, "a helper was not buried")
            time.sleep(0.01)
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log)


class Replay(Case):
    def record(self, *targets):
        """A blade that falls through each wall's place, which is defined just before."""
        lines = [{"type": "recording", "version": 1, "space": "stage", "blades": [BLADE]}]
        frames = 0
        for target in targets:
            lines.append({"type": "target", "time_ns": frames * 10000000, **target})
            for i in range(20):
                frames += 1
                lines.append({"type": "poses", "time_ns": frames * 10000000, "poses": [
                    {"device": BLADE["device"], "position": [0.2, 0.2, 1.5 - 0.1 * i], "orientation": [0, 0, 0, 1],
                     "tracked": True}]})
        path = self.home / "recording.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    def command(self, *words):
        return subprocess.run([clashd.CLASHCTL, *words], capture_output=True, text=True, timeout=clashd.WAIT_S,
                              env=clashd.environment(self.home, **self.env))

    def detect(self, path):
        done = self.command("detect", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def test_poses_wait_for_the_targets_before_them(self):
        walls = [wall(self.file(f"slow{i}.obj", "slow"), f"w{i}") for i in range(3)]
        path = self.record(*walls)
        found = self.detect(path)
        struck = [json.loads(line)["target"] for line in found if json.loads(line)["type"] == "clash"]
        self.assertEqual((len(struck), set(struck)), (8, {"w0", "w1", "w2"}))
        self.write()
        for speed in ("max", "20"):
            self.start("--speed", speed, "--wait-for-client", source=f"replay:{path}")
            with self.daemon.connect() as client:
                client.subscribe(events=["clash", "hold", "release", "tracking"])
                told = self.events(client, len(found))
            self.assertEqual(clashd.unsourced(told), found)
            self.assertEqual(self.daemon.stop(), 0, self.daemon.log)

    @staticmethod
    def events(client, count):
        told = []
        while len(told) < count:
            line = client.read_line()
            assert line is not None, told
            if json.loads(line)["type"] in ("clash", "hold", "release", "tracking"):
                told.append(line)
        return told

    def test_one_that_hangs_holds_nobody_but_the_poses(self):
        path = self.record(wall(self.file("good.obj"), "a"), wall(self.file("hang.obj", "hang"), "b"))
        self.write()
        self.start("--speed", "max", source=f"replay:{path}")
        helper = self.begun("hang.obj")
        with self.daemon.connect() as client:
            status = client.request({"type": "status", "id": 1})
            self.assertEqual(status["replay"]["position_ns"], 200000000)
            client.request({"type": "replay", "id": 2, "action": "seek", "time_ns": 0})
            self.wait_for_end(helper)
            helper = self.begun("hang.obj", 2)
            self.assertEqual(client.request({"type": "ping", "id": 3})["type"], "ok")
            self.assertEqual([target["name"] for target in self.daemon.connect().hello["targets"]], ["a"])
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log)
        self.wait_for_end(helper)

    def test_commands_end_when_they_are_told_to(self):
        path = self.record(wall(self.file("hang.obj", "hang")))
        for count, command in enumerate(("detect", "verify", "info", "play"), 1):
            process = subprocess.Popen([clashd.CLASHCTL, command, path], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       env=clashd.environment(self.home, **self.env))
            helper = self.begun("hang.obj", count)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=clashd.WAIT_S)
            self.assertEqual(process.returncode, -signal.SIGTERM, command)
            self.wait_for_end(helper)

    def test_commands_name_the_file(self):
        crash = self.file("crash.obj", "crash")
        path = self.record(wall(crash))
        for command in ("detect", "verify", "info", "play"):
            self.assertIn(f"target 'wall': {crash}: reading it crashed", self.command(command, path).stderr)


if __name__ == "__main__":
    unittest.main()
