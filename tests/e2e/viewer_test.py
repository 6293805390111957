"""clashd's own page, as browsers and others ask for it: what is served and with which headers, who may have what, recordings from the
disk, a user's look of the overlay, who reads slowly or not at all, and a clashd that was built without the page."""
import contextlib
import hashlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
import unittest
import urllib.parse
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import bsor  # noqa: E402
import clashd  # noqa: E402
import validate  # noqa: E402
import viewer  # noqa: E402
from transports import Daemon, WebSocketClient  # noqa: E402

PAGE = clashd.BUILD / "daemon" / "viewer" / "made" / "page"
WITHOUT_PAGE = None if PAGE.exists() else "clashd was built without its page"
RECORDING = clashd.DATA / "duel-20s.jsonl"


class Case(clashd.TestCase):
    program = clashd.CLASHD
    settings = {}
    shown = {}

    def setUp(self):
        super().setUp()
        self.logs = self.home / "logs"
        self.logs.mkdir()
        self.file = self.home / "settings.json"
        self.write(self.shown)
        self.daemon = Daemon("--source", "none", "--config", self.file, home=self.home, program=self.program)
        self.addCleanup(self.daemon.__exit__, None)
        self.authority = "%s:%d" % self.daemon.websocket

    def write(self, settings):
        settings = {key: value.replace("HOME", str(self.home)) for key, value in settings.items()}
        self.file.write_text(json.dumps({"socket": {"websocket": "127.0.0.1:0", **self.settings}, "viewer": settings}))

    def reload(self, settings):
        self.write(settings)
        with self.daemon.connect() as client:
            self.assertEqual(client.request({"type": "reload", "id": 1})["type"], "ok")

    def ask(self, path="/", method="GET", token=False, **headers):
        connection = http.client.HTTPConnection(*self.daemon.websocket, timeout=clashd.WAIT_S)
        self.addCleanup(connection.close)
        if token:
            headers["Authorization"] = f"Bearer {self.daemon.token}"
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        answer.body = answer.read()
        self.assertEqual(answer.headers["Connection"], "close")
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(answer.headers["Cross-Origin-Resource-Policy"], "same-origin")
        return answer

    def expect(self, status, *words, says="", **options):
        answer = self.ask(*words, **options)
        self.assertEqual(answer.status, status, answer.body)
        self.assertIn(says, answer.body.decode())
        return answer

    def raw(self, request, size=8192):
        """A connection that has asked and reads nothing yet."""
        one = socket.socket()
        self.addCleanup(one.close)
        one.settimeout(clashd.WAIT_S)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, size)
        one.connect(self.daemon.websocket)
        one.sendall(request)
        return one


def read_to_end(connection):
    text = b""
    while piece := connection.recv(65536):
        text += piece
    return text


