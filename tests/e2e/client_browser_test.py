"""The ES module and its example in a real browser against a live clashd: a page of this machine gets a clash where it was
and draws a spark there; a page of elsewhere is refused, and told what it may be, until clashd's settings name it; and so
is one with a wrong token."""
import json
import os
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import browser  # noqa: E402
import transports  # noqa: E402

import clashd  # noqa: E402

# Two blades cross where this is: one lies along x, the other, which falls through it, along z.
HEIGHT, BEFORE = 1.25, -0.5
FALLING = {"name": "falling", "device": "falling/device", "base": [0, 0, -0.5], "tip": [0, 0, 0.5], "radius": 0.01}
LYING = {"name": "lying", "device": "lying/device", "base": [-1, 0, 0], "tip": [1, 0, 0], "radius": 0.01}
STATUS = "document.querySelector('#status')?.textContent"
LAST = "document.querySelector('#last')?.textContent"
# How many points of the canvas are bright within half a metre of (0, BEFORE), which is where sparks can be.
BRIGHT = f"""(() => {{
  const canvas = document.querySelector("canvas"), scale = Math.min(canvas.width, canvas.height) / 4;
  const data = canvas.getContext("2d").getImageData(canvas.width / 2 - scale / 2,
                                                    canvas.height / 2 + ({BEFORE} - 0.5) * scale, scale, scale).data;
  let bright = 0;
  for (let i = 0; i < data.length; i += 4) bright += data[i] > 200;
  return bright;
}})()"""


class InABrowser(clashd.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = browser.Pages(clashd.SOURCE / "protocol" / "clients" / "js")
        cls.addClassCleanup(cls.pages.close)
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.close)

    def start_daemon(self, **settings):
        file = self.home / "settings.json"
        file.write_text(json.dumps({"socket": {"websocket": "127.0.0.1:0", "push_timeout_ms": 60000, **settings},
                                    "contact": {"max_gap_ms": 10000}}))  # however slow this machine is
        return transports.Daemon("--source", "none", "--config", file, home=self.home)

    def open(self, daemon, host="127.0.0.1", token=None):
        port = self.pages.server_address[1]
        return self.browser.open(f"http://{host}:{port}/examples/sparks.html#url=ws://127.0.0.1:{daemon.websocket[1]}"
                                 f"&token={token or daemon.token}")

    def cross(self, client, watcher):
        """Lets one blade fall through the other; the clash, as another client is told."""
        for blade in (FALLING, LYING):
            self.assertEqual(client.request({"type": "blade", "id": "b", **blade})["type"], "ok")
        watcher.subscribe(events=["clash"])
        for above in (0.2, 0.2, -0.2, -0.2):
            reply = client.request({"type": "poses", "id": "p", "poses": [
                {"device": "falling/device", "position": [0, HEIGHT + above, BEFORE], "orientation": [0, 0, 0, 1]},
                {"device": "lying/device", "position": [0, HEIGHT, BEFORE], "orientation": [0, 0, 0, 1]}]})
            self.assertEqual(reply["type"], "ok", reply)
        return watcher.read()

    def wait_for_subscription(self, client):
        """The page shows clashd's version before clashd has its `subscribe`, the first request that this client does not make."""
        deadline, own = time.monotonic() + clashd.WAIT_S, 0
        while True:
            own += 1
            counters = client.request({"type": "status", "id": "s"})["counters"]
            if counters["requests"] > own:
                return
            self.assertLess(time.monotonic(), deadline, counters)
            time.sleep(0.02)

    def expect_clash(self, daemon, page):
        page.wait_for(f"{STATUS}?.startsWith('clashd ')")
        with daemon.connect() as client, daemon.connect() as watcher:
            self.wait_for_subscription(client)
            page.ask("window.most = 0; (function watch() {"
                     f" window.most = Math.max(window.most, {BRIGHT}); requestAnimationFrame(watch); }})()")
            clash = self.cross(client, watcher)
            for found, expected in zip(clash["midpoint"], (0, HEIGHT, BEFORE), strict=True):
                self.assertAlmostEqual(found, expected, delta=0.02)
            said = page.wait_for(LAST).replace("-0.000", "0.000")
            self.assertEqual(said, "{}: {} at {:.3f} {:.3f} {:.3f}, {:.1f} m/s".format(
                clash["seq"], " against ".join(clash["blades"]), *clash["midpoint"], clash["closing_speed"]).replace(
                "-0.000", "0.000"))
            page.wait_for("window.most > 3")

    def test_a_page_of_this_machine_sees_a_spark(self):
        with self.start_daemon() as daemon:
            page = self.open(daemon)
            self.expect_clash(daemon, page)
            # All that it says, for it tries again soon, and says then that it cannot connect.
            page.ask(f"window.said = []; new MutationObserver(() => said.push({STATUS})).observe("
                     "document.querySelector('#status'), {childList: true, characterData: true, subtree: true})")
        self.assertTrue(page.wait_for("said[0]").startswith("closed"), page.ask("said.join('; ')"))

    def test_a_page_of_elsewhere_is_refused_until_it_is_allowed(self):
        origin = f"http://other.example:{self.pages.server_address[1]}"
        with self.start_daemon() as daemon:
            self.refused(daemon, self.open(daemon, "other.example"), origin)
            page = self.open(daemon)  # one that may come in
            page.wait_for(f"{STATUS}?.startsWith('clashd ')")
        with self.start_daemon(allowed_origins=[origin]) as daemon:
            self.expect_clash(daemon, self.open(daemon, "other.example"))
            # Those that are named are all.
            self.refused(daemon, self.open(daemon), f"http://127.0.0.1:{self.pages.server_address[1]}")

    def refused(self, daemon, page, origin):
        said = page.wait_for(f"{STATUS} !== 'connecting' && {STATUS}")
        self.assertIn(f"pages of {origin} may not connect", said)
        self.assertIn("socket.allowed_origins", said)
        daemon.wait_for_log(f"pages of {origin} may not connect")
        self.assertFalse(page.ask(LAST))

    def test_a_wrong_token_is_told(self):
        with self.start_daemon() as daemon:
            page = self.open(daemon, token="0" * 64)
            self.assertIn("clashd refuses this token", page.wait_for(f"{STATUS} !== 'connecting' && {STATUS}"))
            daemon.wait_for_log("wrong token")


if __name__ == "__main__":
    if not browser.find():
        if os.environ.get("CLASHD_BROWSER", os.environ.get("CI")) in ("1", "true"):
            sys.exit(f"no browser here, none of {', '.join(browser.NAMES)}, though one was asked for")
        print(f"skipped: no browser here, none of {', '.join(browser.NAMES)}: apt-get install chromium")
        sys.exit(77)
    unittest.main()
