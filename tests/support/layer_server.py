"""A stand-in for clashd that a feed talks to: says hello, answers `feed`, and keeps the poses. What it does wrong is asked for:
refusing, being slow, saying nothing, hanging up."""
import json
import socket
import threading
import time
from pathlib import Path

PROTOCOL = Path(__file__).resolve().parents[2] / "protocol"


def hello_line(epoch_ns):
    lines = map(json.loads, (PROTOCOL / "examples" / "server.jsonl").read_text().splitlines())
    hello = next(line for line in lines if line["type"] == "hello")
    return hello | {"epoch_monotonic_ns": str(epoch_ns), "time_ns": time.monotonic_ns() - epoch_ns}


class Server:
    """`refuses`: so many feeds are refused first; `frees`: each time it then says that a feed has ended. `mute`: never says hello. `hangs_up_after`: so many lines of poses, once.
    `pause_s`: reads nothing for so long after the feed. `fed`: a file to make with each connection's first poses, with its
    number behind; of one that is hung up on, those of the next. `says`: by how many lines of poses have come, what is then sent."""

    def __init__(self, path, refuses=0, mute=False, hangs_up_after=None, pause_s=0.0, fed=None, says=None, frees=False):
        self.frees = frees
        self.fed = fed
        self.says = says or {}
        self.epoch_ns = time.monotonic_ns()
        self.refuses, self.mute, self.hangs_up_after, self.pause_s = refuses, mute, hangs_up_after, pause_s
        self.feeds, self.poses, self.other, self.connections, self.hung_up, self.lines = [], [], [], 0, 0, []
        self.ended = threading.Event()
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.bind(str(path))
        self.socket.listen(4)
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self):
        while not self.ended.is_set():
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            self.connections += 1
            with client:
                self._talk(client)

    def _talk(self, client):
        if self.mute:
            self.ended.wait()
            return
        client.sendall(json.dumps(hello_line(self.epoch_ns)).encode() + b"\n")
        heard = 0
        for line in client.makefile(encoding="utf-8"):
            self.lines.append(line)
            message = json.loads(line)
            if message["type"] == "feed":
                self._answer(client, message)
            elif message["type"] == "poses":
                self.poses.append(message | {"at": time.monotonic_ns(), "monotonic": message["time_ns"] + self.epoch_ns})
                heard += 1
                self._say(client, self.says.get(heard))
                if heard == 1 and self.fed and self.hangs_up_after is None:
                    Path(f"{self.fed}.{self.connections - self.hung_up}").touch()
                if heard == self.hangs_up_after:
                    self.hangs_up_after = None
                    self.hung_up += 1
                    return
            else:
                self.other.append(message)

    def _say(self, client, what):
        try:
            if what:
                client.sendall(what)
        except OSError:
            pass  # it has gone, and what it said before is yet to be read

    def _answer(self, client, message):
        self.feeds.append(message | {"before": len(self.poses)})
        if "id" not in message:
            return
        refused = len(self.feeds) <= self.refuses
        reply = {"type": "error", "id": message["id"], "code": "name_taken", "message": "another feeds these"} if refused \
            else {"type": "ok", "id": message["id"]}
        client.sendall(json.dumps(reply).encode() + b"\n" + (b'{"type":"feed_free"}\n' if refused and self.frees else b""))
        if self.pause_s:
            self.ended.wait(self.pause_s)

    def close(self):
        self.ended.set()
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        self.thread.join(10)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
