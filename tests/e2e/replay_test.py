"""A recording that clashd plays: the same events as detect finds, and steered by clients, who see time that never runs
back, contacts that are released, and no gap in seq."""
import json
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import validate  # noqa: E402

DUEL = clashd.DATA / "duel-20s.jsonl"
ALL = ["clash", "hold", "release", "tracking", "space_changed"]
MS = 1000000


def paused(message):
    return message["type"] == "replay" and message["state"] == "paused"


class Replay(clashd.TestCase):
    def play(self, *words, recording=DUEL, speed="0.001"):
        return clashd.Daemon("--source", f"replay:{recording}", "--speed", speed, "--wait-for-client", *words,
                             home=self.home)

    def connect(self, daemon):
        client = daemon.connect()
        self.addCleanup(client.close)
        return client

    def ask(self, client, action, **fields):
        return client.request({"type": "replay", "id": 7, "action": action, **fields})

    def compressed(self):
        to = self.home / "duel.jsonl.zst"
        done = clashd.clashctl("convert", DUEL, to, home=self.home)
        self.assertEqual(done.returncode, 0, done.stderr)
        return to

    def check_session(self, client):
        """What holds for all that a client ever gets."""
        messages = [json.loads(line) for line in client.lines]
        events = [m for m in messages if "seq" in m and m["type"] != "ok"]
        self.assertEqual([m["seq"] for m in events], list(range(1, len(events) + 1)))
        open_contacts = set()
        for m in events:
            if m["type"] == "clash":
                open_contacts.add(m["id"])
            elif m["type"] == "release":
                open_contacts.remove(m["id"])
            elif m["type"] == "tracking" and m["reason"] == "jumped":
                self.assertFalse(open_contacts, m)
        times = [m["time_ns"] for m in messages if m["type"] == "poses"]
        self.assertEqual(times, sorted(times))
        self.assertEqual(validate.check_text("\n".join(client.lines) + "\n", "server"), [])

    def test_at_full_speed_it_gives_what_detect_finds(self):
        for recording in (DUEL, self.compressed()):
            with self.play("--exit-at-end", recording=recording, speed="max") as daemon:
                client = self.connect(daemon)
                self.assertIn("replay", client.hello["capabilities"])
                client.subscribe(events=ALL)
                lines = client.read_all()
            self.assertEqual(clashd.unsourced(lines), clashd.detect(recording, home=self.home))

    def test_a_seek_finds_again_what_was_there(self):
        """Played as a whole in steps, then from the middle, again and again: the same contacts, moved in time."""
        found = [json.loads(line) for line in clashd.detect(DUEL, home=self.home)]
        clash = [m for m in found if m["type"] == "clash"]
        for recording in (DUEL, self.compressed()):
            with self.play(recording=recording) as daemon:
                client = self.connect(daemon)
                client.send({"type": "replay", "action": "pause"})
                client.subscribe(events=[*ALL, "poses", "replay"])
                for at in (5_000, 10_000, 2_000, 18_000, 0, 25_000):
                    self.assertEqual(self.ask(client, "seek", time_ns=at * MS)["type"], "ok")
                    arrived = client.read_until(lambda m: m["type"] == "replay" and m["state"] in ("paused", "ended"))
                    self.assertEqual(self.ask(client, "step", frames=100)["type"], "ok" if at < 20_000 else "error")
                    if at == 25_000:
                        self.assertEqual(arrived[-1]["state"], "ended")
                        break
                    part = client.read_until(paused)
                    state = part[-1]
                    self.assertGreaterEqual(state["position_ns"], at * MS)
                    self.check_part(part, clash, at * MS + 400 * MS, state)
                self.check_session(client)

    def check_part(self, part, wanted, from_ns, state):
        """What the two did before the seek is not known any more."""
        clashes = {m["time_ns"] - state["shift_ns"]: m for m in part if m["type"] == "clash"}
        for m in wanted:
            if not from_ns <= m["time_ns"] <= state["position_ns"]:
                continue
            self.assertIn(m["time_ns"], clashes)
            again = clashes[m["time_ns"]]
            for key in m.keys() - {"time_ns", "seq", "id", "since_release_ns"}:
                self.assertEqual(again[key], m[key], key)
            if m["time_ns"] - m.get("since_release_ns", m["time_ns"]) >= from_ns:
                self.assertEqual(again["since_release_ns"], m["since_release_ns"])

    def test_a_session_with_seeks_is_recorded_and_verified(self):
        log = self.home / "seeks.jsonl"
        with self.play("--record", log, speed="20") as daemon:
            client = self.connect(daemon)
            client.subscribe(events=["replay", "clash"])
            for at in (3_000, 12_000, 1_000, 15_000, 9_000, 19_000):
                client.read_until(lambda m: m["type"] == "clash")
                self.assertEqual(self.ask(client, "seek", time_ns=at * MS)["type"], "ok")
            client.read_until(lambda m: m["type"] == "replay" and m["state"] == "ended")
        done = clashd.clashctl("verify", log, home=self.home)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("identical", done.stdout)
        self.assertIn('"reason":"jumped"', log.read_text())

    def test_a_loop_goes_on(self):
        with self.play("--loop", speed="max") as daemon:
            client = self.connect(daemon)
            client.subscribe(events=[*ALL, "replay"])
            seen = []
            while sum(m["type"] == "tracking" and m["reason"] == "jumped" for m in seen) < 6:
                seen.append(client.read())
            status = client.request({"type": "status", "id": 8})
            self.assertTrue(status["replay"]["loop"])
            self.assertGreaterEqual(status["replay"]["passes"], 2)
        self.check_session(client)
        seam = [i for i, m in enumerate(seen) if m["type"] == "tracking" and m["reason"] == "jumped"]
        first = [m for m in seen[:seam[0]] if m["type"] == "clash"]
        second = [m for m in seen[seam[1]:seam[2]] if m["type"] == "clash"]
        self.assertEqual([m["distance"] for m in first], [m["distance"] for m in second])

    def test_nonsense_is_refused_and_costs_nothing(self):
        with self.play() as daemon:
            client = self.connect(daemon)
            self.assertEqual(self.ask(client, "step")["code"], "cannot_replay")  # not begun
            client.subscribe(events=["replay"])
            for fields, code in (({"action": "dance"}, "bad_message"), ({}, "bad_message"),
                                 ({"action": "seek", "time_ns": "1"}, "bad_message"),
                                 ({"action": "seek", "time_ns": 1e300}, "bad_message"),
                                 ({"action": "seek", "time_ns": 0.5}, "bad_message"),
                                 ({"action": "step", "frames": 0}, "bad_message"),
                                 ({"action": "step", "frames": 1e9}, "bad_message"),
                                 ({"action": "speed", "speed": -1}, "bad_message"),
                                 ({"action": "speed", "speed": "max"}, "bad_message"),
                                 ({"action": "speed", "speed": 1001}, "bad_message"),
                                 ({"action": ["seek"], "time_ns": 5}, "bad_message")):
                answer = client.request({"type": "replay", "id": 9, **fields})
                self.assertEqual((answer["type"], answer.get("code")), ("error", code), fields)
            for i in range(300):  # more than can be done: the last one counts
                client.send({"type": "replay", "action": ("seek", "pause", "resume", "step")[i % 4],
                             "time_ns": i * 7919 % 20000 * MS, "frames": 100000})
            client.send({"type": "replay", "action": "pause"})
            for time_ns, position_ns in ((-2**53 + 1, 0), (7_000 * MS, 7_000 * MS)):
                self.assertEqual(self.ask(client, "seek", time_ns=time_ns)["type"], "ok")
                client.read_until(lambda m: paused(m) and abs(m["position_ns"] - position_ns) < 20 * MS)
            self.assertEqual(self.ask(client, "seek", time_ns=2**53 - 1)["type"], "ok")
            client.read_until(lambda m: m["type"] == "replay" and m["state"] == "ended")
            self.assertEqual(client.request({"type": "ping", "id": 8})["type"], "ok")

    def test_what_is_no_replay_cannot_be_steered(self):
        with clashd.Daemon("--source", "none", home=self.home) as daemon:
            client = self.connect(daemon)
            self.assertNotIn("replay", client.hello["capabilities"])
            self.assertEqual(self.ask(client, "pause")["code"], "cannot_replay")
            self.assertNotIn("replay", client.request({"type": "status", "id": 8}))
            done = clashd.clashctl("replay", "status", home=self.home)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("plays no recording", done.stderr)

    def test_clashctl_steers(self):
        with self.play() as daemon:
            client = self.connect(daemon)
            client.subscribe(events=["poses"])

            def steer(*words):
                done = clashd.clashctl("replay", "--json", *words, home=self.home)
                self.assertEqual((done.returncode, done.stderr), (0, ""), words)
                return json.loads(done.stdout)
            self.assertEqual(steer("pause")["state"], "paused")
            state = steer("seek", "12.5")
            self.assertEqual(state["state"], "paused")
            self.assertTrue(12_500 * MS <= state["position_ns"] < 12_530 * MS)
            self.assertGreater(steer("step", "10")["position_ns"], state["position_ns"])
            self.assertLess(steer("seek", "--", "-1.5")["position_ns"], 20 * MS)
            self.assertEqual(steer("speed", "0.25")["speed"], 0.25)
            self.assertEqual(steer("speed", "max")["speed"], 0)
            self.assertIn(steer("resume")["state"], ("running", "ended"))
            client.read_until(lambda m: m["type"] == "poses" and m["time_ns"] > 19_000 * MS)
            said = clashd.clashctl("replay", "status", home=self.home).stdout
            self.assertIn(str(DUEL), said)
            for words in (("dance",), (), ("seek",), ("seek", "soon"), ("step", "0"), ("speed", "-1"), ("pause", "now")):
                done = clashd.clashctl("replay", *words, home=self.home)
                self.assertEqual((done.returncode, done.stdout), (2, ""), words)
                self.assertIn("expected" if words != ("speed", "-1") else "unknown", done.stderr)

    def test_flags(self):
        for words, part in ((("--source", "none", "--loop"), "--loop is for recordings"),
                            (("--source", f"replay:{DUEL}", "--loop", "--exit-at-end"), "has no end")):
            done = subprocess.run([clashd.CLASHD, *words], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(part, done.stderr)


if __name__ == "__main__":
    unittest.main()
