"""WebSocket: the same events, and who is kept out: pages of other origins, names that are not ours, who has no token, and
frames that break the rules, each with its code. After each, clashd still serves the others."""
import json
import os
import socket
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
from transports import Daemon, TcpClient, WebSocketClient, check_lines  # noqa: E402

DUEL = clashd.DATA / "duel-20s.jsonl"
REPLAY = ("--source", f"replay:{DUEL}", "--speed", "max", "--wait-for-client", "--exit-at-end")


class Case(clashd.TestCase):
    settings = {}

    def setUp(self):
        super().setUp()
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({"socket": {"websocket": "127.0.0.1:0", **self.settings}}))
        self.daemon = Daemon("--source", "none", "--config", settings, home=self.home)
        self.addCleanup(self.daemon.__exit__, None)

    def tearDown(self):
        if self.daemon.process.poll() is None and self.daemon.token_file.exists():
            self.daemon.serves()

    def open(self, **request):
        client = WebSocketClient(self.daemon.websocket, **request)
        self.addCleanup(client.close)
        return client

    def refused(self, status, *says, **request):
        client = self.open(**request)
        self.assertEqual(client.status, status, getattr(client, "body", request))
        for part in says:
            self.assertIn(part, client.body)
        self.assertEqual(client.body.count("\n"), 1)
        return client

    def taken(self, **request):
        client = self.open(**request)
        self.assertEqual(client.status, 101, getattr(client, "body", None))
        self.assertEqual(client.read()["type"], "hello")
        return client

    def wait_until_alone(self, client):
        """Until the others that have closed their ends are gone."""
        deadline = time.monotonic() + clashd.WAIT_S
        while client.request({"type": "status", "id": 1})["clients"] > 1:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)


class Events(clashd.TestCase):
    def test_they_are_the_same_everywhere(self):
        found = clashd.detect(DUEL, home=self.home)
        with Daemon(*REPLAY, "--websocket", "0", home=self.home) as daemon, daemon.connect_websocket() as client:
            client.subscribe()
            self.assertEqual(clashd.unsourced(client.read_all()), found)
            self.assertEqual(client.code, 1001)
            check_lines(self, client.lines)
            self.assertEqual(daemon.wait(), 0)


