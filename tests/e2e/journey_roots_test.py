"""The journeys in bare Debian 12 and 13 roots, which have what the README says that a build takes, and what a journey's own document
asks for, and nothing else: clashd is built and installed there as the README has it. Only with CLASHD_JOURNEY_ROOTS=1 (or the names
of suites), as root: it takes minutes. No browser is there, so of the web journey all but the page."""
import fcntl
import os
import subprocess
import sys
from pathlib import Path

SUPPORT = Path(__file__).resolve().parents[1] / "support"
sys.path.insert(0, str(SUPPORT))
import documents  # noqa: E402
SUITES = ("bookworm", "trixie")
JOURNEYS = ("newcomer", "c", "python", "web", "analyst", "operate")
# What the journeys' documents ask for beside a build.
WORK = "gcc g++ libc6-dev python3 python3-jsonschema python3-venv python3-setuptools python3-wheel zstd socat curl nodejs node-ws iproute2"
# Inside: the source is read only there. What is built is kept for the next time, as far as the sources are the same.
INSIDE = """set -eu
mkdir -p /var/tmp/clashd /run/home
cd /var/tmp/clashd
cp -Ru /src/. .
cmake --preset package >/run/build.log && cmake --build --preset package >>/run/build.log || { tail -n 40 /run/build.log; exit 1; }
export CLASHD_BUILD=$PWD/build/package CLASHD_SOURCE=$PWD
for journey in %s; do
    echo "== $journey"
    python3 -B tests/journeys/$journey.py
done
"""


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def said_to_build():
    """The packages that the README names."""
    return documents.packages_to_build()


def run(suite):
    root = Path(os.environ.get("CLASHD_CACHE") or "/var/cache/clashd") / f"{suite}-bare"
    packages = f"{said_to_build()} {WORK}"
    made = subprocess.run(["sh", SUPPORT / "make_root.sh", "--bare", suite, packages, root], check=False)
    if made.returncode != 0:
        return f"{suite}: the root could not be made"
    with open(f"{root}.use", "a", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(["nice", "sh", SUPPORT / "in_root.sh", root, "/bin/sh", "-c", INSIDE % " ".join(JOURNEYS)], check=False,
                              pass_fds=(lock.fileno(),))
    return f"{suite}: a journey failed" if done.returncode != 0 else None


def main():
    wanted = os.environ.get("CLASHD_JOURNEY_ROOTS", "")
    if not wanted:
        skip("it makes Debian roots and builds clashd in them; set CLASHD_JOURNEY_ROOTS=1 to run it")
    if os.geteuid() != 0:
        skip("only root can make a Debian root and namespaces")
    failed = [said for suite in (SUITES if wanted == "1" else wanted.split()) if (said := run(suite))]
    sys.exit("; ".join(failed) if failed else 0)


main()
