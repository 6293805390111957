"""A configuration without blades: clashd follows its devices, and sweeps what clients define, nothing else. So does what reads
the recording of it."""
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import validate  # noqa: E402

DUEL = clashd.DATA / "duel-start-5s.jsonl"
NONE = {"blades": [], "contact": {"max_gap_ms": 10000}, "socket": {"push_timeout_ms": 60000}}
AHEAD = [0, 0, 0, 1]


class NoBlades(clashd.TestCase):
    def setUp(self):
        super().setUp()
        self.settings = self.home / "none.json"
        self.settings.write_text(json.dumps(NONE))

    def run_session(self, *words):
        """A replay of two hands, beside which a client has two blades that cross; what it was told."""
        with clashd.Daemon("--config", self.settings, "--source", f"replay:{DUEL}", "--speed", "max", "--wait-for-client", *words,
                           home=self.home) as daemon:
            daemon.wait_for_log("there are no blades, so only what clients define can clash")
            with daemon.connect() as client:
                client.subscribe(events=["clash", "hold", "release", "tracking", "poses"])
                daemon.wait_for_log("the replay has ended: 0 contacts")
                for device, tip in (("mine/a", [0, 0, -1]), ("mine/b", [1, 0, 0])):
                    self.assertEqual(client.request({"type": "blade", "id": device, "name": device, "device": device,
                                                     "base": [0, 0, 0], "tip": tip, "radius": 0.01})["type"], "ok")
                for height in (0.5, -0.5):
                    poses = [{"device": "mine/a", "position": [0, 0, 0], "orientation": AHEAD},
                             {"device": "mine/b", "position": [-0.5, height, -0.5], "orientation": AHEAD}]
                    self.assertEqual(client.request({"type": "poses", "id": str(height), "poses": poses})["type"], "ok")
                client.request({"type": "ping", "id": "p"})
                self.assertIn('"type":"release"', "".join(client.lines))
                self.assertEqual(validate.check_text("\n".join(client.lines) + "\n", "server"), [])
                return [json.loads(line) for line in client.lines]

    def test_only_what_clients_define_clashes(self):
        hello, *messages = self.run_session()
        self.assertEqual(hello["blades"], [])
        self.assertIn("/user/hand/left", {pose["device"] for m in messages if m["type"] == "poses" for pose in m["poses"]})
        self.assertIn("/user/hand/left", {m["device"] for m in messages if m["type"] == "tracking"})
        self.assertEqual([m["blades"] for m in messages if m["type"] == "clash"], [["mine/a", "mine/b"]])

    def test_its_recording_has_none_either(self):
        """The header says so: without a list it would stand for the default blades of whoever reads it."""
        log, piece = self.home / "none.jsonl", self.home / "piece.jsonl"
        self.run_session("--record", log)
        self.assertEqual(json.loads(log.read_text().splitlines()[0])["blades"], [])
        self.assertEqual(validate.check_text(log.read_text(), "recording"), [])
        done = clashd.clashctl("verify", log, home=self.home)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("1 of them a clash", done.stdout)
        done = clashd.clashctl("cut", log, piece, "--from", "1", "--to", "3", home=self.home)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line for line in clashd.detect(piece, home=self.home) if "clash" in json.loads(line)["type"]], [])
        with clashd.Daemon("--source", f"replay:{log}", "--speed", "max", "--wait-for-client", "--exit-at-end",
                           home=self.home) as daemon, daemon.connect() as client:
            client.subscribe(events=["clash"])
            self.assertEqual(len(client.read_all()), 1)

    def test_a_header_without_a_list_has_the_defaults(self):
        plain = self.home / "plain.jsonl"
        plain.write_text(DUEL.read_text())
        count = sum('"type":"clash"' in line for line in clashd.detect(plain, home=self.home))
        self.assertGreater(count, 0)
        header, rest = DUEL.read_text().split("\n", 1)
        plain.write_text(json.dumps(json.loads(header) | {"blades": []}) + "\n" + rest)
        done = clashd.clashctl("detect", plain, home=self.home)
        self.assertNotIn("clash", done.stdout)
        self.assertIn("there are no blades, so ", done.stderr)
        self.assertIn("blades    none", clashd.clashctl("info", plain, home=self.home).stdout)

    def test_check_config_says_so(self):
        with clashd.Daemon("--config", self.settings, "--check-config", home=self.home, listening=False) as daemon:
            self.assertEqual(daemon.wait(), 0)
        one = {"blades": [{"name": "a", "device": "d", "base": [0, 0, 0], "tip": [0, 0, 1], "radius": 0}]}
        self.settings.write_text(json.dumps(one))
        with clashd.Daemon("--config", self.settings, "--source", "none", home=self.home) as daemon:
            daemon.wait_for_log("all blades are on one device, so nothing can clash")

    def test_one_sword_is_enough_where_others_bring_theirs(self):
        one = {"blades": [{"name": "a", "device": "d", "base": [0, 0, 0], "tip": [0, 0, 1], "radius": 0}],
               "mqtt": {"broker": "127.0.0.1:1", "peers": True}}
        self.settings.write_text(json.dumps(one))
        with clashd.Daemon("--config", self.settings, "--source", "none", home=self.home) as daemon:
            daemon.wait_for_log("mqtt.broker: ")
            self.settings.write_text(json.dumps(one | {"mqtt": {"broker": "127.0.0.1:1"}}))
            daemon.process.send_signal(1)
            daemon.wait_for_log("all blades are on one device, so nothing can clash")
            before = "\n".join(map(str, daemon.log)).split("SIGHUP")[0]
            self.assertNotIn("nothing can clash", before)

    def test_they_may_go_and_come_back(self):
        with clashd.Daemon("--config", self.settings, "--source", "none", home=self.home) as daemon:
            self.settings.write_text(json.dumps({key: value for key, value in NONE.items() if key != "blades"}))
            daemon.process.send_signal(1)
            daemon.wait_for_log("SIGHUP: the settings apply: 2 blades, 0 targets")
            self.settings.write_text(json.dumps(NONE))
            daemon.process.send_signal(1)
            daemon.wait_for_log("SIGHUP: the settings apply: 0 blades, 0 targets")
            with daemon.connect() as client:
                self.assertEqual(client.hello["blades"], [])


if __name__ == "__main__":
    unittest.main()
