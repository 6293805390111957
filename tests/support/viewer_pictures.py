"""Make pictures of the page with a real person's swings: python3 viewer_pictures.py FOLDER [NAME..]. Without names, all of them.
log_moving is README's moving picture, and needs img2webp (Debian: webp)."""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import clashd
import transports
import viewer

RECORDING = clashd.DATA / "duel-20s.jsonl"
TARGETS = [{"name": "pillar", "capsule": {"base": [0.75, 0, -0.6], "tip": [0.75, 1.9, -0.6], "radius": 0.12}},
           {"name": "ball", "position": [-0.9, 1.5, -0.5], "sphere": {"radius": 0.22}},
           {"name": "shield", "device": "/user/hand/left", "position": [0, 0.05, 0.12], "box": {"size": [0.4, 0.4, 0.03]}}]
# The picture stands still a moment after the two blades struck each other that hard, once there are some rows.
HOLD = """(async () => {
  const {panel} = clashdViewer.live;
  for (let seen = 0; ;) {
    const clash = await new Promise((resolve) => { const off = panel.source.clashd.on("clash", (found) => { off(); resolve(found); }); });
    if (++seen < ROWS || clash.target !== undefined || clash.closing_speed < 15) continue;
    await new Promise((resolve) => setTimeout(resolve, 140));
    if (parseFloat(document.querySelector("#live .speed").textContent) < 15) continue; // of a later one
    panel.hold(true);
    await new Promise((resolve) => setTimeout(resolve, 300));
    return;
  }
})()"""
GAME = "linear-gradient(#2a2036 62%, #1a1524 62%)"


def live(browser, daemon, file, width=1120, height=630, rows=8, theme="dark"):
    browser.open(f"{viewer.origin(daemon)}/#token={daemon.token}", width=width, height=height, theme=theme)
    browser.ask("clashdViewer.live.stage.keepSharp()")
    browser.ask(HOLD.replace("ROWS", str(rows)))
    browser.do("picture", file=str(file))


def live_light(browser, daemon, file):
    live(browser, daemon, file, theme="light")


def live_phone(browser, daemon, file):
    live(browser, daemon, file, width=420, height=860)


def live_picked(browser, daemon, file):
    live(browser, daemon, file, width=1600, height=1000)
    browser.ask("document.querySelector('#live .event[data-type=clash]').click()")
    browser.ask("new Promise(requestAnimationFrame)")
    browser.do("picture", file=str(file))


def overlay(browser, daemon, file):
    browser.open(f"{viewer.origin(daemon)}/overlay#token={daemon.token}", width=960, height=540)
    browser.ask(f"document.documentElement.style.background = '{GAME}'")
    is_strong = ("parseInt(document.querySelector('.combo.is-shown .count')?.textContent) >= 3 && "
                 "parseFloat(document.querySelector('.speed .value').textContent) > 15")
    while True:
        browser.wait_for(is_strong)
        browser.ask("new Promise((resolve) => setTimeout(resolve, 120))")
        if browser.ask(is_strong):
            break
    browser.do("picture", file=str(file))


def log(browser, daemon, file, show):
    """The human swings as a recording that is given to the page."""
    browser.open(f"{viewer.origin(daemon)}/#token={daemon.token}", width=1120, height=700, theme="dark")
    browser.do("click", selector="#tab-log")
    browser.do("upload", selector="#log-file", files=[str(RECORDING)])
    browser.wait_for("clashdViewer.log.panel.state === 'ready'")
    browser.ask("clashdViewer.log.stage.keepSharp()")
    browser.ask(show)
    browser.wait_for("clashdViewer.log.panel.picture.last")
    browser.ask("new Promise((resolve) => setTimeout(resolve, 500))")
    browser.do("picture", file=str(file))


def log_timeline(browser, daemon, file):
    log(browser, daemon, file, "clashdViewer.log.panel.select(6)")


def log_tunnelled(browser, daemon, file):
    """A hit that no sample sees."""
    log(browser, daemon, file, "(({panel}) => panel.select(panel.contacts.findIndex(({seen, speed}) => seen === false && speed > 40)))"
                               "(clashdViewer.log)")


def log_tune(browser, daemon, file):
    log(browser, daemon, file, """(({panel}) => {
        panel.select(6);
        document.querySelector("#log-tab-tune").click();
        const input = document.querySelector("#tune-margin");
        input.value = "50";
        input.dispatchEvent(new Event("input", {bubbles: true}));
    })(clashdViewer.log)""")


def log_moving(browser, daemon, file):
    """The same hit as a moving picture, from the sample before it to the one after: slowly through, with a stop at the first touch."""
    if not shutil.which("img2webp"):
        sys.exit("log_moving: img2webp is missing: apt-get install webp")
    log_tunnelled(browser, daemon, file)
    start = browser.ask("clashdViewer.log.panel.contacts[clashdViewer.log.panel.selected].start")
    steps = [*range(-12, 0), 0, *range(1, 13)]
    words = []
    for number, step in enumerate(steps):
        browser.ask(f"clashdViewer.log.panel.player.seek({start + step * 0.6e6})")
        browser.ask("new Promise((resolve) => setTimeout(resolve, 150))")
        picture = Path(daemon.home) / f"{number:02}.png"
        browser.do("picture", file=str(picture))
        words += ["-d", "1400" if step == 0 else "500" if abs(step) == 12 else "70", "-lossy", "-q", "60", picture]
    subprocess.run(["img2webp", "-loop", "0", *words, "-o", file.with_suffix(".webp")], check=True, capture_output=True)
    file.unlink()


PICTURES = {"live": live, "live_light": live_light, "live_phone": live_phone, "live_picked": live_picked, "overlay": overlay,
            "log": log_tunnelled, "log_timeline": log_timeline, "log_tune": log_tune, "log_moving": log_moving}


def main(folder, *names):
    if why := viewer.missing("chromium"):
        sys.exit(why)
    with tempfile.TemporaryDirectory(prefix="clashd-", ignore_cleanup_errors=True) as home:
        settings = Path(home) / "settings.json"
        settings.write_text(json.dumps({"socket": {"websocket": "127.0.0.1:0"}, "targets": TARGETS}))
        daemon = transports.Daemon("--source", f"replay:{RECORDING}", "--loop", "--config", settings, home=home)
        browser = viewer.Browser("chromium", home)
        try:
            for name in names or PICTURES:
                PICTURES[name](browser, daemon, (Path(folder) / f"{name}.png").resolve())
        finally:
            browser.close()
            daemon.stop()


if __name__ == "__main__":
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(PICTURES):
        sys.exit(f"usage: viewer_pictures.py FOLDER [NAME..]; names: {', '.join(PICTURES)}")
    main(*sys.argv[1:])
