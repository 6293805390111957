"""How the page looks and what it says (Chromium): plain words on it and on the dashboard, colours stand out from their ground and from each other for any colour vision, nothing covers the room or is
cut in any of four sizes, targets are solid and have their names, and sparks are seen in the light room too."""
import itertools
import json
import math
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import transports  # noqa: E402
import viewer  # noqa: E402
import viewer_page  # noqa: E402
import viewer_pictures  # noqa: E402

SOURCE = viewer_page.VIEWER / "src"
SIZES = ((390, 760), (800, 500), (1024, 600), (1280, 720), (1600, 900))
THEMES = ("dark", "light")
# How colours come to those who lack one kind of cone: linear red, green, blue (Machado, Oliveira and Fernandes 2009, severity 1).
VISIONS = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no long cones": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no middle cones": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "no short cones": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
TO_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
APART = 15  # CIE 1976: distinct at a glance
# Which parts of the page overlap the picture of the room in a panel, and which texts are cut.
COVERED = """((panel, parts) => {
  const box = (element) => element.getBoundingClientRect(), room = box(document.querySelector(`${panel} .stage`));
  return parts.filter((part) => [...document.querySelectorAll(`${panel} ${part}`)].some((element) => {
    const {left, top, right, bottom} = box(element);
    return right > left && left < room.right - 1 && right > room.left + 1 && top < room.bottom - 1 && bottom > room.top + 1;
  }));
})"""
CUT = """((selector) => [...document.querySelectorAll(selector)].filter((element) => element.scrollWidth > element.clientWidth + 1)
  .map(({textContent}) => textContent))"""
# The room's pixels as [r, g, b], at points of the room, or all of them.
PIXELS = """(async (points) => {
  const {stage} = clashdViewer.live;
  const picture = await createImageBitmap(await stage.picture()), canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [picture.width, picture.height];
  const context = canvas.getContext("2d");
  context.drawImage(picture, 0, 0);
  const {data} = context.getImageData(0, 0, canvas.width, canvas.height), ratio = canvas.width / stage.element.clientWidth;
  return points.map((point) => {
    const {x, y} = stage.project(point), i = 4 * (Math.round(y * ratio) * canvas.width + Math.round(x * ratio));
    return [...data.slice(i, i + 3)];
  });
})"""
# How many pixels around a clash have at least a contrast of 2 to what was there before it, 60 ms after it began.
SPARKS = """(async (clash) => {
  const {stage} = clashdViewer.live;
  const take = async () => {
    const picture = await createImageBitmap(await stage.picture()), canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [picture.width, picture.height];
    const context = canvas.getContext("2d");
    context.drawImage(picture, 0, 0);
    return context.getImageData(0, 0, canvas.width, canvas.height).data;
  };
  const bright = (data, i) => [0.2126, 0.7152, 0.0722].reduce((sum, share, k) => sum + share * (data[i + k] / 255) ** 2.2, 0);
  clashdViewer.live.panel.hide();
  await new Promise((done) => setTimeout(done, 50));
  const before = await take();
  stage.addSpark(clash);
  for (const now of [1e6, 1e6 + 250]) stage.render(now);
  const after = await take();
  let count = 0;
  for (let i = 0; i < after.length; i += 4) {
    const [low, high] = [bright(before, i) + 0.05, bright(after, i) + 0.05].sort((a, b) => a - b);
    count += high / low >= 2;
  }
  return count;
})"""


