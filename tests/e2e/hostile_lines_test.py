"""Messages that are wrong on purpose, over every way in: each gets the answer that PROTOCOL.md has for it and costs nothing
else, neither on its own connection, where that is allowed to live, nor on others."""
import json
import socket
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
from transports import Daemon, check_lines  # noqa: E402

HUNDRED_MEGABYTES = 100 * 1000 * 1000
NAME = "n" * 10000


def pushed(numbers, **more):
    """A `poses` request of one pose, whose position is written as it stands."""
    return ('{"type":"poses","id":1,%s"poses":[{"device":"d","position":[%s],"orientation":[0,0,0,1]}]}' %
            ("".join(f'"{key}":{value},' for key, value in more.items()), numbers)).encode()


class Case(clashd.TestCase):
    def setUp(self):
        super().setUp()
        self.daemon = Daemon("--source", "none", "--tcp", "0", "--websocket", "0", home=self.home)
        self.addCleanup(self.daemon.__exit__, None)

    def tearDown(self):
        self.daemon.serves()

    def everywhere(self):
        """A client for each way in."""
        for way, connect in self.daemon.ways().items():
            with connect() as client:
                client.way = way
                yield client

    def send(self, client, text):
        client.send(text if client.way == "websocket" else text + b"\n")

    def refused(self, client, text, code, *says):
        """The next message is an `error` that says so, and the one after that is of a request that is served."""
        self.send(client, text)
        error = client.read()
        self.assertEqual((error["type"], error.get("code")), ("error", code), (client.way, text[:200], error))
        for part in says:
            self.assertIn(part, error["message"])
        self.assertLess(len(client.lines[-1]), 1500)
        self.serves(client)
        return error

    def serves(self, client):
        self.send(client, b'{"type":"ping","id":"alive"}')
        reply = client.read()
        self.assertEqual((reply["type"], reply["id"]), ("ok", "alive"))
        check_lines(self, client.lines)


