"""The ES module feeds devices: what it tells a clashd that knows feeds, one that does not, and one that refuses; again after the
connection was cut, before the blades on them; and a push resolves after its events. Against a stand-in."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from feed_standin import Standin  # noqa: E402
from node_client import Script, find_node  # noqa: E402

LEFT = "/user/hand/left"
BLADE = {"name": "left", "device": LEFT, "base": [0, 0, 0], "tip": [0, 0, 1], "radius": 0.015}
POSE = {"device": LEFT, "position": [0, 1, 0], "orientation": [0, 0, 0, 1], "teleport": True}


class Feed(Script):
    def begin(self, *calls, **options):
        """The script beside a stand-in; `calls` go out before it has connected, if need be."""
        self.clashd = Standin(**options)
        self.addCleanup(self.clashd.close)
        (self.home / "clashd").mkdir(exist_ok=True)
        (self.home / "clashd" / "clashd.token").write_text("none")
        self.start("tcp", ("127.0.0.1", self.clashd.port))
        for call in calls:
            self.send(*call)
        self.clashd.wait_for_type("subscribe")
        self.wait_for_type("hello")

    def told(self, since=0):
        return [message for message in self.clashd.told[since:] if message["type"] not in ("auth", "subscribe")]

    def test_it_feeds_again_before_its_blades(self):
        self.begin()
        self.assertEqual(self.call("feed", [LEFT], {"space": "rig"})["value"]["type"], "ok")
        self.assertEqual(self.call("blade", BLADE)["value"]["type"], "ok")
        self.assertEqual(self.told()[0], {"type": "feed", "devices": [LEFT], "space": "rig", "id": "js-1"})
        since = len(self.clashd.told)
        self.clashd.cut()
        self.clashd.wait_for_type("subscribe", since)
        self.assertEqual([message["type"] for message in self.told(since)], ["feed", "blade"])
        self.assertEqual(self.told(since)[0]["space"], "rig")
        self.assertEqual(self.call("feed", [])["value"]["type"], "ok")
        since = len(self.clashd.told)
        self.clashd.cut()
        self.clashd.wait_for_type("subscribe", since)
        self.assertEqual([message["type"] for message in self.told(since)], ["blade"])
        self.close()

    def test_a_push_resolves_after_its_events(self):
        self.begin(("feed", [LEFT]))
        self.clashd.wait_for_type("feed")
        self.wait_for_type("returned")
        for number in range(1, 11):
            self.clashd.clashes.put({})
            since = len(self.said)
            self.assertEqual(self.call("push", [POSE], number)["value"]["type"], "ok")
            kinds = [said["type"] for said in self.said[since:] if isinstance(said, dict)]
            self.assertLess(kinds.index("clash"), kinds.index("returned"))
        poses = self.clashd.wait_for_type("poses")
        self.assertEqual((poses["poses"], poses["axes"], poses["time_ns"]), ([POSE], "unity", 1))
        self.close()

    def test_what_is_refused(self):
        self.begin()
        self.clashd.refused["js-1"] = "name_taken"
        self.assertEqual(self.call("feed", [LEFT])["code"], "name_taken")
        self.clashd.refused["js-2"] = "bad_message"
        self.assertEqual(self.call("push", [POSE])["code"], "bad_message")
        since = len(self.clashd.told)
        self.clashd.cut()
        self.clashd.wait_for_type("subscribe", since)
        self.assertEqual(self.told(since), [])
        self.close()

    def test_one_that_knows_no_feeds(self):
        self.begin(capabilities=("axes", "push"))
        self.assertIn("cannot be fed", self.call("feed", [LEFT])["error"])
        self.assertEqual(self.told(), [])
        self.close()


if __name__ == "__main__":
    if not find_node():
        print("skipped: no Node here that has a WebSocket")
        sys.exit(77)
    unittest.main()
