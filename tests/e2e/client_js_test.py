"""The ES module in Node against a live clashd: over WebSocket as a page has it, and by its companion for Node over the Unix
socket, TCP and WebSocket, which finds socket and token by itself: the events of a plain client, in the axes asked for, and
again, with a new token, after a restart; blades, targets and poses of its own; and what it missed while the connection was away."""
import json
import socket
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
from node_client import Script, WAYS, find_node  # noqa: E402

MANIFEST = clashd.BUILD / "daemon" / "runtime" / "clash_runtime.json"
RUNTIME = {"XR_RUNTIME_JSON": MANIFEST, "CLASH_RUNTIME_SCRIPT": "crossing", "CLASH_RUNTIME_SPEED": 4}
EVENTS = ("clash", "hold", "release", "tracking", "space_changed")
NPC = {"name": "npc", "device": "npc/hand", "base": [-1.5, 0, 0], "tip": [1.5, 0, 0], "radius": 0.015}
WALL = {"name": "wall", "device": "wall/device", "base": [0, 0, -1], "tip": [0, 0, 1], "radius": 0.015}
# In Unity's axes, as all that the script says.
FLOOR = {"name": "floor", "unity_collider": {"type": "box", "size": [1, 1, 1], "transforms": [{"scale": [10, 0.2, 10]}]}}


class Relay:
    """Between a client and clashd, which listens at `target`: host and port, or a path, beside which this then listens.
    cut() ends the connections, and keeps new ones waiting until mend()."""

    def __init__(self, target):
        self.target = target
        is_path = not isinstance(target, tuple)
        self.family = socket.AF_UNIX if is_path else socket.AF_INET
        self.listener = socket.socket(self.family)
        self.listener.bind(f"{target}.relay" if is_path else ("127.0.0.1", 0))
        self.listener.listen()
        self.address = self.listener.getsockname()
        self.whole = threading.Event()
        self.whole.set()
        self.ends = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near = self.listener.accept()[0]
            except OSError:
                return
            self.whole.wait()
            far = socket.socket(self.family)
            far.connect(self.target)
            self.ends += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self.pass_on, args=(source, sink), daemon=True).start()

    def pass_on(self, source, sink):
        try:
            while received := source.recv(65536):
                sink.sendall(received)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        self.whole.clear()
        while self.ends:
            end = self.ends.pop()
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()  # one that is only shut may still read, for all that clashd knows

    def mend(self):
        self.whole.set()

    def close(self):
        self.mend()
        self.listener.close()
        self.cut()


