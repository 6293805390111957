"""What the journeys share (tests/journeys): the documents' own command lines, run as somebody types them who has just installed
clashd, in a home, a runtime directory and, so that ports are those of the documents, a network of their own."""
import ctypes
import fcntl
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import documents  # noqa: E402
import tree  # noqa: E402

WAIT_S = 180
RUNTIME = {"XR_RUNTIME_JSON": str(tree.BUILD / "daemon" / "runtime" / "clash_runtime.json"), "CLASH_RUNTIME_SCRIPT": "crossing",
           "CLASH_RUNTIME_SPEED": "4"}
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1


def has_own_network():
    """Puts this process into a network of its own, a loopback and nothing else. False where the system does not allow that."""
    libc, uid, gid = ctypes.CDLL(None, use_errno=True), os.getuid(), os.getgid()
    if libc.unshare(CLONE_NEWNET) != 0:
        if libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
            return False
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
        Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh", b"lo", 0)
        flags = struct.unpack("16sh", fcntl.ioctl(any_socket, SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh", b"lo", flags | IFF_UP))
    return True


def need_ports(*ports):
    """Ends as skipped where the documents' ports cannot be had."""
    if has_own_network():
        return
    for port in ports:
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            tree.skip(f"somebody has port {port} of this machine, and a network of one's own is not allowed")


def fail(message):
    sys.exit(f"the journey ends here: {message}")


class Process:
    """A command line that goes on: what it says, as it says it."""

    def __init__(self, line, **options):
        self.line, self.said = line, []
        self.process = subprocess.Popen(["bash", "-c", line], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True, start_new_session=True, **options)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        with self.process.stdout:
            for text in self.process.stdout:
                self.said.append(text.rstrip("\n"))

    def wait_for(self, pattern):
        """The first match of a line that it says."""
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            ended = self.process.poll() is not None
            if ended:  # what it said last may not have been read yet; what it started may still have the pipe
                self.reader.join(5)
            for text in list(self.said):
                if found := re.search(pattern, text):
                    return found
            if ended:
                break
            time.sleep(0.02)
        fail(f"{self.line}\nsays nothing of {pattern!r}:\n" + "\n".join(self.said[-20:]))

    def end(self):
        """All that it started, too."""
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
        try:
            self.process.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise


class Journey:
    """`with Journey("journey/c") as j:` its blocks, an installed clashd, and what was started is ended; all marked blocks have
    to have been taken."""

    def __init__(self, name):
        self.blocks = documents.Journey(name)
        self.started = []

    def __enter__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="clashd-journey-")
        self.home = Path(self.directory.name)
        self.prefix, runtime = self.home / "local", self.home / "run"
        runtime.mkdir(mode=0o700)
        self.env = {key: value for key, value in os.environ.items() if not key.startswith(("XR_", "XDG_", "CLASH"))}
        self.env.update(HOME=str(self.home), XDG_RUNTIME_DIR=str(runtime), **RUNTIME)
        self.token_file = runtime / "clashd" / "clashd.token"
        return self

    def __exit__(self, kind, *_):
        for process in reversed(self.started):
            process.end()
        self.directory.cleanup()
        if kind is None:
            self.blocks.end()

    def install(self):
        """As `cmake --install` does, into a folder of the journey's; pkg-config, the linker and the shell find it there."""
        self.run(f"cmake --install {tree.BUILD} --prefix {self.prefix}", tree.ROOT)
        library = next(self.prefix.rglob("libclash.so")).parent
        self.env.update(PATH=f"{self.prefix}/bin:{self.env['PATH']}", PKG_CONFIG_PATH=str(library / "pkgconfig"),
                        LD_LIBRARY_PATH=str(library))

    def folder(self, name):
        """A copy of a folder of the project, for what writes beside what it reads."""
        there = self.home / Path(name).name
        shutil.copytree(tree.ROOT / name, there)
        return there

    def run(self, line, folder, wait_s=WAIT_S, **more):
        """What a command line says; it has to end well."""
        print(f"$ {line}", flush=True)
        with subprocess.Popen(["bash", "-c", line], cwd=folder, env={**self.env, **more}, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
            try:
                said, wrong = process.communicate(timeout=wait_s)
            except BaseException:  # too late, or interrupted: with all that it started
                os.killpg(process.pid, signal.SIGKILL)
                raise
        if process.returncode != 0:
            fail(f"{line}\nends with {process.returncode}:\n{said}{wrong}")
        return said

    def start(self, line, folder, **more):
        """A command line that goes on in the background."""
        line = line.removesuffix("&").rstrip()
        print(f"$ {line} &", flush=True)
        self.started.append(Process(line, cwd=folder, env={**self.env, **more}))
        return self.started[-1]

    def clashd(self, line="clashd"):
        """Starts it as a document says, and waits until it listens."""
        process = self.start(line, self.home)
        process.wait_for("listening on .*clashd.sock")
        return process

    def end(self, process):
        process.end()
        self.started.remove(process)
