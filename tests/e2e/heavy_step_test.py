"""One step with twenty thousand contacts: a device with 64 blades and 64 targets is moved into the midst of two others that have as
many. It is taken in parts: others are answered within it, what others push waits, and whatever comes within it, the recording
has the step whole."""
import json
import signal
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402

TRIES = 20
THINGS = 64  # blades of each client, and targets
PAIRS = THINGS * 4 * THINGS + THINGS * 2 * THINGS  # of the mover with the other two
OTHERS = THINGS * THINGS + 2 * THINGS * THINGS  # of those two, which touch all along
HERE, AWAY = [0, 0, 0], [9, 0, 0]


def kind_of(line):
    """The type of a line of clashd's. Parsing each of 50,000 would take a busy machine longer than a track may have a gap."""
    return line.split('"', 4)[3]


class Mob:
    """A client whose blades and targets are all in one place."""

    def __init__(self, daemon, name):
        self.client, self.name = daemon.connect(), name
        for index in range(THINGS):
            end = [0, 0, 0.01 * (1 + index)]
            self.ask(type="blade", name=f"{name}/{index}", device=name, base=[0, 0, 0], tip=end, radius=1)
            self.ask(type="target", name=f"{name}/ball {index}", device=name, sphere={"center": end, "radius": 1})

    def ask(self, **message):
        reply = self.client.request({"id": "asked", **message})
        assert reply["type"] == "ok", reply

    def line(self, time_ns, where, **more):
        return {"type": "poses", "time_ns": time_ns, **more,
                "poses": [{"device": self.name, "position": where, "orientation": [0, 0, 0, 1]}]}


class HeavyStep(clashd.TestCase):
    def setUp(self):
        super().setUp()
        self.recording = self.home / "r.jsonl"
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({"blades": [], "contact": {"hold_rate_hz": 0, "max_gap_ms": 10000},
                                        "socket": {"queue_bytes": 1 << 26, "push_timeout_ms": 60000}}))
        self.daemon = clashd.Daemon("--source", "none", "--config", settings, "--record", self.recording, home=self.home)
        self.addCleanup(self.daemon.process.wait)
        self.addCleanup(self.daemon.process.kill)
        self.mobs = [Mob(self.daemon, name) for name in ("one", "two", "mover")]
        self.watcher = self.daemon.connect()
        self.watcher.subscribe(events=["clash", "release"])
        for one in (*self.mobs, self):
            self.addCleanup(getattr(one, "client", self.watcher).close)
        self.mover = self.mobs[-1].client
        self.place(AWAY)
        self.place(AWAY)
        self.assertEqual(self.read_kinds(OTHERS), ["clash"] * OTHERS)

    def place(self, where):
        """All three clients push poses of one time, the mover's last. clashd is stopped meanwhile, so that it finds all of them at
        once, in this order, however slow this machine is: it refuses poses over 1 s old."""
        self.daemon.process.send_signal(signal.SIGSTOP)
        now_ns = self.now_ns()
        for mob in self.mobs:
            mob.client.send(mob.line(now_ns, where if mob is self.mobs[-1] else HERE, id="moved"))
        self.daemon.process.send_signal(signal.SIGCONT)
        for mob in self.mobs[:-1]:
            self.assertEqual(mob.client.read()["type"], "ok")

    def now_ns(self):
        return time.monotonic_ns() - int(self.watcher.hello["epoch_monotonic_ns"])

    def read_kinds(self, count):
        """The types of the watcher's next lines."""
        return [kind_of(self.watcher.read_line()) for _ in range(count)]

    def is_the_same_again(self):
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log)
        done = clashd.clashctl("verify", self.recording, home=self.home)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return sum('"type":"clash"' in line for line in self.recording.read_text().splitlines())

    def test_others_are_answered_within_it(self):
        self.mover.subscribe(events=["clash"])
        for _ in range(TRIES):
            self.place(HERE)
            kinds = self.read_kinds(1)
            self.watcher.send({"type": "ping", "id": "within"})
            kinds += self.read_kinds(PAIRS)
            self.assertEqual(sorted(kinds), ["clash"] * PAIRS + ["ok"])
            # The mover's own answer comes after all that its push has caused.
            mine = [kind_of(self.mover.read_line()) for _ in range(PAIRS + 1)]
            if mine[0] == "ok":  # of the push before
                mine = mine[1:] + [kind_of(self.mover.read_line())]
            self.assertEqual(mine, ["clash"] * PAIRS + ["ok"])
            if kinds[-1] != "ok":
                return
            self.place(AWAY)
            self.assertEqual(self.read_kinds(PAIRS), ["release"] * PAIRS)
        self.fail("every answer came after the step")

    def test_what_others_ask_for_meanwhile_waits(self):
        self.place(HERE)
        self.read_kinds(1)
        one = self.mobs[0].client
        one.send({"type": "remove", "id": "first", "name": "one/0"})
        one.send(self.mobs[0].line(self.now_ns(), AWAY, id="second"))
        one.send({"type": "ping", "id": "third"})
        kinds = self.read_kinds(PAIRS - 1)
        self.assertEqual(kinds, ["clash"] * (PAIRS - 1))
        self.assertEqual(self.read_kinds(4 * THINGS), ["release"] * 4 * THINGS)
        self.assertEqual([one.read()["id"] for _ in range(3)], ["first", "second", "third"])
        self.is_the_same_again()

    def test_whoever_began_it_may_go(self):
        self.place(HERE)
        self.read_kinds(1)
        self.mover.close()
        with self.daemon.connect() as other:
            reply = other.request({"type": "blade", "id": 1, "name": "mover/1", "device": "other", "base": [0, 0, 0],
                                   "tip": [0, 0, 1], "radius": 1})
        self.assertIn(reply["type"], ("ok", "error"))
        self.assertEqual(self.read_kinds(PAIRS - 1), ["clash"] * (PAIRS - 1))
        self.assertEqual(self.read_kinds(PAIRS), ["release"] * PAIRS)
        self.assertEqual(self.is_the_same_again(), PAIRS + OTHERS)

    def test_a_hull_that_is_found_meanwhile_comes_after_it(self):
        """It is looked for by another program, which is done some time within the step or about it."""
        corners = [[90 + x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
        self.mobs[0].ask(type="remove", name="one/ball 0")  # there may be no more
        self.assertEqual(self.read_kinds(THINGS), ["release"] * THINGS)
        self.watcher.send({"type": "target", "id": "hull", "name": "hull", "mesh": {"vertices": corners, "convex": True}})
        self.place(HERE)
        self.assertEqual(sorted(self.read_kinds(PAIRS - THINGS + 1)), ["clash"] * (PAIRS - THINGS) + ["ok"])
        self.assertEqual(self.is_the_same_again(), PAIRS - THINGS + OTHERS)

    def test_the_end_comes_after_it(self):
        self.place(HERE)
        self.read_kinds(1)
        self.assertEqual(self.is_the_same_again(), PAIRS + OTHERS)


if __name__ == "__main__":
    unittest.main()
