"""Every property of a blade, none as it is by default, goes all the way: through configuration, --set, reload and what clients
push into hello, header and recorded lines, and from a recording through detect and replay into events and hello again; and through
the clients. A property that is new gets a value in ROD and in the Unity runner's Blades.cs, and another one in CHANGES."""
import json
import shutil
import signal
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import node_client  # noqa: E402
import recordings  # noqa: E402
import unity_client  # noqa: E402
import validate  # noqa: E402

CURVE = {"name": "blade", "points": [[0, 0, -0.125], [0, 0, -0.5], [0, 0.25, -1]], "radius": 0.0625, "edge": [0, -1, 0.5]}
GUARD = {"name": "guard", "points": [[-0.125, 0, -0.125], [0.125, 0, -0.125]], "radius": 0.03125}
ROD = {"name": "rod", "device": "a/hand", "body": True, "base": [0.25, 0, 0], "tip": [0.25, 0.5, -1], "radius": 0.0625,
       "edge": [0.5, -1, 0], "enabled": True, "layers": 5, "mask": 4294967293}
# Everything of ROD, each changed alone, then its place taken by parts.
CHANGES = {"device": "b/hand", "body": False, "base": [0, 0, 0.125], "tip": [0, 0.25, -0.75], "radius": 0.125,
           "edge": [0, 1, 0.25], "enabled": False, "layers": 2, "mask": 2, "parts": [CURVE, GUARD]}
# What a blade of parts is for those who know none.
STANDS_FOR = {"base": CURVE["points"][0], "tip": CURVE["points"][-1], "radius": CURVE["radius"], "edge": CURVE["edge"]}
# All but what clashd alone says, of other machines' blades: e2e/room_test has that.
PROPERTIES = set(validate.schemas()["common"]["$defs"]["blade"]["properties"]) - {"peer"}
WALL = {"name": "wall", "position": [0, 0, -3], "box": {"size": [8, 8, 0.25]}}


def sabre(**more):
    return {"name": "sabre", "device": "b/hand", "body": True, "parts": [CURVE, GUARD], **more}


def in_unity(blade):
    """In Unity's axes, z the other way."""
    def turned(value):
        return [value[0], value[1], -value[2]] if isinstance(value[0], (int, float)) else [turned(part) for part in value]
    return {key: turned(value) if key in ("base", "tip", "edge", "points") else
            [in_unity(part) for part in value] if key == "parts" else value for key, value in blade.items()}


def listed(blade):
    """As hello, headers and recordings have it."""
    blade = {**blade, **STANDS_FOR} if "parts" in blade else dict(blade)
    defaults = {"body": False, "enabled": True, "layers": 1, "mask": 4294967295}
    return {key: value for key, value in blade.items() if key not in defaults or value != defaults[key]}


