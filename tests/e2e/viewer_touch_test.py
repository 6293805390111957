"""The page under fingers, in a window of a phone's size (Chromium): one finger turns the room, two zoom it; one goes through the timeline,
two stretch it, and a tap near a contact picks it."""
import json
import math
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import transports  # noqa: E402
import viewer  # noqa: E402
import viewer_page  # noqa: E402

STAGE, PANEL = "clashdViewer.live.stage", "clashdViewer.log.panel"
PHONE = {"width": 390, "height": 760, "touch": True}


class Touch(clashd.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="clashd-touch-", ignore_cleanup_errors=True)
        cls.addClassCleanup(folder.cleanup)
        cls.browser = viewer.Browser("chromium", folder.name)
        cls.addClassCleanup(cls.browser.close)

    def middle(self, selector):
        box = self.browser.ask(f"(({{left, top, width, height}}) => ({{left, top, width, height}}))("
                               f"document.querySelector({json.dumps(selector)}).getBoundingClientRect())")
        return box["left"] + box["width"] / 2, box["top"] + box["height"] / 2

    def finger(self, *points):
        self.browser.do("touch", steps=[[point] for point in points])

    def camera(self):
        seen = self.browser.ask(f"{STAGE}.camera")
        way = [a - b for a, b in zip(seen["position"], seen["target"], strict=True)]
        return math.hypot(*way), math.atan2(way[0], way[2]), seen["target"]

    def test_the_room(self):
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({"socket": {"websocket": "127.0.0.1:0", "token_file": str(self.home / "token")}}))
        with transports.Daemon("--source", "none", "--config", settings, home=self.home) as daemon:
            self.browser.open(f"{viewer.origin(daemon)}/#token={daemon.token}", **PHONE)
            self.browser.wait_for("document.querySelector('#live .link').textContent.startsWith('Connected')")
            self.browser.close_guide()
            x, y = self.middle("#live .stage canvas")
            far, angle, at = self.camera()
            self.finger((x - 60, y), (x - 20, y), (x + 20, y), (x + 60, y))
            turned = self.camera()
            self.assertAlmostEqual(turned[0], far, 4)
            self.assertGreater(abs(turned[1] - angle), 0.3, "one finger turns nothing")
            self.assertEqual(turned[2], at, "one finger moves what is looked at")
            self.browser.do("touch", steps=[[(x - d, y), (x + d, y)] for d in (20, 30, 40, 60)])
            self.assertLess(self.camera()[0], 0.5 * far, "two fingers do not go nearer")
            self.browser.do("touch", steps=[[(x - d, y), (x + d, y)] for d in (60, 40, 30, 20)])
            self.assertAlmostEqual(self.camera()[0], far, 1)
            self.assertEqual(self.browser.ask("[scrollX, visualViewport.scale]"), [0, 1], "the page itself moved")
            self.finger(self.middle("#live .tools button[aria-pressed]"))
            self.browser.wait_for("document.querySelector('#live .tools [aria-pressed]').getAttribute('aria-pressed') === 'true'")
            self.assertEqual(self.browser.do("problems")["problems"], [])

    def test_the_timeline(self):
        server = viewer_page.Server([viewer_page.page(self.home)], logs=clashd.DATA)
        self.addCleanup(server.close)
        self.browser.open(server.address, **PHONE)
        self.browser.do("click", selector="#tab-log")
        self.browser.do("upload", selector="#log-file", files=[str(clashd.DATA / "duel-20s.jsonl")])
        self.browser.wait_for(f"['ready', 'failed'].includes({PANEL}.state)")
        self.browser.ask("document.querySelector('#log .timeline').scrollIntoView()")
        self.assertLessEqual(self.browser.ask("document.documentElement.scrollWidth"), PHONE["width"])
        left, top, width, height = self.browser.ask(
            "(({left, top, width, height}) => [left, top, width, height])(document.querySelector('#log .timeline').getBoundingClientRect())")
        y, (first, last) = top + height / 2, self.browser.ask(f"{PANEL}.player.extent")
        self.finger((left + 0.2 * width, y), (left + 0.5 * width, y), (left + 0.75 * width, y))
        self.browser.wait_for(f"Math.abs({PANEL}.player.time - {first + 0.75 * (last - first)}) < {0.01 * (last - first)}")
        span = f"({PANEL}.timeline.xOf({last}) - {PANEL}.timeline.xOf({first})) / {width}"
        self.assertAlmostEqual(self.browser.ask(span), 1, 3)
        time = self.browser.ask(f"{PANEL}.player.time")
        self.browser.do("touch", steps=[[(left + (0.5 - d) * width, y), (left + (0.5 + d) * width, y)] for d in (0.1, 0.2, 0.3, 0.4)])
        self.assertAlmostEqual(self.browser.ask(span), 4, 1)
        self.assertEqual(self.browser.ask(f"{PANEL}.player.time"), time, "two fingers have gone elsewhere")
        # A tap beside the nearest contact, by less than a finger is wide.
        x = self.browser.ask(f"Math.max(...{PANEL}.contacts.map(({{start}}) => {PANEL}.timeline.xOf(start)).filter((x) => x < {width - 30}))")
        picked = f"{PANEL}.contacts[{PANEL}.selected]"
        self.finger((left + x - 9, y))
        self.browser.wait_for(f"{PANEL}.selected >= 0 && Math.abs({PANEL}.timeline.xOf({picked}.start) - {x}) < 9")
        self.assertEqual(self.browser.ask(f"{PANEL}.player.time"), self.browser.ask(f"{picked}.start"))


if __name__ == "__main__":
    reason = viewer_page.missing_engine() or viewer.missing("chromium")
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main()
