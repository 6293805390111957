"""The judge of the tests against Monado, on recordings whose right answer is known: it takes that and nothing else."""
import json
import random
import struct
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import monado_check
from monado_check import DEVICES, Played, Recording, Search
from monado_rigid import closest, first_passing, length, quat_from_turn, quat_turn, rotate, subtract
from monado_script import BLADE, LET_GO, TOUCH, Script, gap_of

EPOCH_NS = 5_000_000_000_000
PERIOD_NS = 2_000_000
LAG_NS = 700_000  # of what is sampled behind the script
FORWARD = (0.0, 0.0, 0.0, 1.0)


def single(number):
    return struct.unpack("f", struct.pack("f", number))[0]


def poses_line(time_ns, poses, tracked=(True, True)):
    return json.dumps({"type": "poses", "time_ns": time_ns, "poses": [
        {"device": device, "position": [single(x) for x in position], "orientation": [single(x) for x in orientation],
         "tracked": is_tracked} for device, (orientation, position), is_tracked in zip(DEVICES, poses, tracked)]})


def header():
    blades = [{"name": device[-5:], "device": device, "base": BLADE.base, "tip": BLADE.tip, "radius": BLADE.radius}
              for device in DEVICES]
    contact = {"margin": 0.0, "release_margin": LET_GO - TOUCH, "max_gap_ms": 100}
    return json.dumps({"type": "recording", "version": 1, "space": "stage", "epoch_monotonic_ns": str(EPOCH_NS),
                       "blades": blades, "contact": contact})


def with_events(lines):
    """The recording, with the clashes and releases that the search finds put to its end."""
    lines = list(lines)
    for number, contact in enumerate(Search(Recording(lines)).run(), 1):
        lines.append(json.dumps({"type": "clash", "id": number, "time_ns": round(contact.start_ns),
                                 "midpoint": contact.midpoint, "distance": contact.distance}))
        if contact.end_ns is not None:
            lines.append(json.dumps({"type": "release", "id": number, "time_ns": round(contact.end_ns),
                                     "reason": "apart"}))
    return lines


def passing(times_ns, speed=1.0, depth=0.1):
    """A level blade comes down on another one square to it, from `depth` above."""
    across = quat_from_turn((0.0, 1.5707963267948966, 0.0))
    below = (FORWARD, (0.0, 1.0, 0.5))
    return [header()] + [poses_line(t, (below, (across, (0.5, 1.0 + depth - speed * t * 1e-9, 0.0)))) for t in times_ns]


class Geometry(unittest.TestCase):
    def test_closest_points(self):
        dice = random.Random(1)

        def point():
            return tuple(dice.uniform(-1, 1) for _ in range(3))
        for _ in range(200):
            a0, a1, b0, b1 = point(), point(), point(), point()
            distance, on_a, on_b = closest(a0, a1, b0, b1)
            self.assertAlmostEqual(distance, length(subtract(on_a, on_b)), places=12)
            grid = min(length(subtract(tuple(x + (y - x) * i / 60 for x, y in zip(a0, a1)),
                                       tuple(x + (y - x) * j / 60 for x, y in zip(b0, b1))))
                       for i in range(61) for j in range(61))
            self.assertTrue(distance <= grid + 1e-12 and grid - distance < 0.05, (distance, grid))

    def test_closest_points_of_parallel_and_tiny_segments(self):
        self.assertAlmostEqual(closest((0, 0, 0), (0, 0, 1), (0.1, 0, 2), (0.1, 0, 0.5))[0], 0.1)
        self.assertAlmostEqual(closest((0, 0, 0), (0, 0, 1), (0, 0, 1.5), (0, 0, 3))[0], 0.5)
        self.assertAlmostEqual(closest((0, 0, 0), (0, 0, 0), (3, 4, 0), (3, 4, 0))[0], 5.0)

    def test_turns(self):
        start, turn = quat_from_turn((0.3, -0.2, 0.9)), (0.4, 1.1, -0.7)
        end = quat_from_turn(turn)
        self.assertAlmostEqual(length(subtract(quat_turn(FORWARD, end), turn)), 0.0)
        self.assertAlmostEqual(length(subtract(quat_turn(start, scale4(start, -1.0)), (0, 0, 0))), 0.0)
        quarter = quat_from_turn((0.0, 1.5707963267948966, 0.0))
        self.assertAlmostEqual(length(subtract(rotate(quarter, (0, 0, -1)), (-1, 0, 0))), 0.0)

    def test_first_passing_finds_what_is_narrow(self):
        def dip(time):
            return abs(time - 0.7310001)
        found = first_passing(dip, 0.0, 1.0, 1e-6, 1.0, falling=True)
        self.assertAlmostEqual(found, 0.7309991, delta=3e-8)
        self.assertIsNone(first_passing(dip, 0.8, 1.0, 1e-6, 1.0, falling=True))
        self.assertAlmostEqual(first_passing(dip, 0.7310001, 1.0, 0.2, 1.0, falling=False), 0.9310001, delta=3e-8)


