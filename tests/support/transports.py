"""Clients of clashd's other transports, for tests: lines over TCP, and a WebSocket client of our own, which also says wrong
things where it is told to."""
import base64
import hashlib
import json
import os
import socket
import struct
from pathlib import Path

import clashd
import validate


class TcpClient(clashd.Client):
    """Lines over TCP; shows the token if it is given one."""

    def __init__(self, address, token=None, **auth):
        self.socket = socket.create_connection(address, timeout=clashd.WAIT_S)
        self.buffer = b""
        self.lines = []
        if token is not None:
            self.send({"type": "auth", "token": token, **auth})

    def ended(self):
        """Whether the connection has ended, be it in peace or by a reset."""
        try:
            return self.read_line() is None
        except ConnectionResetError:
            return True


class Daemon(clashd.Daemon):
    """Knows where it listens, which its log says."""

    def __init__(self, *words, **options):
        self.words = [str(word) for word in words]
        super().__init__(*words, **options)
        if options.get("listening", True):
            for way, said in (("tcp", "(TCP"), ("websocket", "(WebSocket")):
                if self.was_told(way):
                    self.wait_for_log(said)

    def was_told(self, way):
        """Whether it is to listen there: its log may not have said so yet."""
        settings = {}
        if "--config" in self.words:
            settings = json.loads(Path(self.words[self.words.index("--config") + 1]).read_text())
        return f"--{way}" in self.words or settings.get("socket", {}).get(way) is not None

    @property
    def tcp(self):
        return self.find_address("(TCP")

    @property
    def websocket(self):
        return self.find_address("(WebSocket")

    def find_address(self, what):
        line = self.log[self.wait_for_log(what) - 1]
        host, port = line.split("listening on ", 1)[1].split(" ", 1)[0].rsplit(":", 1)
        return host.strip("[]"), int(port)

    @property
    def token_file(self):
        return self.path.with_suffix(".token")

    @property
    def token(self):
        return self.token_file.read_text().strip()

    def connect_tcp(self):
        client = TcpClient(self.tcp, self.token)
        client.hello = client.read()
        assert client.hello["type"] == "hello", client.hello
        return client

    def connect_websocket(self):
        client = WebSocketClient(self.websocket, self.token)
        assert client.status == 101, client.body
        client.hello = client.read()
        assert client.hello["type"] == "hello", client.hello
        return client

    def ways(self):
        """What connects, by the name of the way: all that this one listens on."""
        ways = {"unix": self.connect}
        if self.was_told("tcp"):
            ways["tcp"] = self.connect_tcp
        if self.was_told("websocket"):
            ways["websocket"] = self.connect_websocket
        return ways

    def serves(self):
        """Fails unless new clients are served as ever."""
        for connect in self.ways().values():
            with connect() as client:
                assert client.request({"type": "ping", "id": 1})["type"] == "ok"

    def counters(self):
        with self.connect() as client:
            return client.request({"type": "status", "id": 1})["counters"]


def check_lines(test, lines):
    for line in lines:
        test.assertFalse(validate.check(line), line)


class WebSocketClient(clashd.Client):
    """One message a frame. `status`, `headers` and `body` are of the answer to the upgrade; what follows is only there where
    status is 101."""

    def __init__(self, address, token=None, path="/", omit=(), **headers):
        self.socket = socket.create_connection(address, timeout=clashd.WAIT_S)
        self.buffer = b""
        self.lines = []
        self.key = base64.b64encode(os.urandom(16)).decode()
        host = f"[{address[0]}]" if ":" in address[0] else address[0]
        fields = {"Host": f"{host}:{address[1]}", "Upgrade": "websocket", "Connection": "Upgrade",
                  "Sec-WebSocket-Key": self.key, "Sec-WebSocket-Version": "13"}
        if token is not None:
            fields["Sec-WebSocket-Protocol"] = f"clashd.v1, token.{token}"
        fields.update({name.replace("_", "-"): value for name, value in headers.items()})
        lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items() if name not in omit)]
        self.upgrade("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n")

    def upgrade(self, request):
        self.socket.sendall(request)
        while b"\r\n\r\n" not in self.buffer:
            received = self.socket.recv(65536)
            assert received, f"the connection ended within the answer: {self.buffer!r}"
            self.buffer += received
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        first, *lines = head.decode().split("\r\n")
        self.status = int(first.split(" ")[1])
        self.headers = dict(line.split(": ", 1) for line in lines)
        if self.status == 101:
            proof = hashlib.sha1((self.key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
            assert self.headers["Sec-WebSocket-Accept"] == base64.b64encode(proof).decode(), self.headers
        else:
            self.body = self.take(int(self.headers["Content-Length"])).decode()
            assert self.socket.recv(1) == b"", "the connection lives on after a refusal"

    def take(self, count):
        while len(self.buffer) < count:
            received = self.socket.recv(65536)
            assert received, f"the connection ended {count - len(self.buffer)} bytes early: {self.buffer!r}"
            self.buffer += received
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def send_frame(self, payload, opcode=1, fin=True, masked=True, rsv=0, length=None):
        length = len(payload) if length is None else length
        head = bytes([fin << 7 | rsv << 4 | opcode])
        if length <= 125:
            head += bytes([masked << 7 | length])
        elif length <= 65535:
            head += bytes([masked << 7 | 126]) + struct.pack("!H", length)
        else:
            head += bytes([masked << 7 | 127]) + struct.pack("!Q", length)
        mask = os.urandom(4) if masked else b""
        if masked:
            payload = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
        self.socket.sendall(head + mask + payload)

    def send(self, message):
        """A message as an object, or the text of one as bytes."""
        self.send_frame(message if isinstance(message, bytes) else json.dumps(message).encode())

    def read_frame(self):
        """(opcode, payload); None at the end of the connection."""
        if not self.buffer:
            self.buffer = self.socket.recv(65536)
            if not self.buffer:
                return None
        first, length = self.take(2)
        assert first & 0x80 and not first & 0x70 and not length & 0x80, (first, length)
        if length == 126:
            length = struct.unpack("!H", self.take(2))[0]
            assert length > 125
        return first & 15, self.take(length)

    def read_line(self):
        """The next text message; None at a close frame, whose code is then in `code`, or at the end."""
        frame = self.read_frame()
        if frame and frame[0] == 1:
            assert b"\n" not in frame[1]
            self.lines.append(frame[1].decode())
            return self.lines[-1]
        assert frame is None or frame[0] == 8, frame
        self.code = struct.unpack("!H", frame[1][:2])[0] if frame and frame[1] else None
        return None

    def ended(self):
        """Whether there is nothing after the close frame."""
        try:
            return self.read_frame() is None
        except ConnectionResetError:
            return True
