"""A program on a terminal of its own, which the test is the other end of."""
import os
import pty
import select
import subprocess
import termios
import time
import unittest

import clashd


class Terminal:
    """Runs `words` with the streams named in `streams` ("stdin stdout stderr") on a new terminal; others as `kept` says.
    What it writes is in .shown, as bytes."""

    def __init__(self, *words, streams="stdin stdout stderr", term="xterm", env=None, **kept):
        self.shown = b""
        try:
            self.master, self.slave = pty.openpty()
        except OSError as problem:  # as in a root without /dev/pts
            raise unittest.SkipTest(f"no terminal can be had here: {problem}") from problem
        termios.tcsetwinsize(self.slave, (24, 80)) if hasattr(termios, "tcsetwinsize") else None
        self.modes_before = self.modes()
        kept.update({stream: self.slave for stream in streams.split()})
        self.process = subprocess.Popen([str(word) for word in words], env={**(env or os.environ), "TERM": term},
                                        start_new_session=True, **kept)

    def modes(self):
        return termios.tcgetattr(self.slave)

    def type(self, keys):
        os.write(self.master, keys)

    def read(self, timeout_s=0.05):
        """Takes over what has been written; False where there was nothing."""
        if not select.select([self.master], [], [], timeout_s)[0]:
            return False
        self.shown += os.read(self.master, 65536)
        return True

    def wait_for(self, condition):
        """Until condition(self.shown)."""
        until = time.monotonic() + clashd.WAIT_S
        while not condition(self.shown):
            assert time.monotonic() < until, self.shown
            self.read()

    def wait(self):
        """Its exit code, when all it wrote has been taken over."""
        until = time.monotonic() + clashd.WAIT_S
        while self.process.poll() is None:
            assert time.monotonic() < until, self.shown
            self.read()
        while self.read(0):
            pass
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                stream.close()
        os.close(self.slave)
        os.close(self.master)
