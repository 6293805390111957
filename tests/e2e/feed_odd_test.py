"""What a client may do with `feed` that a game does not: the bound of devices and one more, poses of a device that it did not name, all
in one write, a feed of both ranks, a teleport in an odd place, an end in the middle of a line. Whatever is refused is named, and costs
nobody anything else."""
import json
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import validate  # noqa: E402

LEFT, RIGHT = "/user/hand/left", "/user/hand/right"
MANY, ALL = 64, 256  # devices of one feed, and of all clients together
EVENTS = ["clash", "release", "tracking", "space_changed"]
FLAT = [0, 0, 0.5 ** 0.5, 0.5 ** 0.5]


def pose(device, x=0.0, **more):
    return {"device": device, "position": [x, 1, 0], "orientation": [0, 0, 0, 1], **more}


class FeedOdd(clashd.TestCase):
    def setUp(self):
        super().setUp()
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({"socket": {"push_timeout_ms": 60000}, "contact": {"max_gap_ms": 10000}}))
        self.daemon = clashd.Daemon("--source", "none", "--config", settings, home=self.home)
        self.addCleanup(self.stop)
        self.game, self.watcher = self.connect(), self.connect()
        self.watcher.subscribe(events=EVENTS)

    def stop(self):
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log)

    def connect(self):
        client = self.daemon.connect()
        self.addCleanup(client.close)
        return client

    def ask(self, client, **message):
        reply = client.request({"id": "r", **message})
        self.assertFalse(validate.check(client.lines[-1]), client.lines[-1])
        return reply

    def ok(self, client, **message):
        self.assertEqual(self.ask(client, **message)["type"], "ok")

    def refused(self, client, code, word, **message):
        reply = self.ask(client, **message)
        self.assertEqual((reply["type"], reply.get("code")), ("error", code), reply)
        self.assertIn(word, reply["message"])

    def devices(self):
        """{device: (source, whether it is tracked)}."""
        return {one["device"]: (one.get("source"), one["tracked"]) for one in self.ask(self.watcher, type="status")["devices"]}

    def test_the_bound_of_devices(self):
        """Of a client, and of all: who comes too late gets what another lets go."""
        names = [[f"npc/{client}/{index}" for index in range(MANY)] for client in range(ALL // MANY)]
        clients = [self.connect() for _ in names]
        self.refused(self.game, "bad_message", "devices", type="feed", devices=[*names[0], "npc/more"])
        for client, its in zip(clients, names):
            self.ok(client, type="feed", devices=its)
            self.ok(client, type="poses", poses=[pose(name, index) for index, name in enumerate(its)])
        self.refused(self.game, "limit", f"{ALL}", type="feed", devices=["npc/more"])
        self.assertEqual(list(self.devices().values()).count(("game", True)), ALL)
        self.ok(clients[0], type="feed", devices=names[0][1:])
        self.ok(self.game, type="feed", devices=["npc/more"])
        self.ok(clients[0], type="feed", devices=[])
        self.assertFalse(set(names[0]) & set(self.devices()))

    def test_a_device_that_it_did_not_name(self):
        """Those that it did name count all the same."""
        self.ok(self.game, type="feed", devices=[LEFT])
        self.refused(self.game, "unknown_name", RIGHT, type="poses", poses=[pose(RIGHT), pose(LEFT)])
        self.assertEqual(self.devices()[LEFT], ("game", True))
        self.assertFalse(self.devices()[RIGHT][1])
        self.refused(self.connect(), "unknown_name", LEFT, type="poses", poses=[pose(LEFT)])

    def test_a_device_twice(self):
        self.refused(self.game, "bad_message", "twice", type="feed", devices=[LEFT, RIGHT, LEFT])
        self.ok(self.game, type="feed", devices=[LEFT])
        self.ok(self.game, type="feed", devices=[LEFT])
        self.refused(self.game, "bad_message", "twice", type="poses", poses=[pose(LEFT), pose(LEFT, 1.0)])

    def test_a_feed_that_is_refused_changes_nothing(self):
        """What was fed before goes on: a name that is another's, a stage that is none."""
        self.ok(self.connect(), type="feed", devices=[RIGHT])
        self.ok(self.game, type="feed", devices=[LEFT])
        self.ok(self.game, type="poses", poses=[pose(LEFT)])
        self.refused(self.game, "name_taken", RIGHT, type="feed", devices=[LEFT, RIGHT])
        self.refused(self.game, "bad_message", "unit length", type="feed", devices=[],
                     stage={"position": [0, 0, 0], "orientation": [0, 0, 0, 0]})
        self.ok(self.game, type="poses", poses=[pose(LEFT, 0.1)])
        self.assertEqual(self.devices()[LEFT], ("game", True))

    def test_all_in_one_write(self):
        """Feed, poses, another space, poses, nothing, poses: each as if it had come alone."""
        now = 1_000_000
        lines = [{"type": "feed", "id": 1, "devices": [LEFT], "space": "one"}, {"type": "poses", "id": 2, "poses": [pose(LEFT)]},
                 {"type": "feed", "id": 3, "devices": [LEFT], "space": "two"}, {"type": "poses", "id": 4, "poses": [pose(LEFT, 9.0)]},
                 {"type": "feed", "id": 5, "devices": []}, {"type": "poses", "id": 6, "poses": [pose(LEFT)]}]
        for line in lines:
            if line["type"] == "poses":
                now += 1_000_000
                line["time_ns"] = now = max(now, time.monotonic_ns() - int(self.game.hello["epoch_monotonic_ns"]))
        self.game.send(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
        replies = [self.game.read_until(lambda m: m.get("id") == number)[-1] for number in range(1, 7)]
        self.assertEqual([reply["type"] for reply in replies], ["ok"] * 5 + ["error"])
        told = self.watcher.read_until(lambda m: m["type"] == "tracking" and not m["tracked"])
        self.assertEqual([m["type"] for m in told], ["tracking", "space_changed", "tracking"])

    def test_one_client_of_both_ranks(self):
        """A feed replaces the client's feed before, of whichever rank that was."""
        self.ok(self.game, type="feed", devices=[LEFT], source="layer")
        self.ok(self.game, type="poses", poses=[pose(LEFT)])
        self.assertEqual(self.devices()[LEFT], ("layer", True))
        self.ok(self.game, type="feed", devices=[LEFT])
        self.ok(self.game, type="poses", poses=[pose(LEFT)])
        self.assertEqual(self.devices()[LEFT], ("game", True))
        self.ok(self.connect(), type="feed", devices=[LEFT], source="layer")

    def test_a_teleport_in_an_odd_place(self):
        """Of the message, it is no field and is ignored, so the way there is a stroke; of a pose without a place it cuts as well."""
        self.ok(self.game, type="feed", devices=[LEFT])
        self.ok(self.game, type="blade", name="left", device=LEFT, base=[0, 0, 0], tip=[0, 0, -1], radius=0.02)
        self.ok(self.game, type="target", name="post", position=[1, 1, -0.5], orientation=[0, 0, 0, 1], sphere={"radius": 0.1})
        self.ok(self.game, type="poses", poses=[pose(LEFT)])
        for odd in ("yes", 1, [True]):
            self.refused(self.game, "bad_message", "teleport", type="poses", poses=[pose(LEFT, teleport=odd)])
        self.ok(self.game, type="poses", poses=[pose(LEFT, 2.0, teleport=True)])
        self.ok(self.game, type="poses", poses=[pose(LEFT, 2.0, teleport=False)])
        self.ok(self.game, type="poses", poses=[pose(LEFT, valid=False, teleport=True)])
        self.ok(self.game, type="poses", poses=[pose(LEFT)])
        self.ok(self.game, type="poses", teleport=True, poses=[pose(LEFT, 2.0)])
        told = self.watcher.read_until(lambda m: m["type"] == "release")
        self.assertEqual(len([m for m in told if m["type"] == "clash"]), 1, told)

    def test_one_sword_in_one_hand(self):
        """A game with one sword of its own and hands that cross all the time: the default swords, which no player sees, strike nothing."""
        game = self.connect()
        names = lambda: sorted(blade["name"] for blade in self.connect().hello["blades"])  # noqa: E731
        self.assertEqual(names(), ["left", "right"])
        self.ok(game, type="subscribe", events=["clash"])
        self.ok(game, type="feed", devices=[LEFT, RIGHT])
        self.ok(game, type="blade", name="katana", device=RIGHT, base=[0, 0, 0], tip=[0, 0, -1], radius=0.02)
        self.assertEqual(names(), ["katana"])
        for step in range(20):
            self.ok(game, type="poses", poses=[pose(LEFT), pose(RIGHT, 0.5 - 0.05 * step)])
        self.assertEqual([m for m in game.lines if '"clash"' in str(m) and "seq" in str(m)], [])
        self.assertEqual(sum("the default blades" in line for line in self.daemon.log), 1)
        game.close()
        deadline = time.monotonic() + 30
        while names() != ["left", "right"]:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def test_an_end_in_the_middle_of_a_line(self):
        """What was whole counts, what was not does not, and the feed ends."""
        for unfinished in (b'{"type":"poses","poses":[{"device":"/user/hand/le', b'{"type":"feed","devices":["/user/hand/right"]}', b'{'):
            client = self.connect()
            self.ok(client, type="feed", devices=[LEFT])
            self.ok(client, type="poses", poses=[pose(LEFT)])
            client.send(unfinished)
            client.close()
            self.watcher.read_until(lambda m: m["type"] == "tracking" and not m["tracked"])
            self.assertNotIn(("game", True), self.devices().values())
            self.assertNotEqual(self.devices()[RIGHT][0], "game")

    def test_who_never_reads(self):
        """A client that feeds, and takes no answer until clashd lets it go, holds nobody up."""
        self.ok(self.game, type="feed", devices=[LEFT])
        deaf = self.connect()
        self.ok(deaf, type="feed", devices=[RIGHT])
        deaf.socket.settimeout(0.01)
        line = json.dumps({"type": "poses", "id": "x" * 128, "poses": [pose(RIGHT)]}).encode() + b"\n"
        for _ in range(2000):
            try:
                deaf.socket.send(line)
            except OSError:
                break
        for step in range(20):
            self.ok(self.game, type="poses", poses=[pose(LEFT, 0.01 * step)])


if __name__ == "__main__":
    unittest.main()
