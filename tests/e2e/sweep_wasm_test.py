"""libclash as WebAssembly, for JavaScript: the golden test's bits, under Node's WASI; thousands of sweeps to the bit as the native
library has them, alone and in a batch, through the module that games import; and what it says to wrong input."""
import ctypes
import gzip
import json
import random
import re
import shutil
import struct
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402

SUPPORT = clashd.SOURCE / "tests" / "support" / "wasm"
BUILT = clashd.BUILD / "tests" / "wasm"
MODULE = clashd.SOURCE / "protocol" / "clients" / "js" / "sweep" / "sweep.js"
BODY, PAIRS = 21, 4000
RESULTS = ["apart", "hit", "overlap", "invalid"]
# Node 20 crashes when a WASI program ends while V8's other threads still compile it.
NODE = ["node", "--no-warnings", "--single-threaded"]


class Contact(ctypes.Structure):
    _fields_ = [("fraction", ctypes.c_double), ("distance", ctypes.c_float), ("midpoint", ctypes.c_float * 3),
                ("points", (ctypes.c_float * 3) * 2), ("normal", ctypes.c_float * 3), ("along", ctypes.c_float * 2)]


def body(rng):
    """A blade that swings, near another one; at times with numbers that no sweep takes, or larger ones than any room."""
    scale = rng.choice([1, 1, 1, 1e-3, 1e4, 1e15])
    vec = lambda size: [rng.uniform(-size, size) * scale for _ in range(3)]  # noqa: E731
    turn = lambda: [rng.gauss(0, 1) for _ in range(4)]  # noqa: E731
    numbers = [*vec(0.2), *vec(1), rng.choice([0, 0.02, 0.1]) * scale, *turn(), *vec(0.7), *turn(), *vec(0.7)]
    if rng.random() < 0.02:
        numbers[rng.randrange(BODY)] = rng.choice([float("nan"), float("inf"), -1.0])
    return struct.pack(f"{BODY}f", *numbers)


def native(library, a, b):
    contact = Contact()
    result = RESULTS[library.clash_sweep(a, b, ctypes.byref(contact))]
    if result == "apart":
        return None
    if result == "invalid":
        return {"result": "invalid"}
    return {"result": result, "fraction": contact.fraction, "distance": contact.distance, "midpoint": [*contact.midpoint],
            "points": [[*point] for point in contact.points], "normal": [*contact.normal], "along": [*contact.along]}


def spelled(value):
    """As the script prints it: a zero's sign must not get lost."""
    return json.loads(json.dumps(value).replace("-0.0,", '"-0",').replace("-0.0]", '"-0"]').replace("-0.0}", '"-0"}'))


