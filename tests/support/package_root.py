"""Packages in a Debian of their own: built there, installed by apt beside nothing else, used as the README says, upgraded from those of
the commit before, removed and purged. Called by e2e/package_test.py, as root."""
import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import documents

SUPPORT = Path(__file__).resolve().parent
SOURCE = SUPPORT.parents[1]
SUITES = ("bookworm", "trixie")
# In the root with the compiler, as the README has it but for where it is built: $1 the source, $2 where, $3 what is behind the version,
# $4 where the packages go, $5 of which commit. What was built last time is kept for the same commit alone: files of another one may
# be older than what was made of these.
BUILD = """
set -eu
build=/var/tmp/clashd-package-$2
cd "$1"
[ "$5" ] && [ "$(cat "$build.commit" 2>/dev/null)" = "$5" ] || rm -rf "$build"
echo "$5" >"$build.commit"
{ cmake --preset deb -B "$build" -DCLASHD_PACKAGE_SUFFIX="$3" && nice cmake --build "$build" --target all packages; } \\
    >"$build.log" 2>&1 || { tail -n 60 "$build.log"; exit 1; }
mkdir -p "$4"
cp "$build"/packages/*.deb "$4"
rm -rf "$build/packages"
cat "$build.log"
"""
# What the build prints if the page's packages could not be installed.
NO_PAGE = "clashd is built without its page: the packages"


def sh(*words, **more):
    """What it says is shown where it fails."""
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          stdin=subprocess.DEVNULL, **more)
    if done.returncode:
        sys.exit(f"{' '.join(str(word) for word in words)[:200]}: exit code {done.returncode}\n{done.stdout[-6000:]}")
    return done.stdout


def make(suite, kind, packages):
    root = Path(os.environ.get("CLASHD_CACHE") or "/var/cache/clashd") / f"{suite}-{kind}"
    sh("sh", SUPPORT / "make_root.sh", "--bare", suite, packages, root)
    return root


def inside(root, share, script, *words):
    return sh("sh", SUPPORT / "in_root.sh", root, "/bin/sh", "-c", script, "sh", *words,
              env={**os.environ, "CLASHD_ROOT_SHARE": str(share)})


GIT = ("git", "-c", "safe.directory=*", "-C", str(SOURCE))


def unpack(command, target):
    """What that command writes as a tar file."""
    target.mkdir()
    archive = subprocess.Popen(command, stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", target], stdin=archive.stdout, check=True)
    assert archive.wait() == 0
    return target


def previous(target):
    """The source of CLASHD_PACKAGES_BEFORE, of itself of the commit before, and its commit, if that made packages; else None."""
    before = os.environ.get("CLASHD_PACKAGES_BEFORE", "HEAD~1")
    listed = subprocess.run([*GIT, "ls-tree", "--name-only", before, "daemon/package/package.cmake"], capture_output=True, text=True,
                            check=False)
    if listed.returncode or not listed.stdout:
        return None
    unpack([*GIT, "archive", before], target)
    return sh(*GIT, "rev-parse", before).strip()


def build(suite, share):
    """Into share/old and share/new; share/page is there if the new clashd has its page."""
    root = make(suite, "package-build", f"{documents.packages_to_build()} {documents.packages_of_page()}")
    with open(f"{root}.use", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # A copy, as npm writes beside the page's source.
        unpack(["tar", "-C", SOURCE, "--exclude=./build", "--exclude=./.git", "--exclude=node_modules*", "-cf", "-", "."], share / "now")
        before = previous(share / "before")
        if not before:
            print("note: the commit before makes no packages, so these are upgraded from their like")
        inside(root, share, BUILD, *(("/run/shared/before", "before") if before else ("/run/shared/now", "now")), "~before", "/run/shared/old", before or "")
        said = inside(root, share, BUILD, "/run/shared/now", "now", "", "/run/shared/new", "")
        if NO_PAGE in said:
            print("note: npm's registry is out of reach, so these packages have no page")
        else:
            (share / "page").touch()


def check(suite):
    bare = make(suite, "package-try", "ca-certificates")
    with tempfile.TemporaryDirectory(prefix="clashd-packages-", dir=bare.parent) as directory:
        place = Path(directory)
        (place / "share").mkdir()
        build(suite, place / "share")
        with open(f"{bare}.use", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            sh("cp", "-a", bare, place / "root")
        shutil.rmtree(place / "root/src", ignore_errors=True)
        said = inside(place / "root", place / "share", (SUPPORT / "package_try.sh").read_text())
        steps = re.findall(r"(?m)^== .*", said)
        assert steps and steps[-1] == "== all right", said[-6000:]
        print(f"{suite}:", *[step[3:] for step in steps], sep="\n  ")
