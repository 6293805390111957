"""clashctl play: the clashes of a recording as plain lines in a pipe; on a terminal a line with where it is, keys, and the
terminal as it was on every way out."""
import json
import signal
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
from terminal import Terminal  # noqa: E402

DUEL = clashd.DATA / "duel-20s.jsonl"


class Play(clashd.TestCase):
    def test_in_a_pipe_it_is_lines(self):
        done = clashd.clashctl("play", DUEL, "--speed", "max", "--json", home=self.home)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.splitlines(), clashd.detect(DUEL, home=self.home))
        plain = clashd.clashctl("play", DUEL, "--speed", "max", home=self.home)
        self.assertNotIn("\x1b", plain.stdout + plain.stderr)
        self.assertRegex(plain.stderr, r"^ +time +what +who .*closing.*\n$")
        found = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(sum(" clash " in line for line in plain.stdout.splitlines()),
                         sum(message["type"] == "clash" for message in found))

    def start(self, *words):
        terminal = Terminal(clashd.CLASHCTL, "play", DUEL, *words, env=clashd.environment(self.home))
        return terminal

    def wait_for_place(self, terminal, seen, wanted):
        """Until it shows one of these seconds, in what came after `seen`."""
        places = [b" 0:%02d / 0:19" % second for second in wanted]
        terminal.wait_for(lambda shown: any(place in shown[seen:] for place in places))

    def test_keys(self):
        """Slowed down, so that where it is told by the keys and not by how soon they are taken."""
        with self.start("--speed", "0.02") as terminal:
            terminal.wait_for(lambda shown: b"running" in shown)
            self.assertNotEqual(terminal.modes()[3], terminal.modes_before[3])
            terminal.type(b" ")
            terminal.wait_for(lambda shown: b"paused" in shown)
            terminal.type(b"\x1b[C\x1b[C")
            self.wait_for_place(terminal, 0, (10, 11, 12))
            seen = len(terminal.shown)
            terminal.type(b"\x1b[D")
            self.wait_for_place(terminal, seen, (5, 6, 7))
            terminal.type(b".xyz")
            terminal.type(b"q")
            self.assertEqual(terminal.wait(), 0)
            self.assertEqual(terminal.modes(), terminal.modes_before)
            self.assertTrue(terminal.shown.endswith(b"\r\x1b[K"), terminal.shown[-100:])

    def test_the_terminal_is_as_it_was_after_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.start() as terminal:
                terminal.wait_for(lambda shown: b"running" in shown)
                terminal.process.send_signal(number)
                self.assertEqual(terminal.wait(), -number)
                self.assertEqual(terminal.modes(), terminal.modes_before)

    def test_to_the_end(self):
        with self.start("--speed", "100") as terminal:
            self.assertEqual(terminal.wait(), 0)
            self.assertEqual(terminal.modes(), terminal.modes_before)
            self.assertIn(b" clash ", terminal.shown)

    def test_mistakes(self):
        for words, part in (((), "one recording"), (("none.jsonl",), "No such file"), ((DUEL, "--speed", "0"), "--speed"),
                            ((DUEL, "--set", "socket.path=x"), "contact.KEY")):
            done = clashd.clashctl("play", *words, home=self.home)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(part, done.stderr)


if __name__ == "__main__":
    unittest.main()