class JavaScript(Script):
    def follow_a_restart(self, way):
        if not MANIFEST.exists():
            self.skipTest(f"{MANIFEST} has not been built")
        option = WAYS[way][0]
        with clashd.Daemon(*([f"--{option}", "127.0.0.1:0"] if option else []), home=self.home, env=RUNTIME) as daemon, \
                daemon.connect() as client:
            at = self.find(daemon, way)
            self.start(way, at if option else None)
            self.assertEqual(self.wait_for_type("hello")["session"], client.hello["session"])
            client.subscribe(events=["clash"], axes="unity")
            for clash in [client.read() for _ in range(3)]:
                self.assertEqual(self.wait_for(lambda said: isinstance(said, dict) and said.get("seq") == clash["seq"]
                                               and said["type"] == "clash"), clash)
                self.wait_for(lambda said: said == f"callback {clash['seq']}")
        self.assertTrue(self.wait_for_type("disconnected")["greeted"])
        since = len(self.said)
        with clashd.Daemon(*([f"--{option}", f"{at[0]}:{at[1]}"] if option else []), home=self.home, env=RUNTIME):
            self.wait_for_type("clash", since)
            self.close()

    def test_events_and_a_restart_in_a_page(self):
        self.follow_a_restart("page")

    def test_events_and_a_restart_over_the_unix_socket(self):
        self.follow_a_restart("unix")

    def test_events_and_a_restart_over_tcp(self):
        self.follow_a_restart("tcp")

    def test_events_and_a_restart_over_websocket(self):
        self.follow_a_restart("websocket")

    def test_what_goes_wrong_is_said(self):
        self.start("unix", str(self.home / "nobody.sock"))
        reason = self.wait_for_type("disconnected")["reason"]
        for words in (str(self.home / "nobody.sock"), "ENOENT", "there is no such socket", 'Start "clashd"'):
            self.assertIn(words, reason)
        for listener in (["clahs"], ["", None]):
            self.assertIn("expected clash, hold", self.call("on", *listener)["error"])
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        self.start("tcp", ("127.0.0.1", port))
        self.assertIn(f'nobody listens there (connect ECONNREFUSED 127.0.0.1:{port}). Start "clashd --tcp {port}"',
                      self.wait_for_type("disconnected")["reason"])
        time.sleep(2)  # in which it tries three times more
        self.assertEqual(len([said for said in self.said if said["type"] == "disconnected"]), 1)
        self.start("tcp", ("127.0.0.1", "no-port"))
        self.assertIn("expected tcp:HOST:PORT", self.wait_for_type("disconnected")["reason"])
        with clashd.Daemon("--source", "none", "--tcp", "127.0.0.1:0", "--websocket", "127.0.0.1:0",
                           home=self.home) as daemon:
            (self.home / "clashd" / "clashd.token").write_text("0" * 64)
            self.start("tcp", self.find(daemon, "tcp"))
            self.assertEqual(self.wait_for_type("error")["code"], "unauthorized")
            self.start("websocket", self.find(daemon, "websocket"))
            address = "ws://{}:{}".format(*self.find(daemon, "websocket"))
            token = "The token is in the file $XDG_RUNTIME_DIR/clashd/clashd.token"
            reason = self.wait_for_type("disconnected")["reason"]
            self.assertIn(f"cannot connect to {address}: clashd refuses this token, which is a new one whenever clashd starts. {token}", reason)
            (self.home / "clashd" / "clashd.token").write_text("")
            self.start("websocket", self.find(daemon, "websocket"))
            reason = self.wait_for_type("disconnected")["reason"]
            self.assertIn(f"cannot connect to {address}: clashd wants a token, and none is given. {token}", reason)
            self.start("websocket", ("127.0.0.1", port))
            reason = self.wait_for_type("disconnected")["reason"]
            self.assertIn(f'cannot connect to ws://127.0.0.1:{port}: clashd does not listen there. Start "clashd --websocket {port}"', reason)
            (self.home / "clashd" / "clashd.token").unlink()
            self.start("tcp", self.find(daemon, "tcp"))
            self.assertIn("clashd.token", self.wait_for_type("error")["message"])

    def run_script(self, text, *words):
        """A script that imports Node's Clashd: what it prints."""
        (self.home / "script.mjs").write_text(f'import {{Clashd}} from "{clashd.SOURCE / "protocol" / "clients" / "js" / "node.mjs"}";\n' + text)
        done = subprocess.run([*find_node(), self.home / "script.mjs", *map(str, words)], capture_output=True, text=True,
                              timeout=clashd.WAIT_S, env=clashd.environment(self.home))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split("\n")[:-1], done.stderr

    def test_a_loop_that_is_left(self):
        """Its connection stays, for the next loop, a request or a listener; and the program ends when nothing uses it any more."""
        with clashd.Daemon("--source", "none", home=self.home):
            said, _ = self.run_script("""
                const clashd = new Clashd();
                for await (const {type} of clashd) if (type === "ok") break;
                console.log(clashd.connected, (await clashd.request({type: "ping"})).type);
                const ping = setInterval(() => clashd.connected && clashd.request({type: "ping"}), 5);
                for await (const {type} of clashd) { console.log(type); break; }
                clearInterval(ping);
                console.log(clashd.connected);
            """)
        self.assertEqual(said, ["true ok", "ok", "true"])

    def test_a_token_file_that_is_not_there(self):
        """One cause, once, whichever way leads to clashd."""
        for address in ("tcp:127.0.0.1:4717", "ws://127.0.0.1:4718"):
            _, error = self.run_script("""
                const clashd = new Clashd({address: process.argv[2], tokenFile: "/nowhere/clashd.token"});
                setTimeout(() => clashd.close(), 1000);
            """, address)
            self.assertEqual(error, f"clashd: cannot connect to {address}: the token file /nowhere/clashd.token is not there: clashd writes it "
                             "when it starts\n")

    def test_an_option_that_is_undefined_is_left_out(self):
        """As where a page takes it from words that are not there."""
        script = f"""import {{Clashd}} from "{clashd.SOURCE}/protocol/clients/js/clashd.js";
            class Told {{ constructor(url) {{ console.log(url); process.exit(0); }} }}
            new Clashd({{url: undefined, token: undefined, subscribe: undefined, WebSocket: Told}});"""
        done = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, text=True, timeout=clashd.WAIT_S)
        self.assertEqual(done.stdout, "ws://127.0.0.1:4718\n", done.stderr)

    def push(self, y):
        """The script's blade to a height; clashd has it when this returns."""
        pose = {"device": "npc/hand", "position": [0, y, 0.5], "orientation": [0, 0, 0, 1]}
        self.assertEqual(self.call("poses", [pose])["value"], True)
        self.assertEqual(self.call("request", {"type": "ping"})["value"]["type"], "ok")
        self.other.request({"type": "poses", "id": "p", "poses": [
            {"device": "wall/device", "position": [0, 1.2, -0.5], "orientation": [0, 0, 0, 1]}]})

    def heard(self):
        return [said for said in self.said if isinstance(said, dict) and said["type"] in EVENTS]

    def test_a_blade_of_its_own_and_a_cut_connection_in_a_page(self):
        self.push_and_cut("page")

    def test_a_blade_of_its_own_and_a_cut_connection_over_the_unix_socket(self):
        self.push_and_cut("unix")

    def test_a_blade_of_its_own_and_a_cut_connection_over_tcp(self):
        self.push_and_cut("tcp")

    def strike(self):
        """The other's blade from above into where the floor is, to the middle of it."""
        for y in (1, 1, 0.05):
            pose = {"device": "npc/hand", "position": [0, y, -0.5], "orientation": [0, 0, 0, 1]}
            self.assertEqual(self.other.request({"type": "poses", "id": "p", "poses": [pose]})["type"], "ok")

    def test_a_target_of_its_own_and_a_cut_connection(self):
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({"socket": {"push_timeout_ms": 60000}, "contact": {"max_gap_ms": 10000}}))
        with clashd.Daemon("--source", "none", "--config", settings, home=self.home) as daemon, \
                daemon.connect() as self.other:
            self.assertEqual(self.other.request({"type": "blade", "id": "b", **NPC})["type"], "ok")
            relay = Relay(self.find(daemon, "unix"))
            self.addCleanup(relay.close)
            self.start("unix", relay.address)
            self.wait_for_type("hello")
            self.assertEqual(self.call("target", {"name": "hollow"})["code"], "bad_message")
            self.assertEqual(self.call("target", FLOOR)["value"]["type"], "ok")
            self.strike()
            clash = self.wait_for_type("clash")
            self.assertEqual((clash["blades"], clash["target"]), (["npc", "floor"], "floor"))
            self.assertEqual(clash["surface_normal"], [0, 1, 0])
            self.assertAlmostEqual(clash["points"][1][1], 0.1, delta=1e-6)
            since = len(self.said)
            relay.cut()
            self.wait_for_type("disconnected", since)
            relay.mend()
            self.assertEqual(self.wait_for_type("release", since)["reason"], "removed")
            self.wait_for(lambda said: isinstance(said, dict) and said["type"] == "ok" and said["id"] == "subscribe", since)
            self.strike()  # it is there again
            self.assertEqual(self.wait_for_type("clash", since)["target"], "floor")
            since = len(self.said)
            self.assertEqual(self.call("remove", "floor")["value"]["type"], "ok")
            self.assertEqual(self.wait_for_type("release", since)["target"], "floor")
            self.close()

    def push_and_cut(self, way):
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({"socket": {**({WAYS[way][0]: "127.0.0.1:0"} if WAYS[way][0] else {}),
                                                   "push_timeout_ms": 60000},
                                        "contact": {"max_gap_ms": 10000}})) # however slow this machine is
        with clashd.Daemon("--source", "none", "--config", settings, home=self.home) as daemon, \
                daemon.connect() as watcher, daemon.connect() as self.other:
            watcher.subscribe(axes="unity", since_seq=0)
            self.assertEqual(self.other.request({"type": "blade", "id": "b", **WALL})["type"], "ok")
            relay = Relay(self.find(daemon, way))
            self.addCleanup(relay.close)
            self.start(way, relay.address)
            self.wait_for_type("hello")
            self.assertEqual(self.call("blade", {**NPC, "name": "wall"})["code"], "name_taken")
            self.assertIn("value", self.call("blade", NPC))
            for y in (1.5, 1.5, 1.0, 1.0):
                self.push(y)
            clash = watcher.read_until(lambda m: m["type"] == "clash")[-1]
            self.assertEqual(self.wait_for_type("clash"), clash)
            self.assertAlmostEqual(clash["midpoint"][2], 0.5, delta=1e-6)
            self.call("poses", [{"device": "nobody", "position": [0, 0, 0], "orientation": [0, 0, 0, 1]}])
            self.assertIn("nobody", self.wait_for_type("error", len(self.said) - 1)["message"])
            self.push(1.2)
            self.cut_and_mend(relay, watcher)
            for y in (1.5, 1.5, 1.0, 1.0):
                self.push(y)
            last = watcher.read_until(lambda m: m["type"] == "clash")[-1]
            self.wait_for(lambda said: isinstance(said, dict) and said["type"] == "clash" and said["seq"] == last["seq"])
            told = [json.loads(line) for line in watcher.lines]
            told = [message for message in told if message["type"] in EVENTS]
            first = self.heard()[0]["seq"]
            self.assertEqual([m for m in self.heard() if m["seq"] <= last["seq"]],
                             [m for m in told if first <= m["seq"] <= last["seq"]])
            self.assertEqual(self.call("remove", "npc")["value"]["type"], "ok")
            self.close()

    def cut_and_mend(self, relay, watcher):
        """While it is away its blade goes, which it hears of when it is back, and its blade with it."""
        since = len(self.said)
        relay.cut()
        self.wait_for_type("disconnected", since)
        self.assertEqual(self.call("poses", [])["value"], False)
        self.assertIn("not connected", self.call("request", {"type": "ping"})["error"])
        removed = watcher.read_until(lambda m: m["type"] == "release" and m["reason"] == "removed")[-1]
        relay.mend()
        self.assertEqual(self.wait_for_type("hello", since)["session"], watcher.hello["session"])
        self.wait_for(lambda said: isinstance(said, dict) and said["type"] == "release" and said["seq"] == removed["seq"], since)
        self.wait_for(lambda said: isinstance(said, dict) and said["type"] == "ok" and said["id"] == "subscribe", since)


if __name__ == "__main__":
    if not find_node():
        print("skipped: no Node here that has a WebSocket: 22, 20.10 with a flag, or Debian's nodejs and node-ws")
        sys.exit(77)
    unittest.main()
