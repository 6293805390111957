"""The C client's example programs against a live clashd, over the Unix socket, TCP and WebSocket: sparks, on the stand-in
runtime, where clashd says that there are clashes, and again after clashd has come back; and pell, whose own blades clash
where they must."""
import json
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402

MANIFEST = clashd.BUILD / "daemon" / "runtime" / "clash_runtime.json"
EXAMPLES = clashd.BUILD / "protocol" / "clients" / "c"
RUNTIME = {"XR_RUNTIME_JSON": MANIFEST, "CLASH_RUNTIME_SCRIPT": "crossing", "CLASH_RUNTIME_SPEED": 4}


class Example(clashd.TestCase):
    def start_example(self, program, *words):
        process = subprocess.Popen([EXAMPLES / program, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=clashd.environment(self.home))
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.said = []
        for stream in (process.stdout, process.stderr):
            threading.Thread(target=self.read, args=(stream,), daemon=True).start()
        return process

    def read(self, stream):
        with stream:
            for line in stream:
                self.said.append(line.rstrip("\n"))

    def address(self, daemon, kind):
        said = daemon.log[daemon.wait_for_log(f"({kind}") - 1]
        scheme = {"TCP": "tcp:", "WebSocket": "ws://"}[kind]
        return scheme + said.split("listening on ", 1)[1].split()[0]

    def wait_for(self, part, count=1, since=0):
        deadline = time.monotonic() + clashd.WAIT_S
        while time.monotonic() < deadline:
            found = [line for line in self.said[since:] if part in line]
            if len(found) >= count:
                return found
            time.sleep(0.02)
        raise AssertionError(f"it did not say {part!r} {count} times:\n" + "\n".join(self.said))


class Sparks(Example):
    def start_sparks(self, *words):
        return self.start_example("sparks", *words)

    def expect_sparks(self, *options, kind=None):
        """The token, where there is one to show, is found beside the default socket."""
        with clashd.Daemon(*options, home=self.home, env=RUNTIME) as daemon, daemon.connect() as client:
            self.start_sparks(*([self.address(daemon, kind)] if kind else []))
            self.wait_for("2 blades")
            client.subscribe(events=["clash"])
            sparks = self.wait_for("spark at", 4)
            clashes = [client.read() for _ in range(3)]
            expected = ["spark at {:.3f} {:.3f} {:.3f}, {:.1f} m/s, {} against {}".format(
                *clash["midpoint"], clash["closing_speed"], *clash["blades"]) for clash in clashes]
            # Of the two clients either may have come first; both then see the same ones.
            self.assertTrue(set(expected) & set(sparks), (expected, sparks))
            self.wait_for(expected[-1])

    def test_unix_socket(self):
        self.expect_sparks()

    def test_tcp(self):
        self.expect_sparks("--tcp", "127.0.0.1:0", kind="TCP")

    def test_websocket(self):
        self.expect_sparks("--websocket", "127.0.0.1:0", kind="WebSocket")

    def test_websocket_by_ipv6_and_a_restart(self):
        with clashd.Daemon("--websocket", "[::1]:0", home=self.home, env=RUNTIME) as daemon:
            address = self.address(daemon, "WebSocket")
            self.start_sparks(address)
            self.wait_for("spark at")
        self.wait_for("closed the connection (1001)")
        since = len(self.said)
        # Another run, with another token.
        with clashd.Daemon("--websocket", address.removeprefix("ws://"), home=self.home, env=RUNTIME):
            self.wait_for("spark at", since=since)

    def test_a_wrong_token_is_told(self):
        with clashd.Daemon("--websocket", "127.0.0.1:0", home=self.home, env=RUNTIME) as daemon:
            token = self.home / "clashd" / "clashd.token"
            right = token.read_text()
            token.write_text("0" * 64 + "\n")
            self.start_sparks(self.address(daemon, "WebSocket"))
            self.assertIn("clashd.token", self.wait_for("401 Unauthorized: wrong token")[0])
            token.write_text(right)
            self.wait_for("spark at")

    def test_who_cannot_connect_says_so_once(self):
        """Where, why, and what to start, however often it is tried; and that clashd is there."""
        with clashd.Daemon("--tcp", "127.0.0.1:0", home=self.home, env=RUNTIME) as daemon:
            address = self.address(daemon, "TCP")  # where nobody listens when it ends
        self.start_sparks(address)
        port = address.rpartition(":")[2]
        self.wait_for(f'sparks: {address}: nothing listens at {address}. Start "clashd --tcp {port}"')
        time.sleep(1)  # at least two more tries
        with clashd.Daemon("--tcp", address.removeprefix("tcp:"), home=self.home, env=RUNTIME):
            self.wait_for("spark at")
        self.assertTrue(self.said[1].startswith("clashd "), self.said)

    def test_what_to_start_for_each_way(self):
        path = self.home / "none.sock"
        for words, told in (([path], f'nothing listens at {path}. Start "clashd --socket {path}"'),
                            (["ws://[::1]:9/x"], 'Start "clashd --websocket 9"'), ([], 'Start "clashd";'),
                            (["tcp:nowhere"], "is not an address")):
            process = self.start_sparks(*words)
            self.wait_for(told)
            process.kill()

    def test_clashd_comes_and_goes(self):
        self.start_sparks(self.home / "clashd" / "clashd.sock")
        with clashd.Daemon(home=self.home, env=RUNTIME):
            self.wait_for("spark at")
        self.wait_for("closed the connection")
        since = len(self.said)
        with clashd.Daemon(home=self.home, env=RUNTIME):
            self.wait_for("spark at", since=since)


class Pell(Example):
    def setUp(self):
        """However long a busy machine lets pell or clashd wait, the motion goes on from the pose before: a track that is cut
        would begin again anywhere, within the post too."""
        super().setUp()
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({"contact": {"max_gap_ms": 10000}, "socket": {"push_timeout_ms": 60000}}))
        self.words = ("--source", "none", "--config", settings)

    def complaints(self):
        """A pose that was over a second on its way is refused, and rightly."""
        return [line for line in self.said if line.startswith("pell:") and not line.startswith("pell: poses: bad_time")]

    def expect_clashes(self, daemon, *words):
        """The post is at z -0.6, the sword at a height of 1.2 m; its axis touches the post's surface, 60 mm from its middle, at a
        distance of 15 mm, on either side."""
        with daemon.connect() as client:
            client.subscribe(events=["clash"])
            self.start_example("pell", *words)
            client.read()  # where the sword first is: it may begin within the post
            for clash in [client.read() for _ in range(3)]:
                x, y, z = clash["midpoint"]
                self.assertEqual((clash["blades"], clash["target"]), (["pell sword", "pell post"], "pell post"))
                self.assertAlmostEqual(clash["distance"], 0.015, delta=1e-6)
                self.assertAlmostEqual(y, 1.2, delta=1e-6)
                self.assertAlmostEqual(abs(x), 0.0675, delta=0.002)
                self.assertAlmostEqual(z, -0.6, delta=0.01)
                self.wait_for("clash at {:.3f} {:.3f} {:.3f}, ".format(x, y, z))
            self.assertFalse(self.complaints(), self.said)
            self.assertGreater(client.request({"type": "status", "id": "s"})["counters"]["pushed_poses"], 50)

    def test_unix_socket(self):
        with clashd.Daemon(*self.words, home=self.home) as daemon:
            self.expect_clashes(daemon)

    def test_tcp_and_a_name_that_is_taken(self):
        with clashd.Daemon(*self.words, "--tcp", "127.0.0.1:0", home=self.home) as daemon:
            self.expect_clashes(daemon, self.address(daemon, "TCP"))
            self.start_example("pell")
            self.wait_for("pell: post: name_taken")

    def test_websocket(self):
        with clashd.Daemon(*self.words, "--websocket", "127.0.0.1:0", home=self.home) as daemon:
            self.expect_clashes(daemon, self.address(daemon, "WebSocket"))


if __name__ == "__main__":
    unittest.main()
