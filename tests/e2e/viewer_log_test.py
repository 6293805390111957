"""The page's log side in Chromium and Firefox: as many contacts as clashctl detect finds; stepping to each shows the axes at the sum of the
radii; damage by line and reason; a slider gives what clashctl tune gives; plots, exports, a clip; hostile names and logs are text; the
picture of a hit that no sample sees; and the golden bits. CLASHD_PICTURES names a folder to leave the pictures in; CLASHD_LONG=1
has all of it in Firefox too."""
import io
import json
import os
import sys
import unittest
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import viewer  # noqa: E402
import viewer_page  # noqa: E402
from transports import Daemon  # noqa: E402

SWINGS = clashd.DATA / "duel-20s.jsonl"
STANDIN = clashd.DATA / "standin-10s.jsonl.zst"
WASM = clashd.BUILD / "tests" / "wasm"
PANEL = "window.clashdViewer.log.panel"
LONG = os.environ.get("CLASHD_LONG")  # all of it in Firefox too
HOSTILE = "<img src=x onerror=window.hurt=1>"
RADII = 30.0  # mm: two of clashd's own blades

# For each name shown, apart from the other labels: the blade nearest to where its line begins.
NAMES = """(() => {
  const {panel, stage} = clashdViewer.log;
  stage.render(performance.now());
  const room = stage.element.getBoundingClientRect();
  const spans = [...document.querySelectorAll("#log .stage-labels span:not([hidden])")];
  const box = (element) => element.getBoundingClientRect(), found = {};
  const turn = ([x, y, z, w], v) => {
    const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    const t = cross([x, y, z], v).map((c) => 2 * c), u = cross([x, y, z], t);
    return v.map((c, i) => c + w * t[i] + u[i]);
  };
  const {blades, devices} = panel.picture.last;
  for (const span of spans.filter((one) => one.className === "is-name")) {
    const own = box(span), isCovered = spans.some((other) => other !== span && box(other).left < own.right && own.left < box(other).right &&
      box(other).top < own.bottom && own.top < box(other).bottom);
    if (isCovered || own.left < room.left || own.right > room.right || own.top < room.top || own.bottom > room.bottom) continue;
    const dot = span.previousElementSibling?.querySelector("em"), start = dot ? box(dot) : own;
    const x = (dot ? (start.left + start.right) / 2 : start.left) - room.left, y = (start.top + start.bottom) / 2 - room.top;
    const far = (blade) => Math.min(...Array.from({length: 101}, (_, i) => {
      const {pose} = devices.find(({name}) => name === blade.device);
      const at = stage.project(turn(pose.orientation, blade.base.map((c, k) => c + i / 100 * (blade.tip[k] - c))).map((c, k) => c + pose.position[k]));
      return Math.hypot(at.x - x, at.y - y);
    }));
    found[span.textContent] = [...blades].sort((a, b) => far(a) - far(b))[0].name;
  }
  return found;
})"""


