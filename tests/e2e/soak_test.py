"""clashd for a while at 1000 Hz on the stand-in OpenXR runtime, recording, with fifty clients that come and go and a fault
every few seconds: clients that are killed, stopped and continued, runtimes that die, disks that fill up, SIGHUP. It never
crashes, its memory stays where it is, and the clashes are those, and only those, of the known motion.

CLASHD_SOAK says how many seconds (20); from 600 on memory is looked at too, once every buffer has been full."""
import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import mounts  # noqa: E402
import soak_guests  # noqa: E402
import soak_motion  # noqa: E402
import transports  # noqa: E402
import validate  # noqa: E402

SECONDS = float(os.environ.get("CLASHD_SOAK", 20))
SEED = int(os.environ.get("CLASHD_SOAK_SEED", 1))
MANIFEST = clashd.BUILD / "daemon" / "runtime" / "clash_runtime.json"
CLIENTS = 50
FAULT_EVERY_S = 2.5
DISK = "192m"
# All that clashd keeps of its latest events (daemon/server/history.h): full from here on.
KEPT_EVENTS = 49152
# Until every buffer has been full and every kind of fault has come at its worst: 5 to 10 minutes.
WARM_UP_S = max(360, SECONDS / 6)
MEMORY_FROM_S = 600
FLAT_KIB = 1024
START_TOLERANCE_NS = 1e5
TIME = re.compile(rb'"time_ns":(-?\d+)')
EVENTS = tuple(b'{"type":"%s"' % kind for kind in (b"clash", b"hold", b"release"))
RUNTIME_FAULTS = ("session_loss@{at}s", "lost@{at}s+300ms", "instance_loss@{at}s:1", "stall@{at}s+700ms",
                  "untracked@{at}s+200ms:left", "exit@{at}s", "inactive@{at}s+400ms:right", "unfocused@{at}s+300ms")
RUNTIME_FAULTS_MAX = 64


def runtime_faults():
    """As many as a runtime takes, over the whole time, none in the last seconds."""
    count = min(RUNTIME_FAULTS_MAX, int(SECONDS / 5))
    step = (SECONDS - 3) / count
    return ",".join(RUNTIME_FAULTS[index % len(RUNTIME_FAULTS)].format(at=round((index + 1) * step, 2))
                    for index in range(count - 1))


