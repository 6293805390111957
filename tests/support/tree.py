"""What the lint tests share: which files the project has, how a test is skipped, and how a verdict is given.

A check is a function of text that returns messages. verdict() first runs it on text that breaks the rule: a check that
stays silent there could never fail."""
import fnmatch
import os
import re
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


def version():
    """The one of CMakeLists.txt, which everything has."""
    return re.search(r"^project\(\w+ VERSION (\d+\.\d+\.\d+) ", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]


def known_to_git():
    """The names that git has or is about to have; None where this is no checkout, as what came from a tarball."""
    # The checkout may belong to somebody else, as in a container: reading names from it is harmless.
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    if not (ROOT / ".git").exists():  # a checkout around it says nothing of it
        return None
    try:
        listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    return listed.split("\0")


def found_by_walking():
    """The same by looking: all but what .gitignore names."""
    patterns = [".git", *(line.strip().strip("/") for line in (ROOT / ".gitignore").read_text().splitlines())]
    for directory, names, found in os.walk(ROOT):
        names[:] = [name for name in names if not any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]
        yield from (os.path.relpath(os.path.join(directory, name), ROOT) for name in found
                   if not any(fnmatch.fnmatch(name, pattern) for pattern in patterns))


def files():
    """The project's files, sorted, relative to its root."""
    names = known_to_git()
    if names is None:
        names = found_by_walking()
    return sorted(name for name in set(names) if name and (ROOT / name).is_file())


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