@unittest.skipIf(WITHOUT_PAGE, WITHOUT_PAGE)
class Pages(Case):
    settings = {"tcp": "127.0.0.1:0"}

    def test_every_file_as_it_was_made(self):
        types = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
                 ".svg": "image/svg+xml", ".json": "application/json", ".wasm": "application/wasm", ".txt": "text/plain; charset=utf-8"}
        files = {f"/{file.name}": file for file in PAGE.iterdir()}
        for path, file in {**files, "/": PAGE / "index.html", "/overlay": PAGE / "overlay.html"}.items():
            answer, head = self.expect_bytes(path, file.read_bytes()), self.ask(path, "HEAD")
            self.assertEqual(answer.headers["Content-Type"], types[file.suffix])
            self.assertEqual(answer.headers["Cache-Control"], "no-cache")
            self.assertEqual((head.status, head.body, head.headers.items()), (200, b"", answer.headers.items()))
            tag = answer.headers["ETag"]
            self.assertEqual(tag, f'"{hashlib.sha256(file.read_bytes()).hexdigest()[:32]}"')
            same = self.ask(path, If_None_Match=f'"other", W/{tag}')
            self.assertEqual((same.status, same.body, same.headers["ETag"]), (304, b"", tag))
            self.assertEqual(self.ask(path, If_None_Match='"other"').status, 200)

    def expect_bytes(self, path, expected):
        answer = self.ask(path)
        self.assertEqual((answer.status, answer.body), (200, expected), path)
        return answer

    def test_what_browsers_may_do_with_it(self):
        for path in ("/", "/overlay", "/page.js"):
            headers = self.ask(path).headers
            policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
            self.assertEqual(policy["default-src"], "'none'")
            self.assertEqual(policy["script-src"], "'self' 'wasm-unsafe-eval'")
            self.assertEqual(policy["style-src"], "'self'")
            self.assertEqual(policy["connect-src"], f"'self' ws://{self.authority}")
            for name in ("base-uri", "form-action", "frame-ancestors"):
                self.assertEqual(policy[name], "'none'")
            self.assertNotIn("unsafe-inline", headers["Content-Security-Policy"])
            self.assertEqual(headers["X-Frame-Options"], "DENY")
            self.assertEqual(headers["Referrer-Policy"], "no-referrer")
            self.assertEqual(headers["Cross-Origin-Opener-Policy"], "same-origin")
            self.assertIsNone(headers["Access-Control-Allow-Origin"])

    def test_nothing_in_it_is_from_elsewhere_or_inline(self):
        for page in ("/", "/overlay"):
            text = self.ask(page).body.decode()
            self.assertNotRegex(text, r'(?i)(src|href)\s*=\s*"?\s*(https?:|//|data:|javascript:)')
            self.assertNotRegex(text, r"(?i)<style|style=|<script(?![^>]*src=)| on[a-z]+=")

    def test_who_may_not(self):
        self.expect(403, Host="evil.example", says="allowed_hosts")
        self.expect(403, "/none", Host="evil.example")
        self.expect(403, "/page.js", Origin="https://evil.example", says="allowed_origins")
        self.expect(405, method="POST", says="only GET and HEAD")
        self.expect(405, method="OPTIONS")
        self.expect(404, "/etc/passwd", says="there is no /etc/passwd here")
        self.expect(404, "/../page.js")
        self.expect(404, "/index.html/")
        self.assertEqual(self.ask("/none", "HEAD").body, b"")
        self.expect(414, "/" + "a" * 9000, says="the first line")
        self.daemon.serves()

    def test_its_websocket(self):
        own = f"http://{self.authority}"
        with WebSocketClient(self.daemon.websocket, self.daemon.token, Origin=own) as client:
            self.assertEqual(client.read()["type"], "hello")
        with WebSocketClient(self.daemon.websocket, Origin=own) as client:
            self.assertEqual(client.status, 401)  # the page has no other way in than the token
        with WebSocketClient(self.daemon.websocket, self.daemon.token, omit=("Upgrade",)) as client:
            self.assertEqual(client.status, 426)

    def test_several_requests_at_once_get_one_answer(self):
        request = f"GET /icon.svg HTTP/1.1\r\nHost: {self.authority}\r\n\r\n".encode()
        text = read_to_end(self.raw(request * 3))
        self.assertTrue(text.endswith((PAGE / "icon.svg").read_bytes()))
        self.assertEqual(text.count(b"HTTP/1.1 200 OK"), 1)

    def test_who_never_reads(self):
        request = f"GET /page.js HTTP/1.1\r\nHost: {self.authority}\r\n\r\n".encode()
        page = (PAGE / "page.js").read_bytes()
        rude = [self.raw(request, 2048) for _ in range(20)]
        self.daemon.serves()
        self.expect_bytes("/page.js", page)
        while self.daemon.counters()["handshakes_open"] > 0:  # for 5 s
            time.sleep(0.2)
        for one in rude:
            try:
                self.assertLess(len(read_to_end(one)), len(page))
            except ConnectionResetError:
                pass
        self.daemon.serves()


