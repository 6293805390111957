"""The page's live view and the overlay, in Chromium and in Firefox, against a live clashd: a spark is drawn where the clash was, a
dropped connection comes back, names from outside stay text, keys and sizes work, nothing is fetched from elsewhere, and axe finds no
serious fault."""
import json
import math
import os
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import png  # noqa: E402
import transports  # noqa: E402
import viewer  # noqa: E402

HEIGHT, BEFORE = 1.3, -0.4
LYING = {"name": "lying", "device": "lying/device", "base": [-0.8, 0, 0], "tip": [0.8, 0, 0], "radius": 0.01}
FALLING = {"name": "falling", "device": "falling/device", "base": [0.2, 0, -0.5], "tip": [0.2, 0, 0.5], "radius": 0.01}
HOSTILE = "\u202e<img src=x onerror=hacked=1>"
STATUS = "document.querySelector('#live .link').textContent"
CLASHES = "document.querySelectorAll('#live .event[data-type=clash]')"
# Where the pixels of the core's colour are in the canvas, in CSS pixels; null where there are none.
CORE = """(async () => {
  const {stage} = clashdViewer.live;
  const picture = await createImageBitmap(await stage.picture()), canvas = document.createElement("canvas");
  canvas.width = picture.width;
  canvas.height = picture.height;
  const context = canvas.getContext("2d");
  context.drawImage(picture, 0, 0);
  const {data} = context.getImageData(0, 0, canvas.width, canvas.height);
  let count = 0, x = 0, y = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (Math.abs(data[i] - 255) + Math.abs(data[i + 1] - 246) + Math.abs(data[i + 2] - 224) > 12) continue;
    count++;
    x += i / 4 % canvas.width + 0.5;
    y += Math.floor(i / 4 / canvas.width) + 0.5;
  }
  const ratio = stage.element.clientWidth / canvas.width;
  return count > 5 ? {x: x / count * ratio, y: y / count * ratio, count} : null;
})()"""
# The most pixels with something in them that were seen at once within 60 pixels of a place of the overlay, from now on.
WATCH = """(() => {
  const canvas = document.querySelector(".sparks"), context = canvas.getContext("2d");
  window.most = 0;
  (function look() {
    const {data} = context.getImageData(X - 60, Y - 60, 120, 120);
    let count = 0;
    for (let i = 3; i < data.length; i += 4) count += data[i] > 100;
    window.most = Math.max(window.most, count);
    requestAnimationFrame(look);
  })();
})()"""
# How many pixels around each of these places of the room are not as they were in the picture before, which this one is from now on.
CHANGED = """(async () => {
  const {stage} = clashdViewer.live;
  const picture = await createImageBitmap(await stage.picture()), canvas = document.createElement("canvas");
  canvas.width = picture.width;
  canvas.height = picture.height;
  const context = canvas.getContext("2d");
  context.drawImage(picture, 0, 0);
  const {data} = context.getImageData(0, 0, canvas.width, canvas.height), before = window.before ?? data, ratio = canvas.width / stage.element.clientWidth;
  window.before = data;
  return POINTS.map((point) => {
    const {x, y} = stage.project(point);
    let count = 0;
    for (let dy = -4; dy <= 4; dy++) for (let dx = -4; dx <= 4; dx++) {
      const i = 4 * ((Math.round(y * ratio) + dy) * canvas.width + Math.round(x * ratio) + dx);
      count += [0, 1, 2].some((k) => Math.abs(data[i + k] - before[i + k]) > 8);
    }
    return count;
  });
})()"""
# What OBS does with a page when it has loaded it (obs-browser), with the text that it has in the field "Custom CSS" by default.
OBS = """(() => {
  const style = document.createElement("style");
  style.appendChild(document.createTextNode("body { background-color: rgba(0, 0, 0, 0); margin: 0px auto; overflow: hidden; }"));
  document.querySelector("head").appendChild(style);
})()"""
# From now on a frame is drawn only where the test says so, and at the time that it gives.
BY_HAND = """(() => {
  const waiting = [];
  window.requestAnimationFrame = (draw) => waiting.push(draw);
  window.frame = (now) => waiting.splice(0).forEach((draw) => draw(now));
  window.isWaiting = () => waiting.length > 0;
})()"""
# The same noise of every brightness each time, as a picture behind the page.
NOISE = """(() => {
  const canvas = document.createElement("canvas"), context = canvas.getContext("2d");
  [canvas.width, canvas.height] = [800, 500];
  const picture = context.createImageData(800, 500);
  for (let i = 0, state = 1; i < picture.data.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    picture.data[i] = i % 4 === 3 ? 255 : state >>> 24;
  }
  context.putImageData(picture, 0, 0);
  return `url(${canvas.toDataURL()})`;
})()"""
CAMERA = "(({camera, element}) => ({...camera, width: element.clientWidth, height: element.clientHeight}))(clashdViewer.live.stage)"


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def unit(a):
    return [x / math.sqrt(dot(a, a)) for x in a]