class Soak(clashd.TestCase):
    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)
        self.directory = self.home / "recordings"
        self.directory.mkdir()
        self.has_disk = mounts.mount(self.directory, DISK)
        if self.has_disk:
            self.addCleanup(subprocess.run, ["umount", "-l", self.directory], check=True)
        self.ballast = self.directory / "ballast"
        self.runtime_log = self.home / "runtime.log"
        self.truth = soak_motion.Truth(soak_motion.Crossing(self.runtime_log))
        self.memory, self.faults, self.files = [], [], 0

    def start(self):
        settings = self.home / "settings.json"
        blades = [{"name": hand, "device": f"/user/hand/{hand}", "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.1}
                  for hand in ("left", "right")]
        settings.write_text(json.dumps({
            "blades": blades, "contact": {"hold_rate_hz": 1000, "max_gap_ms": 100}, "openxr": {"rate_hz": 1000},
            "socket": {"tcp": "127.0.0.1:0"}, "record": {"directory": str(self.directory), "keep": 1000000}}))
        daemon = transports.Daemon("--config", settings, home=self.home, env={
            "XR_RUNTIME_JSON": MANIFEST, "CLASH_RUNTIME_SCRIPT": "crossing", "CLASH_RUNTIME_LOG": self.runtime_log,
            "CLASH_RUNTIME_FAULTS": runtime_faults()})
        self.addCleanup(daemon.process.wait)
        self.addCleanup(daemon.process.kill)
        return daemon

    def resident_kib(self):
        """All of it, and what of that is no file."""
        text = Path(f"/proc/{self.daemon.process.pid}/status").read_text()
        return tuple(int(re.search(rf"^{name}:\s+(\d+) kB$", text, re.MULTILINE)[1]) for name in ("VmRSS", "RssAnon"))

    def inject(self, crowd):
        """One fault; the runtime has its own, by the clock."""
        kinds = ["hangup", "stop", "continue", "kill", "crowd"] + ["disk"] * self.has_disk
        kind = kinds[len(self.faults) % len(kinds)]
        watches = [watch for watch in crowd.watches if watch.stopped == (kind == "continue")]
        if kind == "hangup":
            self.daemon.process.send_signal(signal.SIGHUP)
        elif kind == "crowd":
            for guest in list(crowd.guests)[::3]:
                crowd.drop(guest)
        elif kind == "disk" and self.ballast.exists():
            self.ballast.unlink()
        elif kind == "disk":
            self.fill_disk()
        else:
            for watch in watches[:3]:
                watch.signal({"stop": signal.SIGSTOP, "continue": signal.SIGCONT, "kill": signal.SIGKILL}[kind])
        self.faults.append(kind)

    def fill_disk(self):
        with open(self.ballast, "wb", buffering=0) as ballast, contextlib.suppress(OSError):
            while ballast.write(bytes(1 << 16)):
                pass

    def beside(self, crowd, *words):
        """Runs clashctl while the crowd goes on reading: clashd closes whoever reads nothing for 5 s."""
        said = self.home / "said"
        with open(said, "w") as output:
            process = subprocess.Popen([clashd.CLASHCTL, *map(str, words)], stdout=output, stderr=output,
                                       env=clashd.environment(self.home))
        while crowd and process.poll() is None:
            crowd.serve(time.monotonic() + 0.05)
        return process.wait(clashd.WAIT_S), said.read_text()

    def take_recordings(self, crowd, all_of_them=False):
        """Those that are complete: verified, held against the motion, and removed."""
        files = sorted(self.directory.glob("clash-*"))
        for path in files if all_of_them else files[:-1]:
            code, said = self.beside(crowd, "verify", path)
            self.assertTrue(code == 0 or "no event could be compared" in said, f"{path.name}: {said}")
            plain = self.home / "plain.jsonl"
            plain.unlink(missing_ok=True)
            code, said = self.beside(crowd, "convert", path, plain)
            self.assertEqual(code, 0, said)
            with open(plain) as lines:
                self.truth.read(lines)
            path.unlink()
            self.files += 1

    def soak(self, crowd, witness):
        began = time.monotonic()
        while (now := time.monotonic()) < began + SECONDS:
            crowd.serve(now + FAULT_EVERY_S)
            self.assertIsNone(self.daemon.process.poll(), "\n".join(self.daemon.log))
            self.memory.append((time.monotonic() - began, *self.resident_kib(), len(witness.clashes), witness.last_seq or 0))
            self.inject(crowd)
            if not self.ballast.exists():
                self.take_recordings(crowd)

    def test_it_goes_on(self):
        self.daemon = self.start()
        crowd = soak_guests.Crowd(self.daemon, CLIENTS, self.random)
        witness = Witness(crowd)
        self.soak(crowd, witness)
        self.ballast.unlink(missing_ok=True)
        crowd.close()
        counters = self.status()["counters"]
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log)
        while witness.readable():
            pass
        self.take_recordings(None, all_of_them=True)
        self.report(crowd, counters)
        self.assertEqual((crowd.wrong, witness.wrong), ([], []))
        self.check_motion(witness)
        self.check_memory()

    def status(self):
        with self.daemon.connect() as client:
            reply = client.request({"type": "status", "id": 1})
            self.assertEqual(validate.check(client.lines[-1]), [])
            return reply

    def check_motion(self, witness):
        truth = self.truth
        self.assertEqual(truth.gaps, [], "the recording has gaps although the disk was never full for long")
        self.assertEqual(truth.wrong[:3], [])
        self.assertGreater(truth.poses, SECONDS * 100)
        # What waited for the witness when clashd ended, it never got.
        heard = [start for start in truth.search.starts if start <= witness.last_ns + START_TOLERANCE_NS]
        self.assertGreater(len(heard), SECONDS / 4)
        self.assertLess(len(truth.search.starts) - len(heard), 10)
        strays = [(found, start) for found, start in zip(witness.clashes, heard) if abs(found - start) >= START_TOLERANCE_NS]
        self.assertEqual((strays[:1], len(witness.clashes)), ([], len(heard)))

    def check_memory(self):
        """From when the ring of events has been full and every kind of fault has come. What waits while a disk is full comes
        and goes, so the least of each third of the time is what stays."""
        if SECONDS < MEMORY_FROM_S or clashd.is_sanitized():
            return
        warm = [kib for at, kib, _, _, seq in self.memory if seq > KEPT_EVENTS and at > WARM_UP_S]
        self.assertGreater(len(warm), 30, "the warm-up took all the time")
        third = len(warm) // 3
        least = [min(warm[index:index + third]) for index in (0, third, 2 * third)]
        print("soak: the least of each third, KiB:", *least)
        self.assertLess(max(least) - least[0], FLAT_KIB)

    def report(self, crowd, counters):
        print(f"soak: {SECONDS:g} s, seed {SEED}: {self.truth.poses} frames, {len(self.truth.search.starts)} contacts, "
              f"{crowd.come} clients, {crowd.lines} lines read, {len(self.faults)} faults, "
              f"{counters['source_reconnects']} reconnects, {self.files} recordings")
        if not self.has_disk:
            print("soak: no disk was full: nothing can be mounted here")
        for at, kib, own_kib, clashes, seq in self.memory[::max(1, len(self.memory) // 12)]:
            print(f"soak: {at:7.1f} s  {kib:7d} KiB, {own_kib} of its own  {clashes:6d} clashes  seq {seq}")


class Witness(soak_guests.Guest):
    """Gets everything from the first event to the last."""

    def __init__(self, crowd):
        self.clashes, self.last_ns = [], 0
        super().__init__(crowd, "everything", 0)
        self.leaves = float("inf")
        crowd.selector.register(self.socket, soak_guests.selectors.EVENT_READ, self)

    def first_messages(self):
        yield {"type": "subscribe", "id": 1, "since_seq": 0}

    def take(self, line):
        super().take(line)
        if line.startswith(EVENTS):
            self.last_ns = int(TIME.search(line)[1])
        if line.startswith(b'{"type":"clash"'):
            self.clashes.append(self.last_ns)
        elif line.startswith(b'{"type":"lagged"'):
            self.wrong.append(line.decode())


if __name__ == "__main__":
    if not MANIFEST.exists():
        print(f"skipped: {MANIFEST} has not been built")
        sys.exit(77)
    mounts.in_own_mounts()
    unittest.main()
