"""Moves the controllers of Monado's remote driver along scripts, a thousand times a second, in a process of its own.
When the service goes away it knocks until the service is back, while the scripts' time runs on.

The driver takes whole messages of 376 bytes over TCP, in the byte order of the machine: a header, two views of the head
(field of view, pose, padding), the head's pose and flags, then left and right controller; a pose is an orientation
x y z w and a position; a controller goes on with velocities, finger curls, triggers and buttons. The newest message
holds until the next one. Velocities are left at zero: clashd takes none from a runtime."""
import array
import os
import select
import socket
import struct
import time
import traceback

from monado_script import LEFT, REST, RIGHT

PORT = 4242
PERIOD_NS = 1_000_000
HEADER = b"mndrmt3\0"
POSE = "7f"
CONTROLLER = POSE + "3f3f5f" + "fff2ff2f" + "13?3x"
MESSAGE = struct.Struct("=8s" + 2 * ("4f" + POSE + "4x") + POSE + "?3x" + 2 * CONTROLLER)
VIEW = (-0.8, 0.8, 0.8, -0.8, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
HEAD = (0.0, 0.0, 0.0, 1.0, 0.0, 1.6, 0.5, False)
IDLE = (0.0,) * 19 + (False, True) + (False,) * 11  # everything at rest, hand tracking off, controller on
PULLED = IDLE[:11] + (1.0,) + IDLE[12:27] + (True, True) + IDLE[29:]  # the trigger
OFF = IDLE[:20] + (False,) + IDLE[21:]  # a controller that is not tracked
assert MESSAGE.size == 376


def message(poses, pulled=False, lost=False):
    left, right = (poses[hand][0] + poses[hand][1] for hand in (LEFT, RIGHT))
    return MESSAGE.pack(HEADER, *VIEW, *VIEW, *HEAD, *left, *IDLE, *right, *(OFF if lost else PULLED if pulled else IDLE))


class _Sender:
    """The feeding process: what to play comes as lines `index start_ns` over a pipe, whose end is the end."""

    def __init__(self, scripts, orders):
        self.scripts, self.orders = scripts, orders
        self.playing, self.start_ns = None, 0
        self.sent_ns = array.array("q")
        self.socket, self.knock_ns = None, 0

    def run(self):
        due = time.monotonic_ns()
        while self._take_orders():
            now = time.monotonic_ns()
            if self.socket is None:
                self._connect(now)
            else:
                self._send(now)
            due = max(due + PERIOD_NS, now)  # what was missed stays missed: every message tells the time it is sent
            time.sleep(max(0, due - time.monotonic_ns()) * 1e-9)

    def _take_orders(self):
        if select.select([self.orders], [], [], 0)[0]:
            line = os.read(self.orders, 64).decode()
            if not line:
                return False
            index, start_ns = line.split()
            self.playing, self.start_ns = self.scripts[int(index)], int(start_ns)
        return True

    def _connect(self, now):
        if now < self.knock_ns:
            return
        self.knock_ns = now + 20_000_000
        try:
            self.socket = socket.create_connection(("127.0.0.1", PORT), timeout=5)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.socket.settimeout(0.5)
        except OSError:
            self.socket = None

    def _send(self, now):
        time_s = (now - self.start_ns) * 1e-9
        poses = self.playing.poses(time_s) if self.playing else REST
        pulled = getattr(self.playing, "pulls_trigger", False)
        lost = getattr(self.playing, "loses", lambda time_s: False)(time_s)
        try:
            self.socket.sendall(message(poses, pulled, lost))
            self.sent_ns.append(now)
        except OSError:
            self.socket.close()
            self.socket = None


class Feeder:
    """Feeds REST from the start. As a context it ends with it; the times of its messages are then in `sent_ns`."""

    def __init__(self, scripts, log):
        self.log = log
        self.sent_ns = array.array("q")
        reader, self.orders = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            self._feed(_Sender(scripts, reader))
        os.close(reader)

    def _feed(self, sender):
        status = 1
        try:
            os.close(self.orders)
            try:
                os.nice(-10)
            except OSError:
                pass  # it does without
            sender.run()
            with open(self.log, "wb") as file:
                sender.sent_ns.tofile(file)
            status = 0
        except BaseException:  # nothing of the test that was forked may run on in here
            traceback.print_exc()
        finally:
            os._exit(status)

    def play(self, index, start_ns):
        """From CLOCK_MONOTONIC start_ns on, the script of that index; before it and after its end, REST."""
        os.write(self.orders, f"{index} {start_ns}".encode())

    def stop(self):
        if self.pid is None:
            return
        os.close(self.orders)
        _, status = os.waitpid(self.pid, 0)
        self.pid = None
        assert status == 0, "the feeder broke down"
        with open(self.log, "rb") as file:
            self.sent_ns.frombytes(file.read())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