class Logs(Case):
    shown = {"logs": "HOME/logs"}

    def setUp(self):
        super().setUp()
        self.text = RECORDING.read_bytes()
        (self.logs / "a b%ä.jsonl").write_bytes(self.text)
        (self.logs / "small.jsonl.zst").write_bytes(b"zst")
        (self.logs / "secret.txt").write_text("secret")
        (self.logs / ".hidden.jsonl").write_text("secret")
        (self.home / "outside.jsonl").write_text("secret")
        (self.logs / "link.jsonl").symlink_to(self.home / "outside.jsonl")
        (self.logs / "directory.jsonl").mkdir()
        os.mkfifo(self.logs / "pipe.jsonl")
        os.utime(self.logs / "small.jsonl.zst", (0, 0))

    def test_the_list(self):
        answer = self.ask("/logs", token=True)
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (200, "application/json"))
        self.assertEqual(answer.headers["Cache-Control"], "no-store")
        self.assertFalse(validate.check(answer.body.decode(), "report"))
        said = json.loads(answer.body)
        self.assertEqual([(log["name"], log["bytes"]) for log in said["logs"]],
                         [("a b%ä.jsonl", len(self.text)), ("small.jsonl.zst", 3)])
        self.assertEqual((said["count"], said["directory"], said["logs"][1]["modified"]), (2, str(self.logs), "1970-01-01T00:00:00Z"))
        self.assertEqual(self.ask("/logs", "HEAD", token=True).body, b"")

    def test_a_recording(self):
        answer = self.ask("/logs/a%20b%25%C3%a4.jsonl", token=True)
        self.assertEqual((answer.status, answer.body), (200, self.text))
        self.assertEqual(answer.headers["Content-Type"], "application/x-ndjson")
        head = self.ask("/logs/a%20b%25%C3%a4.jsonl", "HEAD", token=True)
        self.assertEqual((head.body, head.headers["Content-Length"]), (b"", str(len(self.text))))
        self.assertEqual(self.ask("/logs/small.jsonl.zst", token=True).headers["Content-Type"], "application/zstd")
        query = self.ask(f"/logs/small.jsonl.zst?token={self.daemon.token}")
        self.assertEqual((query.status, query.body), (200, b"zst"))

    def test_what_is_none(self):
        for name in ("link.jsonl", "directory.jsonl", "pipe.jsonl", "gone.jsonl", "secret.txt", ".hidden.jsonl", "../outside.jsonl",
                     "%2e%2e/outside.jsonl", "..%2foutside.jsonl", "..%2Foutside.jsonl", "%2Fetc%2Fpasswd.jsonl", "a%00.jsonl",
                     "%", "%4", "%zz.jsonl", ".jsonl", "x" * 300 + ".jsonl", "a/b.jsonl"):
            answer = self.expect(404, f"/logs/{name}", token=True)
            self.assertNotIn(b"secret", answer.body)
        self.expect(404, "/logs/", token=True)
        self.daemon.serves()

    def test_who_may_not(self):
        for path in ("/logs", "/logs/small.jsonl.zst"):
            self.expect(401, path)
            self.expect(401, path, Authorization="Bearer " + "0" * 64)
            self.expect(403, path, token=True, Host="evil.example")
            self.expect(403, path, token=True, Origin="http://localhost:1", says="no other page")
            self.expect(403, path, token=True, Sec_Fetch_Site="cross-site")
            self.expect(403, path, token=True, Sec_Fetch_Site="same-site")
            self.expect(200, path, token=True, Sec_Fetch_Site="same-origin", Origin=f"http://{self.authority}")
            self.expect(405, path, method="DELETE", token=True)

    def test_one_that_grows_and_one_that_nobody_reads(self):
        growing = self.logs / "growing.jsonl"
        with growing.open("wb") as out:
            for _ in range(20):
                out.write(self.text)
        request = f"GET /logs/growing.jsonl HTTP/1.1\r\nHost: {self.authority}\r\nAuthorization: Bearer {self.daemon.token}\r\n\r\n"
        reader, rude = self.raw(request.encode(), 65536), self.raw(request.encode(), 2048)
        begun = reader.recv(64)
        with growing.open("ab") as out:
            out.write(b"more")
        self.daemon.serves()
        self.assertEqual((begun + read_to_end(reader)).split(b"\r\n\r\n", 1)[1], self.text * 20)
        self.daemon.serves()
        rude.close()

    def test_a_reload_changes_it(self):
        other = self.home / "other"
        other.mkdir()
        (other / "one.jsonl").write_bytes(b"x")
        self.reload({"logs": "HOME/other"})
        self.assertEqual([log["name"] for log in json.loads(self.ask("/logs", token=True).body)["logs"]], ["one.jsonl"])
        self.reload({"logs": "HOME/gone"})
        self.expect(404, "/logs", token=True, says="No such file")
        self.reload({})
        self.expect(404, "/logs", token=True, says="record.directory")


