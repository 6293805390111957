"""What the page's live view costs: python3 viewer_bench.py [--browser NAME] [--seconds S] [--size WxH]. Two blades whose poses are pushed 500
times a second strike each other some five times a second; the room is drawn by software. Prints frames a second, and the page's own
script for each: everything between the beginning of the frame and its end but drawing, which happens elsewhere."""
import argparse
import json
import math
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
import clashd  # noqa: E402
import transports  # noqa: E402
import viewer  # noqa: E402

RATE_HZ, STRIKES_HZ = 500, 2.5
MEASURE = """(async () => {
  const {panel, stage} = clashdViewer.live, scripts = [];
  let drawn = 0;
  panel.onFrame = (ms, drew) => { scripts.push(ms); drawn += drew; };
  const begin = performance.now();
  await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000));
  const seconds = (performance.now() - begin) / 1000;
  panel.onFrame = undefined;
  scripts.sort((a, b) => a - b);
  const at = (share) => scripts[Math.min(scripts.length - 1, Math.floor(share * scripts.length))];
  return {fps: drawn / seconds, p50: at(0.5), p90: at(0.9), p99: at(0.99), mean: scripts.reduce((a, b) => a + b, 0) / scripts.length,
    width: stage.element.clientWidth, height: stage.element.clientHeight,
    pixels: stage.element.querySelector("canvas").width / stage.element.clientWidth};
})()"""


def turned(angle):
    """Around x."""
    return [math.sin(angle / 2), 0, 0, math.cos(angle / 2)]


class Pusher(threading.Thread):
    def __init__(self, daemon):
        super().__init__(daemon=True)
        self.client = daemon.connect()
        self.sent, self.is_over = 0, False
        for side, x in (("left", -0.2), ("right", 0.2)):
            reply = self.client.request({"type": "blade", "id": "b", "name": f"swung {side}", "device": f"bench/{side}", "base": [0, 0, -0.05],
                                         "tip": [-2 * x, 0, -1], "radius": 0.015})
            assert reply["type"] == "ok", reply

    def run(self):
        begin = time.monotonic()
        while not self.is_over:
            t = time.monotonic() - begin
            swing = 0.6 * math.sin(2 * math.pi * STRIKES_HZ * t)
            self.client.send({"type": "poses", "poses": [
                {"device": f"bench/{side}", "position": [x, 1.2, -0.2], "orientation": turned(0.3 + sign * swing)}
                for side, x, sign in (("left", -0.2, 1), ("right", 0.2, -1))]})
            self.sent += 1
            time.sleep(max(0, begin + self.sent / RATE_HZ - time.monotonic()))


def fit(browser, width, height):
    """Makes the window such that the room has this size."""
    window = [width + 360, height + 66]
    for _ in range(4):
        browser.do("size", width=window[0], height=window[1])
        time.sleep(0.3)
        now = browser.ask("[clashdViewer.live.stage.element.clientWidth, clashdViewer.live.stage.element.clientHeight]")
        window = [window[0] + width - now[0], window[1] + height - now[1]]


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--browser", default="chromium", choices=viewer.BROWSERS)
    words.add_argument("--seconds", type=float, default=10)
    words.add_argument("--size", default="800x500")
    words = words.parse_args()
    if why := viewer.missing(words.browser):
        sys.exit(why)
    with tempfile.TemporaryDirectory(prefix="clashd-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        (home / "settings.json").write_text(json.dumps({"socket": {"websocket": "127.0.0.1:0"}}))
        daemon = transports.Daemon("--source", "none", "--config", home / "settings.json", home=home)
        browser = pusher = None
        try:
            browser = viewer.Browser(words.browser, home)
            pusher = Pusher(daemon)
            pusher.start()
            browser.open(f"{viewer.origin(daemon)}/#token={daemon.token}")
            browser.wait_for("document.querySelectorAll('#live .event[data-type=clash]').length > 2")
            fit(browser, *map(int, words.size.split("x")))
            sent, clashes = pusher.sent, browser.ask("parseInt(document.querySelector('#live .count').textContent)")
            begin = time.monotonic()
            found = browser.ask(MEASURE.replace("SECONDS", str(words.seconds)))
            took = time.monotonic() - begin
            clashes = browser.ask("parseInt(document.querySelector('#live .count').textContent)") - clashes
            print(f"{browser.version}, room of {found['width']} x {found['height']}, software rendering, "
                  f"{found['pixels']:.2f} pixels a pixel")
            print(f"poses pushed   {(pusher.sent - sent) / took:8.0f} /s      clashes {clashes / took:.1f} /s")
            print(f"frames drawn   {found['fps']:8.1f} /s")
            print(f"script a frame {found['p50']:8.2f} ms p50  {found['p90']:.2f} p90  {found['p99']:.2f} p99  {found['mean']:.2f} mean")
        finally:
            if pusher:
                pusher.is_over = True
                pusher.join()
            if browser:
                browser.close()
            daemon.stop()


if __name__ == "__main__":
    main()
