"""The Unity package feeds clashd itself the swords in the player's hands, in as much of an engine as tests/support has: each clash
comes in the frame whose poses showed it, where the drawn swords touch at its time, whatever is above them; a teleport strikes
nothing; and clashd's own takes over when the game goes."""
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import unity_client  # noqa: E402
from unity_client import FOREVER_MS, LEFT, RIGHT, Scene  # noqa: E402



def between(a, b, share):
    return [x + share * (y - x) for x, y in zip(a, b, strict=True)]


def distance_to(point, hilt, tip):
    """From a segment."""
    axis = [b - a for a, b in zip(hilt, tip, strict=True)]
    from_hilt = [b - a for a, b in zip(hilt, point, strict=True)]
    along = sum(a * b for a, b in zip(axis, from_hilt, strict=True)) / sum(a * a for a in axis)
    nearest = between(hilt, tip, min(1, max(0, along)))
    return sum((a - b) ** 2 for a, b in zip(point, nearest, strict=True)) ** 0.5


class Live(Scene):
    def begin(self, mode="feed", *options):
        """Settings that bridge the gaps of a slow machine."""
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({"socket": {"push_timeout_ms": 60000}, "contact": {"max_gap_ms": 10000}}))
        self.daemon = self.enterContext(clashd.Daemon("--source", "none", "--config", settings, "--tcp", "127.0.0.1:0", *options,
                                                      home=self.home))
        self.other = self.enterContext(self.daemon.connect())
        token = self.daemon.path.with_suffix(".token").read_text().strip()  # itself, as on another machine
        self.process = self.start_program(self.scene, mode, "127.0.0.1", self.port_of(self.daemon, "TCP"), f"token:{token}")
        self.do(f"wait:{FOREVER_MS}")
        deadline = time.monotonic() + clashd.WAIT_S
        while not any(line.startswith("log clashd") for line in self.said):
            self.assertLess(time.monotonic(), deadline, self.said)
            self.frame()
        self.other.subscribe(events=["clash", "poses"], axes="unity")
        self.frame(3)

    def told(self):
        """What the other client was told up to now."""
        self.other.send({"type": "ping", "id": "now"})
        return self.other.read_until(lambda message: message["type"] == "ok" and message.get("id") == "now")

    def times(self, told, frames):
        """{frame: time of its poses}, by where the right sword is; without those that clashd did not tell one by one."""
        found = {}
        numbers = iter(frames)
        for message in told:
            for pose in message.get("poses", ()):
                if pose["device"] != RIGHT:
                    continue
                found[next(number for number in numbers if max(abs(a - b) for a, b in zip(
                    pose["position"], frames[number]["right sword"][0], strict=True)) < 1e-4)] = message["time_ns"]
        return found

    def swing(self, at_least, count=80):
        """Frames, all of whose clashes came in theirs, and where the drawn swords touch."""
        self.frame()
        self.told()
        said = self.do(f"frames:{count}:5")
        frames = self.steel(said)
        told = self.told()
        times = self.times(told, frames)
        checked = 0
        for clash in (message for message in told if message["type"] == "clash"):
            self.assertEqual(sorted(clash["blades"]), ["left", "right"])
            line = next(line for line in said if line.startswith("clash ") and line.split("|")[1] == str(clash["seq"]))
            number = int(line.split()[1].split("|")[0])
            if number not in times or number - 1 not in times:
                continue
            self.assertLessEqual(clash["time_ns"], times[number])
            self.assertGreaterEqual(clash["time_ns"], times[number - 1])
            share = (clash["time_ns"] - times[number - 1]) / (times[number] - times[number - 1])
            for name, point in zip(clash["blades"], clash["points"], strict=True):
                hilt, tip = (between(a, b, share) for a, b in zip(frames[number - 1][f"{name} sword"],
                                                                  frames[number][f"{name} sword"], strict=True))
                self.assertLess(distance_to(point, hilt, tip), 1e-3, (clash, hilt, tip))
            checked += 1
        self.assertGreaterEqual(checked, at_least)

    def steel_of(self, name):
        """What clashd has for a blade now: where its tip is."""
        with self.daemon.connect() as new:
            return next(blade["tip"] for blade in new.hello["blades"] if blade["name"] == name)

    def test_clashes_are_where_the_swords_are_drawn(self):
        self.begin()
        self.swing(4, 200)  # the swords move by the clock: a busy machine shows fewer
        self.assertFalse([line for line in self.said if line.startswith("warning")], self.said)
        status = self.other.request({"type": "status", "id": "s"})
        self.assertEqual({device["device"]: device.get("source") for device in status["devices"]},
                         {LEFT: "game", RIGHT: "game", "enemy": None})
        self.assertAlmostEqual(self.steel_of("left")[2], -1.5, delta=1e-5)
        self.stop(self.process)
        deadline = time.monotonic() + clashd.WAIT_S
        while self.steel_of("left")[2] < -1.4:
            self.assertLess(time.monotonic(), deadline, "the configuration's blade does not come back")

    def test_whatever_lies_above_the_swords(self):
        self.begin()
        for command in ("scale:rig:0.25", "drift:0.05", "turn", "scale:rig:8", "scale:Camera Offset:0.5"):
            self.do(command)
            self.frame(5)
            self.swing(3)
        self.stop(self.process)

    def test_a_receiver_outside_of_the_rig(self):
        self.begin("world")
        for command in ("scale:rig:0.25", "drift:0.05", "turn", "scale:rig:4"):
            self.do(command)
            self.frame(5)
            self.swing(3)
        self.stop(self.process)

    def jump(self, word):
        """The right sword is on the other side of the left one at once. How often they clash."""
        while (number := max(self.steel(self.frame()))) % 40 != 5:
            pass
        x = self.steel(self.said)[number]["right sword"][0][0]
        self.told()
        self.do(f"jump:{1 if x < -0.2 else -1}:{word}")
        self.frame()
        return sum(message["type"] == "clash" for message in self.told())

    def test_a_teleport_in_mid_swing(self):
        self.begin()
        for word, count in (("told", 0), ("told", 0), ("untold", 1)):
            self.assertEqual(self.jump(word), count, word)
        self.swing(1)
        self.stop(self.process)

    def test_a_hand_that_is_lost_in_mid_swing(self):
        """It is found on the other side of the other sword."""
        self.begin()
        for how in ("lost", "off"):
            while (number := max(self.steel(self.frame()))) % 40 != 5:
                pass
            x = self.steel(self.said)[number]["right sword"][0][0]
            self.told()
            self.do(f"controller:Right:{how}:0")
            self.frame()
            self.do(f"jump:{1 if x < -0.2 else -1}:untold")
            self.frame()
            self.do("controller:Right:tracked:0")
            self.frame()
            self.assertFalse([message for message in self.told() if message["type"] == "clash"], how)
        self.swing(1)
        self.stop(self.process)

    def test_the_sample_of_a_duel(self):
        """Rings and sparks of each clash at once, where the two swords are."""
        with clashd.Daemon("--source", "none", "--tcp", "127.0.0.1:0", home=self.home) as daemon:
            process = self.start_program(self.scene, "duel", "127.0.0.1", self.port_of(daemon, "TCP"), daemon.path)
            self.wait_for("ring", 3)
            self.wait_for("sound 22050 True")
            frames = {line.split()[1] for line in self.said if line.startswith("ring")}
            sparks = [line.split()[1:] for line in self.said if line.startswith("spark")]
            self.assertGreaterEqual(len(sparks), 3 * 4)
            self.assertLessEqual({frame for frame, *_ in sparks}, frames)
            for _, x, y, z in sparks:
                self.assertLess(max(abs(float(x)), abs(float(y))), 0.4)
                self.assertTrue(0 < float(z) < 1)
            self.assertFalse([line for line in self.said if line.startswith(("warning", "exception"))], self.said)
            self.stop(process)

    def test_turned_at_once_in_mid_swing(self):
        """In the scene's space the hands go far around the enemy, the rig's origin and each other."""
        self.begin("world")
        for _ in range(8):
            while max(self.steel(self.frame())) % 40 not in (10, 11):
                pass
            self.told()
            self.do("turn")
            self.frame()
            self.assertFalse([message for message in self.told() if message["type"] == "clash"])
        self.stop(self.process)


if __name__ == "__main__":
    unity_client.main()
