"""The page's empty state (Chromium): for each cause it says what to do next, it gives a device the state that clashd reports, and a button
plays 20 s of human swings with their sparks, live and in the log, with clashd and without."""
import base64
import json
import struct
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import transports  # noqa: E402
import viewer  # noqa: E402
import viewer_page  # noqa: E402

CASE = "document.querySelector('#live .guide:not([hidden])')?.dataset.case"
LIVE = "clashdViewer.live"
CLASHES = "document.querySelectorAll('#live .event[data-type=clash]')"
SWINGS = clashd.DATA / "duel-20s.jsonl"
EVENTS = [json.loads(line) for line in (clashd.DATA / "duel-20s.events").read_text().splitlines()]
CLASH_TIMES = [event["time_ns"] for event in EVENTS if event["type"] == "clash"]
# How many pixels of the room have a strong colour, as blades and sparks have and the empty room does not.
PIXELS = """(async () => {
  const picture = await createImageBitmap(await clashdViewer.live.stage.picture()), canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [picture.width, picture.height];
  const context = canvas.getContext("2d");
  context.drawImage(picture, 0, 0);
  const {data} = context.getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let i = 0; i < data.length; i += 4) count += Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 100;
  return count;
})()"""


def start(case, *words, env=None, **settings):
    file = case.home / "settings.json"
    file.write_text(json.dumps({"socket": {"websocket": "127.0.0.1:0", "token_file": str(case.home / "token")}, **settings}))
    daemon = transports.Daemon(*words, "--config", file, home=case.home, env=env)
    case.addCleanup(daemon.stop)
    return daemon


