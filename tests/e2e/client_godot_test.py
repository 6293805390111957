"""The Godot addon in a real Godot, headless, against a live clashd over TCP, the Unix socket and WebSocket: the example scene
spawns a spark at the right place for each clash, and goes on when clashd comes back; and blades and targets that it pushes
clash where they must. Godot runs in a Debian root of its own, clashd outside."""
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
from feed_standin import Standin  # noqa: E402

SUPPORT = clashd.SOURCE / "tests" / "support"
MANIFEST = clashd.BUILD / "daemon" / "runtime" / "clash_runtime.json"
ROOT = Path(os.environ.get("CLASHD_CACHE") or "/var/cache/clashd") / "sid-godot"
RUNTIME = {"XR_RUNTIME_JSON": MANIFEST, "CLASH_RUNTIME_SCRIPT": "crossing", "CLASH_RUNTIME_SPEED": 2}
# Positions are moved by up to 30 m, as float32, and printed with six digits.
TOLERANCE = 5e-6


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


class SlowWay:
    """A way to a port of clashd's on which the first question for its clock takes 0.2 s, and all behind it."""

    def __init__(self, port):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.to = port
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        client = self.listener.accept()[0]
        with client, socket.create_connection(("127.0.0.1", self.to)) as server:
            threading.Thread(target=self.back, args=(server, client), daemon=True).start()
            is_slow = True
            for line in client.makefile("rb"):
                if b'"clock"' in line and is_slow:
                    is_slow = False
                    time.sleep(0.2)
                server.sendall(line)

    def back(self, server, client):
        try:
            while data := server.recv(65536):
                client.sendall(data)
            client.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the game has gone


