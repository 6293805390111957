"""Recordings that hold nothing for longer than anybody would wait, or that are none: every command of clashctl and a replay
end with an error that names file and limit, in memory that does not grow, and whatever is being read SIGTERM ends it. That
it does is not a matter of the clock here: what is read then would take clashd minutes, and it must not get to its end."""
import json
import os
import resource
import signal
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import bombs  # noqa: E402
import clashd  # noqa: E402

MIB = 1 << 20
LIMIT = "no line of a recording in 67108864 bytes: nothing behind them is read"
LONG = "line 1: is longer than 64 KiB; expected a header"
MEMORY = 400 * MIB  # of addresses; libraries and what is read ahead are in it


def bound_memory():
    if not clashd.is_sanitized():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


class Case(clashd.TestCase):
    def write(self, name, *parts):
        path = self.home / name
        with open(path, "wb") as out:
            for part in parts:
                out.write(part)
        return path

    def long_way(self, name="way.jsonl.zst"):
        """Nothing wrong anywhere for long enough, and all of it 240 GB: a sample, 60 MB of nothing, and so on."""
        stretch = bombs.frame(bombs.poses(1), (b" ", 60 * MIB), b"\n")
        return self.write(name, bombs.frame(bombs.HEADER), stretch * 4000)

    def commands(self, path):
        new = self.home / "new"
        for words in (("info", path), ("detect", path), ("verify", path), ("cut", path, f"{new}.jsonl", "--from", "0"),
                      ("convert", path, f"{new}.jsonl"), ("convert", path, f"{new}.csv"),
                      ("tune", path, "contact.margin=0:0.1"), ("play", path, "--speed", "max")):
            yield words
            for made in self.home.glob("new*"):
                made.unlink()


class Commands(Case):
    def check(self, path, *says, play=()):
        for words in self.commands(path):
            done = clashd.clashctl(*words, home=self.home, preexec_fn=bound_memory, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 2, f"{words}: {done.stdout}{done.stderr}")
            for part in (str(path), *(play if play and words[0] == "play" else says)):
                self.assertIn(part, done.stderr, words)

    def test_gigabytes_of_zeros_in_a_small_file(self):
        self.check(self.write("line.jsonl.zst", bombs.frame(bombs.HEADER + bombs.poses(1), (b"\0", 2048 * MIB))), "behind line 3: " + LIMIT)
        self.check(self.write("empty.jsonl.zst", bombs.frame(bombs.HEADER, (b"\n", 2048 * MIB))), LIMIT)
        self.check(self.write("first.jsonl.zst", bombs.frame((b"\0", 2048 * MIB))), LONG)

    def test_devices(self):
        self.check("/dev/zero", LONG, play=["is no regular file"])
        self.check("/dev/null", "is empty", play=["is no regular file"])
        self.check(self.home, "Is a directory", play=["is no regular file"])

    def test_what_could_be_read_is_kept(self):
        path = self.write("r.jsonl.zst", bombs.frame(bombs.HEADER + bombs.poses(1) + bombs.poses(2), (b"\0", 100 * MIB)))
        new = self.home / "new.jsonl"
        done = clashd.clashctl("convert", path, new, home=self.home)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(f"{new} has what is before that", done.stderr)
        self.assertEqual(new.read_bytes(), bombs.HEADER + bombs.poses(1) + bombs.poses(2))

    def test_sigterm_ends_every_command(self):
        """Wherever it is: in a file that takes minutes, and before one that never begins."""
        fifo = self.home / "fifo.jsonl"
        os.mkfifo(fifo)
        for path in (self.long_way(), fifo):
            for words in self.commands(path):
                if path == fifo and words[0] == "play":
                    continue  # which refuses it
                process = subprocess.Popen([clashd.CLASHCTL, *map(str, words)], stdin=subprocess.DEVNULL,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                           env=clashd.environment(self.home))
                self.addCleanup(process.kill)
                with self.assertRaises(subprocess.TimeoutExpired):
                    process.wait(timeout=0.3)
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(timeout=clashd.WAIT_S), -signal.SIGTERM, words)