class Waived(Case):
    settings = {"require_token": False}
    shown = {"logs": "HOME/logs"}

    def test_recordings_are_for_nobody_then(self):
        self.expect(403, "/logs", says="socket.require_token")
        self.expect(403, "/logs/x.jsonl", says="socket.require_token")
        self.assertEqual(self.ask("/metrics").status, 200)


class Look(Case):
    shown = {"overlay_css": "HOME/look.css"}

    def test_the_user_s_own(self):
        look = self.home / "look.css"
        self.expect(404, "/overlay.css", says="viewer.overlay_css in clashd's configuration: the file cannot be read: No such file")
        for text in ("body { color: red }", ""):
            look.write_text(text)
            answer = self.expect(200, "/overlay.css")
            self.assertEqual((answer.body.decode(), answer.headers["Content-Type"]), (text, "text/css; charset=utf-8"))
        look.write_bytes(b" " * (1 << 20))
        self.expect(200, "/overlay.css")
        look.write_bytes(b" " * ((1 << 20) + 1))
        self.expect(500, "/overlay.css", says="too large")
        look.unlink()
        look.mkdir()
        self.expect(404, "/overlay.css", says="Is a directory")
        self.expect(403, "/overlay.css", Origin="http://evil.example")
        if not WITHOUT_PAGE:
            self.reload({})
            self.assertEqual(self.ask("/overlay.css").body, (PAGE / "overlay.css").read_bytes())


ENDLESS = "the thread sanitizer keeps a signal back until the wait for a child is over, which this signal is to end"


