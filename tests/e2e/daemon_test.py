"""The whole daemon on a replayed recording: what clients get, whatever they ask for. e2e/golden_test.py has every line of it."""
import json
import os
import signal
import stat
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import validate  # noqa: E402

DUEL = clashd.DATA / "duel-20s.jsonl"
REPLAY = ("--source", f"replay:{DUEL}", "--speed", "max", "--wait-for-client")
EVENTS = ("clash", "hold", "release", "tracking", "space_changed")


def check_lines(test, lines):
    for line in lines:
        problems = validate.check(line)
        test.assertFalse(problems, f"{problems} in {line}")


def events(lines):
    return [line for line in lines if json.loads(line)["type"] in EVENTS]


class Replay(clashd.TestCase):
    def run_replay(self, *words, **subscription):
        """Every line of one client that stays to the end."""
        with clashd.Daemon(*REPLAY, "--exit-at-end", *words, home=self.home) as daemon:
            with daemon.connect() as client:
                client.subscribe(**subscription)
                client.read_all()
                self.assertEqual(daemon.wait(), 0)
                return client.lines

    def test_clients_get_all_events(self):
        lines = self.run_replay()
        check_lines(self, lines)
        self.assertEqual([json.loads(line)["type"] for line in lines[:2]], ["hello", "ok"])
        messages = [json.loads(line) for line in lines[2:]]
        self.assertEqual([message["seq"] for message in messages], list(range(1, len(messages) + 1)))
        clashes = [message for message in messages if message["type"] == "clash"]
        releases = [message for message in messages if message["type"] == "release"]
        self.assertGreater(len(clashes), 5)
        self.assertEqual([message["id"] for message in clashes], [message["id"] for message in releases])

    def test_bad_poses_of_the_source_are_said_once(self):
        recording = self.home / "bad.jsonl"
        lines = [{"type": "recording", "version": 1, "space": "stage"}]
        for i, w in enumerate((0, 0, 1, 1)):
            lines.append({"type": "poses", "time_ns": 10_000_000 * (i + 1), "poses": [
                {"device": "/user/hand/left", "position": [0, 1, 0], "orientation": [0, 0, 0, w], "tracked": True}]})
        recording.write_text("".join(json.dumps(line) + "\n" for line in lines))
        with clashd.Daemon("--source", f"replay:{recording}", "--speed", "max", "--exit-at-end", home=self.home) as daemon:
            self.assertEqual(daemon.wait(), 0)
        said = [line for line in daemon.log if "are left out until they are right again" in line]
        self.assertEqual(len(said), 1, daemon.log)
        self.assertIn("'/user/hand/left'", said[0])

    def test_two_poses_at_one_time_are_logged_once(self):
        """The second one is where the motion goes on: the blade is not swept from the first one to it."""
        recording = self.home / "twice.jsonl"
        lines = [{"type": "recording", "version": 1, "space": "stage"}]
        for time_ms, x in ((0, -1), (10, -1), (10, 1), (20, 1), (30, 1), (30, -1), (40, -1), (40, -1)):
            lines.append({"type": "poses", "time_ns": time_ms * 1_000_000, "poses": [
                {"device": f"/user/hand/{hand}", "position": [at, 1, 0], "orientation": [0, 0, 0, 1], "tracked": True}
                for hand, at in (("left", 0), ("right", x))]})
        recording.write_text("".join(json.dumps(line) + "\n" for line in lines))
        with clashd.Daemon("--source", f"replay:{recording}", "--speed", "max", "--wait-for-client", home=self.home) as daemon:
            with daemon.connect() as client:
                client.subscribe(events=["clash", "replay"])
                messages = client.read_until(lambda m: m["type"] == "replay" and m["state"] == "ended")
                counters = client.request({"type": "status", "id": 1})["counters"]
        self.assertEqual([m for m in messages if m["type"] == "clash"], [])
        self.assertEqual((counters["replaced"], counters["replaced_elsewhere"]), (6, 2), counters)
        self.assertEqual(len([line for line in daemon.log if "two poses of a device at one time" in line]), 1, daemon.log)

    def test_a_recording_of_a_run_gives_the_same_events(self):
        recording = self.home / "again.jsonl"
        lines = self.run_replay("--record", recording)
        recorded = recording.read_text().splitlines()
        check_lines(self, recorded)
        header = json.loads(recorded[0])
        self.assertEqual(header["type"], "recording")
        self.assertEqual(header["session"], json.loads(lines[0])["session"])
        self.assertEqual(events(recorded), events(lines))
        poses = [line for line in recorded if json.loads(line)["type"] == "poses"]
        self.assertEqual(len(poses), len(DUEL.read_text().splitlines()) - 1)
        self.assertEqual(clashd.detect(recording, home=self.home), clashd.unsourced(events(lines)))
        self.assertEqual(stat.S_IMODE(recording.stat().st_mode), 0o600)

    def test_a_replay_has_the_blades_and_settings_of_its_recording(self):
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({
            "contact": {"margin": 0.3, "hold_rate_hz": 60},
            "blades": [{"name": side, "device": f"/user/hand/{side}", "base": [0, 0, 0], "tip": [0, 0, -0.8],
                        "radius": 0.01} for side in ("right", "left")]}))
        recording = self.home / "own.jsonl"
        lines = self.run_replay("--config", settings, "--record", recording)
        found = clashd.unsourced(events(lines))
        self.assertEqual(clashd.detect(DUEL, "--config", settings, home=self.home), found)
        self.assertNotEqual(clashd.detect(DUEL, home=self.home), found)
        self.assertTrue(any(json.loads(line)["type"] == "hold" for line in lines))
        with clashd.Daemon("--source", f"replay:{recording}", "--speed", "max", "--wait-for-client", "--exit-at-end",
                           home=self.home) as daemon, daemon.connect() as client:
            self.assertEqual([blade["name"] for blade in client.hello["blades"]], ["right", "left"])
            client.subscribe()
            self.assertEqual(events(client.read_all()), events(lines))

    def test_a_subscription_filters(self):
        found = [json.loads(line) for line in clashd.detect(DUEL, home=self.home)]
        speeds = sorted(message["closing_speed"] for message in found if message["type"] == "clash")
        limit = speeds[len(speeds) // 2]
        fast = {message["id"] for message in found
                if message["type"] == "clash" and message["closing_speed"] >= limit}
        self.assertLess(len(fast), len(speeds))
        lines = self.run_replay(events=["clash", "release"], min_closing_speed=limit, blades=["left"])
        check_lines(self, lines)
        messages = [json.loads(line) for line in events(lines)]
        self.assertEqual(messages, [message for message in found
                                    if message["type"] in ("clash", "release") and message["id"] in fast])

    def test_poses_come_when_asked_for(self):
        lines = self.run_replay(events=["poses"])
        check_lines(self, lines)
        poses = [json.loads(line) for line in lines[2:]]
        self.assertEqual({message["type"] for message in poses}, {"poses"})
        last = json.loads(DUEL.read_text().splitlines()[-1])
        self.assertEqual(poses[-1], last)

    def test_real_time_keeps_the_recordings_times(self):
        with clashd.Daemon("--source", f"replay:{DUEL}", "--speed", "20", "--exit-at-end", "--wait-for-client",
                           home=self.home) as daemon, daemon.connect() as client:
            client.subscribe()
            self.assertEqual(clashd.unsourced(client.read_all()), clashd.detect(DUEL, home=self.home))

    def test_after_the_end_it_goes_on_serving(self):
        with clashd.Daemon("--source", f"replay:{DUEL}", "--speed", "max", home=self.home) as daemon:
            daemon.wait_for_log("the replay has ended")
            with daemon.connect() as client:
                status = client.request({"type": "status", "id": 1})
                check_lines(self, client.lines)
                self.assertEqual((status["source"], status["state"]), ("replay", "ended"))
                self.assertEqual([device["tracked"] for device in status["devices"]], [False, False])
                self.assertGreater(status["counters"]["contacts"], 5)

    def test_waiting_for_a_client_is_visible(self):
        with clashd.Daemon(*REPLAY, home=self.home) as daemon, daemon.connect() as client:
            status = client.request({"type": "status", "id": 1})
            self.assertEqual(status["counters"]["source_frames"], 0)
            self.assertIn("subscribed", status["detail"])


class Requests(clashd.TestCase):
    def setUp(self):
        super().setUp()
        self.daemon = clashd.Daemon("--source", "none", home=self.home)
        self.addCleanup(self.daemon.__exit__, None)
        self.client = self.daemon.connect()
        self.addCleanup(self.client.close)

    def tearDown(self):
        check_lines(self, self.client.lines)

    def test_hello_says_what_this_is(self):
        hello = self.client.hello
        self.assertEqual(hello["protocol"], 1)
        self.assertEqual([blade["name"] for blade in hello["blades"]], ["left", "right"])
        self.assertEqual(hello["space"], "stage")
        with self.daemon.connect() as other:
            self.assertEqual(other.hello["session"], hello["session"])
            self.assertGreaterEqual(other.hello["time_ns"], hello["time_ns"])

    def test_replies_repeat_the_id(self):
        for identity in (7, "seven", 2**53 - 1):
            self.assertEqual(self.client.request({"type": "ping", "id": identity})["type"], "ok")
        status = self.client.request({"type": "status", "id": 8})
        self.assertEqual((status["source"], status["clients"]), ("none", 1))

    def test_mistakes_get_an_error_and_the_connection_lives(self):
        mistakes = [(b"{nonsense\n", "bad_json"), (b"[1]\n", "bad_message"), (b'{"id":1}\n', "bad_message"),
                    (b'{"type":"dance","id":1}\n', "unknown_type"),
                    (b'{"type":"subscribe","events":"clash"}\n', "bad_message"),
                    (b'{"type":"subscribe","events":["clsh"]}\n', "unknown_name"),
                    (b'{"type":"subscribe","blades":["middle"]}\n', "unknown_name"),
                    (b'{"type":"subscribe","min_closing_speed":-1}\n', "bad_message"),
                    (b" " * 65536 + b"\n", "line_too_long")]
        for line, code in mistakes:
            self.client.send(line)
            reply = self.client.read()
            self.assertEqual((reply["type"], reply["code"]), ("error", code), line[:80])
            self.assertTrue(reply["message"])
        self.assertEqual(self.client.request({"type": "ping", "id": 1})["type"], "ok")

    def test_an_unknown_type_without_id_is_ignored(self):
        self.client.send(b'{"type":"dance"}\n')
        self.assertEqual(self.client.request({"type": "ping", "id": 1}), json.loads(self.client.lines[-1]))
        self.assertEqual(len(self.client.lines), 2)


class Socket(clashd.TestCase):
    def test_nobody_else_gets_in(self):
        with clashd.Daemon("--source", "none", home=self.home) as daemon:
            self.assertEqual(stat.S_IMODE(daemon.path.parent.stat().st_mode), 0o700)
            self.assertEqual(stat.S_IMODE(daemon.path.stat().st_mode), 0o600)

    def test_a_stale_socket_is_replaced(self):
        first = clashd.Daemon("--source", "none", home=self.home)
        self.assertEqual(first.stop(signal.SIGKILL), -signal.SIGKILL)
        self.assertTrue(first.path.is_socket())
        with clashd.Daemon("--source", "none", home=self.home) as second, second.connect() as client:
            self.assertEqual(client.request({"type": "ping", "id": 1})["type"], "ok")

    def test_a_live_one_is_not(self):
        recording = self.home / "r.jsonl"
        recording.write_text("precious")
        with clashd.Daemon("--source", "none", home=self.home) as first:
            second = clashd.Daemon("--source", "none", "--record", recording, home=self.home, listening=False)
            self.assertEqual(second.wait(), 2)
            self.assertIn(str(first.path), "\n".join(second.log))
            self.assertEqual(len(second.log), 1, second.log)
            self.assertEqual(recording.read_text(), "precious")
            with first.connect() as client:
                self.assertEqual(client.request({"type": "ping", "id": 1})["type"], "ok")

    def test_signals_end_it_cleanly(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            recording = self.home / f"{number}.jsonl"
            daemon = clashd.Daemon("--source", f"replay:{DUEL}", "--record", recording, home=self.home)
            with daemon.connect() as client:
                client.subscribe(events=["poses"])
                client.read()
                self.assertEqual(daemon.stop(number), 0)
                client.read_all()
            self.assertFalse(daemon.path.exists())
            self.assertTrue(recording.read_text().endswith("}\n"))

    def test_a_path_of_ones_own(self):
        path = self.home / "own.sock"
        with clashd.Daemon("--source", "none", "--socket", path, home=self.home):
            done = clashd.clashctl("status", "--socket", path, home=self.home)
            self.assertEqual(done.returncode, 0, done.stderr)
        settings = self.home / "config" / "clashd" / "config.json"
        settings.parent.mkdir(parents=True)
        settings.write_text(json.dumps({"socket": {"path": str(path)}, "openxr": {"enabled": False}}))
        with clashd.Daemon(home=self.home):
            done = clashd.clashctl("status", home=self.home)
            self.assertEqual(done.returncode, 0, done.stderr)


class Mistakes(clashd.TestCase):
    def refused(self, *words, says, code=2):
        done = subprocess.run([clashd.CLASHD, *map(str, words)], capture_output=True, text=True,
                              env=clashd.environment(self.home), timeout=clashd.WAIT_S)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        for part in says:
            self.assertIn(part, done.stderr)
        self.assertFalse((self.home / "clashd" / "clashd.sock").exists())

    def test_wrong_usage_and_settings_do_not_start(self):
        bad = self.home / "bad.json"
        bad.write_text('{\n "contact": {"margin": -1}\n}')
        self.refused("--speed", "fast", says=["--speed", "fast", "max"])
        self.refused("--config", self.home / "none.json", says=["none.json", "No such file"])
        self.refused("--config", bad, says=["bad.json", "margin", "-1"])
        self.refused("--config", bad, "--check-config", says=["bad.json", "margin", "-1"])
        self.refused("--source", f"replay:{self.home}/none.jsonl", says=["none.jsonl", "No such file"])
        self.refused("--source", f"replay:{bad}", says=["bad.json"])
        self.refused("--source=none", "--socket", self.home / ("x" * 200), says=["xxx"])
        self.refused("--source=none", "--socket", bad, says=["bad.json"])
        self.refused("--source=none", "--record", self.home / "no" / "r.jsonl", says=["r.jsonl", "No such file"])

    def test_a_recording_is_not_replayed_onto_itself(self):
        recording = self.home / "r.jsonl"
        recording.write_bytes(DUEL.read_bytes())
        os.link(recording, self.home / "same.jsonl")
        self.refused("--source", f"replay:{recording}", "--record", self.home / "same.jsonl", says=["overwrite"])
        self.assertEqual(recording.read_bytes(), DUEL.read_bytes())

    def test_right_settings_are_said_to_be(self):
        done = subprocess.run([clashd.CLASHD, "--check-config", "--config",
                               clashd.SOURCE / "systemd" / "config.example.json"], capture_output=True, text=True,
                              env=clashd.environment(self.home))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("config.example.json", done.stdout)


if __name__ == "__main__":
    unittest.main()
