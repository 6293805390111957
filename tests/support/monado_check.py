"""Holds what clashd reported against an exhaustive search over the poses that it recorded, and against the script that
the controllers followed. Raises AssertionError with the first thing that is wrong."""
import bisect
import json
import statistics
from dataclasses import dataclass, field

from monado_rigid import Blade, Motion, first_passing, gap, length, lerp, subtract
from monado_script import SLOW

AGREE_NS = 100_000
COARSE_NS = 100e6  # the straight way between samples further apart than this is not what was played
AGREE_M = 0.0001
STEADY_NS = 20_000_000
SCRIPT_MEDIAN_S = 0.002
SCRIPT_SLOW_M = 0.002
DEVICES = ("/user/hand/left", "/user/hand/right")


@dataclass
class Contact:
    start_ns: float
    midpoint: tuple
    distance: float
    end_ns: float = None  # None: still touching when its device was no longer followed


@dataclass
class Track:
    """A device's samples; `joined[i]`: the motion from sample i - 1 to sample i counts."""
    max_gap_ns: float
    times: list = field(default_factory=list)
    poses: list = field(default_factory=list)
    joined: list = field(default_factory=list)
    cut: bool = True

    def add(self, time_ns, pose):
        if self.times and time_ns <= self.times[-1]:
            raise AssertionError(f"recorded times do not go forward: {time_ns} after {self.times[-1]}")
        self.joined.append(not self.cut and time_ns - self.times[-1] <= self.max_gap_ns)
        self.times.append(time_ns)
        self.poses.append(pose)
        self.cut = False

    def moves_within(self, time_ns, length_ns):
        """Whether the pose before that time and the next one that is another are no further apart."""
        after = bisect.bisect_right(self.times, time_ns)
        before = after - 1
        while 0 <= before and after < len(self.times) and self.poses[after] == self.poses[before]:
            after += 1
        while 0 < before and self.poses[before - 1] == self.poses[before]:
            before -= 1
        return 0 <= before and after < len(self.times) and self.times[after] - self.times[before] <= length_ns

    def motions(self):
        for i in range(1, len(self.times)):
            if self.joined[i]:
                yield self.times[i - 1], self.times[i], Motion(self.poses[i - 1], self.poses[i])


class Recording:
    """What clashd wrote: the tracks of both hands, and the event lines."""

    def __init__(self, lines):
        self.header = json.loads(lines[0])
        assert self.header["type"] == "recording", lines[0]
        self.epoch_ns = int(self.header["epoch_monotonic_ns"])
        contact = self.header["contact"]
        blades = {blade["device"]: blade for blade in self.header["blades"]}
        self.blades = [Blade(blades[d]["base"], blades[d]["tip"], blades[d]["radius"]) for d in DEVICES]
        self.touch = sum(blade.radius for blade in self.blades) + contact["margin"]
        self.let_go = self.touch + contact["release_margin"]
        self.tracks = {device: Track(contact["max_gap_ms"] * 1e6) for device in DEVICES}
        self.events, self.event_lines = [], []
        for line in lines[1:]:
            self._take(line, json.loads(line))

    def _take(self, line, item):
        if item["type"] == "poses":
            for pose in item["poses"]:
                track = self.tracks[pose["device"]]
                if pose["tracked"] and pose.get("valid", True):
                    track.add(item["time_ns"], (tuple(pose["orientation"]), tuple(pose["position"])))
                else:
                    track.cut = True
            return
        if item["type"] == "space_changed" or (item["type"] == "tracking" and not item["tracked"]):
            for device, track in self.tracks.items():
                track.cut = track.cut or item.get("device", device) == device
        self.events.append(item)
        self.event_lines.append(line)

    def of_type(self, name):
        return [event for event in self.events if event["type"] == name]

    def is_steady(self, time_ns):
        """Whether a hand was seen to move within STEADY_NS about that time: on a busy machine the runtime, too, may know of
        nothing new for a while, and what clashd is told then is where the hands were before."""
        return any(track.moves_within(time_ns, STEADY_NS) for track in self.tracks.values())

    def has_gap(self, start_ns, end_ns):
        """Whether either device was without samples, for longer than max_gap_ms or COARSE_NS, at some instant of that time."""
        return any((not joined or after - before > COARSE_NS) and before < end_ns and after > start_ns
                   for track in self.tracks.values()
                   for before, after, joined in zip(track.times, track.times[1:], track.joined[1:]))


