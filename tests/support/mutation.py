#!/usr/bin/env python3
"""Changes one comparison or sign of daemon/geometry at a time and says which changes no test notices.

    python3 tests/support/mutation.py --count 150 --seed 1

Picks by the seed, spread evenly over the files. Rebuilds what sees the changed file, links it into the tests of geometry
and runs them, the strongest first, until one fails. A change which no code comes from on this processor is tried with
the portable core instead. Changes that make no difference stand in mutation_equivalent.txt with the reason, and are not
counted. Results: a table, and build/mutation/results.json; the exit code is 1 below 95 % caught."""
import argparse
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))
import mutation_sites  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
GEOMETRY = ROOT / "daemon" / "geometry"
EQUIVALENT = Path(__file__).with_name("mutation_equivalent.txt")
ENOUGH = 0.95
# Chooses by the processor; on one processor nothing can tell.
LEFT_OUT = {"core.h"}
# Strongest and fastest first.
TESTS = ["golden_test", "sweep_test", "distance_test", "shape_test", "outline_test", "push_out_test", "unity_test", "mesh_test",
         "broad_property_test", "push_out_walk_property_test", "terrain_property_test", "mesh_property_test",
         "core_property_test", "parts_ways_property_test", "push_out_property_test", "target_property_test",
         "sweep_property_test", "parts_property_test", "target_ways_property_test", "pipeline_target_test",
         "motion_property_test", "passing_property_test", "tracker_property_test", "sweep_truth_test"]
TEST_SECONDS = 120  # what takes longer goes round in circles
# Optimised, so that tests are fast, and with asserts.
CONFIGURE = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=-O1"]


class Mutant(NamedTuple):
    file: str
    line: int
    was: str
    other: str
    before: str  # the line
    after: str
    text: str  # the whole file

    def name(self):
        return f"{self.file}:{self.line}: {self.was} -> {self.other or 'nothing'}"


class Build:
    """A build of the tree, asked for the commands that make its parts."""

    def __init__(self, directory):
        self.directory = Path(directory)
        cache = (self.directory / "CMakeCache.txt").read_text()
        self.source = re.search(r"CMAKE_HOME_DIRECTORY:INTERNAL=(.*)", cache).group(1)
        entries = json.loads((self.directory / "compile_commands.json").read_text())
        self.compile = {self.object_of(entry): entry["command"] for entry in entries
                        if entry["file"].startswith(f"{self.source}/daemon/geometry/")}
        self.depends = {name: self.dependencies(name) for name in self.compile}

    @staticmethod
    def object_of(entry):
        return shlex.split(entry["command"])[shlex.split(entry["command"]).index("-o") + 1]

    def ninja(self, *arguments):
        done = subprocess.run(["ninja", *arguments], cwd=self.directory, capture_output=True, text=True, check=True)
        return done.stdout

    def dependencies(self, name):
        lines = self.ninja("-t", "deps", name).splitlines()[1:]
        return {Path(line.strip()).name for line in lines if "/daemon/geometry/" in line}

    def link(self, test, target, objects):
        """The command that links a test into target with objects of geometry before all others."""
        command = self.ninja("-t", "commands", "-s", f"tests/{test}").strip().splitlines()[-1]
        words = shlex.split(command.removeprefix(": &&").removesuffix("&& :"))
        place = words.index("-o")
        words[place + 1] = str(target)
        return words[:place] + [str(o) for o in objects] + words[place:]

    def cores(self):
        """The objects of core.c by the name of their set: the one in use here first, the portable one last."""
        sets = {re.search(r"clash_core_(\w+)\.dir", name).group(1): name for name in self.compile
                if re.search(r"/clash_core_(?!instead)\w+\.dir", name)}
        flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
        wanted = {"avx512": "avx512vl", "avx2": "avx2", "portable": ""}
        return {s: sets[s] for s in wanted if s in sets and re.search(rf"\b{wanted[s]}", flags)}


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
        words = shlex.split(self.build.compile[name])
        words = words[1:] if words[0].endswith("ccache") else words
        words = [w for w in words if w != "-Werror"]
        words = [w.replace(f"{self.build.source}/daemon/geometry/", f"{self.tree}/") for w in words]
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
        seen = [name for name in self.build.compile if file in self.build.depends[name]]
        cores = self.build.cores()
        here = next(iter(cores))
        plain = [(name, None) for name in seen if "/clash_objects.dir/" in name]
        own = [[(name, here)] for name in cores.values() if name in seen]
        return [plain + (own[0] if own else []), *own[1:]]

    def changed_objects(self, mutant, group):
        """What differs from the unchanged source's object in a group; None where it does not compile."""
        path = self.tree / mutant.file
        originals = [self.bytes_of(name, core) for name, core in group]
        path.write_text(mutant.text)
        try:
            made = [self.compile(name, core) for name, core in group]
            if None in made:
                return None
            return [o for o, original in zip(made, originals) if o.read_bytes() != original]
        finally:
            shutil.copy(GEOMETRY / mutant.file, path)

    def fails(self, test, objects):
        target = self.directory / test
        subprocess.run(self.build.link(test, target, objects), cwd=self.build.directory, check=True, capture_output=True)
        try:
            done = subprocess.run([str(target)], cwd=self.directory, capture_output=True, timeout=TEST_SECONDS,
                                  check=False)
            return done.returncode != 0
        except subprocess.TimeoutExpired:
            return True

    def judge(self, mutant):
        """(verdict, the test that noticed)"""
        for group in self.groups(mutant.file):
            objects = self.changed_objects(mutant, group)
            if objects is None:
                return "no C", None
            if objects:
                test = next((t for t in self.tests if self.fails(t, objects)), None)
                return ("caught", test) if test else ("survived", None)
        return "same code", None


