"""The Unity package under Mono, for the tests of it: compiled, run beside a daemon, and what it says line by line."""
import json
import shutil
import struct
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

import clashd
from feed_standin import Standin

LEFT, RIGHT = "/user/hand/left", "/user/hand/right"
FOREVER_MS = 60000  # nothing that works takes as long
PACKAGE = clashd.SOURCE / "protocol" / "clients" / "unity"


def single(number):
    """As a float32."""
    return struct.unpack("f", struct.pack("f", float(number)))[0]


def compile_to(output, *sources, target="exe"):
    done = subprocess.run(["mcs", "-langversion:7", "-warnaserror", f"-target:{target}", "-r:System.Core.dll",
                           f"-out:{output}", *map(str, sources)], capture_output=True, text=True, timeout=clashd.WAIT_S * 3)
    assert done.returncode == 0, done.stdout + done.stderr


def compile_runner(work):
    """The core with its tests and what runs it outside of Unity."""
    tests = [path for path in PACKAGE.glob("Tests/Editor/*Tests.cs") if path.name != "NUnitTests.cs"]
    compile_to(work / "clashd_unity.exe", *sorted(PACKAGE.glob("Runtime/Core/*.cs")), *tests, *PACKAGE.glob("Tests/Runner~/*.cs"))
    return work / "clashd_unity.exe"


class Unity(clashd.TestCase):
    def pushed_to(self, *options):
        """A daemon that bridges the gaps of a slow machine: a blade that is cut may begin anew within another."""
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({"socket": {"push_timeout_ms": 60000}, "contact": {"max_gap_ms": 10000}}))
        return clashd.Daemon("--source", "none", "--config", settings, *options, home=self.home)

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="clashd-unity-")
        cls.addClassCleanup(directory.cleanup)
        cls.work = Path(directory.name)
        cls.core = sorted(PACKAGE.glob("Runtime/Core/*.cs"))
        cls.program = compile_runner(cls.work)

    @classmethod
    def compile_scene(cls):
        """The thin layer and the sample in as much of an engine as tests/support has."""
        scene = cls.work / "scene.exe"
        compile_to(scene, *cls.core, *PACKAGE.glob("Runtime/Unity/*.cs"), *PACKAGE.glob("Editor/*.cs"), *PACKAGE.glob("Samples~/*/*.cs"),
                   *clashd.SOURCE.glob("tests/support/unity_*.cs"))
        return scene

    def start_client(self, *words, mode="live"):
        return self.start_program(self.program, mode, *words)

    def start_program(self, *words):
        process = subprocess.Popen(["mono", *map(str, words)], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True, env=clashd.environment(self.home))
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.said = []
        threading.Thread(target=self.read, args=(process.stdout,), daemon=True).start()
        return process

    def read(self, stream):
        with stream:
            for line in stream:
                self.said.append(line.rstrip("\n"))

    def wait_for(self, start, count=1, since=0):
        deadline = time.monotonic() + clashd.WAIT_S
        while time.monotonic() < deadline:
            found = [line for line in self.said[since:] if line.startswith(start)]
            if len(found) >= count:
                return found
            time.sleep(0.02)
        raise AssertionError(f"no {count} lines begin with {start!r}:\n" + "\n".join(self.said))

    def stop(self, process):
        process.stdin.close()
        self.wait_for("disposed")
        self.assertEqual(process.wait(timeout=clashd.WAIT_S), 0)

    def port_of(self, daemon, kind):
        said = daemon.log[daemon.wait_for_log(f"({kind}") - 1]
        return said.split("listening on 127.0.0.1:", 1)[1].split()[0]


class Scene(Unity):
    """Swords in the player's hands: tests/support/unity_feed.cs, by its commands."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.scene = cls.compile_scene()

    def do(self, command):
        """Lines that it says until it has been done."""
        since = len(self.said)
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        self.wait_for(f"done {command}", since=since)
        return self.said[since:]

    def frame(self, count=1):
        return self.do(f"frames:{count}:1")

    def drawn(self, said):
        """{frame: {sword: position and orientation}}"""
        frames = {}
        for line in said:
            if line.startswith("drawn "):
                number, name, numbers, _ = line.split(" ", 1)[1].split("|")
                frames.setdefault(int(number), {})[name] = [float(word) for word in numbers.split()]
        return frames

    def steel(self, said):
        """{frame: {sword: where it is, and where its tip is}}"""
        frames = {}
        for line in said:
            if line.startswith("drawn "):
                number, name, numbers, tip = line.split(" ", 1)[1].split("|")
                frames.setdefault(int(number), {})[name] = [[float(word) for word in numbers.split()[:3]],
                                                            [float(word) for word in tip.split()]]
        return frames


class StandinScene(Scene):
    """.. and a clashd that does what the test wants (feed_standin.py)."""

    def begin(self, *words, wait_ms=FOREVER_MS, **options):
        """A scene that a stand-in has welcomed, and its swords with it."""
        self.clashd = Standin(**options)
        self.addCleanup(self.clashd.close)
        self.token = self.home / "token"
        self.token.write_text("none")
        self.process = self.start_program(self.scene, "feed", "127.0.0.1", self.clashd.port, self.token)
        self.do(f"wait:{wait_ms}")
        self.do("frames:1:0")  # in which it begins to connect
        for word in words:
            self.do(word)
        self.clashd.wait_for_type("subscribe")
        self.wait_for_defined("enemy")

    def wait_for_defined(self, name, since=0):
        return self.clashd.wait_for(lambda message: message["type"] == "blade" and message["name"] == name, since)

    def poses(self, since=0):
        """What it was told of poses: of each message {device: pose}."""
        return [{pose["device"]: pose for pose in message["poses"]} for message in self.clashd.told[since:]
                if message["type"] == "poses"]

    def end(self):
        self.clashd.answers.set()
        self.stop(self.process)

    def wait_for_frames(self, start):
        """Frames until it has said what begins so."""
        deadline = time.monotonic() + clashd.WAIT_S
        while not any(line.startswith(start) for line in self.said):
            self.assertLess(time.monotonic(), deadline, self.said)
            self.frame(5)

    def teleported(self, since):
        return [{device for device, pose in at.items() if pose.get("teleport")} for at in self.poses(since)]


def main():
    """Runs the tests of the program, where there is a Mono."""
    if not shutil.which("mcs") or not shutil.which("mono"):
        print("skipped: no Mono here: apt-get install mono-mcs mono-runtime libmono-system-core4.0-cil")
        raise SystemExit(77)
    unittest.main()
