"""A game, the layer and clashd's own session take the hands from one another, many times a second, beside processes that keep the
machine busy. All three see the same motion, that of the stand-in runtime's script, so every contact is known beforehand: none is lost by
a hand-over that both sides covered, and none is invented. CLASHD_LONG=1 makes 10,000 hand-overs."""
import bisect
import json
import math
import os
import random
import select
import subprocess
import sys
import time
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402

MANIFEST = clashd.BUILD / "daemon" / "runtime" / "clash_runtime.json"
HANDS = ["/user/hand/left", "/user/hand/right"]
SPEED = 4  # crossings a second
RADIUS_M = 0.005
RELEASE_M = 0.005
MAX_GAP_NS = 100e6
TIMEOUT_MS = 60
AHEAD_NS = {"game": 20_000_000, "layer": 0}
HAND_OVERS = 10_000 if os.environ.get("CLASHD_LONG") else 150
ROUNDED_NS = 1e3
# Between two samples hands go straight on, so a contact is the less the script's, the farther they are apart.
SHORT_NS, OFF_NS = 15e6, 1e5
LONG_NS, LONG_OFF_NS = 40e6, 3e6
AROUND_NS = 60e6  # what may be known of a contact lies no farther from it
SETTINGS = {"blades": [{"name": hand.rsplit("/", 1)[1], "device": hand, "base": [0, 0, 0], "tip": [0, 0, -1], "radius": RADIUS_M}
                       for hand in HANDS],
            "contact": {"margin": 0.0, "release_margin": RELEASE_M, "max_gap_ms": MAX_GAP_NS * 1e-6, "min_closing_speed": 0.0},
            "openxr": {"rate_hz": 500, "space": "stage", "haptics": False}, "socket": {"push_timeout_ms": TIMEOUT_MS}}
BURN = "while True: sum(range(1000))"


def pose(hand, at):
    """The script `crossing` (daemon/runtime/README.md), `at` seconds of it after the session's begin."""
    side = -1 if hand == 0 else 1
    half = side * math.radians(45 + 10 * math.sin(math.pi * at)) / 2
    return {"device": HANDS[hand], "position": [side * 0.35, 1.2 - side * 0.25 * math.cos(math.pi * at), -0.35],
            "orientation": [0, math.sin(half), 0, math.cos(half)]}


class Feeder:
    """A client that samples the hands 90 times a second while it is on."""

    def __init__(self, test, source, begun_ns):
        self.test, self.source, self.begun_ns = test, source, begun_ns
        self.is_on, self.is_feeding, self.client = False, False, None
        self.next_ns = time.monotonic_ns()
        self.sent = []  # times, of the session; None where it has been off

    def turn(self, chance):
        """Comes, or goes in one of three ways."""
        self.is_on = not self.is_on
        if self.is_on:
            self.next_ns = time.monotonic_ns()
            if not self.client:
                self.client = self.test.daemon.connect()
                self.client.socket.setblocking(False)
                self.epoch_ns = int(self.client.hello["epoch_monotonic_ns"])
            if not self.is_feeding:
                self.feed(HANDS)
            return
        self.sent.append(None)
        way = chance.choice(["ends", "closes", "falls silent"])
        if way == "ends":
            self.feed([])
        elif way == "closes":
            self.close()

    def feed(self, devices):
        self.send({"type": "feed", "id": "feed", "devices": devices, "space": "stage", "source": self.source})
        self.is_feeding = bool(devices)

    def close(self):
        if self.client:
            self.client.close()
        self.client, self.is_feeding = None, False

    def step(self, now_ns):
        if self.client:
            self.read()
        if not self.is_on or now_ns < self.next_ns:
            return
        self.next_ns = max(self.next_ns + 11_111_111, now_ns)
        time_ns = now_ns + AHEAD_NS[self.source]
        at = SPEED * (time_ns - self.begun_ns) * 1e-9
        self.sent.append(time_ns - self.epoch_ns)
        self.send({"type": "poses", "time_ns": self.sent[-1], "poses": [pose(hand, at) for hand in (0, 1)]})

    def send(self, message):
        self.client.socket.setblocking(True)
        self.client.send(message)
        self.client.socket.setblocking(False)

    def read(self):
        while select.select([self.client.socket], [], [], 0)[0]:
            line = json.loads(self.client.read_line())
            self.test.assertEqual(line["type"], "ok", line)


