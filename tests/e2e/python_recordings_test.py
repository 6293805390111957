"""The Python client's recordings: every message of them, damage, compression by each of what can read it, tables by NumPy and
pandas; and its messages: every example, changed at random, is taken or refused in words; its types hold a strict mypy."""
import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import mutate  # noqa: E402
import python_client  # noqa: E402
import validate  # noqa: E402

python_client.use_client()
import clashd  # noqa: E402
from clashd import _core, _zstd, recordings  # noqa: E402

ROOT = python_client.SOURCE
EXAMPLE = ROOT / "protocol" / "examples" / "recording.jsonl"
COMPRESSED = ROOT / "tests" / "data" / "standin-10s.jsonl.zst"
LINES = EXAMPLE.read_text().splitlines()
HEADER = LINES[0].encode() + b"\n"
MARK = b'{"type":"mark","time_ns":1,"text":"here"}\n'


class Folder(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="clashd-")
        self.addCleanup(directory.cleanup)
        self.folder = Path(directory.name)

    def file(self, data, name="x.jsonl"):
        path = self.folder / name
        path.write_bytes(data)
        return path


class Messages(Folder):
    def test_every_line_of_the_examples(self):
        for message, line in zip(clashd.Recording(EXAMPLE, strict=True), LINES[1:], strict=True):
            self.assertEqual(message.raw, json.loads(line))
            self.assertEqual(type(message).type, message.raw["type"])
            for name, value in message.raw.items():
                if isinstance(value, (str, bool, int, float)) and name != "type":
                    self.assertEqual(getattr(message, name), value)
        for line in (ROOT / "protocol/examples/server.jsonl").read_text().splitlines():
            message = _core.parse(line, clashd.messages.SERVER)
            self.assertEqual(set(message.raw) - {"type"} - set(message.__dataclass_fields__), set())

    def test_whatever_comes_is_taken_or_refused_in_words(self):
        generator, taken = random.Random(7), 0
        lines = [*LINES, *(ROOT / "protocol/examples/server.jsonl").read_text().splitlines()]
        for line in lines:
            value = json.loads(line)
            name = next(name for name in (f"server/{value['type']}", f"recording/{value['type']}", value["type"]) if name in validate.schemas())
            known = recordings.KNOWN if name.startswith("rec") else clashd.messages.SERVER
            for changed in mutate.changed_values(generator, value, validate.schemas()[name], 10):
                try:
                    found = _core.parse(mutate.text_of(changed), known)
                    taken += found is not None
                except clashd.ProtocolError:
                    self.assertTrue(validate.mistakes(name, json.loads(mutate.text_of(changed)), strict=False)
                                    if "E" not in mutate.text_of(changed) else True, changed)
        self.assertGreater(taken, 100)

    def test_what_is_refused(self):
        for data, words in ((b"", "is empty"), (b"\n \n", "is empty"), (MARK, "x.jsonl:1: no recording's header"),
                            (b"\n{}\n", "x.jsonl:2: no recording's header"), (b"garbage", "no recording's header: no JSON"),
                            (b'{"type":"recording","version":2,"space":"stage"}\n', "version 2: this module reads up to 1"),
                            (b'{"type":"recording","version":1}\n', 'there is no "space"')):
            with self.assertRaisesRegex(clashd.Error, words):
                clashd.Recording(self.file(data))
        with self.assertRaises(IsADirectoryError):
            clashd.Recording(self.folder)
        with self.assertRaises(FileNotFoundError):
            clashd.Recording(self.folder / "none")
        with self.assertRaisesRegex(ValueError, 'no recording has a "clahs": expected'):
            clashd.Recording(EXAMPLE).events("clahs")

    def test_damage_costs_nothing_else(self):
        later = b'{"type":"later"}\r\n'
        bad = [b"{torn\n", b"x" * 200000 + b"\n", b'{"type":"clash"}\n', HEADER]
        path = self.file(b"\xef\xbb\xbf" + HEADER + MARK + b"".join(bad) + later + b"\n" + MARK + b'{"type":"mark","tim')
        recording = clashd.Recording(path)
        with self.assertLogs("clashd", "WARNING") as said:
            self.assertEqual([message.type for message in recording], ["mark", "mark"])
        self.assertEqual([damage.line for damage in recording.damage], [3, 4, 5, 6, 10])
        self.assertEqual((recording.unknown, recording.torn, len(said.output)), (1, True, 5))
        self.assertEqual(len(list(recording)), 2)  # anew
        self.assertEqual(len(recording.damage), 5)
        with self.assertRaisesRegex(clashd.Error, "x.jsonl:3: no JSON"):
            list(clashd.Recording(path, strict=True))
        whole = clashd.Recording(self.file(HEADER + MARK[:-1]), strict=True)  # without its newline, and whole
        self.assertEqual(len(list(whole)), 1)

    def test_a_pipe_is_read_once(self):
        os.mkfifo(self.folder / "pipe")
        with subprocess.Popen(["cp", EXAMPLE, self.folder / "pipe"]) as writer:
            recording = clashd.Recording(self.folder / "pipe")
            self.assertEqual(len(list(recording)), len(LINES) - 1)
            self.assertEqual(writer.wait(), 0)
        with self.assertRaisesRegex(clashd.Error, "read only once"):
            list(recording)


