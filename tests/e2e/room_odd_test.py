"""What nobody plans in a room: a will that comes late, two of one name, what a broker kept of yesterday, names full of signs, blades that change while they
touch, a broker that comes again after long, and one that does not speak MQTT 5."""
import json
import socket
import subprocess
import sys
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import broker  # noqa: E402
import clashd  # noqa: E402

broker.need()
import room_players  # noqa: E402


class Odd(room_players.Rooms):
    def publish(self, topic, payload, *words):
        """Retained, unless words say otherwise, by somebody who is no clashd."""
        subprocess.run(["mosquitto_pub", "-p", str(self.broker.port), "-V", "5", "-q", "1", "-t", topic, "-m", payload, *(words or ["-r"])], check=True)

    def clashes(self, player, count):
        """The ids of its clashes with the other one, once there are so many."""
        broker.wait_for(lambda: len([event for event in player.events() if event["type"] == "clash"]) >= count,
                        lambda: (player.name, count, player.events(), player.daemon.log))
        return sorted(event["room_id"] for event in player.events() if event["type"] == "clash")

    def duel_of_both(self, anna, ben):
        start_ns = self.duel([anna, ben])
        count = len(self.truth(start_ns, anna.epoch_ns))
        self.assertGreater(count, 3)
        found = self.clashes(anna, count)
        self.assertEqual(len(found), count)
        self.assertEqual(found, self.clashes(ben, count))

    def test_a_will_that_comes_late_takes_nobody_away(self):
        """That of anna's run before, or of another anna who has left."""
        anna, ben = self.meet()
        alone = clashd.Daemon("--source", "none", "--set", f"mqtt.broker=127.0.0.1:{self.broker.port}", "--set", "mqtt.room=hall", "--set", "mqtt.player=zoe",
                              "--set", "mqtt.status_ms=1000", home=self.home)
        self.addCleanup(alone.stop)
        listener = self.broker.subscribe("clashd/hall/+/online")
        listener.wait_for("zoe/online")
        for name in ("anna", "zoe"):
            self.publish(f"clashd/hall/{name}/online", "false")
            listener.wait_for(f"{name}/online", lambda m: m["payload"] == "false" and not m["retain"])
        broker.wait_for(lambda: all(listener.of(f"{name}/online")[-1]["payload"] == "true" for name in ("anna", "zoe")), lambda: listener.messages)
        broker.wait_for(lambda: ben.counter("room_players") == 1, lambda: ben.daemon.log)
        self.assertIn("anna is gone", "\n".join(ben.daemon.log))
        self.duel_of_both(anna, ben)

    def test_two_of_one_name(self):
        """Both are told so; when one of them leaves the other is still there for all."""
        anna, ben = self.meet()
        other = room_players.Player("anna", self.broker.port, Path(self.home) / "other")
        other.play("left", room_players.time.monotonic_ns())
        broker.wait_for(lambda: any("there is another 'anna'" in line for line in anna.daemon.log), lambda: anna.daemon.log)
        self.assertEqual(other.daemon.stop(), 0)
        broker.wait_for(lambda: "anna is gone" in "\n".join(ben.daemon.log), lambda: ben.daemon.log)
        broker.wait_for(lambda: ben.counter("room_players") == 1, lambda: ben.daemon.log)
        self.duel_of_both(anna, ben)

    def test_what_the_broker_kept_of_yesterday(self):
        """Samples, answers and contacts that somebody had it keep are none; players that are no more, and nonsense, cost nobody a contact."""
        samples = {"type": "samples", "session": "x", "version": 1, "clock": "y", "error_ns": 0, "knots": [[0, 0], [10**9, 10**9]],
                   "devices": ["/user/hand/left"], "first": 7, "samples": [[0, 0, 5]]}
        blade = {"name": "saber", "device": "/user/hand/left", "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.01}
        aaron = {"type": "peer", "session": "old", "version": 3, "from_sample": 90, "referee": True, "clock": "old", "blades": [blade]}
        for topic, payload in (("anna/samples", json.dumps(samples)), ("anna/clock/answer/ben", "{}"), ("ben/contact/anna", "{}"), ("anna/peer", "nonsense"),
                               ("ben/online", "maybe"), ("anna/online", "false"), ("aaron/peer", json.dumps(aaron)), ("aaron/online", "true"),
                               ("zoe/samples", "x" * 60000)):
            self.publish(f"clashd/hall/{topic}", payload)
        players = [self.player(name) for name in ("anna", "ben")]
        for one in players:
            broker.wait_for(lambda one=one: one.counter("room_players") == 2 and one.counter("room_clock_known"), lambda one=one: one.daemon.log)
            self.assertEqual(one.counter("room_messages"), 0)
        self.assertEqual([one.counter("mqtt_strange") for one in players], [3, 3])
        self.duel_of_both(*players)

    def test_names_with_all_signs(self):
        players = []
        for number, (name, hand) in enumerate((("a/b+#$", "left"), ("peer/ä %2F", "right"))):
            one = room_players.Player(name, self.broker.port, Path(self.home) / str(number))
            self.addCleanup(one.daemon.stop)
            players.append((one, hand))
        for one, _ in players:
            broker.wait_for(lambda one=one: one.counter("room_players") == 1 and one.counter("room_clock_known"), lambda one=one: one.daemon.log)
        start_ns = room_players.time.monotonic_ns() + 300_000_000
        threads = [threading.Thread(target=one.play, args=(hand, start_ns)) for one, hand in players]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        count = len(self.truth(start_ns, players[0][0].epoch_ns))
        self.assertEqual(self.clashes(players[0][0], count), self.clashes(players[1][0], count))
        self.assertEqual({tuple(sorted(event["blades"])) for event in players[0][0].events()}, {("left", "peer/ä %2F/right")})

    def test_a_blade_that_changes_while_it_touches(self):
        """ben's becomes twice as thick in the middle of a contact, and thin again: both report one contact, which goes on, by one id."""
        anna, ben = self.meet()
        for one, hand in ((anna, "left"), (ben, "right")):
            self.assertEqual(one.client.request({"type": "feed", "id": 1, "devices": [f"/user/hand/{hand}"]})["type"], "ok")
        radius = 0.015

        def hold(seconds, apart):
            until = room_players.time.monotonic() + seconds
            while room_players.time.monotonic() < until:
                for one, hand, x in ((anna, "left", 0.0), (ben, "right", apart)):
                    one.client.send({"type": "poses", "poses": [{"device": f"/user/hand/{hand}", "position": [x, 1.2, 0], "orientation": [0, 0, 0, 1]}]})
                room_players.time.sleep(0.01)

        hold(0.3, 0.5)
        hold(0.5, 0.02)
        for factor in (2, 1):
            blade = {"type": "blade", "id": 2, "name": "right", "device": "/user/hand/right", "base": [0, 0, 0], "tip": [0, 0, -1], "radius": radius * factor}
            self.assertEqual(ben.client.request(blade)["type"], "ok")
            hold(0.5, 0.02)
        hold(0.5, 0.5)
        for one in (anna, ben):
            broker.wait_for(lambda one=one: len([event for event in one.events() if event["type"] == "release"]) >= 1, lambda one=one: one.daemon.log)
        told = [[(event["type"], event["room_id"]) for event in one.events() if event["type"] in ("clash", "release")] for one in (anna, ben)]
        self.assertEqual(*told)


class OldBroker(clashd.TestCase):
    def test_a_broker_without_mqtt_5_is_named(self):
        """One of MQTT 3.1.1 answers in its own words that it does not know this version."""
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)

        def refuse():
            there = server.accept()[0]
            there.recv(1000)
            there.sendall(b"\x20\2\0\1")
            there.close()

        threading.Thread(target=refuse, daemon=True).start()
        port = server.getsockname()[1]
        with clashd.Daemon("--source", "none", "--set", f"mqtt.broker=127.0.0.1:{port}", home=self.home) as daemon:
            line = daemon.log[daemon.wait_for_log("tried again") - 1]
        self.assertIn("MQTT 5", line)


if __name__ == "__main__":
    unittest.main()
