"""Recording while clashd runs: what is in the files after kill -9, after rotation, requests and SIGHUP.
Disks in trouble: record_disk_test.py. CLASHD_KILLS says how often it is killed."""
import concurrent.futures
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
from dense_log import RATE_HZ, write_dense  # noqa: E402
import recordings  # noqa: E402
import validate  # noqa: E402

DUEL = clashd.DATA / "duel-20s.jsonl"
KILLS = int(os.environ.get("CLASHD_KILLS", "24"))
SEED = int(os.environ.get("CLASHD_SEED", "1"), 0)
AT_ONCE = 3
SLOW_SYNC = clashd.BUILD / "tests" / "slow_sync.so"


class Killed(recordings.Case):
    def kill_one(self, number, dense, least_s=0.2, **env):
        """Kills a clashd that records at 1000 Hz; returns the file, how much a client had seen by then, and the log."""
        generator = random.Random(SEED * 1000003 + number)
        home = self.home / str(number)
        home.mkdir(mode=0o700)
        recording = home / ("r.jsonl.zst" if number % 2 else "r.jsonl")
        daemon = clashd.Daemon("--source", f"replay:{dense}", "--record", recording, "--wait-for-client", home=home, env=env)
        try:
            with daemon.connect() as client:
                client.subscribe(events=["poses"], pose_rate_hz=200)
                until = time.monotonic() + generator.uniform(least_s, 2.5)
                seen = 0
                while time.monotonic() < until:
                    seen = client.read()["time_ns"]
                daemon.process.kill()
        finally:
            daemon.process.kill()
            daemon.wait()
        return recording, seen

    def test_at_most_a_second_is_missing(self):
        dense = self.home / "dense.jsonl"
        write_dense(dense, 20)
        compared = 0
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for recording, seen in pool.map(lambda number: self.kill_one(number, dense), range(KILLS)):
                said = self.verify(recording)
                self.assertIn("identical", said)
                frames = int(re.search(r"(\d+) frames", said)[1])
                self.assertGreater(frames, seen / 1e6 - RATE_HZ, f"seed {SEED}, {recording.parent.name}: {said}")
                compared += int(re.search(r"(\d+) events compared", said)[1])
                self.check_times(recording, frames)
                shutil.rmtree(recording.parent)
        self.assertGreater(compared, 4 * KILLS)

    def test_a_disk_that_takes_its_time_costs_no_more(self):
        """While it still puts the first second away, what comes next is with the system already."""
        if not SLOW_SYNC.exists() or clashd.is_sanitized():
            self.skipTest("the build has no slow_sync.so, or a sanitizer that takes nothing preloaded before itself")
        dense = self.home / "dense.jsonl"
        write_dense(dense, 10)
        for number in range(2):
            recording, seen = self.kill_one(number, dense, least_s=2.4, LD_PRELOAD=SLOW_SYNC, CLASHD_SLOW_SYNC=30)
            self.assertGreater(seen, 1e9)
            self.assertGreater(self.frames(recording), seen / 1e6 - RATE_HZ)

    def check_times(self, recording, frames):
        """Every line of what was played, from the first on, and none twice."""
        if recording.suffix == ".zst":
            return
        whole = recording.read_bytes().rpartition(b"\n")[0].decode().splitlines()
        times = [json.loads(line)["time_ns"] for line in whole if '"type":"poses"' in line]
        self.assertEqual(times, [i * 1000000 for i in range(frames)])


