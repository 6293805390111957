"""The Python client against a live clashd, and against servers that do what clashd does seldom: events, typed, with both clients; a
restart; a feed; what is said when there is no clashd, another program, a wrong token; lines that are no message; slow readers."""
import asyncio
import contextlib
import itertools
import json
import logging
import socket
import sys
import threading
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import python_client  # noqa: E402

support = python_client.load_support()
python_client.use_client()
import clashd  # noqa: E402
import clashd.aio  # noqa: E402

MANIFEST = support.BUILD / "daemon" / "runtime" / "clash_runtime.json"
RUNTIME = {"XR_RUNTIME_JSON": MANIFEST, "CLASH_RUNTIME_SCRIPT": "crossing", "CLASH_RUNTIME_SPEED": 4}
LONG_S = support.WAIT_S
CLASH = json.loads(next(line for line in (support.SOURCE / "protocol/examples/server.jsonl").read_text().splitlines()
                        if '"clash"' in line))
SWORD = {"base": (-1, 0, 0), "tip": (1, 0, 0), "radius": 0.015}
SETTINGS = {"socket": {"push_timeout_ms": 60000}, "contact": {"max_gap_ms": 10000}}  # however slow this machine is


def pose(device, y, z=0.0, **more):
    return clashd.Pose(device=device, position=(0, y, z), orientation=(0, 0, 0, 1), **more)


def say(connection, *messages):
    for message in messages:
        connection.sendall(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")


def hear(lines):
    return json.loads(lines.readline())


def agree(connection, lines, wanted=None, **more):
    """Answers the next request by ok; the request."""
    request = hear(lines)
    assert wanted in (None, request["type"]), (wanted, request)
    say(connection, {"type": "ok", "id": request["id"], "time_ns": 1, **more})
    return request


@contextlib.contextmanager
def warnings():
    """The client's, as texts."""
    said = []
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())
    logging.getLogger("clashd").addHandler(handler)
    try:
        yield said
    finally:
        logging.getLogger("clashd").removeHandler(handler)


