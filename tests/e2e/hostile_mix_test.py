"""Hostile clients on every way in at once send wrong lines and legal ones at the bounds of what is legal, in random order,
while two well-behaved devices cross each other: those have the clashes that they must have and no others, every clash that is
told is one by its own figures, and a client that only pings is answered all along.

CLASHD_HOSTILE says how many lines (4,000; a million in tests/nightly.sh), CLASHD_SEED where they begin. The longest answer to
a ping is printed, and judged by whoever reads it: how long it takes is a matter of the machine, too."""
import itertools
import json
import math
import os
import select
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
from hostile_mix import Mix  # noqa: E402
from transports import Daemon, check_lines  # noqa: E402

LINES = int(os.environ.get("CLASHD_HOSTILE", "4000"))
SEED = int(os.environ.get("CLASHD_SEED", "1"))
HOME = (0.0, 0.0, 0.0)
AWAY = (-5.0, 700.0, 40.0)  # where the hostile things are
CLIENTS = 2  # of each way in
STEP_NS = 8_000_000
CHECKED_EVERY = 50 if LINES <= 10000 else 1000  # clash by the schema; by its figures each one
PERIOD = 40  # poses; one crossing down, one up
ROUND_NS = PERIOD * STEP_NS
PAIR = ("good/still", "good/moving")
NOBODY = {"name": "nobody", "device": "nobody", "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.01}


class Guest:
    """A hostile client that comes again when it is thrown out, reads what it is told, and knows what it has sent."""

    def __init__(self, number, way, connect, radii):
        self.way, self.connect = way, connect
        self.mix = Mix(SEED * 1000 + number, AWAY, radii)
        self.client = None
        self.heard = 0

    def send(self):
        line = self.mix.line()
        try:
            if self.client is None:
                self.client = self.connect()
            self.client.send(line if self.way == "websocket" else line + b"\n")
            while select.select([self.client.socket], [], [], 0)[0]:
                received = len(self.client.socket.recv(1 << 18))
                if not received:
                    raise ConnectionResetError
                self.heard += received
        except (ConnectionError, AssertionError, TimeoutError):
            self.leave()

    def leave(self):
        if self.client:
            self.client.close()
        self.client = None


class Witness(threading.Thread):
    """Feeds the two good devices at explicit times, until it is told to stop: a round that is just over, all at once, and so on."""

    def __init__(self, daemon):
        super().__init__()
        self.client = daemon.connect()
        self.rounds = 0
        self.stop = False
        self.error = None
        for name, device in zip(PAIR, ("good/a", "good/b")):
            reply = self.client.request({"type": "blade", "id": name, "name": name, "device": device,
                                         "base": [-0.5, 0, 0], "tip": [0.5, 0, 0], "radius": 0.02})
            assert reply["type"] == "ok", reply

    def line(self, phase, time_ns):
        height = 1.0 - 2.0 * abs(phase - PERIOD / 2) / (PERIOD / 2)  # -1 to 1 and back
        poses = [{"device": "good/a", "position": HOME, "orientation": [0, 0, 0, 1]},
                 {"device": "good/b", "position": [0, height + 0.01, 0], "orientation": [0, 0.38268343, 0, 0.92387953]}]
        return json.dumps({"type": "poses", "id": f"p{self.rounds}", "time_ns": time_ns, "poses": poses}).encode() + b"\n"

    def push(self, begin_ns):
        self.client.send(b"".join(self.line(phase, begin_ns + phase * STEP_NS) for phase in range(PERIOD)))
        for _ in range(PERIOD):
            reply = self.client.read_until(lambda message: message.get("id") == f"p{self.rounds}")[-1]
            assert reply["type"] == "ok", reply
        self.rounds += 1

    def end(self):
        self.stop = True
        self.join()
        self.client.close()

    def run(self):
        """However long the machine holds this up, the steps are even, and none is too late: what was lost is made up for between two
        rounds, when the blades are apart."""
        epoch = int(self.client.hello["epoch_monotonic_ns"])
        begin_ns = 0
        try:
            while not self.stop:
                time.sleep(max(0, begin_ns + ROUND_NS - (time.monotonic_ns() - epoch)) * 1e-9)
                begin_ns = max(begin_ns, time.monotonic_ns() - epoch - ROUND_NS)
                self.push(begin_ns)
                begin_ns += ROUND_NS
        except Exception as error:  # pylint: disable=broad-except
            self.error = error


class HostileMix(clashd.TestCase):
    def setUp(self):
        super().setUp()
        self.clashes = self.good = 0
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({"blades": [NOBODY], "socket": {"tcp": "127.0.0.1:0", "websocket": "127.0.0.1:0",
            "push_timeout_ms": 10000, "queue_bytes": 1 << 26}}))
        self.daemon = Daemon("--source", "none", "--config", settings, home=self.home)
        self.addCleanup(self.daemon.process.wait)
        self.addCleanup(self.daemon.process.kill)

    def check_clash(self, clash, radii):
        """Touching is what the radii say, and the figures agree with each other. Ten clashes a line come: no words but of what fails."""
        reach = sum(radii.get(name, 0.02) for name in clash["blades"])
        size = max(1.0, max(map(abs, itertools.chain.from_iterable(clash["points"]))))
        if not clash["distance"] <= reach + 1e-6 * size or not abs(math.dist(*clash["points"]) - clash["distance"]) <= 1e-6 * size:
            self.fail(f"{clash}: the radii reach {reach}")
        self.clashes += 1
        self.good += set(clash["blades"]) == set(PAIR)

    def test_everything_at_once(self):
        radii = {}
        listener = self.daemon.connect()
        self.addCleanup(listener.close)
        listener.subscribe(events=["clash"])
        listener.socket.settimeout(clashd.WAIT_S)
        witness = Witness(self.daemon)
        self.addCleanup(witness.end)
        witness.start()
        pinger = subprocess.Popen([sys.executable, clashd.SOURCE / "tests" / "support" / "pinger.py", self.daemon.path],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(pinger.kill)
        guests = [Guest(number, way, connect, radii) for number, (way, connect) in
                  enumerate(list(self.daemon.ways().items()) * CLIENTS)]
        for guest in guests:
            self.addCleanup(guest.leave)
        for index in range(LINES):
            guests[index % len(guests)].send()
            self.hear(listener, radii)
        witness.end()
        self.assertIsNone(witness.error)
        for guest in guests:
            guest.leave()
        pings, worst_ms = pinger.communicate(timeout=clashd.WAIT_S)[0].split()
        self.assertGreater(int(pings), 0)
        self.hear_the_rest(listener, radii)
        self.assertEqual(self.good, 2 * witness.rounds, "of two that cross twice a round")
        self.daemon.serves()
        self.assertEqual(self.daemon.stop(), 0, "\n".join(self.daemon.log[-20:]))
        print(f"{LINES} lines, {self.clashes} clashes, {self.good} of them the witness's; the longest answer to one of "
              f"{pings} pings took {worst_ms} ms", file=sys.stderr)

    def hear(self, listener, radii):
        """What has come by now, without waiting for more."""
        while b"\n" in listener.buffer or select.select([listener.socket], [], [], 0)[0]:
            line = listener.read_line()
            message = json.loads(line)
            listener.lines.clear()
            if message["type"] != "clash":
                check_lines(self, [line])
                self.assertNotEqual(message["type"], "lagged", line)
                continue
            if self.clashes % CHECKED_EVERY == 0:
                check_lines(self, [line])
            self.check_clash(message, radii)

    def hear_the_rest(self, listener, radii):
        """All up to the answer to a ping that comes after the last event."""
        listener.send({"type": "ping", "id": "end"})
        while True:
            message = json.loads(listener.read_line())
            listener.lines.clear()
            if message.get("id") == "end":
                return
            if message["type"] == "clash":
                self.check_clash(message, radii)


if __name__ == "__main__":
    unittest.main()
