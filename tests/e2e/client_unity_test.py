"""The Unity package's core under Mono: its own tests, and against a live clashd over TCP, the Unix socket and WebSocket: the
same events as a plain client gets, in Unity's axes, on the draining thread, and again after a restart; and blades that it
pushes. Its thin layer and its sample run in as much of an engine as tests/support/unity_engine.cs is."""
import json
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import unity_client  # noqa: E402
from unity_client import PACKAGE, Unity, single  # noqa: E402

MANIFEST = clashd.BUILD / "daemon" / "runtime" / "clash_runtime.json"
RUNTIME = {"XR_RUNTIME_JSON": MANIFEST, "CLASH_RUNTIME_SCRIPT": "crossing", "CLASH_RUNTIME_SPEED": 4}


class UnityTest(Unity):
    def expect_same(self, client):
        """Four clashes that a plain client is told of, in OpenXR's axes, are those of the package, with z the other way."""
        self.wait_for("clash")  # "connected" does not say yet that it has subscribed
        told = []
        # As the package's program asks: what begins slowly, after a gap on a machine that is busy, is told to neither.
        client.subscribe(events=["clash", "release", "tracking"], min_closing_speed=0.125)
        while sum(event["type"] == "clash" for event in told) < 4:
            told.append(client.read())
        for clash in (event for event in told if event["type"] == "clash"):
            line = self.wait_for(f"clash {clash['seq']} ")[0].split()
            x, y, z = clash["midpoint"]
            expected = [x, y, -z, -clash["normal"][2], clash["closing_speed"]]
            self.assertEqual([single(word) for word in line[2:7]], [single(number) for number in expected])
            self.assertEqual(line[7:], [*clash["blades"], "True"])
        expected = [event["seq"] for event in told]
        seqs = [int(line.split()[1]) for line in self.said if line.split()[0] in ("clash", "release", "tracking")]
        self.assertEqual([seq for seq in seqs if expected[0] <= seq <= expected[-1]], expected)

    def test_the_core_by_itself(self):
        done = subprocess.run(["mono", self.program, "unit"], capture_output=True, text=True, timeout=clashd.WAIT_S * 3)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreaterEqual(done.stdout.count("ok "), 10, done.stdout)

    def test_the_layer_and_the_sample_in_a_scene(self):
        """The rig is turned by a quarter, of twice the size, at (10, 20, 30): so are the sparks' places."""
        scene = self.compile_scene()
        with self.pushed_to("--tcp", "127.0.0.1:0") as daemon, \
                daemon.connect() as client:
            process = self.start_program(scene, "127.0.0.1", self.port_of(daemon, "TCP"), daemon.path)
            client.subscribe(events=["clash"])
            client.read()  # where the sword first is: it may begin within the post
            for clash in [client.read() for _ in range(3)]:
                x, y, z = clash["midpoint"]
                part = dict(zip(clash["blades"], clash["parts"], strict=True))
                self.assertIsNone(part.pop("post"))
                self.assertEqual([re.sub(" -?[0-9]+$", "", name) for name in part], ["sword"])
                self.assertEqual(list(part.values()), ["blade"])
                # A post of 0.06 m; a sword of 0.06 m at a quarter of the rig's size.
                for found, expected, delta in ((clash["distance"], 0.075, 1e-6), (abs(x), 0.0375, 0.002), (y, 1.2, 1e-5),
                                               (z, -0.6, 0.01)):
                    self.assertAlmostEqual(found, expected, delta=delta, msg=clash)
                words = self.wait_for(f"spark {clash['seq']} ")[0].split(" ", 5)
                for found, expected in zip(map(float, words[2:5]), (10 - 2 * z, 20 + 2 * y, 30 - 2 * x), strict=True):
                    self.assertAlmostEqual(found, expected, delta=1e-5, msg=words)
                self.assertEqual(words[5], "|".join(clash["blades"]))
            for made in [line for line in self.said if line.startswith("made ")][:3]:
                self.wait_for(made.replace("made ", "particles "))  # the frame of the event draws them
            self.assertFalse([line for line in self.said if line.startswith("warning")], self.said)
            self.stop(process)

    def follow_a_restart(self, option, kind, words):
        with clashd.Daemon(option, "127.0.0.1:0", home=self.home, env=RUNTIME) as daemon:
            port = self.port_of(daemon, kind)
            with daemon.connect() as client:
                process = self.start_client(*words(port, daemon))
                self.wait_for("connected " + client.hello["session"])
                self.expect_same(client)
        self.wait_for("disconnected")
        since = len(self.said)
        # Another run, with another token.
        with clashd.Daemon(option, f"127.0.0.1:{port}", home=self.home, env=RUNTIME):
            self.wait_for("connected", since=since)
            self.wait_for("clash", since=since)
            self.stop(process)

    def test_tcp(self):
        self.follow_a_restart("--tcp", "TCP", lambda port, daemon: (
            "tcp", "127.0.0.1", port, daemon.path.with_suffix(".token")))

    def test_websocket(self):
        # The socket's path stands for the token beside it.
        self.follow_a_restart("--websocket", "WebSocket", lambda port, daemon: (
            "ws", f"ws://127.0.0.1:{port}", daemon.path))

    def expect_own_clashes(self, daemon, client, since=0):
        """The post is 0.6 m in front, the sword at a height of 1.2 m; their axes touch 75 mm apart, on either side."""
        self.wait_for("connected", since=since)
        client.subscribe(events=["clash"])
        client.read()  # where the sword first is: it may begin within the post
        for clash in [client.read() for _ in range(3)]:
            x, y, z = clash["midpoint"]
            self.assertEqual(sorted(clash["blades"]), ["post", 'sword "1"'])
            for found, expected, delta in ((clash["distance"], 0.075, 1e-6), (abs(x), 0.0375, 0.002), (y, 1.2, 1e-6),
                                           (z, -0.6, 0.01)):
                self.assertAlmostEqual(found, expected, delta=delta, msg=clash)
            line = self.wait_for(f"clash {clash['seq']} ", since=since)[0].split()
            self.assertEqual([single(word) for word in line[2:5]], [single(x), single(y), single(-z)])
        counters = client.request({"type": "status", "id": "s"})["counters"]
        self.assertEqual([counters[f"push_refused_{why}"] for why in ("future", "limit")], [0, 0])
        # A machine that stands still for over a second makes what waits too late; a wrong clock makes everything so.
        self.assertLess(10 * counters["push_refused_late"], counters["pushed_poses"] + 2000)
        connected = next(index for index in range(since, len(self.said)) if self.said[index].startswith("connected"))
        problems = [line for line in self.said[connected:] if line.startswith("problem") and "not over 1 s ago" not in line]
        self.assertFalse(problems, self.said)

    def push(self, words, *options):
        with self.pushed_to(*options) as daemon, daemon.connect() as client:
            process = self.start_client(*words(daemon), mode="push")
            self.expect_own_clashes(daemon, client)
        self.wait_for("disconnected")
        since = len(self.said)
        return process, since

    def test_push_over_tcp(self):
        process, _ = self.push(lambda daemon: ("tcp", "127.0.0.1", self.port_of(daemon, "TCP"), daemon.path),
                               "--tcp", "127.0.0.1:0")
        self.stop(process)

    def test_push_over_websocket(self):
        process, _ = self.push(lambda daemon: ("ws", f"ws://127.0.0.1:{self.port_of(daemon, 'WebSocket')}", daemon.path),
                               "--websocket", "127.0.0.1:0")
        self.stop(process)

    def test_push_over_the_unix_socket_and_again(self):
        process, since = self.push(lambda daemon: ("unix", daemon.path))
        with self.pushed_to() as daemon, daemon.connect() as client:
            self.expect_own_clashes(daemon, client, since)  # its blades are defined anew
            self.stop(process)

    def test_push_of_a_sword_of_parts(self):
        """The same clashes as with one of a single capsule, and which part of it they are of."""
        with self.pushed_to() as daemon, daemon.connect() as client:
            process = self.start_client("unix", daemon.path, mode="parts")
            self.expect_own_clashes(daemon, client)
            clash = client.read()
            named = dict(zip(clash["blades"], clash["parts"], strict=True))
            self.assertEqual(named, {"post": None, 'sword "1"': "blade"})
            self.assertEqual(self.wait_for(f"parts {clash['seq']} ")[0].split(" ", 2)[2],
                             "|".join(part or "" for part in clash["parts"]))
            with daemon.connect() as other:
                sword = next(blade for blade in other.hello["blades"] if blade["name"] == 'sword "1"')
                self.assertEqual([part["name"] for part in sword["parts"]], ["blade", "guard"])
                # In OpenXR's axes.
                points = [[single(number) for number in point] for point in sword["parts"][0]["points"]]
                self.assertEqual(points, [[0, 0, 0], [0, 0, single(-0.9)], [0, 0, -1]])
            self.stop(process)

    def test_a_name_that_is_taken(self):
        with clashd.Daemon("--source", "none", home=self.home) as daemon, daemon.connect() as other:
            reply = other.request({"type": "blade", "id": "b", "name": "post", "device": "x", "base": [0, 0, 0],
                                   "tip": [0, 1, 0], "radius": 0.1})
            self.assertEqual(reply["type"], "ok", reply)
            process = self.start_client("unix", daemon.path, mode="push")
            self.wait_for("problem blade post: ")
            before = other.request({"type": "status", "id": "s"})["counters"]["pushed_poses"]
            other.subscribe(events=["poses"])
            # Its other blade's poses come all the same.
            message = other.read_until(lambda m: m["type"] == "poses")[-1]
            self.assertEqual([pose["device"] for pose in message["poses"]], ["sword hand"])
            self.assertGreater(other.request({"type": "status", "id": "s"})["counters"]["pushed_poses"], before)
            self.assertLess(len([line for line in self.said if line.startswith("problem")]), 4)
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

    def test_every_file_has_its_meta(self):
        """Without one Unity gives a sample's script another number in each project, and ignores a file of a package that was fetched by git."""
        for path in PACKAGE.rglob("*"):
            parts = path.relative_to(PACKAGE).parts
            if path.suffix == ".meta":
                self.assertTrue(path.with_suffix("").exists(), f"{path} is of nothing")
            elif path.is_file() and not any(part.endswith("~") and part != "Samples~" for part in parts):
                self.assertTrue(Path(f"{path}.meta").exists(), f"{path} has no .meta")

    def test_what_the_inspectors_show(self):
        """Each component has an icon, headers and a page of help, and each field of it says what it is."""
        icons = {re.search("guid: (\\w+)", path.read_text())[1] for path in PACKAGE.rglob("*.png.meta")}
        for path in PACKAGE.glob("Runtime/Unity/Clashd*.cs"):
            text = path.read_text()
            fields = re.findall(r"(?m)((?:^        \[.*\n(?:^  +\".*\n)*)*)^        public (?!const|static|event|override|abstract)[\w.\[\]]+ ([a-z]\w*)(?: = .*)?;$", text)
            for attributes, name in fields:
                self.assertIn("Tooltip", attributes, f"{path.name}: {name}")
            if "AddComponentMenu" not in text:
                continue
            self.assertIn("[Header(", text, path)
            self.assertIn("[HelpURL(", text, path)
            self.assertIn(re.search("icon: .*guid: (\\w+)", Path(f"{path}.meta").read_text())[1], icons, path)
        editors = (PACKAGE / "Editor" / "ClashdEditors.cs").read_text()
        self.assertEqual(editors.count("[CustomEditor("), editors.count("[CanEditMultipleObjects]"))
        self.assertIn("documentationUrl", json.loads((PACKAGE / "package.json").read_text()))

    def test_the_samples_scene(self):
        """All that it and its prefab refer to is there, by Unity's numbers: objects within, files by their .meta, fields in the scripts."""
        files = {path.with_suffix("").as_posix(): re.search("guid: (\\w+)", path.read_text())[1] for path in PACKAGE.rglob("*.meta")}
        self.assertEqual(len(set(files.values())), len(files))
        by_guid = {guid: Path(path) for path, guid in files.items()}
        duel = PACKAGE / "Samples~" / "Duel"
        for path in duel.iterdir():
            self.assertTrue(path.suffix == ".meta" or path.as_posix() in files, path)
        texts = {name: (duel / name).read_text() for name in ("Duel.unity", "Spark.prefab")}
        ids = {name: re.findall(r"(?m)^--- !u!\d+ &(\d+)$", text) for name, text in texts.items()}
        for name, text in texts.items():
            self.assertEqual(len(set(ids[name])), len(ids[name]))
            self.assertLessEqual(set(re.findall(r"\{fileID: (\d+)\}", text)), {*ids[name], "0"})
            for number, guid in re.findall(r"\{fileID: (\d+), guid: (\w+), type: \d\}", text):
                if not guid.startswith("0000000000000000"):  # else of Unity's own: a cube, a material
                    self.assertIn(number, ids.get(by_guid[guid].name, ["11500000"]))
            for guid, fields in re.findall(r"m_Script: \{fileID: 11500000, guid: (\w+), .*\n  m_Name:\n((?:  .*\n)*)", text):
                for field in re.findall(r"(?m)^  (\w+):", fields):
                    self.assertRegex(by_guid[guid].read_text(), rf"\bpublic \w+ {field}\b", by_guid[guid])


if __name__ == "__main__":
    if not MANIFEST.exists():
        print(f"skipped: {MANIFEST} has not been built")
        sys.exit(77)
    unity_client.main()
