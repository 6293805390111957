"""Somebody who writes scripts: the Python client's README, from its first line on, without a network; every block of it does what it
says."""
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import journey as support  # noqa: E402
import tree  # noqa: E402

README = "protocol/clients/python/README.md"
IMPORT = "import clashd\n"


def environment(journey, make, folder):
    """By the README's own line; without an index, as pip has to download nothing."""
    for module in ("venv", "ensurepip"):
        if not importlib.util.find_spec(module):
            tree.skip(f"no {module} here: apt-get install python3-venv")
    journey.run(make.replace("-m venv", "-m venv --system-site-packages"), folder)
    journey.env.update(PATH=f"{folder}/venv/bin:{journey.env['PATH']}", PIP_NO_INDEX="1",
                       PIP_DISABLE_PIP_VERSION_CHECK="1", PYTHONUNBUFFERED="1")


def script(journey, text, pattern):
    """Runs a script until it says that."""
    (journey.home / "script.py").write_text(text)
    process = journey.start("python3 script.py", journey.home)
    found = process.wait_for(pattern)
    journey.end(process)
    return found


def words_of_a_comment(text):
    """What the comment behind print() says comes out, as a pattern."""
    return re.escape(re.search(r"print\(error\) +# (.+)", text)[1]).replace(r"\(\.\.\)", r"\(.*\)")


def live(journey):
    point = r"\(-?[\d.e-]+, -?[\d.e-]+, -?[\d.e-]+\) [\d.e-]+$"
    take = journey.blocks
    missing = take.block(README, "clashd.ConnectError")
    script(journey, IMPORT + missing, words_of_a_comment(missing))
    script(journey, take.block(README, "with clashd.connect() as c:\n    for clash"), point)
    script(journey, take.block(README, "async def main"), point)
    own = "c = clashd.connect()\n" + take.block(README, 'c.target("post"') + take.block(README, "feed.push(")
    script(journey, IMPORT + own + "print(c.status().clients, [b.name for b in clashd.connect().hello.blades])\n", r"^\d+ \[.*'npc'")


def recordings(journey):
    shutil.copy(tree.ROOT / "tests/data/standin-10s.jsonl.zst", journey.home / "duel.jsonl.zst")
    first, tables = journey.blocks.block(README, "clashd.Recording("), journey.blocks.block(README, "to_numpy()")
    (journey.home / "script.py").write_text(IMPORT + first)
    said = journey.run("python3 script.py", journey.home).splitlines()
    text = subprocess.run(["zstd", "-dc", journey.home / "duel.jsonl.zst"], capture_output=True, text=True, check=True).stdout
    clashes = [json.loads(line) for line in text.splitlines() if line.startswith('{"type":"clash"')]
    wanted = [f"{clash['time_ns'] / 1e9} {clash['closing_speed']}" for clash in clashes]
    if said[0] != "stage ['left', 'right']" or said[1:] != wanted:
        support.fail(f"of the recording it says {said[:3]}, and there are {wanted[:3]}")
    if not all(map(importlib.util.find_spec, ("numpy", "pandas"))):
        print("note: no NumPy or pandas here")
        return
    (journey.home / "script.py").write_text(IMPORT + first + tables)
    if f"count  {len(clashes):.6f}" not in re.sub(" +", "  ", journey.run("python3 script.py", journey.home)):
        support.fail("the table has not all clashes")


def main():
    if tree.cache_value("CLASHD_SANITIZE"):
        tree.skip("a sanitized build is not for installing")
    if not shutil.which("zstd"):
        tree.skip("no zstd here")
    support.need_ports(4717)
    with support.Journey("journey/python") as journey:
        journey.install()
        folder = journey.folder("protocol/clients/python")
        make, pip, sparks = journey.blocks.lines(README, "pip install .")
        without, = journey.blocks.lines(README, "PYTHONPATH=src")
        journey.env["PATH"] = path = f"{Path(sys.executable).parent}:{journey.env['PATH']}"
        environment(journey, make, folder)
        journey.run(pip, folder)
        where = journey.run("python3 -c 'import clashd; print(clashd.__file__)'", journey.home)
        if "venv" not in where:
            support.fail(f"the module is {where}")
        journey.clashd()
        for line, more in ((sparks, {}), (without, {"PATH": path})):
            journey.start(line, folder, **more).wait_for("spark at .*(left against right|right against left)")
        live(journey)
        recordings(journey)
    print("the README of the Python client ran")


main()
