"""What a soak test knows of the motion: the stand-in runtime's script `crossing` in closed form, against which every recorded
pose is held, and the contacts that those poses must have given, found by looking closely (dense.py)."""
import bisect
import json
import math

import dense

POSE_TOLERANCE_M = 1e-5


class Crossing:
    """Both hands' heights at a time of CLOCK_MONOTONIC, by the runtime's own log of when its sessions began."""

    def __init__(self, log):
        self.log = log
        self.begins = []

    def refresh(self):
        if self.log.exists():
            self.begins = [int(line.rsplit(" ", 1)[1]) for line in self.log.read_text().splitlines()
                           if " session begun at " in line]

    def heights(self, monotonic_ns):
        index = bisect.bisect_right(self.begins, monotonic_ns)
        if not index:
            return None
        phase = math.pi * (((monotonic_ns - self.begins[index - 1]) % (2 * 10**9)) / 1e9)
        return 1.2 + 0.25 * math.cos(phase), 1.2 - 0.25 * math.cos(phase)


class Search(dense.Search):
    """As its parent, but for what the height alone decides. Both blades are level, so their axes are never nearer than their
    heights, which change at a constant rate between two samples; and they always cross, so that is their distance."""
    CLEAR_M = 0.01

    def follow(self, time_ns, poses):
        before, after = (left["position"][1] - right["position"][1] for left, right in (self.last[1], poses))
        near, far = sorted((abs(before), abs(after)))
        if not self.touching and before * after > 0 and near > self.start + self.CLEAR_M:
            return
        if self.touching and far < self.end - self.CLEAR_M:
            return
        super().follow(time_ns, poses)


class Truth:
    """Takes in recordings, in their order; says which contacts there must have been and counts what is wrong with poses."""

    def __init__(self, crossing):
        self.crossing = crossing
        self.search = None
        self.poses = 0
        self.wrong = []
        self.gaps = []

    def read(self, lines):
        for number, text in enumerate(lines):
            line = json.loads(text)
            if number == 0:
                self.begin(line)
            elif line["type"] == "poses":
                self.look(line)
            elif line["type"] == "space_changed" or (
                    line["type"] == "tracking" and not line["tracked"] and line["device"] in dense.DEVICES):
                self.search.cut()
            elif line["type"] == "gap":
                self.gaps.append(line)

    def begin(self, header):
        self.epoch_ns = int(header["epoch_monotonic_ns"])
        if self.search is None:
            blades = {blade["device"]: blade for blade in header["blades"]}
            self.search = Search([blades[device] for device in dense.DEVICES], header["contact"])
        self.crossing.refresh()

    def look(self, line):
        poses = {pose["device"]: pose for pose in line["poses"]}
        if not any(device in poses for device in dense.DEVICES):
            return  # a client's
        if not all(device in poses and dense.usable(poses[device]) for device in dense.DEVICES):
            self.search.cut()
            return
        pair = [poses[device] for device in dense.DEVICES]
        self.hold_against_script(line["time_ns"], pair)
        self.search.look(line["time_ns"], pair)

    def hold_against_script(self, time_ns, pair):
        heights = self.crossing.heights(self.epoch_ns + time_ns)
        self.poses += 1
        if heights is None or any(abs(pose["position"][1] - height) > POSE_TOLERANCE_M for pose, height in zip(pair, heights)):
            self.wrong.append((time_ns, [pose["position"][1] for pose in pair], heights))
