"""Clients that subscribe and do not read, over every way in: one that reads again gets what is left and is told exactly what
it missed, one that never does is closed. What waits for them is in their queues and not in the kernel, and who reads gets
everything meanwhile."""
import json
import select
import socket
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
from transports import Daemon, check_lines  # noqa: E402

# Megabytes of events in seconds: two swords that never part, looked at a thousand times a second of the recording.
DUEL = clashd.DATA / "duel-20s.jsonl"
CONTACT = {"margin": 0.3, "release_margin": 0.5, "hold_rate_hz": 1000}
SPEED = 8
EVENTS = ["clash", "hold", "release", "tracking", "space_changed"]
QUEUE_BYTES = 2 * 1024 * 1024
# What may wait for a client outside its queue: a batch that is under way, and the two buffers of the kernel.
ELSEWHERE_BYTES = 768 * 1024
# Of these, what TCP holds that has not been sent. Without a bound it takes megabytes.
UNSENT_BYTES = 160 * 1024
# Requests a send.
AT_ONCE = 500
ATTEMPTS = 4


class Collected:
    """In a client's socket's place: all that comes is taken at once, in a thread, however slowly the client looks at it."""

    def __init__(self, inner):
        self.inner, self.bytes, self.total, self.ended = inner, bytearray(), 0, False
        self.changed = threading.Condition()
        threading.Thread(target=self.run, daemon=True).start()

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def run(self):
        while not self.ended:
            try:
                received = self.inner.recv(1 << 20)
            except OSError:
                received = b""
            with self.changed:
                self.bytes += received
                self.total += len(received)
                self.ended = not received
                self.changed.notify_all()

    def recv(self, size):
        with self.changed:
            self.changed.wait_for(lambda: self.bytes or self.ended, clashd.WAIT_S)
            taken = bytes(self.bytes[:size])
            del self.bytes[:size]
            return taken


class Readers(clashd.TestCase):
    def start(self):
        """clashd, which begins with its replay once all have subscribed, and one client for each way in."""
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({"contact": CONTACT, "socket": {
            "queue_bytes": QUEUE_BYTES, "tcp": "127.0.0.1:0", "websocket": "127.0.0.1:0"}}))
        self.daemon = Daemon("--source", f"replay:{DUEL}", "--speed", SPEED, "--wait-for-client", "--config", settings,
                             home=self.home)
        self.addCleanup(self.daemon.__exit__, None)
        self.clients = {way: connect() for way, connect in self.daemon.ways().items()}
        for client in self.clients.values():
            self.addCleanup(client.close)

    def subscribe_all(self, *more):
        """However long that takes: the replay stands still meanwhile."""
        with self.daemon.connect() as steering:
            for action in ("pause", "resume"):
                reply = steering.request({"type": "replay", "id": action, "action": action})
                self.assertEqual(reply["type"], "ok", reply)
                for client in (*more, *self.clients.values()) if action == "pause" else ():
                    client.subscribe(events=EVENTS)

    def unsent(self):
        """By port of clashd's, what the kernel holds for its client."""
        lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        return {int(line[1].split(":")[1], 16): int(line[4].split(":")[0], 16) for line in lines if line[3] == "01"}

    def wait_for_the_end(self, drip):
        """Of the replay. Every now and then all take a little, where they drip."""
        deadline = time.monotonic() + clashd.WAIT_S
        self.most_unsent = {"tcp": 0, "websocket": 0}
        ended = False
        while not ended:
            self.assertLess(time.monotonic(), deadline)
            ended = any("the replay has ended" in line for line in self.daemon.log)
            unsent = self.unsent()
            for way, most in self.most_unsent.items():
                self.most_unsent[way] = max(most, unsent.get(getattr(self.daemon, way)[1], 0))
            for client in self.clients.values() if drip and not ended else ():
                client.buffer += client.socket.recv(65536)
            time.sleep(0.2)

    def stalled(self):
        return [line for line in self.daemon.log if "has read nothing for 5000 ms" in line]

    def seqs_of(self, messages):
        """Sequence numbers that came, and those that a `lagged` covers, in order and each once; and how many were missed."""
        came, covered, missed = [], [], 0
        for message in messages:
            if message["type"] == "lagged":
                self.assertEqual(message["missed"], message["to_seq"] - message["from_seq"] + 1)
                covered += range(message["from_seq"], message["to_seq"] + 1)
                missed += message["missed"]
            elif message["type"] in EVENTS:
                came.append(message["seq"])
                covered.append(message["seq"])
        self.assertEqual(covered, list(range(covered[0], covered[-1] + 1)))
        return came, covered, missed

    def test_who_reads_again_is_told_exactly_what_is_missing(self):
        """And who reads all along misses nothing, as far as this machine lets it read all along: it has three tries."""
        missed = []
        while len(missed) < 3 and 0 not in missed:
            self.start()
            try:
                missed.append(self.missed_by_who_reads())
            except (AssertionError, ConnectionError):
                if not self.stalled():
                    raise
                missed.append("as much as comes in 5 s: so long this machine did not let it read at all")
                self.daemon.stop()
        self.assertIn(0, missed)

    def missed_by_who_reads(self):
        watcher = self.daemon.connect()
        self.addCleanup(watcher.close)
        self.subscribe_all(watcher)
        watcher.socket = Collected(watcher.socket)
        self.wait_for_the_end(drip=True)
        for way, client in self.clients.items():
            client.send({"type": "ping", "id": "end"} if way == "websocket" else b'{"type":"ping","id":"end"}\n')
            client.socket = Collected(client.socket)
        told = [self.read_again(way, client) for way, client in self.clients.items()]
        counters = self.daemon.counters()
        self.daemon.serves()
        self.assertEqual(self.daemon.stop(), 0)
        told.append([json.loads(line) for line in watcher.read_all()])
        seen = [self.seqs_of(messages) for messages in told]
        self.assertEqual({covered[-1] for _, covered, _ in seen}, {seen[0][1][-1]})
        self.assertEqual(counters["events_dropped"], sum(missed for _, _, missed in seen))
        self.assertEqual(counters["lagged_sent"], sum(message["type"] == "lagged" for messages in told for message in messages))
        return seen[-1][2]

    def read_again(self, way, client):
        """What it got, up to now."""
        messages = client.read_until(lambda message: message["type"] == "ok" and message.get("id") == "end")
        self.assertLess(client.socket.total, QUEUE_BYTES + ELSEWHERE_BYTES, way)
        came, covered, missed = self.seqs_of(messages)
        self.assertGreater(missed, 1000, way)
        self.assertEqual(len(came) + missed, len(covered), way)
        return messages

    def test_who_never_reads_is_closed(self):
        """What the kernel holds meanwhile can be seen where this machine lets us look before that: it has three tries."""
        most = [self.most_unsent_to_who_never_reads()]
        while 0 in most[-1].values() and len(most) < 3:
            most.append(self.most_unsent_to_who_never_reads())
        self.assertNotIn(0, most[-1].values(), most)

    def most_unsent_to_who_never_reads(self):
        self.start()
        self.subscribe_all()
        self.wait_for_the_end(drip=False)
        for way, most in self.most_unsent.items():
            self.assertLess(most, UNSENT_BYTES, way)
        deadline = time.monotonic() + clashd.WAIT_S
        while len(said := self.stalled()) < 3:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        for line in said:
            self.assertRegex(line, r"client (pid \d+ \(\S+\)|at 127\.0\.0\.1:\d+) has read .* [1-9]\d* events were dropped")
        for client in self.clients.values():
            self.read_to_the_end(client)
        counters = self.daemon.counters()
        self.assertEqual(counters["clients_stalled"], 3)
        self.daemon.serves()
        self.assertEqual(self.daemon.stop(), 0)
        return self.most_unsent

    def read_to_the_end(self, client):
        try:
            while client.socket.recv(1 << 20):
                pass
        except ConnectionResetError:
            pass


