"""clashctl convert: formats by name, by flag and by first bytes, from and to pipes; what it does not know it refuses."""
import json
import math
import os
import re
import subprocess
import sys
import unittest
import unittest.mock
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
        self.assertEqual(self.ctl("info", "-", "--json", input=replay.read_bytes())[0].replace(b'"-"', b'"x"'),
                         self.ctl("info", "-", "--json", input=made)[0].replace(b'"-"', b'"x"'))

    def temporary(self):
        """The directory for temporary files."""
        scratch = self.home / "scratch"
        scratch.mkdir()
        patch = unittest.mock.patch.dict(os.environ, TMPDIR=str(scratch))
        patch.start()
        self.addCleanup(patch.stop)
        return scratch

    def sources(self):
        """The same play in each format: (file, the recording that convert makes of it)."""
        frames = [bsor.frame(i / 64, left=((0.3 * math.sin(i / 9), 1, 0), (0, 0, 0, 1)), right=((0.1, 1, 0), (0, 0, 0, 1)))
                  for i in range(300)]
        (self.home / "play.bsor").write_bytes(bsor.replay(frames))
        for name in ("play.jsonl", "play.jsonl.zst"):
            self.ctl("convert", self.home / "play.bsor", self.home / name)
        self.ctl("convert", self.home / "play.jsonl", self.home / "play.mcap")
        for ending in ("bsor", "mcap"):  # the format is known by the first bytes, not by the name
            (self.home / f"{ending}.dat").write_bytes((self.home / f"play.{ending}").read_bytes())
        return [self.home / name for name in ("play.jsonl.zst", "play.bsor", "play.mcap", "bsor.dat", "mcap.dat")], self.home / "play.jsonl"

    def test_every_command_reads_every_format(self):
        sources, plain = self.sources()
        scratch = self.temporary()
        for words in (("info", "--json"), ("info", "--csv"), ("info",), ("play", "--speed", "max", "--json"), ("detect",),
                      ("detect", "--csv"), ("tune", "contact.margin=0:0.02:0.01"), ("detect", "--summary"),
                      ("convert", "-", "--to", "csv"), ("cut", "-", "--from", "1", "--to", "2")):
            def found(source):
                out = self.ctl(words[0], source, *words[1:])[0].decode().replace(str(source), "FILE")
                return re.sub('"bytes":[0-9]+', "", out) if "--summary" in words else out
            wanted = found(plain)
            self.assertTrue(wanted, words)
            for source in sources:
                self.assertEqual(found(source), wanted, (words, source))
        self.assertGreater(len(self.ctl("detect", plain)[0].splitlines()), 4)
        self.assertEqual(list(scratch.iterdir()), [])

    def test_an_unknown_format_names_those_that_are_read(self):
        other = self.home / "other.txt"
        other.write_text("hello\n")
        for words in (("info",), ("play",), ("detect",), ("view", "--no-browser"), ("convert", "-", "--to", "csv"), ("convert", "-")):
            for name in (other, "-"):
                if name == "-" and words[0] in ("play", "view"):
                    continue
                said = self.ctl(words[0], name, *words[1:], code=2, **({"input": b"hello\n"} if name == "-" else {}))[1]
                for part in (f"{name}: ", ".jsonl", ".mcap", ".bsor"):
                    self.assertIn(part, said, words)
            said = self.ctl(words[0], self.home / "none.txt", *words[1:], code=2)[1]
            self.assertIn("No such file", said)
            self.assertNotIn(".bsor", said)

    def test_a_damaged_file_is_refused_by_its_own_name(self):
        sources, _ = self.sources()
        scratch = self.temporary()
        for source in sources[1:3]:
            source.write_bytes(source.read_bytes()[:100])
            for words in (("info",), ("play",), ("view", "--no-browser")):
                said = self.ctl(words[0], source, *words[1:], code=2)[1]
                self.assertIn(f"clashctl {words[0]}: {source}: ", said)
                self.assertNotIn(str(scratch), said)
        self.assertEqual(list(scratch.iterdir()), [])

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
