"""clashctl demo, as it is installed: 20 s of real swings through a clashd of its own, on the page or in the terminal, which leaves a clashd
that runs alone, needs no settings, and leaves nothing behind when it ends."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import documents  # noqa: E402
import tree  # noqa: E402
import viewer  # noqa: E402
from transports import Daemon, WebSocketClient  # noqa: E402

CLASHES = 28  # as clashctl detect finds them in the recording with default settings
WITHOUT_PAGE = None if (clashd.BUILD / "daemon/viewer/made/page").exists() else "clashd was built without its page"


class Demo(clashd.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.prefix = Path(tempfile.mkdtemp(prefix="clashd-demo-"))
        subprocess.run(["cmake", "--install", tree.BUILD, "--prefix", cls.prefix, "--component", "clashd"], check=True, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.prefix)

    def start(self, *words, display="", program=None, daemon=None, opener_code=0):
        """In a session of its own, with a desktop that notes what it is to open."""
        tools = self.home / "bin"
        tools.mkdir(exist_ok=True)
        (tools / "xdg-open").write_text(f'#!/bin/sh\ncat -- "$1" >"{self.home}/noted.part"\nmv "{self.home}/noted.part" "{self.home}/noted"\n'
                                        f"exit {opener_code}\n")
        (tools / "xdg-open").chmod(0o755)
        env = clashd.environment(self.home, DISPLAY=display, PATH=f"{tools}:{os.environ['PATH']}")
        env = {name: value for name, value in env.items() if name not in ("CLASHD_PROGRAM", "CLASHD_DEMO", "WAYLAND_DISPLAY", "BROWSER")}
        env |= {"CLASHD_PROGRAM": str(daemon)} if daemon else {}
        process = subprocess.Popen([program or self.prefix / "bin/clashctl", "demo", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env=env, start_new_session=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait, clashd.WAIT_S)
        self.addCleanup(process.kill)
        return process

    def ended(self, process, code=0):
        """What it says until it has ended; nothing of it is left, neither files nor processes."""
        said, complaints = process.communicate(timeout=clashd.WAIT_S)
        self.assertEqual(process.returncode, code, (said, complaints))
        self.assertEqual([path.name for path in self.home.iterdir() if path.name.startswith("clashctl-")], [])
        with self.assertRaises(ProcessLookupError):
            os.killpg(process.pid, 0)
        return said, complaints

    def test_in_the_terminal_from_the_prefix_and_the_build_tree(self):
        for program in (self.prefix / "bin/clashctl", clashd.CLASHCTL):
            said, complaints = self.ended(self.start("--no-browser", "--once", program=program))
            self.assertEqual(len(re.findall(r"^ +[\d.]+ s  clash +(left/right|right/left) +at .* m/s", said, re.MULTILINE)), CLASHES, said)
            self.assertRegex(said, rf"\n{CLASHES} clashes, the fastest at 87\.\d m/s\. \d+ were over within one frame")
            self.assertEqual(complaints, "A real person swings two sabers, for 20 s.\n")

    def test_ends_cleanly_and_beside_another(self):
        with Daemon("--source", "none", home=self.home) as daemon:
            for number in (signal.SIGINT, signal.SIGTERM):
                process = self.start("--no-browser")
                while " clash " not in process.stdout.readline():
                    self.assertIsNone(process.poll())
                os.killpg(process.pid, number)  # as a terminal does: every process of it has the signal
                said, complaints = self.ended(process)
                self.assertRegex(said, r"\d+ clash(es)?, the fastest at ")
                self.assertEqual(complaints, "A real person swings two sabers, for 20 s, again and again until Ctrl-C.\n")
            daemon.serves()
            self.assertEqual(daemon.counters()["samples"], 0)

    def test_ends_if_nothing_reads_it(self):
        process = self.start("--no-browser")
        process.stdout.readline()
        process.stdout.close()
        process.stdout = None
        self.ended(process)

    def test_on_the_page(self):
        """A page that subscribes has the swings from their start; what is printed is its address alone."""
        (self.home / "config/clashd").mkdir(parents=True)
        (self.home / "config/clashd/config.json").write_text("not settings")
        process = self.start(display=":0")
        url = urllib.parse.urlsplit(process.stdout.readline().strip())
        while not (self.home / "noted").exists():
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        self.assertIn(url.geturl(), (self.home / "noted").read_text())
        token = urllib.parse.parse_qs(url.fragment)["token"][0]
        with WebSocketClient((url.hostname, url.port), token) as client:
            client.send({"type": "subscribe", "id": 1, "events": ["clash"]})
            clash = client.read_until(lambda message: message["type"] == "clash")
            first = clash[-1] if isinstance(clash, list) else clash
            self.assertEqual(sorted(first["blades"]), ["left", "right"])
            self.assertLess(first["time_ns"], 2e9)
        if not WITHOUT_PAGE:
            with urllib.request.urlopen(f"http://{url.netloc}/", timeout=clashd.WAIT_S) as answer:
                self.assertIn(b"<html", answer.read())
        os.killpg(process.pid, signal.SIGINT)
        self.assertEqual(self.ended(process)[0], "")

    def test_a_clashd_that_is_slow_to_stop(self):
        """The second of two signals, the terminal's and clashctl's, kills it before it has answered: Ctrl-C is no error for all that."""
        slow = self.home / "slow"
        slow.write_text(f"""#!{sys.executable}
