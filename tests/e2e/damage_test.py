"""Damaged recordings, as a user meets them: whatever clashctl does with one, it says what is damaged and how often, takes all
the rest, and never ends in a crash. What is no recording at all is refused by name, with what was expected."""
import gzip
import random
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402

DUEL = clashd.DATA / "duel-20s.jsonl"
COMMANDS = ("detect", "verify", "info", "cut", "convert")
AT = 500  # the line behind which a plain recording is damaged: 0-based, so that line 501 of the file is
COUNTS = {"detect": r"damaged lines: (\d+)", "verify": r"(\d+) damaged lines?", "info": r"(\d+) damaged, (\d+) torn",
          "cut": r"damaged lines left out: (\d+)", "convert": r"damaged lines left out: (\d+)"}


class Damage(clashd.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = clashd.tempfile.TemporaryDirectory()
        home = Path(cls.made.name)
        cls.plain, cls.packed = home / "whole.jsonl", home / "whole.jsonl.zst"
        for path in (cls.plain, cls.packed):
            with clashd.Daemon("--source", f"replay:{DUEL}", "--speed", "20", "--exit-at-end", "--record", path,
                               home=home) as daemon:
                assert daemon.wait() == 0, daemon.log
        cls.lines = cls.plain.read_bytes().splitlines(keepends=True)

    @classmethod
    def tearDownClass(cls):
        cls.made.cleanup()

    def write(self, name, *parts):
        path = self.home / name
        path.write_bytes(b"".join(parts))
        return path

    def within(self, name, *damage):
        return self.write(name, *self.lines[:AT], *damage, *self.lines[AT:])

    def run_all(self, path):
        """Every command once: its name and how it ended."""
        for command in COMMANDS:
            out = self.home / "out.jsonl"
            words = {"cut": (out, "--from", "0"), "convert": (out,)}.get(command, ())
            done = clashd.clashctl(command, path, *words, home=self.home)
            self.assertGreaterEqual(done.returncode, 0, f"{command} {path.name}: {done.stderr}")
            yield command, done
            if out.exists():
                again = clashd.clashctl("info", out, home=self.home)
                self.assertIn(" 0 damaged, 0 torn", again.stdout, f"what {command} made of {path.name}")
                out.unlink()

    def check(self, path, count, says, *, torn=False, line=AT + 1):
        """That every command names the damage and its line, counts it, and does its work on the rest."""
        for command, done in self.run_all(path):
            said = f"{command} {path.name}: {done.stdout}{done.stderr}"
            self.assertEqual(done.returncode, int(command == "verify" and not torn), said)
            self.assertIn(f"{path.name}:{line}: left out: ", done.stderr, said)
            self.assertIn(says, done.stderr, said)
            if command == "verify" and torn:
                self.assertIn("the end is torn and was left out\nidentical\n", done.stdout)
                continue
            found = re.search(COUNTS[command], done.stdout + done.stderr)
            self.assertIsNotNone(found, said)
            self.assertEqual(sum(map(int, found.groups())), count, said)

    def refuse(self, path, *says):
        for command, done in self.run_all(path):
            self.assertEqual((done.returncode, done.stdout), (2, ""), command)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            for part in (f"clashctl {command}: {path}: ", *says):
                self.assertIn(part, done.stderr)
            self.assertFalse((self.home / "out.jsonl").exists())

    def test_a_torn_tail(self):
        line = self.lines[AT]
        self.check(self.write("torn.jsonl", *self.lines[:AT], line[:len(line) // 2]), 1, "not JSON", torn=True)
        self.check(self.write("zeros.jsonl", *self.lines[:AT], bytes(8192)), 1, "not JSON", torn=True)

    def test_truncated_zstd(self):
        packed = self.packed.read_bytes()
        for share in (0.3, 0.6, 0.999):
            path = self.write("torn.jsonl.zst", packed[:int(len(packed) * share)])
            frames = int(re.search(r"(\d+) frames", clashd.clashctl("info", path, home=self.home).stdout)[1])
            self.assertGreater(frames, 300 * share)
            said = clashd.clashctl("detect", path, home=self.home).stderr
            self.check(path, 1, "the compressed data ends in the middle", torn=True,
                       line=int(re.search(r"zst:(\d+): left out", said)[1]))

    def test_flipped_bytes(self):
        """One bit at a time, anywhere behind the header: at most the line it is in is lost, or its neighbour with it."""
        generator = random.Random(7)
        whole = self.plain.read_bytes()
        start = len(self.lines[0])
        for _ in range(8):
            at, bit = generator.randrange(start, len(whole)), 1 << generator.randrange(8)
            path = self.write("flipped.jsonl", whole[:at], bytes([whole[at] ^ bit]), whole[at + 1:])
            for command, done in self.run_all(path):
                said = f"{command}, byte {at} bit {bit}: {done.stdout}{done.stderr}"
                self.assertIn(done.returncode, (0, 1) if command == "verify" else (0,), said)
                self.assertLessEqual(done.stderr.count("left out: "), 2, said)

    def test_flipped_bytes_in_compressed_data(self):
        generator = random.Random(8)
        whole = self.packed.read_bytes()
        for _ in range(6):
            at, bit = generator.randrange(2000, len(whole)), 1 << generator.randrange(8)
            path = self.write("flipped.jsonl.zst", whole[:at], bytes([whole[at] ^ bit]), whole[at + 1:])
            for command, done in self.run_all(path):
                said = f"{command}, byte {at} bit {bit}: {done.stdout}{done.stderr}"
                if done.returncode == 2:  # it was the header's frame
                    self.assertIn("expected a header", done.stderr, said)
                    continue
                self.assertEqual(done.returncode, int(command == "verify"), said)
                self.assertIn("the compressed data is damaged", done.stderr, said)

    def test_a_line_of_a_megabyte(self):
        self.check(self.within("long.jsonl", b'{"type":"x","y":"', b"x" * (1 << 20), b'"}\n'), 1,
                   "the line is longer than 64 KiB")
        self.check(self.write("long.jsonl", *self.lines[:AT], b"x" * (1 << 20)), 1, "the line is longer than 64 KiB")

    def test_nul_bytes(self):
        line = self.lines[AT]
        self.check(self.within("nul.jsonl", bytes(100), b"\n"), 1, "not JSON")
        self.check(self.write("nul.jsonl", *self.lines[:AT], line[:40], b"\0", line[41:], *self.lines[AT + 1:]), 1,
                   "a control character in a string at byte 40")

    def test_damage_all_over(self):
        path = self.write("all.jsonl", self.lines[0], b"{bad\n" * 2000)
        for command, done in self.run_all(path):
            self.assertEqual(done.stderr.count("left out: not JSON"), 10, command)
            self.assertIn("1990 more such places", done.stderr, command)
            found = re.search(COUNTS[command], done.stdout + done.stderr)
            self.assertEqual(int(found[1]), 2000, command)

    def test_events_behind_damage_are_not_said_to_be_identical(self):
        done = clashd.clashctl("verify", self.within("damaged.jsonl", b"{\n"), home=self.home)
        self.assertNotIn("identical", done.stdout)
        self.assertRegex(done.stdout, r"not compared: \d+ events behind damage")

    def test_no_recording_at_all(self):
        header = 'expected a header, {"type":"recording","version":1,..}'
        first, rest = self.lines[0], self.lines[1:]
        self.refuse(self.write("version.jsonl", first.replace(b'"version":1', b'"version":2'), *rest),
                    "line 1", "version 2 is newer than what is understood here, 1")
        self.refuse(self.write("none.jsonl", *rest), "line 1", header)
        self.refuse(self.write("half.jsonl", first[:50], b"\n", *rest), "line 1", header, "not JSON")
        self.refuse(self.write("torn.jsonl", first[:30]), "line 1", header, "not JSON")
        self.refuse(self.write("empty.jsonl"), "is empty", "expected a recording's header")
        self.refuse(self.write("zeros.jsonl", bytes(4096)), "line 1", header)
        self.refuse(self.write("long.jsonl", b"x" * (1 << 20)), "line 1", "longer than 64 KiB", header)
        self.refuse(self.write("whole.jsonl.gz", gzip.compress(b"".join(self.lines))), "line 1", header)
        self.refuse(self.write("torn.jsonl.zst", self.packed.read_bytes()[:10]), "the compressed data ends in the middle")
        (self.home / "directory").mkdir()
        self.refuse(self.home / "directory", "Is a directory")
        self.refuse(self.home / "nowhere", "No such file")


if __name__ == "__main__":
    unittest.main()
