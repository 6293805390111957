"""Socket activation: clashd serves the sockets that are handed to it, takes each for what it is, leaves them where they are
at its end, and says so where one is none of its. Also by systemd-socket-activate: it starts at the first client."""
import json
import os
import shutil
import socket
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import service  # noqa: E402

ACTIVATE = shutil.which("systemd-socket-activate")
UPGRADE = ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")


class Activation(clashd.TestCase):
    def setUp(self):
        super().setUp()
        self.path = self.home / "handed.sock"

    def settings(self, **of_socket):
        path = self.home / "settings.json"
        path.write_text(json.dumps({"socket": of_socket}))
        return "--config", path

    def listen(self, family, address):
        listening = socket.socket(family, socket.SOCK_STREAM)
        self.addCleanup(listening.close)
        listening.bind(address)
        listening.listen()
        return listening

    def local(self):
        return self.listen(socket.AF_UNIX, str(self.path))

    def tcp(self):
        return self.listen(socket.AF_INET, ("127.0.0.1", 0))

    def start(self, sockets, names, *words, listening=True):
        """With clashd's own path that of the socket handed over."""
        before, env = service.hand_over([one.fileno() for one in sockets], names)
        daemon = clashd.Daemon("--source", "none", *words, home=self.home, env=env, before=before, listening=listening,
                               pass_fds=[one.fileno() for one in sockets])
        self.addCleanup(daemon.process.kill)
        daemon.path = self.path
        return daemon

    def hello_of(self, address):
        """Of a client over TCP."""
        with socket.create_connection(address, timeout=clashd.WAIT_S) as client, client.makefile() as lines:
            client.sendall(b'{"type":"ping","id":1}\n')
            return json.loads(lines.readline())

    def test_who_waits_is_served_and_the_socket_stays(self):
        local = self.local()
        waiting = clashd.Client(self.path)
        self.addCleanup(waiting.close)
        for _ in range(2):
            with self.start([local], ["clashd"]) as daemon:
                self.assertEqual(waiting.read()["type"], "hello")
                with daemon.connect() as other:
                    self.assertEqual(other.request({"type": "ping", "id": 1})["type"], "ok")
                self.assertFalse((self.home / "clashd").exists())  # nothing was made where it listens otherwise
            self.assertTrue(self.path.is_socket())
            self.assertEqual(sorted(path.name for path in self.home.iterdir()), ["handed.sock"])
            waiting = clashd.Client(self.path)  # served by the next
            self.addCleanup(waiting.close)

    def test_a_second_clashd_finds_it_taken(self):
        local = self.local()
        with self.start([local], ["clashd"]):
            second = clashd.Daemon("--source", "none", "--socket", self.path, home=self.home, listening=False)
            self.assertEqual(second.wait(), 2)
            self.assertIn(f"another clashd is listening on {self.path}", "\n".join(second.log))
            with clashd.Client(self.path) as client:
                self.assertEqual(client.read()["type"], "hello")

    def test_three_by_their_names(self):
        sockets = [self.tcp(), self.local(), self.tcp()]
        with self.start(sockets, ["clashd-websocket", "clashd", "clashd-tcp"],
                        *self.settings(require_token=False)) as daemon:
            with daemon.connect() as client:
                self.assertEqual(client.hello["type"], "hello")
            self.assertEqual(self.hello_of(sockets[2].getsockname())["type"], "hello")
            with socket.create_connection(sockets[0].getsockname(), timeout=clashd.WAIT_S) as client:
                client.sendall(UPGRADE.encode())
                self.assertTrue(client.recv(1000).startswith(b"HTTP/1.1 101 "))

    def test_tcp_by_its_address_and_the_path_as_ever(self):
        tcp = self.tcp()
        port = tcp.getsockname()[1]
        with self.start([tcp], ["clashd.socket"], *self.settings(require_token=False, tcp=str(port))) as daemon:
            self.assertEqual(self.hello_of(tcp.getsockname())["type"], "hello")
            with clashd.Client(self.home / "clashd" / "clashd.sock") as client:
                self.assertEqual(client.read()["type"], "hello")
        self.assertFalse((self.home / "clashd" / "clashd.sock").exists())

    def test_the_token_is_beside_the_socket_handed_over(self):
        sockets = [self.local(), self.tcp()]
        with self.start(sockets, ["clashd", "clashd-tcp"]) as daemon:
            daemon.wait_for_log("its token is in")
            self.assertTrue((self.home / "handed.token").exists())
            self.assertEqual(self.hello_of(sockets[1].getsockname())["type"], "error")
        self.assertFalse((self.home / "handed.token").exists())

    def test_settings_that_mean_another_place_are_warned_of(self):
        with self.start([self.local()], ["clashd"], "--socket", self.home / "mine.sock") as daemon:
            daemon.wait_for_log(f"nobody listens on {self.home / 'mine.sock'}: {self.path} was handed over")

    def test_what_is_none_of_its_is_refused(self):
        connected, other = socket.socketpair()
        self.addCleanup(connected.close)
        self.addCleanup(other.close)
        for sockets, names, part in (([self.tcp()], ["mine"], "('mine', 127.0.0.1:"),
                                     ([connected], ["clashd"], "does not listen")):
            daemon = self.start(sockets, names, listening=False)
            self.assertEqual(daemon.wait(), 2, daemon.log)
            self.assertEqual(len([line for line in daemon.log if part in line and "expected" in line]), 1, daemon.log)

    def test_what_is_for_another_process_is_left_alone(self):
        daemon = clashd.Daemon("--source", "none", home=self.home, env={"LISTEN_PID": os.getpid(), "LISTEN_FDS": 1})
        with daemon, daemon.connect() as client:
            self.assertEqual(client.hello["type"], "hello")

    def test_it_starts_at_the_first_client(self):
        if not ACTIVATE:
            self.skipTest("systemd-socket-activate is not there")
        manager = service.Manager(self.home)
        self.addCleanup(manager.close)
        env = clashd.environment(self.home, NOTIFY_SOCKET=manager.path)
        kept = [word for name in env for word in ("-E", name)]
        with subprocess.Popen([ACTIVATE, "-l", self.path, "--fdname=clashd", *kept, clashd.CLASHD, "--source", "none"],
                              env=env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as activate:
            self.addCleanup(activate.kill)
            self.assertIn("Listening on", activate.stderr.readline())
            self.assertEqual(manager.listen(1), [])
            with clashd.Client(self.path) as client:
                self.assertEqual(client.read()["type"], "hello")
                manager.wait_for("READY=1".__eq__)
                activate.terminate()  # it is clashd by now
                self.assertEqual(client.read_all(), [])
            self.assertEqual(activate.wait(clashd.WAIT_S), 0)
        self.assertTrue(self.path.is_socket())


if __name__ == "__main__":
    if not service.is_there():
        print("skipped: built without libsystemd")
        sys.exit(77)
    unittest.main()
