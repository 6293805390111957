"""clashctl verify: takes what clashd recorded, plain and compressed, whole and in part, and nothing that was changed."""
import json
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402

DUEL = clashd.DATA / "duel-20s.jsonl"


def kind(line):
    return json.loads(line)["type"]


class Verify(clashd.TestCase):
    def setUp(self):
        super().setUp()
        self.recording = self.home / "r.jsonl"
        with clashd.Daemon("--source", f"replay:{DUEL}", "--speed", "max", "--exit-at-end", "--record", self.recording,
                           home=self.home) as daemon:
            self.assertEqual(daemon.wait(), 0)
        self.lines = self.recording.read_text().splitlines()

    def verify(self, code, lines=None, says=()):
        """Of these lines, or of the recording; returns standard output."""
        if lines is not None:
            self.recording.write_text("".join(line + "\n" for line in lines))
        done = clashd.clashctl("verify", self.recording, home=self.home)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for part in says:
            self.assertIn(part, done.stdout + done.stderr)
        return done.stdout

    def compared(self, text):
        return int(re.search(r"^(\d+) events compared", text, re.MULTILINE)[1])

    def test_what_clashd_wrote_is_identical(self):
        said = self.verify(0, says=["identical\n"])
        events = [line for line in self.lines if kind(line) not in ("poses", "recording")]
        self.assertEqual(self.compared(said), len(events))

    def test_one_step_may_have_very_many_events(self):
        """Eight blades lie in one for ten seconds without a sample: a thousand holds a second each."""
        blade = {"base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.05}
        header = {"type": "recording", "version": 1, "space": "stage", "rules": 2,
                  "contact": {"hold_rate_hz": 1000, "max_gap_ms": 10000, "release_margin": 0.002},
                  "blades": [{"name": "a", "device": "one", **blade}] +
                            [{"name": f"b{index}", "device": "other", **blade} for index in range(8)]}
        poses = [{"type": "poses", "time_ns": time_ns, "poses": [
            {"device": device, "position": [0, 0, 0], "orientation": [0, 0, 0, 1],
             "tracked": True, "valid": True} for device in ("one", "other")]}
            for time_ns in (0, 9_900_000_000)]
        lines = [json.dumps(line) for line in (header, *poses)]
        self.recording.write_text("\n".join(lines) + "\n")
        found = [line for line in clashd.detect(self.recording, home=self.home)
                 if '"source_ended"' not in line and kind(line) != "release"]  # which come of the end
        self.assertGreater(len(found), 65536)
        begun = [line for line in found if json.loads(line)["time_ns"] == 0 and kind(line) == "tracking"]
        self.assertEqual(self.compared(self.verify(0, lines[:2] + begun + lines[2:] + found[len(begun):])), len(found))

    def test_recordings_of_before_have_their_order(self):
        """Two targets that one blade meets in one step: first the one that was defined later."""
        blade = {"name": "a", "device": "one", "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.01}
        targets = [{"type": "target", "time_ns": 0, "name": name, "position": [x, 0, 0], "sphere": {"radius": 0.1}} for name, x in (("far", 1), ("near", 0.5))]
        header = {"type": "recording", "version": 1, "space": "stage", "clashd": "0.7.0", "blades": [blade], "contact": {"max_gap_ms": 100}}
        poses = [{"type": "poses", "time_ns": time_ns, "poses": [{"device": "one", "position": [x, 0, 0.5], "orientation": [0, 0, 0, 1], "tracked": True, "valid": True}]}
                 for time_ns, x in ((0, 0), (10_000_000, 2))]
        lines = [json.dumps(line) for line in (header, *targets, *poses)]
        self.recording.write_text("\n".join(lines) + "\n")
        found = [line for line in clashd.detect(self.recording, home=self.home) if '"source_ended"' not in line]
        names = [json.loads(line)["target"] for line in found if kind(line) == "clash"]
        self.assertEqual(names, ["near", "far"])
        contacts = [line for line in found if kind(line) in ("clash", "release")]
        tracking = [line for line in found if kind(line) == "tracking"]
        by_pair = sorted(contacts, key=lambda line: (json.loads(line)["target"] != "far", json.loads(line)["time_ns"]))
        self.assertNotEqual(by_pair, contacts)
        for rules, order in ((None, by_pair), (1, by_pair), (2, contacts)):
            numbered, events = 0, []
            for line in (*tracking, *order):
                numbered += 1
                events.append(re.sub(r'"seq":\d+', f'"seq":{numbered}', line))
            head = json.dumps(header if rules is None else {**header, "rules": rules})
            wrote = [head, *lines[1:4], *events[:len(tracking)], lines[4], *events[len(tracking):]]
            self.verify(0, wrote, says=["identical\n"])
            other = {**header, "rules": 2 if rules != 2 else 1}
            self.verify(1, [json.dumps(other), *wrote[1:]])
        self.recording.write_text(json.dumps({**header, "rules": 3}) + "\n")
        done = clashd.clashctl("verify", self.recording, home=self.home)
        self.assertEqual(done.returncode, 2)
        self.assertIn("rules of version 3, which a newer clashd has", done.stderr)

    def test_compressed_it_is_the_same(self):
        if not shutil.which("zstd"):
            self.skipTest("there is no zstd to compress with")
        plain = self.verify(0)
        found = clashd.detect(self.recording, home=self.home)
        subprocess.run(["zstd", "-q", "--rm", self.recording], check=True)
        self.recording = self.recording.with_suffix(".jsonl.zst")
        self.assertEqual(self.verify(0), plain)
        self.assertEqual(clashd.detect(self.recording, home=self.home), found)
        with clashd.Daemon("--source", f"replay:{self.recording}", "--speed", "max", "--wait-for-client",
                           "--exit-at-end", home=self.home) as daemon, daemon.connect() as client:
            client.subscribe()
            self.assertEqual(clashd.unsourced(client.read_all()), found)

    def test_one_digit_is_seen(self):
        """Every number of every kind of event, one at a time."""
        firsts = {kind(line): index for index, line in reversed(list(enumerate(self.lines))) if kind(line) != "poses"}
        tried = 0
        for name in ("clash", "release", "tracking"):
            index = firsts[name]
            for match in re.finditer(r"(?<=[:,\[])-?\d[\d.e+-]*", self.lines[index]):
                digit = match.end() - 1
                line = self.lines[index]
                changed = line[:digit] + str(abs(int(line[digit]) - 1)) + line[digit + 1:]
                if json.loads(changed) == json.loads(line):
                    continue
                said = self.verify(1, [*self.lines[:index], changed, *self.lines[index + 1:]],
                                   says=[f"r.jsonl:{index + 1}: ", "recorded "])
                self.assertIn(f"recorded {changed}\n", said)
                self.assertIn(f"found    {clashd.unsourced([line])[0]}\n", said)
                tried += 1
        self.assertGreater(tried, 30)

    def test_how_long_they_were_apart(self):
        """Recordings of before did not say it. Of one that does every digit counts, but for what lies before the file."""
        since = re.compile(r',"since_release_ns":(\d+)')
        said = [index for index, line in enumerate(self.lines) if since.search(line)]
        self.assertGreater(len(said), 10)
        self.verify(0, [since.sub("", line) for line in self.lines], says=["identical\n"])
        wrong = [since.sub(lambda m: f',"since_release_ns":{int(m[1]) + 1}', line) for line in self.lines]
        for index in (said[0], said[-1]):
            self.verify(1, self.lines[:index] + [wrong[index]] + self.lines[index + 1:], says=["since_release_ns: recorded "])
        middle = said[len(said) // 2]
        begin = max(index for index in range(middle) if kind(self.lines[index]) == "release") + 40
        later = self.later(begin)
        shift = len(self.lines) - len(later)
        first, second = [index - shift for index in said if index > begin][:2]
        self.assertEqual(later[second], self.lines[second + shift])
        for index, code in ((first, 0), (second, 1)):
            changed = since.sub(lambda m: f',"since_release_ns":{int(m[1]) + 1}', later[index])
            self.verify(code, later[:index] + [changed] + later[index + 1:])

    def test_what_is_missing_or_too_much_is_seen(self):
        clashes = [index for index, line in enumerate(self.lines) if kind(line) == "clash"]
        index = clashes[3]
        self.verify(1, self.lines[:index] + self.lines[index + 1:], says=["r.jsonl:"])
        self.verify(1, self.lines[:index] + [self.lines[index]] + self.lines[index:], says=[f"r.jsonl:{index + 2}:"])
        lone = next(i for i in range(index + 1, len(self.lines)) if kind(self.lines[i]) == kind(self.lines[i + 1]) == "poses")
        self.verify(1, self.lines[:lone + 1] + [self.lines[index]] + self.lines[lone + 1:],
                    says=[f"r.jsonl:{lone + 2}: an event is recorded that is not found"])

    def test_a_changed_pose_is_seen(self):
        index = next(index for index, line in enumerate(self.lines) if kind(line) == "clash") - 1
        pose = json.loads(self.lines[index])
        pose["poses"][0]["position"][0] += 1e-6
        self.verify(1, self.lines[:index] + [json.dumps(pose)] + self.lines[index + 1:])

    def test_a_tail_may_be_missing(self):
        """A recording that was cut off anywhere is what it is."""
        for end in range(len(self.lines) - 400, len(self.lines), 37):
            text = "\n".join(self.lines[:end]) + "\n" + self.lines[end][:len(self.lines[end]) // 2]
            self.recording.write_text(text)
            self.verify(0, says=["identical\n", "torn"])

    def open_after(self, index):
        kinds = [kind(line) for line in self.lines[:index]]
        return kinds.count("clash") - kinds.count("release")

    def later(self, index):
        """The recording as if it had begun there."""
        header = json.loads(self.lines[0]) | {"seq": 1, "open_contacts": self.open_after(index)}
        return [json.dumps(header), *self.lines[index:]]

    def test_a_beginning_may_be_missing(self):
        counts = []
        for index in range(50, len(self.lines) // 2, 61):
            if kind(self.lines[index]) == "poses":
                counts.append(self.compared(self.verify(0, self.later(index), says=["identical\n"])))
        self.assertGreater(min(counts), 10)
        changed = self.later(700)
        index = max(index for index, line in enumerate(changed) if kind(line) == "clash")
        changed[index] = changed[index].replace('"tracked":true', '"tracked":false')
        self.verify(1, changed, says=["tracked: recorded false, found true"])

    def test_what_was_tracked_before_the_beginning(self):
        """Devices that were silent when the file began, for longer than max_gap_ms: that they come again is no news, that
        they are lost is. One comes a few times a second, one never again, one was away before."""
        poses = '{"type":"poses","time_ns":%d,"poses":[{"device":"%s","position":[9,9,9],"orientation":[0,0,0,1],"tracked":true}]}'
        lost = '{"type":"tracking","seq":1,"time_ns":%d,"device":"%s","tracked":false,"reason":"lost"}'
        lines, told = [], 0
        for line in DUEL.read_text().splitlines():
            lines.append(line)
            now = json.loads(line)
            if now["type"] != "poses" or now["time_ns"] < told + 250_000_000:
                continue
            told, second = now["time_ns"], now["time_ns"] / 1e9
            lines.append(poses % (told, "npc/slow"))
            if second < 4:
                lines.append(poses % (told, "npc/once"))
            elif 12 < second < 12.5:
                lines += [lost % (told, "npc/once"), lost % (told, "npc/slow")]
            if second < 3 or second > 11:
                lines.append(poses % (told, "npc/away"))
            elif second < 3.5:
                lines.append(lost % (told, "npc/away"))
        source = self.home / "source.jsonl"
        source.write_text("\n".join(lines) + "\n")
        with clashd.Daemon("--source", f"replay:{source}", "--speed", "max", "--exit-at-end", "--record", self.recording,
                           "--overwrite", home=self.home) as daemon:
            self.assertEqual(daemon.wait(), 0)
        self.lines = self.recording.read_text().splitlines()
        self.assertIn("npc/away", self.lines[-1] + self.lines[-2] + self.lines[-3] + self.lines[-4])
        self.test_a_beginning_may_be_missing()
        # What is told of a device that is known by then is compared.
        whole = self.later(60)
        index = max(i for i, line in enumerate(whole) if kind(line) == "tracking" and "npc/away" in line and "ok" in line)
        self.verify(0, whole)
        self.verify(1, whole[:index] + whole[index + 1:])

    def test_what_a_gap_hides_is_not_compared(self):
        clashes = [index for index, line in enumerate(self.lines) if kind(line) == "clash"]
        begin, end = clashes[5], clashes[9]
        end = next(i for i in range(end, len(self.lines)) if kind(self.lines[i]) == "poses")
        gap = {"type": "gap", "time_ns": json.loads(self.lines[end])["time_ns"],
               "from_ns": json.loads(self.lines[begin])["time_ns"], "lines": end - begin,
               "open_contacts": self.open_after(end)}
        said = self.verify(0, self.lines[:begin] + [json.dumps(gap)] + self.lines[end:], says=["gaps: 1", "identical"])
        self.assertGreater(self.compared(said), 20)
        self.verify(1, self.lines[:begin] + self.lines[end:])

    def test_damage_within_is_no_yes(self):
        self.verify(1, self.lines[:900] + ["{"] + self.lines[900:], says=["r.jsonl:901: left out", "1 damaged line"])

    def test_what_cannot_be_verified_says_why(self):
        done = clashd.clashctl("verify", DUEL, home=self.home)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("clashd did not write it", done.stderr)
        for words in ((), (DUEL, DUEL), ("--loud", DUEL), (self.home / "none.jsonl",)):
            self.assertEqual(clashd.clashctl("verify", *words, home=self.home).returncode, 2)


if __name__ == "__main__":
    unittest.main()
