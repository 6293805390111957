"""clashd under journald: entries with fields where journald takes them, lines with priorities where it does not. In a mount
namespace of its own, with a socket of the test's in journald's place."""
import os
import socket
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
from transports import WebSocketClient  # noqa: E402

SOCKET = Path("/run/systemd/journal/socket")
INSIDE = "CLASHD_TEST_INSIDE"


class Journal(clashd.TestCase):
    def setUp(self):
        super().setUp()
        SOCKET.parent.mkdir(parents=True, exist_ok=True)
        self.journal = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.journal.settimeout(clashd.WAIT_S)
        self.journal.bind(str(SOCKET))
        self.addCleanup(SOCKET.unlink, missing_ok=True)
        self.addCleanup(self.journal.close)
        self.stream = open(self.home / "stream", "w+b")
        self.addCleanup(self.stream.close)

    def start(self):
        status = os.fstat(self.stream.fileno())
        env = clashd.environment(self.home, JOURNAL_STREAM=f"{status.st_dev}:{status.st_ino}")
        process = subprocess.Popen([clashd.CLASHD, "--source", "none", "--websocket", "127.0.0.1:0"],
                                   stdin=subprocess.DEVNULL, stderr=self.stream, env=env)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def entry(self):
        lines = self.journal.recv(65536).decode().split("\n")
        self.assertEqual(lines.pop(), "")
        fields = dict(line.split("=", 1) for line in lines)
        self.assertEqual(len(fields), len(lines))
        self.assertEqual(fields["SYSLOG_IDENTIFIER"], "clashd")
        return fields

    def entry_with(self, part):
        while part not in (fields := self.entry())["MESSAGE"]:
            pass
        return fields

    def written(self):
        return Path(self.stream.name).read_text()

    def test_entries_with_fields(self):
        process = self.start()
        fields = self.entry_with("(WebSocket")
        self.assertEqual(fields["PRIORITY"], "6")
        host, port = fields["MESSAGE"].split(" ")[2].rsplit(":", 1)
        with WebSocketClient((host, int(port)), path="/?token=0") as client:
            self.assertEqual(client.status, 401)
            own = "{}:{}".format(*client.socket.getsockname())
        fields = self.entry_with("refused a client")
        self.assertEqual((fields["PRIORITY"], fields["CLASHD_CLIENT"]), ("4", own))
        self.assertEqual(self.written(), "")
        # journald goes, for what may be ever: nothing is lost that can still be said.
        self.journal.close()
        process.terminate()
        self.assertEqual(process.wait(timeout=clashd.WAIT_S), 0)
        self.assertEqual(self.written(), "<6>Terminated: stopping\n")

    def test_without_journald(self):
        self.journal.close()
        SOCKET.unlink()
        process = self.start()
        while "WebSocket" not in self.written():
            self.assertIsNone(process.poll())
        process.terminate()
        self.assertEqual(process.wait(timeout=clashd.WAIT_S), 0)
        for line in self.written().splitlines():
            self.assertTrue(line.startswith("<6>"), line)


def main():
    if os.environ.get(INSIDE):
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)
        unittest.main()
    unshare = ["unshare", "--mount", "--user", "--map-root-user"]
    if subprocess.run([*unshare, "mount", "-t", "tmpfs", "tmpfs", "/run"], capture_output=True).returncode != 0:
        print("no mount namespace can be had here")
        sys.exit(77)
    sys.exit(subprocess.run([*unshare, sys.executable, __file__], env={**os.environ, INSIDE: "1"}).returncode)


if __name__ == "__main__":
    main()