def projected(point, camera):
    """Where a camera that is upright sees a point: CSS pixels."""
    ahead = unit([to - at for to, at in zip(camera["target"], camera["position"], strict=True)])
    right = unit(cross(ahead, [0, 1, 0]))
    way = [p - at for p, at in zip(point, camera["position"], strict=True)]
    scale = camera["height"] / 2 / math.tan(math.radians(camera["angle"]) / 2) / dot(way, ahead)
    return camera["width"] / 2 + scale * dot(way, right), camera["height"] / 2 - scale * dot(way, cross(right, ahead))


class InABrowser:
    """What each browser is to do; see the classes below."""
    name = ""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="clashd-viewer-", ignore_cleanup_errors=True)
        cls.addClassCleanup(folder.cleanup)
        cls.browser = viewer.Browser(cls.name, folder.name)
        cls.addClassCleanup(cls.browser.close)

    def start(self, *words, address="127.0.0.1:0", env=None, **settings):
        settings = {"socket": {"websocket": address, "push_timeout_ms": 60000, "token_file": str(self.home / "token")},
                    "viewer": {"logs": str(self.home)},
                    "contact": {"max_gap_ms": 10000}, **settings}  # however slow this machine is
        file = self.home / "settings.json"
        file.write_text(json.dumps(settings))
        daemon = transports.Daemon(*(words or ("--source", "none")), "--config", file, home=self.home, env=env)
        self.addCleanup(daemon.stop)
        return daemon

    def open(self, daemon, path="/", **how):
        self.origin = viewer.origin(daemon)
        self.browser.open(f"{self.origin}{path}#token={daemon.token}", **{"width": 800, "height": 500, **how})
        if path == "/":
            self.browser.wait_for(f"{STATUS}.startsWith('Connected')")

    def define(self, client, *blades):
        for blade in blades:
            self.assertEqual(client.request({"type": "blade", "id": "b", **blade})["type"], "ok")

    def move(self, client, watcher, heights=(0.2, 0.2, -0.2, -0.2), falling=FALLING, lying=LYING):
        """Lets one blade fall through the other, or rise; the clash."""
        for above in heights:
            reply = client.request({"type": "poses", "id": "p", "poses": [
                {"device": falling["device"], "position": [0, HEIGHT + above, BEFORE], "orientation": [0, 0, 0, 1]},
                {"device": lying["device"], "position": [0, HEIGHT, BEFORE], "orientation": [0, 0, 0, 1]}]})
            self.assertEqual(reply["type"], "ok", reply)
        return watcher.read_until(lambda message: message["type"] == "clash")[-1]

    def expect_peace(self):
        """Nothing from elsewhere, no word in the console, nothing against the policy, no serious fault of accessibility."""
        told = self.browser.do("problems")
        self.assertEqual([url for url in told["fetched"] if not url.startswith(f"{self.origin}/")], [])
        self.assertEqual((told["problems"], told["violations"]), ([], []))
        faults = self.browser.do("axe")
        self.assertEqual([fault for fault in faults if fault["impact"] in ("serious", "critical")], [])

    def test_a_spark_is_where_the_clash_was(self):
        daemon = self.start()
        with daemon.connect() as client, daemon.connect() as watcher:
            self.open(daemon)
            watcher.subscribe(events=["clash"])
            self.define(client, FALLING, LYING)
            clash = self.move(client, watcher)
            self.browser.wait_for(f"{CLASHES}.length === 1")
            self.assertIn("falling × lying", self.browser.ask(f"{CLASHES}[0].textContent"))
            self.assertIn(f"{clash['closing_speed']:.1f} m/s", self.browser.ask(f"{CLASHES}[0].textContent"))
            self.browser.ask(f"{CLASHES}[0].click()")  # which makes its spark stay
            for key in ("1", "4", "ArrowLeft"):
                self.browser.do("press", key=key)
                found = self.browser.ask(CORE)
                self.assertIsNotNone(found, f"no spark in the picture after {key}")
                expected = projected(clash["midpoint"], self.browser.ask(CAMERA))
                self.assertLess(math.dist((found["x"], found["y"]), expected), 3, (found, expected))
            self.browser.do("press", key="Escape")
            self.assertIsNone(self.browser.ask(CORE), "it stays though it was let go of")
            # What was defined after the page came is drawn.
            self.browser.wait_for("clashdViewer.live.stage.blades.includes('lying')")
            self.expect_peace()

    def test_the_speed_of_a_hit(self):
        """Two that touch when clashd first sees them, and part, have not hit each other: no speed below 0 is shown of them, neither big nor
        in the list, and no spark. The next hit has its closing speed."""
        daemon = self.start()
        big = "document.querySelector('#live .speed').textContent"
        with daemon.connect() as client, daemon.connect() as watcher:
            self.open(daemon)
            watcher.subscribe(events=["clash"])
            self.define(client, FALLING, LYING)
            self.assertLess(self.move(client, watcher, heights=[0.005, 0.3])["closing_speed"], 0)
            self.browser.wait_for(f"{CLASHES}.length === 1")
            self.assertEqual(self.browser.ask(f"[{big}, {CLASHES}[0].querySelector('.how').textContent, "
                                              f"{CLASHES}[0].querySelector('.more').textContent.split(',')[0]]"), ["–", "", "touching already"])
            self.assertIsNone(self.browser.ask(CORE), "a spark where nothing hit")
            self.browser.ask(f"{CLASHES}[0].click()")
            details = self.browser.ask("document.querySelector('#live .details').textContent")
            self.assertIn("Parting speed", details)
            self.assertNotRegex(details, r"\d (mm|ms|m/s|m|%)", "a unit may go to the next line without its number")
            self.browser.do("press", key="Escape")
            clash = self.move(client, watcher, heights=[0.3, -0.3])
            self.browser.wait_for(f"{CLASHES}.length === 2")
            self.assertEqual(self.browser.ask(big), f"{clash['closing_speed']:.1f}")
            self.assertNotRegex(self.browser.ask("document.getElementById('live').innerText"), r"[-−]\d[\d.]* m/s")

    def test_a_dropped_connection_comes_back(self):
        daemon = self.start()
        self.open(daemon)
        host, port = daemon.websocket
        self.assertEqual(daemon.stop(), 0)
        self.browser.wait_for(f"{STATUS}.startsWith('Not connected')")
        daemon = self.start(address=f"{host}:{port}")
        self.browser.wait_for(f"{STATUS}.startsWith('Connected')")
        with daemon.connect() as client, daemon.connect() as watcher:
            watcher.subscribe(events=["clash"])
            self.define(client, FALLING, LYING)
            self.move(client, watcher)
            self.browser.wait_for(f"{CLASHES}.length === 1")

    def test_names_from_outside_stay_text(self):
        daemon = self.start(targets=[{"name": f"{HOSTILE}target", "position": [3, 1, 0], "sphere": {"radius": 0.1}}])
        falling = {**FALLING, "name": f"{HOSTILE}1", "device": f"{HOSTILE}device"}
        lying = {**LYING, "name": f"{HOSTILE}2", "device": f"{HOSTILE}lying"}
        with daemon.connect() as client, daemon.connect() as watcher:
            self.open(daemon)
            watcher.subscribe(events=["clash"])
            self.define(client, falling, lying)
            self.move(client, watcher, falling=falling, lying=lying)
            self.browser.wait_for(f"{CLASHES}.length === 1")
            self.browser.ask(f"{CLASHES}[0].click()")
            self.browser.wait_for("document.querySelectorAll('#live .devices li').length >= 2")
            text = self.browser.ask(f"{CLASHES}[0].textContent")
            self.assertIn("\\u202e<img src=x", text)
            self.assertNotIn("\u202e", self.browser.ask("document.body.textContent"))
            self.assertEqual(self.browser.ask("document.querySelectorAll('img, script:not([src])').length"), 0)
            self.assertEqual(self.browser.ask("typeof hacked"), "undefined")
            self.expect_peace()

    def test_keys_sizes_and_colours(self):
        self.open(self.start())
        self.browser.ask("document.getElementById('tab-live').focus()")
        self.browser.do("press", key="ArrowRight")
        self.assertTrue(self.browser.ask("document.getElementById('live').hidden"))
        self.browser.do("press", key="ArrowLeft")
        self.assertFalse(self.browser.ask("document.getElementById('live').hidden"))
        self.browser.ask("document.activeElement.blur()")
        self.browser.do("press", key="?")
        self.assertTrue(self.browser.ask("document.querySelector('dialog').open"))
        self.browser.do("press", key="Escape")
        self.browser.wait_for("!document.querySelector('dialog')")
        self.browser.ask("document.querySelector('#bar-tools button').click()")
        self.assertIn("pause and resume the picture", self.browser.ask("document.querySelector('dialog').textContent"))
        self.browser.do("press", key="Escape")
        self.browser.wait_for("!document.querySelector('dialog')")
        self.browser.ask("document.activeElement.blur()")
        self.browser.do("press", key=" ")
        self.assertEqual(self.browser.ask("document.querySelector('#live .tools [aria-pressed]').ariaPressed"), "true")
        self.browser.close_guide()
        before = self.browser.ask(CAMERA)["position"]
        self.browser.do("drag", start=[400, 150], to=[480, 170])
        self.assertNotEqual(before, self.browser.ask(CAMERA)["position"])
        for width, height in ((380, 760), (1600, 900), (800, 500)):
            self.browser.do("size", width=width, height=height)
            self.browser.wait_for(f"innerWidth === {width} && document.documentElement.scrollWidth <= innerWidth && "
                                  "document.querySelector('#live canvas').getBoundingClientRect().right <= innerWidth")
        themes = set()
        for _ in range(3):
            self.browser.ask("document.querySelector('#bar-tools [title^=Colours]').click()")
            themes.add(self.browser.ask("document.documentElement.dataset.theme"))
            self.expect_peace()
        self.assertEqual(themes, {"dark", "light"})
        self.assertEqual(self.browser.ask("location.hash"), "", "the token stays in the address")

    def test_targets_are_drawn_by_their_outlines(self):
        """A mesh from a file, one of a client, and a terrain: lines are where their edges are, and go with them."""
        (self.home / "roof.obj").write_text("v -1 0 0\nv 1 0 0\nv 0 1 0\nv 0 0.5 0.5\nf 1 2 3\nf 1 2 4\n")
        daemon = self.start(targets=[{"name": "roof", "position": [0, 1, -0.5], "mesh": {"file": str(self.home / "roof.obj")}}])
        edges = {"roof": [[-0.5, 1.5, -0.5], [0.5, 1.5, -0.5]], "tent": [[0.7, 0.9, -0.5], [1.0, 1.3, -0.5]],
                 "ground": [[-1.5, 0.3, 0.25], [-1.25, 0.2, 0]]}
        with daemon.connect() as client:
            self.open(daemon)
            self.browser.ask("clashdViewer.live.stage.setView('front'), clashdViewer.live.stage.lookAt([0, 1, 0], 2.5)")
            drawn = "clashdViewer.live.panel.source.outlines.map(({name, lines}) => [name, lines.length / 6])"
            self.browser.wait_for(f"JSON.stringify({drawn}) === '[[\"roof\",5]]'")
            self.browser.ask("delete window.before")
            everything = json.dumps([point for points in edges.values() for point in points])
            self.assertEqual(self.browser.ask(CHANGED.replace("POINTS", everything)), [0] * 6)
            self.assertEqual(client.request({"type": "target", "id": "t", "name": "tent", "position": [1, 0.5, -0.5], "mesh": {
                "vertices": [[-0.6, 0, 0], [0.6, 0, 0], [0, 0.8, 0]], "triangles": [[0, 1, 2]]}})["type"], "ok")
            self.assertEqual(client.request({"type": "target", "id": "t", "name": "ground", "position": [-2, 0, 0], "terrain": {
                "columns": 3, "rows": 2, "spacing": [0.5, 0.5], "heights": [0.2, 0.2, 0.2, 0.3, 0.3, 0.3]}})["type"], "ok")
            self.browser.wait_for(f"JSON.stringify({drawn}) === '[[\"roof\",5],[\"tent\",3],[\"ground\",9]]'")
            changed = self.browser.ask(CHANGED.replace("POINTS", everything))
            self.assertEqual(changed[:2], [0, 0], "the roof stands as it did")
            self.assertTrue(all(count >= 5 for count in changed[2:]), changed)
            self.assertEqual(client.request({"type": "remove", "id": "r", "name": "tent"})["type"], "ok")
            self.browser.wait_for(f"{drawn}.length === 2")
            changed = self.browser.ask(CHANGED.replace("POINTS", everything))
            self.assertTrue(all(count >= 5 for count in changed[2:4]) and changed[4:] == [0, 0], changed)
            names = "[...document.querySelectorAll('#live .stage-labels span:not([hidden])')].map((label) => label.className + ' ' + label.textContent)"
            self.assertLessEqual(set(self.browser.ask(names)), {"is-name roof", "is-name ground", "is-name left", "is-name right"})
            self.expect_peace()

    def test_the_overlay(self):
        daemon = self.start()
        with daemon.connect() as client, daemon.connect() as watcher:
            self.open(daemon, "/overlay")
            self.browser.wait_for("document.body.classList.contains('is-connected')")
            self.assertEqual(self.browser.ask("getComputedStyle(document.body).backgroundColor"), "rgba(0, 0, 0, 0)")
            watcher.subscribe(events=["clash"])
            self.define(client, FALLING, LYING)
            self.browser.ask("document.documentElement.style.setProperty('--combo-time', '100000s')")
            metre = 500 / 2.4  # overlay.css, --metres-high
            self.browser.ask(WATCH.replace("X", str(round(400 + 0.2 * metre))).replace("Y", str(round(250 - (HEIGHT - 1.2) * metre))))
            self.move(client, watcher)
            time.sleep(0.2)  # sooner it would be the same stroke
            clash = self.move(client, watcher, heights=[-0.2, 0.2])
            self.browser.wait_for("document.querySelector('.combo.is-shown .count')?.textContent === '2'")
            self.assertEqual(self.browser.ask("document.querySelector('.speed.is-shown .value').textContent"), f"{clash['closing_speed']:.1f}")
            self.assertEqual(self.browser.ask("document.querySelector('.pair').textContent"), "falling × lying")
            self.browser.wait_for("window.most > 20")
            self.expect_peace()


