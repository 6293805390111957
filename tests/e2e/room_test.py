"""Several players in a room: two clashds at one real mosquitto, one recording's two hands split over them, each with a session of its own. Both
find the contacts that clashctl detect finds in one file with both hands, with the same ids; a referee finds them too."""
import json
import math
import re
import subprocess
import sys
import threading
import time
import unittest
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import broker  # noqa: E402
import clashd  # noqa: E402

broker.need()
import room_players  # noqa: E402
import tree  # noqa: E402
import validate  # noqa: E402


def metrics_of(daemon):
    """{metric: names of players} of a daemon's page of metrics."""
    host, port = daemon.websocket
    with urllib.request.urlopen(f"http://{host}:{port}/metrics?token={daemon.token}", timeout=10) as page:
        found = re.findall(r'^(clashd_room_player_\w+)\{player="(\w+)"\} ', page.read().decode(), re.MULTILINE)
    return {metric: {player for one, player in found if one == metric} for metric, _ in found}


class Rooms(room_players.Rooms):
    def test_both_find_the_same_contacts(self):
        anna, ben, referee = self.meet("socket.websocket=127.0.0.1:0", others=[("zoe", ["mqtt.referee=true", "mqtt.share=false", "contact.max_gap_ms=90"])])
        # Other settings may find other contacts: who has them is said, on both sides.
        for one, other, values in ((anna, "zoe", "90 for zoe and 100 here"), (referee, "ben", "100 for ben and 90 here")):
            broker.wait_for(lambda one=one, values=values: f"contact.max_gap_ms is {values}" in "\n".join(one.daemon.log), lambda one=one: one.daemon.log)
            self.assertEqual(sum("contact.max_gap_ms" in line for line in one.daemon.log if f" for {other} " in line), 1)
        self.assertEqual([line for line in ben.daemon.log if "contact." in line and " for anna " in line], [])
        start_ns = self.duel([anna, ben])
        truth = self.truth(start_ns, referee.epoch_ns)
        for one in (anna, ben, referee):
            broker.wait_for(lambda one=one: len([e for e in one.events() if e["type"] == "clash"]) >= len(truth), lambda one=one: (one.name, len(truth), one.events()))
        starts = {}
        for one in (anna, ben, referee):
            clashes = [event for event in one.events() if event["type"] == "clash"]
            self.assertEqual(len(clashes), len(truth))
            for clash, true_ns in zip(sorted(clashes, key=lambda event: event["room_time_ns"]), truth):
                self.assertEqual(validate.check(json.dumps(clash)), [])
                # The clock error moves one blade's samples: so the start may move as far, and what speeds make of it.
                self.assertLess(abs(clash["room_time_ns"] - true_ns), clash["clock_error_ns"] + 2_000_000, one.name)
            starts[one.name] = {clash["room_id"]: clash["room_time_ns"] for clash in clashes}
            self.assertEqual(len(starts[one.name]), len(truth))
            self.assertLess(max(clash["clock_error_ns"] for clash in clashes), 20_000_000)
        for name in ("ben", "zoe"):
            self.assertEqual(sorted(starts["anna"]), sorted(starts[name]))
            self.assertLess(max(abs(starts["anna"][key] - starts[name][key]) for key in starts["anna"]), 10_000)
        for one in (anna, ben):
            for key in ("room_lost", "room_refused", "room_over_rate", "room_late"):
                self.assertEqual(one.counter(key), 0, key)
        devices = {device["device"]: device for device in anna.status()["devices"]}
        self.assertEqual(devices["peer/ben/hand/right"]["source"], "peer")
        status = anna.status()
        self.assertEqual(validate.check(json.dumps(status)), [])
        there = {player["player"]: player for player in status["players"]}
        self.assertEqual(sorted(there), ["ben", "zoe"])
        # Both read the same clock, from epochs of their own.
        self.assertLess(abs(there["ben"]["clock_offset_ns"] - (anna.epoch_ns - ben.epoch_ns)), there["ben"]["clock_error_ns"] + 2_000_000)
        self.assertEqual((there["ben"]["here"], there["ben"]["muted"], there["ben"]["lost"], there["ben"]["refused"]), (True, False, 0, 0))
        self.assertEqual(there["ben"]["samples"], status["counters"]["room_samples"])
        self.assertNotIn("clock_offset_ns", there["zoe"], "who shares nothing")
        shared = metrics_of(anna.daemon)
        dashboard = (tree.ROOT / "daemon" / "metrics" / "grafana.json").read_text()
        for metric in set(re.findall(r"clashd_room_player_\w+", dashboard)):
            self.assertIn("ben", shared.get(metric, ()), metric)
        # Repeats are by design, and their number says nothing.
        self.assertEqual({metric for metric in shared if metric not in dashboard},
                         {"clashd_room_player_samples_repeated_total", "clashd_room_player_clock_offset_seconds", "clashd_room_player_clock_drift_ratio"})
        shown = clashd.clashctl("status", home=anna.daemon.home).stdout
        self.assertRegex(shown, r"\nplayers +(zoe|ben) +here")
        # A recording of either is one like any other.
        self.assertEqual(anna.daemon.stop(), 0)
        done = clashd.clashctl("verify", anna.recording, home=self.home)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Calibrate(clashd.TestCase):
    """The other's stage is turned by 2.5 rad and shifted: three touches say so, and what is printed makes both one room."""
    TURN, SHIFT, PLACES = 2.5, [0.3, -0.05, -2.0], [[0.0, 1.2, -0.5], [1.0, 1.0, -0.6], [0.4, 1.5, 0.6]]

    def in_other(self, place):
        """A place of this stage in the other one, whose things are turned and then shifted to be in this."""
        x, y, z = (place[i] - self.SHIFT[i] for i in range(3))
        return [math.cos(self.TURN) * x - math.sin(self.TURN) * z, y, math.sin(self.TURN) * x + math.cos(self.TURN) * z]

    def calibrate(self, daemon, client, places, code):
        """Both tips rest at each place in turn, long enough."""
        done = threading.Event()

        def push():
            blade = {"type": "blade", "name": "ben/saber", "device": "peer/ben/hand/right", "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.01}
            assert client.request({**blade, "id": 1})["type"] == "ok"
            assert client.request({"type": "feed", "id": 2, "devices": ["/user/hand/right"]})["type"] == "ok"
            ready.set()
            while not done.is_set():
                place = places[min(len(places) - 1, touched(log))]
                tips = {"/user/hand/right": place, "peer/ben/hand/right": self.in_other(place)}
                client.send({"type": "poses", "poses": [{"device": device, "position": [tip[0], tip[1], tip[2] + 1], "orientation": [0, 0, 0, 1]}
                                                        for device, tip in tips.items()]})
                time.sleep(0.005)

        def touched(lines):
            return max(0, sum(line.startswith("Place") for line in lines) - 1)

        log, ready = [], threading.Event()
        pusher = threading.Thread(target=push)
        pusher.start()
        ready.wait()
        process = subprocess.Popen([clashd.CLASHCTL, "calibrate", "--room", "ben", "--seconds", "1", "--countdown", "0.5"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=clashd.environment(self.home))
        for line in process.stderr:
            log.append(line)
        text = process.stdout.read()
        self.assertEqual(process.wait(), code, log)
        done.set()
        pusher.join()
        return text, "".join(log)

    def test_three_touches(self):
        with clashd.Daemon("--source", "none", home=self.home) as daemon:
            with daemon.connect() as client:
                text, said = self.calibrate(daemon, client, self.PLACES, 0)
            self.assertIn("mm off", said)
            room = json.loads(text)["room"]
            # The room is the other one's stage, which it takes to be its own: so this stage is where the other sees it.
            for place in self.PLACES:
                x, z = place[0], place[2]
                there = [room["x"] + math.cos(room["turn"]) * x + math.sin(room["turn"]) * z, room["y"] + place[1],
                         room["z"] - math.sin(room["turn"]) * x + math.cos(room["turn"]) * z]
                self.assertLess(math.dist(there, self.in_other(place)), 0.002)
            with daemon.connect() as client:
                self.assertIn("too close", self.calibrate(daemon, client, self.PLACES[:1], 1)[1])
        nobody = clashd.clashctl("calibrate", "--room", "ben", "--tips", home=self.home)
        self.assertEqual(nobody.returncode, 2)


if __name__ == "__main__":
    unittest.main()
