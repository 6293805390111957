"""Lines that a client should not send, and lines that it may send and nobody would: garbage, torn and mistaken messages, and
every kind of request with its numbers at and around their bounds. The same seed gives the same lines."""
import json
import random

# Zero of both signs, the least float, what rounds away, bounds and their neighbours, what no float holds.
NUMBERS = (0.0, -0.0, 1e-45, 1e-9, 0.001, 0.5, 1.0, 10.0, 99.9, 100.0, 999.0, 1000.0, 1001.0, 9999.0, 10000.0, 10001.0, 1e6,
           1e15, 1e20, 3e38, 1e39)
DEVICES = 40  # that one client takes turns with
BROKEN = (b"", b"{", b"[]", b"null", b"\xff\xfe", b"{}", b'{"type":7}', b'{"type":"\\ud800"}', b'{"type":"ping","id":1e999}',
          b"[" * 4000, b'{"type":"poses","poses":' + b"[" * 70 + b"]" * 70 + b"}", b'{"type":"ping","type":"ping"}',
          b'{"type":"blade","name":"\x01"}', b'{"a":' * 500, b"\0" * 64, b"GET / HTTP/1.1", b'\xef\xbb\xbf{"type":"ping","id":1}')


class Mix:
    """One client's lines. Its things lie about `center`; `radii` has that of each blade and target it has ever defined, by
    its name."""

    def __init__(self, seed, center, radii):
        self.dice = random.Random(seed)
        self.prefix = f"h{seed}"
        self.center = center
        self.radii = radii
        self.made = 0

    def number(self):
        return self.dice.choice(NUMBERS) * self.dice.choice((1, 1, -1))

    def modest(self):
        return self.dice.uniform(-3, 3)

    def vector(self):
        pick = self.number if self.dice.random() < 0.3 else self.modest
        return [pick() for _ in range(3)]

    def name(self):
        return f"{self.prefix}/{self.dice.randrange(DEVICES)}"

    def orientation(self):
        kind = self.dice.random()
        if kind < 0.1:
            return [0, 0, 0, 0]
        turn = [self.dice.gauss(0, 1) for _ in range(4)]
        size = sum(part * part for part in turn) ** 0.5
        return [part / size * (1 if kind < 0.9 else 1.5) for part in turn]

    def thing(self, radius):
        """A name that nothing else will ever have, so that its radius is known."""
        self.made += 1
        name = f"{self.prefix}/thing{self.made}"
        self.radii[name] = abs(radius)
        return name

    def blade(self):
        radius = self.dice.choice((0.0, 0.01, 1.0, 10.0, self.number()))
        return {"type": "blade", "id": 1, "name": self.thing(radius), "device": self.name(), "base": self.vector(), "tip": self.vector(),
                "radius": radius, "body": self.dice.random() < 0.3}

    def remove(self):
        return {"type": "remove", "id": 1, "name": f"{self.prefix}/thing{self.made - self.dice.randrange(80)}"}

    def target(self):
        kind = self.dice.choice(("sphere", "capsule", "box", "mesh", "terrain", "unity_collider"))
        shape = {"sphere": lambda: {"center": self.vector(), "radius": abs(self.number())},
                 "capsule": lambda: {"base": self.vector(), "tip": self.vector(), "radius": abs(self.number())},
                 "box": lambda: {"center": self.vector(), "size": [abs(self.number()) for _ in range(3)]},
                 "mesh": lambda: {"vertices": [self.vector() for _ in range(60)],
                                  "triangles": [self.dice.sample(range(60), 3) for _ in range(100)]},
                 "terrain": lambda: {"columns": 8, "rows": 8, "spacing": [abs(self.number()), abs(self.number())],
                                     "heights": [self.number() for _ in range(64)]},
                 "unity_collider": lambda: {"type": "sphere", "radius": self.number(),
                                            "transforms": [{"scale": self.vector(), "rotation": self.orientation()}]}}[kind]()
        scale = max(map(abs, shape["transforms"][0]["scale"])) if kind == "unity_collider" else 1.0
        target = {"type": "target", "id": 1, "name": self.thing(shape.get("radius", 0.0) * scale), kind: shape}
        return {**target, **({"device": self.name()} if self.dice.random() < 0.5 else {"position": self.center})}

    def poses(self):
        where = [self.vector() for _ in range(self.dice.choice((1, 8, 64, 65)))]
        poses = [{"device": f"{self.prefix}/{index % DEVICES}", "orientation": self.orientation(),
                  "position": [a + b for a, b in zip(self.center, at)]} for index, at in enumerate(where)]
        return {"type": "poses", "poses": poses, **({"time_ns": self.dice.randrange(-2**53, 2**53)} if
                                                    self.dice.random() < 0.1 else {})}

    def subscribe(self):
        return {"type": "subscribe", "id": 1, "resolved_poses": self.dice.random() < 0.8,
                "events": self.dice.sample(["clash", "hold", "release", "poses", "nothing"], 3),
                "pose_rate_hz": self.dice.choice((1, 90, 1000, 1e9)), "min_closing_speed": self.number(),
                "since_seq": self.dice.choice((0, 1, 2**40, -1))}

    def torn(self):
        text = bytearray(json.dumps(self.message()).encode())
        for _ in range(self.dice.randrange(1, 4)):
            text[self.dice.randrange(len(text))] = self.dice.randrange(256)
        return bytes(text[:self.dice.randrange(1, len(text) + 1)]).replace(b"\n", b" ")

    def message(self):
        kinds = (self.blade, self.remove, self.remove, self.target, self.poses, self.poses, self.subscribe)
        return self.dice.choice(kinds)() if self.dice.random() < 0.95 else {"type": self.dice.choice(("ping", "status")), "id": 1}

    def line(self):
        kind = self.dice.random()
        if kind < 0.2:
            return self.dice.choice(BROKEN)
        return self.torn() if kind < 0.4 else json.dumps(self.message()).encode()
