"""min_apart_ms, min_peak_speed and min_closing_speed through the whole daemon: each of several subscribers is told what it asked
for, live and when it comes back, and nobody else is told anything else."""
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import validate  # noqa: E402

DUEL = clashd.DATA / "duel-20s.jsonl"
MS = 1_000_000
FAST = 8  # m/s
CONTACT_EVENTS = ("clash", "hold", "release")
ENDED = 2  # devices, of which it is told last that the recording has ended


def recording(path, heights):
    """The right blade across the left one, at these heights above it, 10 ms apart."""
    blades = [{"name": name, "device": device, "base": base, "tip": tip, "radius": 0.01}
              for name, device, base, tip in (("left", "l", [0, 0, 0], [0, 0, -1]), ("right", "r", [-0.5, 0, 0], [0.5, 0, 0]))]
    lines = [{"type": "recording", "version": 1, "space": "stage", "blades": blades}]
    for i, height in enumerate(heights):
        poses = [{"device": device, "position": position, "orientation": [0, 0, 0, 1], "tracked": True}
                 for device, position in (("l", [0, 1, 0]), ("r", [0, 1 + height, -0.5]))]
        lines.append({"type": "poses", "time_ns": 10 * MS * i, "poses": poses})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def without_too_soon(events, min_apart_ms):
    """What is left of the regular events by this test's own reading of the rule."""
    left, parted, told = [], {}, set()
    for event in events:
        pair = tuple(event["blades"])
        if event["type"] == "clash" and event["time_ns"] - parted.get(pair, -1e18) >= min_apart_ms * MS:
            told.add(event["id"])
        if event["id"] in told:
            left.append(event)
            if event["type"] == "release":
                parted[pair] = event["time_ns"]
    return left