def mutant_at(file, text, site, other):
    changed = mutation_sites.changed(text, site, other)
    before, after = (whole.splitlines()[site.line - 1].strip() for whole in (text, changed))
    return Mutant(file, site.line, site.was, other, before, after, changed)


def pick(files, count, seed):
    """count mutants, as evenly over the files as their sites allow."""
    generator = random.Random(seed)
    left = {}
    for file in files:
        text = (GEOMETRY / file).read_text()
        left[file] = [mutant_at(file, text, s, generator.choice(s.others)) for s in mutation_sites.sites(text)]
        generator.shuffle(left[file])
    picked = []
    while len(picked) < count and any(left.values()):
        picked += [mutants.pop() for mutants in left.values() if mutants]
    return picked[:count]


def equivalents():
    """{(file, line, changed line): reason} from blocks of: file, - line, + changed line, the reason."""
    known = {}
    text = EQUIVALENT.read_text() if EQUIVALENT.exists() else ""
    for block in re.split(r"\n\s*\n", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).strip()):
        if block:
            file, before, after, *reason = block.splitlines()
            known[file, before[1:].strip(), after[1:].strip()] = " ".join(reason)
    return known


def configure(directory, tests):
    """A build of its own with what the tests need."""
    directory.mkdir(parents=True, exist_ok=True)
    with open(directory / "build.log", "w", encoding="utf-8") as log:
        for command in (["cmake", "-S", str(ROOT), "-B", str(directory), *CONFIGURE],
                        ["ninja", "-C", str(directory), *tests]):
            if subprocess.run(command, stdout=log, stderr=log, check=False).returncode:
                sys.exit(f"the build failed: {directory / 'build.log'} says why")


def run(build, mutants, tests, jobs, directory):
    """Judges all; yields (mutant, verdict, test)."""
    known = equivalents()
    workers = Queue()
    for i in range(jobs):
        workers.put(Worker(build, directory / f"worker{i}", tests))

    def one(mutant):
        if (mutant.file, mutant.before, mutant.after) in known:
            return mutant, "equivalent", None
        worker = workers.get()
        try:
            return (mutant, *worker.judge(mutant))
        finally:
            workers.put(worker)

    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(one, mutants)


def summary(results):
    """Prints the figures; True where enough are caught."""
    verdicts = [verdict for _, verdict, _ in results]
    caught, survived = verdicts.count("caught"), verdicts.count("survived")
    tests = [test for _, _, test in results if test]
    for test in sorted(set(tests), key=tests.count, reverse=True):
        print(f"{tests.count(test):5} by {test}")
    share = caught / max(1, caught + survived)
    print(f"{caught} of {caught + survived} changes caught, {100 * share:.1f} %; not counted: "
          f"{verdicts.count('equivalent')} equivalent, {verdicts.count('same code')} with the same code, "
          f"{verdicts.count('no C')} that do not compile")
    return caught > 0 and share >= ENOUGH


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", nargs="+", help="names in daemon/geometry; all when none is named")
    parser.add_argument("--tests", nargs="+", default=TESTS, help="tests to run, in this order")
    parser.add_argument("--build", type=Path, help="a build with Ninja that is there; else one of its own is made")
    parser.add_argument("--into", type=Path, default=ROOT / "build" / "mutation", help="where builds and results go")
    parser.add_argument("--jobs", type=int, default=1)
    return parser.parse_args(arguments)


def main(arguments=None):
    options = parse(arguments)
    files = options.files or sorted(p.name for p in GEOMETRY.iterdir() if p.suffix in (".c", ".h") and p.name not in LEFT_OUT)
    if not options.build:
        configure(options.into / "base", options.tests)
    build = Build((options.build or options.into / "base").resolve())
    results = []
    for mutant, verdict, test in run(build, pick(files, options.count, options.seed), options.tests, options.jobs,
                                     options.into.resolve()):
        print(f"{time.strftime('%H:%M:%S')} {verdict:10} {mutant.name()}  {test or mutant.after}", flush=True)
        results.append((mutant, verdict, test))
        listed = [{**m._asdict(), "text": None, "verdict": v, "test": t} for m, v, t in results]
        (options.into / "results.json").write_text(json.dumps(listed, indent=1))
    return 0 if summary(results) else 1


if __name__ == "__main__":
    os.nice(5)
    sys.exit(main())
