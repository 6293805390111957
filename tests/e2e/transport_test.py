"""The other ways in than the Unix socket, and who is kept out: TCP with its token. What is hostile here is followed by a
look at whether clashd still serves the others. WebSocket has websocket_test.py."""
import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
from transports import Daemon, TcpClient, check_lines  # noqa: E402

DUEL = clashd.DATA / "duel-20s.jsonl"
REPLAY = ("--source", f"replay:{DUEL}", "--speed", "max", "--wait-for-client", "--exit-at-end")


class Events(clashd.TestCase):
    def test_they_are_the_same_everywhere(self):
        found = clashd.detect(DUEL, home=self.home)
        with Daemon(*REPLAY, "--tcp", "0", home=self.home) as daemon, daemon.connect_tcp() as client:
            client.subscribe()
            lines = client.read_all()
            self.assertEqual(daemon.wait(), 0)
        check_lines(self, client.lines)
        self.assertEqual(clashd.unsourced(lines), found)
        self.assertEqual([json.loads(line)["type"] for line in client.lines[:2]], ["hello", "ok"])

    def test_over_ipv6(self):
        try:
            with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as probe:
                probe.bind(("::1", 0))
        except OSError as problem:
            self.skipTest(f"no IPv6 here: {problem}")
        with Daemon("--source", "none", "--tcp", "[::1]:0", home=self.home) as daemon:
            self.assertEqual(daemon.tcp[0], "::1")
            daemon.serves()


