"""Stands in for the service manager: the socket on which a service tells how it is, and sockets handed over to it."""
import socket
import time

import clashd


class Manager:
    """NOTIFY_SOCKET. `messages` are the datagrams so far, each as a list of lines."""

    def __init__(self, home, name="notify"):
        self.path = home / name
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(self.path))
        self.messages = []

    def close(self):
        self.socket.close()

    def _receive(self, wait_s):
        self.socket.settimeout(max(wait_s, 0.001))
        try:
            self.messages.append(self.socket.recv(65536).decode().split("\n"))
        except socket.timeout:
            return None
        return self.messages[-1]

    def wait_for(self, wanted, wait_s=clashd.WAIT_S):
        """The next message one line of which wanted(line) accepts; that line."""
        deadline = time.monotonic() + wait_s
        while time.monotonic() < deadline:
            message = self._receive(deadline - time.monotonic()) or []
            for line in filter(wanted, message):
                return line
        raise AssertionError(f"not said within {wait_s} s; the last: {self.messages[-5:]}")

    def wait_for_status(self, *parts):
        return self.wait_for(lambda line: line.startswith("STATUS=") and all(part in line for part in parts))

    def drain(self):
        """What has come already is looked at no more."""
        while self._receive(0):
            pass

    def listen(self, wait_s):
        """All lines of that time."""
        lines = []
        deadline = time.monotonic() + wait_s
        while time.monotonic() < deadline:
            lines += self._receive(deadline - time.monotonic()) or []
        return lines


def is_there():
    """Whether clashd was built to serve under systemd."""
    return "CLASHD_SYSTEMD:BOOL=ON\n" in (clashd.BUILD / "CMakeCache.txt").read_text()


def hand_over(descriptors, names):
    """What stands before the program, and the environment, so that it has these descriptors of ours from 3 on. They are to
    be passed to the process."""
    far = 100  # out of the way of each other and of 3 and those that follow
    away = " ".join(f"{far + index}<&{fd}" for index, fd in enumerate(descriptors))
    back = " ".join(f"{3 + index}<&{far + index} {far + index}<&-" for index in range(len(descriptors)))
    script = f'exec {away}; exec {back}; export LISTEN_PID=$$; exec "$@"'
    return ["bash", "-c", script, "bash"], {"LISTEN_FDS": len(descriptors), "LISTEN_FDNAMES": ":".join(names)}
