"""--check-config finds what a start would, files of meshes and directories too, says which devices only a client can feed, and makes
nothing."""
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402

BLADE = {"name": "npc", "device": "npc/7", "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.02}


class CheckConfig(clashd.TestCase):
    def run_clashd(self, *words, **settings):
        path = self.home / "settings.json"
        path.write_text(json.dumps(settings))
        return subprocess.run([clashd.CLASHD, "--config", path, *words], capture_output=True, text=True,
                              timeout=clashd.WAIT_S, env=clashd.environment(self.home))

    def check(self, *words, **settings):
        return self.run_clashd("--check-config", *words, **settings)

    def refused(self, *says, **settings):
        """By the check, and by the start."""
        for words in (("--check-config",), ("--source", "none")):
            done = self.run_clashd(*words, **settings)
            self.assertEqual(done.returncode, 2, done)
            for part in says:
                self.assertIn(str(part), done.stderr)

    def wall(self, path, **more):
        return [{"name": "wall", "mesh": {"file": str(path), **more}}]

    def test_files_of_targets(self):
        wall = self.home / "wall.obj"
        wall.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        done = self.check(targets=self.wall(wall))
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        self.refused("target 'wall'", wall, "convex: there are 3 vertices", targets=self.wall(wall, convex=True))
        wall.write_text("no mesh\n")
        self.refused("target 'wall'", wall, targets=self.wall(wall))
        pipe = self.home / "pipe.obj"
        os.mkfifo(pipe)
        self.refused("target 'wall'", pipe, "is no regular file", targets=self.wall(pipe))
        ground = self.home / "ground.raw"
        ground.write_bytes(b"123")
        self.refused("target 'g'", ground, "expected 8 bytes", targets=[{"name": "g", "terrain": {
            "columns": 2, "rows": 2, "spacing": [1, 1], "file": str(ground), "height": 1}}])

    def test_directories(self):
        plain = self.home / "plain"
        plain.touch()
        self.refused("record.directory: cannot make files in", plain, record={"directory": str(plain)})
        self.refused("record.directory: cannot make files in", record={"directory": str(plain / "below")})
        self.refused(self.home / "none", socket={"path": str(self.home / "none" / "a.sock")})
        self.refused(plain, socket={"path": str(plain)})
        new = self.home / "new" / "and" / "newer"
        done = self.check(record={"directory": str(new)}, socket={"path": str(self.home / "a.sock")})
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        self.assertFalse((self.home / "new").exists() or (self.home / "a.sock").exists())
        dangling = self.home / "dangling"
        dangling.symlink_to(self.home / "gone")
        self.assertEqual(self.check(record={"directory": str(dangling)}).returncode, 2)

    def test_devices_that_nobody_has(self):
        targets = [{"name": "shield", "device": "arm", "sphere": {"radius": 1}}, {"name": "rock", "sphere": {"radius": 1}}]
        done = self.check(blades=[{**BLADE, "name": "left", "device": "/user/hand/left"}, BLADE], targets=targets)
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual([line.split(": ")[2:4] for line in done.stdout.splitlines()[1:]],
                         [["blades.npc", "the device 'npc/7' has poses only while a client feeds it"],
                          ["targets.shield", "the device 'arm' has poses only while a client feeds it"]])
        self.assertIn("OpenXR has /user/hand/left and /user/hand/right", done.stdout)
        for line in done.stdout.splitlines()[1:]:
            self.assertRegex(line, r"^but: \S+\.json:1:\d+: ")
        self.assertNotIn("is it", done.stdout)
        done = self.check(blades=[{**BLADE, "name": "left", "device": "/user/hand/rigth"}, BLADE])
        self.assertIn("is it '/user/hand/right'?", done.stdout)
        done = self.check("--source", "none")
        self.assertIn("blades.right: the device '/user/hand/right' has poses only while a client feeds it: clashd has no source",
                      done.stdout)
        self.assertEqual(len(self.check().stdout.splitlines()), 1)

    def test_values_that_are_nearly_known(self):
        for value, near in (({"openxr": {"space": "stag"}}, "stage"), ({"contact": {"intensity_curve": "linaer"}}, "linear"),
                            ({"log": {"level": "debgu"}}, "debug"), ({"log": {"level": "loud"}}, None)):
            done = self.check(**value)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn("expected one of", done.stderr)
            self.assertEqual(f'is it "{near}"?' in done.stderr, near is not None, done.stderr)


if __name__ == "__main__":
    unittest.main()