class Search:
    """The exhaustive search: every contact of the two blades along the recorded motions."""

    def __init__(self, recording):
        self.recording = recording
        self.contacts = []
        self.open = None
        self.reached_ns = None

    def run(self):
        first, second = (list(self.recording.tracks[device].motions()) for device in DEVICES)
        a = b = 0
        while a < len(first) and b < len(second):
            start_ns, end_ns = max(first[a][0], second[b][0]), min(first[a][1], second[b][1])
            if start_ns < end_ns:
                self._stretch(start_ns, end_ns, first[a], second[b])
            if first[a][1] <= second[b][1]:
                a, b = a + 1, b + (first[a][1] == second[b][1])
            else:
                b += 1
        return self.contacts

    def _stretch(self, start_ns, end_ns, *pair):
        if start_ns != self.reached_ns:
            self.open = None
        self.reached_ns = end_ns

        def middle(since_s):
            poses = [m.at((start_ns - since + since_s * 1e9) / (until - since)) for since, until, m in pair]
            return gap(self.recording.blades[0], poses[0], self.recording.blades[1], poses[1])

        speed = sum(motion.way(blade.reach) / ((until - since) * 1e-9)
                    for (since, until, motion), blade in zip(pair, self.recording.blades))
        length_s, now_s = (end_ns - start_ns) * 1e-9, 0.0
        while True:
            limit = self.recording.let_go if self.open else self.recording.touch
            found_s = first_passing(lambda t: middle(t)[0], now_s, length_s, limit, speed, falling=not self.open)
            if found_s is None:
                return
            now_s = found_s
            if self.open:
                self.open.end_ns = start_ns + now_s * 1e9
                self.open = None
            else:
                distance, on_left, on_right = middle(now_s)
                self.open = Contact(start_ns + now_s * 1e9, lerp(on_left, on_right, 0.5), distance)
                self.contacts.append(self.open)


@dataclass
class Agreement:
    """Greatest differences to the exhaustive search."""
    clashes: int = 0
    start_ns: float = 0.0
    midpoint: float = 0.0
    distance: float = 0.0
    end_ns: float = 0.0


def against_recording(recording):
    """Every contact of the recorded poses was reported, and nothing else, at the right time and place."""
    contacts = Search(recording).run()
    clashes, releases = recording.of_type("clash"), {event["id"]: event for event in recording.of_type("release")}
    for contact, clash in zip(contacts, clashes):
        if abs(contact.start_ns - clash["time_ns"]) > AGREE_NS:
            raise AssertionError(f"the recorded poses touch at {contact.start_ns * 1e-9:.6f} s, "
                                 f"the clash next in turn is at {clash['time_ns'] * 1e-9:.6f} s: {clash}")
    if len(contacts) != len(clashes):
        more = [c["time_ns"] for c in clashes[len(contacts):]] or [c.start_ns for c in contacts[len(clashes):]]
        raise AssertionError(f"the recorded poses touch {len(contacts)} times, {len(clashes)} clashes were reported; "
                             f"the first without a partner is at {more[0] * 1e-9:.6f} s")
    worst = Agreement(clashes=len(clashes))
    for contact, clash in zip(contacts, clashes):
        off = length(subtract(contact.midpoint, clash["midpoint"]))
        wrong = abs(contact.distance - clash["distance"])
        assert off <= AGREE_M, f"midpoint {off * 1000:.3f} mm from {contact.midpoint}: {clash}"
        assert wrong <= AGREE_M, f"distance {wrong * 1000:.3f} mm from {contact.distance}: {clash}"
        worst.start_ns = max(worst.start_ns, abs(contact.start_ns - clash["time_ns"]))
        worst.midpoint, worst.distance = max(worst.midpoint, off), max(worst.distance, wrong)
        release = releases.get(clash["id"])
        assert release or contact is contacts[-1], f"no release of {clash}"
        if release and contact.end_ns is not None:
            late = abs(contact.end_ns - release["time_ns"])
            assert late <= AGREE_NS, f"parts at {contact.end_ns * 1e-9:.6f} s: {release}"
            assert release["reason"] == "apart", f"parts, and is not cut: {release}"
            worst.end_ns = max(worst.end_ns, late)
        elif release:
            assert release["reason"] == "track_cut", f"is cut before it parts: {release}"
    return worst


