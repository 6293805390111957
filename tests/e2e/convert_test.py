"""clashctl convert: formats by name, by flag and by first bytes, from and to pipes; what it does not know it refuses."""
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
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

    def test_a_signal_leaves_no_temporary_file(self):
        """While it waits for the rest of a file of another format."""
        self.ctl("convert", DUEL, self.home / "play.mcap")
        scratch = self.temporary()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = subprocess.Popen([clashd.CLASHCTL, "info", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
            process.stdin.write((self.home / "play.mcap").read_bytes()[:-1000])
            process.stdin.flush()
            while not list(scratch.glob("*/*")):
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            self.assertEqual([path.stat().st_mode & 0o777 for path in scratch.iterdir()], [0o700])
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=clashd.WAIT_S), -number)
            process.stdin.close()
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
            self.assertIn(f"{name}: File exists: --overwrite replaces it", self.ctl("convert", DUEL, self.home / name, code=2)[1])
            self.assertEqual((self.home / name).read_text(), "mine")

    def test_overwrite(self):
        self.ctl("convert", DUEL, self.home / "own.mcap")
        replay = self.home / "play.bsor"
        replay.write_bytes(bsor.replay([bsor.frame(i / 64) for i in range(100)]))
        for source in (DUEL, self.home / "own.mcap", replay):
            for ending in ("jsonl", "jsonl.zst", "csv", "mcap"):
                fresh, old = self.home / f"fresh.{ending}", self.home / f"old.{ending}"
                old.write_text("mine")
                self.ctl("convert", source, fresh)
                self.ctl("convert", source, old, "--overwrite")
                self.assertEqual(old.read_bytes(), fresh.read_bytes(), (source, ending))
                fresh.unlink()
                self.ctl("convert", source, fresh, "--overwrite")  # also where there is nothing to replace
                self.assertEqual(old.read_bytes(), fresh.read_bytes(), (source, ending))
                fresh.unlink()
        itself = self.home / "itself.jsonl"
        itself.write_bytes(DUEL.read_bytes())
        self.ctl("convert", itself, itself, "--overwrite", "--to", "jsonl.zst")
        self.assertEqual(self.ctl("convert", itself, "-")[0], DUEL.read_bytes())
        self.assertEqual([path.name for path in self.home.iterdir() if path.name.endswith(".part")], [])
        self.assertEqual(self.ctl("convert", DUEL, "-", "--overwrite")[0], DUEL.read_bytes())

    def test_a_failed_overwrite_leaves_the_old_file(self):
        torn, replay, nothing = self.home / "torn.mcap", self.home / "torn.bsor", self.home / "nothing.jsonl"
        self.ctl("convert", DUEL, torn)
        torn.write_bytes(torn.read_bytes()[:-20000])
        replay.write_bytes(bsor.replay([bsor.frame(i / 64) for i in range(100)])[:-100])
        nothing.write_text("hello\n")
        for source in (torn, replay, nothing, self.home / "none"):
            for ending in ("jsonl", "jsonl.zst", "csv"):
                if source == torn and ending == "csv":
                    continue  # a table of what is left is made
                old = self.home / f"old.{ending}"
                old.write_text("mine")
                said = self.ctl("convert", source, old, "--overwrite", code=2)[1]
                self.assertIn(f"{old} stays as it was", said)
                self.assertEqual(old.read_text(), "mine", (source, ending))
        self.assertEqual([path.name for path in self.home.iterdir() if path.name.endswith(".part")], [])

    def test_a_full_disk_leaves_the_old_file(self):
        for ending in ("jsonl", "csv", "mcap"):
            old = self.home / f"old.{ending}"
            old.write_text("mine")
            done = subprocess.run(["sh", "-c", 'trap "" XFSZ; ulimit -f 1; exec "$0" convert "$@" --overwrite', clashd.CLASHCTL, DUEL, old],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("File too large", done.stderr)
            self.assertEqual(old.read_text(), "mine")
            self.assertEqual([path.name for path in self.home.iterdir() if path.name.endswith(".part")], [])

    def test_a_signal_leaves_the_old_file(self):
        """While it waits for more of its input."""
        old = self.home / "old.jsonl"
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            old.write_text("mine")
            process = subprocess.Popen([clashd.CLASHCTL, "convert", "-", old, "--overwrite"], stdin=subprocess.PIPE)
            process.stdin.write(DUEL.read_bytes())
            process.stdin.flush()
            while not list(self.home.glob("*.part")):
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=clashd.WAIT_S), -number)
            process.stdin.close()
            self.assertEqual((old.read_text(), list(self.home.glob("*.part"))), ("mine", []))

    def test_what_is_not_overwritten(self):
        (self.home / "folder.jsonl").mkdir()
        (self.home / "mine.jsonl").write_text("mine")
        (self.home / "link.jsonl").symlink_to(self.home / "mine.jsonl")
        for name, part in (("folder.jsonl", "it is a directory"), ("link.jsonl", "it is a link"), ("none/x.jsonl", "No such file")):
            self.assertIn(part, self.ctl("convert", DUEL, self.home / name, "--overwrite", code=2)[1])
        self.assertEqual((self.home / "mine.jsonl").read_text(), "mine")

    def test_one_mode_for_all_that_is_made_of_motions(self):
        """Only the user can read them, whatever the umask and whatever the old file's mode was."""
        made = [self.home / f"new.{ending}" for ending in ("jsonl", "jsonl.zst", "csv", "mcap")]
        commands = [("convert", DUEL, path) for path in made]
        commands += [("cut", DUEL, self.home / "piece.jsonl", "--from", "1", "--to", "2"),
                     ("detect", "--summary", DUEL, "--results", self.home / "found.jsonl")]
        commands += [("convert", DUEL, path, "--overwrite") for path in made]
        before = os.umask(0)
        self.addCleanup(os.umask, before)
        for words in commands:
            path = self.home / words[-1] if words[0] == "detect" else words[2]
            if "--overwrite" in words:
                path.chmod(0o666)
            self.ctl(*words)
            self.assertEqual(path.stat().st_mode & 0o777, 0o600, words)


if __name__ == "__main__":
    unittest.main()
