"""Names and texts from outside on a terminal: whatever bytes they hold, nothing of them steers it, on any way from a client,
a file or a false clashd to a person's eyes."""
import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import demo  # noqa: E402

# A colour, CSI in one character, right to left, and the end of a line.
EVIL = "a\x1b[31m\x9b2J\u202e\u2028\x7fb"
STEERING = ("\x1b", "\x9b", "\u202e", "\u2028", "\x7f", "\udc9b")
POSES = ('{"type":"poses","time_ns":%d,"poses":[{"device":"%s","position":[%s,1,0],"orientation":[0,0,0,1],"tracked":true},'
         '{"device":"other","position":[0,1,0.5],"orientation":[0,0.70710678,0,0.70710678],"tracked":true}]}')


class Names(clashd.TestCase):
    def calm(self, *texts):
        for text in texts:
            for evil in STEERING:
                self.assertNotIn(evil, text)

    def ctl(self, *words, **how):
        done = clashd.clashctl(*words, home=self.home, errors="surrogateescape", **how)
        self.calm(done.stdout, done.stderr)
        return done

    def recording(self):
        name = json.dumps(EVIL)[1:-1]
        blade = {"base": [0, 0, -1], "tip": [0, 0, 1], "radius": 0.02}
        header = {"type": "recording", "version": 1, "space": "stage", "clashd": EVIL, "session": EVIL, "runtime": EVIL,
                  "controllers": [{"device": EVIL, "profile": EVIL}],
                  "blades": [{"name": EVIL, "device": EVIL, **blade}, {"name": "other", "device": "other", **blade}]}
        lines = [json.dumps(header), *(POSES % (i * 10000000, name, 1 - i * 0.1) for i in range(20))]
        path = self.home / "evil\x1b[2J\u202e.jsonl"
        path.write_text("\n".join(lines) + "\n" + '{"type":"poses","\x1b[2J' + "\n{\"\x9b\"\n")
        return path

    def test_recordings(self):
        path = self.recording()
        for words in (("info", path), ("detect", path), ("verify", path), ("play", path, "--speed", "max"),
                      ("play", path, "--speed", "max", "--json"), ("tune", path, "contact.margin=0:0.1"),
                      ("cut", path, self.home / "new.jsonl", "--from", "0"), ("convert", path, self.home / "new\x9b.csv"),
                      ("info", f"{path}\x9b"), ("info", "\udc9b"), ("\x1b[2J",), ("info", "--\x1b[2J"),
                      ("detect", path, "--set", "\x1b[2J")):
            self.ctl(*words, stdin=subprocess.DEVNULL)
        self.assertIn("\\x1b[31m", self.ctl("info", path).stdout)
        self.assertIn("\\u202e", self.ctl("detect", path).stdout)

    def test_a_running_clashd(self):
        path = self.recording()
        daemon = clashd.Daemon("--source", f"replay:{path}", "--wait-for-client", "--loop", home=self.home)
        self.addCleanup(daemon.process.kill)
        with daemon.connect() as client:
            self.ctl("status")
            self.ctl("replay", "status")
            self.ctl("replay", "status", "--json")
            for words in ((), ("--json",)):
                self.assertEqual(self.ctl("watch", "--events", "clash,tracking", "--count", "1", *words).returncode, 0)
                self.ctl("replay", "seek", "0")
            client.send({"type": EVIL, "id": EVIL})
            client.send({"type": "blade", "name": EVIL, "id": 1})
            client.request({"type": "subscribe", "id": 2, "blades": [EVIL * 5]})
            self.assertEqual(daemon.stop(), 0)
        self.calm("\n".join(daemon.log))

    def serve(self, *lines):
        """A false clashd, that says these lines to everybody."""
        path = self.home / "false.sock"
        server = socket.socket(socket.AF_UNIX)
        server.bind(str(path))
        server.listen()

        def answer():
            while True:
                try:
                    client = server.accept()[0]
                except OSError:
                    return
                with client:
                    client.sendall(b"".join(line + b"\n" for line in lines))
                    client.settimeout(1)
                    try:
                        while client.recv(4096):
                            client.shutdown(socket.SHUT_WR)
                    except OSError:
                        pass
        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        self.addCleanup(server.close)
        self.addCleanup(thread.join)  # before the number of its socket is another's
        self.addCleanup(server.shutdown, socket.SHUT_RDWR)
        return path

    def test_what_is_no_json_is_left_out(self):
        """Raw control characters in a string are none; cJSON takes them."""
        path = self.serve(b'{"type":"hello","version":"\x1b[2J"}', b'{"type":"status","id":"status","source":"\x1b[31mred"}',
                          b'{"type":"tracking","device":"\x1b[2J","tracked":true}', b'{"type":"error","message":"\x9b"}',
                          b'{"type":"ok","id":"record","file":"a\nb"}')
        for words in (("status",), ("status", "--json"), ("watch", "--once"), ("watch", "--once", "--json"), ("record", "start"),
                      ("replay", "status")):
            done = self.ctl(*words, "--socket", path)
            self.assertEqual(done.stdout, "", words)
            self.assertIn("left out a line of clashd's that is not JSON: a control character in a string", done.stderr)

    def test_what_is_json_is_written_out(self):
        evil = json.dumps(EVIL).encode()
        raw = json.dumps(EVIL.replace("\x1b", ""), ensure_ascii=False).encode()
        for text in (evil, raw):
            path = self.home / "false.sock"
            path.unlink(missing_ok=True)
            path = self.serve(b'{"type":"hello","version":%s,"session":%s}' % (text, text),
                              b'{"type":"tracking","time_ns":1,"device":%s,"tracked":true}' % text,
                              b'{"type":"status","id":"status","source":%s,"state":%s,"runtime":%s,"detail":%s,"devices":[{"device":%s}],'
                              b'"counters":{%s:1},"replay":{"file":%s,"state":%s}}' % ((text,) * 8),
                              b'{"type":"error","id":"x","message":%s}' % text)
            for words in (("status",), ("status", "--json"), ("watch", "--once"), ("watch", "--once", "--json"), ("replay", "status"),
                          ("replay", "status", "--json"), ("record", "stop")):
                done = self.ctl(*words, "--socket", path)
                self.assertIn("2J", done.stdout + done.stderr, words)


