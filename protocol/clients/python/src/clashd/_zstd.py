"""Reads what Zstandard compressed, by whatever there is: Python 3.14's own module, the package zstandard, or the program zstd."""
from __future__ import annotations

import importlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from ._base import Error

WINDOW_MAX = 1 << 27  # bytes: what clashd itself reads
FIRST_BYTES = b"\x28\xb5\x2f\xfd"


class Damaged(Exception):
    """The data end early, or are no longer what was compressed."""


def is_compressed(start: bytes) -> bool:
    """By the first bytes of a file: those of a frame, or of one to be skipped."""
    return start.startswith(FIRST_BYTES) or (start[1:4] == b"\x2a\x4d\x18" and 0x50 <= start[0] <= 0x5F)


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


@contextmanager
def reading(file: IO[bytes], name: str) -> Iterator[IO[bytes]]:
    """The decompressed stream of a file. Error if nothing here can do that; Damaged out of the block for damage."""
    if module := _module("compression.zstd"):
        options = {module.DecompressionParameter.window_log_max: 27}
        with module.ZstdFile(file, options=options) as stream:
            yield from _watched(stream, (module.ZstdError, EOFError))
    elif module := _module("zstandard"):
        decompressor = module.ZstdDecompressor(max_window_size=WINDOW_MAX)
        with decompressor.stream_reader(file, read_across_frames=True, closefd=False) as stream:
            yield from _watched(stream, (module.ZstdError,))
    elif shutil.which("zstd"):
        yield from _by_program(file, name)
    else:
        raise Error(f"{name} is compressed, and nothing here reads that: install the package zstandard (pip install zstandard, Debian's "
                    "python3-zstandard), the program zstd, or take Python 3.14")


def _watched(stream: IO[bytes], errors: tuple[type[Exception], ...]) -> Iterator[IO[bytes]]:
    import io

    class Raw(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            try:
                data = stream.read(len(buffer))
            except errors as error:
                raise Damaged(str(error)) from None
            buffer[:len(data)] = data
            return len(data)

    yield io.BufferedReader(Raw(), 1 << 16)


def _by_program(file: IO[bytes], name: str) -> Iterator[IO[bytes]]:
    if not file.seekable():
        raise Error(f"{name} is a pipe of compressed data, which only the package zstandard reads: pass it through zstdcat before")
    os.lseek(file.fileno(), 0, os.SEEK_SET)  # its beginning has been looked at
    process = subprocess.Popen(["zstd", "-dcq", f"--memory={WINDOW_MAX}"], stdin=file, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    with process.stdout, process.stderr:
        try:
            yield process.stdout
            if process.stdout.read(1) == b"" and process.wait() != 0:
                raise Damaged(process.stderr.read().decode(errors="replace").strip())
        finally:
            process.kill()
            process.wait()
