"""What a clashd under test has recorded."""
import json
import re
import time

import clashd
import validate


class Case(clashd.TestCase):
    def setUp(self):
        super().setUp()
        self.directory = self.home / "recordings"

    def settings(self, name="settings.json", **record):
        path = self.home / name
        path.write_text(json.dumps({"record": {"directory": str(self.directory), **record}, "openxr": {"enabled": False}}))
        return path

    def files(self):
        return sorted(self.directory.glob("clash-*"))

    def verify(self, path, code=0):
        """What verify says of a file, as text."""
        done = clashd.clashctl("verify", path, home=self.home)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def frames(self, path):
        return int(re.search(r"(\d+) frames", self.verify(path))[1])

    def lines(self, path):
        """Of a file that is not compressed, each held against its schema."""
        lines = path.read_text().splitlines()
        for line in lines:
            self.assertEqual(validate.check(line), [], line)
        return [json.loads(line) for line in lines]

    def counter(self, client, name):
        return client.request({"type": "status", "id": "status"})["counters"][name]

    def wait_for(self, what):
        deadline = time.monotonic() + clashd.WAIT_S
        while not what():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
