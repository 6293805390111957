"""A client that comes back gets what it missed, and one that asks for Unity's axes gets them, from the whole daemon on a
replayed recording."""
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import validate  # noqa: E402

DUEL = clashd.DATA / "duel-20s.jsonl"


def mirrored(message):
    """A message in Unity's axes, by this test's own reading of the rule."""
    def vector(v):
        return [v[0], v[1], 0.0 - v[2]]
    message = dict(message)
    for name in ("midpoint", "normal"):
        if name in message:
            message[name] = vector(message[name])
    for name in ("points", "velocities"):
        if name in message:
            message[name] = [vector(v) for v in message[name]]
    if "poses" in message:
        message["poses"] = [{**pose, "position": vector(pose["position"]),
                             "orientation": [0.0 - pose["orientation"][0], 0.0 - pose["orientation"][1],
                                             *pose["orientation"][2:]]} for pose in message["poses"]]
    return message


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


class Resume(clashd.TestCase):
    def setUp(self):
        super().setUp()
        found = map(json.loads, clashd.detect(DUEL, home=self.home))
        self.found = [{**line, "source": "replay"} if line["type"] == "tracking" else line for line in found]
        self.daemon = clashd.Daemon("--source", f"replay:{DUEL}", "--speed", "max", home=self.home)
        self.addCleanup(self.daemon.__exit__, None)
        self.daemon.wait_for_log("the replay has ended")

    def resume(self, count, **what):
        """The ok and as many lines as said, and that no more come."""
        with self.daemon.connect() as client:
            reply = client.request({"type": "subscribe", "id": "s", **what})
            messages = [client.read() for _ in range(count)]
            client.request({"type": "ping", "id": "p"})
            self.assertEqual(len(client.lines), count + 3)
            for line in client.lines:
                self.assertFalse(validate.check(line), line)
            return reply, messages

    def test_all_of_the_session_from_its_start(self):
        reply, messages = self.resume(len(self.found), since_seq=0)
        self.assertEqual(reply["seq"], len(self.found))
        self.assertEqual(messages, self.found)

    def test_from_the_middle_with_filters(self):
        wanted = [message for message in self.found if message["seq"] > 20 and message["type"] == "clash"]
        self.assertGreater(len(wanted), 3)
        _, messages = self.resume(len(wanted), since_seq=20, events=["clash"])
        self.assertEqual(messages, wanted)

    def test_the_future_is_refused(self):
        with self.daemon.connect() as client:
            reply = client.request({"type": "subscribe", "id": 1, "since_seq": len(self.found) + 1})
            self.assertEqual((reply["type"], reply["code"]), ("error", "unknown_seq"))
            self.assertFalse(validate.check(client.lines[-1]))

    def test_in_unitys_axes(self):
        _, messages = self.resume(len(self.found), since_seq=0, axes="unity")
        self.assertEqual(messages, [mirrored(message) for message in self.found])
        clashes = [message for message in messages if message["type"] == "clash"]
        self.assertTrue(any(abs(message["midpoint"][2]) > 0.1 for message in clashes))
        for message in clashes:
            apart = [b - a for a, b in zip(*message["points"])]
            self.assertAlmostEqual(dot(apart, message["normal"]), message["distance"], delta=1e-5)
            towards = [a - b for a, b in zip(*message["velocities"])]
            self.assertAlmostEqual(dot(towards, message["normal"]), message["closing_speed"], delta=1e-4)

    def test_in_godots_axes(self):
        _, messages = self.resume(len(self.found), since_seq=0, axes="godot")
        self.assertEqual(messages, self.found)


class Axes(clashd.TestCase):
    def test_poses_are_mirrored_too(self):
        with clashd.Daemon("--source", f"replay:{DUEL}", "--speed", "max", "--wait-for-client", "--exit-at-end",
                           home=self.home) as daemon, daemon.connect() as client:
            client.subscribe(events=["poses"], axes="unity")
            last = json.loads(client.read_all()[-1])
            self.assertEqual(last, mirrored(json.loads(DUEL.read_text().splitlines()[-1])))


if __name__ == "__main__":
    unittest.main()
