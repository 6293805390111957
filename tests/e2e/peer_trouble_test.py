"""What strangers in a room cost those who play alone: nothing. A flood of junk and of samples, hundreds of players that are none, messages of any size, and
a listener to everything that never reads; clashd finds what it finds without them, and says what it refused."""
import json
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import broker  # noqa: E402
import clashd  # noqa: E402
import mqtt_raw  # noqa: E402

broker.need()
DUEL = clashd.DATA / "duel-20s.jsonl"


def peer(session="x", **more):
    blade = {"name": "saber", "device": "/user/hand/left", "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.01}
    return {"type": "peer", "session": session, "version": 1, "from_sample": 0, "blades": [blade], **more}


def samples(session="x", **more):
    one = [0, 3, 1000000000, 0.1, 1.2, 0.3, 0, 0, 0, 1]
    return {"type": "samples", "session": session, "version": 1, "clock": "y", "error_ns": 0, "knots": [[0, 0], [10**10, 10**10]],
            "devices": ["/user/hand/left"], "first": 0, "samples": [one] * 8, **more}


# Each is a message that no player's clashd sends.
LIES = [b"", b"{", b"\0" * 100, b"[" * 5000, b"\xff\xfe", json.dumps(samples(samples=[[0, 3, 1e300, 1e300, -1e300, 0, 0, 0, 0, 0]])).encode(),
        json.dumps(samples(samples=[[99, 3, 1, 0, 0, 0, 0, 0, 0, 1]])).encode(), json.dumps(samples(knots=[[0, 0], [1, 10**15]])).encode(),
        json.dumps(samples(first=2**53 - 1)).encode(), json.dumps(samples(version=2**53 - 1)).encode(), json.dumps(samples(session="s" * 33)).encode(),
        json.dumps(samples()).encode().replace(b"1.2", b"NaN"), json.dumps(peer()).encode()]


class Trouble(clashd.TestCase):
    def setUp(self):
        super().setUp()
        self.there = broker.Broker(self.home, "set_tcp_nodelay true")
        self.addCleanup(self.there.stop)

    def start(self, *words):
        settings = (f"mqtt.broker=127.0.0.1:{self.there.port}", "mqtt.room=hall", "mqtt.player=anna", "mqtt.peers=true")
        daemon = clashd.Daemon(*words, *(word for setting in settings for word in ("--set", setting)), home=self.home)
        self.addCleanup(daemon.process.wait)
        self.addCleanup(daemon.process.kill)
        daemon.wait_for_log("connected to")
        return daemon

    def flood(self, topic, lines):
        process = subprocess.Popen([sys.executable, mqtt_raw.__file__, str(self.there.port), topic, "3000"], stdin=subprocess.PIPE)
        process.stdin.write(b"".join(line + b"\n" for line in lines))
        process.stdin.close()
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

    def counters(self, daemon):
        with daemon.connect() as client:
            return client.request({"type": "status", "id": 1})["counters"]

    def test_local_clashes_go_on(self):
        deaf = mqtt_raw.listen(self.there.port)
        self.addCleanup(deaf.close)
        daemon = self.start("--source", f"replay:{DUEL}", "--speed", "10", "--wait-for-client", "--set", "mqtt.poses=true")
        self.flood("clashd/hall/mallory/samples", LIES)
        self.flood("clashd/hall/mallory/peer", LIES)
        self.flood("clashd/hall/trudy/samples", [json.dumps(samples()).encode()])
        self.flood("clashd/hall/anna/samples", [json.dumps(samples()).encode()])  # under one's own name
        broker.wait_for(lambda: self.counters(daemon)["room_muted"] > 0, "who lies is listened to")
        broker.wait_for(lambda: self.counters(daemon)["room_over_rate"] > 0, "who floods is listened to")
        with daemon.connect() as client:
            client.subscribe(events=["clash", "release", "replay"])
            client.read_until(lambda m: m["type"] == "replay" and m["state"] == "ended")
            found = [json.loads(line)["time_ns"] for line in client.lines if '"type":"clash"' in line]
        self.assertEqual(found, [json.loads(line)["time_ns"] for line in clashd.detect(DUEL, home=self.home) if '"type":"clash"' in line])
        self.assertTrue(any("there is another 'anna'" in line for line in daemon.log))
        self.assertLess(len(daemon.log), 100, "the log is flooded too")
        self.assertEqual(daemon.stop(), 0)

    def test_no_message_is_too_large_and_no_crowd_too_great(self):
        daemon = self.start("--source", "none")
        stranger = mqtt_raw.connect(self.there.port)
        self.addCleanup(stranger.close)
        before = self.counters(daemon)["mqtt_taken"]
        stranger.sendall(mqtt_raw.publish("clashd/hall/mallory/samples", b" " * 64_000_000))
        for number in range(600):
            stranger.sendall(mqtt_raw.publish(f"clashd/hall/p{number}/peer", json.dumps(peer(f"s{number}")).encode()))
        broker.wait_for(lambda: self.counters(daemon)["mqtt_taken"] >= before + 600, lambda: self.counters(daemon))
        self.assertEqual(self.counters(daemon)["mqtt_taken"], before + 600)
        broker.wait_for(lambda: any("players at most" in line for line in daemon.log), lambda: daemon.log[-3:])
        peak = next(int(line.split()[1]) for line in Path(f"/proc/{daemon.process.pid}/status").read_text().splitlines() if line.startswith("VmHWM"))
        if not clashd.is_sanitized():
            self.assertLess(peak, 60_000, "kB: the broker keeps back what is larger than clashd takes")
        for number in range(600):
            stranger.sendall(mqtt_raw.publish(f"clashd/hall/p{number}/peer", b"", retain=True))
        broker.wait_for(lambda: self.counters(daemon)["mqtt_taken"] >= before + 1200, lambda: self.counters(daemon))
        with daemon.connect() as client:
            self.assertEqual([blade["name"] for blade in client.hello["blades"]], ["left", "right"])
        self.assertEqual(daemon.stop(), 0)


if __name__ == "__main__":
    unittest.main()
