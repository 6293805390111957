"""Recording on disks in trouble: deleted directories, full disks, read-only ones, and some that do not answer at all. Events
go on, the recording comes back, and says what it lacks."""
import contextlib
import json
import shutil
import signal
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
from dense_log import RATE_HZ, write_dense  # noqa: E402
import mounts  # noqa: E402
import recordings  # noqa: E402
import validate  # noqa: E402

STUCK_DISK = clashd.BUILD / "tests" / "stuck_disk.so"
SLOW_SYNC = clashd.BUILD / "tests" / "slow_sync.so"
# Of what clashd keeps in memory (32 MiB), at 1.7 kB a line of two hands and so many trackers.
TRACKERS = 14
MORE_THAN_IS_KEPT_S = 30
KEPT_BYTES = 32 << 20


def can_stick():
    """Not where the build has no stuck_disk.so, or a sanitizer that takes nothing preloaded before itself."""
    return STUCK_DISK.exists() and not clashd.is_sanitized()


class DiskCase(recordings.Case):
    def setUp(self):
        super().setUp()
        self.dense = self.home / "dense.jsonl"
        self.stick = self.home / "stuck"
        self.used = self.home / "stuck.used"

    def mount(self, size):
        """A small file system as the directory of the recordings."""
        self.directory.mkdir()
        if not mounts.mount(self.directory, size):
            self.skipTest("no file system can be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", self.directory], check=True)

    def remount(self, how):
        subprocess.run(["mount", "-o", f"remount,{how}", self.directory], check=True)

    def start(self, *words):
        """Where that can be, with a disk that can be made to stick."""
        env = {"LD_PRELOAD": STUCK_DISK, "CLASHD_STUCK_DISK": self.stick} if can_stick() else {}
        return clashd.Daemon("--source", f"replay:{self.dense}", "--config", self.settings(compress=False),
                             "--wait-for-client", *words, home=self.home, env=env)

    @contextlib.contextmanager
    def nothing_asked_by_the_loop(self):
        """Meanwhile, what changes a file on the loop's thread ends clashd: whatever a disk does, nobody waits for it."""
        self.stick.write_text("pass")
        yield
        self.assertEqual(self.used.exists(), can_stick())
        self.stick.unlink()

    def wait_for_state(self, client, state):
        """The message that says so; what came before it is read too."""
        said = client.read_until(lambda m: m["type"] == "recorder" and m["state"] == state)[-1]
        self.assertEqual(validate.check(client.lines[-1]), [])
        return said

    def expect_start_that_fails(self, client, number):
        """The message that says so, which may come before or after the reply."""
        said = []
        while not {"ok", "failing"} <= {m.get("state", m["type"]) for m in said if m.get("id") == number or m["type"] == "recorder"}:
            said.append(client.read())
        return next(m for m in said if m.get("state") == "failing")

    def expect_clashes(self, client, count):
        for _ in range(count):
            client.read_until(lambda m: m["type"] == "clash")