class Requests(clashd.TestCase):
    """Who asks and asks and does not read the answers is not read any further itself; none of them is lost."""

    def test_all_answers_come_in_the_end(self):
        with Daemon("--source", "none", "--tcp", "0", "--websocket", "0", home=self.home) as daemon:
            for way, connect in daemon.ways().items():
                for attempt in range(ATTEMPTS):
                    with connect() as client:
                        asked = self.ask_until_it_blocks(daemon, client, way, attempt + 1 == ATTEMPTS)
                        if not asked:
                            continue
                        self.assertGreater(asked, 500)
                        for index in range(asked):
                            self.assertEqual(client.read()["id"], index)
                        self.assertGreater(daemon.counters()["reads_paused"], 0)
                        break
            daemon.serves()

    def ask_until_it_blocks(self, daemon, client, way, is_last):
        """Until clashd has stopped to read, and the kernel to take: many requests at once, as clashd closes who reads nothing for 5 s and one
        send a request takes longer than that on a slow machine. How many were asked; 0: it took longer than that all the same, and
        clashd has said so."""
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16384)
        asked, waiting = 0, b""
        before, deadline = daemon.counters()["reads_paused"], time.monotonic() + clashd.WAIT_S
        while True:
            if not waiting:
                waiting = b"".join(self.ping(index, way) for index in range(asked, asked + AT_ONCE))
                asked += AT_ONCE
            if select.select([], [client.socket], [], 0.5)[1]:
                try:
                    waiting = waiting[client.socket.send(waiting, socket.MSG_DONTWAIT):]
                except (ConnectionResetError, BrokenPipeError):
                    if is_last:
                        raise
                    daemon.wait_for_log("has read nothing for 5000 ms")
                    return 0
            elif daemon.counters()["reads_paused"] > before:
                break
            self.assertLess(time.monotonic(), deadline)
        threading.Thread(target=client.socket.sendall, args=(waiting,), daemon=True).start()
        return asked

    def ping(self, index, way):
        text = b'{"type":"ping","id":%d}' % index
        return b"\x81" + bytes([0x80 | len(text)]) + b"\0\0\0\0" + text if way == "websocket" else text + b"\n"


if __name__ == "__main__":
    unittest.main()