class Replay(Case):
    def start(self, path, *words, **how):
        daemon = clashd.Daemon("--source", f"replay:{path}", "--speed", "max", *words, home=self.home, **how)
        self.addCleanup(daemon.process.kill)
        return daemon

    def test_what_is_no_regular_file_is_refused_at_once(self):
        fifo = self.home / "fifo.jsonl"
        os.mkfifo(fifo)
        for path in (fifo, "/dev/zero", "/dev/stdin", self.home):
            daemon = self.start(path, listening=False)
            self.assertEqual(daemon.wait(), 2)
            self.assertIn(f"{path}: is no regular file", daemon.log[-1])

    def test_the_end_is_an_error(self):
        path = self.write("r.jsonl.zst", bombs.frame(bombs.HEADER + bombs.poses(1), (b"\0", 2048 * MIB)))
        daemon = self.start(path, "--wait-for-client", "--exit-at-end")
        with daemon.connect() as client:
            client.subscribe(events=["tracking"])
            self.assertEqual(json.loads(client.read_all()[-1])["reason"], "source_ended")
        self.assertEqual(daemon.wait(), 2)
        said = "\n".join(daemon.log)
        self.assertIn(f"{path}: behind line 3: {LIMIT}", said)
        with self.start(path, "--loop", "--wait-for-client") as daemon, daemon.connect() as client:
            client.subscribe(events=["replay"])
            client.read_until(lambda message: message["type"] == "replay" and message["state"] == "ended")
            status = client.request({"type": "status", "id": 1})
            self.assertEqual((status["state"], LIMIT in status["detail"]), ("ended", True))

    def test_nobody_waits_for_what_is_read(self):
        with self.start(self.long_way(), "--wait-for-client") as daemon, daemon.connect() as client:
            client.subscribe(events=["tracking"])
            client.read_until(lambda message: message["type"] == "tracking")
            for number in range(20):
                self.assertEqual(client.request({"type": "ping", "id": number})["type"], "ok")
            self.assertEqual(client.request({"type": "status", "id": "s"})["state"], "running")
        self.assertNotIn("the replay has ended", "\n".join(daemon.log))

    def test_nobody_waits_on_the_way_to_another_place(self):
        """In one frame, from whose beginning on it has to be decompressed to get anywhere."""
        samples = b"".join(bombs.poses(i * 1000) for i in range(2000))
        path = self.write("one.jsonl.zst", bombs.frame(bombs.HEADER + samples, *[(b" ", 60 * MIB), b"\n" + bombs.poses(3000000)] * 3000,
                                                       samples))
        with self.start(path) as daemon, daemon.connect() as client:
            for number in range(20):
                reply = client.request({"type": "replay", "id": f"r{number}", "action": "seek", "time_ns": 4000000 * (number % 2)})
                self.assertEqual(reply["type"], "ok", reply)
        self.assertNotIn("the replay has ended", "\n".join(daemon.log))

    def test_who_does_not_read_does_not_keep_it_either(self):
        """At the end of a replay clients get what waits for them, for as long as nobody says that it is enough."""
        daemon = self.start(clashd.DATA / "duel-20s.jsonl", "--wait-for-client", "--exit-at-end")
        with clashd.Client(daemon.path) as client:
            client.socket.setsockopt(clashd.socket.SOL_SOCKET, clashd.socket.SO_RCVBUF, 2304)
            client.send({"type": "subscribe", "events": ["clash", "hold", "release", "tracking", "poses"]})
            daemon.wait_for_log("the replay has ended")
            self.assertEqual(daemon.stop(), 0)
        self.assertNotIn("has read nothing", "\n".join(daemon.log))  # which takes 5 s


if __name__ == "__main__":
    unittest.main()