class Disks(DiskCase):
    def test_a_directory_that_is_deleted(self):
        write_dense(self.dense, 30)
        with self.start() as daemon, daemon.connect() as client:
            client.subscribe(events=["clash", "recorder"])
            self.wait_for(lambda: self.counter(client, "recorded_lines") > 500)
            with self.nothing_asked_by_the_loop():
                shutil.rmtree(self.directory)
                failing = self.wait_for_state(client, "failing")
                self.assertIn("No such file", failing["detail"])
                clashes = client.read_until(lambda m: m["type"] == "clash")
                self.assertEqual(self.files(), [])
                self.directory.mkdir()
                self.wait_for_state(client, "writing")
                lines = self.counter(client, "recorded_lines")
                self.wait_for(lambda: self.counter(client, "recorded_lines") > lines + 2000)
            lost, gaps = self.counter(client, "record_lost_lines"), self.counter(client, "record_gaps")
        self.assertTrue(clashes)
        self.assertEqual(gaps, 1)
        self.assertGreater(lost, 0)
        self.assertIn("has been deleted", "\n".join(daemon.log))
        [recording] = self.files()
        lines = self.lines(recording)
        self.assertIn("seq", lines[0])
        [gap] = [line for line in lines if line["type"] == "gap"]
        self.assertEqual(gap["lines"], lost)
        self.assertLess(gap["from_ns"], gap["time_ns"])
        self.assertIn("gaps: 1", self.verify(recording))

    def test_a_disk_that_is_full(self):
        self.mount("512k")
        ballast = self.directory / "ballast"
        ballast.write_bytes(b"x" * 400000)
        write_dense(self.dense, 3)
        with self.start("--speed", "3") as daemon, daemon.connect() as client:
            client.subscribe(events=["clash", "recorder"])
            with self.nothing_asked_by_the_loop():
                failing = self.wait_for_state(client, "failing")
                self.assertIn("No space left", failing["detail"])
                daemon.wait_for_log("the replay has ended")
                self.assertGreater(self.counter(client, "record_errors"), 0)
                self.verify(self.files()[0])
                ballast.unlink()
                self.remount("size=8m")
                self.wait_for_state(client, "writing")
            self.assertEqual(self.counter(client, "record_lost_lines"), 0)
        self.assertIn("can be written again", "\n".join(daemon.log))
        self.assertEqual(self.frames(self.files()[0]), 3 * RATE_HZ)

    def test_the_end_on_a_disk_that_is_full(self):
        """What is lost is said, to the line, and the exit code is not 0; what is there is whole."""
        self.mount("256k")
        write_dense(self.dense, 2)
        found = clashd.detect(self.dense, home=self.home)
        daemon = self.start("--speed", "max", "--exit-at-end")
        with daemon.connect() as client:
            client.subscribe(events=[])
            self.assertEqual(daemon.wait(), 1)
        [recording] = self.files()
        lines = len(self.lines(recording)) - 1
        self.assertIn(f"{recording} lacks {2 * RATE_HZ + len(found) - lines} lines that could not be written, the last "
                      f"{2 * RATE_HZ + len(found) - lines} of them at its end: No space left on device", daemon.log[-1])
        self.verify(recording)

    def test_more_than_memory_keeps_is_a_gap_to_the_line(self):
        """A full disk for so long that lines are lost: as many as the gap says, and those after it are there."""
        self.mount("512k")
        write_dense(self.dense, MORE_THAN_IS_KEPT_S, TRACKERS)
        found = clashd.detect(self.dense, home=self.home)
        with self.start("--speed", "max") as daemon, daemon.connect() as client:
            client.subscribe(events=["clash", "recorder"])
            with self.nothing_asked_by_the_loop():
                self.assertIn("No space left", self.wait_for_state(client, "failing")["detail"])
                daemon.wait_for_log("the replay has ended")
                self.assertEqual(self.counter(client, "events"), len(found))
                self.assertGreater(self.counter(client, "record_lost_lines"), 0)
                self.assertIn(self.counter(client, "record_waiting_bytes"), range(KEPT_BYTES // 2, KEPT_BYTES + 65536))
                self.remount("size=128m")
                self.wait_for_state(client, "writing")
                self.wait_for(lambda: self.counter(client, "record_waiting_bytes") == 0)
            blade = {"type": "blade", "id": "b", "name": "late", "device": "late/1", "base": [0, 0, 0], "tip": [0, 1, 0], "radius": 0.01}
            self.assertEqual(client.request(blade)["type"], "ok")
            for i in range(3):
                self.assertEqual(client.request({"type": "poses", "id": i, "poses": [
                    {"device": "late/1", "position": [9, i, 9], "orientation": [0, 0, 0, 1]}]})["type"], "ok")
            self.wait_for(lambda: self.counter(client, "record_waiting_bytes") == 0)  # its end has little patience
            lost, gaps = self.counter(client, "record_lost_lines"), self.counter(client, "record_gaps")
        self.assertEqual(gaps, 1)
        self.assertIn("loses lines", "\n".join(daemon.log))
        [recording] = self.files()
        lines = [json.loads(line) for line in recording.read_text().splitlines()]
        [gap] = [i for i, line in enumerate(lines) if line["type"] == "gap"]
        self.assertEqual(validate.check(json.dumps(lines[gap])), [])
        self.assertEqual(lines[gap]["lines"], lost)
        # Header, what is there and what is not: all of the poses, and all that was found in them.
        self.assertEqual(gap - 1 + lost, MORE_THAN_IS_KEPT_S * RATE_HZ + len(found))
        times = [line["time_ns"] for line in lines[:gap] if line["type"] == "poses"]
        self.assertEqual(times, [i * 1000000 for i in range(len(times))])
        self.assertLessEqual(times[-1], lines[gap]["from_ns"])
        after = [line["type"] for line in lines[gap + 1:]]
        self.assertEqual([kind for kind in after if kind in ("blade", "poses")], ["blade"] + 3 * ["poses"])
        self.assertEqual([pose["position"] for line in lines[gap + 1:] for pose in line.get("poses", [])],
                         [[9, i, 9] for i in range(3)])
        self.assertIn("gaps: 1", self.verify(recording))

    def test_a_disk_that_turns_read_only(self):
        """It does so only while no file on it is open; the recording begins when that is over."""
        self.mount("64m")
        write_dense(self.dense, 30)
        with self.start() as daemon, daemon.connect() as client:
            client.subscribe(events=["clash", "recorder"])
            with self.nothing_asked_by_the_loop():
                self.expect_clashes(client, 1)
                self.wait_for(self.files)  # the writer's thread makes it, which a crowded machine may keep back
                self.assertEqual(client.request({"type": "record", "id": 1, "action": "stop"})["type"], "ok")
                self.wait_for(lambda: subprocess.run(["mount", "-o", "remount,ro", self.directory],
                                                     stderr=subprocess.PIPE).returncode == 0)
                client.send({"type": "record", "id": 2, "action": "start"})
                self.assertIn("Read-only", self.expect_start_that_fails(client, 2)["detail"])
                self.assertGreater(self.counter(client, "record_errors"), 0)
                self.expect_clashes(client, 2)
                self.assertEqual(len(self.files()), 1)
                self.remount("rw")
                self.wait_for_state(client, "writing")
            self.expect_clashes(client, 1)
            self.assertEqual((self.counter(client, "record_lost_lines"), self.counter(client, "record_gaps")), (0, 0))
        self.assertIn("Read-only file system", "\n".join(daemon.log))
        first, second = self.files()
        self.assertIn("seq", self.lines(second)[0])
        for recording in (first, second):
            self.assertIn("identical", self.verify(recording))
        times = [line["time_ns"] for line in self.lines(second) if line["type"] == "poses"]
        self.assertEqual(times, list(range(times[0], times[-1] + 1, 1000000)))

    def test_a_directory_that_cannot_be_is_refused(self):
        (self.home / "file").write_text("")
        self.directory = self.home / "file" / "recordings"
        daemon = clashd.Daemon("--source", "none", "--config", self.settings(), home=self.home, listening=False)
        self.assertEqual(daemon.wait(), 2)
        self.assertIn("record.directory", "\n".join(daemon.log))


class Stuck(DiskCase):
    """Not a question of time: the disk answers never, or always no, and meanwhile events come. Were anything of that the
    loop's business, none would; and whatever asks the disk for anything on the loop's thread ends the process at once."""

    def setUp(self):
        super().setUp()
        if not can_stick():
            self.skipTest("the build has no stuck_disk.so, or a sanitizer that takes nothing preloaded before itself")
        write_dense(self.dense, 30)

    def test_a_disk_that_never_answers_holds_up_nothing(self):
        with self.start() as daemon, daemon.connect() as client:
            client.subscribe(events=["clash", "hold", "release", "tracking", "space_changed", "poses"])
            self.wait_for(lambda: self.counter(client, "recorded_lines") > 100)
            self.stick.write_text("wait")
            self.wait_for(self.used.exists)
            stuck_at = self.counter(client, "recorded_lines")
            for _ in range(3):
                self.expect_clashes(client, 1)
                self.assertEqual(client.request({"type": "ping", "id": "p"})["type"], "ok")
                for words in ({"action": "mark", "text": "now"}, {"action": "rotate"}):
                    self.assertEqual(client.request({"type": "record", "id": "r", **words})["type"], "ok")
                self.expect_clashes(client, 1)  # each file is begun with the next pose
                daemon.process.send_signal(signal.SIGHUP)
            with daemon.connect() as another:
                another.subscribe(events=["clash"])
                self.expect_clashes(another, 1)
                self.assertEqual(self.counter(another, "recorded_lines"), stuck_at)
            self.stick.unlink()
            self.wait_for(lambda: self.counter(client, "record_files") == 7)
            self.assertEqual((self.counter(client, "record_lost_lines"), self.counter(client, "record_errors")), (0, 0))
            events = [line for line in client.lines if json.loads(line)["type"] in ("clash", "hold", "release", "tracking")]
        self.assertEqual(clashd.unsourced(events), clashd.detect(self.dense, home=self.home)[:len(events)])
        times = [line["time_ns"] for path in self.files() for line in self.lines(path) if line["type"] == "poses"]
        self.assertEqual(times, [i * 1000000 for i in range(len(times))])
        self.assertGreater(len(times), 2000)

    def test_a_disk_that_refuses_to_be_written(self):
        """As ext4 is after an error, with the file open."""
        with self.start() as daemon, daemon.connect() as client:
            client.subscribe(events=["clash", "recorder"])
            self.wait_for(lambda: self.counter(client, "recorded_lines") > 100)
            self.stick.write_text("refuse")
            self.assertIn("Read-only", self.wait_for_state(client, "failing")["detail"])
            self.expect_clashes(client, 3)
            self.stick.unlink()
            self.wait_for_state(client, "writing")
            self.assertGreater(self.counter(client, "record_errors"), 0)
            self.assertEqual((self.counter(client, "record_lost_lines"), self.counter(client, "record_gaps")), (0, 0))
        [recording] = self.files()
        self.assertIn("identical", self.verify(recording))
        times = [line["time_ns"] for line in self.lines(recording) if line["type"] == "poses"]
        self.assertEqual(times, [i * 1000000 for i in range(len(times))])

    def test_a_disk_that_never_answers_does_not_keep_clashd(self):
        """SIGTERM ends it all the same. What it lacks is said, and the exit code is not 0."""
        with contextlib.ExitStack() as at_end:
            daemon = self.start()
            at_end.callback(daemon.process.kill)
            client = at_end.enter_context(daemon.connect())
            client.subscribe(events=["clash"])
            self.wait_for(lambda: self.counter(client, "recorded_lines") > 100)
            self.stick.write_text("wait")
            self.wait_for(self.used.exists)
            self.expect_clashes(client, 2)
            self.assertEqual(daemon.stop(), 1)  # the disk still waits
        [recording] = self.files()
        self.assertRegex(daemon.log[-1], rf"{recording} lacks \d+ lines .*: the disk does not answer")
        self.assertTrue(recording.read_text().endswith("}\n"))

    def test_a_disk_that_does_not_say_what_is_safe_does_not_either(self):
        """All is written, and nothing is missing: only fdatasync does not come back."""
        daemon = clashd.Daemon("--source", f"replay:{self.dense}", "--config", self.settings(compress=False), "--speed", "max",
                               "--wait-for-client", home=self.home, env={"LD_PRELOAD": SLOW_SYNC, "CLASHD_SLOW_SYNC": 1000})
        self.addCleanup(daemon.process.kill)
        with daemon.connect() as client:
            client.subscribe(events=["clash"])
            daemon.wait_for_log("the replay has ended")
            self.assertEqual(daemon.stop(), 0)
        self.assertIn("the disk does not say that it is safe", daemon.log[-1])
        self.assertEqual(self.frames(self.files()[0]), 30 * RATE_HZ)

    def test_the_shim_sees_the_loops_thread(self):
        """Or else the tests above could not fail: what is done before there is a thread is done on that one."""
        self.stick.write_text("wait")
        daemon = clashd.Daemon("--source", "none", "--config", self.settings(), home=self.home, listening=False,
                               env={"LD_PRELOAD": STUCK_DISK, "CLASHD_STUCK_DISK": self.stick})
        self.assertEqual(daemon.wait(), -signal.SIGABRT)
        self.assertIn("the loop's thread calls open", "\n".join(daemon.log))


if __name__ == "__main__":
    mounts.in_own_mounts()
    unittest.main()