def linear(colour):
    """Red, green, blue from 0 to 1, proportional to light, of 0xrrggbb."""
    channels = [(colour >> shift & 255) / 255 for shift in (16, 8, 0)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def contrast(one, other):
    """As WCAG 2 defines it."""
    light = sorted(times(TO_XYZ, linear(colour))[1] for colour in (one, other))
    return (light[1] + 0.05) / (light[0] + 0.05)


def lab(rgb):
    x, y, z = (c / white for c, white in zip(times(TO_XYZ, rgb), (0.9505, 1, 1.089), strict=True))
    x, y, z = (c ** (1 / 3) if c > 0.008856 else 7.787 * c + 16 / 116 for c in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distances(one, other):
    """How different two colours are, by vision."""
    seen = {name: [lab([min(max(c, 0), 1) for c in times(matrix, linear(colour))]) for colour in (one, other)] for name, matrix in VISIONS.items()}
    return {name: math.dist(*pair) for name, pair in seen.items()}


def variables(file, selector):
    """The colours among a rule's custom properties."""
    rules = re.findall(re.escape(selector) + r" \{(.*?)\}", (SOURCE / file).read_text(), re.S)
    return {name: int(colour, 16) for rule in rules for name, colour in re.findall(r"--([\w-]+): #([0-9a-f]{6});", rule)}


class Colours(clashd.TestCase):
    def apart(self, colours):
        for (name, one), (other_name, other) in itertools.combinations(colours.items(), 2):
            for vision, distance in distances(one, other).items():
                self.assertGreaterEqual(distance, APART, f"{name} and {other_name}, {vision}")

    def palettes(self):
        words = f"import({json.dumps((SOURCE / 'scene/palette.js').as_uri())}).then(({{PALETTES}}) => console.log(JSON.stringify(PALETTES)))"
        return json.loads(subprocess.run(["node", "-e", words], check=True, capture_output=True, text=True).stdout)

    def test_of_the_room(self):
        for theme, palette in self.palettes().items():
            with self.subTest(theme):
                for name in ("left", "right", "hand", "targetEdge", "normal", "point"):
                    self.assertGreaterEqual(contrast(palette[name], palette["background"]), 3, name)
                for colour in palette["others"]:
                    self.assertGreaterEqual(contrast(colour, palette["background"]), 3, f"{colour:06x}")
                self.assertGreaterEqual(contrast(palette["hot"], palette["background"]), 3, "sparks")
                self.apart({name: palette[name] for name in ("left", "right", "target", "normal")})

    def test_of_the_log(self):
        palettes = self.palettes()
        for theme, selector in (("dark", "#log"), ("light", '[data-theme="light"] #log')):
            with self.subTest(theme):
                found = variables("log/log.css", f"\n{selector}" if theme == "dark" else selector)
                for name in ("hit", "missed", "accent", "new", "gone"):
                    for ground in ("strip", "paper"):
                        self.assertGreaterEqual(contrast(found[f"log-{name}"], found[f"log-{ground}"]), 4.5 if name == "missed" else 3, name)
                self.apart({name: found[f"log-{name}"] for name in ("hit", "missed", "accent")})
                self.apart({name: found[f"log-{name}"] for name in ("hit", "missed", "new")})
                self.apart({name: found[f"log-{name}"] for name in ("new", "gone")})
                for hand, sampling in itertools.product(("left", "right"), ("hit", "missed")):  # what sampling saw is not a hand's
                    self.apart({hand: palettes[theme][hand], sampling: found[f"log-{sampling}"]})

    def test_of_words(self):
        for theme, selector in (("dark", ":root"), ("light", '[data-theme="light"]')):
            with self.subTest(theme):
                found = variables("look/page.css", selector)
                for name, ground in itertools.product(("text", "muted", "accent", "good", "warn", "bad", "spark"), ("back", "panel", "raised")):
                    self.assertGreaterEqual(contrast(found[name], found[ground]), 4.5, f"{name} on {ground}")


# Turns of phrase that no interface has; see plain().
ODD = re.compile(r"""\b(nobody|somebody|whoever|who comes|things of|not at the|when a contact is|go on|goes on|to and fro|stand(s)? still|goes nowhere|
    it comes|come, |let in|let go|told|untold|is right|anew|taken|looked|judged|picked|what is|what was|what it|there is nothing|as much|
    as it is|a second\b(?!\ )|a\ minute|left\ out|of\ their\ own|have\ no\b|no\ way|away$)""", re.I | re.X)
TEXT = re.compile(r"""(?:text|title|about|says|label|textContent|"aria-label"|"aria-valuetext"):\s*(?:"([^"]+)"|`([^`]+)`)|\bsay\([^,]+,\s*"([^"]+)"|button\("([^"]+)"|
    group\("([^"]+)",\s*"([^"]+)\"""", re.X)


def page_texts():
    """What the page's code shows, with its place."""
    for file in sorted(SOURCE.rglob("*.js")):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            for found in TEXT.findall(line):
                for text in filter(None, found):
                    yield f"{file.name}:{number}", text


def dashboard_texts(value):
    """Titles, descriptions and legends of the dashboard for Grafana."""
    if isinstance(value, list):
        for one in value:
            yield from dashboard_texts(one)
    elif isinstance(value, dict):
        for name, one in value.items():
            if name in ("title", "description", "legendFormat", "text") and isinstance(one, str):
                yield "grafana.json", one
            else:
                yield from dashboard_texts(one)


class Words(clashd.TestCase):
    def test_a_scratch_does_not_take_the_place_of_a_hit(self):
        cases = [(5, 0, -1e9, 10, True), (1, 5, 1000, 1100, False), (5, 5, 1000, 1100, True), (9, 5, 1000, 1100, True), (1, 5, 1000, 3499, False), (1, 5, 1000, 3500, True)]
        words = (f"import({json.dumps((SOURCE / 'live/words.js').as_uri())}).then(({{takesPlace}}) => console.log(JSON.stringify("
                 f"{json.dumps(cases)}.map(([speed, shown, at, now]) => takesPlace(speed, {{speed: shown, at}}, now)))))")
        found = json.loads(subprocess.run(["node", "-e", words], check=True, capture_output=True, text=True).stdout)
        self.assertEqual(found, [case[-1] for case in cases])

    def test_plain_words(self):
        dashboard = list(dashboard_texts(json.loads((clashd.SOURCE / "daemon/metrics/grafana.json").read_text())))
        page = list(page_texts())
        self.assertGreater(len(dashboard), 150)
        self.assertGreater(len(page), 120)
        self.assertEqual([(place, text) for place, text in page + dashboard if ODD.search(text)], [])


class Look(clashd.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="clashd-look-", ignore_cleanup_errors=True)
        cls.addClassCleanup(folder.cleanup)
        cls.browser = viewer.Browser("chromium", folder.name)
        cls.addClassCleanup(cls.browser.close)

    def start(self, targets):
        file = self.home / "settings.json"
        file.write_text(json.dumps({"socket": {"websocket": "127.0.0.1:0", "token_file": str(self.home / "token")}, "targets": targets}))
        daemon = transports.Daemon("--source", "none", "--config", file, home=self.home)
        self.addCleanup(daemon.stop)
        return daemon

    def expect_nothing_covered(self, panel, *parts):
        self.assertEqual(self.browser.ask(f"{COVERED}({json.dumps(panel)}, {json.dumps(parts)})"), [])
        self.assertLessEqual(*self.browser.ask("[document.documentElement.scrollWidth, innerWidth]"))

    def test_nothing_covers_the_room_or_is_cut(self):
        if reason := viewer_page.missing_engine():
            self.skipTest(reason)
        server = viewer_page.Server([viewer_page.page(self.home)])
        self.addCleanup(server.close)
        panel = "clashdViewer.log.panel"
        for (width, height), theme in itertools.product(SIZES, THEMES):
            with self.subTest(width=width, theme=theme):
                self.browser.open(server.address, width=width, height=height, theme=theme)
                self.browser.wait_for("document.querySelector('#live .guide:not([hidden])')")
                self.browser.do("click", selector=".try-demo")
                self.browser.wait_for("document.querySelectorAll('#live .event[data-type=clash]').length > 0")
                self.expect_nothing_covered("#live", ".tools .button", ".demo", ".side")
                self.browser.ask("[...document.querySelectorAll('#live .demo button')].find(({textContent}) => /Log/.test(textContent)).click()")
                self.browser.wait_for(f"clashdViewer.log && {panel}.state === 'ready' && {panel}.picture.last?.time === {panel}.contacts[0].start")
                for seen in ("false", "contact.seen > 0"):  # one that samples miss, and one that they see later
                    self.browser.ask(f"{panel}.select({panel}.contacts.findIndex((contact) => {seen if seen != 'false' else 'contact.seen === false'}))")
                    self.browser.wait_for(f"{panel}.picture.last.time === {panel}.contacts[{panel}.selected].start")
                    self.expect_nothing_covered("#log", ".log-reading", ".log-controls", ".log-side")
                    if width > 560:
                        view = self.browser.ask("document.querySelector('#log .log-view').getBoundingClientRect().height")
                        self.assertGreaterEqual(view, (0.5 if height <= 600 else 0.4) * height, "the scene is too low")
                    titles = self.browser.ask("[...document.querySelectorAll('#log .log-title')].map(({textContent}) => textContent)")
                    self.assertEqual(titles, ["Speed", "Where on the blade", "Sampling alone"])
                    self.assertEqual(self.browser.ask(f"{CUT}('#log .log-row span, #log .log-cell span')"), [])
                    text = self.browser.ask("document.querySelector('#log .log-reading').innerText")
                    self.assertNotRegex(text, r"\d (mm|ms|m/s|%)", "a unit may go to the next line without its number")

    def test_targets_are_solid_and_named(self):
        ball = {"name": "ball", "position": [-0.6, 1.3, 0], "sphere": {"radius": 0.25}}
        crate = {"name": "crate", "position": [0.5, 1.2, 0], "box": {"size": [0.5, 0.5, 0.5]}}
        tent = {"name": "tent", "position": [0, 0.6, 0], "mesh": {"vertices": [[-0.3, 0, 0], [0.3, 0, 0], [0, 0.5, 0]], "triangles": [[0, 1, 2]]}}
        places = [[-0.66, 1.34, 0.2], [0.45, 1.25, 0.25], [0.02, 0.75, 0]]
        daemon = self.start([ball, crate])
        with daemon.connect() as client:
            for theme in THEMES:
                self.browser.open(f"{viewer.origin(daemon)}/#token={daemon.token}", width=1280, height=720, theme=theme)
                self.browser.wait_for("clashdViewer.live.panel.source.things?.targets.length >= 2")
                if theme == "dark":
                    self.assertEqual(client.request({"type": "target", "id": "t", **tent})["type"], "ok")
                self.browser.wait_for("clashdViewer.live.panel.source.things?.targets.length === 3")
                pixels = self.browser.ask(f"{PIXELS}({json.dumps([*places, [0, 2.4, 0]])})")
                for name, pixel in zip(("ball", "crate", "tent"), pixels, strict=False):
                    self.assertGreater(math.dist(pixel, pixels[3]), 40, f"{name} is not solid in the {theme} room")
                labels = self.browser.ask("[...document.querySelectorAll('#live .stage-labels span:not([hidden])')].map(({textContent}) => textContent)")
                self.assertEqual(sorted(labels), ["ball", "crate", "tent"])

    def test_sparks_are_seen(self):
        daemon = self.start([])
        clash = {"midpoint": [0, 1.2, 0], "points": [[0, 1.2, 0], [0, 1.2, 0]], "normal": [0, 0, 1], "closing_speed": 20, "intensity": 0.6, "seq": 1}
        for theme in THEMES:
            self.browser.open(f"{viewer.origin(daemon)}/#token={daemon.token}", width=1280, height=720, theme=theme)
            self.browser.wait_for("document.querySelector('#live .link').textContent.startsWith('Connected')")
            self.browser.ask("clashdViewer.live.stage.keepSharp()")
            count = self.browser.ask(f"{SPARKS}({json.dumps(clash)})")
            self.assertGreater(count, 600, f"sparks are hardly seen in the {theme} room")

    def test_keys_for_views(self):
        """Both panels list them, and they work in both."""
        server = viewer_page.Server([viewer_page.page(self.home)])
        self.addCleanup(server.close)
        self.browser.open(server.address, width=1280, height=720)
        for name in ("live", "log"):
            self.browser.do("click", selector=f"#tab-{name}")
            if name == "log":
                self.browser.do("upload", selector="#log-file", files=[str(viewer_pictures.RECORDING)])
                self.browser.wait_for("['ready', 'failed'].includes(clashdViewer.log.panel.state)")
            self.browser.ask("document.activeElement.blur()")
            self.browser.do("press", key="?")
            text = self.browser.ask("document.querySelector('dialog').innerText")
            for words in ("view from behind the player", "view from the front", "view from the side", "view from above", "fit everything"):
                self.assertIn(words, text)
            self.browser.do("press", key="Escape")
            self.browser.wait_for("!document.querySelector('dialog')")
            self.browser.do("press", key="4")
            camera = f"clashdViewer.{name}.stage.camera"
            self.browser.wait_for(f"{camera}.position[1] - {camera}.target[1] > 0.9 * Math.hypot(...{camera}.position.map((x, i) => x - {camera}.target[i]))")


if __name__ == "__main__":
    why = viewer.missing("chromium")
    if why:
        print(f"skipped: {why}")
        sys.exit(77)
    unittest.main()
