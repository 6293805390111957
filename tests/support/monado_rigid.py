"""Rigid motion and the distance of two blades in plain double-precision Python, and an exhaustive search for the times
at which that distance passes a limit. Shares nothing with libclash: the tests against a real runtime hold clashd to it.

Vectors and quaternions (x, y, z, w) are tuples; a pose is (quaternion, vector); metres, seconds, radians."""
import math

RESOLUTION_S = 2e-8  # width at which the search no longer divides: at 20 m/s, less than a micrometre


def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def subtract(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(a, factor):
    return (a[0] * factor, a[1] * factor, a[2] * factor)


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def length(a):
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


def unit(a):
    return scale(a, 1.0 / length(a))


def lerp(a, b, part):
    rest = 1.0 - part
    return (a[0] * rest + b[0] * part, a[1] * rest + b[1] * part, a[2] * rest + b[2] * part)


def quat_multiply(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)


def quat_unit(q):
    factor = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (q[0] * factor, q[1] * factor, q[2] * factor, q[3] * factor)


def quat_from_turn(turn):
    """From a rotation vector: axis times angle."""
    angle = length(turn)
    if angle < 1e-12:
        return quat_unit((0.5 * turn[0], 0.5 * turn[1], 0.5 * turn[2], 1.0))
    factor = math.sin(0.5 * angle) / angle
    return (turn[0] * factor, turn[1] * factor, turn[2] * factor, math.cos(0.5 * angle))


def quat_turn(a, b):
    """The rotation vector, in the world's axes, that takes a to b the short way round."""
    x, y, z, w = quat_multiply(b, (-a[0], -a[1], -a[2], a[3]))
    if w < 0.0:
        x, y, z, w = -x, -y, -z, -w
    sine = math.sqrt(x * x + y * y + z * z)
    factor = 2.0 * math.atan2(sine, w) / sine if sine > 1e-12 else 2.0
    return (x * factor, y * factor, z * factor)


def rotate(q, v):
    x, y, z, w = q
    tx, ty, tz = 2.0 * (y * v[2] - z * v[1]), 2.0 * (z * v[0] - x * v[2]), 2.0 * (x * v[1] - y * v[0])
    return (v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx)


def place(pose, point):
    """A point of the device, in the world."""
    return add(pose[1], rotate(pose[0], point))


class Motion:
    """From one pose to another in one unit of `part`: the position on a line, the orientation at a constant rate."""

    def __init__(self, start, end):
        self.start, self.end = start, end
        self.turn = quat_turn(start[0], end[0])

    def at(self, part):
        orientation = quat_multiply(quat_from_turn(scale(self.turn, part)), self.start[0])
        return (orientation, lerp(self.start[1], self.end[1], part))

    def way(self, reach):
        """No point within `reach` of the device's origin goes further than this."""
        return length(subtract(self.end[1], self.start[1])) + length(self.turn) * reach


def _on_segment(point, start, axis):
    """Part of the segment at which it is nearest to the point."""
    square = dot(axis, axis)
    return min(1.0, max(0.0, dot(subtract(point, start), axis) / square)) if square > 0.0 else 0.0


def closest(a0, a1, b0, b1):
    """(distance, point on a, point on b): the best of the four ends against the other segment and, where it lies within
    both, of the lines' common perpendicular."""
    axis_a, axis_b, between = subtract(a1, a0), subtract(b1, b0), subtract(b0, a0)
    candidates = [(0.0, _on_segment(a0, b0, axis_b)), (1.0, _on_segment(a1, b0, axis_b)),
                  (_on_segment(b0, a0, axis_a), 0.0), (_on_segment(b1, a0, axis_a), 1.0)]
    aa, ab, bb = dot(axis_a, axis_a), dot(axis_a, axis_b), dot(axis_b, axis_b)
    spread = aa * bb - ab * ab
    if spread > 1e-14 * aa * bb:
        ad, bd = dot(axis_a, between), dot(axis_b, between)
        s, t = (ad * bb - bd * ab) / spread, (ad * ab - bd * aa) / spread
        if 0.0 <= s <= 1.0 and 0.0 <= t <= 1.0:
            candidates.append((s, t))
    best = None
    for s, t in candidates:
        on_a, on_b = add(a0, scale(axis_a, s)), add(b0, scale(axis_b, t))
        distance = length(subtract(on_a, on_b))
        if best is None or distance < best[0]:
            best = (distance, on_a, on_b)
    return best


class Blade:
    """A capsule's axis in its device's frame."""

    def __init__(self, base, tip, radius):
        self.base, self.tip, self.radius = tuple(base), tuple(tip), radius
        self.reach = max(length(self.base), length(self.tip))

    def at(self, pose):
        return place(pose, self.base), place(pose, self.tip)


def gap(blade_a, pose_a, blade_b, pose_b):
    """What `closest` gives for two blades at two poses."""
    return closest(*blade_a.at(pose_a), *blade_b.at(pose_b))


def first_passing(function, start, end, limit, speed, falling):
    """Earliest time in [start, end] at which function(time) is at most the limit (falling) or above it (else), None
    where it never is. Exhaustive: a stretch is left out only where the function, which changes by no more than `speed`
    a second, cannot get there; what remains is halved down to RESOLUTION_S."""
    sign = 1.0 if falling else -1.0

    def excess(time):
        return sign * (function(time) - limit)

    if excess(start) <= 0.0 if falling else excess(start) < 0.0:
        return start
    open_stretches = [(start, end)]
    while open_stretches:
        low, high = open_stretches.pop()
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        here = excess(middle)
        if here > speed * half:
            continue
        if half <= RESOLUTION_S:
            if here <= 0.0:
                return middle
            continue
        open_stretches.append((middle, high))
        open_stretches.append((low, middle))
    return None
