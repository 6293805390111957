"""Very many connections, slow ones, and more than the system has descriptors for: each that is not let in is told why, and
who was inside before is served all along, as are those who come after."""
import json
import os
import re
import resource
import select
import shutil
import socket
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
from transports import Daemon, check_lines  # noqa: E402

CROWD = 10000
MAX_CLIENTS = 1024 # the default
UPGRADE = (b"GET /?token=%s HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")


def crowd_size(test):
    """How many connections this process may have, once its limit is raised."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    count = CROWD if hard == resource.RLIM_INFINITY else min(CROWD, hard - 256)
    if count < 3 * MAX_CLIENTS:
        test.skipTest(f"only {hard} descriptors are allowed here: too few for a crowd")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return count


def read_to_end(one):
    """All that comes until the connection ends, be it in peace or by a reset."""
    said = b""
    try:
        while received := one.recv(65536):
            said += received
    except ConnectionResetError:
        pass
    return said


class Case(clashd.TestCase):
    def setUp(self):
        super().setUp()
        self.daemon = Daemon("--source", "none", "--tcp", "0", "--websocket", "0", home=self.home)
        self.addCleanup(self.daemon.__exit__, None)
        self.inside = [connect() for connect in self.daemon.ways().values()]
        for client in self.inside:
            self.addCleanup(client.close)
            client.subscribe()

    def serves_those_inside(self):
        for client in self.inside:
            self.assertEqual(client.request({"type": "ping", "id": "inside"})["type"], "ok")

    def open(self, way):
        """A connection that has not said a word."""
        one = socket.socket(socket.AF_UNIX if way == "unix" else socket.AF_INET)
        self.addCleanup(one.close)
        one.settimeout(clashd.WAIT_S)
        address = str(self.daemon.path) if way == "unix" else getattr(self.daemon, way)
        deadline = time.monotonic() + clashd.WAIT_S
        while True:
            try:
                one.connect(address)
                return one
            except BlockingIOError: # as many wait already as the system lets wait on a Unix socket
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)

    def words(self, way):
        """What lets one in."""
        token = self.daemon.token.encode()
        return {"unix": b"", "tcp": b'{"type":"auth","token":"%s"}\n' % token, "websocket": UPGRADE % token}[way]

    def wait_until(self, condition):
        deadline = time.monotonic() + clashd.WAIT_S
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def status(self):
        return self.inside[0].request({"type": "status", "id": "status"})

    def empties(self):
        """All others go, and it serves whoever comes."""
        self.wait_until(lambda: self.status()["clients"] == len(self.inside))
        self.daemon.serves()
        self.serves_those_inside()


class Crowd(Case):
    def test_ten_thousand_on_the_unix_socket(self):
        count = crowd_size(self)
        crowd = [self.open("unix") for _ in range(count)]
        taken = 0
        for one in crowd:
            said = one.recv(65536)
            first = json.loads(said.splitlines()[0])
            if first["type"] == "hello":
                taken += 1
                continue
            self.assertEqual((first["type"], first["code"]), ("error", "limit"))
            self.assertIn(f"{MAX_CLIENTS} clients are connected", first["message"])
            self.assertEqual(one.recv(65536), b"")
        check_lines(self, [said.decode().rstrip()])
        self.assertEqual(taken, MAX_CLIENTS - len(self.inside))
        self.serves_those_inside()
        counters = self.status()["counters"]
        self.assertEqual((counters["clients_accepted"], counters["clients_refused"]), (count + 3, count - taken))
        for one in crowd:
            one.close()
        self.empties()
        self.assertLess(len(self.daemon.log), 200)

    def test_ten_thousand_that_do_not_say_who_they_are(self):
        count = crowd_size(self)
        crowd = {way: [self.open(way) for _ in range(count // 2)] for way in ("tcp", "websocket")}
        self.serves_those_inside()
        with self.daemon.connect() as late: # they take no room from who needs no handshake
            self.assertEqual(late.request({"type": "ping", "id": 1})["type"], "ok")
        heard = {}
        for way, ones in crowd.items():
            for one in ones:
                said = read_to_end(one)
                what = said.split(b"\r\n")[0].decode() if way == "websocket" else json.loads(said)["code"]
                heard[what] = heard.get(what, 0) + 1
                one.close()
        self.assertEqual(set(heard), {"limit", "unauthorized", "HTTP/1.1 503 Service Unavailable", "HTTP/1.1 408 Request Timeout"})
        self.empties()
        counters = self.status()["counters"]
        self.assertEqual(counters["clients_refused"], heard["limit"] + heard["HTTP/1.1 503 Service Unavailable"])
        self.assertLess(len(self.daemon.log), 200)


class Slow(Case):
    def test_byte_by_byte(self):
        """Such a handshake ends after its time, however long it goes on; a line on the Unix socket may take as long as it
        likes, since there is none."""
        crowd = {way: [self.open(way) for _ in range(20)] for way in ("unix", "tcp", "websocket")}
        words = {"unix": b" " * 200 + b'{"type":"ping","id":1}\n', "tcp": b" " * 4000, "websocket": b"GET / HTTP/1.1\r\nA: " + b"a" * 4000}
        index = 0
        while any(self.drip(crowd[way], words[way][index:index + 1]) for way in ("tcp", "websocket")):
            if index < 100:
                self.drip(crowd["unix"], words["unix"][index:index + 1])
            index += 1
            time.sleep(0.05)
        self.serves_those_inside()
        for way, says in (("tcp", b'"code":"unauthorized"'), ("websocket", b"HTTP/1.1 408 ")):
            told = [read_to_end(one) for one in crowd[way]]
            # A byte that came after the end makes the kernel forget the answer: the first one cannot have been too late for all.
            self.assertTrue(any(says in one for one in told), told)
        for one in crowd["unix"]:
            one.sendall(words["unix"][100:])
            said = b""
            while said.count(b"\n") < 2:
                said += one.recv(65536)
            self.assertEqual(json.loads(said.splitlines()[1])["id"], 1)
            one.close()
        self.assertEqual(self.status()["counters"]["handshakes_refused"], 40)
        self.empties()

    def drip(self, ones, byte):
        """A byte more to each that is still there; how many those are."""
        there = 0
        for one in ones:
            if select.select([one], [], [], 0)[0] and one.family != socket.AF_UNIX:
                continue
            try:
                one.send(byte)
                there += 1
            except OSError:
                pass
        return there


class Descriptors(Case):
    def test_when_there_are_no_more(self):
        """Those that find none wait, without anyone spinning on them, and are let in as others leave."""
        directory = Path(f"/proc/{self.daemon.process.pid}/fd")
        limit = len(list(directory.iterdir())) + 8
        resource.prlimit(self.daemon.process.pid, resource.RLIMIT_NOFILE, (limit, limit))
        for way in ("unix", "tcp", "websocket"):
            waiting = [self.open(way) for _ in range(24)]
            for one in waiting:
                one.sendall(self.words(way))
            self.wait_until(lambda: self.status()["counters"]["accept_errors"] > 0)
            self.does_not_spin()
            while waiting:
                ready = select.select(waiting, [], [], clashd.WAIT_S)[0]
                self.assertLessEqual(len(ready), 8)
                self.assertGreater(len(ready), 0)
                for one in ready:
                    self.assertRegex(one.recv(65536), rb'"type":"hello"|HTTP/1.1 101 ')
                    waiting.remove(one)
                self.serves_those_inside()
                for one in ready:
                    one.close()
            self.wait_until(lambda: self.status()["clients"] == len(self.inside))
        self.daemon.wait_for_log("cannot accept clients")
        self.empties()

    def does_not_spin(self):
        """It tries again ten times a second; a loop that did nothing else would a hundred thousand times."""
        before, started = self.status()["counters"]["accept_errors"], time.monotonic()
        time.sleep(0.5)
        errors = self.status()["counters"]["accept_errors"] - before
        self.assertLess(errors, 20 * (time.monotonic() - started) + 10)


class Stranger(Case):
    def test_another_user_cannot_have_the_token(self):
        if os.geteuid() != 0 or not shutil.which("setpriv"):
            self.skipTest("only root can be somebody else, by setpriv")
        self.home.chmod(0o755)
        code = ("import socket,sys\n"
                "try:\n open(sys.argv[1])\nexcept PermissionError:\n print('kept out')\n"
                "s=socket.create_connection(('127.0.0.1',int(sys.argv[2])),60); s.sendall(b'{\"type\":\"ping\",\"id\":1}\\n')\n"
                "print(s.recv(4096).decode())")
        done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", sys.executable, "-c", code,
                               self.daemon.token_file, str(self.daemon.tcp[1])], capture_output=True, text=True,
                              timeout=clashd.WAIT_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("kept out\n"), done.stdout)
        self.assertEqual(json.loads(done.stdout.splitlines()[1])["code"], "unauthorized")
        self.assertNotRegex(done.stdout, re.escape(self.daemon.token))
        self.empties()


if __name__ == "__main__":
    unittest.main()
