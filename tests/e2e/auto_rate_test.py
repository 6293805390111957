"""The rate of clashd's own session that follows what can meet (openxr.rate_hz "auto") finds the contacts that the full rate finds, and
those that detect finds in what is played: both human recordings, through the loader and the stand-in runtime, by two clashds at
once. What is compared is where samples came as often as they were to come: a busy machine leaves some out, and then a contact
is no matter of the rate. CLASHD_LONG=1 plays all of the longer one."""
import json
import os
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402

MANIFEST = clashd.BUILD / "daemon" / "runtime" / "clash_runtime.json"
DATA = clashd.SOURCE / "tests" / "data"
HANDS = ("left", "right")
RADIUS_M = 0.01
# A contact is sure which is there also where both blades are thinner by this, and possible where they are thicker: the path from
# one sample of 11 ms to the next is cut short by less where they may meet.
SURE_M = 0.0015
REST_NS = 1.3e9 / 90  # as long apart as samples are while nothing can meet, and a little late
NEAR_NS = 3.5e9 / 500  # .. and while something can: between two recorded samples any of them lie on the same motion
AROUND_NS = 40e6
RATES = (500, "auto")


def settings(radius, rate="auto"):
    return {"blades": [{"name": hand, "device": f"/user/hand/{hand}", "base": [0, 0, 0], "tip": [0, 0, -1], "radius": radius}
                       for hand in HANDS],
            "contact": {"margin": 0.0, "release_margin": 0.005, "min_closing_speed": 0.0, "max_gap_ms": 100},
            "openxr": {"rate_hz": rate, "haptics": False}}


def contacts(lines, shift_ns=0):
    """[(start, end)] in the recording's times."""
    found, open_since = [], {}
    for line in map(json.loads, lines):
        if line["type"] == "clash":
            open_since[line["id"]] = line["time_ns"] + shift_ns
        elif line["type"] == "release" and line["id"] in open_since:
            found.append((open_since.pop(line["id"]), line["time_ns"] + shift_ns))
    return found


def overlap(contact, others):
    return any(start <= contact[1] and contact[0] <= end for start, end in others)


class AutoRate(clashd.TestCase):
    def config(self, name, value):
        path = self.home / f"{name}.json"
        path.write_text(json.dumps(value))
        return path

    def start(self, recording, rate):
        home = self.home / f"{recording.stem}-{rate}"
        home.mkdir()
        daemon = clashd.Daemon("--config", self.config(home.name, settings(RADIUS_M, rate)), "--record", home / "seen.jsonl", home=home, env={
            "XR_RUNTIME_JSON": MANIFEST, "CLASH_RUNTIME_RECORDING": recording, "CLASH_RUNTIME_LOOP": 0,
            "CLASH_RUNTIME_LOG": home / "runtime.log"})
        self.addCleanup(daemon.process.kill)
        return home, daemon

    def finish(self, recording, home, daemon):
        """The live contacts, and the times of the samples, both as the recording has them."""
        first_ns = next(json.loads(line)["time_ns"] for line in recording.read_text().splitlines() if '"poses"' in line)
        with daemon.connect() as client:
            client.subscribe(events=["tracking"], since_seq=0)
            gone = set()
            client.read_until(lambda m: m["type"] == "tracking" and not m["tracked"] and m["reason"] == "inactive" and
                              (gone.add(m["device"]) or len(gone) == 2), 2 * clashd.WAIT_S)
        self.assertEqual(daemon.stop(), 0, daemon.log)
        lines = (home / "seen.jsonl").read_text().splitlines()
        begun = next(int(line.rsplit(" ", 1)[1]) for line in (home / "runtime.log").read_text().splitlines() if "begun at" in line)
        shift = int(json.loads(lines[0])["epoch_monotonic_ns"]) - begun + first_ns  # it is played from its first sample on
        samples = [json.loads(line)["time_ns"] + shift for line in lines if line.startswith('{"type":"poses"')]
        return contacts(lines, shift), samples

    def has_all(self, contact, samples):
        """Whether samples came about its start as often as they were to."""
        around = [at for at in samples if abs(at - contact[0]) <= AROUND_NS]
        gaps = [after - before for before, after in zip(around, around[1:])]
        near = [after - before for before, after in zip(around, around[1:]) if before <= contact[0] <= after]
        return len(near) > 0 and max(gaps) <= REST_NS and max(near) <= NEAR_NS

    def play(self, *recordings):
        """All at once."""
        running = [(recording, rate, *self.start(recording, rate)) for recording in recordings for rate in RATES]
        found = {recording: {} for recording in recordings}
        for recording, rate, home, daemon in running:
            found[recording][rate] = self.finish(recording, home, daemon)
        return [self.judge(recording, found[recording]) for recording in recordings]

    def judge(self, recording, found):
        """How many of the contacts that were compared at both rates."""
        sure, possible = (contacts(clashd.detect(recording, "--config", self.config("limits", settings(RADIUS_M + by)), home=self.home))
                          for by in (-SURE_M, SURE_M))
        self.assertGreater(len(sure), 0)
        compared = [contact for contact in sure if all(self.has_all(contact, samples) for _, samples in found.values())]
        for rate, (live, samples) in found.items():
            missed = [contact for contact in compared if not overlap(contact, live)]
            self.assertEqual(missed, [], f"{recording.name} at rate {rate}: missed; found {live}")
            invented = [contact for contact in live if not overlap(contact, possible) and self.has_all(contact, samples)]
            self.assertEqual(invented, [], f"{recording.name} at rate {rate}: invented")
        per_second = [1e9 * (len(samples) - 1) / (samples[-1] - samples[0]) for _, samples in found.values()]
        print(f"{recording.name}: {len(compared)} of {len(sure)} sure contacts compared, {[len(live) for live, _ in found.values()]} found; "
              f"{per_second[0]:.0f} and {per_second[1]:.0f} samples a second: {100 * per_second[1] / per_second[0]:.0f} %", file=sys.stderr)
        if per_second[0] > 400:
            self.assertLess(per_second[1], 0.75 * per_second[0])
        return len(compared)

    def test_it_finds_the_same(self):
        lively, start = DATA / "duel-20s.jsonl", DATA / "duel-start-5s.jsonl"
        if not os.environ.get("CLASHD_LONG"):
            whole, lively = lively, self.home / "duel-part.jsonl"
            cut = clashd.clashctl("cut", whole, lively, "--from", "6", "--to", "12", home=self.home)
            self.assertEqual(cut.returncode, 0, cut.stderr)
        if sum(self.play(lively, start)) == 0:
            self.skipTest("this machine is too busy for 500 samples a second around any contact")


if __name__ == "__main__":
    if not MANIFEST.exists():
        print(f"skipped: {MANIFEST} has not been built")
        sys.exit(77)
    unittest.main()
