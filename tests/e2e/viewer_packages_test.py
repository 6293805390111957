"""What has npm install the page's packages (daemon/viewer/packages.mjs), which builds and tests start beside each other and beside what
reads the packages: one npm at a time, nothing half done in its place, and what is broken is made anew. The npm is one of this test's."""
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402

# As npm does it: away with what is there, then the packages one by one, and what it knows of them at the end. Before the end it waits as
# long as there is a file `hold`, and fails if there is one named `fail`.
NPM = """#!/usr/bin/env node
const fs = require("node:fs");
const home = process.env.TEST_HOME;
fs.appendFileSync(`${home}/said`, "start\\n");
fs.rmSync("node_modules", {recursive: true, force: true});
const packages = JSON.parse(fs.readFileSync("package-lock.json", "utf8")).packages;
const wanted = Object.entries(packages).filter(([place, {dev}]) => place && !(dev && process.argv.includes("--omit=dev")));
for (const [place, {version}] of wanted) {
  fs.mkdirSync(place, {recursive: true});
  fs.writeFileSync(`${place}/package.json`, JSON.stringify({version}));
  fs.writeFileSync(`${place}/index.js`, `${place} has something to run`);
}
const end = () => {
  if (fs.existsSync(`${home}/hold`)) return setTimeout(end, 10);
  if (fs.existsSync(`${home}/fail`)) process.exit(1);
  fs.writeFileSync("node_modules/.package-lock.json", JSON.stringify({packages: Object.fromEntries(wanted)}));
  fs.appendFileSync(`${home}/said`, "end\\n");
};
end();
"""
LOCK = {"packages": {"": {"name": "page"}, "node_modules/drawing": {"version": "1.0.0", "integrity": "sha512-1"},
                     "node_modules/plots": {"version": "1.0.0", "integrity": "sha512-2"},
                     "node_modules/browser": {"version": "1.0.0", "integrity": "sha512-3", "dev": True}}}


