"""Players of one room: a clashd each at one real mosquitto, one recording's two hands split over them."""
import json
import threading
import time
from pathlib import Path

import broker
import clashd
import transports

DUEL = clashd.DATA / "duel-20s.jsonl"
FROM_NS, TO_NS = 9_500_000_000, 13_500_000_000
HANDS = {"anna": "left", "ben": "right"}


def poses(hand):
    """(time, pose) of one hand."""
    for line in map(json.loads, DUEL.read_text().splitlines()):
        if line["type"] == "poses" and FROM_NS <= line["time_ns"] < TO_NS:
            yield line["time_ns"] - FROM_NS, next(pose for pose in line["poses"] if pose["device"] == f"/user/hand/{hand}")


class Player:
    """A clashd whose hand a client moves."""

    def __init__(self, name, port, home, *settings):
        words = [f"mqtt.broker=127.0.0.1:{port}", "mqtt.room=hall", f"mqtt.player={name}", "mqtt.peers=true", *settings]
        home.mkdir()
        self.name = name
        self.daemon = transports.Daemon("--source", "none", "--record", home / "own.jsonl", *(word for setting in words for word in ("--set", setting)), home=home)
        self.client = self.daemon.connect()
        self.epoch_ns = int(self.client.hello["epoch_monotonic_ns"])
        self.watcher = self.daemon.connect()
        self.watcher.subscribe(events=["clash", "hold", "release", "tracking"])
        self.recording = home / "own.jsonl"

    def status(self):
        return self.client.request({"type": "status", "id": "status"})

    def counter(self, name):
        return self.status()["counters"][name]

    def play(self, hand, start_ns):
        """Push the hand's poses at their times; start_ns is of CLOCK_MONOTONIC."""
        device = f"/user/hand/{hand}"
        assert self.client.request({"type": "feed", "id": 1, "devices": [device]})["type"] == "ok"
        for time_ns, pose in poses(hand):
            at_ns = start_ns + time_ns
            time.sleep(max(0.0, (at_ns - time.monotonic_ns()) / 1e9))
            self.client.send({"type": "poses", "time_ns": at_ns - self.epoch_ns, "poses": [pose]})

    def events(self):
        """What its watcher has been told so far, of pairs of two players."""
        self.watcher.send({"type": "ping", "id": "ping"})
        self.watcher.read_until(lambda message: message.get("id") == "ping")
        return [message for message in map(json.loads, self.watcher.lines) if "room_id" in message]


class Rooms(clashd.TestCase):
    def player(self, name, *settings):
        one = Player(name, self.broker.port, Path(self.home) / name, *settings)
        self.addCleanup(one.daemon.stop)
        return one

    def setUp(self):
        super().setUp()
        self.broker = broker.Broker(self.home)
        self.addCleanup(self.broker.stop)

    def meet(self, *settings, others=()):
        players = [self.player(name, *settings) for name in HANDS]
        players += [self.player(name, *words) for name, words in others]
        for one in players:
            broker.wait_for(lambda one=one: one.counter("room_players") == len(players) - 1 and one.counter("room_clock_known"),
                            lambda one=one: one.daemon.log)
        return players

    def duel(self, players):
        """Both hands at once, then until all that was shared is taken."""
        start_ns = time.monotonic_ns() + 300_000_000
        threads = [threading.Thread(target=one.play, args=(HANDS[one.name], start_ns)) for one in players if one.name in HANDS]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return start_ns

    def truth(self, start_ns, epoch_ns):
        """The clashes of one machine that sees both hands, by the clock of a session."""
        merged = Path(self.home) / "merged.jsonl"
        lines = [line for line in map(json.loads, DUEL.read_text().splitlines()) if line["type"] != "poses" or FROM_NS <= line["time_ns"] < TO_NS]
        merged.write_text("".join(json.dumps(line) + "\n" for line in lines))
        found = [json.loads(line) for line in clashd.detect(merged, home=self.home)]
        return [event["time_ns"] - FROM_NS + start_ns - epoch_ns for event in found if event["type"] == "clash"]
