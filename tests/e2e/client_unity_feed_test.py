"""The Unity package feeds the swords in the player's hands, in as much of an engine as tests/support has: what clashd is told is
where they are drawn in that very frame, its events come in it, teleports are told; a clashd that hangs, goes, or knows no feeds
costs no frame; and the hand feels the clash. Against a stand-in that does what the test wants."""
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import unity_client  # noqa: E402
from feed_standin import Standin  # noqa: E402
from unity_client import FOREVER_MS, LEFT, RIGHT, StandinScene  # noqa: E402


class Feed(StandinScene):
    def expect_drawn(self, pose, numbers, delta=2e-6):
        for found, expected in zip(pose["position"] + pose["orientation"], numbers, strict=True):
            self.assertAlmostEqual(found, expected, delta=delta, msg=(pose, numbers))

    def test_it_feeds_what_is_drawn(self):
        """After what tracks the controllers and what they hold, before it is drawn; whatever lies above."""
        self.begin()
        told = self.clashd.told
        kinds = [(m["type"], m.get("name", m.get("devices"))) for m in told if m["type"] in ("feed", "blade")]
        self.assertEqual(kinds, [("feed", [LEFT, RIGHT]), ("blade", "left"), ("blade", "right"), ("blade", "enemy")])
        blades = {m["name"]: m for m in told if m["type"] == "blade"}
        self.assertEqual([blades[name]["device"] for name in ("left", "right", "enemy")], [LEFT, RIGHT, "enemy"])
        # 1.5 times as long as it is thick; in the rig's metres.
        for name, tip, radius in (("left", [0, 0, 1.5], 0.02), ("right", [0, 0, 0.5], 0.02), ("enemy", [0, 1, 0], 0.01)):
            for found, expected in zip(blades[name]["tip"] + [blades[name]["radius"]], tip + [radius], strict=True):
                self.assertAlmostEqual(found, expected, delta=1e-6, msg=name)
        said = self.frame(30)
        frames = self.drawn(said)
        self.assertEqual(len(frames), 30)
        poses = self.poses()
        self.assertEqual(len(poses), 30)
        for at, drawn in zip(poses, frames.values(), strict=True):
            self.assertEqual(set(at), {LEFT, RIGHT, "enemy"})
            self.expect_drawn(at[LEFT], drawn["left sword"])
            self.expect_drawn(at[RIGHT], drawn["right sword"])
            self.expect_drawn(at["enemy"], drawn["enemy"])
            self.assertFalse([pose for pose in at.values() if "teleport" in pose])
        self.end()

    def test_events_come_in_the_frame(self):
        self.begin()
        first = max(self.drawn(self.frame(3)))
        for number in range(1, 21):
            self.clashd.delay_s = 0.002 * (number % 3)  # some later than a frame would be
            self.clashd.clashes.put({"blades": ["left", "right"], "target": None} if number % 2 else {})
            self.clashd.clashes.put({})
            said = self.frame()
            clashes = [line.split(" ", 1)[1].split("|")[:2] for line in said if line.startswith("clash ")]
            self.assertEqual(clashes, [[str(first + number), str(2 * number - 1)], [str(first + number), str(2 * number)]])
            # .. before it is drawn.
            kinds = [line.split()[0] for line in said if line.split()[0] in ("clash", "drawn")]
            self.assertEqual(kinds, ["clash"] * 2 + ["drawn"] * 3)
        self.end()

    def test_what_is_old_is_stale(self):
        """Too late for a spark, as after a stall; how old it is, and from when on, is the game's to say."""
        self.begin(f"maxAge:{FOREVER_MS}")
        self.frame(2)
        for age, limit, kind in ((10**9, FOREVER_MS, "clash"), (2 * 10**12, 1000, "stale"), (2 * 10**12, 0, "clash")):
            self.do(f"maxAge:{limit}")
            self.clashd.clashes.put({"time_ns": self.clashd.now() - age})
            said = [line for line in self.frame() if line.startswith(("clash ", "stale "))]
            self.assertEqual([line.split()[0] for line in said], [kind])
            if kind == "stale":
                self.assertGreaterEqual(int(said[0].split("|")[2]), age)
        self.end()

    def test_without_a_wait_they_come_in_the_next(self):
        self.begin(wait_ms=0)
        self.clashd.answers.clear()
        self.clashd.clashes.put({})
        self.frame()
        self.clashd.wait_for_type("poses")
        self.clashd.answers.set()
        for _ in range(1000):
            if found := [line for line in self.frame() if line.startswith("clash ")]:
                break
        self.assertNotEqual(found[0].split()[1].split("|")[0], "1")
        self.end()

    def test_one_that_hangs_costs_three_waits(self):
        """With no more than a wait's length for each: afterwards none, else this would take an hour; and all is well again
        once it answers."""
        self.begin(wait_ms=50)
        self.frame(2)
        self.clashd.answers.clear()
        self.clashd.clashes.put({})
        self.assertFalse([line for line in self.frame(5) if line.startswith("clash ")])
        self.do(f"wait:{FOREVER_MS}")
        self.frame(50)
        self.clashd.answers.set()
        for _ in range(1000):
            if found := [line for line in self.frame() if line.startswith("clash ")]:
                break
        self.assertTrue(found)
        for _ in range(1000):  # all that was sent meanwhile is answered
            if len(self.poses()) > 50:
                break
            self.frame()
        self.frame(5)
        self.clashd.clashes.put({})
        self.assertEqual(len([line for line in self.frame() if line.startswith("clash ")]), 1)
        self.end()

    def test_answers_that_are_late(self):
        """Frames give up waiting, which is said once; with quick answers they wait again, and events come in their frame."""
        self.begin(wait_ms=5)
        self.clashd.delay_s = 0.02
        deadline = time.monotonic() + clashd.WAIT_S
        while not any("its answers take longer than a frame may wait (waitMs is 5" in line for line in self.said):
            self.assertLess(time.monotonic(), deadline, self.said)
            self.do("frames:10:30")
        self.clashd.delay_s = 0
        self.do(f"wait:{FOREVER_MS}")
        self.do("frames:60:30")  # all late answers have come, and then quick ones
        self.clashd.clashes.put({})
        number = max(self.drawn(self.frame()))
        while not (found := [line for line in self.said if line.startswith("clash ")]):
            self.assertLess(time.monotonic(), deadline)
            self.frame()
        self.assertEqual(int(found[0].split()[1].split("|")[0]), number)
        self.assertEqual(len([line for line in self.said if "its answers take longer" in line]), 1)
        self.end()

    def test_one_that_stops_is_named(self):
        self.begin(wait_ms=5)
        self.frame(2)
        self.clashd.answers.clear()
        self.frame()
        self.wait_for_frames("warning clashd does not answer")
        self.clashd.answers.set()
        self.wait_for_frames("log clashd answers again")
        self.assertEqual(len([line for line in self.said if "does not answer" in line]), 1)
        self.end()

    def test_it_goes_and_comes_back(self):
        """A frame that waits for an answer of what is gone does not."""
        self.begin()
        self.frame(2)
        self.clashd.answers.clear()
        since = len(self.clashd.told)
        self.process.stdin.write("frames:1:1\n")
        self.process.stdin.flush()
        self.clashd.wait_for_type("poses", since)
        said = len(self.said)
        self.clashd.cut()
        self.wait_for("done frames:1:1", since=said)
        self.clashd.answers.set()
        since = len(self.clashd.told)
        self.clashd.wait_for_type("feed", since)
        self.wait_for_defined("right", since)
        self.wait_for_defined("enemy", since)
        said = self.frame()
        self.expect_drawn(self.poses(since)[-1][RIGHT], next(iter(self.drawn(said).values()))["right sword"])
        self.clashd.clashes.put({})
        self.assertEqual(len([line for line in self.frame() if line.startswith("clash ")]), 1)
        self.assertFalse([line for line in self.said if line.startswith("exception")], self.said)
        self.end()

    def test_one_that_knows_no_feeds(self):
        """As ever: the player's swords are clashd's own, and nothing of them is told; an enemy's is."""
        self.begin(capabilities=("axes", "since_seq", "push"))
        self.frame(5)
        self.clashd.wait_for_type("poses")
        self.clashd.cut()
        since = len(self.clashd.told)
        self.wait_for_defined("enemy", since)
        self.frame(5)
        self.clashd.wait_for_type("poses", since)
        self.assertFalse([m for m in self.clashd.told if m["type"] == "feed" or m.get("name") in ("left", "right")])
        self.assertEqual({device for at in self.poses() for device in at}, {"enemy"})
        self.assertFalse([m for m in self.clashd.told if m["type"] == "poses" and "id" in m])
        self.assertEqual(len([line for line in self.said if line.startswith("warning") and "cannot be fed" in line]), 1)
        self.end()

    def test_a_feed_that_is_refused(self):
        """Poses of its devices would be refused, and all others with them."""
        self.begin()
        self.clashd.refused["feed"] = "name_taken"
        self.clashd.cut()
        since = len(self.clashd.told)
        self.wait_for_defined("enemy", since)
        self.frame(20)
        self.wait_for("warning clashd: feed")
        since = len(self.clashd.told)
        self.frame(5)
        self.assertEqual({device for at in self.poses(since) for device in at}, {"enemy"})
        self.asks_again_until_it_feeds()
        self.end()

    def asks_again_until_it_feeds(self):
        """Who had the hands goes; nothing but the time tells the game. What is said of it is said once."""
        since = len(self.clashd.told)
        self.clashd.wait_for_type("feed", since)
        self.frame(5)
        self.assertEqual({device for at in self.poses(since) for device in at}, {"enemy"})
        self.clashd.refused.clear()
        since = len(self.clashd.told)
        self.clashd.wait_for_type("feed", since)
        for name in ("left", "right"):
            self.wait_for_defined(name, since)
        self.frame(5)
        self.assertEqual(set(self.poses(since)[-1]), {LEFT, RIGHT, "enemy"})
        self.assertEqual(len([line for line in self.said if line.startswith("warning clashd: feed")]), 1)
        self.assertEqual([m["type"] for m in self.clashd.told[since:]].count("feed"), 1)

    def test_teleports(self):
        self.begin()
        self.frame(2)
        since = len(self.clashd.told)
        self.do("teleport")
        self.frame(2)
        self.assertEqual(self.teleported(since), [{LEFT, RIGHT}, set()])
        since = len(self.clashd.told)
        self.do("recentre")  # which Unity tells; tracking may follow a frame later
        self.frame(3)
        self.assertEqual(self.teleported(since), [{LEFT, RIGHT}] * 2 + [set()])
        since = len(self.clashd.told)
        self.do("blink:enemy")
        self.frame(2)
        self.assertEqual(self.teleported(since), [{"enemy"}, set()])
        since = len(self.clashd.told)
        self.do("turn")  # the rig that all is relative to
        frames = self.drawn(self.frame(2))
        self.assertEqual(self.teleported(since), [{LEFT, RIGHT, "enemy"}, set()])
        for at, drawn in zip(self.poses(since), frames.values(), strict=True):
            self.expect_drawn(at["enemy"], drawn["enemy"], 1e-5)
            self.expect_drawn(at[RIGHT], drawn["right sword"], 1e-5)
        self.end()

    def test_a_hand_that_is_lost(self):
        """Nothing is swept while it is, nor to where it is found; what is guessed is marked."""
        self.begin()
        self.frame(2)
        for how in ("lost", "off"):
            since = len(self.clashd.told)
            self.do(f"controller:Left:{how}:0")
            self.frame(3)
            lost = [at[LEFT] for at in self.poses(since)]
            self.assertEqual([(pose["valid"], pose["position"]) for pose in lost], [(False, [0, 0, 0])] * 3)
            self.assertFalse([at for at in self.poses(since) if {"valid", "teleport", "tracked"} & {*at[RIGHT], *at["enemy"]}])
            since = len(self.clashd.told)
            self.do("controller:Left:guessed:0")
            self.frame(2)
            self.assertEqual(self.teleported(since), [{LEFT}, set()])
            self.assertEqual([at[LEFT]["tracked"] for at in self.poses(since)], [False] * 2)
        self.do("controller:Left:tracked:0")
        since = len(self.clashd.told)
        self.frame(2)
        self.assertFalse([at for at in self.poses(since) if {"valid", "teleport", "tracked"} & {*at[LEFT]}])
        self.end()

    def test_a_jump_that_no_arm_makes(self):
        self.begin()
        self.frame(2)
        for place, teleported in ((0.5, set()), (1e6, {RIGHT}), (1e6 + 0.5, set())):
            since = len(self.clashd.told)
            self.do(f"controller:Right:tracked:{place}")
            self.frame(2)
            self.assertEqual(self.teleported(since), [teleported, set()], place)
        self.end()

    def test_a_teleport_that_could_not_be_sent(self):
        """It counts for the next pose that can, where clashd takes no more."""
        self.begin("draws:off", wait_ms=0)
        self.clashd.answers.clear()  # it does not read either
        frames = 12000
        self.do(f"frames:{frames}:0")
        self.do("teleport")
        self.frame(3)
        self.clashd.answers.set()
        deadline = time.monotonic() + clashd.WAIT_S
        while not any(self.teleported(0)) and time.monotonic() < deadline:
            self.frame(100)
        self.assertEqual([at for at in self.teleported(0) if at], [{LEFT, RIGHT}])
        before = next(index for index, at in enumerate(self.teleported(0)) if at)
        self.assertLess(before, frames, "it was never full")
        self.end()

    def test_hands_change(self):
        self.begin()
        self.frame()
        since = len(self.clashd.told)
        self.do("hand:right sword:None")
        self.frame()
        own = next(m["name"] for m in self.clashd.told[since:] if m["type"] == "blade")  # the object's, and its number
        self.assertRegex(own, "^right sword -?[0-9]+$")
        told = [(m["type"], m.get("name", m.get("devices"))) for m in self.clashd.told[since:] if m["type"] not in ("poses", "ping")]
        self.assertEqual(told, [("remove", "right"), ("feed", [LEFT]), ("blade", own)])
        self.assertEqual(set(self.poses(since)[-1]), {LEFT, own, "enemy"})
        since = len(self.clashd.told)
        self.do("into:left sword:Right Controller")  # it is Auto
        self.frame()
        told = [(m["type"], m.get("name", m.get("devices"))) for m in self.clashd.told[since:] if m["type"] not in ("poses", "ping")]
        self.assertEqual(told, [("remove", "left"), ("feed", [RIGHT]), ("blade", "right")])
        since = len(self.clashd.told)
        self.do("hand:right sword:Right")  # where there is one: two that a hand carries
        said = self.frame()
        told = [m for m in self.clashd.told[since:] if m["type"] not in ("poses", "ping")]
        self.assertEqual([(m["type"], m["name"]) for m in told], [("remove", own), ("blade", own)])
        self.assertEqual(told[1]["device"], RIGHT)
        self.assertEqual(set(self.poses(since)[-1]), {RIGHT, "enemy"})
        self.expect_drawn(self.poses(since)[-1][RIGHT], next(iter(self.drawn(said).values()))["left sword"])
        # 0.05 m and 0.02 m above the hand that is drawn and forward of it.
        for found, expected in zip(told[1]["base"] + told[1]["tip"], [0, 0.05, -0.02, 0, 0.05, 0.48], strict=True):
            self.assertAlmostEqual(found, expected, delta=2e-6, msg=told[1])
        since = len(self.clashd.told)
        self.do("blink:right sword")
        self.frame(2)
        self.assertEqual(self.teleported(since), [{RIGHT}, set()])
        since = len(self.clashd.told)
        self.do("off:left sword")  # whose object it was that moved
        said = self.frame(2)
        told = [m for m in self.clashd.told[since:] if m["type"] not in ("poses", "ping")]
        self.assertEqual([(m["type"], m["name"]) for m in told], [("remove", "right"), ("blade", own)])
        self.assertEqual(told[1]["base"], [0, 0, 0])
        self.expect_drawn(self.poses(since)[-1][RIGHT], self.drawn(said)[max(self.drawn(said))]["right sword"])
        self.assertEqual(self.teleported(since), [{RIGHT}, set()])
        self.end()

    def test_a_frame_allocates_nothing(self):
        """From the poses to the answer; of events AllocationTests.cs sees it."""
        self.begin()
        self.frame(310)  # room is made now, and the next look for what else moves the player is far
        line = next(line for line in self.do("allocated:200") if line.startswith("allocated "))
        self.assertGreater(int(line.split()[2]), 100)
        self.assertLess(int(line.split()[1]), 200 * 8)  # an object a frame would be 16 bytes or more; Mono has some of its own
        self.end()

    def test_names_that_tell_a_hand(self):
        self.begin()
        for words, hand in (("LeftHand Controller", "Left"), ("Right Controller", "Right"), ("hand_l", "Left"), ("Hand.R", "Right"),
                            ("LTouch", "Left"), ("RTouch", "Right"), ("HandLeft", "Left"), ("leftcontroller", "Left"), ("R", "Right"),
                            ("XR Origin (XR Rig)", "None"), ("Upright VR Rig", "None"), ("Copyright", "None"), ("OVRCameraRig", "None"),
                            ("Left or right", "None"), ("Main Camera", "None"), ("Roller", "None"), ("", "None")):
            self.assertIn(f"side {hand}", self.do(f"side:{words}"), words)
        self.end()

    def test_a_sword_that_grows(self):
        self.begin()
        self.frame(2)
        since = len(self.clashd.told)
        self.do("scale:left sword:2")
        self.frame(5)
        blades = [m for m in self.clashd.told[since:] if m["type"] == "blade"]
        self.assertEqual([blade["name"] for blade in blades], ["left"])
        self.assertAlmostEqual(blades[0]["tip"][2], 3, delta=1e-5)
        self.end()

    def test_where_nothing_is_drawn(self):
        self.begin()
        self.do("draws:off")
        self.frame(10)
        self.assertEqual(len(self.poses()), 8)
        self.do("draws:on")
        since = len(self.clashd.told)
        frames = self.drawn(self.frame(3))
        self.assertEqual(len(self.poses(since)), 3)
        self.expect_drawn(self.poses(since)[-1][RIGHT], frames[max(frames)]["right sword"])
        self.end()

    def test_a_clock_that_leaps(self):
        """It is asked for again and again: poses are of the server's time, whatever hello gave."""
        self.begin()
        self.frame(5)
        leap = 10**11
        self.clashd.epoch -= leap
        deadline = time.monotonic() + clashd.WAIT_S
        while self.clashd.told[-1].get("time_ns", 0) < leap:
            self.assertLess(time.monotonic(), deadline, self.clashd.told[-1])
            self.frame(5)
        since = len(self.clashd.told)
        self.frame(5)
        times = [m["time_ns"] for m in self.clashd.told[since:] if m["type"] == "poses"]
        self.assertTrue(all(self.clashd.now() - 10**10 < at < self.clashd.now() for at in times), times)
        self.end()

    def test_times_are_the_frames(self):
        """As far apart as the engine says that the frames are, not as when they come to be sent."""
        self.begin()
        self.frame(5)
        since = len(self.clashd.told)
        self.do("frames:40:5")
        times = [m["time_ns"] for m in self.clashd.told[since:] if m["type"] == "poses"]
        self.assertEqual(len(times), 40)
        self.assertEqual(times, sorted(set(times)))
        self.assertLess(self.clashd.now() - times[-1], 10**9)
        self.assertLess(times[-1], self.clashd.now())
        self.end()

    def test_a_handler_that_throws(self):
        self.begin()
        self.frame()
        self.do("throw")
        for _ in range(3):
            self.clashd.clashes.put({})
        said = self.frame()
        self.assertEqual([line.split()[0] for line in said if line.split()[0] in ("clash", "exception")], ["clash", "exception"] * 3)
        self.assertEqual(len(self.drawn(said)), 1)
        self.end()

    def boxes(self, name):
        return [line.split(" ", 1)[1] for line in self.do(f"inspect:{name}") if line.startswith("box ")]

    def test_the_inspectors(self):
        self.begin()
        self.frame()
        self.assertEqual(self.boxes("left sword"), [
            f"connected to clashd 0.0 | feeds {LEFT}, {RIGHT} | no clash yet",
            f"clashd 0.0 answers at 127.0.0.1:{self.clashd.port}", f"left on {LEFT}"])
        self.clashd.clashes.put({"blades": ["left", "enemy"], "closing_speed": 3.5})
        self.frame()
        self.assertIn("1 clashes, the last of left and enemy at 3.5 m/s", self.boxes("enemy")[0])
        self.clashd.close()
        self.wait_for_frames("warning clashd: cannot connect")
        first, tested, blade = self.boxes("enemy")
        self.assertIn(f'cannot connect to 127.0.0.1:{self.clashd.port}: nobody listens there. Start "clashd --tcp '
                      f'{self.clashd.port}"', first)
        self.assertIn("nobody listens there", tested)
        self.assertEqual(blade, "enemy on enemy")
        self.end()

    def test_the_events_of_the_inspector(self):
        """Of one blade, with another one, fast enough, and not with targets."""
        self.begin("events:left sword:right:2")
        self.frame(2)
        both = {"blades": ["left", "right"], "target": None, "midpoint": [0.5, 1, 0.25], "intensity": 0.5, "closing_speed": 3}
        for clash in (both, {**both, "closing_speed": 1}, {**both, "blades": ["right", "enemy"]}, {**both, "blades": ["left", "enemy"]},
                      {**both, "target": "right"}, {**both, "resumed": True}, {**both, "type": "hold", "duration_ns": 5},
                      {"type": "release", "blades": ["left", "right"], "target": None, "duration_ns": 5, "reason": "apart"}):
            self.clashd.clashes.put(clash)
        said = [line for line in self.frame() if line.startswith("on")]
        self.assertEqual(said, ["onClash 1", "onClashAt 10.5 22 29", "onClashIntensity 0.5", "onHold 7", "onRelease 8"])
        self.end()

    def test_handles_in_the_scene(self):
        """One is dragged 0.2 m up in the scene: the tip follows in the blade's own space, and clashd gets it at once."""
        self.begin()
        self.frame(2)
        since = len(self.clashd.told)
        self.assertEqual([line for line in self.do("drag:enemy:tip:0.2") if line.startswith(("handle", "undo"))],
                         ["handle hilt", "handle tip", "undo Move tip"])
        self.frame(2)
        blade, = [m for m in self.clashd.told[since:] if m["type"] == "blade"]
        self.assertEqual((blade["name"], blade["base"]), ("enemy", [0, 0, 0]))
        self.assertAlmostEqual(blade["tip"][1], 1.1, delta=1e-5)  # in the rig's metres, which are twice as long
        self.assertIn("undo Move edge", self.do("drag:left sword:edge:0.1"))
        self.assertFalse([line for line in self.do("inspectAll") if line.startswith("box")])
        self.end()

    def test_what_is_drawn_of_a_blade_that_is_selected(self):
        """In the scene: below a rig of twice the size, turned by a quarter, at (10, 20, 30); a child is 1.5 times as long."""
        self.begin()
        self.frame()
        lines = [line.split()[1:] for line in self.do("select:left sword") if line.startswith("gizmo ")]
        self.assertEqual([line[0] for line in lines], ["ring", "ball", "ring", *["line"] * 6])
        for line in lines[:3]:
            self.assertAlmostEqual(float(line[1]), 0.04, delta=1e-6)
        hilt, tip = [float(word) for word in lines[1][2:]], [float(word) for word in lines[2][2:]]
        for found, expected in zip(tip, [hilt[0], hilt[1] + 3, hilt[2]], strict=True):
            self.assertAlmostEqual(found, expected, delta=1e-5)
        self.assertEqual(lines[3][1:], lines[1][2:] + lines[2][2:])
        self.end()

    def test_who_cannot_connect_says_so_once(self):
        """.. and once when it is there; though it tries again and again."""
        self.begin()
        port = self.clashd.port
        self.clashd.close()
        self.wait_for_frames("warning clashd: cannot connect")
        since = len(self.said)
        self.do("frames:30:50")
        self.assertFalse([line for line in self.said[since:] if line.startswith(("warning", "log"))], self.said)
        self.clashd = Standin(port=port)
        self.addCleanup(self.clashd.close)
        while len([line for line in self.said if line.startswith("log")]) < 2:
            self.frame(5)
        warned = [line for line in self.said if line.startswith("warning")]
        self.assertEqual(len(warned), 2, warned)  # that it went, and that it is not there
        self.end()

    def test_a_token_that_is_refused_is_said_once(self):
        self.begin()
        self.clashd.refusal = {"type": "error", "code": "unauthorized", "message": "show the token in FILE"}
        self.clashd.cut()
        self.wait_for_frames("warning clashd: show")
        self.do("frames:30:50")
        self.assertEqual([line for line in self.said if line.startswith("warning")][1:], ["warning clashd: show the token in FILE"])
        self.end()

    def pulses(self, *clashes):
        for clash in clashes:
            self.clashd.clashes.put({"target": None, **clash})
        return [line.split()[1:] for line in self.frame() if line.startswith("pulse ")]

    def test_the_hand_feels_it(self):
        self.begin()
        self.frame()
        both = {"blades": ["left", "right"], "intensity": 0.5}
        self.assertEqual([[hand, round(float(strength), 6), round(float(seconds), 6)] for hand, strength, seconds in
                          self.pulses(both)], [["LeftHand", 0.5, 0.03], ["RightHand", 0.5, 0.03]])
        self.do(f"apart:{FOREVER_MS}")
        self.assertEqual(self.pulses(both), [])  # the same two again
        enemy = {"blades": ["right", "enemy"], "intensity": 0.01}
        self.assertEqual([[hand, round(float(strength), 6)] for hand, strength, _ in self.pulses(enemy, enemy)], [["RightHand", 0.1]])
        self.do("apart:0")
        self.assertEqual(len(self.pulses(enemy, enemy)), 2)
        self.assertEqual(self.pulses({"blades": ["enemy", "other"]}), [])
        self.assertEqual(self.pulses({"blades": ["left", "enemy"], "resumed": True}), [])  # it goes on after a cut
        old = {"blades": ["left", "enemy"], "time_ns": self.clashd.now() - 10**9}
        self.assertEqual(self.pulses(old), [])  # of before a reconnect
        self.end()


if __name__ == "__main__":
    unity_client.main()