class Demo(clashd.TestCase):
    def test_nothing_of_it_is_left_when_nobody_reads(self):
        """demo.sh | head: what it started ends with it. What it would install and build is there already."""
        root, env = demo.checkout(self.home)
        for lines in (1, 8, 12):  # before it starts anything, when it has, and while it plays
            done = subprocess.run(["sh", "-c", f"sh daemon/demo.sh | head -n {lines}"], cwd=root, env=env, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True, timeout=clashd.WAIT_S)
            self.assertEqual(done.stdout.count("\n"), lines, done.stdout)
            until = time.monotonic() + clashd.WAIT_S
            while (left := self.who_works_in(root)) and time.monotonic() < until:
                time.sleep(0.05)
            self.assertEqual(left, [], lines)
            self.assertEqual(list((root / "tmp").iterdir()), [], lines)

    def who_works_in(self, root):
        """Their command lines."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if (process / "cwd").resolve() == root.resolve():
                    found.append((process / "cmdline").read_bytes())
        return [words for words in found if words]  # a zombie has none


@unittest.skipUnless(os.geteuid() == 0, "only root can be somebody else")
class Users(clashd.TestCase):
    def test_clashctl_talks_to_nobody_else(self):
        """What listens below /tmp may be anybody's."""
        self.home.chmod(0o755)
        path = self.home / "s.sock"
        server = subprocess.Popen([sys.executable, "-c", "import os, socket, sys, time; os.umask(0); s = socket.socket(socket.AF_UNIX); "
                                   "os.chmod('.', 0o777); os.setuid(65534); s.bind(sys.argv[1]); s.listen(); print('ready', flush=True); "
                                   "time.sleep(600)", str(path)], stdout=subprocess.PIPE, cwd=self.home)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        server.stdout.readline()
        for command in ("status", "watch"):
            done = clashd.clashctl(command, "--socket", path, home=self.home)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(f"user 65534 is listening on {path}: expected user 0 or root", done.stderr)


if __name__ == "__main__":
    unittest.main()