class Token(clashd.TestCase):
    def setUp(self):
        super().setUp()
        self.daemon = Daemon("--source", "none", "--tcp", "127.0.0.1:0", home=self.home)
        self.addCleanup(self.daemon.__exit__, None)

    def tearDown(self):
        self.daemon.serves()

    def refused(self, client, code, *says):
        error = client.read()
        check_lines(self, client.lines)
        self.assertEqual((error["type"], error["code"]), ("error", code))
        for part in says:
            self.assertIn(part, error["message"])
        self.assertTrue(client.ended())
        client.close()
        return error

    def test_its_file_is_private_and_goes_with_the_daemon(self):
        self.assertEqual(self.daemon.token_file.name, "clashd.token")
        self.assertEqual(stat.S_IMODE(self.daemon.token_file.stat().st_mode), 0o600)
        self.assertRegex(self.daemon.token_file.read_text(), r"\A[0-9a-f]{64}\n\Z")
        home = self.home / "other"
        home.mkdir()
        with Daemon("--source", "none", "--tcp", "0", home=home) as other:
            self.assertNotEqual(other.token, self.daemon.token)
            self.assertTrue(other.token_file.exists())
        self.assertFalse(other.token_file.exists())

    def test_a_link_in_its_place_is_replaced_not_followed(self):
        home = self.home / "other"
        (home / "clashd").mkdir(parents=True)
        precious = home / "precious"
        precious.write_text("precious")
        for name in ("clashd.token", "clashd.token.new"):
            (home / "clashd" / name).symlink_to(precious)
        with Daemon("--source", "none", "--tcp", "0", home=home) as other:
            self.assertFalse(other.token_file.is_symlink())
            other.serves()
        self.assertEqual(precious.read_text(), "precious")

    def test_hello_comes_only_after_it(self):
        with TcpClient(self.daemon.tcp) as client:
            client.socket.settimeout(0.3)
            with self.assertRaises(TimeoutError):
                client.socket.recv(1)
            client.socket.settimeout(clashd.WAIT_S)
            client.send({"type": "auth", "id": "in", "token": self.daemon.token})
            self.assertEqual(client.read()["id"], "in")
            self.assertEqual(client.read()["type"], "hello")
            self.assertEqual(client.request({"type": "auth", "id": 2, "token": "again"})["type"], "ok")
            check_lines(self, client.lines)

    def test_what_follows_it_at_once_is_read(self):
        with TcpClient(self.daemon.tcp) as client:
            token = json.dumps({"type": "auth", "token": self.daemon.token}).encode()
            for part in (token[:1], token[1:20], token[20:] + b"\r\n" + b'{"type":"ping","id":5}\n{"type":"pi',
                         b'ng","id":6}\n'):
                client.send(part)
                time.sleep(0.05)
            self.assertEqual([client.read().get(key) for key in ("protocol", "id", "id")], [1, 5, 6])

    def test_a_wrong_one_is_refused_and_told_where_it_is(self):
        wrong = self.daemon.token[:-1] + ("0" if self.daemon.token[-1] != "0" else "1")
        for token in (wrong, "", "x" * 128, self.daemon.token + "0", self.daemon.token[:-1], "\u00e4" * 128):
            error = self.refused(TcpClient(self.daemon.tcp, token, id=1), "unauthorized", str(self.daemon.token_file))
            self.assertEqual(error["id"], 1)
            self.assertNotIn(self.daemon.token, json.dumps(error))

    def test_nothing_else_comes_first(self):
        for line, code in ((b'{"type":"subscribe"}\n', "unauthorized"), (b'{"type":"dance"}\n', "unauthorized"),
                           (b"{}\n", "bad_message"), (b"{nonsense\n", "bad_json"), (b"\n{}\n", "bad_message"),
                           (b"\xef\xbb{}\n", "bad_json"), (b"\xff\n", None), (b"\n" * 4096, "line_too_long"),
                           (b'{"type":"auth","token":7}\n', "bad_message"), (b'{"type":"auth"}\n', "bad_message"),
                           (b'{"type":"auth","token":"\xff"}\n', "bad_json"),
                           (b'{"type":"auth","token":"a","token":"b"}\n', "bad_json"),
                           (b'{"a":' * 500 + b"\n", "bad_json"),
                           (b'{"type":"auth","token":"' + b"x" * 4096, "line_too_long")):
            client = TcpClient(self.daemon.tcp)
            client.send(line)
            if code:
                self.refused(client, code)
            else:
                self.assertTrue(client.ended())
                client.close()

    def auth(self, length):
        """A first line of so many bytes."""
        text = json.dumps({"type": "auth", "id": 1, "token": self.daemon.token}).encode()
        return text + b" " * (length - 1 - len(text)) + b"\n"

    def test_the_first_line_may_have_4096_bytes(self):
        with TcpClient(self.daemon.tcp) as client:
            client.send(self.auth(4096))
            self.assertEqual([client.read()["type"] for _ in range(2)], ["ok", "hello"])
        client = TcpClient(self.daemon.tcp)
        client.send(self.auth(4097))
        self.refused(client, "line_too_long", "4096")

    def test_empty_lines_and_a_mark_before_it_are_passed_over(self):
        """As anywhere else; .NET's StreamWriter begins with a byte order mark."""
        mark = b"\xef\xbb\xbf"
        for before in (b"\n", b"\r\n", b" \t\n\n\r\n", mark, mark + b"\n", mark + b"\r\n" + mark + b" \n"):
            for parts in ((before + self.auth(200),), (before, self.auth(200)), (before[:1], before[1:] + self.auth(200))):
                with TcpClient(self.daemon.tcp) as client:
                    for part in parts:
                        client.send(part)
                        time.sleep(0.02)
                    self.assertEqual([client.read()["type"] for _ in range(2)], ["ok", "hello"], parts)
                    client.send(before + b'{"type":"ping","id":2}\n')
                    self.assertEqual(client.read()["id"], 2)

    def test_what_a_stranger_says_is_not_repeated(self):
        """No token comes back or into the log, however wrong the rest; what does come back is short, and of one line there."""
        token, lines = self.daemon.token, len(self.daemon.log)
        messages = [{"type": "auth", "token": shape} for shape in
                    (token * 3, [token], {token: token}, {"token": token}, [[token]] * 50, token[:-1], token + "\n")]
        messages += [{"type": "auth", "tokens": token}, {"type": "subscribe", "token": token},
                     {"type": "subscribe", "events": ["a\nclashd: error: made up\x1b[2J" + "x" * 3000]},
                     {"type": "subscribe", "axes": "\n" * 3000}, {"type": "\n" * 1000}, {"type": "subscribe", "blades": "x" * 3000}]
        said = [json.dumps(message).encode() for message in messages]
        said += [b'{"a\\nb":1,"a\\nb":2}', b'{"' + b"k" * 1800 + b'":1,"' + b"k" * 1800 + b'":2}',
                 b'{"type":"auth","token":"%s" "%s"}' % ((token.encode(),) * 2), token.encode().join([b'{"'] * 30)]
        for line in said:
            with TcpClient(self.daemon.tcp) as client:
                client.send(line + b"\n")
                self.assertEqual(client.read()["type"], "error", line)
                self.assertTrue(client.ended())
                check_lines(self, client.lines)
                self.assertNotIn(token[:-1], client.lines[0])
                self.assertLess(len(client.lines[0]), 1024)
        index = 0
        for _ in range(len(said)):
            index = self.daemon.wait_for_log("refused a client", index)
        self.assertNotIn(token[:-1], "\n".join(self.daemon.log))
        for line in self.daemon.log[lines:]:
            self.assertRegex(line, r"\Aclashd: warning: refused a client at [^\x00-\x1f\x7f]*\Z")
            self.assertLess(len(line), 1024)

    def test_http_dies_at_its_first_byte(self):
        for first in (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"POST / HTTP/1.1\r\n\r\n", b"\x16\x03\x01", b"\0"):
            with TcpClient(self.daemon.tcp) as client:
                client.send(first)
                self.assertTrue(client.ended())
                self.assertEqual(client.lines, [])
        self.daemon.wait_for_log("first byte, 0x47, begins no message")

    def test_slow_handshakes_end(self):
        started = time.monotonic()
        clients = [TcpClient(self.daemon.tcp) for _ in range(20)]
        for client in clients[:10]:
            client.send(b'{"type":')
        for client in clients:
            self.refused(client, "unauthorized", "5000 ms", str(self.daemon.token_file))
        self.assertGreater(time.monotonic() - started, 4)  # on no machine are they refused sooner
        with self.daemon.connect() as client:
            counters = client.request({"type": "status", "id": 1})["counters"]
        self.assertEqual(counters["handshakes_refused"], 20)

    def test_who_leaves_early_costs_nothing(self):
        for first in (b"", b"{", b'{"type":"auth"'):
            for _ in range(30):
                client = TcpClient(self.daemon.tcp)
                client.send(first)
                client.close()

    def test_half_closed(self):
        with TcpClient(self.daemon.tcp, self.daemon.token) as client:
            client.send(b'{"type":"subscribe","id":1}\n{"type":"ping","id":2}')
            client.socket.shutdown(socket.SHUT_WR)
            self.assertEqual([client.read().get("id") for _ in range(3)], [None, 1, 2])
            client.socket.settimeout(0.3)
            with self.assertRaises(TimeoutError):
                client.read()
        with TcpClient(self.daemon.tcp, self.daemon.token) as client:
            client.send(b'{"type":"ping","id":2}\n')
            client.socket.shutdown(socket.SHUT_WR)
            self.assertEqual([json.loads(line).get("id") for line in client.read_all()], [None, 2])

    def test_who_comes_back_gets_its_names_again(self):
        """A connection that has been closed looks over TCP as one that only says nothing more, and may hear on."""
        blade = {"type": "blade", "id": "b", "name": "mine", "device": "mine", "base": [0, 0, 0], "tip": [0, 1, 0], "radius": 0.1}
        for _ in range(3):
            client = self.daemon.connect_tcp()
            client.subscribe(events=["clash"])  # of which there are none: clashd has nothing to write
            deadline = time.monotonic() + clashd.WAIT_S
            while client.request(blade)["type"] != "ok":
                self.assertLess(time.monotonic(), deadline, "its name stays taken")
                time.sleep(0.02)
            client.close()

    def test_a_hundred_megabytes_without_a_newline(self):
        with self.daemon.connect_tcp() as client:
            for _ in range(1600):
                client.send(b"x" * 65536)
            client.send(b"\n")
            error = client.read()
            self.assertEqual((error["type"], error["code"]), ("error", "line_too_long"))
            self.assertEqual(client.request({"type": "ping", "id": 1})["type"], "ok")

    def test_deep_nesting(self):
        with self.daemon.connect_tcp() as client:
            client.send(b'{"type":"ping","id":1,"x":' + b"[" * 30000 + b"]" * 30000 + b"}\n")
            self.assertEqual(client.read()["code"], "bad_json")
            self.assertEqual(client.request({"type": "ping", "id": 1})["type"], "ok")


