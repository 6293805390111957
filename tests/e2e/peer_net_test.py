"""Two players on machines of their own, over a bad network: network namespaces joined through a relay (support/relay.py) that delays, loses, doubles and
reorders, clocks 50 s apart that drift by 50 ppm (support/machines.py). What both find is compared to what one machine finds that saw everything."""
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import broker  # noqa: E402
import clashd  # noqa: E402
import machines  # noqa: E402
from relay import STRAIGHT, Relay, Way  # noqa: E402

broker.need()
machines.need()
DUEL = clashd.DATA / "duel-20s.jsonl"
CLOCKS = ("+0", "+50 x1.00005")


class Case(clashd.TestCase):
    """self.there: a broker; self.relay: what is between it and each of self.machines."""
    ways = (Way(), Way())

    def setUp(self):
        super().setUp()
        self.there = broker.Broker(self.home, "set_tcp_nodelay true")
        self.addCleanup(self.there.stop)
        self.machines = []
        for number, clock in enumerate(CLOCKS):
            self.machines.append(machines.Machine(number, clock))
            self.addCleanup(self.machines[-1].stop)
        self.relay = Relay(self.there.port, *((machine.gateway, 0, way, STRAIGHT) for machine, way in zip(self.machines, self.ways)))
        self.addCleanup(self.relay.stop)

    def clashd(self, number, player, *words):
        """One more that is connected."""
        home = self.home / player
        home.mkdir()
        settings = (f"mqtt.broker={self.machines[number].gateway}:{self.relay.ports[number]}", "mqtt.room=hall", f"mqtt.player={player}")
        daemon = self.machines[number].clashd(*words, *(word for setting in settings for word in ("--set", setting)), home=home)
        self.addCleanup(daemon.process.wait)
        self.addCleanup(daemon.process.kill)
        daemon.wait_for_log("connected to")
        return daemon


class Network(Case):
    """The relay and the machines themselves."""
    ways = (STRAIGHT, Way(loss=0.1, double=0.1))

    def test_clocks_differ(self):
        daemons = [self.clashd(number, player, "--source", "none") for number, player in enumerate(("anna", "berta"))]
        epochs = []
        for daemon in daemons:
            with daemon.connect() as client:
                epochs.append([int(client.hello[name]) for name in ("epoch_unix_ns", "epoch_monotonic_ns")])
        for first, second in zip(*epochs):
            self.assertGreater(second - first, 50_000_000_000)  # and what the second one began later

    def test_only_publishes_of_qos_0_suffer(self):
        """Those of a clashd that sends them through the relay; the test hears them at the broker."""
        self.relay.stop()
        self.relay = Relay(self.there.port, ("127.0.0.1", 0, STRAIGHT, self.ways[1]), seed=2)
        self.addCleanup(self.relay.stop)
        listener = self.there.subscribe()
        words = ("--source", f"replay:{DUEL}", "--speed", "20", "--wait-for-client", "--set", f"mqtt.broker=127.0.0.1:{self.relay.ports[0]}",
                 "--set", "mqtt.poses=true")
        with clashd.Daemon(*words, home=self.home) as daemon:
            daemon.wait_for_log("connected to")
            with daemon.connect() as client:
                client.subscribe(events=["clash", "release", "tracking", "replay"])
                client.read_until(lambda m: m["type"] == "replay" and m["state"] == "ended")
                events = [m for m in map(json.loads, client.lines) if m["type"] in ("clash", "release", "tracking")]
                published = client.request({"type": "status", "id": 1})["counters"]["mqtt_published"]
        listener.wait_for("/online", lambda m: m["payload"] == "false")
        self.assertGreater(published, 1000)
        heard = [json.loads(m["payload"]) for m in listener.messages if m["topic"].rsplit("/", 1)[1] in ("clash", "release", "tracking")]
        self.assertEqual(heard, events)
        times = [json.loads(m["payload"])["time_ns"] for m in listener.of("/poses")]
        counts = self.relay.counts
        for what in ("lost", "doubled", "overtook"):
            self.assertGreater(counts[what], 20, counts)
        self.assertLess(len(set(times)), counts["passed"])
        self.assertNotEqual(times, sorted(times))


if __name__ == "__main__":
    unittest.main()