class Packages(clashd.TestCase):
    def setUp(self):
        super().setUp()
        self.page = self.home / "page"
        self.page.mkdir()
        shutil.copy(clashd.SOURCE / "daemon" / "viewer" / "packages.mjs", self.page)
        (self.page / "package.json").write_text('{"name": "page", "private": true}')
        (self.page / "package-lock.json").write_text(json.dumps(LOCK))
        self.npm = self.home / "npm"
        self.npm.write_text(NPM)
        self.npm.chmod(0o755)
        self.hold, self.failing, self.modules = self.home / "hold", self.home / "fail", self.page / "node_modules"

    def start(self, *words):
        """One in a process group of its own, which says what it does into a file."""
        with open(self.home / "out", "a") as out:
            process = subprocess.Popen(["node", self.page / "packages.mjs", *words], stdout=out, stderr=out, start_new_session=True,
                                       env={**os.environ, "NPM": str(self.npm), "TEST_HOME": str(self.home)})
        self.addCleanup(self.kill, process)
        return process

    def kill(self, process):
        """It and all that it has started."""
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait(timeout=clashd.WAIT_S)

    def run_one(self, *words):
        return self.start(*words).wait(timeout=clashd.WAIT_S)

    def until(self, condition):
        deadline = time.monotonic() + clashd.WAIT_S
        while not condition():
            self.assertLess(time.monotonic(), deadline, (self.home / "out").read_text())
            time.sleep(0.01)

    def said(self, what):
        """How often the npm has begun, or come to its end."""
        return (self.home / "said").read_text().split().count(what) if (self.home / "said").exists() else 0

    def until_waiting(self):
        self.until(lambda: "waits for another npm" in (self.home / "out").read_text())

    def assert_whole(self, *names):
        self.assertEqual(sorted(path.name for path in self.modules.iterdir() if path.name[0] != "."), sorted(names))
        for name in names:
            self.assertEqual((self.modules / name / "index.js").read_text(), f"node_modules/{name} has something to run")
        self.assertEqual([path.name for path in self.page.iterdir() if path.name.startswith("node_modules.")], [])

    def test_two_at_once_from_nothing(self):
        self.hold.touch()
        one, other = self.start("--dev"), self.start("--dev")
        self.until(lambda: self.said("start"))
        self.until_waiting()
        self.hold.unlink()
        self.assertEqual([process.wait(timeout=clashd.WAIT_S) for process in (one, other)], [0, 0])
        self.assertEqual((self.said("start"), self.said("end")), (1, 1))
        self.assert_whole("browser", "drawing", "plots")
        self.assertEqual(self.run_one("--dev") + self.run_one(), 0)
        self.assertEqual(self.said("start"), 1, "all is there, and it is installed again")

    def test_many_at_once(self):
        """For the page and for its tests, in no order that anything gives them: never more than one at once, and no more than the two."""
        processes = [self.start(*words) for words in ((), ("--dev",)) * 3]
        self.assertEqual([process.wait(timeout=clashd.WAIT_S) for process in processes], [0] * 6)
        self.assertEqual((self.home / "said").read_text().split(), ["start", "end"] * self.said("end"))
        self.assertLessEqual(self.said("end"), 2)
        self.assert_whole("browser", "drawing", "plots")

    def test_who_reads_has_all_of_it_meanwhile(self):
        self.assertEqual(self.run_one(), 0)
        self.assert_whole("drawing", "plots")
        self.hold.touch()
        more = self.start("--dev")
        self.until(lambda: self.said("start") == 2)
        self.assertEqual((self.modules / "plots" / "index.js").read_text(), "node_modules/plots has something to run")
        self.assertEqual(self.run_one(), 0)  # which waits for nothing
        self.hold.unlink()
        self.assertEqual(more.wait(timeout=clashd.WAIT_S), 0)
        self.assert_whole("browser", "drawing", "plots")

    def test_one_that_fails_leaves_what_was_there(self):
        """And who waited for it fails as it did, instead of waiting as long again; a later one tries."""
        self.assertEqual(self.run_one(), 0)
        self.hold.touch()
        self.failing.touch()
        one = self.start("--dev")
        self.until(lambda: self.said("start") == 2)
        other = self.start("--dev")
        self.until_waiting()
        self.hold.unlink()
        self.assertEqual([process.wait(timeout=clashd.WAIT_S) for process in (one, other)], [1, 1])
        self.assertEqual(self.said("start"), 2)
        self.assertEqual(self.run_one(), 0)
        self.assertEqual((self.modules / "plots" / "index.js").read_text(), "node_modules/plots has something to run")
        self.failing.unlink()
        self.assertEqual(self.run_one("--dev"), 0)
        self.assert_whole("browser", "drawing", "plots")

    def test_one_that_is_killed_leaves_no_lock(self):
        self.hold.touch()
        one = self.start("--dev")
        self.until(lambda: self.said("start"))
        other = self.start("--dev")
        self.until_waiting()
        self.kill(one)
        self.until(lambda: self.said("start") == 2)
        self.hold.unlink()
        self.assertEqual(other.wait(timeout=clashd.WAIT_S), 0)
        self.assert_whole("browser", "drawing", "plots")

    def test_what_is_broken_is_made_anew(self):
        breaks = {"a package is gone": lambda: shutil.rmtree(self.modules / "plots"),
                  "a file is gone": (self.modules / "plots" / "index.js").unlink,
                  "a file is cut": lambda: (self.modules / "plots" / "index.js").write_text("node_mod"),
                  "npm's own list is cut": lambda: (self.modules / ".package-lock.json").write_text("{"),
                  "somebody's npm was ended": lambda: [path.unlink() for path in self.modules.glob(".*")]}
        for number, (what, break_it) in enumerate(breaks.items(), 2):
            with self.subTest(what):
                self.assertEqual(self.run_one("--dev"), 0)
                break_it()
                self.assertEqual(self.run_one("--dev"), 0)
                self.assertEqual(self.said("end"), number)
                self.assert_whole("browser", "drawing", "plots")

    def test_another_version_is_installed(self):
        self.assertEqual(self.run_one(), 0)
        (self.page / "package-lock.json").write_text(json.dumps(LOCK).replace("sha512-2", "sha512-4"))
        self.assertEqual(self.run_one() + self.run_one(), 0)
        self.assertEqual(self.said("end"), 2)


if __name__ == "__main__":
    if not shutil.which("node"):
        print("skipped: no node here: apt-get install nodejs")
        sys.exit(77)
    unittest.main()
