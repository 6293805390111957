#!/usr/bin/env python3
"""Changes one comparison or sign of daemon/geometry at a time and says which changes no test notices.

    python3 tests/support/mutation.py --count 160 --seed 1

Picks by the seed, spread evenly over the files. Rebuilds what sees the changed file, links it into the tests of geometry
and runs them, the likeliest first, until one fails; those that only compare hashes come last, so that it is known how many
changes nothing else notices. A change which no code comes from on this processor is tried with the portable core instead.
Changes that make no difference stand in mutation_equivalent.txt with the reason, and are not counted. Results: a table,
and build/mutation/results.json, which --resume goes on from; the exit code is 1 below 95 % caught."""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from queue import Queue
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))
import mutation_sites  # noqa: E402
from mutation_build import GEOMETRY, HASHES, ROOT, Build, Worker  # noqa: E402

EQUIVALENT = Path(__file__).with_name("mutation_equivalent.txt")
ENOUGH = 0.95
# Chooses by the processor; on one processor nothing can tell.
LEFT_OUT = {"core.h"}
# Fast ones first; the two of steps have to be compiled anew where the core has changed.
TESTS = ["pose_test", "vector_test", "ray_test", "distance_test", "sweep_test", "shape_test", "outline_test",
         "sketch_test", "push_out_test", "unity_test", "mesh_test", "mesh_closed_test", "line_property_test", "ray_property_test",
         "overlaps_property_test", "steps_bounds_property_test", "sweep_truth_test", "broad_property_test",
         "push_out_walk_property_test", "push_from_property_test", "walk_property_test", "terrain_property_test",
         "mesh_property_test", "pipeline_target_test", "passing_property_test", "parts_ways_property_test",
         "push_out_property_test", "target_property_test", "sweep_property_test", "core_property_test",
         "parts_property_test", "target_ways_property_test", "motion_property_test", "tracker_property_test",
         "push_out_surface_property_test", "terrain_truth_property_test", "push_work_property_test",
         "push_least_property_test", "steps_usual_property_test",
         "steps_property_test", "golden_test"]
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

    def key(self):
        return json.dumps(self[:-1])

    def name(self):
        return f"{self.file}:{self.line}: {self.was} -> {self.other or 'nothing'}"


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


class Results:
    """What is known of mutants, kept in a file: what was true of the same source and the same test still is."""

    def __init__(self, path, build, resume):
        self.path, self.build = path, build
        self.before = json.loads(path.read_text()) if resume and path.exists() else {}
        self.kept = dict(self.before)

    def known(self, mutant):
        """(verdict, test) where they need no new trial, else None. What tests missed is tried again: they may be better."""
        entry = self.before.get(mutant.key())
        if not entry or entry["verdict"] in ("survived", "equivalent") or entry["test"] in HASHES:
            return None
        return (entry["verdict"], entry["test"]) if entry["of"] == self.build.fingerprint(entry["test"]) else None

    def noticed_by(self, mutant):
        return self.before.get(mutant.key(), {}).get("test")

    def keep(self, mutant, verdict, test):
        self.kept[mutant.key()] = {"verdict": verdict, "test": test, "of": self.build.fingerprint(test)}
        self.path.write_text(json.dumps(self.kept, indent=1))


def run(build, mutants, options, kept):
    """Judges all; yields (mutant, verdict, test)."""
    equivalent = equivalents()
    workers = Queue()
    for i in range(options.jobs):
        workers.put(Worker(build, options.into.resolve() / f"worker{i}", options.tests))

    def one(mutant):
        if (mutant.file, mutant.before, mutant.after) in equivalent:
            return mutant, "equivalent", None
        if kept.known(mutant):
            return (mutant, *kept.known(mutant))
        worker = workers.get()
        try:
            return (mutant, *worker.judge(mutant, kept.noticed_by(mutant)))
        finally:
            workers.put(worker)

    with ThreadPoolExecutor(options.jobs) as pool:
        for done in as_completed([pool.submit(one, mutant) for mutant in mutants]):
            yield done.result()


def summary(results):
    """Prints the figures; True where enough are caught."""
    verdicts = [verdict for _, verdict, _ in results]
    caught, survived = verdicts.count("caught"), verdicts.count("survived")
    tests = [test for _, _, test in results if test]
    for test in sorted(set(tests), key=tests.count, reverse=True):
        print(f"{tests.count(test):5} by {test}")
    counted = max(1, caught + survived)
    share, by_more = caught / counted, caught - sum(test in HASHES for test in tests)
    print(f"{caught} of {caught + survived} changes caught, {100 * share:.1f} %; not counted: "
          f"{verdicts.count('equivalent')} equivalent, {verdicts.count('same code')} with the same code, "
          f"{verdicts.count('no C')} that do not compile")
    print(f"without {' '.join(HASHES)}: {by_more} of {caught + survived}, {100 * by_more / counted:.1f} %")
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
    parser.add_argument("--resume", action="store_true", help="try only what the results do not know yet or missed")
    return parser.parse_args(arguments)


def main(arguments=None):
    options = parse(arguments)
    files = options.files or sorted(p.name for p in GEOMETRY.iterdir() if p.suffix in {".c", ".h", ".inl"} and p.name not in LEFT_OUT)
    if not options.build:
        configure(options.into / "base", options.tests)
    build = Build((options.build or options.into / "base").resolve())
    options.into.mkdir(parents=True, exist_ok=True)
    kept = Results(options.into / "results.json", build, options.resume)
    results = []
    for mutant, verdict, test in run(build, pick(files, options.count, options.seed), options, kept):
        print(f"{time.strftime('%H:%M:%S')} {verdict:10} {mutant.name()}  {test or mutant.after}", flush=True)
        results.append((mutant, verdict, test))
        kept.keep(mutant, verdict, test)
    return 0 if summary(results) else 1


if __name__ == "__main__":
    os.nice(5)
    sys.exit(main())
