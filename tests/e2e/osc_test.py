"""OSC as receivers see it: oscdump, which is liblo's own, in the place of a lighting desk, of TouchDesigner and of VRChat, and of one that
comes and goes; and what wrong settings are told."""
import json
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import tree  # noqa: E402

if tree.cache_value("CLASHD_OSC") != "ON":
    tree.skip("this clashd was built without OSC")
if not shutil.which("oscdump"):
    tree.skip("oscdump is missing (Debian: liblo-tools)")

DUEL = clashd.DATA / "duel-20s.jsonl"
LINE = re.compile(r"^[0-9a-f]{8}\.[0-9a-f]{8} (/\S*) (\S*)(?: (.*))?$")


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Desk:
    """A running oscdump; what it printed, as (path, types, text of the arguments)."""

    def __init__(self, port=None):
        self.port = port or free_port()
        self.messages = []
        self.process = subprocess.Popen(["oscdump", "-L", str(self.port)], stdout=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        while not self.is_bound():
            assert self.process.poll() is None, "oscdump does not start"
            time.sleep(0.01)

    def is_bound(self):
        wanted = f":{self.port:04X}"
        tables = [Path(f"/proc/net/{name}").read_text() for name in ("udp", "udp6")]
        return any(line.split()[1].endswith(wanted) for table in tables for line in table.splitlines()[1:])

    def read(self):
        for line in self.process.stdout:
            self.messages.append(LINE.match(line.rstrip("\n")).groups())

    def of(self, path):
        return [message for message in self.messages if message[0] == path]

    def wait_for(self, path, count):
        deadline = time.monotonic() + clashd.WAIT_S
        while len(self.of(path)) < count:
            assert time.monotonic() < deadline, self.messages[-5:]
            time.sleep(0.01)
        return self.of(path)

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()


class Osc(clashd.TestCase):
    def desk(self, port=None):
        desk = Desk(port)
        self.addCleanup(desk.stop)
        return desk

    def play(self, *settings, speed="20"):
        words = [word for setting in settings for word in ("--set", setting)]
        with clashd.Daemon("--source", f"replay:{DUEL}", "--speed", speed, "--wait-for-client", *words, home=self.home) as daemon:
            with daemon.connect() as client:
                client.subscribe(events=["clash", "release", "replay"])
                messages = client.read_until(lambda m: m["type"] == "replay" and m["state"] == "ended")
                return messages, client.request({"type": "status", "id": 1})["counters"]

    def test_all_clashes_arrive_as_they_are(self):
        desk, chop, avatar = self.desk(), self.desk(), self.desk()
        messages, counters = self.play(f'osc.receivers=["{desk.port}", "localhost:{chop.port}"]', f'osc.avatars=["127.0.0.1:{avatar.port}"]',
                                       "osc.rate_hz=1000", "osc.pulse_ms=1")
        clashes = [m for m in messages if m["type"] == "clash"]
        self.assertGreater(len(clashes), 20)
        for one in (desk, chop):
            got = one.wait_for("/clash", len(clashes))
            self.assertEqual(len(got), len(clashes))
            for (_, types, text), clash in zip(got, clashes):
                self.assertEqual(types, "ssfffffi")
                first, second, *numbers, contact = text.split()
                self.assertEqual([first.strip('"'), second.strip('"'), int(contact)], [*clash["blades"], clash["id"]])
                for number, said in zip(numbers, [*clash["midpoint"], clash["closing_speed"], clash["intensity"]]):
                    self.assertAlmostEqual(float(number), said, places=4)
            self.assertEqual(len(one.wait_for("/clash/release", len(clashes))), len(clashes))
        self.assertEqual((counters["osc_limited"], counters["osc_lost"], counters["osc_refused"]), (0, 0, 0))
        self.assertFalse(avatar.of("/clash") or [m for m in desk.messages if m[0].startswith("/avatar")])
        # What VRChat reads: bool, float of 0 to 1, int of 0 to 255; the last of each says that all is over.
        counts = avatar.wait_for("/avatar/parameters/ClashCount", len(clashes) + 1)
        self.assertEqual([int(text) for _, _, text in counts], [i % 256 for i in range(len(clashes) + 1)])
        for name, types, last in (("ClashIntensity", {"f"}, "0.000000"), ("ClashTouching", {"T", "F"}, "#F")):
            got = avatar.of(f"/avatar/parameters/{name}")
            self.assertEqual({kind for _, kind, _ in got}, types)
            self.assertEqual(got[-1][2], last)

    def test_nothing_is_read(self):
        """Each of its sockets leads to one receiver, and what that sends back stays unread."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as desk:
            desk.bind(("127.0.0.1", 0))
            desk.settimeout(clashd.WAIT_S)
            address = f"127.0.0.1:{desk.getsockname()[1]}"
            with clashd.Daemon("--source", f"replay:{DUEL}", "--speed", "50", "--loop", "--set", f'osc.receivers=["{address}"]', home=self.home) as daemon:
                _, sender = desk.recvfrom(65536)
                for i in range(50):
                    desk.sendto(bytes(range(i)) + b"/clash\0\0,ssfffffi", sender)
                own = {Path(file).readlink().name for file in Path(f"/proc/{daemon.process.pid}/fd").iterdir() if file.is_symlink()}
                rows = [line.split() for name in ("udp", "udp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
                rows = [row for row in rows if f"socket:[{row[9]}]" in own]
                self.assertEqual([int(row[2].split(":")[1], 16) for row in rows], [desk.getsockname()[1]])
                self.assertGreater(int(rows[0][4].split(":")[1], 16), 0, "something has read it")
                desk.recvfrom(65536)

    def test_addresses_are_as_wanted(self):
        desk = self.desk()
        messages, _ = self.play(f'osc.receivers=["{desk.port}"]', "osc.clash=null", "osc.release=/stage/{first}/{second}/over",
                                "osc.intensity=/qlc/1", "osc.rate_hz=1000")
        releases = sum(m["type"] == "release" for m in messages)
        desk.wait_for("/stage/left/right/over", releases)
        desk.wait_for("/qlc/1", releases)
        self.assertEqual({path for path, _, _ in desk.messages}, {"/stage/left/right/over", "/qlc/1"})

    def test_the_document_s_examples(self):
        """A desk's fader for a sword, tables of numbers, an avatar: at other ports, as these may be taken."""
        text = (tree.ROOT / "protocol" / "PROTOCOL.md").read_text().split("### OSC\n", 1)[1].split("\n### ", 1)[0]
        examples = [json.loads(block)["osc"] for block in re.findall(r"^    (\{.*\})$", text, re.MULTILINE)]
        wanted = [{"/clash/left"}, {"/clash", "/clash/release", "/clash/intensity"},
                  {f"/avatar/parameters/Clash{name}" for name in ("Intensity", "Touching", "Count")}]
        for settings, (key, port), paths in zip(examples[1:], (("receivers", "7700"), ("receivers", "7000"), ("avatars", "9000")), wanted, strict=True):
            self.assertEqual(settings[key], [port])
            desk = self.desk()
            self.play(*(f"osc.{name}={json.dumps(value)}" for name, value in {**settings, key: [str(desk.port)]}.items()))
            for path in paths:
                desk.wait_for(path, 1)
            self.assertEqual({path for path, _, _ in desk.messages} - {"/clash/hold"}, paths)  # few of these contacts are that long

    def test_who_comes_later_gets_what_follows(self):
        port = free_port()
        words = ["--set", f'osc.receivers=["{port}", "no-such-host.invalid:7000"]']
        with clashd.Daemon("--source", f"replay:{DUEL}", "--speed", "20", "--loop", *words, home=self.home) as daemon:
            daemon.wait_for_log("nobody listens there")
            desk = self.desk(port)
            desk.wait_for("/clash", 3)
            with daemon.connect() as client:
                counters = client.request({"type": "status", "id": 1})["counters"]
            self.assertGreater(counters["osc_refused"], 0)
            self.assertGreater(counters["osc_lost"], 0)  # there is no such host
            self.assertEqual(sum("no-such-host" in line for line in daemon.log), 1, daemon.log)

    def test_wrong_settings_are_named(self):
        for setting, key in (('osc.receivers=["70000"]', "osc.receivers[0]"), ('osc.avatars=["9000", "a b:1"]', "osc.avatars[1]"),
                             ("osc.clash=clash", "osc.clash"), ("osc.release=/a*", "osc.release"), ("osc.avatar=/{first}", "osc.avatar"),
                             ("osc.hold=7", "osc.hold"), ("osc.rate_hz=0", "osc.rate_hz"), ("osc.pulse_ms=0", "osc.pulse_ms"),
                             ("osc.reciever=1", "reciever")):
            done = subprocess.run([clashd.CLASHD, "--check-config", "--set", setting], capture_output=True, text=True,
                                  env=clashd.environment(self.home))
            self.assertEqual(done.returncode, 2, setting)
            self.assertIn(key, done.stderr)

    def test_a_reload_takes_other_receivers(self):
        first, second = self.desk(), self.desk()
        settings = self.home / "settings.json"

        def write(**osc):
            settings.write_text(json.dumps({"osc": osc}))
            return clashd.clashctl("reload", home=self.home)

        settings.write_text("{}")
        with clashd.Daemon("--source", f"replay:{DUEL}", "--speed", "20", "--loop", "--config", settings, home=self.home) as daemon, daemon.connect() as client:
            self.assertEqual(write(receivers=[f"127.0.0.1:{first.port}"]).returncode, 0)
            first.wait_for("/clash", 1)
            self.assertEqual(write(receivers=[f"127.0.0.1:{second.port}"], clash="/other").returncode, 0)
            second.wait_for("/other", 1)
            done = write(receivers=["a b"])
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("osc.receivers[0]", done.stderr)
            second.wait_for("/other", len(second.of("/other")) + 1)
            self.assertEqual(write().returncode, 0)
            self.assertNotIn("osc_sent", client.request({"type": "status", "id": 1})["counters"])
        self.assertFalse(first.of("/other") or second.of("/clash"))


if __name__ == "__main__":
    unittest.main()
