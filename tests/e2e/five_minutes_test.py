"""The five minutes at the head of PROTOCOL.md, as they stand there: the second terminal's lines go to a shell, and what comes back
is what the page says comes back."""
import json
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402

if not shutil.which("socat"):
    print("socat is not installed")
    sys.exit(77)


def blocks():
    """The code of the section, block by block."""
    text = (clashd.SOURCE / "protocol" / "PROTOCOL.md").read_text()
    section = text.split("## In five minutes\n", 1)[1].split("\n## ", 1)[0]
    return ["\n".join(line[4:] for line in found.splitlines())
            for found in re.findall(r"(?:^    .*\n)+", section, re.MULTILINE)]


class FiveMinutes(clashd.TestCase):
    def test_what_the_page_says(self):
        start, talk, answer = blocks()
        self.assertEqual(start, "clashd --source none")
        expected = [json.loads(re.sub(r",\.\.\.|\[\.\.\.\]", lambda found: "[]" if found[0][0] == "[" else "", line))
                    for line in answer.splitlines()]
        with clashd.Daemon("--source", "none", home=self.home):
            for _ in range(20):  # a machine that stops for longer than max_gap_ms between two poses finds nothing
                done = subprocess.run(["sh", "-c", talk], capture_output=True, text=True, timeout=clashd.WAIT_S,
                                      env=clashd.environment(self.home))
                lines = [json.loads(line) for line in done.stdout.splitlines()]
                if [line["type"] for line in lines[-2:]] == ["clash", "release"] and lines[-1]["reason"] == "apart":
                    break
        self.assertEqual([line["type"] for line in lines], [line["type"] for line in expected], done.stdout + done.stderr)
        for said, line in zip(expected, lines):
            self.assertLessEqual(said.keys(), line.keys())
            for key in ("id", "blades", "reason"):
                if key in said and line["type"] != "hello" and (key != "id" or line["type"] == "ok"):
                    self.assertEqual(line[key], said[key])
        self.assertAlmostEqual(lines[-2]["midpoint"][1], 1.5, places=5)


if __name__ == "__main__":
    unittest.main()