def without(*modules):
    """As if these were not installed."""
    real = _zstd._module
    return mock.patch.object(_zstd, "_module", lambda name: None if name in modules else real(name))


MODULES = ("compression.zstd", "zstandard")


class Compressed(Folder):
    def ways(self):
        """(words, context) of each way to read that there is here."""
        if importlib.util.find_spec("zstandard"):
            yield "the package zstandard", without("compression.zstd")
        if sys.version_info >= (3, 14):
            yield "Python's own", without()
        if shutil.which("zstd"):
            yield "the program", without(*MODULES)

    def test_every_way_reads_the_same(self):
        counts = {}
        for words, way in self.ways():
            with way:
                counts[words] = sum(1 for _ in clashd.Recording(COMPRESSED, strict=True))
        self.assertEqual(set(counts.values()), {2060}, counts)

    def test_data_that_end_early(self):
        cut = self.file(COMPRESSED.read_bytes()[:20000], "cut.zst")
        for words, way in self.ways():
            with self.subTest(words), way, self.assertLogs("clashd", "WARNING") if words == "the program" else mock.MagicMock():
                recording = clashd.Recording(cut)
                self.assertTrue(10 < sum(1 for _ in recording) < 2060)

    def test_data_that_are_damaged(self):
        data = bytearray(COMPRESSED.read_bytes())
        data[20000:20100] = bytes(100)
        damaged = self.file(bytes(data), "damaged.zst")
        for words, way in self.ways():
            with self.subTest(words), way, self.assertLogs("clashd", "WARNING"):
                recording = clashd.Recording(damaged)
                self.assertTrue(10 < sum(1 for _ in recording) < 2060)
                self.assertIn("compressed data end here", recording.damage[-1].why)

    def test_nothing_can_read_it(self):
        with without(*MODULES), mock.patch.object(shutil, "which", lambda _: None):
            with self.assertRaisesRegex(clashd.Error, "is compressed, and nothing here reads that: install the package zstandard"):
                clashd.Recording(COMPRESSED)


class Tables(unittest.TestCase):
    def test_numpy(self):
        if not importlib.util.find_spec("numpy"):
            with self.assertRaisesRegex(ImportError, "to_numpy.. needs numpy"):
                clashd.Recording(EXAMPLE).to_numpy()
            return
        arrays = clashd.Recording(EXAMPLE).to_numpy()
        poses = [(line["time_ns"], pose) for line in map(json.loads, LINES) if line["type"] == "poses" for pose in line["poses"]]
        for device, array in arrays.items():
            wanted = [(time, pose) for time, pose in poses if pose["device"] == device]
            self.assertEqual(array["time_ns"].tolist(), [time for time, _ in wanted])
            self.assertEqual(array["position"].tolist(), [pose["position"] for _, pose in wanted])
            self.assertEqual(array["valid"].tolist(), [pose.get("valid", True) for _, pose in wanted])
        self.assertEqual(sum(map(len, arrays.values())), len(poses))

    def test_pandas(self):
        if not importlib.util.find_spec("pandas"):
            with self.assertRaisesRegex(ImportError, "to_pandas.. needs pandas"):
                clashd.Recording(EXAMPLE).to_pandas()
            return
        recording = clashd.Recording(EXAMPLE)
        clashes, clash = recording.to_pandas(), next(recording.events("clash"))
        row = clashes.iloc[0]
        self.assertEqual((len(clashes), clashes.index[0].value), (1, clash.time_ns))
        self.assertEqual(tuple(row[["midpoint_x", "midpoint_y", "midpoint_z"]]), clash.midpoint)
        self.assertEqual((row["blades_1"], row["along_0"], row["points_1_z"]), ("right", clash.along[0], clash.points[1][2]))
        self.assertEqual(len(recording.to_pandas("poses")), sum(len(step.poses) for step in recording.events("poses")))
        self.assertEqual(len(recording.to_pandas("replay")), 0)

    def tables(self, path):
        """{kind: (columns, rows)} of a recording, with as much of pandas as to_pandas calls."""
        pandas = types.SimpleNamespace(to_timedelta=lambda times, unit: times, Index=lambda times, name: times,
                                       DataFrame=lambda rows, columns, index: (columns, rows))
        with mock.patch.dict(sys.modules, {"pandas": pandas}):
            return {kind: clashd.Recording(path).to_pandas(kind) for kind in sorted(recordings.KNOWN)}

    def test_columns_without_events(self):
        """Of each type there are the same ones as in a recording that has some, but for lists of any length."""
        with tempfile.TemporaryDirectory() as directory:
            empty = Path(directory) / "empty.jsonl"
            empty.write_text(LINES[0] + "\n")
            without = self.tables(empty)
        self.assertFalse(any(rows for _, rows in without.values()))
        self.assertLessEqual({"time_ns", "id", "blades_1", "midpoint_x", "points_1_z", "along_0", "closing_speed", "intensity", "target",
                              "surface_normal_y"}, {*without["clash"][0]})
        self.assertLessEqual({"time_ns", "device", "position_z", "orientation_w", "tracked", "valid", "teleport"}, {*without["poses"][0]})
        for kind, (columns, rows) in self.tables(EXAMPLE).items():
            self.assertLessEqual({*without[kind][0]}, {*columns}, kind)
            for name in {name for row in rows for name in row} - {*without[kind][0]}:
                self.assertRegex(name, "_[0-9]|_[xyzw]$|settings|counters", f"{kind} has a column that it lacks without events")