class Track:
    """A hand's samples as they were recorded: whole motions between cuts."""

    def __init__(self):
        self.times, self.parts, self.starts = [], [], []
        self.part = 0

    def add(self, time_ns, is_cut):
        self.part += is_cut or (bool(self.times) and time_ns - self.times[-1] > MAX_GAP_NS)
        if is_cut:
            self.starts.append(time_ns)
        self.times.append(time_ns)
        self.parts.append(self.part)

    def gap_ns(self, time_ns):
        """How long the motion is that has that time in it; None where there is none, or a cut is near."""
        index = bisect.bisect_right(self.times, time_ns)
        around = self.parts[max(index - 2, 0):index + 2]
        return self.times[index] - self.times[index - 1] if len(around) == 4 and len(set(around)) == 1 else None


@unittest.skipUnless(MANIFEST.exists(), "the stand-in runtime has not been built")
class HandOver(clashd.TestCase):
    def start(self):
        settings, self.recording, log = self.home / "settings.json", self.home / "recording.jsonl", self.home / "runtime.log"
        settings.write_text(json.dumps(SETTINGS))
        self.daemon = clashd.Daemon("--config", settings, "--record", self.recording, home=self.home, env={
            "XR_RUNTIME_JSON": MANIFEST, "CLASH_RUNTIME_SCRIPT": "crossing", "CLASH_RUNTIME_SPEED": SPEED, "CLASH_RUNTIME_LOG": log})
        self.addCleanup(self.daemon.process.kill)
        self.watcher = self.daemon.connect()
        self.addCleanup(self.watcher.close)
        self.watcher.subscribe(events=["clash", "space_changed"])
        self.watcher.read_until(lambda m: m["type"] == "clash")
        return next(int(line.rsplit(" ", 1)[1]) for line in log.read_text().splitlines() if "begun at" in line)

    def play(self, begun_ns, chance):
        """Turns, until there were that many hand-overs of both hands."""
        feeders = [Feeder(self, source, begun_ns) for source in ("layer", "game")]
        turn_ns = time.monotonic_ns()
        switches = Counter()
        source = "openxr"
        while sum(switches.values()) < HAND_OVERS:
            time.sleep(0.001)
            now_ns = time.monotonic_ns()
            if now_ns > turn_ns:
                chance.choice(feeders).turn(chance)
                turn_ns = now_ns + chance.randrange(10_000_000, 60_000_000)
            for feeder in feeders:
                feeder.step(now_ns)
            while select.select([self.watcher.socket], [], [], 0)[0]:
                line = self.watcher.read()
                if line["type"] == "space_changed":
                    switches[source, line["source"]] += 1
                    source = line["source"]
        for feeder in feeders:
            feeder.close()
        return feeders, switches

    def tracks(self, lines):
        """The hands' tracks, the clashes, and what began where another had ended before: (time, end before, source)."""
        tracks, clashes, begins = {hand: Track() for hand in HANDS}, [], []
        for line in map(json.loads, lines):
            if line["type"] == "clash":
                clashes.append(line["time_ns"])
            elif line["type"] == "tracking" and not line["tracked"]:
                tracks[line["device"]].part += 1
            for one in line["poses"] if line["type"] == "poses" else []:
                track, is_cut = tracks[one["device"]], bool(one.get("teleport"))
                # A cut without a source is not a hand-over: the feed's own samples are further apart than a track may have a gap.
                if is_cut and track.times and "source" in one:
                    begins.append((line["time_ns"], track.times[-1], one["source"]))
                track.add(line["time_ns"], is_cut)
        return tracks, clashes, begins

    def judge_begins(self, begins, feeders):
        """Each begins where the other ended, if it had a sample before that time and one after it, no further apart than a feed may be silent;
        clashd's own session, which samples all the time, always does, but where the machine held it up. How many began later."""
        later = Counter()
        for time_ns, ended_ns, source in begins:
            if time_ns <= ended_ns + ROUNDED_NS:
                continue
            later[source] += 1
            if source == "openxr":
                continue
            sent = next(feeder.sent for feeder in feeders if feeder.source == source)
            index = sent.index(time_ns)
            before = sent[index - 1] if index > 0 else None
            self.assertFalse(before and before <= ended_ns and time_ns - before <= TIMEOUT_MS * 1e6,
                             f"{source} begins at {time_ns} and has {before}, the one before ended at {ended_ns}")
        self.assertLessEqual(later["openxr"], 1 + len(begins) // 200, later)
        return sum(later.values())

    def judge(self, begun_ns, epoch_ns, tracks, clashes):
        """How many contacts were compared."""
        every = 1e9 / SPEED
        reach, apart = (math.asin(limit / 0.5) / math.pi * every for limit in (2 * RADIUS_M, 2 * RADIUS_M + RELEASE_M))
        first, last = max(track.times[0] for track in tracks.values()), min(track.times[-1] for track in tracks.values())
        number, known, explained = math.floor((first + epoch_ns - begun_ns) / every), 0, set()
        while (middle := begun_ns - epoch_ns + (number + 0.5) * every) < last - AROUND_NS:
            starts_ns, number = middle - reach, number + 1
            there = [at for at in clashes if abs(at - middle) < apart + AROUND_NS]
            gaps = [track.gap_ns(starts_ns) for track in tracks.values()]
            if None in gaps or max(gaps) > LONG_NS:
                explained.update(there)
                continue
            begin = [at for at in there if abs(at - starts_ns) < (OFF_NS if max(gaps) < SHORT_NS else LONG_OFF_NS)]
            self.assertEqual(len(begin), 1, f"contact {number} at {starts_ns}: {there}, gaps {gaps}")
            # What goes on after a cut is another contact, if the blades touch there.
            cuts = [at for track in tracks.values() for at in track.starts if abs(at - middle) < apart]
            explained.update(begin, (at for at in there if any(abs(at - cut) < OFF_NS for cut in cuts)))
            known += 1
        invented = [at for at in clashes if at not in explained and first < at < last - every]
        self.assertEqual(invented, [], f"of {clashes}")
        return known

    def test_nothing_is_lost_and_nothing_invented(self):
        seed = int(os.environ.get("CLASHD_SEED", random.randrange(1_000_000)))
        print(f"CLASHD_SEED={seed}", file=sys.stderr)
        begun_ns = self.start()
        burners = [subprocess.Popen([sys.executable, "-c", BURN]) for _ in range(os.cpu_count())]
        try:
            feeders, switches = self.play(begun_ns, random.Random(seed))
        finally:
            for burner in burners:
                burner.kill()
                burner.wait()
        epoch_ns = int(self.watcher.hello["epoch_monotonic_ns"])
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log)
        tracks, clashes, begins = self.tracks(self.recording.read_text().splitlines())
        later = self.judge_begins(begins, feeders)
        known = self.judge(begun_ns, epoch_ns, tracks, clashes)
        print(f"{sum(switches.values())} hand-overs {dict(switches)}, {later} of {len(begins)} of a hand began later than the one before had "
              f"ended; {len(clashes)} clashes, {known} contacts compared", file=sys.stderr)
        pairs = {(a, b) for a in ("openxr", "layer", "game") for b in ("openxr", "layer", "game") if a != b}
        self.assertEqual(pairs - set(switches), set(), "not all pairs")
        self.assertGreater(known, HAND_OVERS // 20)


if __name__ == "__main__":
    unittest.main()
