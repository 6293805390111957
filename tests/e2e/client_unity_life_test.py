"""The Unity package in an engine that calls it as Unity does: things that a game spawns and destroys, receivers that come, change and
go, a second play without a reload of the domain, and a player's rig that glides, teleports or snap turns."""
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import unity_client  # noqa: E402
from feed_standin import Standin  # noqa: E402
from unity_client import FOREVER_MS, LEFT, RIGHT, StandinScene  # noqa: E402


class Life(StandinScene):
    def sent(self, since=0):
        """What it has sent but poses and what every connection sends."""
        return [m for m in self.clashd.told[since:] if m["type"] not in ("poses", "ping", "subscribe", "feed")]

    def after(self, *commands, frames=3):
        """(what those commands made it send, what it printed)"""
        since, said = len(self.clashd.told), len(self.said)
        for command in commands:
            self.do(command)
        self.frame(frames)
        return self.sent(since), self.said[said:]

    def expect_quiet(self, said):
        self.assertFalse([line for line in said if line.startswith(("exception", "warning"))], said)

    def test_what_is_spawned_joins(self):
        """Its fields are set after AddComponent or Instantiate has enabled it: all of them count, and it is defined once."""
        self.begin()
        self.frame()
        for how in ("add", "copy", "under"):
            sent, said = self.after(f"spawn:{how}:{how}", frames=4)
            self.assertEqual([(m["type"], m["name"]) for m in sent], [("blade", how)])
            self.assertAlmostEqual(sent[0]["tip"][2], 3 if how == "under" else 1.5, delta=1e-5)
            self.expect_quiet(said)
            self.assertIn(how, self.poses()[-1])
        sent, said = self.after("spawn:target:ball")
        self.assertEqual([(m["type"], m["name"]) for m in sent], [("target", "ball")])
        self.expect_quiet(said)
        self.end()

    def test_a_sword_that_a_clash_spawns(self):
        self.begin("spawnOnClash:new")
        self.frame()
        since = len(self.clashd.told)
        self.clashd.clashes.put({})
        self.frame(3)
        self.assertEqual([(m["type"], m["name"]) for m in self.sent(since)], [("blade", "new")])
        self.end()

    def test_a_receiver_that_is_spawned(self):
        """It connects to where its fields point, which are set after AddComponent."""
        self.begin()
        with_other = Standin()
        self.addCleanup(with_other.close)
        self.frame()
        connections = len(self.clashd.connections)
        _, said = self.after("spawn:receiver:second")
        deadline = time.monotonic() + clashd.WAIT_S
        while len(self.clashd.connections) == connections:
            self.assertLess(time.monotonic(), deadline, "the second receiver does not connect")
            self.frame()
        self.expect_quiet(said)
        self.end()

    def test_another_receiver(self):
        """A sword leaves the one and joins the other, then its receiver is destroyed, then it joins again; no frame throws."""
        self.begin()
        self.do("spawn:receiver:second")
        self.do("spawn:add:sword")
        self.frame(2)
        self.wait_for_defined("sword")
        since = len(self.clashd.told)
        _, said = self.after("to:sword:second")
        self.clashd.wait_for(lambda m: m["type"] == "remove" and m["name"] == "sword", since)
        self.wait_for_defined("sword", since)
        self.expect_quiet(said)
        _, said = self.after("unreceive:second", frames=5)
        self.assertEqual([line for line in said if line.startswith(("exception", "warning"))],
                         ['warning ClashdBlade: "sword" needs a receiver: set one, or put it under one'])
        sent, said = self.after("to:sword:rig", frames=5)
        self.assertEqual([(m["type"], m["name"]) for m in sent], [("blade", "sword")])
        self.expect_quiet(said)
        _, said = self.after("to:sword:second", "destroy:sword", frames=5)
        self.assertFalse([line for line in said if line.startswith("exception")], said)
        self.assertNotIn("sword", self.poses()[-1])
        self.end()

    def test_things_that_are_destroyed(self):
        self.begin("spawn:add:sword", "spawn:target:ball", "picture:left sword")
        self.frame(3)
        for name in ("ball", "sword"):
            sent, said = self.after(f"destroy:{name}", frames=5)
            self.assertEqual([(m["type"], m["name"]) for m in sent], [("remove", name)])
            self.expect_quiet(said)
        sent, said = self.after("spawn:target:ball", "noCollider:ball", frames=5)
        self.assertFalse([line for line in said if line.startswith("exception")], said)
        self.assertEqual(len([line for line in said if "needs a collider" in line]), 1)
        sent, said = self.after("unreceive:rig", frames=5)
        self.assertFalse([line for line in said if line.startswith("exception")], said)
        self.end()

    def test_a_collider_that_is_destroyed_later(self):
        self.begin("spawn:target:ball")
        self.frame(3)
        sent, said = self.after("noCollider:ball", frames=5)
        self.assertEqual([(m["type"], m["name"]) for m in sent], [("remove", "ball")])
        self.assertFalse([line for line in said if line.startswith("exception")], said)
        self.end()

    def test_another_name(self):
        """The old one goes first: otherwise clashd would have both, and each clash twice."""
        self.begin("spawn:add:sword")
        self.frame(3)
        sent, said = self.after("name:sword:axe")
        self.assertEqual([(m["type"], m["name"]) for m in sent], [("remove", "sword"), ("blade", "axe")])
        self.expect_quiet(said)
        self.end()

    def test_a_sheathed_sword_and_layers(self):
        """Each change is sent once, without Redefine, and the blade stays defined."""
        self.begin("spawn:add:sword", "spawn:target:ball")
        self.frame(3)
        shown = lambda m: {key: m.get(key) for key in ("name", "enabled", "layers", "mask")}  # noqa: E731
        everything = {"enabled": None, "layers": None, "mask": None}
        for command, name, changed in (("sheathe:sword:yes", "sword", {"enabled": False}), ("sheathe:sword:no", "sword", {}),
                                       ("layers:sword:2:5", "sword", {"layers": 2, "mask": 5}),
                                       ("layers:ball:4:-2", "ball", {"layers": 4, "mask": 2**32 - 2})):
            sent, said = self.after(command)
            self.assertEqual([shown(m) for m in sent], [{"name": name, **everything, **changed}], command)
            self.expect_quiet(said)
        self.end()

    def test_attach_and_detach(self):
        """A sword that is taken up, thrown, and taken up by the other hand: its pose is that of its device at once, and nothing is swept."""
        self.begin("detach:left sword", "detach:right sword", "spawn:add:sword")
        self.frame(3)
        for command, device in (("attach:sword:Right", RIGHT), ("detach:sword", "sword"), ("attach:sword:Left", LEFT)):
            since = len(self.clashd.told)
            sent, said = self.after(command)
            self.assertEqual([(m["type"], m["name"]) for m in sent], [("remove", "sword"), ("blade", "sword")])
            self.assertEqual(sent[1]["device"], device)
            self.assertEqual([device in at for at in self.poses(since)], [True] * 3)
            self.assertEqual([device in at for at in self.teleported(since)], [True, False, False])
            self.expect_quiet(said)
        self.end()

    def test_swords_that_change_hands_at_once(self):
        """Each takes the other's name, left or right, and no feed ends."""
        self.begin()
        self.frame(2)
        since = len(self.clashd.told)
        self.do("hand:left sword:Right")
        self.do("hand:right sword:Left")
        self.frame(3)
        told = [m for m in self.clashd.told[since:] if m["type"] not in ("poses", "ping")]
        self.assertEqual(sorted((m["type"], m.get("name")) for m in told if m["type"] != "feed"),
                         [("blade", "left"), ("blade", "right"), ("remove", "left"), ("remove", "right")])
        self.assertFalse([m for m in told if m["type"] == "feed" and sorted(m["devices"]) != [LEFT, RIGHT]])
        tips = {m["name"]: m["tip"][2] for m in told if m["type"] == "blade"}
        self.assertAlmostEqual(tips["right"], 1.5, delta=1e-5)  # that of what was the left sword
        self.end()

    def test_a_name_that_is_taken_becomes_free(self):
        """It is tried again until then, and the console says it once."""
        self.begin()
        self.clashd.refused["blade sword"] = "name_taken"
        self.do("spawn:add:sword")
        self.frame(3)
        for _ in range(3):
            since = len(self.clashd.told)
            self.wait_for_defined("sword", since)
        self.assertNotIn("sword", self.poses()[-1])
        self.wait_for_frames("warning clashd: blade sword")
        self.clashd.refused.clear()
        deadline = time.monotonic() + clashd.WAIT_S
        while "sword" not in self.poses()[-1]:
            self.assertLess(time.monotonic(), deadline)
            self.do("frames:5:50")
        self.assertEqual(len([line for line in self.said if line.startswith("warning")]), 1, self.said)
        self.end()

    def test_parts_without_points(self):
        """One blade that cannot be is said once and costs the others nothing."""
        self.begin("spawn:add:sword")
        self.frame(3)
        sent, said = self.after("parts:sword", frames=5)
        self.assertEqual([line for line in said if line.startswith(("warning", "exception"))],
                         ["warning ClashdBlade: sword is not sent to clashd: one of its parts needs points"])
        self.assertIn(RIGHT, self.poses()[-1])
        self.end()

    def test_a_second_play_without_a_reload_of_the_domain(self):
        self.begin()
        self.frame(3)
        since, said = len(self.clashd.told), len(self.said)
        self.do("replay:rig")
        self.do(f"wait:{FOREVER_MS}")
        deadline = time.monotonic() + clashd.WAIT_S
        while len([m for m in self.sent(since) if m["type"] == "blade"]) < 3:
            self.assertLess(time.monotonic(), deadline, self.said[said:])
            self.frame()
        since = len(self.clashd.told)
        self.frame(5)
        self.assertEqual([set(at) for at in self.poses(since)], [{LEFT, RIGHT, "enemy"}] * 5)  # of the new scene, once a frame
        self.expect_quiet(self.said[said:])
        self.end()

    def test_a_still_target_on_a_rig_that_glides(self):
        """Where it is in the rig's space goes with each frame's poses, from the second frame on in which the rig moves."""
        self.begin("spawn:target:ball")
        self.frame(3)
        self.assertNotIn("ball", self.poses()[-1])
        self.do("drift:0.02")
        self.frame(2)
        since = len(self.clashd.told)
        self.frame(20)
        ball = [at["ball"]["position"] for at in self.poses(since)]
        self.assertEqual(len(ball), 20)
        steps = [[b - a for a, b in zip(one, other, strict=True)] for one, other in zip(ball, ball[1:], strict=False)]
        for step in steps:  # in the rig's axes, which are turned, and its metres, which are twice as long
            for found, expected in zip(step, [0.01, 0, 0], strict=True):
                self.assertAlmostEqual(found, expected, delta=1e-5)
        self.assertFalse([m for m in self.sent(since) if m["name"] == "ball"], "its contacts end while the rig glides")
        self.end()

    def test_providers_of_xri(self):
        """A teleport and a snap turn are no strokes, in their frame alone; walking is one."""
        self.begin("locomotion:add")
        self.do("frames:210:0")  # they are looked for now and then
        for what, teleported in (("teleport", {LEFT, RIGHT, "enemy"}), ("snap", {LEFT, RIGHT, "enemy"}), ("walk", set())):
            since = len(self.clashd.told)
            self.do(f"locomotion:{what}")
            self.frame(2)
            self.assertEqual(self.teleported(since), [teleported, set()], what)
        self.end()

    def test_a_picture_that_is_moved_after_it_was_made(self):
        self.begin("picture:left sword")
        _, said = self.after(frames=3)
        self.assertEqual([line for line in said if line.startswith(("exception", "warning"))],
                         ["warning ClashdPicture: tick Resolved Poses of the receiver"])
        self.end()


if __name__ == "__main__":
    unity_client.main()
