"""Golden logs: human swings, and a session recorded live on the stand-in runtime, with the events that were found in them
once. Every build finds these to the bit: in clashctl, in clashctl without AVX2, and in the daemon that replays them to a
client. CLASHD_GOLDEN=update writes the events of the swings anew."""
import json
import math
import os
import re
import statistics
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402

SWINGS = [clashd.DATA / f"{name}.jsonl" for name in ("duel-20s", "duel-start-5s")]
SESSION = clashd.DATA / "standin-10s.jsonl.zst"
EVENTS = ("clash", "hold", "release", "tracking", "space_changed")
# What is said since the session was recorded.
NEWER = re.compile(r',"(interval|since_release)_ns":[0-9]+')


def programs():
    return [program for program in (clashd.CLASHCTL, clashd.PORTABLE) if program.exists()]


class Golden(clashd.TestCase):
    def check_lines(self, found, expected, who):
        for number, (line, wanted) in enumerate(zip(found, expected)):
            self.assertEqual(line, wanted, f"{who}: event {number + 1}")
        self.assertEqual(len(found), len(expected), who)

    def replay(self, recording, *words):
        """The events that a client of the daemon gets."""
        with clashd.Daemon("--source", f"replay:{recording}", "--speed", "max", "--wait-for-client", "--exit-at-end", *words,
                           home=self.home) as daemon, daemon.connect() as client:
            client.subscribe()
            lines = client.read_all()
        self.assertEqual([line for line in lines if json.loads(line)["type"] not in EVENTS], [])
        return clashd.unsourced(lines)

    def test_human_swings(self):
        for recording in SWINGS:
            events = recording.with_suffix(".events")
            if os.environ.get("CLASHD_GOLDEN") == "update":
                events.write_text("".join(f"{line}\n" for line in clashd.detect(recording, home=self.home)))
            expected = events.read_text().splitlines()
            self.assertGreater(sum('"type":"clash"' in line for line in expected), 1)
            for program in programs():
                self.check_lines(clashd.detect(recording, home=self.home, program=program), expected, program.name)
            self.check_lines(self.replay(recording), expected, "clashd")

    def test_people_are_told_apart_by_intensity(self):
        """Not all sparks look the same: half of the swings are around the middle, hardly any at the end."""
        clashes = [event for event in map(json.loads, SWINGS[0].with_suffix(".events").read_text().splitlines())
                   if event["type"] == "clash"]
        intensities = sorted(clash["intensity"] for clash in clashes)
        self.assertTrue(0.4 <= statistics.median(intensities) <= 0.6, intensities)
        self.assertLess(sum(intensity == 1 for intensity in intensities), 0.05 * len(intensities))
        self.assertEqual(intensities, [clash["intensity"] for clash in sorted(clashes, key=lambda c: c["closing_speed"])])
        for clash in clashes:
            self.assertAlmostEqual(clash["intensity"], math.log1p(clash["closing_speed"] / 2) / math.log(101), delta=1e-6)

    def session(self):
        """The live session as text, and the events in it."""
        plain = self.home / "session.jsonl"
        self.assertEqual(clashd.clashctl("convert", SESSION, plain, home=self.home).returncode, 0)
        lines = plain.read_text().splitlines()
        return plain, [line for line in lines if json.loads(line)["type"] in EVENTS]

    def test_a_live_session(self):
        plain, expected = self.session()
        self.assertEqual(len(expected), 79)
        for program in programs():
            for recording in (SESSION, plain):
                done = clashd.clashctl("verify", recording, home=self.home, program=program)
                self.assertEqual(done.returncode, 0, f"{program.name}: {done.stdout}{done.stderr}")
                self.assertIn("79 events compared, 14 of them clashes; 1980 frames", done.stdout)
                self.assertIn("identical\n", done.stdout)

    def test_a_live_session_replayed_by_the_daemon(self):
        """What it sent live it sends again, with what is said since then, and that its source has ended, which the session
        lacks."""
        _, expected = self.session()
        again = self.home / "again.jsonl.zst"
        lines = self.replay(SESSION, "--record", again)
        self.assertEqual(len([line for line in lines if NEWER.search(line)]), 52)
        self.check_lines([NEWER.sub("", line) for line in lines[:len(expected)]], expected, "clashd")
        self.assertEqual([(message["type"], message["reason"]) for message in map(json.loads, lines[len(expected):])],
                         2 * [("tracking", "source_ended")])
        done = clashd.clashctl("verify", again, home=self.home)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("81 events compared", done.stdout)


if __name__ == "__main__":
    unittest.main()
