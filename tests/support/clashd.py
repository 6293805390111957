"""Runs the built clashd and clashctl for tests: starts a daemon in a runtime directory of its own, talks to it, waits for
what it should say. Every wait ends in a failure after WAIT_S, far beyond anything that works."""
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("CLASHD_SOURCE", Path(__file__).resolve().parents[2]))
BUILD = Path(os.environ.get("CLASHD_BUILD", SOURCE / "build" / "release"))
DATA = SOURCE / "tests" / "data"
CLASHD = BUILD / "daemon" / "app" / "clashd"
CLASHCTL = BUILD / "daemon" / "ctl" / "clashctl"
# The same with the portable core alone; only where there is another core.
PORTABLE = BUILD / "tests" / "clashctl_portable"
UNMANAGED = BUILD / "tests" / "clashd_unmanaged"  # without libsystemd
PAGELESS = BUILD / "tests" / "clashd_pageless"  # without its page
WAIT_S = 180
# Of a sanitized build; else it is not looked at.
LSAN_OPTIONS = f"suppressions={SOURCE / 'tests' / 'support' / 'lsan.supp'}:print_suppressions=0"


def environment(home, **extra):
    """As for a user who has nothing set up yet: nothing of the tester's own settings gets in."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(("XR_", "XDG_", "CLASH_"))}
    env.update(XDG_RUNTIME_DIR=str(home), XDG_CONFIG_HOME=str(Path(home) / "config"), HOME=str(home),
               LSAN_OPTIONS=":".join(filter(None, (env.get("LSAN_OPTIONS"), LSAN_OPTIONS))))
    env.update({key: str(value) for key, value in extra.items()})
    return env


def clashctl(*words, home, text=True, program=CLASHCTL, **options):
    """Runs clashctl to its end; never raises on its exit code."""
    return subprocess.run([program, *map(str, words)], capture_output=True, text=text, env=environment(home),
                          timeout=WAIT_S, **options)


def detect(recording, *words, home, program=CLASHCTL):
    """The event lines that clashctl detect finds."""
    done = clashctl("detect", recording, *words, home=home, program=program)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def unsourced(lines):
    """Lines of clashd as clashctl detect has them, which does not know who has fed a device from the start."""
    return [re.sub(r',"source":"[a-z]+"}$', "}", line) if line.startswith('{"type":"tracking"') else line for line in lines]


def is_sanitized(by=""):
    """Whether clashd was built with a sanitizer, or with this one: address, undefined, thread, memory."""
    used = (BUILD / "CMakeCache.txt").read_text().split("CLASHD_SANITIZE:STRING=", 1)[1].split("\n", 1)[0]
    return bool(used) and by in used


class Client:
    """One connection: lines in both directions, each as text and as an object."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(WAIT_S)
        self.socket.connect(str(path))
        self.buffer = b""
        self.lines = []

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, message):
        """A message as an object, or bytes as they are."""
        self.socket.sendall(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")

    def read_line(self):
        """The next line as text; None at the end of the connection."""
        while b"\n" not in self.buffer:
            received = self.socket.recv(65536)
            if not received:
                assert not self.buffer, f"the connection ended within a line: {self.buffer!r}"
                return None
            self.buffer += received
        line, self.buffer = self.buffer.split(b"\n", 1)
        self.lines.append(line.decode())
        return self.lines[-1]

    def read(self):
        """The next message; fails at the end of the connection."""
        line = self.read_line()
        assert line is not None, "clashd closed the connection"
        return json.loads(line)

    def read_until(self, wanted, wait_s=WAIT_S):
        """Messages up to the first for which wanted(message) is true, that one included."""
        messages = []
        deadline = time.monotonic() + wait_s
        while time.monotonic() < deadline:
            messages.append(self.read())
            if wanted(messages[-1]):
                return messages
        raise AssertionError(f"did not come within {wait_s} s; the last: {messages[-3:]}")

    def request(self, message):
        """The reply to a message with an id; what came before it is skipped."""
        self.send(message)
        return self.read_until(lambda reply: reply.get("id") == message["id"] and
                               reply["type"] in ("ok", "error", "status", "hello", "outlines"))[-1]

    def subscribe(self, **what):
        reply = self.request({"type": "subscribe", "id": "subscribe", **what})
        assert reply["type"] == "ok", reply

    def read_all(self):
        """All lines up to the end of the connection."""
        lines = []
        while (line := self.read_line()) is not None:
            lines.append(line)
        return lines


class Daemon:
    """A running clashd; as a context it is stopped at the end, and must then have ended well."""

    def __init__(self, *words, home, env=None, listening=True, before=(), pass_fds=(), program=CLASHD):
        self.home = Path(home)
        self.path = self.home / "clashd" / "clashd.sock"
        self.log = []
        self.process = subprocess.Popen([*before, program, *map(str, words)], stdin=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True, pass_fds=pass_fds,
                                        env=environment(home, **(env or {})))
        self.reader = threading.Thread(target=self._read_log, daemon=True)
        self.reader.start()
        if listening:
            self.wait_for_log("listening on")

    def _read_log(self):
        with self.process.stderr:
            for line in self.process.stderr:
                self.log.append(line.rstrip("\n"))

    def wait_for_log(self, part, since=0, wait_s=WAIT_S):
        """Index after the first line from `since` on that contains `part`."""
        deadline = time.monotonic() + wait_s
        while time.monotonic() < deadline:
            ended = self.process.poll() is not None
            for index, line in enumerate(self.log[since:], since):
                if part in line:
                    return index + 1
            if ended and not self.reader.is_alive():
                break
            time.sleep(0.01)
        raise AssertionError(f"clashd did not say {part!r}:\n" + "\n".join(self.log))

    def wait(self):
        """Its exit code."""
        code = self.process.wait(timeout=WAIT_S)
        self.reader.join(timeout=WAIT_S)
        return code

    def stop(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.wait()

    def connect(self):
        """A client that has read its hello, as .hello."""
        client = Client(self.path)
        client.hello = client.read()
        assert client.hello["type"] == "hello", client.hello
        return client

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            code = self.stop()
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        finally:
            if kind:
                print("\n".join(["clashd said:", *self.log]))
        if kind is None:
            assert code == 0, f"clashd ended with {code}:\n" + "\n".join(self.log)


class TestCase(unittest.TestCase):
    """A test with a home of its own, gone afterwards. Its path is short: that of a socket must be."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="clashd-")
        self.addCleanup(directory.cleanup)
        self.home = Path(directory.name)
        self.home.chmod(0o700)
