"""Recordings as iterators, and as tables where NumPy and pandas are there. The format: RECORDING.md of clashd."""
from __future__ import annotations

import os
import types
import typing
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, fields
from typing import IO, Any, Literal, overload

from . import _zstd
from . import messages as m
from ._base import Error, Message, Piece, ProtocolError
from ._core import LINE_MAX, log, parse

KNOWN = {**m.SERVER, **m.RECORDED}  # a recording's blade, target and remove are other ones than a client's
VERSION = 1


@dataclass(frozen=True)
class Damage:
    """A line that was left out, from 1, and why."""
    line: int
    why: str


class Recording:
    """A recording: its `header`, and by iteration its messages, in the order of its lines. Each iteration begins anew, unless it
    is a pipe. Compressed ones (.jsonl.zst) are told by their first bytes.

    A damaged line is left out, and said by the logger "clashd"; after an iteration they are all in `damage`. `unknown` counts
    lines of types that this version does not know; `torn` is whether the last line was cut off. With `strict` the first of
    them is an Error instead. Error for what is no recording at all; OSError where there is no file."""

    header: m.RecordingHeader

    def __init__(self, path: str | os.PathLike[str], *, strict: bool = False):
        self.path = os.fspath(path)
        self._strict = strict
        self._begun: Generator[Message, None, None] | None = self._read()
        self._begin()
        header = next(self._begun, None)
        if not isinstance(header, m.RecordingHeader):
            raise Error(f"{self.path} is empty: expected a recording")
        self.header = header

    def _begin(self) -> None:
        self.damage: list[Damage] = []
        self.unknown = 0
        self.torn = False

    def __iter__(self) -> Iterator[Message]:
        begun, self._begun = self._begun, None
        if begun is None:
            if not os.path.isfile(self.path):
                raise Error(f"{self.path} is no regular file: it can be read only once")
            self._begin()
            begun = self._read()
            next(begun)
        return begun

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file, if an iteration was not gone through to its end."""
        if self._begun is not None:
            self._begun.close()
            self._begun = None

    @overload
    def events(self, kind: Literal["clash"], /) -> Iterator[m.Clash]: ...
    @overload
    def events(self, kind: Literal["hold"], /) -> Iterator[m.Hold]: ...
    @overload
    def events(self, kind: Literal["release"], /) -> Iterator[m.Release]: ...
    @overload
    def events(self, kind: Literal["tracking"], /) -> Iterator[m.Tracking]: ...
    @overload
    def events(self, kind: Literal["poses"], /) -> Iterator[m.Poses]: ...
    @overload
    def events(self, *kinds: str) -> Iterator[Message]: ...

    def events(self, *kinds: str) -> Iterator[Any]:
        """Those of its messages that are of these types: "clash", "poses", "mark" .."""
        for kind in kinds:
            if kind not in KNOWN:
                raise ValueError(f'no recording has a "{kind}": expected {", ".join(KNOWN)}')
        return (message for message in self if message.type in kinds)

    def to_numpy(self) -> dict[str, Any]:
        """The poses, by device: arrays with the fields time_ns (int64), position (3 float64, m), orientation (4 float64, x, y, z,
        w), tracked, valid and teleport (bool). ImportError without NumPy."""
        numpy = _need("numpy", "to_numpy")
        rows: dict[str, list[tuple[Any, ...]]] = {}
        for step in self.events("poses"):
            for pose in step.poses:
                rows.setdefault(pose.device, []).append(
                    (step.time_ns, pose.position, pose.orientation, pose.tracked, pose.valid, pose.teleport))
        kind = [("time_ns", "i8"), ("position", "f8", 3), ("orientation", "f8", 4), ("tracked", "?"), ("valid", "?"), ("teleport", "?")]
        return {device: numpy.array(found, dtype=kind) for device, found in rows.items()}

    def to_pandas(self, kind: str = "clash") -> Any:
        """A DataFrame of all messages of a type, one row each, or of "poses" one row for each device's; its index is the time
        since the session's epoch. What has several numbers has several columns: midpoint_x, along_0, points_1_z; what was left out
        is missing. The columns are those of the type, whether or not the recording has messages of it, and those of lists of any length that
        it has. ImportError without pandas."""
        pandas = _need("pandas", "to_pandas")
        rows = [row for message in self.events(kind) for row in _rows(message)]
        columns = list(dict.fromkeys([*_columns_of(KNOWN[kind]), *(name for row in rows for name in row)]))
        times = pandas.to_timedelta([row["time_ns"] for row in rows], unit="ns")
        return pandas.DataFrame(rows, columns=columns, index=pandas.Index(times, name="time"))

    # Reading.

    def _read(self) -> Generator[Message, None, None]:
        number = 0
        try:
            with ExitStack() as stack:
                file = stack.enter_context(open(self.path, "rb"))
                stream: IO[bytes] = file
                if _zstd.is_compressed(file.peek(4)[:4]):
                    stream = stack.enter_context(_zstd.reading(file, self.path))
                for number, line in enumerate(_lines(stream), 1):
                    message = self._message(number, line)
                    if message is not None:
                        yield message
        except _zstd.Damaged as error:
            self._damaged(number + 1, f"the compressed data end here: {error}")

    def _message(self, number: int, line: bytes | None) -> Message | None:
        """None for what is passed over."""
        if line is None:
            self._damaged(number, f"more than {LINE_MAX} bytes")
            return None
        text = line.removeprefix(b"\xef\xbb\xbf").rstrip()
        if not text:
            return None
        if not hasattr(self, "header"):
            return self._header(number, text)
        try:
            message = parse(text, KNOWN)
        except ProtocolError as error:
            self.torn = not line.endswith(b"\n")
            self._damaged(number, f"cut off: {error}" if self.torn else str(error))
            return None
        if isinstance(message, m.RecordingHeader) and not number == self._header_line:
            self._damaged(number, "a second header")
            return None
        self.unknown += message is None
        return message

    _header_line = 0

    def _header(self, number: int, text: bytes) -> Message:
        try:
            header = parse(text, {"recording": m.RecordingHeader})
            if not isinstance(header, m.RecordingHeader):
                raise ProtocolError('its type is not "recording"')
        except ProtocolError as error:
            raise Error(f"{self.path}:{number}: no recording's header: {error}") from None
        if header.version > VERSION:
            raise Error(f"{self.path}:{number}: a recording of version {header.version}: this module reads up to {VERSION}")
        self._header_line = number
        return header

    def _damaged(self, number: int, why: str) -> None:
        if self._strict:
            raise Error(f"{self.path}:{number}: {why}")
        self.damage.append(Damage(number, why))
        log.warning("%s:%d: left out: %s", self.path, number, why)


def _lines(stream: IO[bytes]) -> Iterator[bytes | None]:
    """Each line; None for one that is too long, however long it is."""
    while line := stream.readline(LINE_MAX + 1):
        if len(line) <= LINE_MAX:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(LINE_MAX + 1)
        yield None


def _need(module: str, called: str) -> Any:
    import importlib
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError(f"{called}() needs {module}: pip install {module}, or Debian's python3-{module}") from None


def _rows(message: Message) -> Iterator[dict[str, Any]]:
    if isinstance(message, m.Poses):
        for pose in message.raw["poses"]:
            yield {"time_ns": message.time_ns, **_flat("", {"tracked": True, "valid": True, "teleport": False, **pose})}
    else:
        yield _flat("", {key: value for key, value in message.raw.items() if key != "type"})


def _columns_of(message: type[Message]) -> Iterator[str]:
    """The columns that _rows can give of any message of that type."""
    if message is m.Poses:
        yield "time_ns"
        yield from _columns("", m.DevicePose)
    else:
        yield from _columns("", message)


def _columns(prefix: str, hint: Any) -> Iterator[str]:
    """As _flat, of a value with that annotation. A list of any length gives none."""
    words = [word for word in typing.get_args(hint) if word is not type(None)]
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        if len(words) == 1:
            yield from _columns(prefix, words[0])
    elif typing.get_origin(hint) is tuple:
        in_space = len(words) in (3, 4) and set(words) == {float}
        for i, word in enumerate(words):
            yield from _columns(f"{prefix}_{'xyzw'[i] if in_space else i}", word)
    elif isinstance(hint, type) and issubclass(hint, Piece):
        hints = typing.get_type_hints(hint)
        for field in fields(hint):
            if field.name != "raw":
                yield from _columns(f"{prefix}_{field.name}" if prefix else field.name, hints[field.name])
    elif typing.get_origin(hint) not in (list, dict):
        yield prefix


def _flat(prefix: str, value: Any) -> dict[str, Any]:
    """Columns of a value: one for each number and word in it."""
    if isinstance(value, dict):
        parts = [(f"{prefix}_{key}" if prefix else key, part) for key, part in value.items()]
    elif isinstance(value, list):
        in_space = len(value) in (3, 4) and not isinstance(value[0], (list, dict, str))
        parts = [(f"{prefix}_{'xyzw'[i] if in_space else i}", part) for i, part in enumerate(value)]
    else:
        return {prefix: value}
    return {name: part for key, below in parts for name, part in _flat(key, below).items()}
