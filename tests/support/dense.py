"""Contacts of two blades by looking closely: between neighbouring samples the motion is interpolated (position straight,
orientation by slerp) and the distance looked at in fine steps. Shares nothing with libclash; slow, and simple."""
import collections
import json
import math

STEPS = 16
BISECTIONS = 40
DEVICES = ("/user/hand/left", "/user/hand/right")
# How far apart samples of a known rate are joined, by PROTOCOL.md: that many periods, the median of the last few, but not less than this.
JOINED_PERIODS = 3.5
JOINED_LEAST_NS = 40e6
PERIODS, PERIODS_LEAST = 7, 3


def subtract(a, b):
    return [x - y for x, y in zip(a, b)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def along(a, b, fraction):
    return [x + (y - x) * fraction for x, y in zip(a, b)]


def rotate(q, v):
    x, y, z, w = q
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2],
            v[2] + w * t[2] + x * t[1] - y * t[0]]


def slerp(a, b, fraction):
    a, b = ([x / math.sqrt(dot(q, q)) for x in q] for q in (a, b))
    cosine = dot(a, b)
    if cosine < 0:
        b, cosine = [-x for x in b], -cosine
    angle = math.acos(min(1.0, cosine))
    if angle < 1e-6:
        q = along(a, b, fraction)
    else:
        q = [(x * math.sin((1 - fraction) * angle) + y * math.sin(fraction * angle)) / math.sin(angle)
             for x, y in zip(a, b)]
    length = math.sqrt(dot(q, q))
    return [x / length for x in q]


def segment_distance(p0, p1, q0, q1):
    """Of two segments that are not parallel over their whole length: the inner minimum, or the best of the four ends."""
    def to_point(point, a, b):
        axis = subtract(b, a)
        length = dot(axis, axis)
        fraction = min(1.0, max(0.0, dot(subtract(point, a), axis) / length)) if length else 0.0
        return math.dist(point, along(a, b, fraction))
    best = min(to_point(p0, q0, q1), to_point(p1, q0, q1), to_point(q0, p0, p1), to_point(q1, p0, p1))
    u, v, w = subtract(p1, p0), subtract(q1, q0), subtract(p0, q0)
    a, b, c, d, e = dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w)
    denominator = a * c - b * b
    if denominator > 1e-12 * a * c:
        s, t = (b * e - c * d) / denominator, (a * e - b * d) / denominator
        if 0 <= s <= 1 and 0 <= t <= 1:
            best = min(best, math.dist(along(p0, p1, s), along(q0, q1, t)))
    return best


def distance(blades, before, after, fraction):
    """Between the two axes, `fraction` of the way from one pair of poses to the next."""
    ends = []
    for blade, a, b in zip(blades, before, after):
        orientation = slerp(a["orientation"], b["orientation"], fraction)
        origin = along(a["position"], b["position"], fraction)
        ends += [[x + y for x, y in zip(origin, rotate(orientation, blade[end]))] for end in ("base", "tip")]
    return segment_distance(*ends)


def crossing(blades, before, after, low, high, limit):
    """The fraction in low..high at which the distance passes the limit."""
    sign = distance(blades, before, after, low) > limit
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if (distance(blades, before, after, middle) > limit) == sign:
            low = middle
        else:
            high = middle
    return high


def usable(pose):
    return pose["tracked"] and pose.get("valid", True) and abs(dot(pose["orientation"], pose["orientation"]) - 1) < 0.02


class Search:
    def __init__(self, blades, contact):
        self.blades = blades
        self.start = sum(blade["radius"] for blade in blades) + contact["margin"]
        self.end = self.start + contact["release_margin"]
        self.gap_ns = contact["max_gap_ms"] * 1e6
        self.by_rate = contact.get("gap_by_rate", False)
        self.periods = collections.deque(maxlen=PERIODS)  # None for those that are no period, as the motion was cut
        self.last = None
        self.touching = False
        self.starts = []

    def cut(self):
        self.last = None
        self.touching = False

    def joined_ns(self):
        """How far apart two samples may be."""
        known = sorted(filter(None, self.periods)) if self.by_rate else []
        if len(known) < PERIODS_LEAST:
            return self.gap_ns
        return min(self.gap_ns, max(JOINED_LEAST_NS, JOINED_PERIODS * known[len(known) // 2]))

    def look(self, time_ns, poses):
        """The next pair of poses."""
        if self.last and time_ns - self.last[0] > self.joined_ns():
            self.cut()
        period_ns = time_ns - self.last[0] if self.last else None
        if period_ns:
            self.follow(time_ns, poses)
        if period_ns != 0:  # else they take the place of the last ones
            self.periods.append(period_ns)
        self.last = (time_ns, poses)

    def follow(self, time_ns, poses):
        since_ns, before = self.last
        for step in range(STEPS):
            low, high = step / STEPS, (step + 1) / STEPS
            # The very first instant of a track counts too: what touches there is a contact from there on.
            for fraction in (low, high) if step == 0 else (high,):
                now = distance(self.blades, before, poses, fraction)
                if self.touching and now > self.end:
                    self.touching = False
                elif not self.touching and now <= self.start:
                    self.touching = True
                    at = crossing(self.blades, before, poses, low, high, self.start) if fraction else 0.0
                    self.starts.append(since_ns + at * (time_ns - since_ns))


def contact_starts(lines):
    """Times (ns) at which contacts start in a recording that clashd wrote with both hands in every poses line."""
    header, search = None, None
    for line in map(json.loads, lines):
        if header is None:
            header = line
            blades = {blade["device"]: blade for blade in header["blades"]}
            search = Search([blades[device] for device in DEVICES], header["contact"])
        elif line["type"] == "poses":
            poses = {pose["device"]: pose for pose in line["poses"]}
            if all(device in poses and usable(poses[device]) for device in DEVICES):
                search.look(line["time_ns"], [poses[device] for device in DEVICES])
            else:
                search.cut()
        elif line["type"] == "space_changed" or (line["type"] == "tracking" and not line["tracked"]):
            search.cut()
    return search.starts