class Live(support.TestCase):
    def daemon(self, *words, settings=None, **more):
        if settings:
            (self.home / "settings.json").write_text(json.dumps(settings))
            words = (*words, "--config", self.home / "settings.json")
        return support.Daemon(*words, home=self.home, **more)

    def tcp(self, daemon):
        return "tcp:" + daemon.log[daemon.wait_for_log("(TCP") - 1].split("listening on ", 1)[1].split()[0]

    def token(self):
        return self.home / "clashd" / "clashd.token"

    def test_events_are_those_of_a_plain_client(self):
        with self.daemon("--tcp", "127.0.0.1:0", env=RUNTIME) as daemon, daemon.connect() as plain, \
                clashd.connect(daemon.path) as near, \
                clashd.connect(self.tcp(daemon), token_file=self.token(), axes="unity") as far:
            self.assertEqual(near.hello.session, plain.hello["session"])
            self.assertEqual([blade.name for blade in near.hello.blades], ["left", "right"])
            found = {0: near.events("clash", timeout=LONG_S), 1: far.events("clash", timeout=LONG_S)}
            plain.subscribe(events=["clash"])
            wanted = plain.read()
            for unity, events in found.items():
                clash = next(event for event in events if event.seq == wanted["seq"])
                self.assertIsInstance(clash, clashd.Clash)
                x, y, z = wanted["midpoint"]
                self.assertEqual(clash.midpoint, (x, y, -z if unity else z))
                self.assertEqual((clash.blades, clash.intensity, clash.target), (tuple(wanted["blades"]), wanted["intensity"], None))
            self.assertEqual(near.status().counters["events_dropped"], 0)
            self.assertGreater(near.ping(), 0)
            self.assertIn("contact.margin", [setting.key for setting in near.request("config").settings])

    def test_a_restart(self):
        with warnings() as said:
            with self.daemon(env=RUNTIME) as daemon:
                client = clashd.connect(daemon.path, reconnect=True)
                self.addCleanup(client.close)
                first = client.hello.session
                events = client.events("clash", timeout=LONG_S)
                next(events)
            with self.daemon(env=RUNTIME):
                while client.hello.session == first:
                    next(events)
            self.assertIn("closed the connection", said[0])
            self.assertEqual(len(said), len(set(said)), said)
            self.assertIn(": connected to", said[-1])

    def test_a_restart_with_asyncio(self):
        async def listen(daemon, stopped):
            async with clashd.aio.connect(daemon.path, reconnect=True) as client:
                first = client.hello.session
                async for event in client.events("clash", timeout=LONG_S):
                    stopped.set()
                    if client.hello.session != first:
                        return event

        with warnings() as said:
            found, stopped = [], threading.Event()
            with self.daemon(env=RUNTIME) as daemon:
                thread = threading.Thread(target=lambda: found.append(asyncio.run(listen(daemon, stopped))))
                thread.start()
                self.assertTrue(stopped.wait(LONG_S))
            with self.daemon(env=RUNTIME):
                thread.join(LONG_S)
        self.assertIsInstance(found[0], clashd.Clash)
        self.assertIn(": connected to", said[-1])

    def test_a_feed(self):
        with self.daemon("--source", "none", settings=SETTINGS) as daemon, clashd.connect(daemon.path) as c:
            c.subscribe("clash", "release")
            c.target("floor", box={"size": (4, 0.2, 4)})
            with c.feed("/user/hand/left", space="rig") as feed:
                c.blade("sword", "/user/hand/left", **SWORD)
                came = [event for y in (1, 1, 0.05) for event in feed.push(pose("/user/hand/left", y))]
                self.assertEqual([(event.type, event.blades, event.target) for event in came], [("clash", ("sword", "floor"), "floor")])
                self.assertAlmostEqual(came[0].points[1][1], 0.1, delta=1e-6)
                self.assertEqual(feed.push(pose("/user/hand/left", 1, teleport=True))[0].reason, "track_cut")
                with self.assertRaises(clashd.RequestError) as refused:
                    c.blade("other", "/user/hand/right", **SWORD)
                self.assertEqual(refused.exception.code, "name_taken")
                c.poses(pose("nobody", 1))
                with self.assertRaisesRegex(clashd.RequestError, "nobody"):
                    c.read(LONG_S)
            with self.assertRaises(clashd.RequestError):
                c.push(pose("/user/hand/left", 1))

    def test_a_feed_with_asyncio(self):
        async def push(path):
            async with clashd.aio.connect(path) as c:
                await c.subscribe("clash")
                await c.target("floor", box={"size": (4, 0.2, 4)})
                async with await c.feed("/user/hand/left") as feed:
                    await c.blade("sword", "/user/hand/left", **SWORD)
                    return [event for y in (1, 1, 0.05) for event in await feed.push(pose("/user/hand/left", y))]

        with self.daemon("--source", "none", settings=SETTINGS) as daemon:
            self.assertEqual([event.type for event in asyncio.run(push(daemon.path))], ["clash"])

    def test_a_wrong_token(self):
        with self.daemon("--source", "none", "--tcp", "127.0.0.1:0") as daemon:
            for token in ({"token": "0" * 64}, {"token_file": self.home / "wrong"}):
                (self.home / "wrong").write_text("1" * 64)
                with self.assertRaisesRegex(clashd.ConnectError, "wrong token: this clashd requires the one in .*clashd.token"):
                    clashd.connect(self.tcp(daemon), **token)
            for address in (f"tcp:{self.tcp(daemon).rsplit(':', 1)[1]}", f"unix:{daemon.path}"):
                with clashd.connect(address, token_file=self.token()) as client:
                    client.ping()
            with self.assertRaisesRegex(clashd.ConnectError, "there is no token file"):
                clashd.connect(self.tcp(daemon), token_file=self.home / "none")