class Package(Folder):
    def test_pip_needs_nothing_else(self):
        """Neither an index nor setuptools, and the folder may be read only."""
        if not importlib.util.find_spec("pip"):
            self.skipTest("no pip here: apt-get install python3-pip")
        source, target = self.folder / "source", self.folder / "target"
        shutil.copytree(ROOT / "protocol" / "clients" / "python", source, ignore=shutil.ignore_patterns("__pycache__", "venv"))
        for path in [source, *source.rglob("*")]:
            path.chmod(path.stat().st_mode & ~0o222)
        done = subprocess.run([sys.executable, "-m", "pip", "install", "--no-index", "--no-cache-dir", "--disable-pip-version-check", "--target",
                               target, source], capture_output=True, text=True)
        for path in [source, *source.rglob("*")]:
            path.chmod(path.stat().st_mode | 0o200)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for path in (ROOT / "protocol" / "clients" / "python" / "src" / "clashd").iterdir():
            if path.is_file():
                self.assertEqual((target / "clashd" / path.name).read_bytes(), path.read_bytes())
        info, = target.glob("clashd-*.dist-info")
        self.assertTrue((info / "LICENSE").exists())
        self.assertIn("Requires-Dist: pandas; extra == 'pandas'\n", (info / "METADATA").read_text())


GOOD = """
import clashd
import clashd.aio

def listen(c: clashd.Client) -> float:
    for clash in c.events("clash", min_closing_speed=1):
        return clash.midpoint[1] + clash.intensity
    return 0.0

async def wait(c: clashd.aio.Client) -> str | None:
    async for clash in c.events("clash"):
        return clash.target
    return None
"""
WRONG = (("clash.midpoint[1]", "clash.midpont[1]"), ('"clash", min', '"clahs", min'), ("clash.midpoint[1]", "clash.midpoint[3]"),
         ("return clash.target", "return clash.late"))


class Types(Folder):
    def test_mypy(self):
        if not shutil.which("mypy"):
            self.skipTest("no mypy here")
        cases = [("", "")] + list(WRONG)
        for number, (old, new) in enumerate(cases):
            self.file(GOOD.replace(old, new).encode(), f"case{number}.py")
        done = subprocess.run(["mypy", "--strict", "--cache-dir", self.folder / "cache", python_client.CLIENT / "src" / "clashd",
                               python_client.CLIENT / "examples" / "sparks.py", python_client.CLIENT / "examples" / "pell.py",
                               *sorted(self.folder.glob("case*.py"))], capture_output=True, text=True,
                              env={**os.environ, "MYPYPATH": str(python_client.CLIENT / "src")})
        found = [line for line in done.stdout.splitlines() if ": error:" in line]
        self.assertEqual({Path(line.partition(":")[0]).name for line in found}, {f"case{number}.py" for number in range(1, len(cases))},
                         done.stdout + done.stderr)


if __name__ == "__main__":
    if sys.version_info < (3, 11):
        print("skipped: the client wants Python 3.11")
        sys.exit(77)
    unittest.main()
