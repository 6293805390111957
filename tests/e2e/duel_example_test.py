"""The example duel of daemon/geometry/examples, which links nothing but libclash, finds the clashes that clashctl detect finds."""
import json
import struct
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402

DUEL = clashd.BUILD / "daemon" / "geometry" / "examples" / "duel"
FLOOR = {"name": "floor", "position": [0, 0.3, 0], "orientation": [0, 0, 0, 1],
         "mesh": {"vertices": [[-2, 0, -2], [2, 0, -2], [-2, 0, 2], [2, 0, 2]], "triangles": [[0, 2, 1], [1, 2, 3]]}}
BLADES = [{"name": hand, "device": f"/user/hand/{hand}", "base": [0, 0, -0.05], "tip": [0, 0, -1], "radius": 0.015}
          for hand in ("left", "right")]


def single(text):
    return struct.pack("f", float(text))


class Duel(clashd.TestCase):
    def test_prints_what_detect_finds(self):
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({"blades": BLADES, "targets": [FLOOR]}))
        for recording in ("duel-20s", "duel-start-5s"):
            path = clashd.DATA / f"{recording}.jsonl"
            found = subprocess.run([DUEL, path], capture_output=True, text=True, check=True).stdout.splitlines()
            detected = [event for event in map(json.loads, clashd.detect(path, "--config", settings, home=self.home))
                        if event["type"] == "clash"]
            self.assertGreater(len(detected), 5)
            self.assertEqual(len(found), len(detected))
            for line, event in zip(found, detected):
                time_ns, *names, speed = line.split()
                self.assertEqual((int(time_ns), names), (event["time_ns"], event["blades"]))
                self.assertEqual(single(speed), single(event["closing_speed"]))

    def test_links_nothing_else(self):
        linked = subprocess.run(["ldd", DUEL], capture_output=True, text=True, check=True).stdout
        names = {line.split()[0].split("/")[-1].split(".")[0] for line in linked.splitlines()}
        self.assertLessEqual(names, {"linux-vdso", "libm", "libc", "ld-linux-x86-64", "ld-linux-aarch64", "libasan", "libubsan",
                                     "libpthread", "libdl", "librt", "libgcc_s"})


if __name__ == "__main__":
    unittest.main()