class Without(clashd.TestCase):
    """Where the configuration waives the token."""

    def setUp(self):
        super().setUp()
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({"socket": {"require_token": False, "tcp": "127.0.0.1:0"}}))
        self.daemon = Daemon("--source", "none", "--config", settings, home=self.home)
        self.addCleanup(self.daemon.__exit__, None)

    def test_hello_comes_at_once(self):
        self.assertFalse(self.daemon.token_file.exists())
        with TcpClient(self.daemon.tcp) as client:
            self.assertEqual(client.read()["type"], "hello")
            self.assertEqual(client.request({"type": "auth", "id": 1, "token": "any"})["type"], "ok")

    def test_empty_lines_and_a_mark_at_the_start_are_passed_over(self):
        for before in (b"\n", b" \r\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\r\n\n"):
            with TcpClient(self.daemon.tcp) as client, self.daemon.connect() as local:
                for one in (client, local):
                    one.send(before + b'{"type":"ping","id":1}\n')
                    self.assertEqual(one.read_until(lambda message: message.get("id") == 1)[-1]["type"], "ok")

    def test_http_dies_at_its_first_byte(self):
        for first in (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"\0"):
            with TcpClient(self.daemon.tcp) as client:
                client.send(first + b'\n{"type":"ping","id":1}\n')
                client.read()
                self.assertTrue(client.ended())
        self.daemon.wait_for_log("its first byte began no message")


