"""Scripted crossings of two blades: a closed form of time, so that when and where they truly touch can be searched for
in the script itself. Every crossing carries the blades fully through each other exactly once and parks them apart;
between crossings they go round each other at a distance.

A script starts and ends at REST. Its times are seconds from its start."""
import math
import random

from monado_rigid import (Blade, Motion, add, cross, dot, first_passing, gap, length, lerp, quat_from_turn,
                          quat_multiply, quat_unit, rotate, scale, subtract, unit)

LEFT, RIGHT = 0, 1
BLADE = Blade((0.0, 0.0, -0.05), (0.0, 0.0, -1.0), 0.015)
TOUCH = 2.0 * BLADE.radius
LET_GO = TOUCH + 0.005
PARKED = 0.06  # least distance at the ends of a crossing, m
ROUND = 0.12  # and in the middle of the way to the next
WAY_S = 0.3
SLOW = 1.0  # m/s; the midpoint of slower crossings is measured, and moves no faster than this itself
FORWARD = (0.0, 0.0, 0.0, 1.0)
REST = ((FORWARD, (-0.6, 1.2, -0.3)), (FORWARD, (0.6, 1.2, -0.3)))
KINDS = ("push", "swing", "twist", "parallel")


class Stroke:
    """One hand's part in a crossing: rigid motion at a constant rate, in eased time."""

    def __init__(self, pose, velocity, turn_rate):
        self.pose, self.velocity, self.turn_rate = pose, velocity, turn_rate

    def at(self, eased):
        orientation = quat_multiply(quat_from_turn(scale(self.turn_rate, eased)), self.pose[0])
        return (orientation, add(self.pose[1], scale(self.velocity, eased)))


def ease(time, steady):
    """time itself while |time| < steady, then over the same time to a stop at 1.5 times steady."""
    size = abs(time)
    if size <= steady:
        return time
    late = min(size - steady, steady)
    return math.copysign(steady + late - 0.5 * late * late / steady, time)


class Crossing:
    """Two strokes and the stretch of the script in which they take place."""

    def __init__(self, kind, speed, steady, strokes):
        self.kind, self.speed, self.steady, self.strokes = kind, speed, steady, strokes
        self.duration = 4.0 * steady
        self.start = 0.0  # of the script
        self.touch = self.midpoint = self.distance = None  # time in the script and place of the first contact
        self.let_go = None
        self.midpoint_speed = None

    def poses(self, time):
        """Both hands' poses; time from the start of the crossing."""
        eased = ease(time - 2.0 * self.steady, self.steady)
        return self.strokes[LEFT].at(eased), self.strokes[RIGHT].at(eased)

    def distance_at(self, time):
        return gap_of(self.poses(time))[0]

    def passes_once(self):
        """Whether the blades are parked at both ends and touch exactly once in between; finds when and where."""
        if min(self.distance_at(0.0), self.distance_at(self.duration)) < PARKED:
            return False
        top_speed = sum(length(stroke.velocity) + length(stroke.turn_rate) * BLADE.reach for stroke in self.strokes)
        touch = first_passing(self.distance_at, 0.0, self.duration, TOUCH, top_speed, falling=True)
        if touch is None:
            return False
        # Leaves with room to spare, and stays away with room to spare: one contact for any sampling of it.
        let_go = first_passing(self.distance_at, touch, self.duration, LET_GO, top_speed, falling=False)
        clear = first_passing(self.distance_at, touch, self.duration, PARKED - 0.005, top_speed, falling=False)
        if let_go is None or clear is None or clear - let_go > 2.0 * self.steady:
            return False
        if first_passing(self.distance_at, clear, self.duration, PARKED - 0.01, top_speed, falling=True) is not None:
            return False
        self.touch, self.let_go = touch, let_go
        self.distance, self.midpoint = middle_of(self.poses(touch))
        later = middle_of(self.poses(touch + 1e-5))[1]
        self.midpoint_speed = length(subtract(later, self.midpoint)) / 1e-5
        return self.speed >= SLOW or self.midpoint_speed < SLOW


def gap_of(poses):
    return gap(BLADE, poses[LEFT], BLADE, poses[RIGHT])


def middle_of(poses):
    distance, on_left, on_right = gap_of(poses)
    return distance, lerp(on_left, on_right, 0.5)


def between(poses):
    """Unit vector from the right blade to the left one where they are nearest."""
    _, on_left, on_right = gap_of(poses)
    return unit(subtract(on_left, on_right))


def random_unit(dice):
    while True:
        v = (dice.uniform(-1, 1), dice.uniform(-1, 1), dice.uniform(-1, 1))
        if 0.1 < length(v) <= 1.0:
            return unit(v)


def pointing(direction, dice):
    """An orientation whose -z is `direction`, rolled at random."""
    forward = (0.0, 0.0, -1.0)
    axis = cross(forward, direction)
    if length(axis) < 1e-6:
        axis = (0.0, 1.0, 0.0)
    turn = scale(unit(axis), math.acos(max(-1.0, min(1.0, dot(forward, direction)))))
    roll = quat_from_turn((0.0, 0.0, dice.uniform(-math.pi, math.pi)))
    return quat_unit(quat_multiply(quat_from_turn(turn), roll))


