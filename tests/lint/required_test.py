"""A field added to a line never becomes required: recordings share the schemas of events, and those written before lack the
field. What each line has always had stands here; the table only ever gets rows for new lines, and no row changes."""
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import validate  # noqa: E402

_CONTACT = ("type seq id time_ns blades midpoint points normal distance along fraction velocities closing_speed slide_speed "
            "crossing_angle intensity tracked")
_POSE = "position orientation"
_BLADE = "name device base tip radius"
_TARGET = {"sphere": "radius", "capsule": "base tip radius", "box": "size"}
_REPLAY = "state file speed loop position_ns start_ns end_ns shift_ns passes damaged_lines"
_HISTOGRAM = "count counts sum_ns"

# Schema, then each object in it by its path ("": the line itself), and what that has always had.
REQUIRED = {
    "server/clash": {"": _CONTACT, "resolved_pose[]": _POSE},
    "server/hold": {"": f"{_CONTACT} duration_ns", "resolved_pose[]": _POSE},
    "server/release": {"": "type seq id time_ns blades reason duration_ns min_distance peak_closing_speed"},
    "server/tracking": {"": "type seq time_ns device tracked reason"},
    "server/space_changed": {"": "type seq time_ns"},
    "server/poses": {"": "type time_ns poses", "poses[]": f"device {_POSE} tracked", "poses[].resolved_pose": _POSE},
    "server/hello": {
        "": "type protocol version session time_ns epoch_monotonic_ns epoch_unix_ns space axes blades units capabilities",
        "blades[]": _BLADE, "blades[].parts[]": "name radius", "targets[]": f"name {_POSE}", "devices[].stage": _POSE,
        **{f"targets[].{key}": value for key, value in _TARGET.items()}, "units": "length angle speed time"},
    "server/status": {
        "": "type time_ns source state runtime detail devices counters clients", "replay": _REPLAY,
        "devices[]": "device tracked", "devices[].stage": _POSE, "players[]": "player here muted samples repeated lost late refused", "latency": "bounds_ns sample_to_queue sample_to_write",
        "latency.sample_to_queue": _HISTOGRAM, "latency.sample_to_write": _HISTOGRAM},
    "server/config": {"": "type time_ns settings", "settings[]": "key value source"},
    "server/recorder": {"": "type time_ns state detail lost_lines"},
    "server/replay": {"": f"type time_ns {_REPLAY}"},
    "server/outlines": {"": "type time_ns definitions targets", "targets[]": "name line_count first_line lines"},
    "server/haptic": {"": "type device amplitude duration_ns"},
    "server/feed_free": {"": "type"},
    "server/lagged": {"": "type from_seq to_seq missed"},
    "server/ok": {"": "type id time_ns"},
    "server/error": {"": "type code message"},
    "recording": {"": "type version space", "blades[]": _BLADE, "blades[].parts[]": "name radius",
                  "controllers[]": "device profile"},
    "recording/blade": {"": f"type time_ns {_BLADE}", "parts[]": "name radius"},
    "recording/target": {"": "type time_ns name", **_TARGET, "terrain": "columns rows spacing"},
    "recording/remove": {"": "type time_ns"},
    "recording/equipment": {"": "type time_ns", "controllers[]": "device profile"},
    "recording/gap": {"": "type time_ns from_ns lines open_contacts"},
    "recording/mark": {"": "type time_ns text"},
}


def required(schema, common, path=""):
    """(path, the fields that an object there must have) of a schema and all in it."""
    if "$ref" in schema:
        yield from required(common[schema["$ref"].rpartition("/")[2]], common, path)
    if "required" in schema:
        yield path, set(schema["required"])
    for key, part in schema.get("properties", {}).items():
        yield from required(part, common, f"{path}.{key}".lstrip("."))
    if isinstance(schema.get("items"), dict):
        yield from required(schema["items"], common, f"{path}[]")


def messages(name, schema, common):
    known = {path: set(fields.split()) for path, fields in REQUIRED.get(name, {}).items()}
    if not known:
        yield f"{name}: a new line: say in REQUIRED what it always has"
    for path, fields in required(schema, common):
        for field in sorted(fields - known.get(path, set())) if known else ():
            yield f"{name}: {path or 'the line'}: {field} has become required, which recordings written before lack"


class Required(unittest.TestCase):
    def test_nothing_becomes_required(self):
        common = validate.schemas()["common"]["$defs"]
        shared = [name for name in validate.schemas() if name.startswith(("server/", "recording"))]
        self.assertEqual(sorted(shared), sorted(REQUIRED))
        found = [line for name in shared for line in messages(name, validate.schemas()[name], common)]
        self.assertEqual(found, [])

    def test_it_would_be_found(self):
        common = {"pose": {"required": ["energy"]}}
        for part in ({"required": ["energy"]}, {"properties": {"resolved_pose": {"items": {"$ref": "common#/$defs/pose"}}}}):
            self.assertEqual(len(list(messages("server/clash", part, common))), 1, json.dumps(part))
        self.assertEqual(len(list(messages("server/new", {}, common))), 1)


if __name__ == "__main__":
    unittest.main()
