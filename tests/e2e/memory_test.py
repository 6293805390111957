"""clashctl needs the same memory for a long recording as for a short one, whatever it does with it: a minute at 1000 Hz
beside six seconds of it, whole and damaged. An hour is measured by tests/bench/recording."""
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
from dense_log import write_dense  # noqa: E402

PEAK_MEMORY = clashd.BUILD / "tests" / "peak_memory"
SHORT_S, LONG_S = 6, 60
# A plain file of a minute has 20 MB.
MORE_KIB = 1024
COMMANDS = [("detect", ()), ("verify", ()), ("info", ()), ("cut", ("out.jsonl", "--from", "1")),
            ("convert", ("out.jsonl",)), ("convert", ("out.jsonl.zst",)), ("convert", ("out.csv",)), ("convert", ("out.mcap",))]


class Memory(clashd.TestCase):
    def setUp(self):
        super().setUp()
        if clashd.is_sanitized():
            self.skipTest("a sanitizer's own memory grows")

    def record(self, seconds):
        """As clashd records so many seconds, events included."""
        source, recording = self.home / "source.jsonl", self.home / f"{seconds}.jsonl"
        write_dense(source, seconds)
        with clashd.Daemon("--source", f"replay:{source}", "--speed", "max", "--exit-at-end", "--record", recording,
                           home=self.home) as daemon:
            self.assertEqual(daemon.wait(), 0, daemon.log)
        return recording

    def peak_kib(self, command, recording, words, codes=(0,)):
        words = [self.home / word if word.startswith("out.") else word for word in words]
        done = subprocess.run([PEAK_MEMORY, clashd.CLASHCTL, command, recording, *words], capture_output=True, text=True,
                              env=clashd.environment(self.home), timeout=clashd.WAIT_S)
        self.assertIn(done.returncode, codes, done.stderr)
        for path in self.home.glob("out.*"):
            path.unlink()
        return int(done.stdout)

    def check(self, short, long, codes=(0,)):
        for command, words in COMMANDS:
            short_kib = self.peak_kib(command, short, words, codes)
            long_kib = self.peak_kib(command, long, words, codes)
            self.assertLess(long_kib, short_kib + MORE_KIB, f"{command} {words} {long.name}")

    def pack(self, recording):
        packed = recording.with_suffix(".jsonl.zst")
        self.assertEqual(clashd.clashctl("convert", recording, packed, home=self.home).returncode, 0)
        return packed

    def test_plain_and_compressed(self):
        short, long = self.record(SHORT_S), self.record(LONG_S)
        self.assertGreater(long.stat().st_size, 9 * short.stat().st_size)
        self.check(short, long)
        self.check(self.pack(short), self.pack(long))

    def test_damaged_everywhere(self):
        """Every other line torn off, and a client's blades coming and going before the piece that is cut."""
        blade = ('{"type":"blade","time_ns":1,"name":"npc/%d","device":"npc/%d","base":[0,0,0],"tip":[0,0,-1],'
                 '"radius":0.01}\n{"type":"remove","time_ns":1,"device":"npc/%d"}\n')
        files = []
        for seconds in (SHORT_S, LONG_S):
            lines = self.record(seconds).read_text().splitlines(keepends=True)
            files.append(self.home / f"damaged-{seconds}.jsonl")
            with open(files[-1], "w") as file:
                file.write(lines[0])
                for number in range(seconds * 500):
                    file.write(blade % (number, number, number))
                for number, line in enumerate(lines[1:]):
                    file.write(line if number % 2 else line[:100] + "\n")
        self.check(*files, codes=(0, 1))


if __name__ == "__main__":
    unittest.main()