class Words(support.TestCase):
    def test_nobody_is_there(self):
        path = self.home / "none.sock"
        for connect in (clashd.connect, lambda address: asyncio.run(clashd.aio.connect(address).__aenter__())):
            with self.assertRaisesRegex(clashd.ConnectError, f'cannot connect to {path}: there is no such socket .*Start "clashd"'):
                connect(path)
            with python_client.socket.create_server(("127.0.0.1", 0)) as taken:
                port = taken.getsockname()[1]
            with self.assertRaisesRegex(clashd.ConnectError, f'nobody listens there .*Start "clashd --tcp {port}"'):
                connect(f"tcp:127.0.0.1:{port}")
        for address, words in (("ws://127.0.0.1:1", "no WebSocket"), ("tcp:", "expected tcp:HOST:PORT"),
                               ("tcp:a:99999", "expected tcp:HOST:PORT"), ("", "not an address"), ("unix:", "not an address"), ("/" + 200 * "x", "at most 107")):
            with self.assertRaisesRegex(ValueError, words):
                clashd.connect(address)
        with mock.patch.object(socket, "AF_UNIX", create=True):
            del socket.AF_UNIX
            with self.assertRaisesRegex(ValueError, "no Unix sockets here: use tcp:HOST:PORT"):
                clashd.connect()
        with self.assertRaisesRegex(ValueError, "openxr, unity, godot"):
            clashd.connect(path, axes="unreal")

    def test_another_program_is_there(self):
        def web(connection, lines):
            lines.readline()
            say(connection, b"HTTP/1.1 400 Bad Request\r\n\r\n")

        with python_client.Server(web, web) as server:
            for connect in (clashd.connect, lambda *a, **k: asyncio.run(clashd.aio.connect(*a, **k).__aenter__())):
                with self.assertRaisesRegex(clashd.ConnectError, "is not clashd: b'HTTP/1.1 400"):
                    connect(server.address, token="x")
        released = threading.Event()
        with python_client.Server(lambda *_: released.wait(30)) as server:
            with self.assertRaisesRegex(clashd.ConnectError, "says nothing for 0.2 s"):
                clashd.connect(server.address, token="x", timeout=0.2)
            released.set()
        with python_client.Server(lambda *_: None) as server:
            with self.assertRaisesRegex(clashd.ConnectError, "without a word"):
                clashd.connect(server.address, token="x")

    def test_names(self):
        def serve(connection, lines):
            say(connection, python_client.HELLO)
            hear(lines)

        with python_client.Server(serve, path=self.home / "s") as server, clashd.connect(server.address) as c:
            with self.assertRaisesRegex(ValueError, 'no event "clahs": expected clash, hold'):
                c.events("clahs")
            with self.assertRaisesRegex(TypeError, 'no filter "min_speed": expected blades, min_closing_speed'):
                c.events("clash", min_speed=1)
            with self.assertRaisesRegex(ValueError, "Out of range float"):
                c.poses(pose("a", float("nan")))
            c._send(b"{}\n")


