"""The processes of a test against Monado, inside the namespaces of in_root.sh: the service, clashd, a game. Each writes
a log that outlives the test; the end of the namespaces ends them all."""
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import monado_feeder

SOURCE = Path("/src")
KEPT = Path("/var/tmp/clashd")  # stays in the root between runs
BUILD = KEPT / "build"
RUN = Path("/run/user")
IPC = RUN / "monado_comp_ipc"
WAIT_S = 60
SERVICE_CONFIG = '{"active": "remote", "remote": {"version": 0, "port": %d, "view_count": 2}}' % monado_feeder.PORT


def wait_until(done, what, wait_s=WAIT_S):
    deadline = time.monotonic() + wait_s
    while not done():
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {wait_s} s")
        time.sleep(0.02)


def build():
    """clashd and clashctl from /src; only what changed since the last time is compiled."""
    KEPT.mkdir(exist_ok=True)
    log = KEPT / "build.log"
    steps = (["cmake", "-S", SOURCE, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCLASHD_WERROR=ON",
              "-DCLASHD_VIEWER=OFF", "-DCLASHD_WORK_TESTS=OFF"],
             ["cmake", "--build", BUILD, "--target", "clashd", "clashctl", "clash_layer"])
    with open(log, "w", encoding="utf-8") as file:
        for step in steps:
            done = subprocess.run(step, stdout=file, stderr=file, stdin=subprocess.DEVNULL, check=False)
            if done.returncode:
                raise AssertionError("clashd does not build in the root:\n" + log.read_text()[-4000:])


def build_library(source, path):
    """What is to be preloaded into a process, from that one file."""
    subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", path, source],
                   check=True)


class Room:
    """Logs are in /var/tmp/clashd/NAME; as a context it shows the end of each when the test fails."""

    def __init__(self, name):
        self.logs = KEPT / name
        shutil.rmtree(self.logs, ignore_errors=True)
        self.logs.mkdir(parents=True)
        RUN.mkdir(mode=0o700)
        settings = RUN / "config" / "monado"
        settings.mkdir(parents=True)
        (settings / "config_v0.json").write_text(SERVICE_CONFIG)
        self.env = dict(os.environ, HOME=str(RUN), XDG_RUNTIME_DIR=str(RUN), XDG_CONFIG_HOME=str(RUN / "config"),
                        XR_RUNTIME_JSON="/usr/share/openxr/1/openxr_monado.json",
                        VK_DRIVER_FILES="/usr/share/vulkan/icd.d/lvp_icd.json",
                        XRT_COMPOSITOR_NULL="1", XRT_NO_STDIN="1")
        self.service = None
        self.names = []

    def start(self, name, *words, env=None, stdin=subprocess.DEVNULL, first=False):
        """`first`: before other processes, as far as that is allowed: what measures time suffers from busy machines."""
        self.names.append(name)
        words = ("nice", "-n", "-10", *words) if first else words
        with open(self.logs / f"{name}.log", "wb") as log:
            return subprocess.Popen([str(word) for word in words], stdin=stdin, stdout=log, stderr=subprocess.STDOUT,
                                    env=dict(self.env, **(env or {})))

    def log(self, name):
        return (self.logs / f"{name}.log").read_text(errors="replace")

    def start_service(self):
        """Returns when it answers on both of its sockets."""
        name = f"monado-{sum(name.startswith('monado') for name in self.names) + 1}"
        self.service = self.start(name, "monado-service", first=True)
        for family, address in ((socket.AF_UNIX, str(IPC)), (socket.AF_INET, None)):
            wait_until(lambda: self._listening(family, address), f"monado-service listening, see {name}.log")

    def _ports(self, state):
        """The kernel's lines, in fields, of the sockets of the remote driver in that state."""
        lines = Path("/proc/net/tcp").read_text().splitlines() + Path("/proc/net/tcp6").read_text().splitlines()
        fields = [line.split() for line in lines]
        return [f for f in fields if f[1].endswith(f":{monado_feeder.PORT:04X}") and f[3] == state]

    def unread_messages(self):
        """How many poses have come to the remote driver that it has not taken yet."""
        waiting = [int(fields[4].split(":")[1], 16) for fields in self._ports("01")]
        assert waiting, "nobody feeds poses"
        return max(waiting) // monado_feeder.MESSAGE.size

    def _listening(self, family, address):
        assert self.service.poll() is None, f"monado-service ended with {self.service.returncode}"
        if family == socket.AF_INET:  # a connection would take the place of the feeder's
            return bool(self._ports("0A"))
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            return probe.connect_ex(address) == 0

    def hang_service(self):
        """SIGSTOP; returns when nothing of it runs any more. Whoever calls it then, waits."""
        self.service.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.service.pid, os.WSTOPPED | os.WNOWAIT)

    def wake_service(self):
        self.service.send_signal(signal.SIGCONT)

    def wait_no_clients(self):
        """Until the service has let go of clients that have ended, those too that it has never answered. In Monado 25.0
        the thread of one takes a lock to end, and where another client comes just then the thread is waited for with
        that lock held: it would never answer again."""
        def listening_only():
            lines = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()]
            return all(int(fields[3], 16) & 0x10000 for fields in lines if fields[-1] == str(IPC))
        wait_until(listening_only, "monado-service without clients")
        time.sleep(0.5)  # the thread, which closes its socket first

    def kill_service(self):
        """SIGKILL; returns when its process is gone, which takes it a second."""
        self.service.send_signal(signal.SIGKILL)
        self.service.wait(WAIT_S)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            for name in self.names:
                lines = self.log(name).splitlines()
                print(f"---- {name}.log, the last of {len(lines)} lines:", *lines[-25:], sep="\n")
