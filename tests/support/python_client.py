"""For the tests of the Python client, whose module has the name of tests/support/clashd.py: that one is `support` there. And a
server that says what it is told to."""
import importlib.util
import socket
import sys
import threading
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
CLIENT = SOURCE / "protocol" / "clients" / "python"


def load_support():
    """tests/support/clashd.py, under another name."""
    spec = importlib.util.spec_from_file_location("clashd_of_the_tests", SOURCE / "tests" / "support" / "clashd.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def use_client():
    """Makes `import clashd` the client, not what lies beside this file."""
    sys.path.insert(0, str(CLIENT / "src"))


HELLO = {"type": "hello", "protocol": 1, "version": "0.1.0", "session": "s", "time_ns": 1, "epoch_monotonic_ns": "1",
         "epoch_unix_ns": "1", "space": "stage", "axes": "openxr", "blades": [],
         "units": {"length": "m", "angle": "rad", "speed": "m/s", "time": "ns"}, "capabilities": ["feed", "since_seq"]}


class Server:
    """Runs serve(connection, lines) for each connection in turn, lines being those that come, as they come; over TCP on loopback
    or, if a path is named, on a Unix socket."""

    def __init__(self, *serves, path=None):
        self.listener = socket.socket(socket.AF_UNIX if path else socket.AF_INET)
        self.listener.bind(str(path) if path else ("127.0.0.1", 0))
        self.listener.listen()
        self.address = str(path) if path else "tcp:127.0.0.1:{}".format(self.listener.getsockname()[1])
        self.serves = serves
        self.failed = []
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        for serve in self.serves:
            connection = self.listener.accept()[0]
            with connection, connection.makefile("rb") as lines:
                try:
                    serve(connection, lines)
                except (OSError, AssertionError, ValueError) as error:
                    self.failed.append(error)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, kind, *_):
        self.listener.close()
        if kind is None:
            self.thread.join(30)
            assert not self.thread.is_alive() and not self.failed, self.failed
