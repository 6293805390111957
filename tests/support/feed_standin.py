"""As much of a clashd as a client that feeds needs, which does what a test wants of it: takes feeds or does not know them, answers
at once, late or never, and tells a clash for a pose."""
import json
import queue
import socket
import threading
import time

import clashd

CLASH = next(json.loads(line) for line in (clashd.SOURCE / "protocol" / "examples" / "server.jsonl").read_text().splitlines()
             if '"type":"clash"' in line.replace(" ", ""))


class Standin:
    """Listens at `port` on TCP until close(). What it is told is in `told`, an object a line."""

    def __init__(self, capabilities=("axes", "since_seq", "push", "feed"), port=0):
        self.capabilities = list(capabilities)
        self.told = []
        self.came = threading.Condition()
        self.refused = {}  # id of a request: code
        self.clashes = queue.SimpleQueue()  # what to add to CLASH before the next answer to poses
        self.refusal = None  # in place of hello
        self.silent = 0  # how many connections are to hear nothing at all
        self.answers = threading.Event()
        self.answers.set()
        self.delay_s = 0
        self.seq = 0
        self.epoch = time.monotonic_ns()
        self.connections = []
        self.listener = socket.create_server(("127.0.0.1", port))
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)  # full soon
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def now(self):
        return time.monotonic_ns() - self.epoch

    def accept(self):
        while True:
            try:
                connection = self.listener.accept()[0]
            except OSError:
                return
            self.connections.append(connection)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            if self.silent > 0:
                self.silent -= 1
                for _ in connection.makefile():
                    pass
                return
            if self.refusal:
                self.send(connection, self.refusal)
                connection.shutdown(socket.SHUT_RDWR)
                return
            self.send(connection, {"type": "hello", "protocol": 1, "version": "0.0", "session": "5e", "time_ns": self.now(),
                       "epoch_monotonic_ns": str(self.epoch), "capabilities": self.capabilities})
            for line in connection.makefile():
                self.take(connection, json.loads(line))
        except OSError:
            pass

    def send(self, connection, message):
        connection.sendall(json.dumps(message).encode() + b"\n")

    def take(self, connection, message):
        with self.came:
            self.told.append(message)
            self.came.notify_all()
        if "id" not in message:
            return
        self.answers.wait()
        time.sleep(self.delay_s)
        while message["type"] == "poses" and not self.clashes.empty():
            self.seq += 1
            clash = {**CLASH, "seq": self.seq, "id": self.seq, "time_ns": self.now(), **self.clashes.get()}
            self.send(connection, {key: value for key, value in clash.items() if value is not None})
        if message["id"] in self.refused:
            self.send(connection, {"type": "error", "id": message["id"], "code": self.refused[message["id"]], "message": "no"})
        else:
            self.send(connection, {"type": "ok", "id": message["id"], "time_ns": self.now()})

    def wait_for(self, wanted, since=0):
        """The first of what it was told, from `since` on, for which wanted(message) is true."""
        with self.came:
            assert self.came.wait_for(lambda: any(map(wanted, self.told[since:])), clashd.WAIT_S), self.told[since:][-5:]
            return next(message for message in self.told[since:] if wanted(message))

    def wait_for_type(self, kind, since=0):
        return self.wait_for(lambda message: message["type"] == kind, since)

    def cut(self):
        """Ends the connections."""
        while self.connections:
            connection = self.connections.pop()
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it has ended by itself
            connection.close()

    def close(self):
        """Listens no more."""
        self.answers.set()
        if self.listener.fileno() >= 0:
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.cut()
