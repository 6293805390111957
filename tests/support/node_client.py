"""Node, for the tests of the JavaScript client: a script that uses it, what it says line by line, and its calls."""
import json
import shutil
import subprocess
import threading
import time

import clashd

SCRIPT = clashd.SOURCE / "tests" / "support" / "client.mjs"


def find_node():
    """The words that start a Node with a WebSocket: its own, or that of Debian's package node-ws."""
    for flags in ([], ["--experimental-websocket", "--no-warnings"]):
        if shutil.which("node") and subprocess.run(["node", *flags, SCRIPT], capture_output=True).returncode == 0:
            return ["node", *flags]
    return None


# How a client is started, by the way that it takes: what clashd has to be told, in its log what says where it listens,
# the words for the script, and whether that shows a token.
WAYS = {"page": ("websocket", "(WebSocket", "ws://{}:{}"), "unix": (None, None, "{}"),
        "tcp": ("tcp", "(TCP", "tcp:{}:{}"), "websocket": ("websocket", "(WebSocket", "ws://{}:{}")}


class Script(clashd.TestCase):
    def find(self, daemon, way):
        """Where a daemon listens."""
        logged = WAYS[way][1]
        if not logged:
            return str(daemon.path)
        host, port = daemon.log[daemon.wait_for_log(logged) - 1].split("listening on ", 1)[1].split()[0].rsplit(":", 1)
        return host, int(port)

    def start(self, way, at=None):
        """The script on its way to `at`; None for where Node's finds clashd by itself."""
        words = WAYS[way][2].format(*at if isinstance(at, tuple) else (at,))
        words = [words, self.home / "clashd" / "clashd.token"] if way == "page" else ["node", *([words] if at else [])]
        self.process = subprocess.Popen([*find_node(), SCRIPT, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=clashd.environment(self.home))
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)
        self.said = []
        threading.Thread(target=self.read, args=(self.process.stdout, self.said), daemon=True).start()

    def read(self, stream, said):
        with stream:
            for line in stream:
                said.append(json.loads(line) if line.startswith("{") else line.rstrip("\n"))

    def wait_for(self, wanted, since=0):
        deadline = time.monotonic() + clashd.WAIT_S
        while time.monotonic() < deadline:
            for said in self.said[since:]:
                if wanted(said):
                    return said
            time.sleep(0.02)
        raise AssertionError(f"did not come: {self.said[-10:]}")

    def wait_for_type(self, name, since=0):
        return self.wait_for(lambda said: isinstance(said, dict) and said["type"] == name, since)

    def send(self, name, *words):
        self.process.stdin.write(json.dumps({"call": name, "arguments": words}) + "\n")
        self.process.stdin.flush()

    def close(self):
        self.send("close")
        self.wait_for(lambda said: said == "ended")
        self.assertEqual(self.process.wait(timeout=clashd.WAIT_S), 0)

    def call(self, name, *words):
        """What the call returned: its value, or the error."""
        since = len(self.said)
        self.send(name, *words)
        return self.wait_for(lambda said: isinstance(said, dict) and said["type"] == "returned" and said["call"] == name, since)