class Files(recordings.Case):
    def test_dated_files_follow_each_other_and_the_oldest_go(self):
        dense = self.home / "dense.jsonl"
        write_dense(dense, 6)
        other = self.home / "recordings" / "clash-notes.jsonl"
        other.parent.mkdir()
        other.write_text("mine\n")
        with clashd.Daemon("--source", f"replay:{dense}", "--config", self.settings(rotate_bytes=400000, keep=3, compress=False),
                           "--speed", "4", "--exit-at-end", home=self.home) as daemon:
            self.assertEqual(daemon.wait(), 0)
        files = [path for path in self.files() if path != other]
        self.assertEqual(len(files), 3)
        for path in files[:-1]: # whatever holds clashd up meanwhile
            self.assertIn(path.stat().st_size, range(400000, 400000 + 65536))
        self.assertEqual(other.read_text(), "mine\n")
        for path in files:
            self.assertRegex(path.name, r"^clash-\d{8}-\d{6}Z-[0-9a-f]{6}-\d{4}\.jsonl$")
            self.assertEqual(path.stat().st_mode & 0o777, 0o600)
            self.assertIn("identical", self.verify(path))
        sessions = {self.lines(path)[0]["session"] for path in files}
        self.assertEqual(len(sessions), 1)
        times = [line["time_ns"] for path in files for line in self.lines(path) if line["type"] == "poses"]
        self.assertEqual(times, list(range(times[0], times[-1] + 1, 1000000)))
        self.assertEqual(times[-1], (6 * RATE_HZ - 1) * 1000000)

    def test_compressed_it_is_smaller_and_the_same(self):
        with clashd.Daemon("--source", f"replay:{DUEL}", "--config", self.settings(), "--speed", "max", "--exit-at-end",
                           home=self.home) as daemon:
            self.assertEqual(daemon.wait(), 0)
        [path] = self.files()
        self.assertTrue(path.name.endswith(".jsonl.zst"))
        self.assertLess(path.stat().st_size, DUEL.stat().st_size / 2)
        self.assertEqual(clashd.detect(path, home=self.home), clashd.detect(DUEL, home=self.home))
        self.assertEqual(self.frames(path), len(DUEL.read_text().splitlines()) - 1)
        if shutil.which("zstd"):
            text = subprocess.run(["zstd", "-dc", path], capture_output=True, check=True, text=True).stdout
            self.assertEqual(validate.check_text(text, "recording"), [])

    def push(self, client, count=1):
        """Poses of a client's own."""
        self.pushed = getattr(self, "pushed", 0)
        if self.pushed == 0:
            self.assertEqual(client.request({"type": "blade", "id": "b", "name": "own", "device": "own", "base": [0, 0, 0],
                                             "tip": [0, 1, 0], "radius": 0.01})["type"], "ok")
        for _ in range(count):
            self.pushed += 1
            self.assertEqual(client.request({"type": "poses", "id": "p", "poses": [
                {"device": "own", "position": [9, self.pushed * 0.01, 9], "orientation": [0, 0, 0, 1]}]})["type"], "ok")

    def hang_up(self, daemon, client, count, counter):
        for _ in range(count):
            before = self.counter(client, counter)
            daemon.process.send_signal(signal.SIGHUP)
            self.wait_for(lambda: self.counter(client, counter) == before + 1)

    def test_what_has_no_poses_pushes_nothing_out(self):
        """Neither starts nor SIGHUPs nor requests make a file; the first pose does, and then the log says which one went."""
        for _ in range(2):
            with clashd.Daemon("--source", f"replay:{DUEL}", "--config", self.settings(keep=2), "--speed", "max", "--exit-at-end",
                               home=self.home) as daemon:
                self.assertEqual(daemon.wait(), 0)
        real = [path.rename(path.with_name(f"clash-2020010{day}-{path.name[15:]}"))
                for day, path in enumerate(self.files(), 1)]
        self.assertEqual(self.files(), real)
        with clashd.Daemon("--config", self.settings(keep=2), home=self.home) as daemon, daemon.connect() as client:
            settings = self.home / "settings.json"
            right = settings.read_text()
            self.hang_up(daemon, client, 3, "reloads")
            settings.write_text("{")
            self.hang_up(daemon, client, 3, "reloads_refused")
            settings.write_text(right)
            told = self.ctl("rotate").stdout.strip()
            self.assertEqual(self.ctl("stop").stdout, "")
            self.assertNotEqual(told, self.ctl("start").stdout.strip())
            self.assertEqual(self.files(), real)
            self.assertEqual(self.counter(client, "record_files"), 0)
            self.push(client)
            self.wait_for(lambda: self.counter(client, "record_files") == 1)
            daemon.wait_for_log(f"{real[0]} is removed: of more than 2 recordings, record.keep, it was the oldest")
            self.assertIn(real[1], self.files())
            self.assertEqual(len(self.files()), 2)
            settings.write_text("{")
            self.hang_up(daemon, client, 2, "reloads_refused")
            self.push(client, 3)
            self.assertEqual(self.counter(client, "record_files"), 1)  # and goes on in the same one
            settings.write_text(right)
            self.hang_up(daemon, client, 3, "reloads")
            self.assertEqual(self.counter(client, "record_files"), 1)
            self.push(client)
            self.wait_for(lambda: self.counter(client, "record_files") == 2)
            daemon.wait_for_log(f"{real[1]} is removed")
        self.assertEqual(len(self.files()), 2)
        for path in self.files():
            self.verify_later(path)

    def test_a_file_that_is_there_stays(self):
        """Whatever it is, and however it is reached: clashd does not start, and says what would have been overwritten."""
        precious = self.home / "precious.jsonl"
        precious.write_text("precious\n")
        kinds = {"file": lambda path: path.write_text("precious\n"), "link": lambda path: path.symlink_to(precious),
                 "loose": lambda path: path.symlink_to(self.home / "nowhere"), "hard": lambda path: os.link(precious, path),
                 "fifo": os.mkfifo, "directory": lambda path: path.mkdir()}
        for kind, make in kinds.items():
            path = self.home / f"{kind}.jsonl"
            make(path)
            for words in ((), ("--overwrite",)):
                if (kind, words) == ("file", ("--overwrite",)):
                    continue
                daemon = clashd.Daemon("--source", f"replay:{DUEL}", "--record", path, *words, home=self.home, listening=False)
                self.assertEqual(daemon.wait(), 2, kind)
                self.assertIn(f"cannot write {path}: ", daemon.log[-1])
                self.assertEqual("--overwrite" in daemon.log[-1], kind in ("file", "hard") and not words, daemon.log[-1])
        self.assertEqual(precious.read_text(), "precious\n")
        self.assertFalse((self.home / "nowhere").exists())
        path = self.home / "file.jsonl"
        with clashd.Daemon("--source", "none", "--record", path, "--overwrite", home=self.home) as daemon:
            pass
        self.assertEqual(path.read_text(), "precious\n")  # nothing came to replace it
        with clashd.Daemon("--source", f"replay:{DUEL}", "--record", path, "--overwrite", "--speed", "max", "--exit-at-end",
                           home=self.home) as daemon:
            self.assertEqual(daemon.wait(), 0)
        self.assertEqual(self.frames(path), len(DUEL.read_text().splitlines()) - 1)

    def test_what_comes_there_after_the_start_stays_too(self):
        path, precious = self.home / "r.jsonl", self.home / "precious.jsonl"
        precious.write_text("precious\n")
        daemon = clashd.Daemon("--source", "none", "--record", path, home=self.home)
        self.addCleanup(daemon.process.kill)
        with daemon.connect() as client:
            path.symlink_to(precious)
            self.push(client, 3)
            daemon.wait_for_log(f"cannot write {path}: File exists")
            self.assertEqual(daemon.stop(), 1)
        self.assertIn(f"{path} lacks 5 lines", daemon.log[-1])  # the header, three poses, and that they are tracked
        self.assertEqual(precious.read_text(), "precious\n")

    def ctl(self, *words, code=0):
        done = clashd.clashctl("record", *words, home=self.home)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_it_is_steered_while_it_runs(self):
        with clashd.Daemon("--source", f"replay:{DUEL}", "--config", self.settings(compress=False), home=self.home) as daemon, \
                daemon.connect() as client:
            self.assertIn("record", client.hello["capabilities"])
            client.subscribe(events=["recorder"])
            first = Path(self.ctl("mark", "a \"good\" one\n").stdout.strip())
            second = Path(self.ctl("rotate").stdout.strip())
            self.wait_for(lambda: self.counter(client, "recorded_lines") > 100)
            self.assertEqual(self.ctl("stop").stdout.strip(), str(second))
            off = client.read_until(lambda m: m["type"] == "recorder" and m["state"] == "off")[-1]
            self.assertEqual((off["file"], off["detail"]), (str(second), ""))
            self.assertIn("nothing is being recorded", self.ctl("stop", code=2).stderr)
            self.assertIn("nothing is being recorded", self.ctl("mark", "x", code=2).stderr)
            third = Path(self.ctl("start").stdout.strip())
            self.assertIn("already recording", self.ctl("start", code=2).stderr)
            lines = self.counter(client, "recorded_lines")
            self.wait_for(lambda: self.counter(client, "recorded_lines") > lines + 100)
            errors = [client.request({"type": "record", "id": 1, "action": action}) for action in ("mark", "dance")]
        self.assertEqual([error["code"] for error in errors], ["bad_message", "bad_message"])
        self.assertEqual(self.files(), [first, second, third])
        marks = [line for line in self.lines(first) if line["type"] == "mark"]
        self.assertEqual([mark["text"] for mark in marks], ["a \"good\" one\n"])
        for path in (second, third):
            self.assertIn("seq", self.lines(path)[0])
            self.verify_later(path)

    def verify_later(self, path):
        """A short piece may end before anything can be compared; what can be is identical."""
        done = clashd.clashctl("verify", path, home=self.home)
        self.assertTrue(done.returncode == 0 or "no event could be compared" in done.stderr, done.stdout + done.stderr)

    def test_without_a_directory_it_says_so(self):
        with clashd.Daemon("--source", "none", home=self.home):
            for action in ("start", "stop", "rotate"):
                self.assertIn("record.directory", self.ctl(action, code=2).stderr)
        with clashd.Daemon("--source", "none", "--record", self.home / "r.jsonl", home=self.home):
            self.assertIn("record.directory", self.ctl("rotate", code=2).stderr)
            self.assertEqual(self.ctl("mark", "x").stdout.strip(), str(self.home / "r.jsonl"))
            self.ctl("stop")
        self.assertEqual([line["type"] for line in self.lines(self.home / "r.jsonl")], ["recording", "mark"])
        for words in ((), ("dance",), ("mark",), ("start", "now")):
            self.assertIn("expected start", self.ctl(*words, code=2).stderr)
        self.assertEqual(self.ctl("start", code=3).stdout, "")


