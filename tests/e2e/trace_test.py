"""clashctl trace: what it writes is a trace by Chrome's format, its spans and counters are those of the lines that came, and what
it says of itself; what has no latencies it refuses."""
import json
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402

DUEL = clashd.DATA / "duel-20s.jsonl"
BLADE = {"base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.02}
COUNTERS = {"poses: sample to here, ms", "clashes: contact to here, ms", "clashd: sample to queue, mean, ms",
            "clashd: sample to write, mean, ms", "clashd: queued_bytes", "clashd: events_dropped"}


class Trace(clashd.TestCase):
    def start(self, *words):
        process = subprocess.Popen([clashd.CLASHCTL, "trace", *map(str, words)], env=clashd.environment(self.home),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        return process

    def ended(self, process, code=0):
        out, said = process.communicate(timeout=clashd.WAIT_S)
        self.assertEqual(process.returncode, code, said.decode())
        return out, said.decode()

    def check(self, events):
        """By https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU: returns spans and counters."""
        open_spans, spans, counters = {}, [], {}
        self.assertEqual((events[0]["ph"], events[0]["name"]), ("M", "process_name"))
        for event in events[1:]:
            self.assertLess({"ph", "name", "ts", "pid", "tid"}, set(event))
            self.assertIsInstance(event["ts"], (int, float))
            if event["ph"] == "C":
                counters.setdefault(event["name"], []).append((event["ts"], event["args"]["value"]))
            elif event["ph"] == "b":
                key = event["cat"], event["id"]
                self.assertNotIn(key, open_spans)
                open_spans[key] = event
            else:
                self.assertEqual(event["ph"], "e")
                begun = open_spans.pop((event["cat"], event["id"]))
                self.assertEqual(begun["name"], event["name"])
                self.assertLessEqual(begun["ts"], event["ts"])
                spans.append({**begun, "end": event["ts"]})
        self.assertEqual(open_spans, {})
        return spans, counters

    def clash(self, client, process):
        """A client's two blades meet and part until that process ends."""
        for name in ("a", "b"):
            self.assertEqual(client.request({"type": "blade", "id": name, "name": name, "device": f"device/{name}", **BLADE})["type"], "ok")
        client.subscribe(events=["clash", "release"])
        step = 0
        while process.poll() is None:
            step += 1
            up = 1.5 if step % 2 == 0 else 0.9
            poses = [{"device": "device/a", "position": [0, 1, 0], "orientation": [0, 0, 0, 1]},
                     {"device": "device/b", "position": [-0.5, up, -0.5], "orientation": [0, -0.5**0.5, 0, 0.5**0.5]}]
            self.assertEqual(client.request({"type": "poses", "id": step, "poses": poses})["type"], "ok")
            time.sleep(0.01)
        return [json.loads(line) for line in client.lines if '"type":"clash"' in line]

    def test_what_came_is_drawn(self):
        with clashd.Daemon("--source", "none", home=self.home) as daemon, daemon.connect() as client:
            path = self.home / "latency.json"
            process = self.start(path, "--seconds", "2")
            clashes = self.clash(client, process)
            _, said = self.ended(process)
        spans, counters = self.check(json.loads(path.read_text()))
        drawn = [span for span in spans if span["cat"] == "events: instant to here" and span["name"] == "clash"]
        self.assertGreater(len(drawn), 5)
        # Those between when it had subscribed and when its time was over, and none of them is missing.
        times, all_times = [round(span["ts"] * 1000) for span in drawn], [clash["time_ns"] for clash in clashes]
        clashes = clashes[all_times.index(times[0]):][:len(times)]
        self.assertEqual(times, [clash["time_ns"] for clash in clashes])
        for span, clash in zip(drawn, clashes):
            self.assertEqual(span["args"]["contact"], clash["id"])
            self.assertAlmostEqual(span["args"]["latency_ms"], (span["end"] - span["ts"]) / 1000, 2)
            self.assertAlmostEqual(span["args"]["closing_speed"], clash["closing_speed"], 4)
        self.assertEqual(set(counters), COUNTERS)
        self.assertEqual(len(counters["poses: sample to here, ms"]), sum(span["cat"].startswith("poses") for span in spans))
        self.assertEqual({span["name"] for span in spans if span["cat"].startswith("contacts")},
                         {f"contact {clash['id']}" for clash in clashes})
        self.assertIn(f"{len(clashes)} clashes: median ", said)
        self.assertRegex(said, r"\d+ lines of poses: median \d+\.\d{3} ms, 99 % within \d+\.\d{3} ms, the latest \d+\.\d{3} ms")

    def test_nothing_comes(self):
        with clashd.Daemon("--source", "none", home=self.home):
            out, said = self.ended(self.start("-", "--seconds", "0.3"))
        spans, counters = self.check(json.loads(out))
        self.assertEqual({span["cat"] for span in spans}, {"status: asked to answered"})
        self.assertIn("no lines of poses came", said)

    def test_a_replay_has_no_latencies(self):
        path = self.home / "x.json"
        with clashd.Daemon("--source", f"replay:{DUEL}", "--loop", home=self.home):
            self.assertIn("whose times are not the clock's", self.ended(self.start(path), code=2)[1])
        self.assertFalse(path.exists())

    def test_what_goes_wrong(self):
        path = self.home / "x.json"
        self.assertIn("clashctl trace: ", self.ended(self.start(path), code=3)[1])
        self.assertFalse(path.exists())
        path.write_text("mine")
        self.assertIn("File exists", self.ended(self.start(path), code=2)[1])
        self.assertIn("expected the name", self.ended(self.start(), code=2)[1])
        self.assertIn("expected a number from 0.1 to 3600", self.ended(self.start("-", "--seconds", "0"), code=2)[1])
        with clashd.Daemon("--source", "none", home=self.home):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([clashd.CLASHCTL, "trace", "-", "--seconds", "0.3"], stdout=full, stderr=subprocess.PIPE,
                                      env=clashd.environment(self.home))
            self.assertEqual((done.returncode, b"No space left on device" in done.stderr), (2, True))
            process = self.start("-", "--seconds", "3600")
            process.stdout.close()  # nobody reads: it ends
            self.assertEqual(process.wait(timeout=clashd.WAIT_S), 0)
            process.stderr.close()

    def test_clashd_ends_in_between(self):
        """What was written until then opens."""
        path = self.home / "x.json"
        with clashd.Daemon("--source", "none", home=self.home) as daemon:
            process = self.start(path, "--seconds", "3600")
            with daemon.connect() as client:
                while not path.exists() or client.request({"type": "status", "id": 1})["clients"] < 2:
                    time.sleep(0.01)
        _, said = self.ended(process, code=3)
        self.assertIn("clashd has closed the connection", said)
        self.check(json.loads(path.read_text()))


if __name__ == "__main__":
    unittest.main()
