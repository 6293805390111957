"""The clients of a soak test: they come, each does what its kind does, and goes, in peace or not. All sockets are served by
one loop; those that are stopped and killed are processes (clashctl watch)."""
import json
import re
import selectors
import signal
import socket
import struct
import subprocess
import time

import clashd

SEQ = re.compile(rb'"seq":(\d+)')
KINDS = ("everything", "filtered", "poses", "pusher", "asker", "tcp", "watch")


class Guest:
    """One connection. `wrong` lists what clashd did to it that it must not do."""

    def __init__(self, crowd, kind, number):
        self.crowd, self.kind, self.number = crowd, kind, number
        self.leaves = time.monotonic() + crowd.random.uniform(2, 15)
        self.buffer, self.last_seq, self.lines, self.wrong, self.asked, self.replies = b"", None, 0, [], 0, 0
        self.leaving = False
        tcp = kind == "tcp"
        self.socket = socket.create_connection(crowd.daemon.tcp, timeout=clashd.WAIT_S) if tcp else \
            socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        if not tcp:
            self.socket.settimeout(clashd.WAIT_S)
            self.socket.connect(str(crowd.daemon.path))
        for message in self.first_messages():
            self.send(message)

    def first_messages(self):
        name = f"npc{self.number}"
        if self.kind == "tcp":
            yield {"type": "auth", "token": self.crowd.daemon.token}
        if self.kind == "pusher":
            # Far from everything, so that it clashes with nobody.
            yield {"type": "blade", "id": 1, "name": name, "device": name, "base": [100 + self.number, 0, 0],
                   "tip": [100 + self.number, 1, 0], "radius": 0.01}
            return
        what = {"everything": {}, "filtered": {"events": ["clash"], "axes": "godot", "min_closing_speed": 100},
                "poses": {"events": ["poses"], "pose_rate_hz": 90, "axes": "unity"}, "tcp": {"axes": "unity"},
                "asker": {"events": ["release", "recorder"]}}[self.kind]
        yield {"type": "subscribe", "id": 1, **what}

    def send(self, message):
        self.asked += "id" in message
        self.socket.sendall(json.dumps(message).encode() + b"\n")

    def tick(self):
        """A few times a second."""
        if self.kind == "pusher":
            self.send({"type": "poses", "poses": [{"device": f"npc{self.number}", "position": [0, 0, self.number],
                                                   "orientation": [0, 0, 0, 1]}]})
        elif self.kind == "asker":
            self.send({"type": "status", "id": self.asked + 1})

    def readable(self):
        """False at the end of the connection."""
        received = self.socket.recv(1 << 18)
        *lines, self.buffer = (self.buffer + received).split(b"\n")
        for line in lines:
            self.take(line)
        return bool(received)

    def take(self, line):
        self.lines += 1
        if not (line.startswith(b'{"type":"') and line.endswith(b"}")):
            self.wrong.append(f"no message: {line[:200]!r}")
            return
        kind = line[9:line.index(b'"', 9)]
        if kind in (b"ok", b"error", b"status"):
            self.replies += 1
            if kind == b"error":
                self.wrong.append(line.decode())
        elif kind == b"lagged":
            self.last_seq = json.loads(line)["to_seq"]
        elif (found := SEQ.search(line)) and kind != b"hello":
            self.follow(int(found[1]))

    def follow(self, seq):
        """Whoever gets everything gets it without a jump; nobody gets anything twice or out of order."""
        if self.last_seq is not None:
            jump = seq - self.last_seq
            if jump <= 0 or (jump > 1 and self.kind in ("everything", "tcp")):
                self.wrong.append(f"{self.kind}: seq {seq} after {self.last_seq}")
        self.last_seq = seq

    def leave(self):
        """In peace, by reset, or in the middle of a line."""
        how = self.crowd.random.choice(("peace", "reset", "line"))
        if how == "reset":
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif how == "line":
            try:
                self.socket.sendall(b'{"type":"stat')
            except BrokenPipeError:
                self.crowd.wrong.append(f"{self.kind}: clashd closed the connection")
        self.socket.close()


class Watch:
    """clashctl watch, which can be stopped, continued and killed."""

    def __init__(self, crowd):
        self.leaves = time.monotonic() + crowd.random.uniform(5, 30)
        self.process = subprocess.Popen([clashd.CLASHCTL, "watch", "--once", "--json"], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, env=clashd.environment(crowd.daemon.home))
        self.stopped = False

    def signal(self, number):
        self.stopped = {signal.SIGSTOP: True, signal.SIGCONT: False}.get(number, self.stopped)
        self.process.send_signal(number)

    def leave(self):
        self.process.kill()
        self.process.wait()


class Crowd:
    """`size` clients at any time."""

    def __init__(self, daemon, size, random):
        self.daemon, self.size, self.random = daemon, size, random
        self.selector = selectors.DefaultSelector()
        self.guests, self.watches, self.wrong = [], [], []
        self.come, self.lines, self.next_tick = 0, 0, 0.0

    def serve(self, until):
        """Reads what comes until that time, and lets clients come and go."""
        while (left := until - time.monotonic()) > 0:
            for key, _ in self.selector.select(min(left, 0.05)):
                if not key.data.readable():
                    key.data.wrong.append(f"{key.data.kind}: clashd closed the connection")
                    self.drop(key.data)
            if time.monotonic() >= self.next_tick:
                self.next_tick = time.monotonic() + 0.25
                self.tick()

    def tick(self):
        now = time.monotonic()
        for guest in [guest for guest in self.guests if guest.leaves < now]:
            self.drop(guest)
        for watch in [watch for watch in self.watches if watch.leaves < now]:
            self.watches.remove(watch)
            watch.leave()
        while len(self.guests) + len(self.watches) < self.size:
            self.welcome(KINDS[self.come % len(KINDS)])
        for guest in self.guests:
            guest.tick()

    def welcome(self, kind):
        self.come += 1
        if kind == "watch":
            self.watches.append(Watch(self))
            return
        guest = Guest(self, kind, self.come)
        self.guests.append(guest)
        self.selector.register(guest.socket, selectors.EVENT_READ, guest)

    def drop(self, guest):
        self.selector.unregister(guest.socket)
        self.guests.remove(guest)
        self.wrong += guest.wrong
        self.lines += guest.lines
        if guest.lines == 0 and time.monotonic() - guest.leaves > clashd.WAIT_S:
            self.wrong.append(f"{guest.kind}: nothing came")
        guest.leave()

    def close(self):
        for guest in list(self.guests):
            self.drop(guest)
        for watch in self.watches:
            watch.leave()
