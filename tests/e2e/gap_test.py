"""What is swept across when samples are missing: by each device's own rate, unless a number is given; and a recording says what
was in force."""
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import validate  # noqa: E402

MS = 1_000_000
BLADES = [{"name": name, "device": device, "base": base, "tip": tip, "radius": 0.01}
          for name, device, base, tip in (("left", "l", [0, 0, 0], [0, 0, -1]), ("right", "r", [-0.5, 0, 0], [0.5, 0, 0]))]
BY_RATE = {"max_gap_ms": 100, "gap_by_rate": True}


def strike(time_ms):
    """Waits 0.5 m above, and from 295 ms on falls at 20 m/s: it touches at 319 ms."""
    return max(-1.0, 0.5 - 0.02 * max(0, time_ms - 295))


class Gap(clashd.TestCase):
    def recording(self, rate_hz, missing_ms, contact):
        """Both sampled at that rate from 0 to 500 ms, but for what is missing."""
        header = {"type": "recording", "version": 1, "space": "stage", "blades": BLADES}
        lines = [header | ({"contact": contact} if contact is not None else {})]
        for i in range(int(0.5 * rate_hz)):
            time_ms = 1000 * i / rate_hz
            if missing_ms[0] < time_ms < missing_ms[1]:
                continue
            poses = [{"device": device, "position": position, "orientation": [0, 0, 0, 1], "tracked": True}
                     for device, position in (("l", [0, 1, 0]), ("r", [0, 1 + strike(time_ms), -0.5]))]
            lines.append({"type": "poses", "time_ns": round(time_ms * MS), "poses": poses})
        path = self.home / "gap.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        self.assertEqual(validate.check_text(path.read_text(), "recording"), [])
        return path

    def clashes(self, recording, *words):
        found = map(json.loads, clashd.detect(recording, *words, home=self.home))
        return [event for event in found if event["type"] == "clash"]

    def test_starved_for_80_ms_nothing_is_guessed(self):
        whole, = self.clashes(self.recording(500, (0, 0), BY_RATE))
        self.assertAlmostEqual(whole["time_ns"], 319 * MS, delta=0.1 * MS)
        starved = self.recording(500, (260, 340), BY_RATE)
        self.assertEqual(self.clashes(starved), [])
        asked, = self.clashes(starved, "--set", "contact.max_gap_ms=100")
        self.assertLess(asked["time_ns"], whole["time_ns"] - 10 * MS)
        self.assertLess(asked["closing_speed"], 0.7 * whole["closing_speed"])
        self.assertEqual(asked["interval_ns"], 80 * MS)
        self.assertTrue(asked["tracked"])
        silent, = self.clashes(self.recording(500, (260, 340), None))
        self.assertEqual(silent, asked | {"intensity": silent["intensity"]})

    def test_two_frames_may_be_missing(self):
        for rate_hz, frames in ((90, 2), (72, 2), (60, 2), (45, 2), (30, 2)):
            period_ms = 1000 / rate_hz
            first = int(319 / period_ms)  # the sample before the strike arrives
            for missing in (1, frames):
                clash, = self.clashes(self.recording(rate_hz, ((first - missing + 1 - 0.5) * period_ms, (first + 0.5) * period_ms),
                                                     BY_RATE))
                self.assertAlmostEqual(clash["interval_ns"], (missing + 1) * period_ms * MS, delta=2)
            three = self.recording(rate_hz, ((first - 2.5) * period_ms, (first + 0.5) * period_ms), BY_RATE)
            self.assertEqual([clash for clash in self.clashes(three) if clash["interval_ns"] > 1.5 * period_ms * MS], [])

    def test_a_number_counts_as_it_is(self):
        recording = self.recording(500, (310, 330), BY_RATE)
        self.assertEqual(len(self.clashes(recording)), 1)
        self.assertEqual(len(self.clashes(recording, "--set", "contact.max_gap_ms=19")), 0)
        settings = self.home / "settings.json"
        for value, count in ((10, 0), (25, 1), (None, 1)):
            settings.write_text(json.dumps({"contact": {"max_gap_ms": value}}))
            self.assertEqual(len(self.clashes(recording, "--config", settings)), count)
        settings.write_text("{}")
        starved = self.recording(500, (260, 340), None)
        self.assertEqual(len(self.clashes(starved, "--config", settings)), 1)
        self.assertEqual(len(self.clashes(starved, "--set", "contact.max_gap_ms=null")), 0)

    def pose_line(self, i, time_ns):
        poses = [{"device": "l", "position": [0, 1, 0], "orientation": [0, 0, 0, 1]},
                 {"device": "r", "position": [0, 1 + strike(200 + 4 * i), -0.5], "orientation": [0, 0, 0, 1]}]
        return json.dumps({"type": "poses", "id": 3, "time_ns": time_ns + 4 * MS * i, "poses": poses}).encode() + b"\n"

    def test_a_recording_says_what_was_in_force(self):
        """Of a live session: a client's own blades, and the poses of one of them stop for a while."""
        for contact, expected in ({}, {"max_gap_ms": 100, "gap_by_rate": True}), ({"max_gap_ms": 70}, {"max_gap_ms": 70}):
            settings, log = self.home / "settings.json", self.home / "live.jsonl"
            settings.write_text(json.dumps({"contact": contact}))
            log.unlink(missing_ok=True)
            with clashd.Daemon("--source", "none", "--config", settings, "--record", log, home=self.home) as daemon, \
                    daemon.connect() as client:
                for blade in BLADES:
                    client.request({"type": "blade", "id": 1, **blade, "name": f"my {blade['name']}"})
                time_ns = client.request({"type": "ping", "id": 2})["time_ns"] - 600 * MS
                client.send(b"".join(self.pose_line(i, time_ns) for i in range(100) if i < 30 or i >= 45))  # at once: late ones are refused
                for i in range(85):
                    self.assertEqual(client.read_until(lambda m: m.get("id") == 3)[-1]["type"], "ok")
            header = json.loads(log.read_text().splitlines()[0])
            self.assertEqual({key: header["contact"].get(key) for key in expected}, expected)
            self.assertEqual("gap_by_rate" in header["contact"], "gap_by_rate" in expected)
            self.assertEqual(validate.check_text(log.read_text(), "recording"), [])
            done = clashd.clashctl("verify", log, home=self.home)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("identical", done.stdout)


if __name__ == "__main__":
    unittest.main()