class Command(clashd.TestCase):
    """clashctl view, with a desktop that only notes what it is to open."""

    def setUp(self):
        super().setUp()
        self.desktop = self.home / "bin"
        self.desktop.mkdir()
        self.noted = self.home / "noted"
        opener = self.desktop / "xdg-open"
        opener.write_text(f'#!/bin/sh\ncat -- "$1" >"{self.noted}.part" 2>&1\nprintf %s "$1" >>"{self.noted}.part"\n'
                          f'mv "{self.noted}.part" "{self.noted}"\n')
        opener.chmod(0o755)

    def view(self, *words, display=":0", program=clashd.CLASHD):
        env = clashd.environment(self.home, DISPLAY=display, PATH=f"{self.desktop}:{os.environ['PATH']}", CLASHD_PROGRAM=program,
                                 TMPDIR=self.home)
        process = subprocess.Popen([clashd.CLASHCTL, "view", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=env, start_new_session=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait, clashd.WAIT_S)
        self.addCleanup(process.terminate)
        return process

    def ask(self, url, path=None):
        parts = urllib.parse.urlsplit(url)
        token = urllib.parse.parse_qs(parts.fragment)["token"][0]
        request = urllib.request.Request(f"http://{parts.netloc}{path or parts.path}", headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=clashd.WAIT_S) as answer:
            return answer.read()

    def wait_for_browser(self):
        """What was opened in it."""
        deadline = time.monotonic() + clashd.WAIT_S
        while not self.noted.exists():
            self.assertLess(time.monotonic(), deadline, "no browser was opened")
            time.sleep(0.02)
        said = self.noted.read_text()
        self.noted.unlink()
        return said

    @unittest.skipIf(WITHOUT_PAGE, WITHOUT_PAGE)
    def test_the_one_that_runs(self):
        with Daemon("--source", "none", "--websocket", "127.0.0.1:0", home=self.home) as daemon:
            address = "http://%s:%d/" % daemon.websocket
            for words, path in (((), ""), (("--overlay",), "overlay")):
                process = self.view(*words)
                said, complaints = process.communicate(timeout=clashd.WAIT_S)
                self.assertEqual((process.returncode, complaints), (0, ""))
                self.assertEqual(said, f"{address}{path}#token={daemon.token}\n")
                leader, opened = daemon.path.with_name("view.html"), self.wait_for_browser()
                self.assertIn(f"url={said.strip()}\"", opened)
                self.assertTrue(opened.endswith(str(leader)))  # all that a command line shows
                self.assertEqual(leader.stat().st_mode & 0o777, 0o600)
            self.assertTrue(self.ask(said, "/metrics"))
            with daemon.connect() as client:
                status = client.request({"type": "status", "id": 1})
                self.assertFalse(validate.check(client.lines[-1]))
                self.assertEqual(status["websocket"], "%s:%d" % daemon.websocket)
            process = self.view("--no-browser")
            self.assertEqual(process.communicate(timeout=clashd.WAIT_S)[0], f"{address}#token={daemon.token}\n")
            process = self.view(display="")
            self.assertIn("there is no display here", process.communicate(timeout=clashd.WAIT_S)[1])
            self.assertEqual(process.returncode, 0)
            self.assertFalse(self.noted.exists())

    @unittest.skipIf(WITHOUT_PAGE, WITHOUT_PAGE)
    def test_one_that_no_browser_reaches(self):
        with Daemon("--source", "none", home=self.home) as daemon:
            process = self.view()
            self.assertIn("start it with --websocket 4718", process.communicate(timeout=clashd.WAIT_S)[1])
            self.assertEqual(process.returncode, 2)
            with daemon.connect() as client:
                self.assertNotIn("websocket", client.request({"type": "status", "id": 1}))

    def test_one_without_its_page(self):
        """No address that answers 404: neither of one that runs, nor of one that is started; and what to do."""
        for running in (True, False):
            with contextlib.ExitStack() as stack:
                if running:
                    stack.enter_context(Daemon("--source", "none", "--websocket", "127.0.0.1:0", home=self.home, program=clashd.PAGELESS))
                for words in ((), (RECORDING,)) if not running else ((),):
                    process = self.view(*words, program=clashd.PAGELESS)
                    said, complaints = process.communicate(timeout=clashd.WAIT_S)
                    self.assertEqual((process.returncode, said), (2, ""), complaints)
                    self.assertRegex(complaints, r"clashctl view: clashd was built without its page, because .*install nodejs")
        self.assertFalse(self.noted.exists())
        self.assertEqual([path.name for path in self.home.iterdir() if path.name.startswith("clashctl-view")], [])

    @unittest.skipIf(WITHOUT_PAGE, WITHOUT_PAGE)
    def test_without_a_token(self):
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({"socket": {"websocket": "127.0.0.1:0", "require_token": False}}))
        with Daemon("--source", "none", "--config", settings, home=self.home) as daemon:
            said = self.view().communicate(timeout=clashd.WAIT_S)[0]
            self.assertEqual(said, "http://%s:%d/\n" % daemon.websocket)
            self.assertTrue(self.wait_for_browser().endswith(said.strip()))

    @unittest.skipIf(WITHOUT_PAGE, WITHOUT_PAGE)
    @unittest.skipIf(clashd.is_sanitized("thread"), ENDLESS)
    def test_it_starts_what_is_needed_and_ends_it(self):
        recordings = self.home / "a #b%"
        recordings.mkdir()
        recording = recordings / "x&y z.jsonl"
        recording.write_bytes(RECORDING.read_bytes())
        for words in ((), (recording,)):
            for number in (signal.SIGTERM, signal.SIGINT):
                process = self.view(*words)
                url = process.stdout.readline().strip()
                self.wait_for_browser()
                self.assertTrue(self.ask(url, "/metrics"))
                if words:
                    self.assertTrue(url.endswith("&log=x%26y%20z.jsonl"), url)
                    self.assertEqual(self.ask(url, "/logs/x%26y%20z.jsonl"), recording.read_bytes())
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=clashd.WAIT_S), 0)
                with self.assertRaises(OSError):
                    self.ask(url)
        self.assertEqual([path.name for path in self.home.iterdir() if path.name.startswith("clashctl-view")], [])

    @unittest.skipIf(WITHOUT_PAGE, WITHOUT_PAGE)
    @unittest.skipIf(clashd.is_sanitized("thread"), ENDLESS)
    def test_other_formats_are_shown_as_recordings(self):
        plain = self.home / "play.jsonl"
        plain.write_bytes(RECORDING.read_bytes())
        (self.home / "replay.bsor").write_bytes(bsor.replay([bsor.frame(i / 64) for i in range(100)]))
        self.assertEqual(clashd.clashctl("convert", plain, self.home / "play.mcap", home=self.home).returncode, 0)
        for name in ("play.mcap", "replay.bsor"):
            process = self.view("--no-browser", self.home / name)
            url = process.stdout.readline().strip()
            log = f"{name.split('.')[0]}.jsonl.zst"
            self.assertTrue(url.endswith(f"&log={log}"), url)
            shown, wanted = self.home / "shown.zst", self.home / "wanted.zst"
            shown.write_bytes(self.ask(url, f"/logs/{log}"))
            self.assertEqual(clashd.clashctl("convert", self.home / name, wanted, home=self.home).returncode, 0)
            self.assertEqual(shown.read_bytes(), wanted.read_bytes())
            wanted.unlink()
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(timeout=clashd.WAIT_S), 0)
        self.assertEqual([path.name for path in self.home.iterdir() if path.name.startswith("clashctl-")], [])

    @unittest.skipIf(clashd.is_sanitized("thread"), ENDLESS)
    def test_a_browser_opens_the_recording(self):
        missing = WITHOUT_PAGE or viewer.missing("chromium")
        if missing or not (PAGE / "engine.wasm").exists():
            self.skipTest(missing or "the page was built without the detection")
        recording = self.home / "it's & <b>.jsonl"
        recording.write_bytes((clashd.DATA / "duel-start-5s.jsonl").read_bytes())
        url = self.view("--no-browser", recording).stdout.readline().strip()
        browser = viewer.Browser("chromium", self.home)
        try:
            browser.open(url)
            self.assertEqual(browser.wait_for("document.querySelector('.log-name')?.textContent"), recording.name)
            self.assertNotIn("token", browser.ask("location.href"))
        finally:
            browser.close()

    def test_what_cannot_be_shown(self):
        (self.home / "other.txt").write_text("")
        for words, said in ((("gone.jsonl",), "No such file"), ((self.home,), "expected a regular file"), ((self.home / "other.txt",), "expected a recording"),
                            (("a.jsonl", "b.jsonl"), "at most one"), (("--socket", "x", "a.jsonl"), "either FILE or --socket")):
            process = self.view(*words)
            self.assertIn(said, process.communicate(timeout=clashd.WAIT_S)[1])
            self.assertEqual(process.returncode, 2)
        process = self.view("--socket", self.home / "none.sock")
        process.communicate(timeout=clashd.WAIT_S)
        self.assertEqual(process.returncode, 3)


class Missing(Case):
    program = clashd.PAGELESS

    def test_it_says_so(self):
        for path in ("/", "/overlay"):
            self.expect(404, path, says="built without its page, because ")
        with self.daemon.connect() as client:
            status = client.request({"type": "status", "id": 1})
            self.assertFalse(validate.check(client.lines[-1]))
            self.assertEqual(status["page_missing"], self.ask("/").body.decode().strip())


if __name__ == "__main__":
    unittest.main()