class Empty(clashd.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="clashd-empty-", ignore_cleanup_errors=True)
        cls.addClassCleanup(folder.cleanup)
        cls.browser = viewer.Browser("chromium", folder.name)
        cls.addClassCleanup(cls.browser.close)

    def open(self, daemon, token=True):
        self.browser.open(f"{viewer.origin(daemon)}/" + (f"#token={daemon.token}" if token else ""), width=1280, height=720)

    def expect(self, case, *words):
        """Expect the card of this case, with these words and the button for the swings, and without a serious fault of accessibility."""
        self.browser.wait_for(f"{CASE} === '{case}'")
        text = self.browser.ask("document.querySelector('#live .card').innerText")
        for word in words:
            self.assertIn(word, text)
        self.assertIn("Play 20 s of human swings", text)
        self.assertEqual([fault for fault in self.browser.do("axe") if fault["impact"] in ("serious", "critical")], [])

    def test_no_runtime(self):
        """Each hand has the reason that `status` gives, although this page connected after the event."""
        daemon = start(self, "--source", "openxr", env={"XR_RUNTIME_JSON": str(self.home / "none.json")})
        self.open(daemon)
        self.expect("no-runtime", "SteamVR", "clashctl doctor")
        self.browser.wait_for("document.querySelectorAll('#live .devices .is-bad').length === 2")
        devices = self.browser.ask("[...document.querySelectorAll('#live .devices li')].map(({textContent}) => textContent)")
        self.assertEqual(devices, ["left handno OpenXR runtime", "right handno OpenXR runtime"])

    def test_why_a_hand_is_not_tracked(self):
        """The reason in a tracking event holds until the next event."""
        daemon = start(self, "--source", "none", blades=[], socket={"websocket": "127.0.0.1:0", "push_timeout_ms": 60000})
        self.open(daemon)
        self.browser.wait_for("document.querySelector('#live .link').textContent.startsWith('Connected')")
        words = "document.querySelector('#live .devices').textContent"
        pose = {"device": "prop", "position": [0, 1, 0], "orientation": [0, 0, 0, 1]}
        with daemon.connect() as client:
            blade = {"type": "blade", "id": "b", "name": "prop", "device": "prop", "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.01}
            self.assertEqual(client.request(blade)["type"], "ok")
            for tracked, expected in ((True, "tracked · client"), (False, "estimated, not measured"), (True, "tracked · client")):
                self.assertEqual(client.request({"type": "poses", "id": "p", "poses": [{**pose, "tracked": tracked}]})["type"], "ok")
                self.browser.wait_for(f"{words} === 'prop{expected}'")

    def test_no_poses_no_blades_and_one_blade(self):
        daemon = start(self, "--source", "none")
        self.open(daemon)
        self.expect("clients-only", "--source none", "openxr.enabled is false")  # clashd reports the same source for both
        self.browser.close_guide()
        self.assertIsNone(self.browser.ask(f"{CASE} ?? null"))
        self.assertEqual(daemon.stop(), 0)
        self.expect("no-clashd", "clashctl view")

        daemon = start(self, "--source", "none", blades=[])
        self.open(daemon)
        self.expect("no-blades", "clashctl config")
        pose = {"device": "prop", "position": [0, 1, 0], "orientation": [0, 0, 0, 1]}
        with daemon.connect() as client:
            blade = {"type": "blade", "id": "b", "name": "prop", "device": "prop", "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.01}
            self.assertEqual(client.request(blade)["type"], "ok")
            while self.browser.ask(f"{CASE} ?? null") != "one-blade":  # only while poses come
                self.assertEqual(client.request({"type": "poses", "id": "p", "poses": [pose]})["type"], "ok")
            self.assertEqual(client.request({"type": "target", "id": "t", "name": "ball", "position": [5, 1, 0], "sphere": {"radius": 0.1}})["type"], "ok")
            while self.browser.ask(f"{CASE} ?? null"):
                self.assertEqual(client.request({"type": "poses", "id": "p", "poses": [pose]})["type"], "ok")

    def test_without_the_token(self):
        self.open(start(self, "--source", "none"), token=False)
        self.expect("no-token", "clashctl view")

    def test_with_a_wrong_token(self):
        """One that no clashd would make, and one of another start."""
        daemon = start(self, "--source", "none")
        for wrong in ("00", "a b", "0" * 64):
            self.browser.open(f"{viewer.origin(daemon)}/#token={wrong}", width=1280, height=720)
            self.expect("wrong-token", "clashctl view", "new token at each start")
            link = self.browser.ask("document.querySelector('#live .link').textContent")
            self.assertIn("clashd refuses this token", link)
            self.assertNotIn("none is given", link)
        self.assertEqual(daemon.stop(), 0)
        daemon = start(self, "--source", "none", socket={"websocket": "127.0.0.1:0", "require_token": False})
        self.browser.open(f"{viewer.origin(daemon)}/#token=00", width=1280, height=720)
        self.expect("clients-only")

    def test_a_recording(self):
        """One that is over is said to be; a paused one stays drawn."""
        daemon = start(self, "--source", f"replay:{SWINGS}", "--speed", "max")
        self.open(daemon)
        self.expect("replay-ended", "clashctl replay seek 0")
        self.assertEqual(daemon.stop(), 0)
        daemon = start(self, "--source", f"replay:{SWINGS}", "--loop")
        self.open(daemon)
        self.browser.wait_for(f"{CLASHES}.length >= 1")
        with daemon.connect() as client:
            self.assertEqual(client.request({"type": "replay", "id": "r", "action": "pause"})["type"], "ok")
        self.browser.wait_for(f"{LIVE}.panel.source.status.replay.state === 'paused'")
        self.browser.ask("new Promise((resolve) => setTimeout(resolve, 1500))")  # longer than a silent device stays drawn
        self.assertGreater(self.browser.ask(PIXELS), 150, "no blades")
        self.assertIsNone(self.browser.ask(f"{CASE} ?? null"))

    def test_the_demo(self):
        """Its clashes are those of the recording, at their times; sparks are drawn; and there is a way back."""
        self.open(start(self, "--source", "none"))
        self.expect("clients-only")
        self.assertLess(self.browser.ask(PIXELS), 20, "there is something in the empty room")
        self.browser.do("click", selector=".try-demo")
        self.browser.wait_for(f"{CLASHES}.length >= 3")
        times = self.browser.ask(f"[...{CLASHES}].map((row) => row.querySelector('.when').textContent)")[::-1]
        self.assertEqual(times, [f"0:{time // 1000000000:02}.{time // 1000000 % 1000:03}" for time in CLASH_TIMES[:len(times)]])
        self.browser.ask(f"{LIVE}.panel.hold(true)")
        self.assertGreater(self.browser.ask(PIXELS), 150, "no blades")
        self.assertIsNone(self.browser.ask(f"{CASE} ?? null"))
        self.assertEqual(self.browser.ask(f"{LIVE}.stage.blades"), ["left", "right"])
        self.assertIn("Demo", self.browser.ask("document.querySelector('#live .demo').innerText"))
        back = "[...document.querySelectorAll('#live .demo button')].find(({textContent}) => textContent === 'Back to live')"
        self.browser.ask(f"{back}.click()")
        self.expect("clients-only")
        self.assertEqual(self.browser.ask(f"{CLASHES}.length"), 0)
        self.assertTrue(self.browser.ask("document.querySelector('#live .demo').hidden"))
        told = self.browser.do("problems")
        self.assertEqual((told["problems"], told["violations"]), ([], []))

    def test_the_demo_in_the_log(self):
        """Without clashd: from Live by its button, and from the log's own. The log finds the same contacts, to the nanosecond."""
        if reason := viewer_page.missing_engine():
            self.skipTest(reason)
        server = viewer_page.Server([viewer_page.page(self.home)])
        self.addCleanup(server.close)
        contacts = "clashdViewer.log.panel.contacts.map(({start}) => start)"
        self.browser.open(server.address, width=1280, height=720)
        self.browser.wait_for(CASE)
        self.browser.do("click", selector=".try-demo")
        self.browser.wait_for(f"{CLASHES}.length >= 1")
        self.browser.ask("[...document.querySelectorAll('#live .demo button')].find(({textContent}) => /Log/.test(textContent)).click()")
        self.browser.wait_for("clashdViewer.log?.panel.state === 'ready'")
        self.assertEqual(self.browser.ask(contacts), CLASH_TIMES)
        self.browser.open(server.address, width=1280, height=720)
        self.browser.do("click", selector="#tab-log")
        self.browser.ask("[...document.querySelectorAll('.log-welcome button')].find(({textContent}) => /human swings/.test(textContent)).click()")
        self.browser.wait_for("clashdViewer.log.panel.state === 'ready'")
        self.assertEqual(self.browser.ask(contacts), CLASH_TIMES)


class Asset(clashd.TestCase):
    def test_it_is_the_recording(self):
        demo = json.loads((viewer.PAGE / "demo.json").read_text())
        lines = [json.loads(line) for line in SWINGS.read_text().splitlines()]
        self.assertEqual(demo["header"], lines[0])
        self.assertEqual(demo["times_ns"], [line["time_ns"] for line in lines[1:]])
        numbers = [number for line in lines[1:] for pose in line["poses"] for number in (*pose["position"], *pose["orientation"])]
        self.assertEqual(base64.b64decode(demo["poses"]), struct.pack(f"<{len(numbers)}f", *numbers))
        self.assertEqual(demo["events"], EVENTS)
        self.assertIn("MetaGuard", (viewer.PAGE / "licences.txt").read_text())


if __name__ == "__main__":
    why = viewer.missing("chromium")
    if why:
        print(f"skipped: {why}")
        sys.exit(77)
    unittest.main()