import signal, socket, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[sys.argv.index("--socket") + 1])
listener.listen()
while True:  # clashctl looks whether it listens, then connects
    client = listener.accept()[0]
    if client.recv(1, socket.MSG_PEEK):
        open({str(self.home / "asked")!r}, "w").close()
        signal.pause()
""")
        slow.chmod(0o755)
        process = self.start("--no-browser", daemon=slow)
        while not (self.home / "asked").exists():
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        self.assertNotIn("clashctl demo:", self.ended(process)[1])

    def test_a_browser_that_cannot_be_started(self):
        said, complaints = self.ended(self.start("--once", display=":0", opener_code=3))
        self.assertRegex(said, r"^http://127\.0\.0\.1:")
        self.assertIn(f"\n{CLASHES} clashes, ", said)
        self.assertIn("no browser was opened: xdg-open could not start one (exit code 3). Open the address above\n", complaints)

    def test_a_clashd_without_its_page_shows_them_here(self):
        said, complaints = self.ended(self.start("--once", display=":0", daemon=clashd.PAGELESS))
        self.assertIn(f"\n{CLASHES} clashes, ", said)
        self.assertNotIn("http", said)
        self.assertIn("clashctl demo: clashd was built without its page, because ", complaints)
        self.assertFalse((self.home / "noted").exists())

    def test_sparks_in_a_browser(self):
        missing = WITHOUT_PAGE or viewer.missing("chromium")
        if missing:
            self.skipTest(missing)
        process = self.start(display=":0")
        url = process.stdout.readline().strip()
        browser = viewer.Browser("chromium", self.home)
        try:
            browser.open(url)
            browser.wait_for("parseInt(document.querySelector('.count')?.textContent) > 0")
        finally:
            browser.close()
        process.send_signal(signal.SIGINT)
        self.ended(process)

    def test_without_its_recording(self):
        gone = self.prefix / "share/clashd/demo/swings.jsonl.zst"
        kept = gone.read_bytes()
        gone.unlink()
        try:
            said, complaints = self.ended(self.start("--no-browser"), 2)
            self.assertRegex(complaints, r"cannot read the recording \S+/demo/swings\.jsonl\.zst: No such file")
        finally:
            gone.write_bytes(kept)

    def test_its_note_says_where_it_is_from(self):
        place = self.prefix / "share/clashd/demo"
        self.assertIn("MetaGuard", (place / "LICENSE.xror").read_text())
        self.assertIn("github.com/MetaGuard/xror", (place / "README.md").read_text())
        said = subprocess.run([self.prefix / "bin/clashctl", "info", "--json", place / "swings.jsonl.zst"], capture_output=True, text=True,
                              check=True).stdout
        self.assertIn("1801", said)
        self.assertTrue(json.loads(said))

    def test_documents(self):
        """The lines that README and the note show are those that run here."""
        journey = documents.Journey("e2e/demo_test")
        self.assertEqual(journey.lines("daemon/ctl/demo/README.md", "clashctl demo"),
                         ["clashctl demo", "clashctl info /usr/share/clashd/demo/swings.jsonl.zst"])
        self.assertEqual(journey.lines("README.md", "clashctl demo"), ["clashctl demo"])
        journey.end()


if __name__ == "__main__":
    if tree.cache_value("CLASHD_SANITIZE"):
        tree.skip("a sanitized build is not for installing")
    unittest.main()
