"""How far what a unity_collider makes of itself reaches: Unity's rules as PROTOCOL.md has them, computed apart from clashd's code,
in doubles. For tests that must know whether a collider is refused because it reaches too far."""
import math

BOUND = 10000.0
BLADE_RADIUS = 1.0


def _turn(q, v):
    """v turned by q: v + 2w(u x v) + 2u x (u x v)."""
    *u, w = q
    once = _cross(u, v)
    twice = _cross(u, once)
    return [v[i] + 2 * w * once[i] + 2 * twice[i] for i in range(3)]


def _cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _multiply(p, q):
    x, y, z = (p[3] * q[i] + q[3] * p[i] + part for i, part in enumerate(_cross(p[:3], q[:3])))
    return [x, y, z, p[3] * q[3] - sum(a * b for a, b in zip(p[:3], q[:3]))]


def _place(transforms):
    """Transform.localToWorldMatrix by columns, its origin, Transform.rotation and lossyScale."""
    columns, origin, rotation = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 0], [0, 0, 0, 1]
    for transform in reversed(transforms):
        scale, q = transform.get("scale", [1, 1, 1]), transform.get("rotation", [0, 0, 0, 1])
        q = [part / math.hypot(*q) for part in q]

        def through(v):
            return _turn(q, [a * b for a, b in zip(v, scale)])
        columns, origin = [through(column) for column in columns], through(origin)
        origin = [a + b for a, b in zip(origin, transform.get("position", [0, 0, 0]))]
        x, y, z = (-1 if part < 0 else 1 for part in scale)
        rotation = _multiply(q, [rotation[0] * y * z, rotation[1] * x * z, rotation[2] * x * y, rotation[3]])
    lossy = [sum(a * b for a, b in zip(_turn(rotation, [i == 0, i == 1, i == 2]), columns[i])) for i in range(3)]
    return columns, origin, rotation, lossy


def _shares(collider, is_blade):
    """Everything that is bounded, as a share of its bound."""
    columns, origin, rotation, lossy = _place(collider.get("transforms", []))
    kind, center = collider["type"], collider.get("center", [0, 0, 0])

    def apply(point):
        return [sum(columns[j][i] * point[j] for j in range(3)) + origin[i] for i in range(3)]
    if kind == "mesh":
        return [part / BOUND for vertex in collider["vertices"] for part in apply(vertex)]
    if kind == "terrain":
        edges = [(collider[count] - 1) * spacing for count, spacing in zip(("columns", "rows"), collider["spacing"])]
        return [part / BOUND for part in (*origin, *edges)]
    place = apply(center)
    if kind == "box":
        return [part / BOUND for part in (*place, *(0.5 * size * scale for size, scale in zip(collider["size"], lossy)))]
    if kind == "sphere":
        longest = max(map(abs, lossy)) if collider.get("sphere_rule", "lossy_scale") == "lossy_scale" else max(
            math.hypot(*column) for column in columns)
        radius, half, along = abs(collider["radius"]) * longest, 0, 1
    else:
        along = int(collider.get("direction", 1))
        radius = abs(collider["radius"]) * max(abs(lossy[i]) for i in range(3) if i != along)
        half = max(0.5 * abs(collider["height"]) * abs(lossy[along]) - radius, 0)
    if not is_blade:
        return [part / BOUND for part in (*place, half, radius)]
    tip = _turn(rotation, [half if i == along else 0 for i in range(3)])
    return [radius / BLADE_RADIUS, *(part / BOUND for i in range(3) for part in (place[i] + tip[i], place[i] - tip[i]))]


def share(collider, is_blade):
    """Of what is allowed, what the collider needs at most: over 1 it is refused. Infinite where a double has no room."""
    try:
        shares = [abs(part) for part in _shares(collider, is_blade)]
    except OverflowError:
        return math.inf
    return math.inf if any(map(math.isnan, shares)) else max(shares)