class Hangup(recordings.Case):
    def test_a_file_that_was_moved_is_begun_anew(self):
        path, moved = self.home / "r.jsonl", self.home / "r.1.jsonl"
        with clashd.Daemon("--source", f"replay:{DUEL}", "--record", path, home=self.home) as daemon, \
                daemon.connect() as client:
            self.wait_for(lambda: self.counter(client, "recorded_lines") > 50)
            path.rename(moved)
            daemon.process.send_signal(signal.SIGHUP)
            self.wait_for(path.exists)
            lines = self.counter(client, "recorded_lines")
            self.wait_for(lambda: self.counter(client, "recorded_lines") > lines + 100)
            self.assertEqual(self.counter(client, "record_lost_lines"), 0)
        times = [line["time_ns"] for part in (moved, path) for line in self.lines(part) if line["type"] == "poses"]
        played = [json.loads(line)["time_ns"] for line in DUEL.read_text().splitlines()[1:]]
        self.assertEqual(times, played[:len(times)])
        self.verify(moved)

    def test_a_directory_gets_another_file(self):
        with clashd.Daemon("--source", f"replay:{DUEL}", "--config", self.settings(), home=self.home) as daemon:
            self.wait_for(lambda: len(self.files()) == 1)
            daemon.process.send_signal(signal.SIGHUP)
            self.wait_for(lambda: len(self.files()) == 2)

    def test_where_nothing_is_recorded_clashd_goes_on(self):
        with clashd.Daemon("--source", "none", home=self.home) as daemon, daemon.connect() as client:
            daemon.process.send_signal(signal.SIGHUP)
            daemon.wait_for_log("SIGHUP")
            self.assertEqual(client.request({"type": "ping", "id": 1})["type"], "ok")


if __name__ == "__main__":
    unittest.main()
