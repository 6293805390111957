"""The journeys in bare Debian 12 and 13 roots, which have what the README says that a build takes, and what a journey's own document
asks for, and nothing else: clashd is built and installed there as the README has it. A journey that is skipped there has failed.
Only with CLASHD_JOURNEY_ROOTS=1 (or the names of suites), as root: it takes minutes. Neither Debian has Godot 4: that one is in the
root of its own that the tests of the addon use, entered from within."""
import fcntl
import os
import subprocess
import sys
from pathlib import Path

SUPPORT = Path(__file__).resolve().parents[1] / "support"
sys.path.insert(0, str(SUPPORT))
import documents  # noqa: E402
SUITES = ("bookworm", "trixie")
JOURNEYS = sorted(path.stem for path in (SUPPORT.parent / "journeys").glob("*.py"))
# What the journeys' documents ask for beside a build: compilers, Python with what its README names, Node and a browser; and Mono,
# which stands in for Unity.
WORK = ("gcc g++ libc6-dev python3 python3-jsonschema python3-venv python3-numpy python3-pandas zstd "
        "socat curl nodejs node-ws npm chromium iproute2 mono-mcs mono-runtime libmono-system-core4.0-cil")
# Inside: the source is read only there. What is built is kept for the next time, when only files that have another text are copied, which
# are then new: those of another checkout may be older than what was made of these.
INSIDE = """set -eu
mkdir -p /var/tmp/clashd /run/home /run/source
tar -C /src --exclude=./build --exclude=./.git --exclude='node_modules*' -cf - . | tar -C /run/source -xf -
cd /var/tmp/clashd
find . -path ./build -prune -o -type f -print | while read -r file; do [ -f "/run/source/$file" ] || rm "$file"; done
(cd /run/source && find . -type f -print) | while read -r file; do
    cmp -s "/run/source/$file" "$file" || { mkdir -p "${file%%/*}" && cp "/run/source/$file" "$file"; }
done
began=$(date +%%s)
cmake --preset package >/run/build.log && cmake --build --preset package >>/run/build.log || { tail -n 40 /run/build.log; exit 1; }
echo "== built after $(($(date +%%s) - began)) s"
export CLASHD_BUILD=$PWD/build/package CLASHD_SOURCE=$PWD CLASHD_BROWSER=1 CLASHD_GODOT=1 CLASHD_CACHE=$0
for journey in %s; do
    echo "== $journey"
    began=$(date +%%s)
    python3 -B tests/journeys/$journey.py
    echo "== $journey: $(($(date +%%s) - began)) s"
done
"""


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def said_to_build():
    """The packages that the README names."""
    return documents.packages_to_build()


def make(*words):
    return subprocess.run(["sh", SUPPORT / "make_root.sh", *words], check=False).returncode == 0


def run(suite):
    cache = Path(os.environ.get("CLASHD_CACHE") or "/var/cache/clashd")
    root, godot = cache / f"{suite}-bare", cache / "sid-godot"
    if not make("--bare", suite, f"{said_to_build()} {WORK}", root) or not make("--godot", godot):
        return f"{suite}: the root could not be made"
    with open(f"{root}.use", "a", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(["nice", "sh", SUPPORT / "in_root.sh", root, "/bin/sh", "-c", INSIDE % " ".join(JOURNEYS), str(cache)],
                              check=False, pass_fds=(lock.fileno(),), env={**os.environ, "CLASHD_ROOT_INNER": str(godot)})
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
