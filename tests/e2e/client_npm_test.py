"""The npm package as a stranger has it: packed, installed into a project of its own without a network, it says who made it under which
licence, runs in Node against a live clashd, and its types hold `tsc --strict`, which finds a field and an event that are misspelt."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import documents  # noqa: E402

WASM = clashd.BUILD / "tests" / "wasm" / "sweep.wasm"
PACKAGE = clashd.SOURCE / "protocol" / "clients" / "js"
MANIFEST = clashd.BUILD / "daemon" / "runtime" / "clash_runtime.json"
RUNTIME = {"XR_RUNTIME_JSON": MANIFEST, "CLASH_RUNTIME_SCRIPT": "crossing", "CLASH_RUNTIME_SPEED": 4}

SCRIPT = """
import {Clashd as Page} from "clashd-client";
import {Clashd} from "clashd-client/node";
if (!(Clashd.prototype instanceof Page)) throw new Error("two modules");
const clashd = new Clashd({subscribe: {events: ["clash"]}});
clashd.on("clash", ({midpoint}) => { console.log(JSON.stringify(midpoint)); process.exit(0); });
"""

TYPED = """
import {Clashd as Page, type Clash, type Message, type Vector} from "clashd-client";
import {Clashd} from "clashd-client/node";

declare function spark(at: Vector, intensity: number): void;
const page = new Page({url: "ws://127.0.0.1:4718", token: async () => "x", subscribe: {events: ["clash"], axes: "unity"}});
page.on("clash", ({midpoint, intensity}) => spark(midpoint, intensity));
page.on("disconnected", ({reason}) => { const words: string = reason; });
const speed = (clash: Clash): number => clash.closing_speed;