class Lines(support.TestCase):
    """Of a server that is no clashd in all it does."""

    def test_one_that_is_no_message_costs_nothing_else(self):
        bad = [b"{torn\n", b'{"type":"clash"}\n', b"[]\n", b"\n", b'{"type":"clash","seq":"x"}\n', b"x" * 70000 + b"\n",
               {**CLASH, "midpoint": [1, 2]}, b'{"type":"clash","seq":NaN}\n', b"[" * 60000 + b"\n", b"\xff\xfe\n",
               {"type": "later", "x": 1}]

        def serve(connection, lines):
            say(connection, python_client.HELLO)
            agree(connection, lines, "subscribe", seq=0)
            for line in bad:
                say(connection, line)
            say(connection, {**CLASH, "seq": 7, "new_field": [1]})
            lines.readline()

        with python_client.Server(serve, path=self.home / "s") as server, clashd.connect(server.address) as c:
            events, wrong = c.events("clash", timeout=LONG_S), []
            while True:
                try:
                    clash = next(events)
                    break
                except clashd.ProtocolError as error:
                    wrong.append(str(error))
            self.assertEqual((clash.seq, clash.raw["new_field"]), (7, [1]))
            self.assertEqual(len(wrong), len(bad) - 2, wrong)  # but for the empty one and the later type
            for words in ("'{torn', which is no message: no JSON", 'clash: there is no "seq"', "seq: 'x': expected an integer",
                          "more than 65536 bytes", "midpoint: [1, 2]: expected an array of 3"):
                self.assertTrue(any(words in said for said in wrong), (words, wrong))

    def test_what_is_lost_is_said(self):
        def serve(connection, lines):
            say(connection, python_client.HELLO)
            for _ in range(2):
                agree(connection, lines, "subscribe", seq=0)
                say(connection, {"type": "lagged", "from_seq": 1, "to_seq": 9, "missed": 4}, {**CLASH, "seq": 10})
            for seq in range(11, 12012):
                say(connection, {**CLASH, "seq": seq})
            agree(connection, lines, "ping")
            lines.readline()

        with python_client.Server(serve, path=self.home / "s") as server, clashd.connect(server.address, timeout=LONG_S) as c:
            with warnings() as said:
                self.assertEqual(next(c.events("clash", timeout=LONG_S)).seq, 10)
            self.assertEqual(said, ["4 events between seq 1 and 9 are lost: this program reads too slowly"])
            c.subscribe("clash")
            self.assertEqual([type(message) for message in itertools.islice(c, 2)], [clashd.Lagged, clashd.Clash])
            c.ping()  # while it waits for the answer, more comes than it keeps
            lagged = c.read()
            self.assertEqual((lagged.from_seq, lagged.missed), (11, lagged.to_seq - 10))
            self.assertEqual(c.read().seq, lagged.to_seq + 1)

    def test_what_it_says_when_it_comes_back(self):
        heard = []

        def first(connection, lines):
            say(connection, python_client.HELLO)
            agree(connection, lines, "feed")
            agree(connection, lines, "blade")
            agree(connection, lines, "blade")
            agree(connection, lines, "remove")
            agree(connection, lines, "subscribe", seq=3)
            say(connection, {**CLASH, "seq": 5}, {**CLASH, "seq": 5, "id": 8, "late": True})
            say(connection, b'{"type":"clash","se')  # and no more

        def second(connection, lines):
            say(connection, python_client.HELLO)
            heard.extend(agree(connection, lines) for _ in range(3))
            say(connection, {**CLASH, "seq": 6})
            lines.readline()

        path = self.home / "s"
        with python_client.Server(first, second, path=path) as server, warnings() as said, \
                clashd.connect(server.address, reconnect=True) as c:
            c.feed("/user/hand/left")
            c.blade("npc", "npc/hand", **SWORD)
            c.blade("gone", "npc/hand", **SWORD)
            c.remove("gone")
            self.assertEqual([event.seq for event in itertools.islice(c.events("clash", timeout=LONG_S), 3)], [5, 5, 6])
            self.assertEqual([request["type"] for request in heard], ["feed", "blade", "subscribe"])
            self.assertEqual((heard[1]["name"], heard[2]["since_seq"], heard[2]["since_late"]), ("npc", 5, 8))
            self.assertEqual(len(said), 2, said)

    def test_what_is_over_while_it_is_away_is_not_said_again(self):
        heard = []

        def first(connection, lines):
            say(connection, python_client.HELLO)
            for kind in ("feed", "blade", "blade", "subscribe"):
                agree(connection, lines, kind, seq=0)

        def second(connection, lines):
            say(connection, python_client.HELLO)
            heard.append(agree(connection, lines))
            say(connection, CLASH)
            lines.readline()

        async def listen(address):
            async with clashd.aio.connect(address, reconnect=True) as c:
                feed = await c.feed("/user/hand/left")
                await c.blade("left", "/user/hand/left", **SWORD)
                await c.blade("npc", "npc/hand", **SWORD)
                events = c.events("clash", timeout=LONG_S)
                waiting = asyncio.create_task(events.__anext__())
                while c.connected:
                    await asyncio.sleep(0)
                await c.remove("npc")
                await feed.close()
                await waiting

        with python_client.Server(first, second, path=self.home / "s") as server, warnings():
            asyncio.run(listen(server.address))
        self.assertEqual([request["type"] for request in heard], ["subscribe"])

    def test_an_end_is_an_error_that_says_so(self):
        def serve(connection, lines):
            say(connection, python_client.HELLO)
            agree(connection, lines, "subscribe", seq=0, ignored=["min_apart_ms"])
            say(connection, CLASH)

        with python_client.Server(serve, serve, path=self.home / "s") as server:
            with warnings() as said, clashd.connect(server.address) as c:
                events = c.events("clash", timeout=LONG_S, min_apart_ms=3)
                next(events)
                with self.assertRaisesRegex(clashd.Disconnected, "closed the connection"):
                    next(events)
                self.assertFalse(c.connected)
                with self.assertRaisesRegex(clashd.Disconnected, "not connected"):
                    c.ping()
            self.assertEqual(said, ["clashd 0.1.0 does not know min_apart_ms of a subscription, and ignores it"])
            with self.assertRaises(StopIteration):
                next(events)  # closed by this program: no error

            async def listen():
                async with clashd.aio.connect(server.address) as client:
                    with self.assertRaisesRegex(clashd.Disconnected, "closed the connection"):
                        async for _ in client.events("clash", timeout=LONG_S):
                            pass
                    with self.assertRaises(clashd.Disconnected):
                        await client.ping()

            asyncio.run(listen())

    def test_no_answer(self):
        released = threading.Event()

        def serve(connection, lines):
            say(connection, python_client.HELLO)
            hear(lines)
            released.wait(30)

        with python_client.Server(serve, path=self.home / "s") as server, clashd.connect(server.address, timeout=2) as c:
            with self.assertRaisesRegex(TimeoutError, "does not answer ping within 2 s"):
                c.ping()
            with self.assertRaisesRegex(TimeoutError, "no message from .* for 0.1 s"):
                c.read(0.1)
            released.set()


if __name__ == "__main__":
    if sys.version_info < (3, 11):
        print("skipped: the client wants Python 3.11")
        sys.exit(77)
    unittest.main()