class Godot(clashd.TestCase):
    def pushed_to(self, *options):
        """A daemon that bridges the gaps of a slow machine: a blade that is cut may begin anew within another."""
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({"socket": {"push_timeout_ms": 60000}, "contact": {"max_gap_ms": 10000}}))
        return clashd.Daemon("--source", "none", "--config", settings, *options, home=self.home)

    def start_godot(self, *words):
        """The example scene; /run/shared is what self.home is here."""
        self.project = self.home / "project"
        shutil.copytree(clashd.SOURCE / "protocol" / "clients" / "godot", self.project)
        shutil.copy(SUPPORT / "godot_sparks.gd", self.project)
        settings = (self.project / "project.godot").read_text()
        # What it prints is a pipe's: it would be kept until the end.
        (self.project / "project.godot").write_text(
            settings.replace("[application]\n", "[application]\n\nrun/flush_stdout_on_print=true"))
        process = subprocess.Popen(
            ["sh", SUPPORT / "in_root.sh", ROOT, "godot", "--headless", "--xr-mode", "off", "--path", "/run/shared/project", "--script",
             "res://godot_sparks.gd", "--", *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, env={**os.environ, "CLASHD_ROOT_SHARE": str(self.home)})
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        self.said = []
        threading.Thread(target=self.read, args=(process.stdout,), daemon=True).start()
        return process

    def read(self, stream):
        with stream:
            for line in stream:
                if not line.startswith("problem clashd at "):  # that it is slow, as it may be on a busy machine
                    self.said.append(line.rstrip("\n"))

    def wait_for(self, start, since=0):
        deadline = time.monotonic() + clashd.WAIT_S
        while time.monotonic() < deadline:
            for line in self.said[since:]:
                if line.startswith(start):
                    return line
            time.sleep(0.02)
        raise AssertionError(f"no line begins with {start!r}:\n" + "\n".join(self.said))

    def expect_sparks(self, client):
        """Where a plain client is told that clashes are, and in their order."""
        client.subscribe(events=["clash"])
        for clash in [client.read() for _ in range(4)]:
            words = self.wait_for(f"clash {clash['seq']} ").split(" ", 9)
            expected = [*clash["midpoint"], clash["midpoint"][0], clash["normal"][2], clash["velocities"][1][1],
                        clash["closing_speed"]]
            for found, number in zip(map(float, words[2:9]), expected, strict=True):
                self.assertLess(abs(found - number), TOLERANCE, (words, clash))
            self.assertEqual(words[9], "|".join(clash["blades"]))
        kinds = ("clash", "hold", "release", "tracking")
        seqs = [int(line.split()[1]) for line in list(self.said) if line.split(" ")[0] in kinds]
        self.assertEqual(seqs, list(range(seqs[0], seqs[0] + len(seqs))))
        self.assertFalse([line for line in self.said if "ERROR" in line], self.said)

    def stop(self, process):
        (self.project / "stop").touch()
        self.assertEqual(process.wait(timeout=clashd.WAIT_S), 0, self.said)

    def port_of(self, daemon, kind):
        said = daemon.log[daemon.wait_for_log(f"({kind}") - 1]
        return said.split("listening on 127.0.0.1:", 1)[1].split()[0]

    def follow_a_restart(self, option, kind, words):
        with clashd.Daemon(option, "127.0.0.1:0", home=self.home, env=RUNTIME) as daemon, daemon.connect() as client:
            port = self.port_of(daemon, kind)
            process = self.start_godot(*words(port))
            self.wait_for("connected " + client.hello["session"])
            self.expect_sparks(client)
        self.wait_for("disconnected")
        since = len(self.said)
        # Another run, with another token.
        with clashd.Daemon(option, f"127.0.0.1:{port}", home=self.home, env=RUNTIME):
            self.wait_for("connected", since)
            self.wait_for("clash", since)
            self.stop(process)

    def test_the_example_shows_the_swords(self):
        """Those of clashd's own hands, where they are."""
        with clashd.Daemon(home=self.home, env=RUNTIME):
            process = self.start_godot("unix", "/run/shared/clashd/clashd.sock")
            for hand in ("left", "right"):
                off_m, boxes = self.wait_for(f"sword /user/hand/{hand} ").split()[2:]
                self.assertLess(float(off_m), 1e-5)
                self.assertEqual(int(boxes), 5)
            self.stop(process)

    def test_tcp(self):
        self.follow_a_restart("--tcp", "TCP", lambda port: ("tcp", "127.0.0.1", port, "/run/shared/clashd/clashd.token"))

    def test_websocket(self):
        # The socket's path stands for the token beside it.
        self.follow_a_restart("--websocket", "WebSocket", lambda port: (
            "ws", f"ws://127.0.0.1:{port}", "/run/shared/clashd/clashd.sock"))

    def expect_own_clashes(self, client, since=0):
        """The post is 0.6 m in front, the sword at a height of 1.2 m; their axes touch 75 mm apart, on either side."""
        self.wait_for("connected", since)
        client.subscribe(events=["clash"])
        client.read()  # where the sword first is: it may begin within the post
        for clash in [client.read() for _ in range(3)]:
            x, y, z = clash["midpoint"]
            self.assertEqual(sorted(clash["blades"]), ["post", 'sword "1"'])
            for found, expected, delta in ((clash["distance"], 0.075, 1e-6), (abs(x), 0.0375, 0.002), (y, 1.2, 1e-5),
                                           (z, -0.6, 0.01)):
                self.assertAlmostEqual(found, expected, delta=delta, msg=clash)
            words = self.wait_for(f"clash {clash['seq']} ", since).split(" ", 9)
            for found, expected in zip(map(float, words[2:5]), clash["midpoint"], strict=True):
                self.assertLess(abs(found - expected), TOLERANCE, (words, clash))
        counters = client.request({"type": "status", "id": "s"})["counters"]
        self.assertEqual([counters[f"push_refused_{why}"] for why in ("future", "limit")], [0, 0])
        # A machine that stands still for over a second makes what waits too late; a wrong clock makes everything so.
        self.assertLess(10 * counters["push_refused_late"], counters["pushed_poses"] + 2000)
        said = self.said[since:]
        while not said[0].startswith("connected"):  # until then it may say that there is nobody to connect to
            said.pop(0)
        self.assertFalse([line for line in said if line.startswith("problem") and "not over 1 s ago" not in line], self.said)

    def push(self, words, *options):
        with self.pushed_to(*options) as daemon, daemon.connect() as client:
            process = self.start_godot(*words(daemon), "push")
            self.expect_own_clashes(client)
        self.wait_for("disconnected")
        return process, len(self.said)

    def test_push_over_tcp(self):
        process, _ = self.push(lambda daemon: ("tcp", "127.0.0.1", self.port_of(daemon, "TCP"),
                                               "/run/shared/clashd/clashd.token"), "--tcp", "127.0.0.1:0")
        self.stop(process)

    def test_push_when_the_first_question_for_the_clock_takes_long(self):
        """As in a game's first frames, or on a busy machine: no pose is from the future."""
        def words(daemon):
            way = SlowWay(int(self.port_of(daemon, "TCP")))
            self.addCleanup(way.listener.close)
            return "tcp", "127.0.0.1", way.port, "/run/shared/clashd/clashd.token"
        process, _ = self.push(words, "--tcp", "127.0.0.1:0")
        self.stop(process)

    def test_push_over_websocket(self):
        process, _ = self.push(lambda daemon: ("ws", f"ws://127.0.0.1:{self.port_of(daemon, 'WebSocket')}",
                                               "/run/shared/clashd/clashd.token"), "--websocket", "127.0.0.1:0")
        self.stop(process)

    def test_push_over_the_unix_socket_and_again(self):
        process, since = self.push(lambda daemon: ("unix", "/run/shared/clashd/clashd.sock"))
        with self.pushed_to() as daemon, daemon.connect() as client:
            self.expect_own_clashes(client, since)  # its blades are defined anew
            self.stop(process)

    def test_push_of_a_sword_of_parts(self):
        """The same clashes as with one of a single capsule, and which part of it they are of."""
        with self.pushed_to() as daemon, daemon.connect() as client:
            process = self.start_godot("unix", "/run/shared/clashd/clashd.sock", "parts")
            self.expect_own_clashes(client)
            clash = client.read()
            self.assertEqual(dict(zip(clash["blades"], clash["parts"], strict=True)), {"post": None, 'sword "1"': "blade"})
            self.assertIn('"blade"', self.wait_for(f"parts {clash['seq']} "))
            with daemon.connect() as other:
                sword = next(blade for blade in other.hello["blades"] if blade["name"] == 'sword "1"')
            self.assertEqual([(part["name"], len(part["points"])) for part in sword["parts"]], [("blade", 3), ("guard", 2)])
            self.assertAlmostEqual(sword["parts"][0]["points"][1][2], -0.9, delta=1e-6)
            self.stop(process)

    def strike(self, word):
        """What a plain client is told of a clash with the target, after two; and that Godot heard the same, with numbers."""
        with self.pushed_to() as daemon, daemon.connect() as client:
            process = self.start_godot("unix", "/run/shared/clashd/clashd.sock", word)
            self.wait_for("connected")
            client.subscribe(events=["clash"], resolved_poses=True)
            client.read()  # where the sword first is: it may begin within
            client.read()
            clash = client.read()
            words = self.wait_for(f"struck {clash['seq']} ").split()
            self.assertEqual((clash["blades"], words[2]), (['sword "1"', "post"], "post"))
            expected = clash["surface_normal"] + clash["resolved_pose"][0]["position"]
            for found, number in zip(map(float, words[3:6] + words[7:]), expected, strict=True):
                self.assertLess(abs(found - number), TOLERANCE, (words, clash))
            self.assertEqual(words[6], str(clash.get("triangle", "<null>")))
            self.assertFalse([line for line in self.said if line.startswith("problem") or "ERROR" in line], self.said)
            self.stop(process)
        self.assertAlmostEqual(clash["distance"], 0.015, delta=1e-6)
        return clash

    def strike_post(self, word):
        """The sword's axis touches the surface of the post, 60 mm from its middle, on either side."""
        clash = self.strike(word)
        self.assertAlmostEqual(abs(clash["midpoint"][0]), 0.0675, delta=0.002)
        self.assertGreater(clash["surface_normal"][0] * clash["midpoint"][0], 0)

    def test_a_target(self):
        self.strike_post("target")

    def test_a_target_that_moves(self):
        self.strike_post("moving")

    def strike_wall(self, word):
        """Struck from outside, where its triangles face: they are wound as clashd has them."""
        clash = self.strike(word)
        self.assertEqual(sorted(map(abs, clash["surface_normal"])), [0, 0, 1])
        x, _, z = clash["points"][1]
        self.assertAlmostEqual(abs(x), 0.06, delta=1e-5)
        self.assertGreater(clash["surface_normal"][0] * x + clash["surface_normal"][2] * (z + 0.6), 0)

    def test_a_target_that_is_a_mesh(self):
        self.strike_wall("mesh")

    def test_a_target_that_is_a_hull(self):
        self.strike_wall("hull")

    def test_a_target_that_is_a_height_map(self):
        clash = self.strike("height")
        self.assertEqual(clash["surface_normal"], [0, 1, 0])
        self.assertAlmostEqual(clash["points"][1][1], 1, delta=1e-6)

    def test_a_name_that_is_taken(self):
        with clashd.Daemon("--source", "none", home=self.home) as daemon, daemon.connect() as other:
            reply = other.request({"type": "blade", "id": "b", "name": "post", "device": "x", "base": [0, 0, 0],
                                   "tip": [0, 1, 0], "radius": 0.1})
            self.assertEqual(reply["type"], "ok", reply)
            process = self.start_godot("unix", "/run/shared/clashd/clashd.sock", "push")
            self.assertIn("post", self.wait_for("problem"))
            other.subscribe(events=["poses"])
            # Its other blade's poses come all the same.
            message = other.read_until(lambda m: m["type"] == "poses")[-1]
            self.assertEqual([pose["device"] for pose in message["poses"]], ['sword "1"'])
            self.stop(process)

    def expect_device(self, client, device):
        """Until poses of the post's device and of that come, and of no other."""
        client.read_until(lambda m: m["type"] == "poses" and {pose["device"] for pose in m["poses"]} == {"post", device})

    def test_a_feed_that_was_refused_is_asked_for_again(self):
        """Another game has the hand: the sword in it is a blade of its own, until that game goes, and however often it comes again."""
        with self.pushed_to() as daemon, daemon.connect() as client:
            client.subscribe(events=["poses"])
            other = daemon.connect()
            feed = {"type": "feed", "id": "f", "devices": ["/user/hand/left"], "space": "of another game"}
            self.assertEqual(other.request(feed)["type"], "ok")
            process = self.start_godot("unix", "/run/shared/clashd/clashd.sock", "hand")
            self.assertIn("/user/hand/left", self.wait_for("problem"))
            self.expect_device(client, 'sword "1"')
            other.close()
            self.expect_device(client, "/user/hand/left")
            with daemon.connect() as third:
                devices = {blade["name"]: blade["device"] for blade in third.hello["blades"]}
            self.assertEqual((devices["post"], devices['sword "1"'], "left" in devices), ("post", "/user/hand/left", False))
            self.assertEqual(len([line for line in self.said if line.startswith("problem")]), 1, self.said)
            self.stop(process)

    def test_a_target_in_a_hand(self):
        """A shield below a controller is fed as that hand, beside the dagger that carries the hand and does not strike it; where another
        game has the hand it is a target of its own until that game goes."""
        with self.pushed_to() as daemon, daemon.connect() as client:
            other = daemon.connect()
            self.assertEqual(other.request({"type": "feed", "id": "f", "devices": ["/user/hand/right"], "space": "of another game"})["type"],
                             "ok")
            process = self.start_godot("unix", "/run/shared/clashd/clashd.sock", "shield")
            self.wait_for("problem")
            client.subscribe(events=["clash"])
            client.read_until(lambda m: m["type"] == "clash" and m["blades"] == ['sword "1"', "post"])
            other.close()
            self.wait_for_shield(daemon, "/user/hand/right")
            with daemon.connect() as late:
                late.subscribe(events=["clash"])
                clashes = [late.read_until(lambda m: m["type"] == "clash")[-1] for _ in range(4)]
            for clash in clashes:
                self.assertEqual((clash["blades"], clash["target"]), (['sword "1"', "post"], "post"))
            self.assertAlmostEqual(abs(clashes[-1]["points"][1][0]), 0.06, delta=1e-5)
            self.stop(process)

    def wait_for_shield(self, daemon, device):
        deadline = time.monotonic() + clashd.WAIT_S
        while True:
            with daemon.connect() as client:
                shield = next(target for target in client.hello["targets"] if target["name"] == "post")
            if shield["device"] == device:
                break
            self.assertLess(time.monotonic(), deadline, shield)
            time.sleep(0.05)
        for found, expected in zip(shield["position"] + shield["box"]["size"], (0, -0.5, 0, 0.12, 2, 0.4), strict=True):
            self.assertAlmostEqual(found, expected, delta=1e-5)

    def test_the_token_itself_is_enough(self):
        with clashd.Daemon("--tcp", "127.0.0.1:0", home=self.home, env=RUNTIME) as daemon:
            token = daemon.path.with_suffix(".token").read_text().strip()
            process = self.start_godot("tcp", "127.0.0.1", self.port_of(daemon, "TCP"), f"token:{token}")
            self.wait_for("connected")
            self.stop(process)

    def test_a_wrong_token_is_told(self):
        (self.home / "wrong").write_text("0" * 64)
        with clashd.Daemon("--tcp", "127.0.0.1:0", home=self.home, env=RUNTIME) as daemon:
            said = daemon.log[daemon.wait_for_log("(TCP") - 1]
            port = said.split("listening on 127.0.0.1:", 1)[1].split()[0]
            process = self.start_godot("tcp", "127.0.0.1", port, "/run/shared/wrong")
            self.assertIn("clashd.token", self.wait_for("problem"))
            self.wait_for("tried 3")
            self.stop(process)
        told = [line for line in self.said if line.startswith("problem")]
        self.assertEqual(len(told), len(set(told)), self.said)

    def told_once(self, words, told, *options):
        """Where, why and what to start, in one line, however often it is tried; and that clashd is there."""
        process = self.start_godot(*words)
        self.wait_for("tried 3")
        with clashd.Daemon(*options, home=self.home, env=RUNTIME) as daemon, daemon.connect() as client:
            self.wait_for("connected " + client.hello["session"])
            self.expect_sparks(client)
            self.stop(process)
        self.assertEqual([line for line in self.said if line.startswith("problem") or "ERROR" in line],
                         [f"problem cannot connect to {told}; it is tried again until it is there"], self.said)

    def test_who_cannot_connect_by_tcp_says_so_once(self):
        with clashd.Daemon("--tcp", "127.0.0.1:0", home=self.home, env=RUNTIME) as daemon:
            port = self.port_of(daemon, "TCP")  # where nobody listens when it ends
        self.told_once(("tcp", "127.0.0.1", port, "/run/shared/clashd/clashd.token"),
                       f'127.0.0.1:{port}: nobody listens there. Start "clashd --tcp {port}"', "--tcp", f"127.0.0.1:{port}")

    def test_who_cannot_connect_by_websocket_says_so_once(self):
        with clashd.Daemon("--websocket", "127.0.0.1:0", home=self.home, env=RUNTIME) as daemon:
            port = self.port_of(daemon, "WebSocket")
        self.told_once(("ws", f"ws://127.0.0.1:{port}", "/run/shared/clashd/clashd.sock"), f"ws://127.0.0.1:{port}: nobody listens "
                       f'there, or the token is a wrong one. Start "clashd --websocket {port}"', "--websocket", f"127.0.0.1:{port}")

    def test_unix_socket(self):
        path = "/run/shared/clashd/clashd.sock"
        self.told_once(("unix", path), f'{path}: there is no such socket. Start "clashd --socket {path}"')

    def test_a_unix_socket_that_was_left_behind(self):
        path = self.home / "clashd" / "clashd.sock"
        path.parent.mkdir(mode=0o700, exist_ok=True)
        with socket.socket(socket.AF_UNIX) as old:
            old.bind(str(path))
        inside = "/run/shared/clashd/clashd.sock"
        self.told_once(("unix", inside), f'{inside}: nobody listens there. Start "clashd --socket {inside}"')

    def test_a_subscription_that_is_not_answered(self):
        """Who would hear nothing for ever says so, and begins anew."""
        standin = Standin()
        self.addCleanup(standin.close)
        standin.answers.clear()
        process = self.start_godot("tcp", "127.0.0.1", standin.port, "token:" + "0" * 64)
        self.wait_for("connected")
        ended = self.said.index(self.wait_for("disconnected clashd does not answer"))
        standin.answers.set()
        self.wait_for("connected", ended)
        self.stop(process)
        kinds = [message["type"] for message in standin.told if message["type"] != "ping"]  # what it asks once it is answered
        self.assertEqual(kinds, ["auth", "subscribe"] * 2)

    def test_a_connection_that_is_never_greeted(self):
        """Whoever has the port may take it and say nothing, as a clashd that hangs does."""
        standin = Standin()
        self.addCleanup(standin.close)
        standin.silent = 1
        process = self.start_godot("tcp", "127.0.0.1", standin.port, "token:" + "0" * 64)
        self.wait_for("connected")
        self.assertIn("no answer", self.wait_for("problem"))
        self.stop(process)
        self.assertEqual(standin.silent, 0)

    def test_poses(self):
        """Where the swords are, in the frame that pushed them; and where to draw one that sinks into what it strikes."""
        with self.pushed_to():
            process = self.start_godot("unix", "/run/shared/clashd/clashd.sock", "target")
            words = [float(word) for word in self.wait_for("drawn").split()[1:]]
            self.stop(process)
        held, put, to = words[0:3], words[3:6], words[6:9]
        for found, expected in zip(held, (0, 1.2, 0), strict=True):
            self.assertAlmostEqual(found, expected, delta=TOLERANCE)  # where the hand is
        self.assertGreater(max(abs(a - b) for a, b in zip(held, put, strict=True)), 1e-4)
        for found, expected in zip(to, put, strict=True):
            self.assertAlmostEqual(found, expected, delta=TOLERANCE)  # ClashdPicture draws it there


def main():
    if (os.environ.get("CLASHD_GODOT") or os.environ.get("CI", "")) not in ("1", "true"):
        skip("it makes a Debian root with Godot of 0.8 GB; set CLASHD_GODOT=1 to run it")
    if os.geteuid() != 0:
        skip("only root can make a Debian root and namespaces")
    if not MANIFEST.exists():
        skip(f"{MANIFEST} has not been built")
    if subprocess.run(["sh", SUPPORT / "make_root.sh", "--godot", ROOT]).returncode != 0:
        sys.exit("the root for Godot could not be made, see above")
    unittest.main()


main()
