"""A long recording at 1000 Hz in a tab of Chromium: it comes in bit by bit, with a progress bar and contacts before its end, and the
tab's memory stays below 1 GB. A minute of it; with CLASHD_LONG=1 an hour, some 1.3 GB of text, and its figures are printed."""
import json
import math
import os
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import viewer  # noqa: E402
import viewer_page  # noqa: E402

SECONDS = 3600 if os.environ.get("CLASHD_LONG") else 60
HZ = 1000
PANEL = "window.clashdViewer.log.panel"
# What the page shows while it reads: shares of the bar, and how many contacts there are.
WATCH = f"""(() => {{
  const bar = document.querySelector(".log-progress");
  window.seen = {{shares: [], contacts: 0}};
  const watch = setInterval(() => {{
    if (["ready", "failed"].includes({PANEL}.state)) return clearInterval(watch);
    if (bar.hidden || !bar.hasAttribute("value")) return;
    if (window.seen.shares.at(-1) !== bar.value) window.seen.shares.push(bar.value);
    window.seen.contacts = Math.max(window.seen.contacts, {PANEL}.contacts.length);
  }}, 20);
}})()"""


def swings(seconds):
    """Human swings at 1000 Hz, there and back again, as lines without their times: (before, after) the time."""
    with (clashd.DATA / "duel-20s.jsonl").open() as file:
        header = next(file)
        lines = [json.loads(line) for line in file]
    tracks = {}
    for line in lines:
        for pose in line["poses"]:
            if line["time_ns"] <= seconds * 1e9 and math.hypot(*pose["orientation"]) > 0.9:
                tracks.setdefault(pose["device"], []).append((line["time_ns"], pose["position"], pose["orientation"]))
    poses = [[] for _ in range(seconds * HZ)]
    for device, track in tracks.items():
        at = 0
        for i, here in enumerate(poses):
            now = i * 1_000_000_000 // HZ
            while at + 2 < len(track) and track[at + 1][0] <= now:
                at += 1
            (t0, p0, q0), (t1, p1, q1) = track[at], track[at + 1]
            share = min(max((now - t0) / max(t1 - t0, 1), 0), 1)
            sign = 1 if sum(a * b for a, b in zip(q0, q1, strict=True)) >= 0 else -1
            q = [a + share * (sign * b - a) for a, b in zip(q0, q1, strict=True)]
            length = math.hypot(*q)
            here.append({"device": device, "position": [round(a + share * (b - a), 9) for a, b in zip(p0, p1, strict=True)],
                         "orientation": [round(x / length, 9) for x in q], "tracked": True})
    texts = [f',"poses":{json.dumps(here, separators=(",", ":"))}}}\n' for here in poses]
    return header, texts + texts[::-1]


def write(path, seconds):
    header, texts = swings(min(15, seconds // 2))
    with path.open("w") as file:
        file.write(header)
        for first in range(0, seconds * HZ, len(texts)):
            file.write("".join(f'{{"type":"poses","time_ns":{(first + i) * 1_000_000_000 // HZ}{text}' for i, text in enumerate(texts)
                               if first + i < seconds * HZ))


def renderers(pid):
    """The most memory that each of a browser's pages has had so far, bytes."""
    parents, found = {}, []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
            words = status.with_name("cmdline").read_bytes()
        except OSError:
            continue  # it has ended
        parents[int(status.parent.name)] = int(fields["PPid"])
        if b"--type=renderer" in words and "VmHWM" in fields:
            found.append((int(status.parent.name), int(fields["VmHWM"].split()[0]) * 1024))

    def is_below(process):
        while process in parents and process != pid:
            process = parents[process]
        return process == pid
    return [most for process, most in found if is_below(process)]


class Hour(clashd.TestCase):
    def test_in_a_tab(self):
        file = self.home / "long.jsonl"
        write(file, SECONDS)
        self.addCleanup(file.unlink)
        browser = viewer.Browser("chromium", self.home)
        self.addCleanup(browser.close)
        server = viewer_page.Server([viewer_page.page(self.home)])
        self.addCleanup(server.close)
        browser.open(server.address, width=1280, height=800)
        browser.do("click", selector="#tab-log")
        browser.ask(WATCH)
        began = time.monotonic()
        browser.do("upload", selector="#log-file", files=[str(file)])
        while True:
            try:
                browser.wait_for(f"['ready', 'failed'].includes({PANEL}.state)")
                break
            except AssertionError:  # its own patience; the page says how far it is
                self.assertIn("min" if SECONDS > 60 else "s", browser.ask("document.querySelector('.log-summary').textContent"))
        took = time.monotonic() - began
        self.assertEqual(browser.ask(f"{PANEL}.state"), "ready", browser.ask("document.querySelector('.log-message').textContent"))
        seen = browser.ask("window.seen")
        shares = [share for share in seen["shares"] if 0 < share < 1]
        self.assertGreater(len(shares), 0, "no progress was shown")
        self.assertEqual(shares, sorted(shares))
        contacts = browser.ask(f"{PANEL}.contacts.length")
        self.assertTrue(0 < seen["contacts"] <= contacts, (seen["contacts"], contacts))
        self.assertEqual(browser.ask(f"{PANEL}.log.counts.entries"), SECONDS * HZ)
        browser.ask(f"{PANEL}.select({contacts - 1})")  # the last one can be looked at
        browser.wait_for(f"{PANEL}.picture.last?.time === {PANEL}.contacts[{contacts - 1}].start")
        memory = max(renderers(browser.do("pid")))
        print(f"{SECONDS} s at {HZ} Hz, {file.stat().st_size / 1e6:.0f} MB: {contacts} contacts in {took:.1f} s, "
              f"at most {memory / 1e6:.0f} MB in the tab's process, {len(shares)} steps of the bar")
        self.assertLess(memory, 1e9)


if __name__ == "__main__":
    reason = viewer_page.missing_engine() or viewer.missing("chromium")
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main()
