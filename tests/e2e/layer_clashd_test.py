"""The API layer in a game, and clashd beside it: the hands are the game's while it plays, each crossing of the runtime's script is one
clash, where an exhaustive search over the recorded poses finds it; and clashd's own session has them before and after. clashd
stopped, killed and started again does not keep the game from its frames."""
import json
import math
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import dense  # noqa: E402
import validate  # noqa: E402

MANIFEST = clashd.BUILD / "daemon" / "runtime" / "clash_runtime.json"
LAYER = clashd.BUILD / "daemon" / "layer" / "XR_APILAYER_CLASHD_poses.json"
GAME = clashd.BUILD / "tests" / "layer_game"
HANDS = ["/user/hand/left", "/user/hand/right"]
BLADES = [{"name": hand.rsplit("/", 1)[1], "device": hand, "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.02}
          for hand in HANDS]
JULIAN_YEAR_NS = 31557600 * 10**9
START_TOLERANCE_NS = 1e5
EYE_HEIGHT = 1.6  # of the runtime's LOCAL above STAGE
# In the script the axes are |0.5 cos(pi t)| apart; two radii are reached that long before the middle.
EARLIER_S = math.asin(0.04 / 0.5) / math.pi


class LayerClashdTest(clashd.TestCase):
    def start_clashd(self, *words, **env):
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({"blades": BLADES, "contact": {"max_gap_ms": 400}}))
        self.recording = self.home / "recording.jsonl"
        daemon = clashd.Daemon("--config", settings, "--record", self.recording, *words, home=self.home,
                               env={"XR_RUNTIME_JSON": MANIFEST, **env})
        self.addCleanup(daemon.process.kill)
        return daemon

    def start_game(self, frames, daemon, **more):
        env = clashd.environment(self.home, XR_RUNTIME_JSON=MANIFEST, XR_API_LAYER_PATH=LAYER.parent, CLASHD_SOCKET=daemon.path,
                                 XR_ENABLE_API_LAYERS="XR_APILAYER_CLASHD_poses", XR_LOADER_DEBUG="none")
        env["CLASH_RUNTIME_LOG"] = self.runtime_log = self.home / "game.log"
        env |= more
        game = subprocess.Popen([GAME, "plain", str(frames)], env={key: str(value) for key, value in env.items()}, stdout=subprocess.PIPE, text=True)
        self.addCleanup(game.stdout.close)
        self.addCleanup(game.kill)
        return game

    def finish_game(self, game, frames):
        lines = [json.loads(line) for line in game.communicate(timeout=clashd.WAIT_S)[0].splitlines()]
        self.assertEqual(game.returncode, 0)
        self.assertEqual(sum("frame" in line for line in lines), frames)
        return next(line["begun"] for line in lines if "begun" in line) - JULIAN_YEAR_NS

    def devices(self, client):
        status = client.request({"type": "status", "id": 1})
        return {device["device"]: (device.get("source"), device.get("space"), device["tracked"]) for device in status["devices"]}

    def until(self, client, source):
        return client.read_until(lambda message: message["type"] == "space_changed" and message.get("source") == source)

    def until_in_stage(self, client, game):
        """Wait until the hands come in STAGE, while that game goes on."""
        deadline = time.monotonic() + clashd.WAIT_S
        while self.devices(client)[HANDS[0]][1] != "stage":
            self.assertIsNone(game.poll())
            self.assertLess(time.monotonic(), deadline, self.devices(client))
            time.sleep(0.05)

    def test_the_games_frames_are_the_samples(self):
        daemon = self.start_clashd("--source", "none")
        with daemon.connect() as client:
            client.subscribe(since_seq=0)
            game = self.start_game(360, daemon)
            client.read_until(lambda message: message["type"] == "clash")
            self.assertEqual(self.devices(client), {hand: ("layer", "local", True) for hand in HANDS})
            begun = self.finish_game(game, 360)
            hello = json.loads(client.lines[0])
            self.assertEqual(daemon.stop(), 0, daemon.log)
            client.read_all()
        messages = list(map(json.loads, client.lines))
        for line in client.lines:
            self.assertFalse(validate.check(line), line)
        recorded = self.recording.read_text().splitlines()
        found = [message["time_ns"] for message in messages if message["type"] == "clash"]
        expected = dense.contact_starts(recorded)
        self.assertEqual(len(found), len(expected), (found, expected))
        self.assertGreaterEqual(len(found), 3)
        for found_ns, expected_ns in zip(found, expected):
            self.assertLess(abs(found_ns - expected_ns), START_TOLERANCE_NS)
            since = (found_ns + int(hello["epoch_monotonic_ns"]) - begun) * 1e-9 + EARLIER_S
            self.assertLess(abs(since % 1 - 0.5), 0.003, "not where the script has a crossing")
        verified = clashd.clashctl("verify", self.recording, home=self.home)
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        pulses = [line.split() for line in self.runtime_log.read_text().splitlines() if " haptic /user" in line]
        self.assertEqual({pulse[2] for pulse in pulses}, set(HANDS), "felt in the game, by its own controllers")
        for pulse in pulses:  # each within 0.2 s of a contact, and every contact but one that the game's end cut off
            self.assertTrue(any(-5e7 < int(pulse[0]) - int(hello["epoch_monotonic_ns"]) - ns < 2e8 for ns in found), pulse)
        self.assertGreaterEqual(len(pulses), 2 * (len(found) - 1))

    def test_clashds_own_session_before_and_after(self):
        daemon = self.start_clashd(CLASH_RUNTIME_SCRIPT="crossing")
        with daemon.connect() as client:
            client.subscribe(since_seq=0)
            client.read_until(lambda message: message["type"] == "clash")
            game = self.start_game(180, daemon)
            self.until(client, "layer")
            self.assertEqual(self.devices(client)[HANDS[0]], ("layer", "local", True))
            self.finish_game(game, 180)
            self.until(client, "openxr")
            self.assertEqual(self.devices(client)[HANDS[1]][0], "openxr")
            client.read_until(lambda message: message["type"] == "clash")
            self.assertEqual(daemon.stop(), 0, daemon.log)
        verified = clashd.clashctl("verify", self.recording, home=self.home)
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)

    def test_a_game_comes_before_an_overlay(self):
        """The overlay, in STAGE, is there first; the hands are where the game, in LOCAL, has them while it plays."""
        daemon = self.start_clashd("--source", "none")
        with daemon.connect() as client:
            client.subscribe()
            overlay = self.start_game(20000, daemon, LAYER_GAME_OVERLAY=1, LAYER_GAME_STAGE=1)
            client.read_until(lambda message: message["type"] == "clash")
            self.assertEqual(self.devices(client), {hand: ("layer", "stage", True) for hand in HANDS})
            game = self.start_game(400, daemon)
            self.until(client, "layer")
            self.assertEqual(self.devices(client), {hand: ("layer", "local", True) for hand in HANDS})
            clash = client.read_until(lambda message: message["type"] == "clash")[-1]
            self.assertLess(abs(clash["midpoint"][1] - (1.2 - EYE_HEIGHT)), 0.05)
            self.finish_game(game, 400)
            self.until_in_stage(client, overlay)
            clash = client.read_until(lambda message: message["type"] == "clash" and message["midpoint"][1] > 1)[-1]
            self.assertLess(abs(clash["midpoint"][1] - 1.2), 0.05)
            overlay.kill()

    def test_the_second_game_has_the_hands_once_the_first_has_not(self):
        """The first has the focus and loses it; the second is refused until then, and feeds from then on."""
        daemon = self.start_clashd("--source", "none")
        with daemon.connect() as client:
            client.subscribe()
            first = self.start_game(20000, daemon, CLASH_RUNTIME_FAULTS="unfocused@6s+600s")
            client.read_until(lambda message: message["type"] == "clash")
            second = self.start_game(20000, daemon, LAYER_GAME_STAGE=1)
            self.until_in_stage(client, first)
            clash = client.read_until(lambda message: message["type"] == "clash" and message["midpoint"][1] > 1)[-1]
            self.assertLess(abs(clash["midpoint"][1] - 1.2), 0.05)
            self.assertIsNone(first.poll())
            first.kill()
            second.kill()

    def test_stopped_killed_and_started_again(self):
        daemon = self.start_clashd("--source", "none")
        game = self.start_game(20000, daemon)  # more than are played, however long clashd takes to be there again
        with daemon.connect() as client:
            client.subscribe()
            client.read_until(lambda message: message["type"] == "clash")
            daemon.process.send_signal(signal.SIGSTOP)
            time.sleep(1.5)
            daemon.process.send_signal(signal.SIGCONT)
            client.read_until(lambda message: message["type"] == "clash")
        daemon.process.kill()
        daemon.process.wait()
        self.recording.unlink()
        daemon = self.start_clashd("--source", "none")
        with daemon.connect() as client:
            client.subscribe(since_seq=0)
            client.read_until(lambda message: message["type"] == "clash")
            self.assertEqual(self.devices(client)[HANDS[0]][0], "layer")
        self.assertIsNone(game.poll(), "the game has ended")
        game.kill()
        game.wait()
        self.assertEqual(daemon.stop(), 0, daemon.log)


if __name__ == "__main__":
    if not LAYER.exists() or not MANIFEST.exists():
        print(f"skipped: {LAYER} or {MANIFEST} has not been built")
        sys.exit(77)
    unittest.main()
