"""The Unity package's core under Mono: its own tests, and against a live clashd on the stand-in runtime over TCP and the Unix
socket: the same events as a plain client gets, in Unity's axes, on the draining thread, and again after a restart. Its thin
layer and its sample at least compile."""
import json
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402

PACKAGE = clashd.SOURCE / "protocol" / "clients" / "unity"
MANIFEST = clashd.BUILD / "daemon" / "runtime" / "clash_runtime.json"
RUNTIME = {"XR_RUNTIME_JSON": MANIFEST, "CLASH_RUNTIME_SCRIPT": "crossing", "CLASH_RUNTIME_SPEED": 4}


def single(number):
    """As a float32."""
    return struct.unpack("f", struct.pack("f", float(number)))[0]


def compile_to(output, *sources, target="exe"):
    done = subprocess.run(["mcs", "-langversion:7", "-warnaserror", f"-target:{target}", "-r:System.Core.dll",
                           f"-out:{output}", *map(str, sources)], capture_output=True, text=True, timeout=clashd.WAIT_S * 3)
    assert done.returncode == 0, done.stdout + done.stderr


class Unity(clashd.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="clashd-unity-")
        cls.addClassCleanup(directory.cleanup)
        cls.work = Path(directory.name)
        cls.program = cls.work / "clashd_unity.exe"
        cls.core = sorted(PACKAGE.glob("Runtime/Core/*.cs"))
        compile_to(cls.program, *cls.core, PACKAGE / "Tests/Editor/CoreTests.cs", PACKAGE / "Tests/Runner~/Program.cs")

    def start_client(self, *words):
        process = subprocess.Popen(["mono", self.program, "live", *map(str, words)], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True, env=clashd.environment(self.home))
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.said = []
        threading.Thread(target=self.read, args=(process.stdout,), daemon=True).start()
        return process

    def read(self, stream):
        with stream:
            for line in stream:
                self.said.append(line.rstrip("\n"))

    def wait_for(self, start, count=1, since=0):
        deadline = time.monotonic() + clashd.WAIT_S
        while time.monotonic() < deadline:
            found = [line for line in self.said[since:] if line.startswith(start)]
            if len(found) >= count:
                return found
            time.sleep(0.02)
        raise AssertionError(f"no {count} lines begin with {start!r}:\n" + "\n".join(self.said))

    def expect_same(self, client):
        """Four clashes that a plain client is told of, in OpenXR's axes, are those of the package, with z the other way."""
        client.subscribe(events=["clash"])
        for clash in [client.read() for _ in range(4)]:
            line = self.wait_for(f"clash {clash['seq']} ")[0].split()
            x, y, z = clash["midpoint"]
            expected = [x, y, -z, -clash["normal"][2], clash["closing_speed"]]
            self.assertEqual([single(word) for word in line[2:7]], [single(number) for number in expected])
            self.assertEqual(line[7:], [*clash["blades"], "True"])
        seqs = [int(line.split()[1]) for line in self.said if line.split()[0] in ("clash", "hold", "release", "tracking")]
        self.assertEqual(seqs, list(range(seqs[0], seqs[0] + len(seqs))))

    def stop(self, process):
        process.stdin.close()
        self.wait_for("disposed")
        self.assertEqual(process.wait(timeout=clashd.WAIT_S), 0)

    def test_the_core_by_itself(self):
        done = subprocess.run(["mono", self.program, "unit"], capture_output=True, text=True, timeout=clashd.WAIT_S * 3)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreaterEqual(done.stdout.count("ok "), 8, done.stdout)

    def test_the_layer_and_the_sample_compile(self):
        compile_to(self.work / "layer.dll", *self.core, *PACKAGE.glob("Runtime/Unity/*.cs"),
                   *PACKAGE.glob("Samples~/*/*.cs"), clashd.SOURCE / "tests/support/unity_engine.cs", target="library")

    def test_tcp(self):
        with clashd.Daemon("--tcp", "127.0.0.1:0", home=self.home, env=RUNTIME) as daemon:
            said = daemon.log[daemon.wait_for_log("(TCP") - 1]
            port = said.split("listening on 127.0.0.1:", 1)[1].split()[0]
            token = daemon.path.with_suffix(".token")
            with daemon.connect() as client:
                process = self.start_client("tcp", "127.0.0.1", port, token)
                self.wait_for("connected " + client.hello["session"])
                self.expect_same(client)
        self.wait_for("disconnected")
        since = len(self.said)
        # Another run, with another token.
        with clashd.Daemon("--tcp", f"127.0.0.1:{port}", home=self.home, env=RUNTIME):
            self.wait_for("connected", since=since)
            self.wait_for("clash", since=since)
            self.stop(process)

    def test_a_wrong_token_is_told(self):
        wrong = self.home / "token"
        wrong.write_text("0" * 64)
        with clashd.Daemon("--tcp", "127.0.0.1:0", home=self.home, env=RUNTIME) as daemon:
            said = daemon.log[daemon.wait_for_log("(TCP") - 1]
            process = self.start_client("tcp", "127.0.0.1", said.split("127.0.0.1:", 1)[1].split()[0], wrong)
            problem = self.wait_for("problem")[0]
            self.assertIn("clashd.token", problem)
            self.stop(process)

    def test_unix_socket(self):
        process = self.start_client("unix", self.home / "clashd" / "clashd.sock")
        self.wait_for("problem")  # nobody there yet
        with clashd.Daemon(home=self.home, env=RUNTIME) as daemon, daemon.connect() as client:
            self.wait_for("connected " + client.hello["session"])
            self.expect_same(client)
            self.stop(process)

    def test_the_package_is_whole(self):
        manifest = json.loads((PACKAGE / "package.json").read_text())
        for sample in manifest["samples"]:
            self.assertTrue(list((PACKAGE / sample["path"]).glob("*.cs")))
        visible = [path for path in PACKAGE.rglob("*") if path.suffix != ".meta" and
                   not any(part.endswith("~") for part in path.relative_to(PACKAGE).parts)]
        self.assertGreater(len(visible), 15)
        # Unity ignores what has none in a package that was fetched by git.
        guids = [Path(f"{path}.meta").read_text().split("guid: ")[1].split()[0] for path in visible]
        self.assertEqual(len(set(guids)), len(visible))


if __name__ == "__main__":
    if not shutil.which("mcs") or not shutil.which("mono"):
        print("skipped: no Mono here: apt-get install mono-mcs mono-runtime libmono-system-core4.0-cil")
        sys.exit(77)
    if not MANIFEST.exists():
        print(f"skipped: {MANIFEST} has not been built")
        sys.exit(77)
    unittest.main()