class Page:
    """Both browsers look at the same page."""
    browser = ""

    @classmethod
    def setUpClass(cls):
        cls.folder = clashd.tempfile.TemporaryDirectory(prefix="clashd-page-")
        home = Path(cls.folder.name)
        cls.driver = viewer.Browser(cls.browser, home)
        support = Path(viewer_page.__file__).parent / "wasm"
        cls.server = viewer_page.Server([viewer_page.page(home), support, WASM], logs=clashd.DATA)

    @classmethod
    def tearDownClass(cls):
        cls.driver.close()
        cls.server.close()
        cls.folder.cleanup()

    def setUp(self):
        super().setUp()
        self.pictures = Path(os.environ.get("CLASHD_PICTURES", self.home))

    def ask(self, expression):
        return self.driver.ask(expression)

    def open_log(self, file=None, theme="dark"):
        self.driver.open(self.server.address, width=1280, height=800, theme=theme)
        self.driver.do("click", selector="#tab-log")
        if file:
            self.give(file)

    def give(self, file):
        self.driver.do("upload", selector="#log-file", files=[str(file)])
        self.settle()

    def settle(self):
        self.driver.wait_for(f"['ready', 'failed'].includes({PANEL}.state)")

    def text(self, selector):
        return self.ask(f"document.querySelector({json.dumps(selector)}).innerText")

    def picture(self, name):
        file = self.pictures / f"log-{self.browser}-{name}.png"
        self.driver.do("picture", file=str(file))
        self.assertGreater(file.stat().st_size, 10000)
        return file

    def clean(self):
        """Nothing against the policy, no exception, nothing from elsewhere. (There is no clashd to connect to, and no favourite icon.)"""
        told = self.driver.do("problems")
        self.assertEqual(told["violations"], [])
        self.assertEqual([line for line in told["problems"] if line.startswith("exception") and "connection to the server at ws:" not in line], [])
        self.assertEqual([url for url in told["fetched"] if not url.startswith((self.server.address, "blob:", "data:", "ws:"))], [])

    def test_contacts_are_clashctls_and_each_is_where_the_radii_meet(self):
        self.open_log(SWINGS)
        events = [json.loads(line) for line in (clashd.DATA / "duel-20s.events").read_text().splitlines()]
        clashes = [event for event in events if event["type"] == "clash"]
        self.assertEqual(self.ask(f"{PANEL}.contacts.map(({{start}}) => start)"), [event["time_ns"] for event in clashes])
        self.assertIn(f"{len(clashes)} contacts", self.text(".log-summary"))
        self.assertIn("sampling alone misses 17", self.text(".log-summary"))
        for i, clash in enumerate(clashes):
            if i > 0:
                self.driver.do("press", key="]")
            self.driver.wait_for(f"{PANEL}.selected === {i} && {PANEL}.picture.last?.time === {clash['time_ns']}")
            shown = self.ask(f"({{card: document.querySelector('.log-main').innerText, now: {PANEL}.picture.last.now}})")
            self.assertEqual(shown["card"].split("\n")[:2], ["Speed", f"{clash['closing_speed']:.1f}\u00a0m/s"])
            self.assertAlmostEqual(shown["now"]["distance"] * 1000, RADII, 1)
            for found, expected in zip(shown["now"]["midpoint"], clash["midpoint"]):
                self.assertAlmostEqual(found, expected, 5)
            where = self.text(".log-ours .log-value")
            self.assertEqual(where, ", ".join(f"{name} {100 * share:.0f}\u00a0%" for name, share in zip(clash["blades"], clash["along"])))
        self.clean()

    def test_each_blade_has_its_name(self):
        """At every contact both names are shown, apart, and each one's line begins on its own blade."""
        self.driver.open(self.server.address, width=1280, height=720)
        self.driver.do("click", selector="#tab-log")
        self.give(SWINGS)
        for i in range(self.ask(f"{PANEL}.contacts.length")):
            self.ask(f"{PANEL}.select({i})")
            self.driver.wait_for(f"{PANEL}.selected === {i} && {PANEL}.picture.last?.time === {PANEL}.contacts[{i}].start")
            if i == 0:
                self.picture("names")
            self.assertEqual(self.ask(f"{NAMES}()"), {"left": "left", "right": "right"}, f"contact {i + 1}")

    def test_steps_plays_slowly_and_loops(self):
        self.open_log(SWINGS)
        start = self.ask(f"{PANEL}.contacts[0].start")
        self.driver.do("press", key="ArrowRight")
        self.driver.wait_for(f"{PANEL}.picture.last?.time > {start}")
        times = [json.loads(line)["time_ns"] for line in SWINGS.read_text().splitlines()[1:]]
        self.assertEqual(self.ask(f"{PANEL}.picture.last.time"), min(time for time in times if time > start))
        self.driver.do("press", key="ArrowLeft")
        self.driver.wait_for(f"{PANEL}.picture.last?.time < {start}")
        self.assertEqual(self.ask(f"{PANEL}.picture.last.time"), max(time for time in times if time < start))
        # In a hundredth of the time there are pictures between two samples.
        self.ask(f"{PANEL}.select(0)")
        self.driver.do("press", key="o")
        for _ in range(5):
            self.driver.do("press", key="-")
        self.assertEqual(self.ask(f"{PANEL}.player.speed"), 0.01)
        self.ask(f"{PANEL}.player.loop = [{start} - 2e6, {start} + 2e6], {PANEL}.player.seek({start} - 2e6)")
        self.driver.do("press", key=" ")
        self.driver.wait_for(f"{PANEL}.player.playing && {PANEL}.picture.last.time > {start} - 1.9e6")
        time = self.driver.wait_for(f"{PANEL}.picture.last.time < {start} + 1e6 && {PANEL}.picture.last.time")
        self.assertNotIn(time, times)
        self.driver.do("press", key=" ")
        self.driver.wait_for(f"!{PANEL}.player.playing")
        self.clean()

    def test_a_hit_that_no_sample_sees_is_drawn(self):
        self.open_log(SWINGS)
        index = self.ask(f"{PANEL}.contacts.findIndex(({{seen, speed}}) => seen === false && speed > 40)")
        self.ask(f"{PANEL}.select({index})")
        self.driver.wait_for(f"{PANEL}.picture.last?.time === {PANEL}.contacts[{index}].start")
        self.driver.wait_for("document.querySelector('.log-reading').dataset.verdict === 'missed'")
        self.assertIn("Sampling alone\nmissed it", self.text(".log-theirs"))
        ends = self.ask(f"{PANEL}.picture.last.verdict.ends")
        self.assertTrue(all(not end["touching"] and end["distance"] * 1000 > RADII for end in ends), ends)
        with_sweep = self.picture("missed").read_bytes()
        self.ask("[...document.querySelectorAll('.log-layers button')].forEach((button) => button.click())")
        self.driver.wait_for("[...document.querySelectorAll('.log-layers button')].every((one) => one.getAttribute('aria-pressed') === 'false')")
        self.ask("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 300)))")
        self.assertNotEqual(self.picture("missed-bare").read_bytes(), with_sweep)

    def test_damage_is_named(self):
        lines = SWINGS.read_text().splitlines()[:300]
        lines[100] = lines[100][:60]
        lines[200] = '{"type":"poses","time_ns":1,"poses":[{"device":7}]}'
        file = self.home / "damaged.jsonl"
        file.write_text("\n".join(lines) + "\n")
        self.open_log(file)
        damage = self.ask("document.querySelector('.log-damage').textContent")
        self.assertIn("2 damaged places", damage)
        self.assertIn("line 101: not JSON", damage)
        self.assertIn("line 201: poses[0]", damage)
        self.assertEqual(self.ask(f"{PANEL}.state"), "ready")
        self.assertGreater(self.ask(f"{PANEL}.contacts.length"), 1)
        none = self.home / "none.jsonl"
        none.write_text("<script>window.hurt = 1</script>\n")
        self.ask(f"{PANEL}.state = 'waiting'")
        self.give(none)
        self.assertEqual(self.ask(f"{PANEL}.state"), "failed")
        self.assertIn("line 1: expected a header", self.text(".log-message"))
        self.clean()

    def tuned(self, slider, value):
        self.ask(f"(() => {{ const tune = document.querySelector('.log-tune'), input = document.querySelector('#tune-{slider}');"
                 f" tune.dataset.state = 'moved'; input.value = '{value}'; input.dispatchEvent(new Event('input', {{bubbles: true}})); }})()")
        self.driver.wait_for("document.querySelector('.log-tune').dataset.state === 'done'")
        return json.loads(self.ask("document.querySelector('.log-tune').dataset.stats"))

    def test_a_slider_gives_what_clashctl_tune_gives(self):
        self.open_log(SWINGS)
        self.driver.do("click", selector="#log-tab-tune")
        rows = clashd.clashctl("tune", str(SWINGS), "contact.margin=0:0.05:0.05", "--json", home=self.home).stdout.splitlines()
        recorded, row = map(json.loads, rows)
        stats = self.tuned("margin", 50)
        self.assertNotEqual(row["contacts"], recorded["contacts"])
        for name in ("contacts", "holds", "closing_speed", "intensity"):
            self.assertEqual(stats[name], row[name], name)
        self.assertIn(" new, ", self.text(".log-tune .log-status"))
        self.picture("tune")
        settings = json.loads(self.ask("document.querySelector('.log-settings').value"))
        self.assertEqual(settings["contact"]["margin"], 0.05)
        self.tuned("margin", 0)
        row = json.loads(clashd.clashctl("tune", str(SWINGS), "contact.margin=0:0", "--set", "blades.left.radius=0.04", "--set",
                                         "blades.right.radius=0.04", "--json", home=self.home).stdout)
        stats = self.tuned("radius", 40)
        self.assertEqual((stats["contacts"], stats["closing_speed"]), (row["contacts"], row["closing_speed"]))
        self.clean()

    def test_plots_and_exports(self):
        self.open_log(SWINGS)
        self.driver.do("click", selector="#log-tab-plots")
        self.driver.wait_for("document.querySelectorAll('.log-plot canvas').length === 4")
        nearest = float(self.driver.wait_for("document.querySelector('[data-plot=near]').dataset.nearest"))
        self.assertLess(nearest, RADII / 1000)
        self.picture("plots")
        self.driver.do("click", selector="#log-tab-export")
        self.driver.do("click", selector="#export-csv")
        table = self.driver.wait_for(f"{PANEL}.exports.lastText")
        expected = clashd.clashctl("detect", str(SWINGS), "--csv", home=self.home).stdout
        self.assertEqual(table.splitlines()[0], expected.splitlines()[0])
        self.assertEqual(table.count("\n"), expected.count("\n"))
        self.driver.do("click", selector="#export-png")
        self.driver.wait_for(f"{PANEL}.exports.lastBlob?.type === 'image/png'")
        self.ask(f"{PANEL}.loop([{PANEL}.contacts[0].start - 6e7, {PANEL}.contacts[0].start + 6e7])")
        self.driver.do("click", selector="#export-clip")
        self.driver.wait_for(f"{PANEL}.exports.lastBlob?.type === 'application/zip'")
        data = bytes(self.ask(f"{PANEL}.exports.lastBlob.arrayBuffer().then((bytes) => [...new Uint8Array(bytes)])"))
        with zipfile.ZipFile(io.BytesIO(data)) as clip:
            self.assertIsNone(clip.testzip())
            self.assertEqual(clip.namelist(), [f"duel-20s-{i:04}.png" for i in range(1, 5)])
            self.assertTrue(clip.read(clip.namelist()[0]).startswith(b"\x89PNG"))
        self.clean()

    def test_clashds_own_logs(self):
        """From clashd itself, with its token, under its policy."""
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({"socket": {"websocket": "127.0.0.1:0"}, "viewer": {"logs": str(clashd.DATA)}}))
        with Daemon("--source", "none", "--config", settings, home=self.home) as daemon:
            self.driver.open("http://%s:%d/" % daemon.websocket + f"#token={daemon.token}")
            self.driver.do("click", selector="#tab-log")
            self.driver.wait_for("!document.querySelector('.log-top select').hidden")
            self.ask("(() => { const pick = document.querySelector('.log-top select'); pick.value = 'standin-10s.jsonl.zst';"
                     " pick.dispatchEvent(new Event('change')); })()")
            self.settle()
            self.assertIn("14 contacts", self.text(".log-summary"))
            self.assertEqual(self.driver.do("problems")["violations"], [])

    def test_hostile_names_and_logs_are_text(self):
        lines = SWINGS.read_text().splitlines()
        blade = {"base": [0, 0, -0.05], "tip": [0, 0, -1], "radius": 0.015}
        header = {"type": "recording", "version": 1, "space": "stage", "note": HOSTILE, "session": HOSTILE, "blades": [
            {"name": HOSTILE, "device": "/user/hand/left", **blade}, {"name": "\u202e'\"><svg onload=window.hurt=1>", "device": "/user/hand/right", **blade}]}
        lines[0] = json.dumps(header)
        lines.insert(50, json.dumps({"type": "mark", "time_ns": 400000000, "text": HOSTILE}))
        lines.insert(60, HOSTILE)
        lines.insert(70, json.dumps({"type": "target", "time_ns": 1, "name": "t" + HOSTILE[:50], "mesh": {"file": "/" + HOSTILE}}))
        file = self.home / "<b onclick=window.hurt=1>.jsonl"
        file.write_text("\n".join(lines) + "\n")
        self.server.names = [HOSTILE + ".jsonl"]
        try:
            self.open_log(file)
            for tab in ("tune", "plots", "export", "contacts"):
                self.driver.do("click", selector=f"#log-tab-{tab}")
        finally:
            self.server.names = None
        self.assertEqual(self.ask(f"{PANEL}.contacts.length"), 28)
        self.assertIn("<img src=x", self.text(".log-reading"))
        self.assertIn("\\u202e", self.text(".log-reading"))
        self.assertIn("is left out", self.text(".log-message"))
        self.assertEqual(self.ask("[window.hurt ?? null, document.querySelectorAll('#log img, #log svg, #log b, #log script').length]"), [None, 0])
        self.clean()

    def test_the_golden_bits(self):
        if not (WASM / "golden.wasm").exists():
            self.skipTest("no golden.wasm: clang made no WebAssembly when this was built")
        self.driver.open(self.server.address)
        files = json.dumps({"golden.txt": (clashd.DATA / "golden.txt").read_text()})
        said = self.ask(f"import('/wasi_page.mjs').then(({{run}}) => run('/golden.wasm', {files}))")
        self.assertEqual((said["code"], said["printed"].split()), (0, ["ok", "the_bits_of_a_whole_run"]))