export async function all(): Promise<number> {
  const clashd = new Clashd({address: "tcp:127.0.0.1:4717"});
  await clashd.feed(["/user/hand/left"], {space: "rig"});
  await clashd.blade({name: "npc", device: "npc/hand", base: [0, 0, 0], tip: [0, 0, -1], radius: 0.015});
  clashd.poses([{device: "npc/hand", position: [0, 0, 0], orientation: [0, 0, 0, 1]}]);
  await clashd.target({name: "crate", unity_collider: {type: "box", size: [1, 1, 1], transforms: [{position: [2, 0, 3]}]}});
  const sweeps: number | undefined = (await clashd.request({type: "status"})).counters["sweeps"];
  const keys: string[] = (await clashd.request({type: "config"})).settings.map(({key}) => key);
  await clashd.request({type: "replay", action: "seek", time_ns: 0});
  for await (const message of clashd) {
    if (message.type === "clash") return speed(message);
    if (message.type === "overflow") return message.messages;
  }
  return sweeps ?? 0;
}
"""
# What is written in TYPED, a mistake in its place, and a word of what tsc says to that.
MISTAKES = (("({midpoint,", "({midpont: midpoint,", "midpont"), ('events: ["clash"]', 'events: ["clahs"]', '"clahs"'),
            ('page.on("clash"', 'page.on("clahs"', '"clahs"'), ("clash.closing_speed", "clash.closing_sped", "closing_sped"),
            ('axes: "unity"', 'axes: "unreal"', '"unreal"'), ('action: "seek"', 'action: "sek"', '"sek"'),
            ("orientation: [0, 0, 0, 1]", "orientation: [0, 0, 0]", "Quaternion"), ("speed(message)", "message.intensty", "intensty"),
            ("base: [0, 0, 0]", "bas: [0, 0, 0]", "bas"))


SWEEP = PACKAGE / "sweep" / "README.md"
# What its README leaves to the game: two blades that cross, one falling from a metre above the other to a metre below.
SWEEP_GAME = """
const spark = (point, when) => console.log(point.map((n) => n.toFixed(3)).join(), when?.toFixed(3) ?? "tracked");
const leftBefore = {orientation: [0, 0, 0, 1], position: [0, 1, 0]}, leftNow = {...leftBefore, position: [0, -1, 0]};
const rightBefore = {...leftBefore, position: [0, 0, 0]}, rightNow = rightBefore;
"""


def run(*words, folder, **env):
    return subprocess.run(list(map(str, words)), cwd=folder, capture_output=True, text=True, timeout=clashd.WAIT_S,
                          env={**os.environ, **env})


class Package(clashd.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="clashd-")
        cls.addClassCleanup(directory.cleanup)
        cls.project = Path(directory.name) / "project"
        cls.project.mkdir()
        (cls.project / "package.json").write_text('{"name": "stranger", "private": true, "type": "module"}\n')
        cls.installed = cls.project / "node_modules" / "clashd-client"
        if shutil.which("npm"):
            cls.install(Path(directory.name))
            return
        print("note: no npm here: the package's files are copied")
        for name in ["package.json", *json.loads((PACKAGE / "package.json").read_text())["files"]]:
            cls.installed.mkdir(parents=True, exist_ok=True)
            (cls.installed / name).parent.mkdir(parents=True, exist_ok=True)
            if (PACKAGE / name).exists():
                (shutil.copytree if (PACKAGE / name).is_dir() else shutil.copy)(PACKAGE / name, cls.installed / name)

    @classmethod
    def install(cls, home):
        settings = {"npm_config_cache": str(home / "cache"), "npm_config_update_notifier": "false"}
        # The sweep is made when the package is packed; here that of the build is taken, if this build has one.
        words = [] if WASM.exists() else ["--ignore-scripts"]
        source = shutil.copytree(PACKAGE, home / "source")
        packed = run("npm", "pack", "--json", *words, "--pack-destination", home, source, folder=home, CLASHD_SWEEP_WASM=str(WASM),
                     **settings)
        assert packed.returncode == 0, packed.stderr
        told = json.loads(packed.stdout)
        told = list(told.values() if isinstance(told, dict) else told)[0]
        done = run("npm", "install", "--offline", "--no-audit", "--no-fund", home / told["filename"], folder=cls.project, **settings)
        assert done.returncode == 0, done.stderr

    def test_what_is_in_it(self):
        package = json.loads((self.installed / "package.json").read_text())
        self.assertEqual((package["license"], package["repository"]["directory"]), ("MIT", "protocol/clients/js"))
        found = {str(path.relative_to(self.installed)) for path in self.installed.rglob("*") if path.is_file()}
        self.assertEqual(found, {"package.json", "LICENSE", "README.md", "clashd.js", "clashd.d.ts", "messages.d.ts", "node.mjs",
                                 "node.d.mts", "sweep/build.sh", "sweep/sweep.js", "sweep/sweep.d.ts", "sweep/README.md", "examples/sparks.html"}
                         | ({"sweep/sweep.wasm", "sweep/sweep-simd.wasm"} if WASM.exists() and shutil.which("npm") else set()))
        self.assertEqual((self.installed / "LICENSE").read_text(), (clashd.SOURCE / "LICENSE").read_text())

    def test_it_runs(self):
        if not shutil.which("node"):
            self.skipTest("no Node here")
        (self.project / "script.js").write_text(SCRIPT)
        with clashd.Daemon(home=self.home, env=RUNTIME):
            done = run("node", "script.js", folder=self.project, XDG_RUNTIME_DIR=str(self.home))
        self.assertEqual(len(json.loads(done.stdout or "[]")), 3, done.stderr)

    def test_it_is_installed_from_its_folder(self):
        """npm links to it and builds the sweep there, with what this build has."""
        if not shutil.which("npm") or not WASM.exists():
            self.skipTest("this build has no sweep.wasm")
        project, source = self.home / "project", self.home / "clashd" / "protocol" / "clients" / "js"
        project.mkdir()
        (project / "package.json").write_text('{"name": "stranger", "private": true, "type": "module"}')
        shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("*.wasm", "node_modules"))
        (self.home / "clashd" / "daemon" / "geometry").mkdir(parents=True)
        (self.home / "clashd" / "include" / "clash").mkdir(parents=True)
        (self.home / "clashd" / "daemon" / "geometry" / "core.c").touch()
        done = run("npm", "install", "--offline", "--no-audit", "--no-fund", source, folder=project, CLASHD_SWEEP_WASM=str(WASM),
                   npm_config_cache=str(self.home / "cache"), npm_config_update_notifier="false")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run("node", "--input-type=module", "-e",
                   "import {load} from 'clashd-client/sweep'; console.log(typeof (await load()).timeOfImpact)", folder=project)
        self.assertEqual(done.stdout, "function\n", done.stderr)

    def test_the_sweep_runs(self):
        if not shutil.which("npm") or not WASM.exists():
            self.skipTest("this build has no sweep.wasm")
        first, second = documents.blocks_of(str(SWEEP), SWEEP.read_text())
        (self.project / "sweep.js").write_text(SWEEP_GAME + first.text + second.text)
        done = run("node", "sweep.js", folder=self.project)
        self.assertEqual((done.returncode, [line.split()[1:] for line in done.stdout.splitlines()]), (0, [["0.485"], ["tracked"]]),
                         done.stdout + done.stderr)

    def test_its_types(self):
        if not shutil.which("tsc"):
            self.skipTest("no tsc here: apt-get install node-typescript")
        cases = [("", "", "")] + list(MISTAKES)
        for number, (old, new, _) in enumerate(cases):
            self.assertIn(old, TYPED)
            (self.project / f"case{number}.ts").write_text(TYPED.replace(old, new, 1))
        done = run("tsc", "--strict", "--noEmit", "--target", "es2022", "--module", "nodenext", "--moduleResolution", "nodenext",
                   *(f"case{number}.ts" for number in range(len(cases))), folder=self.project)
        said = {number: [line for line in done.stdout.splitlines() if line.startswith(f"case{number}.ts")] for number in range(len(cases))}
        self.assertEqual(said[0], [], done.stdout)
        for number, (_, new, word) in list(enumerate(cases))[1:]:
            self.assertTrue(any(word in line for line in said[number]), (new, done.stdout))
        self.assertNotIn("node_modules", done.stdout)


if __name__ == "__main__":
    unittest.main()
