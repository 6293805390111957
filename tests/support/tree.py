"""What the lint tests share: which files the project has, how a test is skipped, and how a verdict is given.

A check is a function of text that returns messages. verdict() first runs it on text that breaks the rule: a check that
stays silent there could never fail."""
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(os.environ.get("CLASHD_SOURCE", Path(__file__).resolve().parents[2]))
BUILD = Path(os.environ.get("CLASHD_BUILD", ROOT / "build" / "release"))


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def cache_value(name):
    """What CMake's cache of the build says of a variable, or the empty string."""
    for line in (BUILD / "CMakeCache.txt").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return line.split("=", 1)[1]
    return ""


def files():
    """The project's files, sorted, relative to its root: known to git or about to be. Needs a git checkout."""
    # The checkout may belong to somebody else, as in a container: reading names from it is harmless.
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        skip("not a git checkout, so the project's files are not known")
    return sorted(name for name in set(listed.split("\0")) if name and (ROOT / name).is_file())


def sources(*endings):
    return [name for name in files() if name.endswith(endings)]


def text(name):
    return (ROOT / name).read_text(errors="replace")


def verdict(problems, checked):
    """Prints the problems and exits 1, or says what was looked at and exits 0."""
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems in {checked}")
    sys.exit(1 if problems else 0)


def must_report(what, problems):
    """The self-test: `problems` come from text that is wrong on purpose."""
    if not problems:
        sys.exit(f"the check does not see {what}")


def must_accept(what, problems):
    """The self-test's other half."""
    if problems:
        sys.exit(f"the check objects to {what}: {problems}")
