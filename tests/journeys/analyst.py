"""Somebody who has play recorded and wants numbers of it: the README's lines on recordings, and those of RECORDING.md for pipes and
tables, as they stand. What comes of them is read by others than clashd."""
import csv
import io
import json
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import mcap  # noqa: E402
import tree  # noqa: E402
import validate  # noqa: E402
from journey import Journey, fail  # noqa: E402

GUIDE, RECORDING = "protocol/GUIDE.md", "protocol/RECORDING.md"


def record(journey, line):
    """Some seconds of play, with a mark in it."""
    clashd = journey.clashd(line)
    journey.run("clashctl watch --events clash --count 3", journey.home)
    journey.run("clashctl record mark 'three of them'", journey.home)
    journey.run("clashctl watch --events clash --count 2", journey.home)
    journey.end(clashd)


def work(journey, lines):
    """What each of the commands says."""
    info, detect, tune, convert = lines
    said = journey.run(info, journey.home)
    if "tip  median" not in said or " 1 mark," not in said:
        fail(f"info says {said}")
    events = [json.loads(text) for text in journey.run(detect, journey.home).splitlines()]
    clashes = [event for event in events if event["type"] == "clash"]
    if len(clashes) < 5:
        fail(f"detect finds {len(clashes)} clashes")
    if len(journey.run(tune, journey.home).splitlines()) != 2 + 5:
        fail("tune has a row for each of five values")
    journey.run(convert, journey.home)
    found = mcap.Mcap((journey.home / "play.mcap").read_bytes()).topic("/clash")
    if [message["id"] for _, message in found] != [clash["id"] for clash in clashes]:
        fail("the clashes of play.mcap are not those of detect")
    return clashes


def pipes(journey, clashes):
    mark, info, table = journey.blocks.lines(RECORDING, "| clashctl info -")
    if "three of them" not in journey.run(mark, journey.home):
        fail("the mark is not found")
    wrong = validate.check(journey.run(info, journey.home).rstrip("\n"), "report")
    if wrong:
        fail(f"info --json: {wrong}")
    journey.run(table, journey.home)
    rows = list(csv.DictReader(io.StringIO((journey.home / "contacts.csv").read_text())))
    if not 0 <= len(clashes) - len(rows) <= 1:
        fail(f"{len(clashes)} clashes, and {len(rows)} rows")


def main():
    if tree.cache_value("CLASHD_SANITIZE"):
        tree.skip("a sanitized build is not for installing")
    if not shutil.which("zstd"):
        tree.skip("no zstd here: apt-get install zstd")
    with Journey("journey/analyst") as journey:
        journey.install()
        begin, *lines, replay = journey.blocks.lines(GUIDE, "clashctl tune")
        record(journey, begin)
        clashes = work(journey, lines)
        pipes(journey, clashes)
        serving = journey.clashd(replay)
        journey.run("clashctl watch --events clash --count 1", journey.home)
        journey.end(serving)
    print("a recording was made, looked into, and taken elsewhere")


main()
