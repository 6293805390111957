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


class Readers(clashd.TestCase):
    def start(self):
        """clashd, which begins with its replay once somebody subscribes, and one client for each way in."""
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({"contact": CONTACT, "socket": {
            "queue_bytes": QUEUE_BYTES, "tcp": "127.0.0.1:0", "websocket": "127.0.0.1:0"}}))
        self.daemon = Daemon("--source", f"replay:{DUEL}", "--speed", SPEED, "--wait-for-client", "--config", settings,
                             home=self.home)
        self.addCleanup(self.daemon.__exit__, None)
        self.clients = {way: connect() for way, connect in self.daemon.ways().items()}
        for client in self.clients.values():
            self.addCleanup(client.close)

    def read_everything(self, client):
        """In a thread of its own; the bytes are put into self.read at once."""
        self.read = bytearray()

        def run():
            while received := client.socket.recv(1 << 20):
                self.read += received

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread

    def unsent(self):
        """By port of clashd's, what the kernel holds for its client."""
        lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        return {int(line[1].split(":")[1], 16): int(line[4].split(":")[0], 16) for line in lines if line[3] == "01"}

    def wait_for_the_end(self, drip):
        """Of the replay. Every now and then all take a little, where they drip."""
        deadline = time.monotonic() + clashd.WAIT_S
        self.most_unsent = {"tcp": 0, "websocket": 0}
        while not any("the replay has ended" in line for line in self.daemon.log):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.2)
            for way, most in self.most_unsent.items():
                self.most_unsent[way] = max(most, self.unsent().get(getattr(self.daemon, way)[1], 0))
            for client in self.clients.values() if drip else ():
                client.buffer += client.socket.recv(65536)

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
        missed = [self.missed_by_who_reads()]
        while missed[-1] and len(missed) < 3:
            missed.append(self.missed_by_who_reads())
        self.assertEqual(missed[-1], 0, missed)

    def missed_by_who_reads(self):
        self.start()
        watcher = self.daemon.connect()
        self.addCleanup(watcher.close)
        watcher.subscribe(events=EVENTS)
        thread = self.read_everything(watcher)
        for client in self.clients.values():
            client.subscribe(events=EVENTS)
        self.wait_for_the_end(drip=True)
        told = [self.read_again(way, client) for way, client in self.clients.items()]
        counters = self.daemon.counters()
        self.daemon.serves()
        self.assertEqual(self.daemon.stop(), 0)
        thread.join()
        told.append([json.loads(line) for line in (watcher.buffer + bytes(self.read)).splitlines()])
        seen = [self.seqs_of(messages) for messages in told]
        self.assertEqual({covered[-1] for _, covered, _ in seen}, {seen[0][1][-1]})
        self.assertEqual(counters["events_dropped"], sum(missed for _, _, missed in seen))
        self.assertEqual(counters["lagged_sent"], sum(message["type"] == "lagged" for messages in told for message in messages))
        return seen[-1][2]

    def read_again(self, way, client):
        """What it got, up to now."""
        before = len(client.buffer)
        client.send({"type": "ping", "id": "end"} if way == "websocket" else b'{"type":"ping","id":"end"}\n')
        read = self.count_bytes(client)
        messages = client.read_until(lambda message: message["type"] == "ok" and message.get("id") == "end")
        self.assertLess(read[0] - before, QUEUE_BYTES + ELSEWHERE_BYTES, way)
        came, covered, missed = self.seqs_of(messages)
        self.assertGreater(missed, 1000, way)
        self.assertEqual(len(came) + missed, len(covered), way)
        return messages

    def count_bytes(self, client):
        """All that the client receives from now on adds up in the list's one number."""
        total, receive = [0], client.socket.recv

        class Counting:
            def __getattr__(self, name):
                return getattr(inner, name)

            def recv(self, size):
                received = receive(size)
                total[0] += len(received)
                return received

        inner, client.socket = client.socket, Counting()
        return total

    def test_who_never_reads_is_closed(self):
        self.start()
        for client in self.clients.values():
            client.subscribe(events=EVENTS)
        self.wait_for_the_end(drip=False)
        for way, most in self.most_unsent.items():
            self.assertTrue(0 < most < UNSENT_BYTES, (way, most))
        deadline = time.monotonic() + clashd.WAIT_S
        while len(said := [line for line in self.daemon.log if "has read nothing for 5000 ms" in line]) < 3:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        for line in said:
            self.assertRegex(line, r"client (pid \d+ \(\S+\)|at 127\.0\.0\.1:\d+) has read .* [1-9]\d* events were dropped")
        for client in self.clients.values():
            self.read_to_the_end(client)
        counters = self.daemon.counters()
        self.assertEqual(counters["clients_stalled"], 3)
        self.daemon.serves()

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
                with connect() as client:
                    asked = self.ask_until_it_blocks(client, way)
                    self.assertGreater(asked, 500)
                    for index in range(asked):
                        self.assertEqual(client.read()["id"], index)
                    self.assertGreater(daemon.counters()["reads_paused"], 0)
            daemon.serves()

    def ask_until_it_blocks(self, client, way):
        """Within the 5 s after which it would be closed."""
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16384)
        asked, waiting = 0, b""
        while select.select([], [client.socket], [], 0.5)[1]:
            text = b'{"type":"ping","id":%d}' % asked
            waiting = b"\x81" + bytes([0x80 | len(text)]) + b"\0\0\0\0" + text if way == "websocket" else text + b"\n"
            client.socket.setblocking(False)
            try:
                while waiting:
                    waiting = waiting[client.socket.send(waiting):]
            except BlockingIOError:
                pass
            client.socket.settimeout(clashd.WAIT_S)
            if waiting:
                break
            asked += 1
        threading.Thread(target=client.socket.sendall, args=(waiting,), daemon=True).start()
        return asked + bool(waiting)


if __name__ == "__main__":
    unittest.main()