class Sweep(clashd.TestCase):
    def test_the_golden_bits(self):
        run = subprocess.run([*NODE, SUPPORT / "run.mjs", BUILT / "golden.wasm", clashd.DATA], capture_output=True, text=True,
                             timeout=clashd.WAIT_S)
        self.assertEqual((run.returncode, run.stdout.split()), (0, ["ok", "the_bits_of_a_whole_run"]), run.stdout + run.stderr)

    def sweep(self, bodies, module="sweep.wasm"):
        file = self.home / "bodies"
        file.write_bytes(b"".join(bodies))
        run = subprocess.run([*NODE, SUPPORT / "sweeps.mjs", MODULE, BUILT / module, file], capture_output=True, text=True,
                             timeout=clashd.WAIT_S)
        self.assertEqual(run.returncode, 0, run.stderr)
        return [json.loads(line) for line in run.stdout.splitlines()]

    def test_the_same_bits_as_the_native_library(self):
        rng = random.Random(4717)
        library = ctypes.CDLL(str(next((clashd.BUILD / "daemon" / "geometry").glob("libclash.so"))))
        bodies = [body(rng) for _ in range(2 * PAIRS)]
        # A body that is wrong makes an exception of its pair when it is asked for alone, so those stand in the batch only.
        usable = [k for k in range(PAIRS) if native(library, bodies[2 * k], bodies[2 * k + 1]) != {"result": "invalid"}]
        *answers, _ = self.sweep([bodies[2 * k + i] for k in usable for i in (0, 1)])
        *with_simd, _ = self.sweep([bodies[2 * k + i] for k in usable for i in (0, 1)], "sweep-simd.wasm")
        self.assertEqual(with_simd, answers)
        self.assertEqual(len(answers), len(usable))
        touching = 0
        for k, answer in zip(usable, answers):
            expected = native(library, bodies[2 * k], bodies[2 * k + 1])
            touching += expected is not None
            self.assertEqual(answer["batch"], spelled(expected), k)
            self.assertEqual(answer["alone"], spelled(expected), k)
        self.assertGreater(touching, PAIRS / 10)
        self.assertLess(len(usable), PAIRS)

    def test_a_batch_allocates_nothing(self):
        """.. by sweepPairsInto; by sweepPairs the collector runs often, so it would be seen."""
        run = subprocess.run([*NODE, "--trace-gc", SUPPORT / "allocations.mjs", MODULE, BUILT / "sweep.wasm"], capture_output=True, text=True,
                             timeout=clashd.WAIT_S)
        self.assertEqual(run.returncode, 0, run.stderr)
        into, objects = run.stdout.split("into\n")[1].split("objects\n")
        self.assertEqual(into.count("ms: "), 0, into)
        self.assertGreater(objects.count("ms: "), 2)
        self.assertIn(f"end {2 * 420000}", objects)

    def test_the_sizes_in_the_readme(self):
        """Within a tenth: another clang makes a little more or less."""
        text = (MODULE.parent / "README.md").read_text()
        for name in ("sweep.wasm", "sweep-simd.wasm"):
            size, zipped = map(int, re.search(rf"`{name}` has (\d+) kB, (\d+) kB gzipped", text).groups())
            data = (BUILT / name).read_bytes()
            self.assertLess(abs(len(data) / 1000 - size), 0.1 * size, (name, len(data)))
            self.assertLess(abs(len(gzip.compress(data, 9)) / 1000 - zipped), 0.1 * zipped, (name, len(gzip.compress(data, 9))))

    def test_where_it_is_not_built(self):
        """In words, with what to run."""
        shutil.copy(MODULE, self.home / "sweep.js")
        (self.home / "package.json").write_text('{"type": "module"}')
        run = subprocess.run([*NODE, "--input-type=module", "-e", f"import {{load}} from '{self.home / 'sweep.js'}'; "
                              "load().catch((error) => console.log(error.message))"], capture_output=True, text=True, timeout=clashd.WAIT_S)
        self.assertIn("since it is built and not committed: run \"sh ", run.stdout, run.stderr)
        self.assertIn("libclang-rt-dev-wasm32", run.stdout)
        for name in ("sweep-simd.wasm", "sweep.wasm"):  # either of them is enough
            shutil.copy(BUILT / name, self.home / name)
            run = subprocess.run([*NODE, "--input-type=module", "-e", f"import {{load}} from '{self.home / 'sweep.js'}'; "
                                  "console.log(typeof (await load()).timeOfImpact)"], capture_output=True, text=True, timeout=clashd.WAIT_S)
            self.assertEqual(run.stdout, "function\n", run.stderr)
            (self.home / name).unlink()

    def test_every_kind_of_body_and_every_error(self):
        said = self.sweep([body(random.Random(1)) for _ in range(2)])[-1]
        self.assertAlmostEqual(said["crossing"]["fraction"], 0.49, 6)
        self.assertEqual(said["crossing"]["result"], "hit")
        self.assertIsNone(said["apart"])
        self.assertAlmostEqual(said["mesh"]["fraction"], 0.495, 6)
        self.assertIn(said["mesh"]["triangle"], (0, 1))
        self.assertAlmostEqual(said["sphere"]["fraction"], 0.5 - (0.51**2 - 0.5**2)**0.5 / 2, 5)
        self.assertAlmostEqual(said["box"]["fraction"], 0.5 - 0.26 / 2, 6)
        self.assertEqual(said["box"]["surfaceNormal"], [0, 1, 0])
        self.assertIsNotNone(said["capsule"])
        self.assertEqual(said["parts"]["parts"], [1, 0])
        self.assertIsNone(said["half"])
        self.assertTrue(said["at"]["touching"])
        self.assertEqual(said["pose"]["position"], [0, 0.5, 0])
        self.assertEqual([change["kind"] for change in said["changes"]], ["start", "end"])
        self.assertFalse(said["touching"])
        self.assertEqual(said["again"], [])
        self.assertEqual(said["imports"], [])
        self.assertAlmostEqual(said["after"], 0.49, 6)
        expected = ["TypeError: b is missing", "TypeError: a.capsules[0].tip: 3 numbers", "RangeError: the sweep takes",
                    "TypeError: a.capsules[0].radius is missing", "RangeError: the sweep", "TypeError: a.capsules[0].base[0]: a number",
                    "RangeError: the sweep", "TypeError: a.from is missing", "RangeError: the sweep", "RangeError: a.capsules: 1 to 16",
                    "RangeError: a.capsules: 1 to 16", "TypeError: a.shape: only the second", "TypeError: b.shape: sphere, capsule or box",
                    "RangeError: the sweep", "RangeError: the sweep", "RangeError: no mesh", "TypeError: a mesh takes",
                    "RangeError: pairs[1]: there is no body 2 of 2", "TypeError: bodies: a Float32Array", "RangeError: the sweep"]
        self.assertEqual(len(said["errors"]), len(expected))
        for words, start in zip(said["errors"], expected):
            self.assertTrue(isinstance(words, str) and words.startswith(start), f"{words!r}, not {start!r}")


if __name__ == "__main__":
    if not shutil.which("node"):
        print("skipped: no Node here")
        sys.exit(77)
    if not (BUILT / "golden.wasm").exists():
        print("skipped: there was no clang here that makes WebAssembly (lld, wasi-libc, libclang-rt-dev-wasm32) when this was built")
        sys.exit(77)
    unittest.main()