class Chromium(Page, clashd.TestCase):
    browser = "chromium"

    def test_pictures(self):
        for theme in ("dark", "light"):
            self.open_log(SWINGS, theme=theme)
            self.ask(f"{PANEL}.select(6)")
            self.driver.wait_for(f"{PANEL}.picture.last?.time === {PANEL}.contacts[6].start")
            self.picture(f"timeline-{theme}")

    def test_accessibility(self):
        self.open_log(SWINGS)
        for tab in ("contacts", "tune", "plots", "export"):
            self.driver.do("click", selector=f"#log-tab-{tab}")
            serious = [one for one in self.driver.do("axe") if one["impact"] in ("serious", "critical")]
            self.assertEqual(serious, [])


class Firefox(Page, clashd.TestCase):
    browser = "firefox"
    SHORT = ("test_contacts_are_clashctls_and_each_is_where_the_radii_meet", "test_a_slider_gives_what_clashctl_tune_gives",
             "test_the_golden_bits")

    def setUp(self):
        super().setUp()
        if not LONG and self._testMethodName not in self.SHORT:
            self.skipTest("in Chromium alone; CLASHD_LONG=1: here too")


if __name__ == "__main__":
    reason = viewer_page.missing_engine() or viewer.missing("chromium", "firefox")
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main()