class Blades(recordings.Case):
    def start(self, *words):
        self.daemon = clashd.Daemon(*words, home=self.home)
        self.addCleanup(self.daemon.process.wait)
        self.addCleanup(self.daemon.process.kill)
        self.client = self.daemon.connect()
        self.addCleanup(self.client.close)

    def moving(self, *blades, lines=()):
        """A recording in which both devices go through the wall."""
        path, self.again = self.home / "moving.jsonl", self.home / "again.jsonl"
        lines = [{"type": "recording", "version": 1, "space": "stage", **({"blades": blades} if blades else {})},
                 {"type": "target", "time_ns": 0, **WALL}, *lines]
        for i in range(40):
            poses = [{"device": device, "position": [x, 0, -0.1 * i], "orientation": [0, 0, 0, 1], "tracked": True}
                     for device, x in (("a/hand", -0.25), ("b/hand", 0))]
            lines.append({"type": "poses", "time_ns": 10_000_000 * (i + 1), "poses": poses})
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    def configured(self, *blades):
        path = self.home / "settings.json"
        path.write_text(json.dumps({"blades": blades, "openxr": {"enabled": False}}))
        return path

    def hello(self):
        with self.daemon.connect() as client:
            self.assertEqual(validate.mistakes("server/hello", client.hello), [])
            return client.hello["blades"]

    def test_all_are_given_and_all_are_changed(self):
        self.assertEqual(PROPERTIES, {"name", *CHANGES}, "each is followed here")
        self.assertEqual(PROPERTIES - {"parts"}, set(ROD))
        for key in ROD.keys() & CHANGES.keys():
            self.assertNotEqual(ROD[key], CHANGES[key])

    def test_set(self):
        """What is set alone leaves the rest as it was: with the same value nothing is changed, with another one all else stays."""
        recording, settings = self.moving(), self.configured(ROD, sabre())
        whole = clashd.detect(recording, "--config", settings, home=self.home)
        for key, value in (("rod.radius", ROD["radius"]), ("sabre.device", "b/hand")):
            self.assertEqual(self.detect_set(recording, settings, key, value), whole)
        for name, original in (("rod", ROD), ("sabre", sabre())):
            for key in original.keys() & CHANGES.keys() - {"parts"}:
                changed = [{**blade, key: CHANGES[key]} if blade["name"] == name else blade for blade in (ROD, sabre())]
                set_so = self.detect_set(recording, settings, f"{name}.{key}", CHANGES[key])
                self.assertEqual(set_so, clashd.detect(recording, "--config", self.configured(*changed), home=self.home))
                self.configured(ROD, sabre())

    def detect_set(self, recording, settings, key, value):
        return clashd.detect(recording, "--config", settings, "--set", f"blades.{key}={json.dumps(value)}", home=self.home)

    def test_reload(self):
        """What is changed alone is told, and nothing else."""
        recording, blade, expected = self.moving(listed(ROD), listed(sabre())), ROD, []
        self.start("--config", self.configured(ROD, sabre()), "--source", f"replay:{recording}", "--record", self.again)
        self.daemon.wait_for_log("the replay has ended")  # a recording begins with the first pose
        for key, value in CHANGES.items():
            kept = ("name", "device", "body") if key == "parts" else tuple(blade)
            blade = {**{name: blade[name] for name in kept}, key: value}
            self.configured(blade, sabre())
            self.daemon.process.send_signal(signal.SIGHUP)
            self.wait_for(lambda: self.counter(self.client, "reloads") > len(expected))
            expected.append(listed(blade))
            self.assertEqual(self.hello(), [listed(sabre()), expected[-1]], key)
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log)
        self.assertEqual(self.lines(self.again)[0]["blades"], [listed(ROD), listed(sabre())])
        self.assertEqual(self.blade_lines(self.again), expected)

    def test_clients(self):
        recording = self.home / "r.jsonl"
        self.start("--config", self.configured(), "--source", "none", "--record", recording)
        poses = [{"device": "a/hand", "position": [0, 0, 0], "orientation": [0, 0, 0, 1]}]
        for message in ({"type": "blade", **ROD}, {"type": "poses", "poses": poses}, {"type": "blade", **sabre()}):
            self.assertEqual(self.client.request({"id": 1, **message})["type"], "ok")
        self.assertEqual(self.hello(), [listed(ROD), listed(sabre())])
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log)
        self.assertEqual(self.lines(recording)[0]["blades"], [listed(ROD)])
        self.assertEqual(self.blade_lines(recording), [listed(sabre())])

    def test_a_sheathed_sword_and_a_team(self):
        """A client switches its own blade off in mid-contact, on again, and puts both on one side."""
        self.start("--config", self.configured(), "--source", "none")
        swords = [{"name": f"s{i}", "device": f"d{i}", "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.02} for i in range(2)]
        for sword in swords:
            self.assertEqual(self.client.request({"type": "blade", "id": 1, **sword})["type"], "ok")
        self.client.subscribe()
        wall = {"name": "wall", "box": {"size": [0.5, 0.5, 0.5]}, "layers": 8, "mask": 8}
        self.assertEqual(self.client.request({"type": "target", "id": 2, **wall})["type"], "ok")
        self.assertEqual([target.get("mask") for target in self.client.request({"type": "hello", "id": 3})["targets"]], [8])
        told = []
        for change in ({}, {"enabled": False}, {}, {"layers": 2, "mask": 2}, {}):
            self.assertEqual(self.client.request({"type": "blade", "id": 4, **swords[1], **change})["type"], "ok")
            for _ in range(3):
                self.push_both()
            told.append(self.kinds())
        clash, release = ("clash", ["s0", "s1"]), ("release", "removed")
        self.assertEqual(told, [[clash], [release], [clash], [release], [clash]])

    def push_both(self):
        poses = [{"device": f"d{i}", "position": [0.01 * i, 0, 0], "orientation": [0, 0, 0, 1]} for i in range(2)]
        self.assertEqual(self.client.request({"type": "poses", "id": 5, "poses": poses})["type"], "ok")

    def kinds(self):
        """What came since it was asked last."""
        self.assertEqual(self.client.request({"type": "ping", "id": 6})["type"], "ok")
        lines, self.client.lines = list(map(json.loads, self.client.lines)), []
        return [(line["type"], line.get("reason", line["blades"])) for line in lines if line["type"] in ("clash", "release")]

    def carried(self, *words):
        """A program that defines ROD and a sabre, and keeps them until its input ends."""
        process = subprocess.Popen([*map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                                   env=clashd.environment(self.home))
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def expect_carried(self, process, goodbye=""):
        self.wait_for(lambda: len(self.hello()) == 2)
        self.assertEqual(sorted(self.hello(), key=lambda blade: blade["name"]), [listed(ROD), listed(sabre())])
        process.communicate(goodbye, timeout=clashd.WAIT_S)
        self.assertEqual(process.returncode, 0)

    def test_the_c_client(self):
        """It reads them in one hello and defines them for another one."""
        other = self.home / "other"
        other.mkdir()
        with clashd.Daemon("--config", self.configured(ROD, sabre()), "--source", "none", home=other) as first:
            self.start("--config", self.configured(), "--source", "none")
            self.expect_carried(self.carried(clashd.BUILD / "tests" / "blade_carrier", first.path, self.daemon.path))

    def test_the_javascript_client(self):
        node = node_client.find_node()
        if not node:
            self.skipTest("no Node with a WebSocket here: apt-get install nodejs node-ws")
        self.start("--config", self.configured(), "--source", "none")
        process = self.carried(*node, node_client.SCRIPT, "node", self.daemon.path)
        for blade in (ROD, sabre()):
            process.stdin.write(json.dumps({"call": "blade", "arguments": [in_unity(blade)]}) + "\n")
        process.stdin.flush()
        self.expect_carried(process, '{"call": "close"}\n')

    def test_the_unity_client(self):
        if not shutil.which("mcs") or not shutil.which("mono"):
            self.skipTest("no Mono here: apt-get install mono-mcs mono-runtime libmono-system-core4.0-cil")
        self.start("--config", self.configured(), "--source", "none")
        self.expect_carried(self.carried("mono", unity_client.compile_runner(self.home), "blades", "unix", self.daemon.path))

    def test_the_godot_client_knows_each(self):
        """client_godot_test.py runs it; here every property is at least one that it can be given, and writes."""
        addon = clashd.SOURCE / "protocol" / "clients" / "godot" / "addons" / "clashd"
        written = (addon / "pusher.gd").read_text()
        for key in PROPERTIES:
            self.assertRegex(written, rf'"{key}"|\.{key} = ', key)

    def test_detect_and_replay(self):
        """One stands in the header, the other in a line. Both go through the wall, and through each other without a word."""
        recording = self.moving(listed(ROD), lines=[{"type": "blade", "time_ns": 0, **listed(sabre())}])
        events = clashd.detect(recording, home=self.home)
        clashes = {event["blades"][0]: event for event in map(json.loads, events) if event["type"] == "clash"}
        self.assertEqual({name: event["blades"][1] for name, event in clashes.items()}, {"rod": "wall", "sabre": "wall"})
        self.assertEqual(clashes["sabre"]["parts"][0], "blade")
        for event in clashes.values():
            self.assertIsNotNone(event["edge_alignment"][0])
        self.start("--source", f"replay:{recording}", "--record", self.again, "--wait-for-client")
        self.client.subscribe()
        self.daemon.wait_for_log("the replay has ended")
        self.assertEqual(self.hello(), [listed(ROD), listed(sabre())])
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log)
        self.assertEqual(self.lines(self.again)[0]["blades"], [listed(ROD)])
        self.assertEqual(self.blade_lines(self.again), [listed(sabre())])
        recorded = clashd.unsourced(self.again.read_text().splitlines())
        self.assertEqual([line for line in recorded if '"seq":' in line], events)
        self.assertEqual(clashd.detect(self.again, home=self.home), events)

    def blade_lines(self, path):
        return [{key: value for key, value in line.items() if key not in ("type", "time_ns")}
                for line in self.lines(path) if line["type"] == "blade"]


if __name__ == "__main__":
    unittest.main()
