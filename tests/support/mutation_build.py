"""Judges one change of a file of daemon/geometry: makes anew what sees that file, beside a finished build, links it into
tests in front of the library's own, and runs them. Knows nothing of which changes there are."""
import functools
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GEOMETRY = ROOT / "daemon" / "geometry"
# They say that something changed, not what is right.
HASHES = {"golden_test"}
SLOWER = 10  # times as long as unchanged, and a test goes round in circles
ALL_CASES, FEW_CASES = "1", "0.1"  # for CLASHD_CASES: what is caught with few is caught soon


def with_cases(share):
    return {**os.environ, "CLASHD_CASES": share}


class Build:
    """A build of the tree, asked for the commands that make its parts."""

    def __init__(self, directory):
        self.directory = Path(directory)
        cache = (self.directory / "CMakeCache.txt").read_text()
        self.source = re.search(r"CMAKE_HOME_DIRECTORY:INTERNAL=(.*)", cache).group(1)
        entries = json.loads((self.directory / "compile_commands.json").read_text())
        self.commands = {self.object_of(entry): entry["command"] for entry in entries}
        self.geometry = [self.object_of(entry) for entry in entries
                         if entry["file"].startswith(f"{self.source}/daemon/geometry/")]
        self.limits, self.lock = {}, threading.Lock()

    @staticmethod
    def object_of(entry):
        return shlex.split(entry["command"])[shlex.split(entry["command"]).index("-o") + 1]

    def ninja(self, *arguments):
        done = subprocess.run(["ninja", *arguments], cwd=self.directory, capture_output=True, text=True, check=True)
        return done.stdout

    @functools.cache
    def dependencies(self, name):
        """The files of geometry that an object was made of."""
        lines = self.ninja("-t", "deps", name).splitlines()[1:]
        return {Path(line.strip()).name for line in lines if "/daemon/geometry/" in line}

    @functools.cache
    def link(self, test):
        """The words of the command that links a test."""
        command = self.ninja("-t", "commands", "-s", f"tests/{test}").strip().splitlines()[-1]
        return shlex.split(command.removeprefix(": &&").removesuffix("&& :"))

    def cores(self):
        """The objects of the core's units by the name of their set: the set in use here first, the portable one last."""
        sets = {}
        for name in self.geometry:
            if found := re.search(r"/clash_core_(?!instead)(\w+)\.dir", name):
                sets.setdefault(found.group(1), []).append(name)
        flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
        wanted = {"avx512": "avx512vl", "avx2": "avx2", "portable": ""}
        return {s: sets[s] for s in wanted if s in sets and re.search(rf"\b{wanted[s]}", flags)}

    def limit(self, test, share):
        """The seconds of processor time that a test may take with a share of its cases: from what it takes unchanged.
        None where it fails unchanged, as some do that count what became of their cases."""
        with self.lock:
            if (test, share) not in self.limits:
                with subprocess.Popen([str(self.directory / "tests" / test)], cwd=self.directory, env=with_cases(share),
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                    _, status, usage = os.wait4(process.pid, 0)
                    process.returncode = os.waitstatus_to_exitcode(status)
                if process.returncode and share == ALL_CASES:
                    sys.exit(f"{test} fails with nothing changed")
                seconds = 2 + SLOWER * round(usage.ru_utime + usage.ru_stime)
                self.limits[test, share] = None if process.returncode else seconds
            return self.limits[test, share]

    def fingerprint(self, test=None):
        """Of the source as it stands, and of a test's executable, which all that it rests on is linked into."""
        files = sorted(f for f in GEOMETRY.iterdir() if f.suffix in {".c", ".h", ".inl"}) + ([self.directory / "tests" / test] if test else [])
        return hashlib.sha256(b"".join(hashlib.sha256(f.read_bytes()).digest() for f in files)).hexdigest()


class Worker:
    """A copy of geometry's source, to change, and a place for what is made of it."""

    def __init__(self, build, directory, tests):
        self.build, self.directory, self.tests = build, directory, tests
        self.tree = directory / "tree" / "daemon" / "geometry"
        shutil.rmtree(directory, ignore_errors=True)
        shutil.copytree(GEOMETRY, self.tree)
        self.original = {}

    def compile(self, name, core_name=None):
        """An object made anew, None where the source does not compile. With core_name: as the core of that name."""
        words = shlex.split(self.build.commands[name])
        words = words[1:] if words[0].endswith("ccache") else words
        words = [w for w in words if w != "-Werror"]
        words = [w.replace(f"{self.build.source}/daemon/geometry/", f"{self.tree}/") for w in words]
        words.insert(1, f"-I{self.tree.parent}")  # for tests that have "geometry/core.c" in them
        if core_name:
            words = [f"-DCORE_NAME=core_{core_name}" if w.startswith("-DCORE_NAME=") else w for w in words]
        target = self.directory / f"{Path(name).parent.name}_{Path(name).name}"
        words[words.index("-o") + 1] = str(target)
        done = subprocess.run([*words, "-w"], cwd=self.build.directory, capture_output=True, check=False)
        return target if done.returncode == 0 else None

    def bytes_of(self, name, core_name):
        """The object's code as the unchanged source gives it: asked for before anything is changed."""
        key = (name, core_name)
        if key not in self.original:
            made = self.compile(name, core_name)
            self.original[key] = made.read_bytes()
        return self.original[key]

    def groups(self, file):
        """The objects that see a file, as (object, core name or None): first those in use here, then other cores."""
        seen = [name for name in self.build.geometry if file in self.build.dependencies(name)]
        cores = self.build.cores()
        here = next(iter(cores))
        plain = [(name, None) for name in seen if "/clash_objects.dir/" in name]
        own = [names for units in cores.values() if (names := [(name, here) for name in units if name in seen])]
        return [plain + (own[0] if own else []), *own[1:]]

    def changed_objects(self, group, originals):
        """What differs from the unchanged source's object in a group; None where it does not compile."""
        made = [self.compile(name, core) for name, core in group]
        return None if None in made else [o for o, original in zip(made, originals) if o.read_bytes() != original]

    def link(self, test, file, objects):
        """A test's executable with objects of geometry before all others, and its own made anew where it sees the file."""
        words, target = list(self.build.link(test)), self.directory / test
        own = f"tests/CMakeFiles/{test}.dir/"
        for i, word in enumerate(words):
            if word.startswith(own) and file in self.build.dependencies(word):
                words[i] = str(self.compile(word))
        place = words.index("-o")
        words[place + 1] = str(target)
        subprocess.run(words[:place] + [str(o) for o in objects] + words[place:], cwd=self.build.directory, check=True,
                       capture_output=True)
        return target

    def run(self, target, share):
        """What became of a test: its exit code, negative where it was killed; 0 where it is not to be run."""
        limit = self.build.limit(target.name, share)
        if limit is None:
            return 0
        limited = ["sh", "-c", 'ulimit -c 0; ulimit -t "$1"; exec "$2"', "sh", str(limit), str(target)]
        done = subprocess.run(limited, cwd=self.directory, env=with_cases(share), stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False)
        return done.returncode

    def noticed_by(self, file, objects, tests):
        """The first test that fails with the objects, None if none does: all with few cases, then those that passed."""
        trials = [(t, FEW_CASES) for t in tests if t not in HASHES] + [(t, ALL_CASES) for t in tests]
        targets = {}
        for test, share in trials:
            targets[test] = targets.get(test) or self.link(test, file, objects)
            code = self.run(targets[test], share)
            if code < 0 or (code > 0 and (share == ALL_CASES or self.run(targets[test], ALL_CASES))):
                return test
        return None

    def order(self, file, first):
        """The tests: the one that is likeliest to notice first, then those named as the file is, mere hashes last."""
        words = set(file.partition(".")[0].split("_"))
        return sorted(self.tests, key=lambda t: (t in HASHES, t != first, not words & set(t.split("_"))))

    def judge(self, mutant, first=None):
        """(verdict, the test that noticed); first: the test to begin with"""
        path = self.tree / mutant.file
        try:
            for group in self.groups(mutant.file):
                shutil.copy(GEOMETRY / mutant.file, path)
                originals = [self.bytes_of(name, core) for name, core in group]
                path.write_text(mutant.text)
                objects = self.changed_objects(group, originals)
                if objects is None:
                    return "no C", None
                if objects:
                    test = self.noticed_by(mutant.file, objects, self.order(mutant.file, first))
                    return ("caught", test) if test else ("survived", None)
            return "same code", None
        finally:
            shutil.copy(GEOMETRY / mutant.file, path)
