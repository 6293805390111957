"""clashctl detect --summary: a corpus of recordings, a line for each, which is what detect finds in it; what is wrong with one costs no
other; what was done stays done, however it ended. RECORDING.md's own lines, with GNU parallel. CLASHD_LONG=1: of a thousand recordings."""
import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import documents  # noqa: E402
import validate  # noqa: E402
from terminal import Terminal  # noqa: E402

DUEL = (clashd.DATA / "duel-20s.jsonl").read_text().splitlines(keepends=True)
COUNT = 1000 if os.environ.get("CLASHD_LONG") else 24


class Case(clashd.TestCase):
    def setUp(self):
        super().setUp()
        self.folder = self.home / "corpus"
        self.results = self.home / "results.jsonl"

    def make(self, count, frames=200):
        """Pieces of the duel, in folders of ten, some of them compressed."""
        names = []
        for i in range(count):
            name = self.folder / f"{i // 10:02}" / f"{i:04}.jsonl"
            name.parent.mkdir(parents=True, exist_ok=True)
            begin = 1 + i * 37 % (len(DUEL) - frames)
            name.write_text(DUEL[0] + "".join(DUEL[begin:begin + frames]))
            if i % 5 == 4 and shutil.which("zstd"):
                subprocess.run(["zstd", "-q", "--rm", name], check=True)
                name = name.with_suffix(".jsonl.zst")
            names.append(str(name))
        return names

    def many(self, *words, code=0, **options):
        done = clashd.clashctl("detect", "--summary", *words, home=self.home, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        self.said = done.stderr
        return self.lines(done.stdout)

    def lines(self, text):
        for line in text.splitlines():
            self.assertEqual(validate.check(line, "report"), [])
        self.assertTrue(not text or text.endswith("\n"))
        return [json.loads(line) for line in text.splitlines()]

    def written(self):
        return self.lines(self.results.read_text())

    def start(self, *words, **options):
        started = subprocess.Popen([clashd.CLASHCTL, "detect", "--summary", *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=clashd.environment(self.home), text=True, **options)
        self.addCleanup(started.wait)
        self.addCleanup(started.kill)
        self.addCleanup(lambda: [pipe.close() for pipe in (started.stdin, started.stdout, started.stderr) if pipe])
        return started

    def until(self, condition, what):
        end = time.monotonic() + clashd.WAIT_S
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.01)


class Lines(Case):
    def test_each_is_what_detect_finds(self):
        for name, line in zip(names := self.make(6), self.many(self.folder), strict=True):
            events = clashd.detect(name, home=self.home)
            found = [json.loads(event) for event in events]
            clashes = [event for event in found if event["type"] == "clash"]
            self.assertEqual((line["file"], line["result"], line["frames"]), (name, "done", 200))
            self.assertEqual(line["bytes"], os.path.getsize(name))
            self.assertEqual((line["events"], line["clashes"]), (len(events), len(clashes)))
            self.assertEqual(line.get("max_closing_speed"), max((clash["closing_speed"] for clash in clashes), default=None))
            self.assertEqual(line["events_sha256"], hashlib.sha256("".join(event + "\n" for event in events).encode()).hexdigest())
        self.assertIn("6 recordings done, 0 failed", self.said)
        self.assertEqual([line["file"] for line in self.many(*names[::-1])], names[::-1])

    def test_any_number_at_once_finds_the_same(self):
        self.make(12)
        one = self.many(self.folder)
        for jobs in (3, "max"):
            self.assertEqual(sorted(self.many(self.folder, "--jobs", jobs), key=lambda line: line["file"]), one)

    def test_settings_are_those_of_detect(self):
        name, = self.make(1)
        plain, = self.many(name)
        other, = self.many(name, "--set", "blades=[]")
        self.assertGreater(plain["contacts"], 0)
        self.assertEqual((other["contacts"], "settings_sha256" in plain), (0, False))
        self.assertEqual(len(other["settings_sha256"]), 64)

    def test_damage_is_counted(self):
        name, = self.make(1)
        Path(name).write_text("".join([*DUEL[:50], "rubbish\n", *DUEL[50:100], '{"type":"later"}\n', DUEL[100][:50]]))
        line, = self.many(name)
        self.assertEqual((line["damaged"], line["unknown"], line["torn"], line["frames"]), (1, 1, 1, 99))
        self.assertTrue(line["first_damage"].startswith("line 51: not JSON"))

    def test_folders_have_what_is_a_recording_by_its_name(self):
        names = self.make(2)
        (self.folder / "notes.txt").write_text("x")
        os.mkfifo(self.folder / "pipe.jsonl")
        (self.folder / "around").symlink_to(self.folder)
        (self.folder / "z.jsonl").symlink_to(names[0])
        mcap = self.folder / "y.mcap"
        self.assertEqual(clashd.clashctl("convert", names[0], mcap, home=self.home).returncode, 0)
        found = self.many(self.folder)
        self.assertEqual([line["file"] for line in found], [*names, str(mcap), str(self.folder / "z.jsonl")])
        self.assertEqual(found[-2]["events_sha256"], found[-1]["events_sha256"])


class Table(Case):
    def rows(self, text):
        """The rows as dictionaries; every column ends where its name does, and names of files begin where theirs does."""
        head, *rows = text.splitlines()
        names = ["clashes", "contacts", "max m/s", "seconds", "frames", "refused", "damaged"]
        ends = [head.index(name) + len(name) for name in names]
        begins = head.index("recording")
        found = []
        for row in rows:
            for end in ends:
                self.assertNotEqual(row[end - 1], " ", (head, row))
                self.assertEqual(row[end], " ", (head, row))
            self.assertNotEqual(row[begins], " ")
            found.append(dict(zip(names, row[:begins].split(), strict=True)) | {"file": row[begins:]})
        return found

    def table(self, *words, code=0):
        done = clashd.clashctl("detect", "--summary", *words, home=self.home)
        self.assertEqual(done.returncode, code, done.stderr)
        return self.rows(done.stdout)

    def test_its_numbers_are_those_of_the_lines(self):
        names = self.make(4, frames=900)
        Path(names[1]).write_text("".join([*DUEL[:50], "rubbish\n", DUEL[100][:50]]))
        lines, rows = self.many(self.folder), self.table(self.folder, "--table")
        for line, row in zip(lines, rows, strict=True):
            speed = line.get("max_closing_speed")
            self.assertEqual(row, {"clashes": str(line["clashes"]), "contacts": str(line["contacts"]),
                                   "max m/s": "-" if speed is None else f"{speed:.2f}", "seconds": f"{line['duration_ns'] * 1e-9:.1f}",
                                   "frames": str(line["frames"]), "refused": str(line["refused"]),
                                   "damaged": str(line["damaged"] + line["torn"]), "file": line["file"]})
        self.assertEqual((rows[1]["damaged"], rows[1]["max m/s"]), ("2", "-"))
        self.assertGreater(int(rows[0]["clashes"]), 0)

    def test_one_that_failed_has_a_row(self):
        names = self.make(2)
        strange = self.home / "a\x1b[2J\nb.jsonl"
        strange.write_text("no recording\n")
        rows = self.table(strange, *names, "--table", code=1)
        self.assertEqual([row["clashes"] == "failed" for row in rows], [True, False, False])
        self.assertEqual(rows[0]["file"], str(self.home) + "/a\\x1b[2J\\nb.jsonl")

    def on_terminal(self, *words):
        with Terminal(clashd.CLASHCTL, "detect", "--summary", *words, streams="stdout", env=clashd.environment(self.home),
                      stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as terminal:
            self.assertEqual(terminal.wait(), 0)
            return terminal.shown.decode().replace("\r\n", "\n")

    def test_a_terminal_gets_it_and_a_pipe_the_lines(self):
        name, = self.make(1)
        self.assertEqual([row["file"] for row in self.rows(self.on_terminal(name))], [name])
        self.assertEqual(self.lines(self.on_terminal(name, "--json")), self.many(name))
        self.assertEqual(self.on_terminal(name, "--results", self.results), "")
        self.assertEqual(self.written(), self.many(name, "--json"))

    def test_what_it_does_not_go_with(self):
        name, = self.make(1)
        for words, part in ((("--summary", "--table", "--results", self.results), "--table: not with --results"),
                            (("--table",), "--table: expected --summary"), (("--summary", "--table", "--csv"), "--csv")):
            done = clashd.clashctl("detect", name, *words, home=self.home)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(part, done.stderr)
        self.assertFalse(self.results.exists())


class Trouble(Case):
    def test_of_one_costs_no_other(self):
        names = self.make(5)
        Path(names[1]).write_text("no recording\n")
        Path(names[2]).write_text("")
        found = self.many(*names, self.home / "nowhere.jsonl", code=1)
        self.assertEqual([line["result"] for line in found], ["done", "failed", "failed", "done", "done", "failed"])
        self.assertIn("expected a header", found[1]["error"])
        self.assertIn(".bsor", found[1]["error"])
        self.assertIn("No such file", found[5]["error"])
        self.assertIn("3 recordings done, 3 failed", self.said)
        self.assertEqual(self.said.count("failed: "), 3)

    def test_a_process_that_is_killed_costs_its_recording(self):
        names = self.make(3)
        pipe = self.home / "waits.jsonl"
        os.mkfifo(pipe)
        started = self.start(names[0], pipe, *names[1:], "--jobs", 2)
        children = Path(f"/proc/{started.pid}/task/{started.pid}/children")
        lines = [started.stdout.readline() for _ in range(3)]
        os.kill(int(children.read_text().split()[0]), signal.SIGKILL)
        lines.append(started.stdout.readline())
        self.assertEqual(started.wait(clashd.WAIT_S), 1)
        found = {line["file"]: line for line in self.lines("".join(lines))}
        self.assertEqual(found[str(pipe)]["error"], "its process was ended by signal 9 (Killed)")
        self.assertEqual([found[name]["result"] for name in names], ["done"] * 3)

    def test_who_ignores_its_children_is_told_the_same(self):
        """As some that start programs do: the exit status of a child is then nobody's."""
        names = self.make(2)
        Path(names[0]).write_text("no recording\n")
        found = self.many(*names, code=1, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.assertEqual([line["result"] for line in found], ["failed", "done"])
        self.assertIn("1 recording done, 1 failed", self.said)

    def test_bad_usage_is_said_before_anything_is_done(self):
        name, = self.make(1)
        self.results.write_text("something\n")
        config = self.home / "bad.json"
        config.write_text('{"contact":{"margin":"x"}}')
        for words, said in (
                ([name, "--jobs", "0"], "--jobs"), ([name, "--resume"], "--results"), ([], "expected recordings"), ([name, "--csv"], "--csv"), (["-", "--list", "-"], "standard input"), ([name, "--results", "-"], "--results"),
                ([name, "--results", self.results], "--resume goes on"), ([name, "--config", config], "margin"),
                ([name, "--set", "contact.x=1"], "unknown key"), (["--list", self.home / "none"], "No such file"),
                ([name, "--results", self.results, "--resume"], "line 1 is none of"),
                ([name, "--results", self.home / "no" / "r.jsonl"], "No such file")):
            self.assertEqual(self.many(*words, code=2), [], words)
            self.assertIn(said, self.said)
        self.assertEqual(self.results.read_text(), "something\n")
        done = clashd.clashctl("detect", name, "--jobs", 2, home=self.home)
        self.assertEqual((done.returncode, "--summary" in done.stderr), (2, True))

    def test_a_full_disk_leaves_whole_lines(self):
        self.make(8)
        size = 1000
        done = clashd.clashctl("detect", "--summary", self.folder, "--jobs", 2, "--results", self.results, home=self.home, restore_signals=False,
                               preexec_fn=lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(str(self.results), done.stderr)
        self.assertTrue(0 < len(self.written()) < 8)
        self.many(self.folder, "--results", self.results, "--resume")
        self.assertEqual(len(self.written()), 8)


class Lists(Case):
    def test_a_line_comes_for_each_name_at_once(self):
        """As Spark's pipe has it: who writes the next name may wait for the line of the one before."""
        started = self.start("--list", "-", "--jobs", 4)
        for name in self.make(3):
            started.stdin.write(name + "\n")
            started.stdin.flush()
            self.assertEqual(self.lines(started.stdout.readline())[0]["file"], name)
        started.stdin.close()
        started.stdin = None
        self.assertEqual(started.wait(clashd.WAIT_S), 0)

    def test_of_any_shape(self):
        names = self.make(3)
        long = "x" * 5000
        text = f"\n{names[0]}\n\n\n{names[1]}\n{long}\n{self.folder}\n{names[2]}"
        found = self.many("--list", "-", code=1, input=text)
        self.assertEqual([line["file"] for line in found if line["result"] == "done"], [*names[:2], *names, names[2]])
        failed, = (line for line in found if line["result"] == "failed")
        self.assertTrue(long.startswith(failed["file"]) and "a name of more than" in failed["error"])


class Resumed(Case):
    def resume(self, *words, code=0):
        self.many(self.folder, "--results", self.results, "--resume", *words, code=code)
        return self.written()

    def test_after_any_end(self):
        """Ended by each signal while it waits for a pipe: what is done is not done again, and nothing is lost or doubled."""
        names = self.make(COUNT)
        expected = self.many(self.folder)
        pipe = self.home / "waits.jsonl"
        os.mkfifo(pipe)
        for i, kill in enumerate((signal.SIGTERM, signal.SIGINT, signal.SIGKILL), 1):
            started = self.start(*names[:5 * i], pipe, "--results", self.results, "--resume")
            self.until(lambda lines=5 * i: self.results.exists() and self.results.read_text().count("\n") == lines, "lines")
            started.send_signal(kill)
            self.assertEqual(started.wait(clashd.WAIT_S), -kill)
            self.assertEqual([line["file"] for line in self.written()], names[:5 * i])
        self.until(lambda: not self.is_locked(), "the lock is free")
        os.close(os.open(pipe, os.O_RDWR | os.O_NONBLOCK))  # whose reader nobody could end
        self.assertEqual(sorted(self.resume("--jobs", 2), key=lambda line: line["file"]), expected)
        self.assertEqual([line["file"] for line in self.written()[:15]], names[:15])
        self.assertIn(f"{len(names) - 15} recordings done, 0 failed; 15 left out", self.said)

    def is_locked(self):
        return clashd.clashctl("detect", "--summary", "--list", "/dev/null", "--results", self.results, "--resume", home=self.home).returncode != 0

    def test_what_is_torn_is_cut_off(self):
        self.make(3)
        whole = self.resume()
        self.results.write_bytes(self.results.read_bytes()[:-100])
        self.assertEqual(self.resume(), whole)

    def test_what_is_no_line_of_its_own_is_left_alone(self):
        """Somebody's file without a newline at its end, named by mistake."""
        self.make(1)
        for text in ('{"my":"notes"}', '{"type":"detected', "x", json.dumps(self.many(self.folder)[0]) + "\nnotes"):
            self.results.write_text(text)
            self.many(self.folder, "--results", self.results, "--resume", code=2)
            self.assertIn("none of detect --summary", self.said)
            self.assertEqual(self.results.read_text(), text)
        for text in ("", "{", '{"type":"detect",', "\0\0\0"):
            self.results.write_text(text)
            self.assertEqual(len(self.resume()), 1)

    def test_what_failed_or_changed_is_tried_again(self):
        names = self.make(3)
        text = Path(names[1]).read_text()
        Path(names[1]).write_text("x")
        self.assertEqual([line["result"] for line in self.resume(code=1)], ["done", "failed", "done"])
        Path(names[1]).write_text(text)
        Path(names[2]).write_text(text + DUEL[-1])
        self.assertEqual([line["file"] for line in self.resume()[3:]], names[1:])
        self.assertEqual(len(self.resume()), 5)

    def test_other_settings_and_versions_are_refused(self):
        self.make(1)
        self.resume()
        text = self.results.read_text()
        for words, changed, said in ((["--set", "contact.margin=0.1"], text, "other settings"),
                                     ([], text.replace('"version":"', '"version":"9'), "made by version 9")):
            self.results.write_text(changed)
            self.many(self.folder, "--results", self.results, "--resume", *words, code=2)
            self.assertIn(said, self.said)
            self.assertEqual(self.results.read_text(), changed)

    def test_one_process_at_a_time(self):
        self.make(1)
        started = self.start("--list", "-", "--results", self.results)
        self.until(self.results.exists, "the results")
        self.until(self.is_locked, "the lock")
        self.many(self.folder, "--results", self.results, "--resume", code=2)
        self.assertIn("another clashctl detect writes to it", self.said)
        started.stdin.close()
        started.stdin = None
        self.assertEqual(started.wait(clashd.WAIT_S), 0)

    def test_results_in_the_folder_are_no_recording(self):
        self.make(2)
        self.results = self.folder / "results.jsonl"
        self.assertEqual(len(self.resume()), 2)
        self.assertEqual(len(self.resume()), 2)


@unittest.skipUnless(shutil.which("parallel"), "GNU parallel is missing (Debian: parallel)")
class Document(Case):
    def run_line(self, line):
        """What it writes into found.jsonl, by the names."""
        path = f"{clashd.CLASHCTL.parent}:{os.environ['PATH']}"
        done = subprocess.run(["sh", "-c", line], cwd=self.home, env={**clashd.environment(self.home), "PATH": path}, capture_output=True, text=True,
                              timeout=10 * clashd.WAIT_S, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return sorted(self.lines((self.home / "found.jsonl").read_text()), key=lambda line: line["file"])

    def test_its_own_lines(self):
        self.make(COUNT)
        expected = self.many("corpus", cwd=self.home)
        journey = documents.Journey("e2e/detect_corpus")
        begins, goes_on = journey.lines("protocol/RECORDING.md", "--resume")
        self.assertEqual(self.run_line(begins), expected)
        self.assertEqual(self.run_line(goes_on), expected)
        for line in journey.lines("protocol/RECORDING.md", "parallel"):
            self.assertEqual(self.run_line(line), expected)
        journey.end()


if __name__ == "__main__":
    unittest.main()