class Upgrade(Case):
    def test_the_token_comes_either_way(self):
        token = self.daemon.token
        client = self.taken(token=token)
        self.assertEqual(client.headers["Sec-WebSocket-Protocol"], "clashd.v1")
        for path in (f"/?token={token}", f"/any/path?a=b&token={token}&c"):
            client = self.taken(path=path)
            self.assertNotIn("Sec-WebSocket-Protocol", client.headers)
        self.taken(path=f"/?token={token}", Sec_WebSocket_Protocol="clashd.v1")
        self.taken(Sec_WebSocket_Protocol=f"token.{token},chat,clashd.v1")
        self.taken(token=token, Upgrade="h2c, WebSocket", Connection="keep-alive, upgrade")

    def test_without_the_token_nobody_gets_in(self):
        token, file = self.daemon.token, str(self.daemon.token_file)
        self.refused(401, "no token", file)
        self.refused(401, "no token", file, path="/?tokens=1")
        for wrong in (token[:-1] + ("0" if token[-1] != "0" else "1"), token[:-1], token + "0", "x"):
            self.refused(401, "wrong token", file, token=wrong)
            self.refused(401, "wrong token", file, path=f"/?token={wrong}")
        self.assertNotIn(token, "\n".join(self.daemon.log))

    def test_what_a_stranger_says_is_not_repeated(self):
        """No token comes back or into the log, however wrong the rest, and of all else no more than a line's part."""
        token, wrong = self.daemon.token, "0123456789abcdef" * 3
        long = "e" * 7000
        for status, request in ((401, {"token": wrong}), (401, {"path": f"/?token={wrong}"}), (401, {"path": "/" + long}),
                                (401, {"path": f"/?token={wrong}{long}"}), (403, {"token": token, "Origin": "http://" + long}),
                                (403, {"token": token, "Host": long}), (403, {"token": token, "Host": "a\tb"}),
                                (426, {"token": token, "Upgrade": long}), (400, {"token": token, "Sec_WebSocket_Key": long}),
                                (400, {"token": token, "Origin": "http://a\x1b[2J"})):
            client = self.refused(status, **request)
            for part in (token, wrong, "e" * 200, "\x1b", "\t"):
                self.assertNotIn(part, client.body)
            self.assertLess(len(client.body), 1024)
        index = 0
        for _ in range(10):
            index = self.daemon.wait_for_log("refused a client", index)
        said = [line for line in self.daemon.log if "refused" in line]
        for line in said:
            self.assertRegex(line, r"\Aclashd: warning: refused a client at [^\x00-\x1f\x7f]*\Z")
            self.assertLess(len(line), 1024)
        for part in (token, wrong, "e" * 200):
            self.assertNotIn(part, "\n".join(said))

    def test_pages_of_other_origins_are_kept_out(self):
        token = self.daemon.token
        for origin in ("https://evil.example", "http://localhost.evil.example", "http://127.0.0.1.evil.example", "null",
                       "http://evil.example:80", "file://", "http://", "http://[::1", "http://localhost:80:80x", "", "localhost",
                       "chrome-extension://localhost", "http://localhost@evil.example", "http://user@localhost",
                       "http://localhost/", "http://evil\xe4"):
            client = self.refused(403, "Origin", "socket.allowed_origins", token=token, Origin=origin)
            self.assertIn(origin.replace("\xe4", "?"), client.body)
        for origin in ("http://localhost", "http://localhost:8080", "https://127.0.0.1:1", "http://[::1]:3000", "https://[::1]"):
            self.taken(token=token, Origin=origin)

    def test_names_that_are_not_ours_are_kept_out(self):
        token = self.daemon.token
        for host in ("evil.example", "evil.example:4717", "localhost.evil.example", "127.0.0.1.evil.example", "192.0.2.1",
                     "localhost@evil", "", ":80", "127.0.0.2"):
            self.refused(403, host, "socket.allowed_hosts", token=token, Host=host)
        self.refused(400, "Host", token=token, omit=("Host",))
        self.refused(403, "rebound.example", token=token, Host="rebound.example", Origin="http://rebound.example")
        for host in ("localhost", "LOCALHOST:80", "127.0.0.1:1", "[::1]:5", "[::1]"):
            self.taken(token=token, Host=host)

    def test_what_is_no_upgrade_is_told_what_is_here(self):
        self.refused(426, "WebSocket", omit=("Upgrade", "Connection"))
        self.refused(426, omit=("Upgrade",))
        self.refused(426, Connection="keep-alive")
        client = self.refused(426, "13", Sec_WebSocket_Version="8")
        self.assertEqual(client.headers["Sec-WebSocket-Version"], "13")
        for key in ("", "short", "x" * 24, "=" * 24, "AAAAAAAAAAAAAAAAAAAAAA=A"):
            self.refused(400, "Sec-WebSocket-Key", Sec_WebSocket_Key=key)
        self.refused(400, "clashd.v1", Sec_WebSocket_Protocol="chat")
        self.refused(400, "body", Content_Length="5")
        self.refused(400, "body", Transfer_Encoding="chunked")

    def raw(self, request):
        client = WebSocketClient.__new__(WebSocketClient)
        client.socket = socket.create_connection(self.daemon.websocket, timeout=clashd.WAIT_S)
        self.addCleanup(client.close)
        client.buffer = b""
        client.upgrade(request)
        return client.status

    def test_what_is_no_http_is_refused(self):
        good = b"Host: localhost\r\n\r\n"
        for request in (b"GET / HTTP/1.0\r\n" + good, b"GET / HTTP/2.0\r\n" + good, b"GET  / HTTP/1.1\r\n" + good,
                        b"GET http://localhost/ HTTP/1.1\r\n" + good, b"GET /\xff HTTP/1.1\r\n" + good,
                        b"GET / HTTP/1.1\n" + good, b"GET / HTTP/1.1\r\n folded: 1\r\n" + good,
                        b"GET / HTTP/1.1\r\nHost : localhost\r\n" + good, b"GET / HTTP/1.1\r\nA: \0\r\n" + good,
                        b"GET / HTTP/1.1\r\nA: \r\r\n" + good, b"GET / HTTP/1.1\r\nno colon\r\n" + good,
                        b"GET / HTTP/1.1\r\n: nameless\r\n" + good, b"GET / HTTP/1.1\r\nHost: localhost\r\n" + good,
                        b"GET\r\n\r\n", b'{"type":"auth"}\n', b"\x16\x03\x01\x00"):
            self.assertEqual(self.raw(request), 400, request)
        self.assertEqual(self.raw(b"POST / HTTP/1.1\r\n" + good), 405)
        self.assertEqual(self.raw(b"GET /x HTTP/1.1\r\n" + good), 404)
        self.assertEqual(self.raw(b"GET /x HTTP/1.1\r\nSec-WebSocket-Version: 13\r\n" + good), 426)
        self.assertEqual(self.raw(b"GET / HTTP/1.1\r\nCookie: " + b"x" * 8192), 431)

    def test_slow_ones_end(self):
        sockets = [socket.create_connection(self.daemon.websocket, timeout=clashd.WAIT_S) for _ in range(20)]
        for one in sockets:
            one.sendall(b"GET / HTTP/1.1\r\nHost: local")
        for one in sockets:
            answer = b""
            while received := one.recv(65536):
                answer += received
            self.assertTrue(answer.startswith(b"HTTP/1.1 408 "), answer)
            one.close()

    def test_byte_by_byte(self):
        client = WebSocketClient.__new__(WebSocketClient)
        client.socket = socket.create_connection(self.daemon.websocket, timeout=clashd.WAIT_S)
        self.addCleanup(client.close)
        client.buffer, client.lines, client.key = b"", [], "AAAAAAAAAAAAAAAAAAAAAA=="
        request = (f"GET /?token={self.daemon.token} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
                   f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {client.key}\r\n\r\n").encode()
        frame = b"\x81\x8f\0\0\0\0" + b'{"type":"ping"}'
        for byte in request[:-1]:
            client.socket.sendall(bytes([byte]))
        client.upgrade(request[-1:] + frame + b"\x89\x80\0\0\0\0")
        self.assertEqual(client.status, 101)
        self.assertEqual(client.read()["type"], "hello")
        self.assertEqual(client.read_frame(), (10, b""))


class Configured(Case):
    settings = {"allowed_origins": ["https://game.example"], "allowed_hosts": ["pc.local"], "max_clients": 3}

    def test_the_lists_are_what_counts(self):
        token = self.daemon.token
        for origin in ("http://localhost", "http://game.example", "https://game.example:8443", "https://game.example.evil"):
            self.refused(403, origin, token=token, Origin=origin)
        self.taken(token=token, Origin="https://game.example", Host="pc.local:4717").close()
        self.taken(token=token, Host="PC.local").close()
        self.refused(403, token=token, Host="other.pc.local")
        with self.daemon.connect() as client:
            self.wait_until_alone(client)

    def test_beyond_max_clients(self):
        inside = [self.taken(token=self.daemon.token) for _ in range(3)]
        for _ in range(50):
            self.refused(503, "max_clients", token=self.daemon.token)
        # Beyond those that could ask for a page nobody is even listened to.
        quiet = [socket.create_connection(self.daemon.websocket, timeout=clashd.WAIT_S) for _ in range(9)]
        self.assertTrue(quiet.pop().recv(65536).startswith(b"HTTP/1.1 503 "))
        for one in quiet:
            one.close()
        self.assertEqual(inside[0].request({"type": "ping", "id": 1})["type"], "ok")
        for client in inside[1:]:
            client.close()
        with inside[0]:
            self.wait_until_alone(inside[0])


class TwoEndpoints(Case):
    settings = {"tcp": "127.0.0.1:0", "max_clients": 2}

    def test_together_they_let_in_no_more(self):
        """However many are in their handshakes: those that finish it later find the room taken."""
        token = self.daemon.token
        lines = [TcpClient(self.daemon.tcp) for _ in range(2)]
        pages = [socket.create_connection(self.daemon.websocket, timeout=clashd.WAIT_S) for _ in range(2)]
        for one in lines:
            one.socket.sendall(json.dumps({"type": "auth", "token": token}).encode())
        for one in pages:
            one.sendall(b"GET /?token=%s HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n" % token.encode())
        for one in lines:
            one.socket.sendall(b"\n")
            self.assertEqual(one.read()["type"], "hello")
        for one in pages:
            one.sendall(b"\r\n")
            self.assertTrue(one.recv(65536).startswith(b"HTTP/1.1 503 "))
            one.close()
        lines[1].close()
        with lines[0]:
            self.wait_until_alone(lines[0])

class Waived(Case):
    settings = {"require_token": False}

    def test_origin_and_host_still_count(self):
        self.taken()
        self.refused(403, Origin="https://evil.example")
        self.refused(403, Host="evil.example")


class Frames(Case):
    def setUp(self):
        super().setUp()
        self.client = self.taken(token=self.daemon.token)

    def closed_with(self, code):
        while self.client.read_line() is not None:
            pass
        self.assertEqual(self.client.code, code)
        self.assertTrue(self.client.ended())

    def test_messages_may_come_in_pieces(self):
        text = json.dumps({"type": "ping", "id": "\u00e4\u2603"}, ensure_ascii=False).encode()
        for index, byte in enumerate(text):
            self.client.send_frame(bytes([byte]), opcode=0 if index else 1, fin=index == len(text) - 1)
            if index % 7 == 3:
                self.client.send_frame(b"in between", opcode=9)
                self.assertEqual(self.client.read_frame(), (10, b"in between"))
                self.client.send_frame(b"", opcode=0, fin=False) if index < len(text) - 1 else None
        self.assertEqual(self.client.read()["id"], "\u00e4\u2603")

    def test_newlines_within_are_white_space(self):
        self.client.send(b'\n{"type":\n"ping","id":1}\n\n')
        self.assertEqual(self.client.read()["id"], 1)
        self.client.send_frame(b"")
        self.client.send(b"{nonsense")
        self.assertEqual(self.client.read()["code"], "bad_json")

    def test_as_long_as_may_be(self):
        for length in (125, 126, 127, 65535):
            text = b'{"type":"ping","id":%d}' % length
            self.client.send(text + b" " * (length - len(text)))
            self.assertEqual(self.client.read()["id"], length)

    def test_too_long(self):
        self.client.send_frame(b"x" * 65536)
        self.closed_with(1009)

    def test_too_long_in_pieces(self):
        self.client.send_frame(b"x" * 40000, fin=False)
        self.client.send_frame(b"x" * 40000, opcode=0, fin=False)
        self.closed_with(1009)

    def test_endless(self):
        self.client.send_frame(b"x", length=2**63 - 1)
        self.closed_with(1009)

    def test_unmasked(self):
        self.client.send_frame(b'{"type":"ping","id":1}', masked=False)
        self.closed_with(1002)

    def test_binary(self):
        self.client.send_frame(b"{}", opcode=2)
        self.closed_with(1003)

    def test_bad_utf8(self):
        self.client.send_frame(b'{"type":"ping","id":"\xff"}')
        self.closed_with(1007)

    def test_half_a_character_at_the_end(self):
        self.client.send_frame(b'"\xe2\x98', fin=False)
        self.client.send_frame(b"", opcode=0)
        self.closed_with(1007)

    def test_reserved_bits_and_opcodes(self):
        self.client.send_frame(b"{}", rsv=4)
        self.closed_with(1002)
        for opcode in (3, 7, 11, 15):
            self.client = self.taken(token=self.daemon.token)
            self.client.send_frame(b"", opcode=opcode)
            self.closed_with(1002)

    def test_broken_control_frames(self):
        self.client.send_frame(b"x", opcode=9, fin=False)
        self.closed_with(1002)
        self.client = self.taken(token=self.daemon.token)
        self.client.send_frame(b"x" * 126, opcode=9)
        self.closed_with(1002)

    def test_a_continuation_of_nothing(self):
        self.client.send_frame(b"x", opcode=0)
        self.closed_with(1002)

    def test_close_is_answered(self):
        self.client.send_frame(b'{"type":"ping","id":1}')
        self.client.send_frame(b"\x03\xe8bye", opcode=8)
        self.assertEqual(self.client.read()["id"], 1)
        self.closed_with(1000)

    def test_a_flood_of_pings_is_answered_as_it_is_read(self):
        count = 3000
        self.client.socket.setblocking(True)
        ping = b"\x89\xfd" + b"\0\0\0\0" + b"p" * 125
        sender = os.fork()
        if sender == 0:
            try:
                self.client.socket.sendall(ping * count)
            finally:
                os._exit(0)
        for _ in range(count):
            self.assertEqual(self.client.read_frame(), (10, b"p" * 125))
        os.waitpid(sender, 0)

    def test_it_says_goodbye_when_it_is_stopped(self):
        self.assertEqual(self.daemon.stop(), 0)
        self.closed_with(1001)

    def test_ended_without_a_close(self):
        self.client.socket.shutdown(socket.SHUT_WR)
        self.assertTrue(self.client.ended())

    def test_deep_nesting(self):
        self.client.send(b'{"type":"ping","id":1,"x":' + b"[" * 30000 + b"]" * 30000 + b"}")
        self.assertEqual(self.client.read()["code"], "bad_json")
        self.assertEqual(self.client.request({"type": "ping", "id": 1})["type"], "ok")


if __name__ == "__main__":
    unittest.main()
