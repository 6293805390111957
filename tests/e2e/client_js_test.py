"""The ES module in Node against a live clashd on the stand-in runtime, over WebSocket: the events of a plain client, in the
axes asked for, and again, with a new token, after a restart."""
import json
import shutil
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402

MANIFEST = clashd.BUILD / "daemon" / "runtime" / "clash_runtime.json"
SCRIPT = clashd.SOURCE / "tests" / "support" / "websocket_client.mjs"
RUNTIME = {"XR_RUNTIME_JSON": MANIFEST, "CLASH_RUNTIME_SCRIPT": "crossing", "CLASH_RUNTIME_SPEED": 4}
NODE = ["node", "--experimental-websocket", "--no-warnings"]


class JavaScript(clashd.TestCase):
    def start(self, port):
        process = subprocess.Popen([*NODE, SCRIPT, f"ws://127.0.0.1:{port}", self.home / "clashd" / "clashd.token"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.said = []
        threading.Thread(target=self.read, args=(process.stdout,), daemon=True).start()
        return process

    def read(self, stream):
        with stream:
            for line in stream:
                self.said.append(json.loads(line) if line.startswith("{") else line.rstrip("\n"))

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

    def test_events_and_a_restart(self):
        with clashd.Daemon("--websocket", "127.0.0.1:0", home=self.home, env=RUNTIME) as daemon, \
                daemon.connect() as client:
            said = daemon.log[daemon.wait_for_log("listening on 127.0.0.1:") - 1]
            port = said.split("listening on 127.0.0.1:", 1)[1].split()[0]
            process = self.start(port)
            self.assertEqual(self.wait_for_type("hello")["session"], client.hello["session"])
            client.subscribe(events=["clash"], axes="unity")
            for clash in [client.read() for _ in range(3)]:
                self.assertEqual(self.wait_for(lambda said: isinstance(said, dict) and said.get("seq") == clash["seq"]
                                               and said["type"] == "clash"), clash)
                self.wait_for(lambda said: said == f"callback {clash['seq']}")
        self.assertTrue(self.wait_for_type("disconnected")["greeted"])
        since = len(self.said)
        with clashd.Daemon("--websocket", f"127.0.0.1:{port}", home=self.home, env=RUNTIME):
            self.wait_for_type("clash", since)
            process.stdin.write("stop\n")
            process.stdin.flush()
            self.wait_for(lambda said: said == "ended")
            self.assertEqual(process.wait(timeout=clashd.WAIT_S), 0)


if __name__ == "__main__":
    if not shutil.which("node") or subprocess.run([*NODE, "-e", "new WebSocket('ws://[::1]:1').onerror = () => 0"],
                                                  capture_output=True).returncode != 0:
        print("skipped: no Node here that has WebSocket: 20.10 or later")
        sys.exit(77)
    if not MANIFEST.exists():
        print(f"skipped: {MANIFEST} has not been built")
        sys.exit(77)
    unittest.main()
