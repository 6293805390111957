"""Somebody who keeps clashd running and watches it: the README's lines for metrics and latencies, as they stand. Every query of the
dashboard finds its metric."""
import json
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tree  # noqa: E402
from journey import Journey, fail, need_ports  # noqa: E402

GUIDE = "protocol/GUIDE.md"


def main():
    if tree.cache_value("CLASHD_SANITIZE"):
        tree.skip("a sanitized build is not for installing")
    if not shutil.which("curl"):
        tree.skip("no curl here: apt-get install curl")
    need_ports(4718)
    with Journey("journey/operate") as journey:
        journey.install()
        start, scrape, trace = journey.blocks.lines(GUIDE, "clashctl trace")
        journey.clashd(start).wait_for("WebSocket")
        journey.run("clashctl watch --count 1", journey.home)  # so that there are devices
        page = journey.run(scrape, journey.home)
        dashboard = (tree.ROOT / "daemon" / "metrics" / "grafana.json").read_text()
        for name in set(re.findall(r"clashd_\w+", dashboard)):
            if not name.startswith(("clashd_recorder", "clashd_mqtt", "clashd_osc", "clashd_room")) and f"\n{name}" not in page:
                fail(f"/metrics has no {name}, which the dashboard asks for")
        said = journey.run(f"{trace.partition('#')[0]} 2>&1", journey.home)
        if not re.search(r"\d+ lines of poses: median [\d.]+ ms", said):
            fail(f"trace says {said}")
        if len(json.loads((journey.home / "latency.json").read_text())) < 100:
            fail("there is next to nothing in latency.json")
    print("metrics and latencies of a running clashd were read")


main()
