"""clashctl convert: formats by name, by flag and by first bytes, from and to pipes; what it does not know it refuses."""
import json
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import bsor  # noqa: E402
import clashd  # noqa: E402

DUEL = clashd.DATA / "duel-20s.jsonl"
STANDIN = clashd.DATA / "standin-10s.jsonl.zst"


class Convert(clashd.TestCase):
    def ctl(self, *words, code=0, **options):
        """Standard output as bytes, and what was said."""
        done = clashd.clashctl(*words, home=self.home, text=False, **options)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done.stdout, done.stderr.decode()

    def test_a_target_that_is_not_known_is_refused(self):
        for name in ("x.json", "x", "x.txt", "x.jsonl.gz", "x.parquet", ".csv.bak", "x.bsor"):
            said = self.ctl("convert", DUEL, self.home / name, code=2)[1]
            self.assertIn(f"{name}: no known format has such a name: expected one that ends in .jsonl, .zst", said)
            self.assertFalse((self.home / name).exists(), name)
        for words, part in ((("--to", "parquet"), "--to 'parquet': expected jsonl, jsonl.zst"),
                            (("--to", "bsor"), "--to 'bsor': expected jsonl"),
                            (("--from", "csv"), "--from 'csv': expected jsonl, jsonl.zst")):
            self.assertIn(part, self.ctl("convert", DUEL, self.home / "x.jsonl", *words, code=2)[1])
        self.assertEqual(list(self.home.iterdir()), [])

    def test_a_name_may_be_another_formats_where_it_is_asked_for(self):
        for to, name in (("jsonl", "a.zst"), ("jsonl.zst", "b.jsonl"), ("csv", "c"), ("jsonl", "d.txt")):
            self.ctl("convert", DUEL, self.home / name, "--to", to)
            out = self.ctl("convert", DUEL, "-", "--to", to)[0]
            self.assertEqual((self.home / name).read_bytes(), out, to)
        self.assertEqual((self.home / "a.zst").read_bytes(), DUEL.read_bytes())
        self.assertEqual((self.home / "b.jsonl").read_bytes()[:4], b"\x28\xb5\x2f\xfd")

    def test_pipes(self):
        plain = self.ctl("convert", STANDIN, "-")[0]
        self.assertEqual(plain.count(b"\n"), sum(1 for _ in plain.splitlines()))
        for source in (plain, STANDIN.read_bytes()):
            self.assertEqual(self.ctl("convert", "-", "-", input=source)[0], plain)
            packed = self.ctl("convert", "-", "-", "--to", "jsonl.zst", input=source)[0]
            self.assertLess(len(packed), len(plain) / 2)
            self.assertEqual(self.ctl("convert", "-", "-", input=packed)[0], plain)
        with open(STANDIN, "rb") as source:
            self.assertEqual(self.ctl("convert", "-", "-", stdin=source)[0], plain)
        self.ctl("cut", STANDIN, self.home / "piece.jsonl", "--from", "1", "--to", "2")
        self.assertEqual(self.ctl("cut", "-", "-", "--from", "1", "--to", "2", input=plain)[0], (self.home / "piece.jsonl").read_bytes())

    def test_a_replay_from_a_pipe(self):
        replay = self.home / "play.bsor"
        replay.write_bytes(bsor.replay([bsor.frame(i / 64) for i in range(1000)]))
        self.ctl("convert", replay, self.home / "play.jsonl")
        made = (self.home / "play.jsonl").read_bytes()
        self.assertEqual(self.ctl("convert", "-", "-", input=replay.read_bytes())[0], made)
        with open(replay, "rb") as source:
            self.assertEqual(self.ctl("convert", "-", "-", stdin=source)[0], made)
        self.assertIn("make a recording of it first", self.ctl("convert", replay, "-", "--to", "csv", code=2)[1])
        self.assertIn("is a Beat Saber replay", self.ctl("info", "-", input=replay.read_bytes(), code=2)[1])

    def test_what_is_nothing(self):
        for source in (b"", b"\x89", b"{", b"\x28\xb5\x2f\xfd", b"hello\nworld\n"):
            for to in ("jsonl", "jsonl.zst", "csv"):
                out, said = self.ctl("convert", "-", "-", "--to", to, input=source, code=2)
                self.assertEqual(out, b"", (source, to))
                self.assertIn("clashctl convert: -: ", said)
        header = json.dumps({"type": "recording", "version": 1, "space": "stage"}).encode() + b"\n"
        self.assertEqual(self.ctl("convert", "-", "-", input=header)[0], header)

    def test_full_disks_and_readers_that_go_away(self):
        for to in ("jsonl", "jsonl.zst", "csv"):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([clashd.CLASHCTL, "convert", DUEL, "-", "--to", to], stdout=full, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 2, to)
            self.assertIn(b"standard output: No space left on device", done.stderr, to)
            process = subprocess.Popen([clashd.CLASHCTL, "convert", DUEL, "-", "--to", to], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            process.stdout.close()
            self.assertEqual((process.stderr.read(), process.wait()), (b"", 0), to)
            process.stderr.close()

    def test_a_file_that_is_there_stays(self):
        for name in ("x.jsonl", "x.csv", "x.jsonl.zst"):
            (self.home / name).write_text("mine")
            self.assertIn("File exists", self.ctl("convert", DUEL, self.home / name, code=2)[1])
            self.assertEqual((self.home / name).read_text(), "mine")


if __name__ == "__main__":
    unittest.main()