class Json(Case):
    def test_deep_nesting(self):
        for client in self.everywhere():
            for text in (b"[" * 65000, b'{"a":' * 12000, b'{"type":"ping","id":1,"x":' + b"[" * 65 + b"]" * 65 + b"}",
                         b'{"type":"ping","id":1,"x":' + b"[{\"a\":" * 8000 + b"1" + b"}]" * 8000):
                self.refused(client, text, "bad_json")
            self.send(client, b'{"type":"ping","id":"deep","x":' + b"[" * 60 + b"]" * 60 + b"}")
            self.assertEqual(client.read()["id"], "deep")

    def test_invalid_utf8(self):
        """In a frame of WebSocket it ends the connection, as its RFC has it; a line costs only itself."""
        for client in self.everywhere():
            for wrong in (b"\xff", b"\xc0\xaf", b"\xe2\x98", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80"):
                text = b'{"type":"ping","id":"' + wrong + b'"}'
                if client.way != "websocket":
                    self.refused(client, text, "bad_json")
                    continue
                with self.daemon.connect_websocket() as other:
                    other.send(text)
                    self.assertIsNone(other.read_line())
                    self.assertEqual(other.code, 1007)

    def test_strings_that_are_none(self):
        for client in self.everywhere():
            for wrong in (rb"\ud800", rb"\udc00\ud800", rb"\u12", rb"\x41", b"\x01", b"\t"):
                self.refused(client, b'{"type":"ping","id":"' + wrong + b'"}', "bad_json")
            self.refused(client, b'{"type":"ping",\0"id":1}', "bad_json")
            self.refused(client, rb'{"type":"ping","id":"a\u0000b"}', "bad_json")

    def test_duplicate_keys(self):
        for client in self.everywhere():
            for text in (b'{"type":"ping","type":"subscribe","id":1}', b'{"type":"ping","id":1,"id":2}',
                         rb'{"type":"ping","id":1,"i\u0064":2}', b'{"type":"ping","id":1,"x":{"a":1,"b":2,"a":3}}'):
                self.refused(client, text, "bad_json")

    def test_many_keys(self):
        keys = ",".join(f'"{index:x}":0' for index in range(6000))
        for client in self.everywhere():
            self.send(client, b'{"type":"ping","id":"many",' + keys.encode() + b"}")
            self.assertEqual(client.read()["id"], "many")
            self.refused(client, b'{"type":"ping","id":1,' + keys.encode() + b',"0":1}', "bad_json")

    def test_numbers_that_no_double_holds(self):
        for client in self.everywhere():
            for number in ("1e999", "-1e999", "1" + "0" * 400):
                self.refused(client, pushed(f"0,{number},0"), "bad_json")
                self.refused(client, pushed("0,0,0", time_ns=number), "bad_json")
                for text in ('{"type":"subscribe","id":1,"min_closing_speed":%s}', '{"type":"ping","id":%s}',
                             '{"type":"ping","id":1,"unknown":%s}'):
                    self.refused(client, (text % number).encode(), "bad_json")

    def test_numbers_too_large_for_what_they_are(self):
        for client in self.everywhere():
            for number in ("1e308", "-1e39", "9007199254740993", "1e300"):
                self.refused(client, pushed("0,0,0", time_ns=number), "bad_message", "time_ns")
                self.refused(client, b'{"type":"ping","id":%s}' % number.encode(), "bad_message", "id")
                self.refused(client, b'{"type":"subscribe","id":1,"min_closing_speed":%s}' % number.encode(), "bad_message",
                             "min_closing_speed")

    def test_numbers_that_are_none(self):
        for client in self.everywhere():
            for number in (b"NaN", b"Infinity", b"-Infinity", b"0x10", b"01", b"+1", b".5", b"1.", b"1e", b"--1", b"1_0"):
                self.refused(client, b'{"type":"subscribe","id":1,"min_closing_speed":%s}' % number, "bad_json")


class Names(Case):
    def test_of_ten_kilobytes(self):
        blade = {"type": "blade", "id": 1, "name": "a", "device": "a", "base": [0, 0, 0], "tip": [0, 0, 1], "radius": 0.1}
        for client in self.everywhere():
            for key in ("name", "device"):
                error = self.refused(client, json.dumps({**blade, key: NAME}).encode(), "bad_message", key)
                self.assertEqual(error["id"], 1)
            self.refused(client, json.dumps({"type": "remove", "id": 1, "name": NAME}).encode(), "bad_message", "name")
            self.refused(client, json.dumps({"type": "subscribe", "id": 1, "blades": [NAME]}).encode(), "bad_message", "blades")
            self.refused(client, json.dumps({"type": "subscribe", "id": 1, "events": [NAME]}).encode(), "unknown_name", "events")
            self.refused(client, json.dumps({"type": NAME, "id": 1}).encode(), "unknown_type")
            error = self.refused(client, json.dumps({"type": "ping", "id": NAME}).encode(), "bad_message", "id")
            self.assertNotIn("id", error)
            self.send(client, json.dumps({"type": "ping", "id": 2, NAME: NAME}).encode())
            self.assertEqual(client.read()["id"], 2)
            hello = client.request({"type": "status", "id": 3})
            self.assertNotIn("nnnn", json.dumps(hello))


class Length(Case):
    def test_a_line_of_a_hundred_megabytes(self):
        block = b'{"x":"' + b"x" * 999994
        for client in self.everywhere():
            if client.way == "websocket":
                continue
            for _ in range(HUNDRED_MEGABYTES // len(block)):
                client.socket.sendall(block)
            self.refused(client, b'"}', "line_too_long", "65536")
            self.assertEqual(len(client.lines), 3)

    def test_a_message_of_a_hundred_megabytes(self):
        """As one frame, and as frames of which each alone would do."""
        for length, frames in ((HUNDRED_MEGABYTES, 1), (60000, HUNDRED_MEGABYTES // 60000)):
            with self.daemon.connect_websocket() as client:
                try:
                    for index in range(frames):
                        client.send_frame(b"x" * min(length, 65536), opcode=0 if index else 1, fin=False, length=length)
                except (BrokenPipeError, ConnectionResetError):
                    continue # it closed while more was sent, and what it said is lost with that
                self.assertIsNone(client.read_line())
                self.assertEqual(client.code, 1009)


class HalfClosed(Case):
    def test_what_was_said_before_is_answered(self):
        for way in ("unix", "tcp"):
            with self.daemon.ways()[way]() as client:
                client.send(b'{"type":"ping","id":1}\n{"type":"ping","id":2}\n{"type":"pi')
                client.socket.shutdown(socket.SHUT_WR)
                said = [json.loads(line) for line in client.read_all()]
                self.assertEqual([message.get("id", message.get("code")) for message in said], [1, 2, "bad_json"])

    def test_a_page_that_ends_so_is_gone(self):
        with self.daemon.connect_websocket() as client:
            client.socket.shutdown(socket.SHUT_WR)
            self.assertTrue(client.ended())

    def test_who_will_not_read_any_more(self):
        """Its own end of reading is closed: what it asks for finds nobody."""
        for connect in self.daemon.ways().values():
            with connect() as client:
                client.subscribe()
                client.socket.shutdown(socket.SHUT_RD)
                try:
                    for index in range(100):
                        client.send({"type": "ping", "id": index})
                except (BrokenPipeError, ConnectionResetError):
                    pass
            self.daemon.serves()


if __name__ == "__main__":
    unittest.main()
