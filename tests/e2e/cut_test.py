"""clashctl cut, convert and info: pieces of recordings are recordings, and nothing is lost on the way."""
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import validate  # noqa: E402

DUEL = clashd.DATA / "duel-20s.jsonl"


class Pieces(clashd.TestCase):
    def setUp(self):
        super().setUp()
        self.recording = self.home / "r.jsonl"
        with clashd.Daemon("--source", f"replay:{DUEL}", "--speed", "max", "--exit-at-end", "--record", self.recording,
                           home=self.home) as daemon:
            self.assertEqual(daemon.wait(), 0)
        self.lines = [json.loads(line) for line in self.recording.read_text().splitlines()]

    def ctl(self, *words, code=0):
        done = clashd.clashctl(*words, home=self.home)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_a_piece_is_what_it_says_and_can_be_verified(self):
        for number, (begin, end) in enumerate(((3, 15), (0.6, 9.5), (7, None), (None, 4))):
            piece = self.home / f"{number}.jsonl"
            words = [word for name, value in (("--from", begin), ("--to", end)) if value is not None
                     for word in (name, value)]
            self.ctl("cut", self.recording, piece, *words)
            text = piece.read_text()
            self.assertEqual(validate.check_text(text, "recording"), [])
            header, *lines = [json.loads(line) for line in text.splitlines()]
            times = [line["time_ns"] for line in lines if line["type"] == "poses"]
            wanted = [line["time_ns"] for line in self.lines[1:] if line["type"] == "poses" and
                      (begin or 0) * 1e9 <= line["time_ns"] <= (end or 1e9) * 1e9]
            self.assertEqual(times, wanted)
            start = self.lines.index(lines[0])
            self.assertEqual(self.lines[start:start + len(lines)], lines)
            self.check_header(header, start)
            self.assertIn("identical", self.ctl("verify", piece))

    def check_header(self, header, start):
        before = self.lines[1:start]
        kinds = [line["type"] for line in before]
        more = {"seq": max(line.get("seq", 0) for line in before),
                "open_contacts": kinds.count("clash") - kinds.count("release")} if before else {}
        self.assertEqual(header, self.lines[0] | more)

    def test_blades_of_before_are_in_the_piece(self):
        blade = {"type": "blade", "time_ns": 1, "name": "npc", "device": "npc/1", "base": [0, 0, 0], "tip": [0, 0, -1],
                 "radius": 0.01}
        gone = blade | {"name": "gone", "device": "npc/2"}
        removal = {"type": "remove", "time_ns": 2, "device": "npc/2"}
        source, piece = self.home / "blades.jsonl", self.home / "piece.jsonl"
        lines = self.recording.read_text().splitlines()
        more = [json.dumps(line) for line in (gone, blade, removal)]
        source.write_text("\n".join(lines[:10] + more + lines[10:]) + "\n")
        self.ctl("cut", source, piece, "--from", "5")
        header, first, second = [json.loads(line) for line in piece.read_text().splitlines()[:3]]
        self.assertEqual((first, second["type"]), (blade, "poses"))
        self.assertNotIn("gone", piece.read_text())
        self.assertIn("identical", self.ctl("verify", piece))

    def test_equipment_of_before_is_in_the_piece(self):
        told = {"type": "equipment", "time_ns": 1, "runtime": "R 1", "controllers": [{"device": "/user/hand/left", "profile": "p"}]}
        source, piece = self.home / "equipment.jsonl", self.home / "piece.jsonl"
        lines = DUEL.read_text().splitlines()
        source.write_text("\n".join(lines[:10] + [json.dumps(told)] + lines[10:]) + "\n")
        self.ctl("cut", source, piece, "--from", "5")
        self.assertEqual(json.loads(piece.read_text().splitlines()[1]), told)
        for path in (source, piece):
            said = self.ctl("info", path)
            self.assertIn("runtime   R 1\n", said)
            self.assertIn("hands     /user/hand/left: p\n", said)
            self.assertIn("of unknown types, 0 damaged", said)
            self.assertIn(" 0 of unknown types", said)

    def test_converted_there_and_back_it_is_the_same(self):
        packed, back = self.home / "r.jsonl.zst", self.home / "back.jsonl"
        self.assertIn(f"{len(self.lines)} lines", self.ctl("convert", self.recording, packed))
        self.assertLess(packed.stat().st_size, self.recording.stat().st_size / 2)
        self.assertIn("identical", self.ctl("verify", packed))
        self.ctl("convert", packed, back)
        self.assertEqual(back.read_bytes(), self.recording.read_bytes())

    def test_what_is_damaged_is_left_out_and_said(self):
        lines = self.recording.read_text().splitlines()
        damaged, whole = self.home / "damaged.jsonl", self.home / "whole.jsonl"
        damaged.write_text("\n".join(lines[:50] + ["{", '{"type":"weather"}'] + lines[50:]) + "\n" + '{"type":"po')
        said = self.ctl("convert", damaged, whole)
        self.assertIn("damaged.jsonl:51: left out", said)
        self.assertIn("1 line of unknown types", said)
        self.assertEqual(whole.read_bytes(), self.recording.read_bytes())

    def test_nothing_is_overwritten_and_nothing_is_left_half_done(self):
        before = self.recording.read_bytes()
        self.assertIn("File exists", self.ctl("convert", self.recording, self.recording, code=2))
        self.assertEqual(self.recording.read_bytes(), before)
        self.assertIn("File exists: --overwrite replaces it", self.ctl("cut", self.recording, self.recording, code=2))
        self.assertEqual(self.recording.read_bytes(), before)
        old = self.home / "old.jsonl"
        old.write_text("old\n")
        self.assertIn("old.jsonl stays as it was", self.ctl("cut", self.recording, old, "--from", "100", "--overwrite", code=2))
        self.assertEqual(old.read_text(), "old\n")
        self.ctl("cut", self.recording, old, "--overwrite")
        self.assertEqual(old.read_bytes().count(b"\n"), before.count(b"\n"))
        self.assertEqual([file.name for file in self.home.glob("*.jsonl.*")], [])
        self.assertIn("no poses", self.ctl("cut", self.recording, self.home / "x.jsonl", "--from", "100", code=2))
        self.assertFalse((self.home / "x.jsonl").exists())
        self.assertIn("No such file", self.ctl("convert", self.home / "none", self.home / "x.jsonl", code=2))
        self.assertIn("expected seconds", self.ctl("cut", self.recording, "x", "--from", "noon", code=2))
        self.assertIn("expected a recording", self.ctl("cut", self.recording, code=2))

    def test_info_counts(self):
        said = self.ctl("info", self.recording)
        clashes = sum(line["type"] == "clash" for line in self.lines)
        poses = [line for line in self.lines if line["type"] == "poses"]
        seconds = (poses[-1]["time_ns"] - poses[0]["time_ns"]) * 1e-9
        hardest = max(line["closing_speed"] for line in self.lines if line["type"] == "clash")
        for part in (f"duration  {seconds:.3f} s, {len(poses)} frames", f"contacts  {clashes}, {clashes / seconds * 60:.1f} a minute",
                     f"hardest {hardest:.2f} m/s", f"/user/hand/right: {len(poses)} samples", "left on /user/hand/left",
                     f"session {self.lines[0]['session']}", f"lines     {len(self.lines)};", "0 damaged"):
            self.assertIn(part, said)
        self.assertIn("expected one recording", self.ctl("info", code=2))
        self.assertIn("No such file", self.ctl("info", self.home / "none", code=2))


if __name__ == "__main__":
    unittest.main()
