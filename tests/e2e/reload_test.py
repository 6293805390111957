"""SIGHUP: changed settings apply, all of them or none; who is connected stays so, and the recording still verifies."""
import json
import re
import signal
import struct
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import recordings  # noqa: E402
import validate  # noqa: E402

DUEL = clashd.DATA / "duel-20s.jsonl"
PILLAR = {"name": "pillar", "position": [0, 0.5, -0.5], "box": {"size": [0.4, 1.0, 0.4]}}
GROUND = {"name": "ground", "position": [-8, -1, -8],
          "terrain": {"columns": 17, "rows": 17, "spacing": [1, 1], "file": "ground.raw", "height": 2}}


def blades(length=1.0):
    return [{"name": hand, "device": f"/user/hand/{hand}", "base": [0, 0, 0], "tip": [0, 0, -length], "radius": 0.03}
            for hand in ("left", "right")]


class Reload(recordings.Case):
    def start(self, *words, source=f"replay:{DUEL}", **settings):
        self.path = self.home / "settings.json"
        self.write(**settings)
        if source != "none":
            words += ("--wait-for-client",)
        self.daemon = clashd.Daemon("--config", self.path, "--source", source, *words, home=self.home)
        self.addCleanup(self.daemon.process.wait)
        self.addCleanup(self.daemon.process.kill)
        self.said = 0
        self.client = self.connect()

    def connect(self):
        client = self.daemon.connect()
        self.addCleanup(client.close)
        return client

    def write(self, **settings):
        self.path.write_text(json.dumps({"blades": blades(), "openxr": {"enabled": False}, **settings}))

    def reload(self, wanted="the settings apply"):
        """Returns what clashd says of it."""
        self.daemon.process.send_signal(signal.SIGHUP)
        self.said = self.daemon.wait_for_log("SIGHUP: the settings", self.said)
        line = self.daemon.log[self.said - 1]
        self.assertIn(wanted, line)
        return line

    def refused(self, *parts):
        hello = self.connect().hello
        line = self.reload("are refused, and all stays as it was")
        for part in parts:
            self.assertIn(part, line)
        after = self.connect().hello
        self.assertEqual([after.get(key) for key in ("blades", "targets", "session")],
                         [hello.get(key) for key in ("blades", "targets", "session")])

    def clash(self, count=1):
        for _ in range(count):
            message = self.client.read_until(lambda message: message["type"] == "clash")[-1]
        return message

    def tips(self):
        return {blade["name"]: blade["tip"][2] for blade in self.connect().hello["blades"]}

    def finish(self):
        """Stops clashd. What it sent to the client that was there all the time is what it recorded."""
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log)
        self.client.read_all()

    def compared(self, path):
        said = self.verify(path)
        return int(re.search(r"(\d+) events compared", said)[1])

    def test_changed_blades_apply_within_one_recording(self):
        recording = self.home / "r.jsonl"
        self.start("--record", recording)
        self.client.subscribe(since_seq=0)
        self.clash(3)
        self.write(blades=blades(0.9)[:1] + blades(0.8)[1:])
        self.reload()
        self.assertEqual({name: round(z, 6) for name, z in self.tips().items()}, {"left": -0.9, "right": -0.8})
        self.clash(3)
        self.write(blades=[*blades(0.9)[:1], *blades(0.8)[1:], {**blades()[0], "name": "third", "device": "npc"}],
                   targets=[PILLAR])
        self.reload()
        self.assertEqual(set(self.tips()), {"left", "right", "third"})
        self.assertEqual([target["name"] for target in self.connect().hello["targets"]], ["pillar"])
        self.write()
        self.reload()
        self.assertEqual(self.tips(), {"left": -1.0, "right": -1.0})
        self.assertFalse(self.connect().hello.get("targets"))
        self.clash(2)
        counters = self.client.request({"type": "status", "id": 1})["counters"]
        self.assertEqual((counters["reloads"], counters["reloads_refused"]), (3, 0))
        self.finish()
        self.assertGreater(self.compared(recording), 10)
        lines = [(line["type"], line.get("name") or line.get("blade") or line.get("target"))
                 for line in self.lines(recording)]
        for name in ("left", "right", "third"):
            self.assertIn(("blade", name), lines)
        events = [line for line in recording.read_text().splitlines() if '"seq":' in line]
        sent = [line for line in self.client.lines if '"seq":' in line and json.loads(line)["type"] not in ("hello", "ok")]
        self.assertEqual(sent, events[:len(sent)])

    def test_contact_settings_begin_another_file(self):
        record = {"directory": str(self.directory), "compress": False}
        self.start(record=record)
        self.client.subscribe(events=["clash"])
        self.clash(3)
        self.write(record=record, contact={"margin": 0.05, "hold_rate_hz": 10})
        self.reload()
        self.wait_for(lambda: len(self.files()) == 2)
        while self.clash()["distance"] <= 0.07:  # above the two radii, and the old margin
            pass
        self.clash(3)
        self.finish()
        first, second = self.files()
        margins = [json.loads(path.read_text().splitlines()[0])["contact"]["margin"] for path in (first, second)]
        self.assertEqual([round(margin, 6) for margin in margins], [0, 0.05])
        for path in (first, second):
            self.assertGreater(self.compared(path), 0)

    def test_refused_whole(self):
        self.start("--record", self.home / "r.jsonl", source="none")
        for text, parts in (
                ("{", ["settings.json"]),
                (json.dumps({"blades": blades(0.5), "contact": {"margin": "wide"}}), ["contact.margin"]),
                (json.dumps({"blades": blades(0.5), "contract": {}}), ["contract"]),
                (json.dumps({"blades": [blades(0.5)[0]] * 2, "openxr": {"enabled": False}}), ["left"])):
            self.path.write_text(text)
            self.refused(*parts)
        for key, value in (("socket.path", str(self.home / "other.sock")), ("socket.max_clients", 7),
                           ("record.directory", str(self.home)), ("openxr.rate_hz", 90), ("contact.margin", 0.1)):
            section, name = key.split(".")
            self.write(**{"blades": blades(0.5), section: {"enabled": False, name: value} if section == "openxr"
                          else {name: value}})
            self.refused(f"{key}: cannot change")
        self.write(openxr={"enabled": False, "lookahead_ms": 20})
        self.reload()
        self.write(blades=blades(0.5), targets=[GROUND])  # whose file is not there
        self.refused("ground.raw")
        (self.home / "ground.raw").write_bytes(struct.pack("<289H", *[32768] * 289))
        self.reload()
        self.assertEqual(self.tips(), {"left": -0.5, "right": -0.5})
        self.path.unlink()
        self.refused("settings.json")
        self.assertGreater(self.client.request({"type": "status", "id": 1})["counters"]["reloads_refused"], 9)
        self.finish()

    def test_a_clients_names_stay_its_own(self):
        self.start(source="none")
        own = {**blades()[0], "name": "npc", "device": "npc/hand"}
        self.assertEqual(self.client.request({"type": "blade", "id": 1, **own})["type"], "ok")
        self.write(blades=[*blades(), {**own, "name": "mine"}])
        self.refused("blades.mine: a client has ")
        self.write(blades=[*blades(0.4), {**blades(0.4)[0], "name": "npc"}])
        self.reload()
        with self.connect() as other:
            self.assertEqual(other.hello["set_aside"], ["npc"])
            self.assertEqual(validate.mistakes("server/hello", other.hello), [])
        self.assertEqual(self.tips()["npc"], -1.0)
        self.assertEqual(self.client.request({"type": "remove", "id": 2, "name": "npc"})["type"], "ok")
        self.assertEqual(round(self.tips()["npc"], 6), -0.4)
        self.assertEqual(self.client.request({"type": "blade", "id": 3, **own})["type"], "ok")
        self.write(blades=blades(0.7))
        self.reload()
        self.assertEqual({name: round(z, 6) for name, z in self.tips().items()},
                         {"left": -0.7, "right": -0.7, "npc": -1.0})
        self.finish()

    def played(self, *lines):
        """A recording of swings that begins with these lines."""
        header, rest = DUEL.read_text().split("\n", 1)
        path = self.home / "played.jsonl"
        path.write_text("\n".join([header, *(json.dumps({"time_ns": 0, **line}) for line in lines), rest]))
        return f"replay:{path}"

    def play(self):
        self.client.subscribe()
        self.client.read_until(lambda message: message.get("reason") == "source_ended")

    def there(self):
        hello = self.connect().hello
        return ({blade["name"]: round(blade["tip"][2], 6) for blade in hello["blades"]},
                [target["name"] for target in hello.get("targets", [])])

    def test_a_recording_leaves_what_the_settings_define(self):
        """What the settings define is theirs: SIGHUP finds it there and does not only say so."""
        other = {**blades(0.4)[0], "type": "blade"}
        self.start("--speed", "max", targets=[PILLAR], source=self.played(
            {"type": "remove", "blade": "left"}, {"type": "remove", "target": "pillar"},
            {"type": "remove", "device": "/user/hand/right"}, other,
            {"type": "target", **PILLAR, "position": [0, 5, 0]}, {**other, "name": "npc"}))
        before = ({"left": -1.0, "right": -1.0}, ["pillar"])
        self.assertEqual(self.there(), before)
        self.play()
        self.assertEqual(self.there(), ({**before[0], "npc": -0.4}, ["pillar"]))
        self.assertEqual(self.connect().hello["targets"][0]["position"], PILLAR["position"])
        self.daemon.wait_for_log("the recording's blade 'left' is left out: the configuration has that name")
        self.write(targets=[PILLAR], contact={"margin": 0.01})
        self.assertIn("2 blades, 1 targets", self.reload())
        self.assertEqual(self.there(), ({**before[0], "npc": -0.4}, ["pillar"]))
        self.finish()

    def test_what_is_said_to_apply_is_there(self):
        """A recording's own blades are none of the settings', until the settings define some."""
        other = {**blades(0.4)[0], "type": "blade", "name": "npc"}
        self.start("--speed", "max", blades=blades(0.7), source=self.played({"type": "remove", "blade": "left"}, other))
        self.path.write_text(json.dumps({"openxr": {"enabled": False}}))
        self.assertIn("0 blades", self.reload())
        self.assertEqual(self.there(), ({"left": -1.0, "right": -1.0}, []))
        self.play()
        self.assertEqual(self.there(), ({"right": -1.0, "npc": -0.4}, []))
        self.assertIn("0 blades", self.reload())
        self.assertEqual(self.there(), ({"right": -1.0, "npc": -0.4}, []))
        self.write(blades=[{**blades()[0], "name": "npc"}])
        self.refused("blades.npc: the recording has that name")
        self.write(blades=blades(0.6))
        self.assertIn("2 blades", self.reload())
        self.assertEqual(self.there(), ({"npc": -0.4, "left": -0.6, "right": -0.6}, []))
        self.finish()


if __name__ == "__main__":
    unittest.main()