def propose(kind, speed, dice):
    """A crossing whose axes meet at its middle, at `speed` between the two points that meet."""
    place_of_it = (dice.uniform(-0.3, 0.3), dice.uniform(0.9, 1.6), dice.uniform(-0.9, -0.4))
    left = random_unit(dice)
    normal = unit(cross(left, random_unit(dice)))
    angle = dice.uniform(0.05, 0.17) if kind == "parallel" else dice.uniform(0.35, 0.5 * math.pi)
    right = rotate(quat_from_turn(scale(normal, angle)), left)
    tilt = dice.uniform(0.0, 0.5 if speed < SLOW else 0.8)
    aside = rotate(quat_from_turn(scale(normal, dice.uniform(-math.pi, math.pi))), left)
    way = add(scale(normal, math.cos(tilt)), scale(aside, math.sin(tilt)))
    share = dice.choice((0.0, 0.5, 1.0, dice.uniform(0.0, 1.0)))
    strokes = []
    for direction, part in ((left, share), (right, share - 1.0)):
        reach = dice.uniform(0.35, 0.95)
        lever = scale(direction, reach)
        at_point = scale(way, speed * part)
        turn_rate = (0.0, 0.0, 0.0)
        if kind == "swing":
            # The wrist stays where it is: all of the motion across the blade comes from the turn.
            turn_rate = scale(cross(lever, at_point), 1.0 / dot(lever, lever))
        elif kind == "twist":
            turn_rate = scale(random_unit(dice), dice.uniform(0.2, 1.5) * speed)
        velocity = subtract(at_point, cross(turn_rate, lever))
        strokes.append(Stroke((pointing(direction, dice), subtract(place_of_it, lever)), velocity, turn_rate))
    return Crossing(kind, speed, (0.06 if speed < SLOW else 0.1 + 0.02 * speed) / speed, strokes)


class Way:
    """From the poses at the end of one crossing to those at the start of the next, round each other."""

    def __init__(self, start, end, dice):
        self.motions = [Motion(start[hand], end[hand]) for hand in (LEFT, RIGHT)]
        self.sides = (between(start), between(end))
        self.detour = scale(random_unit(dice), dice.uniform(0.0, 0.5))
        self.duration = WAY_S

    def poses(self, time):
        part = min(1.0, max(0.0, time / self.duration))
        smooth = part * part * (3.0 - 2.0 * part)
        bulge = math.sin(math.pi * part) ** 2
        aside = scale(add(lerp(*self.sides, smooth), self.detour), 0.7 * bulge)
        poses = []
        for motion, sign in zip(self.motions, (1.0, -1.0)):
            orientation, position = motion.at(smooth)
            poses.append((orientation, add(position, scale(aside, sign))))
        return tuple(poses)

    def keeps_apart(self, steps=240):
        for step in range(steps + 1):
            part = step / steps
            needed = ROUND if 0.3 < part < 0.7 else PARKED - 0.01
            if gap_of(self.poses(part * self.duration))[0] < needed:
                return False
        return True


class Script:
    """`count` crossings, speeds spread evenly in their logarithm over [slowest, fastest], in random order."""

    def __init__(self, seed, count, slowest=0.1, fastest=10.0, start_rest_s=0.2):
        dice = random.Random(seed)
        speeds = [slowest * (fastest / slowest) ** (index / max(1, count - 1)) for index in range(count)]
        dice.shuffle(speeds)
        self.crossings = []
        self.stretches = []  # (start, end, what gives the poses from its start on)
        self.duration = start_rest_s
        poses = REST
        for index, speed in enumerate(speeds):
            way, crossing = self._next(poses, KINDS[index % len(KINDS)], speed, dice)
            self._append(way)
            crossing.start = self.duration
            self._append(crossing)
            crossing.touch += crossing.start
            crossing.let_go += crossing.start
            self.crossings.append(crossing)
            poses = crossing.poses(crossing.duration)
        self._append(next(way for way in (Way(poses, REST, dice) for _ in range(100000)) if way.keeps_apart()))
        self._last = 0

    def _next(self, poses, kind, speed, dice):
        while True:
            crossing = propose(kind, speed, dice)
            if not crossing.passes_once():
                continue
            for _ in range(4):
                way = Way(poses, crossing.poses(0.0), dice)
                if way.keeps_apart():
                    return way, crossing

    def _append(self, what):
        self.stretches.append((self.duration, self.duration + what.duration, what))
        self.duration += what.duration

    def poses(self, time):
        """Both hands' poses; REST before the start and after the end. Quick for times that go forward."""
        if time < self.stretches[0][0] or time >= self.duration:
            return REST
        index = self._last
        if time < self.stretches[index][0]:
            index = 0
        while time >= self.stretches[index][1]:
            index += 1
        self._last = index
        start, _, what = self.stretches[index]
        return what.poses(time - start)


class Losing(Script):
    """The same, while the right hand is not tracked for a quarter of the time."""

    def loses(self, time):
        return 0.0 < time < self.duration and time % 1.0 > 0.75