def scale4(q, factor):
    return tuple(x * factor for x in q)


class Recorded(unittest.TestCase):
    def test_passing_blades_against_the_closed_form(self):
        times = range(0, 200_000_001, 10_000_000)
        (contact,) = Search(Recording(passing(times))).run()
        self.assertAlmostEqual(contact.start_ns, (0.1 - TOUCH) * 1e9, delta=200)
        self.assertAlmostEqual(contact.end_ns, (0.1 + LET_GO) * 1e9, delta=200)
        self.assertAlmostEqual(contact.distance, TOUCH, places=6)
        self.assertLess(length(subtract(contact.midpoint, (0.0, 1.0 + TOUCH / 2, 0.0))), 1e-6)

    def test_between_two_samples(self):
        (contact,) = Search(Recording(passing((0, 90_000_000), speed=5.0))).run()
        self.assertAlmostEqual(contact.start_ns, (0.1 - TOUCH) / 5 * 1e9, delta=200)

    def test_no_motion_across_a_cut(self):
        lost = json.dumps({"type": "tracking", "device": DEVICES[0], "tracked": False})
        other = json.dumps({"type": "tracking", "device": DEVICES[0], "tracked": True})
        moved = json.dumps({"type": "space_changed"})
        first, second, third = passing((0, 90_000_000), speed=5.0)
        untracked = poses_line(50_000_000, ((FORWARD, (0.0, 1.0, 0.5)), (FORWARD, (0.5, 1.0, 0.0))), (True, False))
        for between, contacts in ((lost, 0), (moved, 0), (untracked, 0), (other, 1)):
            self.assertEqual(len(Search(Recording([first, second, between, third])).run()), contacts, between)
        self.assertEqual(len(Search(Recording(passing((0, 110_000_000), speed=5.0))).run()), 0)


