"""The C client's example program against a live clashd on the stand-in runtime: sparks where clashd says that there are
clashes, and again after clashd has come back."""
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402

MANIFEST = clashd.BUILD / "daemon" / "runtime" / "clash_runtime.json"
SPARKS = clashd.BUILD / "protocol" / "clients" / "c" / "sparks"
RUNTIME = {"XR_RUNTIME_JSON": MANIFEST, "CLASH_RUNTIME_SCRIPT": "crossing", "CLASH_RUNTIME_SPEED": 4}


class Sparks(clashd.TestCase):
    def start_sparks(self, *words):
        process = subprocess.Popen([SPARKS, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
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

    def wait_for(self, part, count=1, since=0):
        deadline = time.monotonic() + clashd.WAIT_S
        while time.monotonic() < deadline:
            found = [line for line in self.said[since:] if part in line]
            if len(found) >= count:
                return found
            time.sleep(0.02)
        raise AssertionError(f"sparks did not say {part!r} {count} times:\n" + "\n".join(self.said))

    def test_sparks_are_where_the_clashes_are(self):
        with clashd.Daemon(home=self.home, env=RUNTIME) as daemon, daemon.connect() as client:
            self.start_sparks()
            self.wait_for("2 blades")
            client.subscribe(events=["clash"])
            sparks = self.wait_for("spark at", 4)
            clashes = [client.read() for _ in range(3)]
            expected = ["spark at {:.3f} {:.3f} {:.3f}, {:.1f} m/s, {} against {}".format(
                *clash["midpoint"], clash["closing_speed"], *clash["blades"]) for clash in clashes]
            # Of the two clients either may have come first; both then see the same ones.
            self.assertTrue(set(expected) & set(sparks), (expected, sparks))
            self.wait_for(expected[-1])

    def test_tcp(self):
        with clashd.Daemon("--tcp", "127.0.0.1:0", home=self.home, env=RUNTIME) as daemon:
            said = daemon.log[daemon.wait_for_log("(TCP") - 1]
            # The token is found beside the default socket.
            self.start_sparks("tcp:127.0.0.1:" + said.split("listening on 127.0.0.1:", 1)[1].split()[0])
            self.wait_for("spark at", 3)

    def test_clashd_comes_and_goes(self):
        self.start_sparks(self.home / "clashd" / "clashd.sock")
        with clashd.Daemon(home=self.home, env=RUNTIME):
            self.wait_for("spark at")
        self.wait_for("closed the connection")
        since = len(self.said)
        with clashd.Daemon(home=self.home, env=RUNTIME):
            self.wait_for("spark at", since=since)


if __name__ == "__main__":
    unittest.main()
