"""clashctl convert to a table: all that the schema has of a contact, as the events say it, in columns that keep their places."""
import csv
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import validate  # noqa: E402

DUEL = clashd.DATA / "duel-20s.jsonl"
PROTOCOL = clashd.SOURCE / "protocol"
# Of each property of a contact's events its columns; none where it cannot be in a recording, or is what kind of event it is.
COLUMNS = {
    "id": ["contact"], "time_ns": ["time_s"], "duration_ns": ["duration_s"], "blades": ["blade", "other_blade"],
    "closing_speed": ["closing_speed"], "slide_speed": ["slide_speed"], "crossing_angle": ["crossing_angle"],
    "intensity": ["intensity"], "along": ["along", "other_along"], "midpoint": ["x", "y", "z"],
    "peak_closing_speed": ["peak_closing_speed"], "min_distance": ["min_distance"], "tracked": ["tracked"], "reason": ["reason"],
    "seq": ["seq"], "target": ["target"], "parts": ["part", "other_part"], "distance": ["distance"],
    "points": ["point_x", "point_y", "point_z", "other_point_x", "other_point_y", "other_point_z"],
    "normal": ["normal_x", "normal_y", "normal_z"],
    "surface_normal": ["surface_normal_x", "surface_normal_y", "surface_normal_z"], "triangle": ["triangle"],
    "velocities": ["velocity_x", "velocity_y", "velocity_z", "other_velocity_x", "other_velocity_y", "other_velocity_z"],
    "edge_alignment": ["edge_alignment", "other_edge_alignment"], "fraction": ["fraction"], "interval_ns": ["interval_s"],
    "since_release_ns": ["since_release_s"], "type": [], "late": [], "resumed": [], "resolved_pose": [],
    # Said while clashd plays with others; detect, which makes the table, is alone.
    "room_id": [], "room_time_ns": [], "clock_error_ns": [], "agreed": []}
# A number that clashes have besides is a column of its own name, at the end.
SCHEMA = validate.schemas()["server/clash"]["properties"]
COLUMNS |= {name: [name] for name, rule in SCHEMA.items() if name not in COLUMNS and rule.get("type") == "number"}
NAMES = [name for names in COLUMNS.values() for name in names]
BLADES = [{"name": "left", "device": "/user/hand/left", "base": [0, 0, -0.05], "tip": [0, 0, -1], "radius": 0.015, "parts": [
              {"name": "lower", "base": [0, 0, -0.05], "tip": [0, 0, -0.5], "radius": 0.015, "edge": [0, -1, 0]},
              {"name": "up,\"per\"", "base": [0, 0, -0.5], "tip": [0, 0, -1], "radius": 0.015}]},
          {"name": "right", "device": "/user/hand/right", "base": [0, 0, -0.05], "tip": [0, 0, -1], "radius": 0.015}]
PLACE = {"type": "target", "time_ns": 0, "position": [0, 1, 0], "orientation": [0, 0, 0, 1]}
TARGETS = [{**PLACE, "name": "ball, of glass", "sphere": {"center": [0, 0, 0], "radius": 0.5}},
           {**PLACE, "name": "wall", "mesh": {"vertices": [[-3, -3, -0.7], [3, -3, -0.7], [0, 3, -0.7], [0, -3, 0.7], [3, 3, 0.7],
                                                           [-3, 3, 0.7]], "triangles": [[0, 1, 2], [3, 4, 5]]}}]


def flat(value):
    return [inner for part in value for inner in flat(part)] if isinstance(value, list) else [value]


def cells(name, message):
    """What the columns of a property should say."""
    if name not in message:
        return [""] * len(COLUMNS[name])
    values = [round(value * 1e-9, 9) if name.endswith("_ns") else value for value in flat(message[name])]
    return ["" if value is None else {True: "yes", False: "no"}[value] if isinstance(value, bool) else value for value in values]


class Table(clashd.TestCase):
    def table(self, recording):
        file = self.home / "contacts.csv"
        done = clashd.clashctl("convert", recording, file, home=self.home)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(file, newline="") as opened:
            names, *rows = csv.reader(opened)
        self.assertEqual(names, NAMES)
        self.assertIn(f"{len(rows)} contacts", done.stderr)
        self.assertIn("File exists", clashd.clashctl("convert", recording, file, home=self.home).stderr)
        return [dict(zip(names, row, strict=True)) for row in rows]

    def compare(self, recording):
        """The rows, which say what detect finds."""
        rows = self.table(recording)
        found = [json.loads(line) for line in clashd.detect(recording, home=self.home)]
        clashes = {message["id"]: message for message in found if message["type"] == "clash"}
        releases = [message for message in found if message["type"] == "release"]
        self.assertEqual([int(row["contact"]) for row in rows], [release["id"] for release in releases])
        for row, release in zip(rows, releases):
            contact = {**release, **clashes[release["id"]]}
            for name, columns in COLUMNS.items():
                expected = cells(name, contact) if columns else []
                self.assertEqual([type(value)(row[column]) for value, column in zip(expected, columns, strict=True)], expected, name)
        return rows

    def test_nothing_of_the_schema_is_forgotten(self):
        properties = {name for kind in ("clash", "hold", "release") for name in
                      validate.schemas()[f"server/{kind}"]["properties"]}
        self.assertEqual(set(COLUMNS), properties, "a field of an event has neither a column nor a reason why not")

    def test_the_document_lists_the_columns(self):
        text = (PROTOCOL / "RECORDING.md").read_text().split("\n## Tables of contacts\n")[1].split("\n## ")[0]
        first = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
        self.assertEqual([word.strip(" `") for cell in first for word in cell.split(",")], NAMES)

    def test_two_blades(self):
        rows = self.compare(DUEL)
        self.assertTrue(rows[0]["since_release_s"] == "" and rows[1]["since_release_s"] and rows[0]["interval_s"])
        self.assertTrue(rows[0]["edge_alignment"] and not rows[0]["target"] + rows[0]["part"] + rows[0]["surface_normal_x"])

    def test_parts_and_targets(self):
        recording = self.home / "more.jsonl"
        header, *lines = DUEL.read_text().splitlines()
        header = json.loads(header) | {"blades": BLADES}
        recording.write_text("\n".join([json.dumps(header), lines[0], *map(json.dumps, TARGETS), *lines[1:]]) + "\n")
        rows = self.compare(recording)
        self.assertEqual({row["target"] for row in rows}, {"", "ball, of glass", "wall"})
        self.assertEqual({row["part"] for row in rows}, {"", "lower", "up,\"per\""})
        self.assertEqual({row["triangle"] for row in rows if row["target"] == "wall"}, {"0", "1"})
        self.assertTrue(all((row["triangle"] != "") == (row["target"] == "wall") for row in rows))
        self.assertTrue(all(bool(row["edge_alignment"]) == (row["part"] == "lower") for row in rows))


if __name__ == "__main__":
    unittest.main()