class Judged(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.script = Script(5, 12, slowest=0.3)
        begin = EPOCH_NS + 1_000_000_000
        cls.played = Played(cls.script, begin)
        lines = [header()]
        for time_ns in range(0, int(cls.script.duration * 1e9) + 2_000_000_000, PERIOD_NS):
            at = (EPOCH_NS + time_ns - LAG_NS - begin) * 1e-9
            lines.append(poses_line(time_ns, cls.script.poses(at)))
        cls.lines = with_events(lines)

    def judge(self, lines):
        recording = Recording(lines)
        worst = monado_check.against_recording(recording)
        pairs = monado_check.against_script(recording, self.played)
        monado_check.judge_script(pairs)
        return worst, pairs

    def changed(self, number, **changes):
        """The lines with the clash of that number changed."""
        result = []
        for line in self.lines:
            item = json.loads(line)
            if item["type"] == changes.get("of", "clash") and item["id"] == number:
                for key, change in changes.items():
                    if key != "of":
                        item[key] = change(item[key])
                line = json.dumps(item)
            result.append(line)
        return result

    def assert_refused(self, lines, why):
        with self.assertRaisesRegex(AssertionError, why):
            self.judge(lines)

    def test_accepts_what_is_right(self):
        worst, pairs = self.judge(self.lines)
        self.assertEqual((worst.clashes, len(pairs)), (12, 12))
        for _, _, late, _ in pairs:
            self.assertAlmostEqual(late, LAG_NS * 1e-9, delta=4e-4)

    def test_refuses_a_shift_in_time(self):
        self.judge(self.changed(4, time_ns=lambda t: t + 90_000))
        self.assert_refused(self.changed(4, time_ns=lambda t: t + 110_000), "the recorded poses touch at")
        self.assert_refused(self.changed(4, of="release", time_ns=lambda t: t - 110_000), "parts at")

    def test_refuses_a_shift_in_space(self):
        self.judge(self.changed(7, midpoint=lambda p: [p[0] + 0.00009, p[1], p[2]]))
        self.assert_refused(self.changed(7, midpoint=lambda p: [p[0] + 0.00011, p[1], p[2]]), "midpoint")
        self.assert_refused(self.changed(7, distance=lambda d: d - 0.00011), "distance")

    def test_refuses_a_missing_and_an_invented_clash(self):
        def is_clash(line, number):
            item = json.loads(line)
            return item["type"] == "clash" and item["id"] == number
        self.assert_refused([line for line in self.lines if not is_clash(line, 3)], "touch")
        last = next(line for line in self.lines if is_clash(line, 12))
        self.assert_refused(self.lines + [last.replace('"id": 12', '"id": 13')], "without a partner")

    def with_a_clash_outside_the_crossings(self, lines):
        recording = Recording(lines)
        invented = json.loads([line for line in self.lines if '"clash"' in line][0])
        invented.update(id=99, time_ns=1_050_000_000)
        recording.events.append(invented)
        return recording

    def test_refuses_a_clash_outside_the_crossings(self):
        recording = self.with_a_clash_outside_the_crossings(self.lines)
        with self.assertRaisesRegex(AssertionError, "outside all crossings"):
            monado_check.against_script(recording, self.played)

    def test_excuses_such_a_clash_where_nothing_was_sampled(self):
        lines = [line for line in self.lines if '"poses"' not in line or not 980e6 < json.loads(line)["time_ns"] < 1120e6]
        monado_check.against_script(self.with_a_clash_outside_the_crossings(lines), self.played)

    def test_refuses_what_lags_behind_the_script(self):
        recording = Recording(self.lines)
        with self.assertRaisesRegex(AssertionError, "median time error"):
            pairs = monado_check.against_script(recording, Played(self.script, self.played.start_ns - 2_000_000))
            monado_check.judge_script(pairs)


class Scripted(unittest.TestCase):
    def test_every_crossing_goes_through_once_and_parks_apart(self):
        script = Script(9, 24, slowest=0.3)
        step, at, episodes, touching, before = 5e-4, 0.0, 0, False, None
        while at < script.duration:
            poses = script.poses(at)
            distance = gap_of(poses)[0]
            if touching != (distance <= (LET_GO if touching else TOUCH)):
                touching = not touching
                episodes += touching
            if before:
                for hand in (0, 1):
                    self.assertLess(length(subtract(poses[hand][1], before[hand][1])), 20.0 * step, "a jump")
            before, at = poses, at + step
        self.assertEqual(episodes, 24)
        self.assertEqual({crossing.kind for crossing in script.crossings}, {"push", "swing", "twist", "parallel"})

    def test_the_touch_is_the_first_instant(self):
        for crossing in Script(11, 12).crossings:
            at = crossing.touch - crossing.start
            self.assertAlmostEqual(crossing.distance_at(at), TOUCH, delta=1e-5)
            for before in (1e-5, 1e-3, 0.25 * at, 0.5 * at, 0.75 * at):
                self.assertGreater(crossing.distance_at(at - before), TOUCH)


if __name__ == "__main__":
    unittest.main()
