"""clashctl tune: each of its rows is what clashctl detect finds with that value set."""
import csv
import json
import math
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402

DUEL = clashd.DATA / "duel-20s.jsonl"


def rank(values, share):
    """The smallest value that at least that share of them does not exceed."""
    return sorted(values)[math.ceil(len(values) * share) - 1]


def spread(values):
    return {"median": rank(values, 0.5), "p90": rank(values, 0.9), "max": max(values)} if values else None


class Tune(clashd.TestCase):
    def tune(self, *words, code=0):
        done = clashd.clashctl("tune", *words, home=self.home)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def rows(self, *words):
        return [json.loads(line) for line in self.tune(*words, "--json").stdout.splitlines()]

    def expected(self, recording, *sets):
        """A row, as far as it does not name the setting, made of detect's lines."""
        lines = [json.loads(line) for line in
                 clashd.detect(recording, *(word for one in sets for word in ("--set", one)), home=self.home)]
        of = {kind: [line for line in lines if line["type"] == kind] for kind in ("clash", "hold", "release")}
        return {"contacts": len(of["clash"]), "holds": len(of["hold"]),
                "closing_speed": spread([line["closing_speed"] for line in of["clash"]]),
                "intensity": spread([line["intensity"] for line in of["clash"]]),
                "duration_s": spread([line["duration_ns"] * 1e-9 for line in of["release"]]),
                "min_distance": min((line["min_distance"] for line in of["release"]), default=None)}

    def check_row(self, row, expected):
        if expected["duration_s"]:  # as float32 here, whole nanoseconds there
            for key, value in expected["duration_s"].items():
                self.assertAlmostEqual(row["duration_s"][key], value, delta=1e-6 * value)
        for key in expected.keys() - {"duration_s"}:
            self.assertEqual(row[key], expected[key], key)

    def test_each_row_is_what_detect_finds(self):
        times = [json.loads(line)["time_ns"] for line in DUEL.read_text().splitlines()[1:]]
        minutes = (times[-1] - times[0]) / 6e10
        for setting, values in (("contact.margin=0:0.3:0.1", [0, 0.1, 0.2, 0.3]),
                                ("contact.min_closing_speed=0:90:x4", [0, 30, 60, 90]),
                                ("contact.full_intensity_speed=10:100:40", [10, 50, 90]),
                                ("blades.left.radius=0.05:0.05", [0.05])):
            key = setting.split("=")[0]
            rows = self.rows(DUEL, setting)
            self.assertEqual([(row["key"], row["value"]) for row in rows], [(key, value) for value in values])
            for row in rows:
                self.check_row(row, self.expected(DUEL, f"{key}={row['value']}"))
                self.assertAlmostEqual(row["contacts_per_minute"], row["contacts"] / minutes, delta=1e-4)
        self.assertEqual(self.rows(DUEL, "contact.min_closing_speed=100:100")[0]["contacts"], 0)

    def test_eleven_values_and_both_ends(self):
        rows = self.rows(DUEL, "contact.margin=0:0.3")
        self.assertEqual([row["value"] for row in rows], [round(0.03 * i, 2) for i in range(11)])
        self.assertEqual([row["value"] for row in self.rows(DUEL, "contact.margin=0:0.05:0.02")], [0, 0.02, 0.04])
        self.assertGreater(rows[-1]["contacts"], rows[0]["contacts"])

    def test_other_settings_hold_for_all_rows(self):
        settings = self.home / "settings.json"
        settings.write_text('{"contact":{"hold_rate_hz":1000}}')
        other = "blades.left.tip=[0,0,-0.7]"
        for row in self.rows(DUEL, "contact.margin=0:0.2:0.2", "--set", other, "--config", settings):
            self.check_row(row, self.expected(DUEL, "contact.hold_rate_hz=1000", other, f"contact.margin={row['value']}"))

    def test_the_forms_agree(self):
        words = (DUEL, "contact.min_closing_speed=0:100:x3")
        rows = self.rows(*words)
        table = self.tune(*words).stdout.splitlines()[2:]
        sheet = list(csv.DictReader(self.tune(*words, "--csv").stdout.splitlines()))
        self.assertEqual(len(rows), 3)
        for row, line, cells in zip(rows, table, sheet, strict=True):
            words = line.split()
            self.assertEqual([float(words[0]), int(words[1])], [row["value"], row["contacts"]])
            self.assertEqual(float(cells["contact.min_closing_speed"]), row["value"])
            for key in ("contacts", "contacts_per_minute", "holds"):
                self.assertAlmostEqual(float(cells[key]), row[key], delta=1e-4)
            for key, name in (("closing_speed", "closing_speed_{}"), ("intensity", "intensity_{}"),
                              ("duration_s", "duration_{}_s")):
                for which in ("median", "p90", "max"):
                    cell = cells[name.format(which)]
                    self.assertEqual(float(cell) if cell else None, (row[key] or {}).get(which))
            self.assertEqual(words[3], f"{row['closing_speed']['median']:.2f}" if row["contacts"] else "-")
        self.assertEqual(rows[-1]["contacts"], 0)

    def test_mistakes_are_named(self):
        for words, part in ((("contact.margin=0:0.1",), "expected a recording and one setting"),
                            ((DUEL, "contact.margin"), "KEY=FROM:TO"),
                            ((DUEL, "contact.margin=0.1"), "KEY=FROM:TO"),
                            ((DUEL, "contact.margin=0:"), "numbers"),
                            ((DUEL, "contact.margin=0:wide"), "numbers"),
                            ((DUEL, "contact.margin=0:inf"), "numbers"),
                            ((DUEL, "contact.margin=1:0"), "FROM to be at most TO"),
                            ((DUEL, "contact.margin=0:1:0"), "STEP above 0"),
                            ((DUEL, "contact.margin=0:1:-0.1"), "STEP above 0"),
                            ((DUEL, "contact.margin=0:1:"), "STEP above 0"),
                            ((DUEL, "contact.margin=0:1:x1"), "from 2 to 1000"),
                            ((DUEL, "contact.margin=0:1:x1001"), "from 2 to 1000"),
                            ((DUEL, "contact.margin=0:1:1e-9"), "more than 1000"),
                            ((DUEL, "contact.margin=0:2"), "contact.margin: expected a number from 0 to 1, got 1.2"),
                            ((DUEL, "contact.margn=0:1"), 'is it "margin"?'),
                            ((DUEL, "contact.require_tracked=0:1"), "expected true or false"),
                            ((DUEL, "blades.left.tip=0:1"), "expected an array of 3 numbers"),
                            ((DUEL, "blades.middle.radius=0:1"), "no such blade"),
                            ((DUEL, "socket.max_clients=1:9"), "no other setting changes what is found"),
                            ((self.home / "none", "contact.margin=0:1"), "No such file")):
            done = self.tune(*words, code=2)
            self.assertIn(part, done.stderr)
            self.assertEqual(done.stdout, "", words)

    def test_damage_is_told_once(self):
        lines = DUEL.read_text().splitlines()
        damaged = self.home / "damaged.jsonl"
        damaged.write_text("\n".join(lines[:50] + ["{"] + lines[50:]) + "\n")
        done = self.tune(damaged, "contact.margin=0:0.1", "--json")
        self.assertEqual(done.stderr.count("left out"), 1)
        self.assertEqual(done.stdout, self.tune(DUEL, "contact.margin=0:0.1", "--json").stdout)

    def test_a_pipe_is_read_once(self):
        with subprocess.Popen(["cat", DUEL], stdout=subprocess.PIPE) as pipe:
            done = clashd.clashctl("tune", "/dev/stdin", "contact.margin=0:0.1", "--json", home=self.home, stdin=pipe.stdout)
            pipe.stdout.close()
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (2, 1))
        self.assertIn("expected a file, no pipe", done.stderr)


if __name__ == "__main__":
    unittest.main()
