"""The page in real browsers, for tests: Chromium, and Firefox ESR under Xvfb, both through viewer_browser.mjs. Says why where a
browser, Node or the packages of daemon/viewer are missing."""
import json
import os
import shutil
import subprocess
import threading
from pathlib import Path

import clashd
import viewer_page

BROWSERS = {"chromium": ("chromium", "chromium-browser", "google-chrome"), "firefox": ("firefox-esr", "firefox")}
DRIVER = Path(__file__).with_name("viewer_browser.mjs")
MODULES = viewer_page.VIEWER / "node_modules"
PAGE = viewer_page.MADE / "page"


def program(browser):
    return next(filter(None, map(shutil.which, BROWSERS[browser])), None)


def missing(*browsers):
    """Why tests cannot run here, None where they can."""
    if not PAGE.is_dir():
        return "clashd was built without its page"
    if why := viewer_page.missing_packages("--dev"):
        return why
    for browser in browsers:
        if not program(browser):
            return f"no {browser} here, none of {', '.join(BROWSERS[browser])}: apt-get install {BROWSERS[browser][0]}"
    if "firefox" in browsers and not shutil.which("Xvfb"):
        return "no Xvfb here: apt-get install xvfb"
    return None


def origin(daemon):
    """Where clashd serves its page."""
    return "http://{}:{}".format(*daemon.websocket)


class Screen:
    """A display in memory."""

    def __init__(self):
        reads, writes = os.pipe()
        self.process = subprocess.Popen(["Xvfb", "-displayfd", str(writes), "-screen", "0", "1600x1200x24", "-nolisten", "tcp"],
                                        pass_fds=(writes,), stderr=subprocess.DEVNULL)
        os.close(writes)
        with os.fdopen(reads) as told:
            self.name = f":{told.readline().strip()}"

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=clashd.WAIT_S)


class Browser:
    def __init__(self, name, home, **how):
        self.screen = Screen() if name == "firefox" else None
        env = {**os.environ, "HOME": str(home), "MOZ_DISABLE_CONTENT_SANDBOX": "1"}
        if self.screen:
            env["DISPLAY"] = self.screen.name
        self.process = subprocess.Popen(["node", DRIVER, name, program(name), MODULES], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=env)
        self.lock = threading.Lock()
        self.version = self.do("start", **how)

    def do(self, command, **given):
        with self.lock:
            self.process.stdin.write(json.dumps({"do": command, **given}) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        assert line, f"the browser ended at {command}"
        answer = json.loads(line)
        assert "error" not in answer, f"{command} {given}: {answer['error']}"
        return answer["value"]

    def open(self, url, **how):
        self.do("open", url=url, **how)

    def ask(self, expression):
        """The value of JavaScript, a promise's once it has one."""
        return self.do("ask", expression=expression)

    def wait_for(self, expression):
        """The first value that is true."""
        try:
            return self.do("wait", expression=expression)
        except AssertionError as error:
            raise AssertionError(f"{error}; the page says: {self.ask('document.body.innerText')}; {self.do('problems')}") from None

    def close_guide(self):
        """Close the card of the empty room, which lies over its middle, once it is there."""
        self.wait_for("document.querySelector('#live .guide:not([hidden])')")
        self.ask("[...document.querySelectorAll('#live .card button')].find(({textContent}) => textContent === 'Close').click()")

    def close(self):
        self.do("stop")
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(timeout=clashd.WAIT_S)
        if self.screen:
            self.screen.close()
