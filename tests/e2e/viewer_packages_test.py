"""What installs the page's packages (daemon/viewer/packages.mjs), which builds and tests start beside each other and beside what
reads the packages: one at a time, nothing half done in its place, and what is broken is made anew. The npm is one of this test's. Without
npm the packages come from a registry of this test's: all of those for this machine, and none with another hash."""
import base64
import hashlib
import http.server
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
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


def archive(files):
    """As a registry has a package: its files in one folder, compressed."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, (text, mode) in files.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size, member.mode = len(text), mode
            tar.addfile(member, io.BytesIO(text.encode()))
    return out.getvalue()


class Registry(http.server.ThreadingHTTPServer):
    """`archives` by path; `asked` has what was asked for."""

    def __init__(self, archives):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.archives, self.asked = archives, []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.server.asked.append(self.path)
            body = self.server.archives.get(self.path)
            self.send_response(200 if body else 404)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_):
            pass


class Case(clashd.TestCase):
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
        self.until(lambda: "waits for another process" in (self.home / "out").read_text())

    def assert_whole(self, *names):
        self.assertEqual(sorted(path.name for path in self.modules.iterdir() if path.name[0] != "."), sorted(names))
        for name in names:
            self.assertEqual((self.modules / name / "index.js").read_text(), f"node_modules/{name} has something to run")
        self.assertEqual([path.name for path in self.page.iterdir() if path.name.startswith("node_modules.")], [])



class Packages(Case):
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


class WithoutNpm(Case):
    def setUp(self):
        super().setUp()
        machine = subprocess.run(["node", "-p", "`${process.platform} ${process.arch}`"], capture_output=True, text=True, check=True).stdout.split()
        kinds = {"drawing": {}, "@maker/plots": {}, "@maker/tool-here": {"optional": True, "os": [machine[0]], "cpu": [machine[1]]},
                 "@maker/tool-elsewhere": {"optional": True, "os": ["plan9"], "cpu": [machine[1]]}, "browser": {"dev": True}}
        archives, packages = {}, {"": {"name": "page"}}
        for name, more in kinds.items():
            place = f"node_modules/{name}"
            bytes_ = archive({"package.json": ('{"version": "1.0.0"}', 0o644), "index.js": (f"{place} has something to run", 0o644), "bin/tool": ("#!/bin/sh\n", 0o755)})
            archives[f"/{name}/-/{name.split('/')[-1]}-1.0.0.tgz"] = bytes_
            packages[place] = {"version": "1.0.0", "integrity": "sha512-" + base64.b64encode(hashlib.sha512(bytes_).digest()).decode(), **more}
        (self.page / "package-lock.json").write_text(json.dumps({"packages": packages}))
        self.registry = Registry(archives)
        self.addCleanup(self.registry.server_close)
        self.addCleanup(self.registry.shutdown)

    def start(self, *words, npm="", path=None):
        env = {**os.environ, "NPM_CONFIG_REGISTRY": f"http://127.0.0.1:{self.registry.server_port}/", "NO_PROXY": "127.0.0.1"}
        env.pop("NPM", None)
        if npm is not None:
            env["NPM"] = npm
        if path:
            env["PATH"] = path
        with open(self.home / "out", "a") as out:
            process = subprocess.Popen([shutil.which("node"), self.page / "packages.mjs", *words], stdout=out, stderr=out, start_new_session=True,
                                       env=env)
        self.addCleanup(self.kill, process)
        return process

    def complains(self, part):
        self.assertEqual(self.run_one(), 1)
        self.assertIn(part, (self.home / "out").read_text())
        self.assertFalse(self.modules.exists())

    def test_those_for_this_machine(self):
        self.assertEqual(self.run_one(), 0, (self.home / "out").read_text())
        self.assert_whole("@maker", "drawing")
        self.assertEqual(sorted(path.name for path in (self.modules / "@maker").iterdir()), ["plots", "tool-here"])
        self.assertEqual((self.modules / "@maker/tool-here/bin/tool").stat().st_mode & 0o777, 0o755)
        self.assertEqual(self.run_one(), 0)
        self.assertEqual(len(self.registry.asked), 3, "all is there, and it is installed again")
        self.assertEqual(self.run_one("--dev"), 0)
        self.assert_whole("@maker", "browser", "drawing")

    def assert_whole(self, *names):
        self.assertEqual(sorted(path.name for path in self.modules.iterdir() if path.name[0] != "."), sorted(names))
        self.assertEqual([path.name for path in self.page.iterdir() if path.name.startswith("node_modules.")], [])

    def test_where_no_npm_is_found(self):
        """As on a machine with nodejs alone: the PATH has what every Debian has, and no npm."""
        tools = self.home / "tools"
        tools.mkdir()
        for name in ("flock", "tar", "gzip"):
            (tools / name).symlink_to(shutil.which(name))
        self.assertEqual(self.start(npm=None, path=str(tools)).wait(timeout=clashd.WAIT_S), 0, (self.home / "out").read_text())
        self.assert_whole("@maker", "drawing")

    def test_another_hash(self):
        self.registry.archives["/drawing/-/drawing-1.0.0.tgz"] = archive({"index.js": ("something else", 0o644)})
        self.complains("drawing-1.0.0.tgz is not what package-lock.json names: its hash is sha512-")

    def test_one_that_the_registry_lacks(self):
        del self.registry.archives["/@maker/plots/-/plots-1.0.0.tgz"]
        self.complains("the registry answers 404")

    def test_no_registry(self):
        self.registry.shutdown()
        self.registry.server_close()
        self.complains("cannot download")
        self.assertIn("NODE_EXTRA_CA_CERTS", (self.home / "out").read_text())

    def test_two_at_once(self):
        self.assertEqual([process.wait(timeout=clashd.WAIT_S) for process in (self.start(), self.start(), self.start("--dev"))], [0, 0, 0])
        self.assertLessEqual(len(self.registry.asked), 3 + 4)


if __name__ == "__main__":
    if not shutil.which("node"):
        print("skipped: no node here: apt-get install nodejs")
        sys.exit(77)
    unittest.main()
