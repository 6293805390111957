"""The search that other tests hold clashd against (tests/support/dense.py) joins the samples that clashd joins, also where poses come late,
as on a busy machine: on a recording with frames missing both find the same contacts, be the gap that counts a number or by rate."""
import json
import math
import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import dense  # noqa: E402

SECONDS = 20
START_TOLERANCE_NS = 1e5
CONTACT = {"margin": 0, "release_margin": 0.005, "min_closing_speed": 0, "hold_rate_hz": 0, "require_tracked": True,
           "full_intensity_speed": 10, "intensity_curve": "linear"}


def times(hz, rng):
    """Of samples, ns: after each six to thirty of them some are missing."""
    at, left = 0.0, 8
    while at < SECONDS:
        yield round(at * 1e9)
        left -= 1
        at += 1 / hz
        if not left:
            at += rng.uniform(0.005, 0.14)
            left = rng.randrange(6, 31)


def recording(hz, contact, rng):
    """The left blade is held along -z, the right one, along x, goes up and down through it once a second."""
    yield {"type": "recording", "version": 1, "space": "stage", "contact": {**CONTACT, **contact}, "blades": [
        {"name": device.rsplit("/", 1)[1], "device": device, "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.02} for device in dense.DEVICES]}
    for time_ns in times(hz, rng):
        height = 1.2 + 0.3 * math.cos(2 * math.pi * time_ns * 1e-9)
        yield {"type": "poses", "time_ns": time_ns, "poses": [
            {"device": dense.DEVICES[0], "position": [0, 1.2, 0], "orientation": [0, 0, 0, 1], "tracked": True},
            {"device": dense.DEVICES[1], "position": [0.5, height, -0.5], "orientation": [0, math.sin(math.pi / 4), 0, math.cos(math.pi / 4)],
             "tracked": True}]}


class Dense(clashd.TestCase):
    def starts(self, hz, contact):
        """By both, of the same recording."""
        lines = [json.dumps(line) for line in recording(hz, contact, random.Random(hz))]
        file = self.home / "recording.jsonl"
        file.write_text("".join(f"{line}\n" for line in lines))
        events = map(json.loads, clashd.detect(file, home=self.home))
        found, expected = [event["time_ns"] for event in events if event["type"] == "clash"], dense.contact_starts(lines)
        self.assertEqual(len(found), len(expected), (found, expected))
        for found_ns, expected_ns in zip(found, expected):
            self.assertLess(abs(found_ns - expected_ns), START_TOLERANCE_NS)
        return found

    def test_late_samples(self):
        for hz in (200, 90, 72, 60, 45, 30):
            with self.subTest(hz):
                by_rate = self.starts(hz, {"max_gap_ms": 100, "gap_by_rate": True})
                by_number = self.starts(hz, {"max_gap_ms": 100})
                self.assertGreater(len(by_number), SECONDS)
                if hz >= 45:  # below it 3.5 periods are 100 ms
                    self.assertNotEqual(by_rate, by_number, "no gap that counts by rate alone")


if __name__ == "__main__":
    unittest.main()
