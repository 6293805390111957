"""clang-tidy has nothing to say about any C file that is built. Slow, so only where CLASHD_TIDY=1 or CI=true; with
CLASHD_TIDY=changed of the C files that the commits of the last 16 hours changed, a long day's, and, for each header that they changed, one
file that includes it: what tidy says of a header it says wherever it is included."""
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tree  # noqa: E402


HOURS = 16


def complaints(tool, database, name):
    done = subprocess.run([tool, "-p", str(database), "--quiet", name], cwd=tree.ROOT, capture_output=True, text=True)
    return [done.stdout.strip() or done.stderr.strip()] if done.returncode else []


def of_one_way(tool, entry):
    """Each way in which a file is built by itself: of two in one process, clang-tidy 14 takes the second's va_list for none."""
    with tempfile.TemporaryDirectory() as directory:
        (Path(directory) / "compile_commands.json").write_text(json.dumps([entry]))
        return complaints(tool, directory, os.path.join(entry["directory"], entry["file"]))


def ways(database):
    """Every file with every set of options; which object they make is no difference."""
    found = {}
    for entry in database:
        name = os.path.join(entry["directory"], entry["file"])
        if name.startswith(str(tree.ROOT)) and not name.startswith(str(tree.BUILD)):
            found.setdefault((name, re.sub(r" -o \S+", "", entry["command"])), entry)
    return [found[key] for key in sorted(found)]


def git(*words):
    return subprocess.run(["git", *words], cwd=tree.ROOT, capture_output=True, text=True, check=True).stdout.split()


def changed():
    """Names of C files and headers, moved ones left out unless they were edited, too; None where no history says."""
    try:
        newest = int(git("log", "-1", "--format=%ct")[0])
        before = git("rev-list", "-1", f"--before={newest - HOURS * 3600}", "HEAD")
        return git("diff", "--name-only", "--find-renames", "--diff-filter=ACMRT", "--relative", before[0], "--",
                   "*.c", "*.h", "*.inl") if before else None
    except (OSError, subprocess.CalledProcessError):
        return None


def included_by(entry):
    """The headers of this tree that a file includes, by its compiler."""
    words = [*shlex.split(re.sub(r" (-o|-MF|-MT) \S+| -MD| -c", "", entry["command"])), "-MM"]
    done = subprocess.run(words, cwd=entry["directory"], capture_output=True, text=True)
    return {os.path.relpath(os.path.join(entry["directory"], name), tree.ROOT)
            for name in done.stdout.replace("\\\n", " ").split()[1:]}


def of_the_last_hours(entries, pool):
    names = changed()
    if names is None:
        return entries
    relative = {id(entry): os.path.relpath(os.path.join(entry["directory"], entry["file"]), tree.ROOT)
                for entry in entries}
    chosen = [entry for entry in entries if relative[id(entry)] in names]
    headers = {name for name in names if not name.endswith(".c")}
    ordered = [*chosen, *(entry for entry in entries if entry not in chosen)] if headers else []
    for entry, included in zip(ordered, pool.map(included_by, ordered)):
        found = included & headers
        if found and entry not in chosen:
            chosen.append(entry)
        headers -= found
    return chosen


def self_test(tool):
    """A loop whose body is empty by mistake, in a directory with the project's settings and a database of its own."""
    with tempfile.TemporaryDirectory() as directory:
        shutil.copy(tree.ROOT / ".clang-tidy", directory)
        source = Path(directory) / "wrong.c"
        source.write_text("int f(int n);\nint f(int n)\n{\n    while (n > 0);\n        n--;\n    return n;\n}\n")
        command = {"directory": directory, "file": str(source), "command": f"cc -c {source}"}
        (Path(directory) / "compile_commands.json").write_text(json.dumps([command]))
        tree.must_report("a stray semicolon", complaints(tool, directory, str(source)))


def main():
    wanted = os.environ.get("CLASHD_TIDY", os.environ.get("CI"))
    if wanted not in ("1", "true", "changed"):
        tree.skip("slow; CLASHD_TIDY=1 runs it")
    tool = shutil.which("clang-tidy")
    if not tool:
        tree.skip("clang-tidy is not installed")
    self_test(tool)
    database = json.loads((tree.BUILD / "compile_commands.json").read_text())
    entries = ways(database)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        if wanted == "changed":
            entries = of_the_last_hours(entries, pool)
        found = list(pool.map(lambda entry: of_one_way(tool, entry), entries))
    tree.verdict([problem for problems in found for problem in problems], f"{len(entries)} ways to build C files")


main()