@dataclass
class Played:
    """A script and when it began, by CLOCK_MONOTONIC."""
    script: object
    start_ns: int


class Starved(AssertionError):
    """The machine was so busy that too little was sampled to judge by. Says nothing of clashd: try again."""


def against_script(recording, played):
    """Every crossing that was sampled without a gap gave exactly one clash, and there is none beside them. Returns for each:
    (crossing, clash, seconds late, metres off)."""
    # A sample is seen up to a period after it was sent, and then some time passes; no two crossings are this close.
    late_s = 0.1
    pairs, excused = [], 0
    begin = played.start_ns - recording.epoch_ns
    clashes = [(clash, (clash["time_ns"] - begin) * 1e-9) for clash in recording.of_type("clash")]
    clashes = [(clash, at) for clash, at in clashes if -late_s <= at <= played.script.duration + late_s]
    taken = set()
    for crossing in played.script.crossings:
        found = [(clash, at) for clash, at in clashes
                 if crossing.start <= at <= crossing.start + crossing.duration + late_s]
        if len(found) != 1 and recording.has_gap(begin + crossing.start * 1e9, begin + (crossing.start + crossing.duration) * 1e9):
            excused += 1
            taken.update(clash["id"] for clash, _ in found)
            continue
        assert len(found) == 1, (f"the {crossing.kind} at {crossing.speed:.3f} m/s, {crossing.touch:.4f} s into the "
                                 f"script, gave {len(found)} clashes: {found}")
        clash, at = found[0]
        taken.add(clash["id"])
        pairs.append((crossing, clash, at - crossing.touch, length(subtract(crossing.midpoint, clash["midpoint"]))))
    # Within a gap clashd has the straight way from one sample to the next, on which blades may touch that did not.
    invented = [clash for clash, _ in clashes
                if clash["id"] not in taken and not recording.has_gap(clash["time_ns"] - 1, clash["time_ns"] + 1)]
    assert not invented, f"clashes outside all crossings: {invented[:3]}"
    if excused:
        print(f"{excused} crossings left out: the machine was so busy that nothing was sampled for longer than max_gap_ms.")
    if excused >= len(pairs):
        raise Starved(f"{excused} of {len(pairs) + excused} crossings had a gap in the samples")
    return pairs


def table(pairs):
    """Figures by speed, as text."""
    lines = ["     speed, m/s   crossings     time against the script, ms        midpoint, mm",
             "                               median  abs. median     worst     median     worst"]
    for low, high in ((0.0, 0.3), (0.3, SLOW), (SLOW, 3.0), (3.0, 100.0), (0.0, 100.0)):
        part = [(late * 1e3, off * 1e3) for crossing, _, late, off in pairs if low <= crossing.speed < high]
        if part:
            late, off = zip(*part)
            size = [abs(x) for x in late]
            name = "all" if high - low == 100.0 else f"{low:.1f} .. {min(high, 10.0):.1f}"
            lines.append(f"{name:>15}   {len(part):9d}   {statistics.median(late):+9.3f}   "
                         f"{statistics.median(size):9.3f}   {max(size):9.3f}  "
                         f"{statistics.median(off):9.4f} {max(off):9.4f}")
    return "\n".join(lines)


def judge_script(pairs):
    median = statistics.median(abs(late) for _, _, late, _ in pairs)
    assert median <= SCRIPT_MEDIAN_S, f"median time error {median * 1000:.3f} ms\n{table(pairs)}"
    far = [(off, crossing) for crossing, _, _, off in pairs if crossing.speed < SLOW and off > SCRIPT_SLOW_M]
    assert not far, "slow crossings whose midpoint is off: " + ", ".join(
        f"{off * 1000:.3f} mm at {crossing.speed:.3f} m/s" for off, crossing in far)
