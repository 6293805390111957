"""A headless Chromium, driven through the pipe of its DevTools protocol: pages are opened, asked, and photographed. Nothing
leaves this machine: names that tests make up lead to 127.0.0.1."""
import base64
import fcntl
import functools
import http.server
import itertools
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time

import clashd

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--headless", "--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run",
         "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--host-resolver-rules=MAP *.example 127.0.0.1",
         "--window-size=800,600", "--remote-debugging-pipe")


def find():
    """The browser's path, None where there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Pages(http.server.ThreadingHTTPServer):
    """Serves a directory on loopback."""
    daemon_threads = True

    def __init__(self, directory):
        class Quiet(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *words):
                pass

        super().__init__(("127.0.0.1", 0), functools.partial(Quiet, directory=directory))
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


class Browser:
    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="clashd-browser-", ignore_cleanup_errors=True)
        reads, self.tell = os.pipe()
        self.hear, writes = os.pipe()
        # Its descriptors 3 and 4: these two, which are moved out of their way first.
        told, said = (fcntl.fcntl(end, fcntl.F_DUPFD, 100) for end in (reads, writes))
        words = f"exec 3<&{told} 4>&{said} {told}<&- {said}>&-; exec \"$@\""
        self.process = subprocess.Popen(
            ["bash", "-c", words, "browser", find(), *FLAGS, f"--user-data-dir={self.profile.name}", "about:blank"],
            pass_fds=(told, said), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.profile.name})
        for end in (reads, writes, told, said):
            os.close(end)
        self.ids = itertools.count(1)
        self.answers = {}
        self.changed = threading.Condition()
        self.ended = False
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        rest = b""
        while received := os.read(self.hear, 65536):
            *messages, rest = (rest + received).split(b"\0")
            for message in map(json.loads, messages):
                with self.changed:
                    if "id" in message:
                        self.answers[message["id"]] = message
                    self.changed.notify_all()
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def call(self, method, session=None, **parameters):
        number = next(self.ids)
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.tell, json.dumps(message).encode() + b"\0")
        with self.changed:
            if not self.changed.wait_for(lambda: number in self.answers or self.ended, clashd.WAIT_S):
                raise AssertionError(f"the browser does not answer {method}")
        answer = self.answers.pop(number, {"error": {"message": "the browser has ended"}})
        if "error" in answer:
            raise Refused(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, url):
        target = self.call("Target.createTarget", url=url)["targetId"]
        return Page(self, self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"])

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=clashd.WAIT_S)
        os.close(self.tell)
        self.profile.cleanup()


class Refused(AssertionError):
    """The browser's own error to a call."""

    def is_of_a_page_that_loads(self):
        """Whether the page has nothing yet, or nothing any more, that an expression could be asked of."""
        return "context" in str(self)


class Page:
    def __init__(self, browser, session):
        self.browser = browser
        self.session = session

    def ask(self, expression):
        """The value of JavaScript, a promise's once it has one."""
        result = self.browser.call("Runtime.evaluate", self.session, expression=expression, awaitPromise=True,
                                   returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def wait_for(self, expression):
        """The first value that is true."""
        deadline = time.monotonic() + clashd.WAIT_S
        while time.monotonic() < deadline:
            try:
                if value := self.ask(expression):
                    return value
            except Refused as refused:
                if not refused.is_of_a_page_that_loads():
                    raise
            time.sleep(0.05)
        raise AssertionError(f"{expression} stays false; the page says: " + self.ask("document.body?.innerText ?? ''"))

    def picture(self):
        """PNG."""
        return base64.b64decode(self.browser.call("Page.captureScreenshot", self.session, format="png")["data"])
