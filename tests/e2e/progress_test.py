"""Long work shows how far it is on a terminal, takes that away at the end, and shows nothing in a pipe."""
import os
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
from terminal import Terminal  # noqa: E402

DUEL = clashd.DATA / "duel-20s.jsonl"
MARK = b'{"type":"mark","time_ns":0,"text":"of no matter to what is found"}\n'
ERASE = b"\r\x1b[K"


def screen(shown):
    """What a terminal would have of it: lines, each as it was drawn last."""
    lines = []
    for line in shown.replace(b"\r\n", b"\n").split(b"\n"):
        for part in line.split(b"\r"):
            current = part.replace(b"\x1b[K", b"")
        lines.append(current)
    return lines


class Progress(clashd.TestCase):
    def feed_slowly(self, terminal, fifo):
        """The recording through a pipe, no faster than progress is seen; returns what was shown before the end."""
        lines = DUEL.read_bytes().splitlines(keepends=True)
        with open(fifo, "wb") as out:
            out.writelines(lines[:-100])
            out.flush()
            while b" MB\x1b[K" not in terminal.shown:
                out.writelines(MARK for _ in range(40000))
                out.flush()
                terminal.read()
            before = terminal.shown
            out.writelines(lines[-100:])
        return before

    def run_slowly(self, *words, **how):
        fifo = self.home / "slow.jsonl"
        os.mkfifo(fifo)
        with Terminal(clashd.CLASHCTL, *[fifo if word is DUEL else word for word in words], **how) as terminal:
            before = self.feed_slowly(terminal, fifo)
            self.assertEqual(terminal.wait(), 0, terminal.shown)
        fifo.unlink()
        return before, terminal.shown

    def test_it_is_shown_and_taken_away(self):
        out = self.home / "detected"
        with open(out, "wb") as stdout:
            before, shown = self.run_slowly("detect", DUEL, streams="stderr", stdout=stdout)
        self.assertEqual(out.read_text().splitlines(), clashd.detect(DUEL, home=self.home))
        self.assertIn(b"\rdetect ", before)
        self.assertIn(ERASE, shown)
        last = [line for line in screen(shown) if line]
        self.assertEqual(len(last), 1, last)
        self.assertTrue(last[0].startswith(b"clashctl detect: "), last)

    def test_results_on_the_same_terminal_stay_whole(self):
        before, shown = self.run_slowly("info", DUEL)
        self.assertIn(b"\rinfo ", before)
        plain = subprocess.run([clashd.CLASHCTL, "info", DUEL], capture_output=True).stdout.splitlines()
        for start in (b"recording", b"contacts", b"duration"):
            found = [line for line in screen(shown) if line.startswith(start)]
            self.assertEqual(found, [line for line in plain if line.startswith(start)])
            self.assertEqual(len(found), 1)

    def test_share_of_a_large_file(self):
        large = self.home / "large.jsonl"
        # A field that nobody knows takes the long way through a line: there is time for a share to be shown.
        lines = DUEL.read_bytes().replace(b'{"type":"poses",', b'{"type":"poses","later":1,').splitlines(keepends=True)
        with open(large, "wb") as out:
            out.write(lines[0])
            for _ in range(60):
                out.writelines(lines[1:])
        with Terminal(clashd.CLASHCTL, "info", large) as terminal:
            self.assertEqual(terminal.wait(), 0, terminal.shown)
        if b"\rinfo [" not in terminal.shown:
            self.skipTest("this machine was done before anything had to be shown")
        self.assertRegex(terminal.shown, rb"\rinfo \[=*>? *\] +\d+ %")
        self.assertIn(ERASE, terminal.shown)

    def feed(self, fifo):
        with open(fifo, "wb") as out:
            out.write(DUEL.read_bytes())
            time.sleep(0.5)  # long enough for a line of progress
            out.writelines(MARK for _ in range(1000))

    def test_nothing_in_a_pipe_or_on_a_dumb_terminal(self):
        for command, how in (("info", {"streams": "stdout", "stderr": subprocess.DEVNULL}), ("info", {"term": "dumb"}),
                             ("detect", {})):  # whose results are there
            fifo = self.home / "slow.jsonl"
            os.mkfifo(fifo)
            with Terminal(clashd.CLASHCTL, command, fifo, **how) as terminal:
                feeder = threading.Thread(target=self.feed, args=(fifo,))
                feeder.start()
                self.assertEqual(terminal.wait(), 0, terminal.shown)
                feeder.join()
            fifo.unlink()
            self.assertNotIn(b"\x1b", terminal.shown)
            self.assertIn({"info": b"contacts ", "detect": b'"type":"clash"'}[command], terminal.shown)


if __name__ == "__main__":
    unittest.main()
