"""The outlines of targets over the socket: of configured meshes and terrains from files and of what clients define, in pages that fit into
a line; what is large is simplified; what changed is told by `definitions`; hello may be asked for again; bad requests."""
import json
import math
import struct
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import validate  # noqa: E402

MOST = 8192
BOX = {"name": "crate", "position": [1, 2, 3], "box": {"size": [0.5, 1, 2]}}
WILD = [round(math.pi * 10 ** -(i % 7), 9) * (-1) ** i for i in range(12)]


def ball(path, around, down, radius=1.0):
    """As OBJ; its triangles."""
    lines = [f"v {radius * math.sin(math.pi * j / down) * math.cos(2 * math.pi * i / around):.7f} "
             f"{radius * math.cos(math.pi * j / down):.7f} "
             f"{radius * math.sin(math.pi * j / down) * math.sin(2 * math.pi * i / around):.7f}\n" for j in range(down + 1) for i in range(around)]
    count = 0
    for j in range(down):
        for i in range(around):
            a, b = j * around + i + 1, j * around + (i + 1) % around + 1
            lines.append(f"f {a} {b} {a + around}\nf {b} {b + around} {a + around}\n")
            count += 2
    path.write_text("".join(lines))
    return count


class Outlines(clashd.TestCase):
    def start(self, targets=()):
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({"targets": list(targets), "openxr": {"enabled": False}}))
        daemon = clashd.Daemon("--config", str(settings), home=self.home)
        self.addCleanup(daemon.process.wait)
        self.addCleanup(daemon.process.kill)
        client = daemon.connect()
        self.addCleanup(client.close)
        return daemon, client

    def ask(self, client, **what):
        reply = client.request({"type": "outlines", "id": 7, **what})
        self.assertEqual(reply["type"], "outlines", reply)
        self.assertEqual(validate.mistakes("server/outlines", reply), [])
        self.assertLessEqual(len(json.dumps(reply, separators=(",", ":"))) + 1, 2 * 65536)
        return reply

    def all_of(self, client, **what):
        """By name; every page but the last one says where the next begins."""
        found, pages, following = {}, 0, {}
        while True:
            page = self.ask(client, **{**what, **following})
            pages += 1
            for target in page["targets"]:
                one = found.setdefault(target["name"], {**target, "lines": []})
                self.assertEqual(target["first_line"], len(one["lines"]))
                one["lines"] += target["lines"]
            if "next_target" not in page:
                break
            following = {"from_line": page["next_line"]}
            if "target" not in what:
                following["from_target"] = page["next_target"]
        for target in found.values():
            self.assertEqual(len(target["lines"]), target["line_count"])
        return found, pages

    def test_of_files_and_of_clients(self):
        count = ball(self.home / "ball.obj", 100, 100)
        ball(self.home / "small.obj", 12, 6)
        (self.home / "ground.raw").write_bytes(struct.pack("<129600H", *[(i * 37) % 65536 for i in range(360 * 360)]))
        _, client = self.start([
            BOX, {"name": "ball", "position": [0, 1, 0], "mesh": {"file": str(self.home / "ball.obj")}},
            {"name": "small", "device": "cart", "position": [0, 0, 0.5], "mesh": {"file": str(self.home / "small.obj")}},
            {"name": "ground", "position": [-5, 0, -5], "terrain": {"columns": 360, "rows": 360, "spacing": [0.1, 0.1],
                                                                     "file": str(self.home / "ground.raw"), "height": 3}}])
        found, pages = self.all_of(client)
        self.assertEqual(list(found), ["crate", "ball", "small", "ground"])
        self.assertGreater(pages, 10)
        ends = {tuple(line[i:i + 3]) for line in found["crate"]["lines"] for i in (0, 3)}
        self.assertEqual(ends, {(1 + x, 2 + y, 3 + z) for x in (-0.25, 0.25) for y in (-0.5, 0.5) for z in (-1, 1)})
        self.assertEqual(found["crate"]["line_count"], 12)
        self.assertTrue(found["ball"]["simplified"] and found["ground"]["simplified"])
        self.assertGreater(count * 3 // 2, MOST)
        for name in ("ball", "ground"):
            self.assertTrue(MOST // 2 < found[name]["line_count"] <= MOST, found[name]["line_count"])
        for line in found["ball"]["lines"]:
            for end in (line[:3], line[3:]):
                self.assertAlmostEqual(math.dist(end, (0, 1, 0)), 1, 5)
        self.assertNotIn("simplified", found["small"])
        self.assertEqual(found["small"]["device"], "cart")
        for line in found["small"]["lines"]:
            self.assertAlmostEqual(math.dist(line[:3], (0, 0, 0.5)), 1, 5)  # in the device's frame
        for edge in (0, 1):
            self.assertAlmostEqual(min(line[2 * edge] for line in found["ground"]["lines"]), -5, 5)
            self.assertAlmostEqual(max(line[3 + 2 * edge] for line in found["ground"]["lines"]), -5 + 35.9, 4)
        self.assertEqual(self.all_of(client, target="ball")[0]["ball"], found["ball"])

    def test_the_longest_names_and_numbers_fit(self):
        _, client = self.start()
        for i in range(64):
            name = f"{i:02}" + '"' * 61
            client.request({"type": "target", "id": 1, "name": name, "device": "\\" * 125 + f"{i:02}", "position": WILD[:3],
                            "mesh": {"vertices": [[WILD[(i + k) % 12], WILD[(5 * i + k) % 11], WILD[k % 10]] for k in range(400)],
                                     "triangles": [[k, k + 1, k + 2] for k in range(398)]}})
        found, _ = self.all_of(client)
        self.assertEqual(len(found), 64)
        self.assertTrue(all(target["line_count"] > 0 for target in found.values()))

    def test_what_changed(self):
        daemon, client = self.start([BOX])
        with daemon.connect() as other:
            before = self.ask(client)["definitions"]
            self.assertEqual(client.request({"type": "status", "id": 1})["counters"]["definitions"], before)
            self.assertEqual(self.ask(client)["definitions"], before)
            other.request({"type": "target", "id": 2, "name": "wall", "box": {"size": [1, 1, 1]}})
            page = self.ask(client)
            self.assertEqual([target["name"] for target in page["targets"]], ["crate", "wall"])
            self.assertGreater(page["definitions"], before)
            other.request({"type": "target", "id": 2, "name": "wall", "sphere": {"radius": 1}})
            again = self.ask(client)
            self.assertGreater(again["definitions"], page["definitions"])
            self.assertEqual([target["line_count"] for target in again["targets"]], [12, 96])
            other.request({"type": "blade", "id": 3, "name": "npc", "device": "npc", "base": [0, 0, 0], "tip": [0, 0, 1], "radius": 0.1})
            hello = client.request({"type": "hello", "id": "h"})
            self.assertEqual((hello["type"], hello["id"]), ("hello", "h"))
            self.assertEqual(validate.mistakes("server/hello", hello), [])
            self.assertIn("npc", [blade["name"] for blade in hello["blades"]])
            self.assertEqual([target["name"] for target in hello["targets"]], ["crate", "wall"])
            last = self.ask(client)["definitions"]
        while self.ask(client)["definitions"] == last:
            pass
        self.assertEqual([target["name"] for target in self.ask(client)["targets"]], ["crate"])

    def test_bad_requests(self):
        _, client = self.start([BOX])
        for what, code, part in (({"target": "crat"}, "unknown_name", 'target: no target is called "crat"; there are "crate"'),
                                 ({"target": ""}, "bad_message", "target"), ({"target": 7}, "bad_message", "target"),
                                 ({"target": "ü" * 40}, "unknown_name", "no target"), ({"target": "x" * 64}, "bad_message", "target"),
                                 ({"from_line": -1}, "bad_message", "from_line"), ({"from_target": 0.5}, "bad_message", "from_target"),
                                 ({"from_target": "1"}, "bad_message", "from_target"), ({"from_line": 1e300}, "bad_message", "from_line")):
            reply = client.request({"type": "outlines", "id": 1, **what})
            self.assertEqual((reply["type"], reply["code"]), ("error", code), what)
            self.assertIn(part, reply["message"])
        for bad in ({"type": "hello"}, {"type": "hello", "id": [1]}):
            client.send(bad)
            self.assertEqual(client.read()["code"], "bad_message")
        for beyond in ({"from_target": 1}, {"from_target": 2**53 - 1, "from_line": 2**53 - 1}):
            self.assertEqual(self.ask(client, **beyond)["targets"], [])
        page = self.ask(client, from_line=2**53 - 1)
        self.assertEqual([(target["first_line"], target["lines"]) for target in page["targets"]], [(12, [])])
        self.assertEqual(self.ask(client, from_line=11)["targets"][0]["lines"], self.ask(client)["targets"][0]["lines"][11:])


if __name__ == "__main__":
    unittest.main()