class InChromium(InABrowser, clashd.TestCase):
    name = "chromium"

    def test_what_was_missed_is_told(self):
        self.open(self.start())
        self.browser.ask("""sockets[0].onmessage({data: '{"type":"lagged","from_seq":1,"to_seq":70,"missed":61}'})""")
        self.browser.wait_for("/61 events missed/.test(document.querySelector('#live .events').textContent)")
        self.browser.wait_for("/Missed61 events/.test(document.querySelector('#live .readings').textContent)")

    def test_the_stand_in_runtime(self):
        """Poses from OpenXR: hands, source and latency are there."""
        manifest = clashd.BUILD / "daemon" / "runtime" / "clash_runtime.json"
        daemon = self.start("--source", "openxr", env={"XR_RUNTIME_JSON": manifest, "CLASH_RUNTIME_SCRIPT": "crossing"})
        self.open(daemon)
        self.browser.wait_for(f"{CLASHES}.length > 1")
        self.browser.wait_for("/OpenXR · clashd stand-in runtime/.test(document.querySelector('.readings').textContent)")
        self.browser.wait_for("document.querySelectorAll('.devices .is-good').length >= 2")
        self.browser.wait_for("/Latency[0-9.]+ (ms|s)since first touch/.test(document.querySelector('.readings').textContent)")

    def test_the_overlay_as_a_browser_source(self):
        """As OBS shows it: Chromium without a ground, its own style sheet added; the user's CSS decides the look."""
        look = self.home / "look.css"
        look.write_text((clashd.SOURCE / "daemon/viewer/src/overlay/overlay.css").read_text() +
                        "\n:root { --accent: #00ff00; --speed-time: 100000s; --unit: 'knots'; }\n.speed { left: auto; right: 40px; bottom: 40px; }\n")
        daemon = self.start(viewer={"logs": str(self.home), "overlay_css": str(look)})
        with daemon.connect() as client, daemon.connect() as watcher:
            self.open(daemon, "/overlay")
            self.browser.wait_for("document.body.classList.contains('is-connected')")
            self.browser.ask(OBS)
            self.assertEqual({a for row in self.shot() for a in row[3::4]}, {0}, "something is drawn where nothing is")
            watcher.subscribe(events=["clash"])
            self.define(client, FALLING, LYING)
            self.move(client, watcher)
            self.browser.wait_for("document.querySelector('.speed.is-shown .value')?.textContent")
            left, top, right, bottom = self.browser.ask(  # the place, not where the animation has it
                "(({offsetLeft: x, offsetTop: y, offsetWidth: w, offsetHeight: h}) => [x, y, x + w, y + h])(document.querySelector('.speed'))")
            self.assertEqual((round(right), round(bottom)), (760, 460), "the user's CSS was not taken")
            self.assertIn("knots", self.browser.ask("getComputedStyle(document.querySelector('.speed .unit'), '::after').content"))
            rows = self.shot()
            text = [row[4 * x + 3] for row in rows[int(top):int(bottom)] for x in range(int(left), int(right))]
            self.assertGreater(sum(alpha > 200 for alpha in text), 100, "no words")
            self.assertEqual([rows[y][4 * x + 3] for x, y in ((2, 2), (797, 2), (2, 497))], [0, 0, 0])

    def test_the_overlay_on_any_picture(self):
        """A flash brightens what is behind it and is seen on all of it: on white, on black and on noise nothing gets darker in red, of which its
        colours have all, and nothing outside it changes."""
        x, y = round(400 + 0.2 * 500 / 2.4), round(250 - (HEIGHT - 1.2) * 500 / 2.4)
        clash = {"type": "clash", "seq": 1, "time_ns": 1000, "id": 1, "blades": ["left", "right"], "midpoint": [0.2, HEIGHT, BEFORE],
                 "normal": [0, 1, 0], "closing_speed": 20, "intensity": 0.6}
        daemon = self.start()
        for ground in ("#fff", "#000", NOISE):
            self.open(daemon, "/overlay")
            self.browser.wait_for("document.body.classList.contains('is-connected')")
            self.browser.ask(f"document.documentElement.style.background = {ground if ground is NOISE else json.dumps(ground)}")
            self.browser.ask(BY_HAND)
            before = self.shot()
            self.browser.ask(f"sockets[0].onmessage({{data: {json.dumps(json.dumps(clash))}}})")
            self.browser.ask("frame(1000), frame(1040)")
            after, size = self.shot(), 1.2 * 5 * (4 + 14 * clash["intensity"])  # of the flash at 40 ms, pixels
            darker = seen = bright = 0
            for row in range(y - 80, y + 80):
                for column in range(x - 80, x + 80):
                    old, new = (rows[row][4 * column:4 * column + 3] for rows in (before, after))
                    darker += new[0] < old[0] - 3
                    seen += max(abs(a - b) for a, b in zip(old, new, strict=True)) > 24
                    bright += math.hypot(row - y, column - x) < 0.2 * size and min(new) > 130
            self.assertEqual(darker, 0, f"pixels are darker on {ground[:8]}")
            self.assertGreater(seen, 400, f"hardly anything is seen on {ground[:8]}")
            self.assertGreater(bright, 0.35 * math.pi * (0.2 * size) ** 2, f"the middle is dull on {ground[:8]}")
            for dx, dy in ((-79, -79), (79, -79), (-79, 79), (79, 79)):
                self.assertEqual(after[y + dy][4 * (x + dx):4 * (x + dx) + 4], before[y + dy][4 * (x + dx):4 * (x + dx) + 4])

    def test_the_overlay_fades_without_a_grey_disc(self):
        """At no time of the fade is there a patch of dull grey on black, or of anything darker on white; and names are outlined on white."""
        x, y = round(400 + 0.2 * 500 / 2.4), round(250 - (HEIGHT - 1.2) * 500 / 2.4)
        clash = {"type": "clash", "seq": 1, "time_ns": 1000, "id": 1, "blades": ["left", "right"], "midpoint": [0.2, HEIGHT, BEFORE],
                 "normal": [0, 1, 0], "closing_speed": 20, "intensity": 0.6}
        daemon = self.start()
        for ground in ("#fff", "#000"):
            self.open(daemon, "/overlay")
            self.browser.wait_for("document.body.classList.contains('is-connected')")
            self.browser.ask(f"document.documentElement.style.background = '{ground}'")
            self.browser.ask(BY_HAND)
            self.browser.ask(f"sockets[0].onmessage({{data: {json.dumps(json.dumps(clash))}}})")
            self.browser.ask("frame(1000)")
            for now in range(1040, 1240, 40):
                self.browser.ask(f"frame({now})")
                rows = self.shot()
                pixels = [rows[row][4 * column:4 * column + 3] for row in range(y - 60, y + 60) for column in range(x - 60, x + 60)]
                grey = sum(24 < max(pixel) < 160 and max(pixel) - min(pixel) < 0.25 * max(pixel) for pixel in pixels)
                darker = sum(pixel[0] < 252 for pixel in pixels)
                self.assertLess(grey if ground == "#000" else darker, 20, f"{now - 1000} ms after the clash on {ground}")
            if ground == "#fff":
                self.browser.ask("document.querySelector('.speed').classList.add('is-shown')")  # its time may be over
                rows = self.shot()
                left, top, right, bottom = self.browser.ask("(({left, top, right, bottom}) => [left, top, right, bottom].map(Math.round))"
                                                            "(document.querySelector('.pair').getBoundingClientRect())")
                light = [max(rows[row][4 * column:4 * column + 3]) for row in range(top, bottom) for column in range(left, right)]
                self.assertGreater(sum(value < 40 for value in light), 200, "names have no black outline")

    def shot(self):
        """What is drawn, without a ground: rows of bytes, four a pixel."""
        file = self.home / "shot.png"
        self.browser.do("picture", file=str(file), clear=True)
        return png.rows(file.read_bytes())

    def test_without_webgl(self):
        """It says so, and the rest works."""
        daemon = self.start()
        used, InChromium.browser = self.browser, viewer.Browser(self.name, self.home, webgl=False)
        try:
            with daemon.connect() as client, daemon.connect() as watcher:
                self.open(daemon)
                self.assertIn("WebGL is missing", self.browser.ask("document.querySelector('#live .notice').textContent"))
                watcher.subscribe(events=["clash"])
                self.define(client, FALLING, LYING)
                self.move(client, watcher)
                self.browser.wait_for(f"{CLASHES}.length === 1")
        finally:
            self.browser.close()
            InChromium.browser = used


class InFirefox(InABrowser, clashd.TestCase):
    name = "firefox"


if __name__ == "__main__":
    why = viewer.missing("chromium", "firefox")
    if why:
        if os.environ.get("CLASHD_BROWSER", os.environ.get("CI")) in ("1", "true"):
            sys.exit(f"{why}; though browsers were asked for")
        print(f"skipped: {why}")
        sys.exit(77)
    unittest.main()