class Late(clashd.TestCase):
    def play(self, source, what, config=None):
        """What one subscriber is told while the recording is played, and what each is told that asks for all of it later."""
        words = ["--source", f"replay:{source}", "--speed", "max", "--wait-for-client"]
        if config:
            (self.home / "config.json").write_text(json.dumps(config))
            words += ["--config", self.home / "config.json"]
        with clashd.Daemon(*words, home=self.home) as daemon:
            live = daemon.connect()
            with live:
                live.subscribe(**what[0], events=[*CONTACT_EVENTS, "tracking"])
                daemon.wait_for_log("the replay has ended")
                told = self.rest(live)
            again = []
            for asked in what:
                with daemon.connect() as client:
                    client.subscribe(**{"since_seq": 0, **asked, "events": [*asked.get("events", CONTACT_EVENTS), "tracking"]})
                    again.append(self.rest(client))
        self.assertEqual(told, again[0])
        return again

    def rest(self, client):
        """What came and comes, up to the end of the recording; and nothing behind it."""
        ended = 0
        while ended < ENDED:
            ended += client.read().get("reason") == "source_ended"
        client.request({"type": "ping", "id": "p"})
        self.assertIn("source_ended", client.lines[-2])
        self.assertEqual(validate.check_text("\n".join(client.lines) + "\n", "server"), [])
        return [message for message in map(json.loads, client.lines) if message["type"] in CONTACT_EVENTS]

    def test_laid_on_then_struck(self):
        """Laid on at 0.2 m/s, held, pressed at 0.5 m/s, struck through at 6 m/s; at once again, and once more after a while."""
        heights = [0.021, 0.019, 0.019, 0.019, 0.014, 0.014, -0.046, -0.2, 0, -0.2] + 10 * [-0.2] + [0, -0.2]
        source = recording(self.home / "struck.jsonl", heights)
        every, late, apart, both, slow = self.play(source, [{}, {"min_peak_speed": 3}, {"min_apart_ms": 50},
                                                            {"min_peak_speed": 3, "min_apart_ms": 50},
                                                            {"min_peak_speed": 0.4, "events": ["clash"]}])
        found = [json.loads(line) for line in clashd.detect(source, home=self.home)]
        self.assertEqual(every, [event for event in found if event["type"] in CONTACT_EVENTS])
        clashes = [event for event in every if event["type"] == "clash"]
        first = clashes[0]
        self.assertLess(first["closing_speed"], 0.25)
        self.assertEqual(late[0]["id"], first["id"])
        self.assertTrue(late[0]["late"])
        self.assertEqual(late[0]["time_ns"], 50 * MS)  # where the strike begins, between two frames of which the first is held
        self.assertEqual(late[0]["fraction"], 0)
        self.assertAlmostEqual(late[0]["closing_speed"], 6, delta=1e-4)
        self.assertEqual(late[0]["seq"], max(event["seq"] for event in found if event["time_ns"] <= 50 * MS))
        release = next(e for e in every if e["type"] == "release" and e["id"] == first["id"])
        self.assertLess(release["peak_closing_speed"], 0.6)  # the strike begins at a sample and is through before the next one
        raised = dict(release, peak_closing_speed=late[0]["closing_speed"])
        self.assertEqual([e for e in late if e["type"] == "release" and e["id"] == first["id"]], [raised])
        rest = [e for e in every if e["id"] != first["id"] or e["seq"] > late[0]["seq"]]
        self.assertEqual([e for e in late if not e.get("late") and e["seq"] != release["seq"]], [e for e in rest if e is not release])
        self.assertEqual(apart, without_too_soon(every, 50))
        self.assertLess(len(apart), len(every))
        self.assertEqual(both, [e for e in late if e["id"] in (first["id"], clashes[-1]["id"])])
        self.assertEqual([(e["id"], e.get("late", False)) for e in slow][0], (first["id"], True))
        self.assertEqual(slow[0]["time_ns"], 30 * MS)
        self.assertNotIn("late", json.dumps(found))

    def test_people(self):
        """With a margin, so that their contacts last and become faster and slower."""
        config = {"contact": {"margin": 0.3, "hold_rate_hz": 50}, "blades": [
            {"name": hand, "device": f"/user/hand/{hand}", "base": [0, 0, -0.05], "tip": [0, 0, -1], "radius": 0.015}
            for hand in ("left", "right")]}
        asked = [{"min_peak_speed": FAST}, {}, {"min_apart_ms": 100}, {"min_closing_speed": FAST},
                 {"min_closing_speed": 2 * FAST, "min_peak_speed": FAST}]
        late, every, apart, begun, either = self.play(DUEL, asked, config)
        self.assertEqual(apart, without_too_soon(every, 100))
        self.assertLess(len(apart), len(every))
        clashes = {event["id"]: event for event in every if event["type"] == "clash"}
        releases = {event["id"]: event for event in every if event["type"] == "release"}
        self.assertEqual(begun, [e for e in every if clashes[e["id"]]["closing_speed"] >= FAST])
        self.assertEqual(either, late)
        told = [event for event in late if event["type"] == "clash"]
        self.assertEqual(len({event["id"] for event in told}), len(told))
        for event in told:
            at_start = clashes[event["id"]]["closing_speed"] >= FAST
            self.assertEqual(event.get("late", False), not at_start)
            self.assertGreaterEqual(event["closing_speed"], FAST)
            self.assertTrue(clashes[event["id"]]["time_ns"] <= event["time_ns"] <= releases[event["id"]]["time_ns"])
            self.assertEqual(event.get("since_release_ns"), clashes[event["id"]].get("since_release_ns"))
        self.assertGreater(sum(event.get("late", False) for event in told), 2)
        ids = {event["id"] for event in told}
        for release in releases.values():
            if release["peak_closing_speed"] >= FAST:
                self.assertIn(release["id"], ids)
        self.assertEqual([e["id"] for e in late if e["type"] == "release"], [r for r in releases if r in ids])
        speeds = {event["id"]: event["closing_speed"] for event in told}
        slower = [r for r in releases.values() if r["id"] in ids and r["peak_closing_speed"] < speeds[r["id"]]]
        self.assertGreater(len(slower), 0, "no contact here whose strike the session's own peak leaves out")
        for event in late:
            if event["type"] == "release":
                self.assertEqual(event["peak_closing_speed"], max(speeds[event["id"]], releases[event["id"]]["peak_closing_speed"]))

    def test_watch_shows_them(self):
        source = recording(self.home / "struck.jsonl", [0.021, 0.019, 0.019, -0.06, -0.2, 0, -0.2])
        with clashd.Daemon("--source", f"replay:{source}", "--speed", "max", "--wait-for-client", "--exit-at-end", home=self.home):
            done = clashd.clashctl("watch", "--events", "clash", "--min-peak-speed", "3", "--min-apart", "50", "--once", home=self.home)
        self.assertEqual(len(done.stdout.splitlines()), 1, done.stdout)
        self.assertIn(", late", done.stdout)
        for words, part in ((("--min-peak-speed", "-1"), "expected a number from 0 to 1000"),
                            (("--min-apart", "x"), "expected a number from 0 to 60000")):
            done = clashd.clashctl("watch", *words, home=self.home)
            self.assertEqual(done.returncode, 2)
            self.assertIn(part, done.stderr)


if __name__ == "__main__":
    unittest.main()
