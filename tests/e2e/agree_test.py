"""Two players who have mqtt.agree_ms: what the one whose blade is second tells waits for what the other one finds, and no longer than that."""
import json
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import broker  # noqa: E402
import clashd  # noqa: E402

broker.need()
import room_players  # noqa: E402
import validate  # noqa: E402

WAIT_MS = 400


class Agreement(room_players.Rooms):
    def told(self, player, count):
        """All that it told of the room's contacts, once so many of them have ended."""
        broker.wait_for(lambda: sum(event["type"] == "release" for event in player.events()) >= count,
                        lambda: (player.name, count, player.events(), player.daemon.log))
        for event in player.events():
            self.assertEqual(validate.check(json.dumps(event)), [])
        return player.events()

    def duel_of(self, *settings_of_anna, settings):
        self.anna, self.ben = anna, ben = self.player("anna", *settings, *settings_of_anna), self.player("ben", *settings)
        for one in (anna, ben):
            broker.wait_for(lambda one=one: one.counter("room_players") == 1 and one.counter("room_clock_known"), lambda one=one: one.daemon.log)
        return self.duel([anna, ben])

    def assert_in_order(self, player):
        """No number is missing or comes twice, and each contact's clash comes first and its release last."""
        numbers = [json.loads(line)["seq"] for line in player.watcher.lines if '"seq"' in line and '"id":"ping"' not in line]
        self.assertEqual(numbers, list(range(numbers[0], numbers[0] + len(numbers))))
        kinds = {}
        for event in player.events():
            kinds.setdefault(event["id"], []).append(event["type"])
        for contact, types in kinds.items():
            self.assertEqual((types[0], types[-1]), ("clash", "release"), (contact, types))

    def test_both_find_it(self):
        start_ns = self.duel_of(settings=[f"mqtt.agree_ms={WAIT_MS}"])
        count = len(self.truth(start_ns, self.anna.epoch_ns))
        anna, ben = self.told(self.anna, count), self.told(self.ben, count)
        self.assertEqual({event.get("agreed") for event in ben}, {True})
        self.assertEqual({event.get("agreed") for event in anna if event["type"] == "clash"}, {None})
        # Whether ben has found it may not be known here before it ends.
        self.assertLessEqual({event.get("agreed") for event in anna if event["type"] == "release"}, {True, None})
        self.assertEqual({event["room_id"] for event in anna}, {event["room_id"] for event in ben})
        for one in (self.anna, self.ben):
            self.assert_in_order(one)
            counters = one.status()["counters"]
            self.assertEqual([counters[f"room_{name}"] for name in ("agreed", "disagreed", "untold")], [count, 0, 0])
            self.assertEqual(one.daemon.stop(), 0)
            done = clashd.clashctl("verify", one.recording, home=self.home)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_one_finds_nothing(self):
        """anna takes in nobody's samples: nothing that ben finds is said to be agreed, and all of it is told."""
        start_ns = self.duel_of('mqtt.players=["nobody"]', settings=[f"mqtt.agree_ms={WAIT_MS}"])
        count = len(self.truth(start_ns, self.ben.epoch_ns))
        ben = self.told(self.ben, count)
        self.assertEqual({event.get("agreed") for event in ben}, {False})
        self.assert_in_order(self.ben)
        self.assertEqual(self.ben.counter("room_disagreed"), count)
        self.assertEqual(self.anna.events(), [])

    def test_who_does_not_ask_waits_for_nobody(self):
        start_ns = self.duel_of("mqtt.agree_ms=0", settings=[f"mqtt.agree_ms={WAIT_MS}"])
        count = len(self.truth(start_ns, self.ben.epoch_ns))
        for one in (self.anna, self.ben):
            self.assertEqual({event.get("agreed") for event in self.told(one, count)}, {None})
            self.assertEqual(one.counter("room_agreed") + one.counter("room_disagreed"), 0)

    def test_who_goes_is_not_waited_for(self):
        """ben ends while something waits: it is told before the end."""
        start_ns = self.duel_of('mqtt.players=["nobody"]', settings=["mqtt.agree_ms=500"])
        count = len(self.truth(start_ns, self.ben.epoch_ns))
        broker.wait_for(lambda: self.ben.counter("room_samples") > 0 and self.anna.counter("room_published") > 0, lambda: self.ben.daemon.log)
        self.assertEqual(self.ben.daemon.stop(), 0)
        self.ben.watcher.read_all()
        told = [event for event in map(json.loads, self.ben.watcher.lines) if event.get("type") == "clash" and "room_id" in event]
        self.assertGreaterEqual(len(told), 1)
        self.assertLessEqual(len(told), count)
        self.assertEqual({event["agreed"] for event in told}, {False})
        self.assert_in_order_of(told)

    def assert_in_order_of(self, events):
        numbers = [event["seq"] for event in events]
        self.assertEqual(numbers, sorted(set(numbers)))

    def test_a_flood_of_false_contacts(self):
        """What a stranger says of contacts costs it its own voice, and nobody else anything."""
        anna, ben = self.player("anna", f"mqtt.agree_ms={WAIT_MS}"), self.player("ben", f"mqtt.agree_ms={WAIT_MS}")
        for one in (anna, ben):
            broker.wait_for(lambda one=one: one.counter("room_players") == 1 and one.counter("room_clock_known"), lambda one=one: one.daemon.log)
        good = {"type": "contact", "session": "x", "clock": "y", "blades": ["saber", "right"], "room_id": 1, "room_time_ns": 0}
        lies = ["", "{}", "[" * 5000, json.dumps({**good, "blades": ["a" * 64, "b"]}), json.dumps({**good, "room_id": -1}), json.dumps({**good, "room_time_ns": 1e300}), json.dumps(good)]
        flood = subprocess.Popen(["mosquitto_pub", "-p", str(self.broker.port), "-V", "5", "-q", "1", "-t", "clashd/hall/mallory/contact/ben", "-l"], stdin=subprocess.PIPE, text=True)
        flood.stdin.write("".join(lie + "\n" for lie in lies[1:] * 200))
        start_ns = self.duel([anna, ben])
        flood.stdin.close()
        flood.wait()
        count = len(self.truth(start_ns, ben.epoch_ns))
        self.assertEqual({event.get("agreed") for event in self.told(ben, count)}, {True})
        self.assertGreater(ben.counter("room_refused") + ben.counter("room_over_rate"), 0)


if __name__ == "__main__":
    unittest.main()
