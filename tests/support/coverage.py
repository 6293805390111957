#!/usr/bin/env python3
"""The line coverage of rooms, from a build that has run its tests: a table of files and of rooms, an HTML report, and
exit code 1 where a room is below the limit.

    coverage.py BUILD        the report goes into BUILD/report

The inline functions of include/clash count with geometry. Lines marked GCOV_EXCL are left out and counted in the table."""
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 95.0
ROOMS = {"geometry": ("daemon/geometry/", "include/clash/"), "pipeline": ("daemon/pipeline/",), "protocol": ("protocol/",),
         "ipc": ("daemon/ipc/",)}
CLIENTS = "protocol/clients/"  # other programs' side of it


def gcovr(build):
    """What gcovr found, as {file: {line number: times run}}; writes the HTML report too."""
    report = build / "report"
    report.mkdir(exist_ok=True)
    filters = [word for places in ROOMS.values() for place in places for word in ("--filter", f"{ROOT}/{place}")]
    command = ["gcovr", "--root", str(ROOT), *filters, "--exclude", f"{ROOT}/{CLIENTS}", "--exclude-unreachable-branches",
               "--html-details", str(report / "index.html"), "--json", str(report / "lines.json"), str(build)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    files = json.loads((report / "lines.json").read_text())["files"]
    return {f["file"]: {n["line_number"]: n["count"] for n in f["lines"] if not n["gcovr/noncode"]} for f in files}


def excluded(name):
    """How many lines of a file are marked as left out, with the reason beside the mark."""
    text = (ROOT / name).read_text()
    blocks = re.findall(r"GCOV_EXCL_START.*?GCOV_EXCL_STOP", text, flags=re.DOTALL)
    return sum(block.count("\n") - 1 for block in blocks) + text.count("GCOV_EXCL_LINE")


def row(name, run, lines, left_out, missing=""):
    share = 100.0 * run / lines if lines else 100.0
    more = f"  {left_out} left out" if left_out else ""
    print(f"{share:6.1f} %  {run:5} of {lines:5}  {name}{more}{missing}")
    return share


def numbers(missing):
    """1 2 3 7 as 1-3,7."""
    spans = []
    for line in missing:
        if spans and line == spans[-1][1] + 1:
            spans[-1][1] = line
        else:
            spans.append([line, line])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)


def room(name, places, files):
    """Prints a room's files and sum; the share of its lines that ran."""
    run = lines = left_out = 0
    for file, counts in sorted(files.items()):
        if not file.startswith(places):
            continue
        missing = sorted(line for line, count in counts.items() if count == 0)
        row(f"  {file}", len(counts) - len(missing), len(counts), excluded(file), f"  {numbers(missing)}" * bool(missing))
        run, lines, left_out = run + len(counts) - len(missing), lines + len(counts), left_out + excluded(file)
    return row(f"{name}", run, lines, left_out) if lines else 0.0


def main():
    files = gcovr(Path(sys.argv[1]).resolve())
    shares = {name: room(name, places, files) for name, places in ROOMS.items()}
    below = [name for name, share in shares.items() if share < LIMIT]
    if below:
        print(f"Below {LIMIT:.0f} %: {', '.join(below)}")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