class Crowd(clashd.TestCase):
    def start(self, **values):
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({"socket": values}))
        daemon = Daemon("--source", "none", "--config", settings, "--tcp", "0", home=self.home)
        self.addCleanup(daemon.__exit__, None)
        return daemon

    def test_beyond_max_clients(self):
        daemon = self.start(max_clients=8)
        inside = [daemon.connect() for _ in range(4)] + [daemon.connect_tcp() for _ in range(3)]
        waiting = TcpClient(daemon.tcp)
        refused = 0
        for _ in range(300):
            with TcpClient(daemon.tcp, daemon.token) as client:
                try:
                    error = client.read()
                except ConnectionResetError:
                    continue
                if error["type"] == "hello":  # in the place of the one that waits, whose 5 s are over
                    self.skipTest("this machine is too busy for 300 connections in 5 s")
                self.assertEqual((error["type"], error["code"]), ("error", "limit"))
                self.assertIn("8 clients", error["message"])
                refused += 1
        self.assertGreater(refused, 0)
        for client in inside:
            self.assertEqual(client.request({"type": "ping", "id": 1})["type"], "ok")
        waiting.send({"type": "auth", "token": daemon.token})
        self.assertEqual(waiting.read()["type"], "hello")
        for client in [*inside[1:], waiting]:
            client.close()
        with inside[0] as client:
            deadline = time.monotonic() + clashd.WAIT_S
            while client.request({"type": "status", "id": 1})["clients"] > 1:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.02)
            daemon.serves()


class Refusals(clashd.TestCase):
    def refused(self, *words, says):
        done = subprocess.run([clashd.CLASHD, "--source", "none", *map(str, words)], capture_output=True, text=True,
                              env=clashd.environment(self.home), timeout=clashd.WAIT_S)
        self.assertEqual(done.returncode, 2, done.stderr)
        for part in says:
            self.assertIn(part, done.stderr)
        for left in ("clashd.sock", "clashd.token"):
            self.assertFalse((self.home / "clashd" / left).exists())

    def test_a_port_in_use(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            self.refused("--tcp", port, says=[f"127.0.0.1:{port}", "another program listens there", "another port"])

    def test_addresses_that_are_none(self):
        for text in ("example.org:80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "::1:80", "[::1]",
                     "[127.0.0.1]:80", "1.2.3.4.5:1", " 80", "80 ", "0x50"):
            self.refused("--tcp", text, says=["--tcp", "HOST:PORT", text])

    def test_the_token_is_waived_on_loopback_only(self):
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({"socket": {"require_token": False}}))
        for address in ("0.0.0.0:0", "[::]:0", "192.0.2.1:4717"):
            self.refused("--config", settings, "--tcp", address, says=["socket.require_token", address, "127.0.0.1"])


class Stranger(clashd.TestCase):
    def test_another_user_on_the_unix_socket(self):
        if os.geteuid() != 0 or not shutil.which("setpriv"):
            self.skipTest("only root can be somebody else, by setpriv")
        path = self.home / "open.sock"
        with clashd.Daemon("--source", "none", "--socket", path, home=self.home) as daemon:
            self.home.chmod(0o755)
            path.chmod(0o666)
            code = ("import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.settimeout(60)\n"
                    "try:\n sys.stdout.write(repr(s.recv(100)))\nexcept ConnectionResetError:\n sys.stdout.write(repr(b''))")
            done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", sys.executable, "-c",
                                   code, path], capture_output=True, text=True, timeout=clashd.WAIT_S)
            self.assertEqual((done.returncode, done.stdout), (0, "b''"), done.stderr)
            daemon.wait_for_log("refused a client of user 65534")
            with clashd.Client(path) as client:
                self.assertEqual(client.read()["type"], "hello")


if __name__ == "__main__":
    unittest.main()
