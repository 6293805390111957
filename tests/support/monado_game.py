"""hello_xr as the game beside clashd: a session of its own that draws, and is watched from outside."""
import struct
import subprocess

from monado_room import RUN, SOURCE, WAIT_S, build_library, wait_until

COUNTER = RUN / "monado_frames.so"


def build_counter():
    build_library(SOURCE / "tests" / "support" / "monado_frames.c", COUNTER)


class Game:
    """Starts it and waits for its first frames; as a context it ends with it, and must then end well."""

    def __init__(self, room, name, first=False, **env):
        self.path = RUN / f"{name}.frames"
        # It quits at the end of its input, which is left open until then.
        self.process = room.start(name, "hello_xr", "-G", "Vulkan2", stdin=subprocess.PIPE, first=first,
                                  env={"LD_PRELOAD": str(COUNTER), "FRAMES": str(self.path), **env})
        wait_until(lambda: self.frames() >= 10, f"frames of {name}")

    def frames(self):
        """Frames that the runtime has taken so far."""
        assert self.process.poll() is None, f"the game ended with {self.process.returncode}"
        data = self.path.read_bytes() if self.path.exists() else b""
        return struct.unpack("Q", data)[0] if len(data) == 8 else 0

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.process.stdin.close()
        code = self.process.wait(WAIT_S)
        if kind is None:
            assert code == 0, f"the game ended with {code}"
