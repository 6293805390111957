"""Somebody who wants to see a clash: the README's first lines, as they stand. The first event that comes has the fields that the
README shows, and so have the first lines of PROTOCOL.md. With CLASHD_JOURNEY_FULL=1 also the demo and the build, from a checkout
of its own."""
import json
import os
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tree  # noqa: E402
from journey import Journey, fail  # noqa: E402

BUILD_S = 3600  # far beyond what a build takes
README, GUIDE, PROTOCOL = "README.md", "protocol/GUIDE.md", "protocol/PROTOCOL.md"


def shown(text):
    """The fields of the event that a block shows, broken over lines; those before `...` where it is cut."""
    joined = " ".join(text.split())
    return list(json.loads(re.sub(r", ?\.\.\.", "", joined)))


def listen(journey, document):
    """The line that subscribes, and what comes of it."""
    line, _, told = journey.blocks.block(document, "socat").partition("\n")
    if not told.strip():
        told = journey.blocks.block(document, '{"type":"clash"')
    listening = journey.start(line, journey.home)
    came = json.loads(listening.wait_for(r'^\{"type":"clash".*')[0])
    if json.loads(listening.said[0])["type"] != "hello":
        fail(f"the first line is {listening.said[0]!r}")
    wanted = shown(told[told.index('{"type":"clash"'):])
    if [name for name in came if name in wanted] != wanted:
        fail(f"{document} shows {wanted}, and {list(came)} came")
    journey.end(listening)


def build(journey):
    """What takes minutes: from a checkout of its own, as the README has it."""
    demo, install = journey.blocks.lines(README, "daemon/demo.sh"), journey.blocks.lines(GUIDE, "sudo cmake --install")
    if os.environ.get("CLASHD_JOURNEY_FULL") == "1":
        checkout = journey.home / "clashd"
        journey.run(f"git clone -q {tree.ROOT} {checkout}", journey.home, GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="safe.directory",
                    GIT_CONFIG_VALUE_0="*")
        if not re.search(r"clashd reported [1-9]\d* clashes", journey.run(demo[0], checkout, BUILD_S)):
            fail("the demo reports no clash")
        for line in install:
            journey.run(line.replace("sudo cmake --install", f"DESTDIR={journey.home}/root cmake --install"), checkout, BUILD_S)
    return journey.blocks.lines(README, "clashctl watch")


def main():
    if tree.cache_value("CLASHD_SANITIZE"):
        tree.skip("a sanitized build is not for installing")
    if not shutil.which("socat"):
        tree.skip("no socat here: apt-get install socat")
    with Journey("journey/newcomer") as journey:
        journey.install()
        clashd, watch = build(journey)
        journey.clashd(clashd)
        journey.start(watch, journey.home).wait_for("clash.*(left.*right|right.*left)")
        listen(journey, GUIDE)
        listen(journey, PROTOCOL)
    print("the README's first lines ran")


main()
