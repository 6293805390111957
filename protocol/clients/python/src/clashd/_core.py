"""What a client knows, without any input or output: which lines came, what they answer, what it asked for and asks for again
when clashd is back. client.py and aio.py put a socket below it."""
from __future__ import annotations

import json
import logging
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any, Literal

from . import messages as m
from ._base import Error, Message, ProtocolError
from ._address import Address, ConnectError

log = logging.getLogger("clashd")

EventName = Literal["clash", "hold", "release", "tracking", "space_changed", "poses", "recorder", "replay"]
EVENTS = ("clash", "hold", "release", "tracking", "space_changed")
SUBSCRIBED = (*EVENTS, "poses", "recorder", "replay")
FILTERS = ("blades", "min_closing_speed", "min_peak_speed", "min_apart_ms", "pose_rate_hz", "resolved_poses")
AXES = ("openxr", "unity", "godot")
LINE_MAX = 65536
WAITING_MAX = 10000  # messages that a program leaves lying

PoseLike = m.Pose | Mapping[str, Any]
Reply = m.Ok | m.Status | m.Config | m.Hello | m.Outlines
REPLIES = (m.Ok, m.Status, m.Config, m.Outlines, m.ErrorReply)


class RequestError(Error):
    """clashd refused a request; `code` is a word of PROTOCOL.md, such as "name_taken"."""

    def __init__(self, code: str, message: str):
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")


def parse(line: bytes | str, known: Mapping[str, type[Message]]) -> Message | None:
    """The message of a line, None for a type that is not known. ProtocolError for what is no message."""
    try:
        value = json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"no JSON: {error}") from None
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        raise ProtocolError("expected an object with a type")
    kind = known.get(value["type"])
    if kind is None:
        return None
    try:
        message = kind.from_json(value)
    except ProtocolError as error:
        raise ProtocolError(f"{value['type']}: {error}") from None
    message.raw = value
    return message


def names_of(events: Iterable[str]) -> list[str]:
    """ValueError for a name that no event has: it would mean silence for ever."""
    names = list(events)
    for name in names:
        if name not in SUBSCRIBED:
            raise ValueError(f'there is no event "{name}": expected {", ".join(SUBSCRIBED)}')
    return names


def subscription(events: Iterable[str], filters: Mapping[str, Any], axes: str | None) -> dict[str, Any]:
    for name in filters:
        if name not in FILTERS:
            raise TypeError(f'there is no filter "{name}": expected {", ".join(FILTERS)}')
    names = names_of(events)
    return {"type": "subscribe", **({"events": names} if names else {}), **present(axes=axes, **filters)}


def wants(kinds: frozenset[str] | None, message: Message) -> bool:
    """Whether an iteration over these, None for all, gives a message. What it leaves out of losses is a warning."""
    if kinds is None or message.type in kinds:
        return True
    if isinstance(message, m.Lagged):
        log.warning("%d events between seq %d and %d are lost: this program reads too slowly", message.missed, message.from_seq,
                    message.to_seq)
    return False


def poses_request(poses: Iterable[PoseLike], time_ns: int | None, axes: str | None) -> dict[str, Any]:
    return {"type": "poses", "poses": [asdict(pose) if isinstance(pose, m.Pose) else dict(pose) for pose in poses],
            **present(time_ns=time_ns, axes=axes)}


def present(**fields: Any) -> dict[str, Any]:
    """Those that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


class Core:
    """Of one client; lives through all its connections."""

    def __init__(self, address: Address, axes: str | None):
        if axes not in (None, *AXES):
            raise ValueError(f'there are no axes "{axes}": expected {", ".join(AXES)}')
        self.address, self.axes = address, axes
        self.hello: m.Hello | None = None  # of this connection
        self.refusal: str | None = None
        self.replies: dict[str, Message | None] = {}  # by id, None until it is there
        self.own: dict[str, dict[str, Any]] = {}  # blades and targets, by name
        self.fed: dict[str, Any] | None = None
        self.subscribed: dict[str, Any] | None = None
        self._buffer = b""
        self._skips = False  # up to the end of a line that is too long
        self._waiting: deque[Message | Error] = deque()
        self._lost: m.Lagged | None = None  # what did not fit
        self._session: str | None = None
        self._last: tuple[int, int | None] | None = None  # seq of the last event and, if it was late, its id
        self._ids = 0
        self._subscribes: str | None = None  # id of the last subscribe that begins with what is new

    # What came.

    def receive(self, data: bytes) -> None:
        """Takes what a socket gave."""
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        for line in lines:
            if not self._skips and len(line) >= LINE_MAX:
                self._too_long()
            elif not self._skips and line.strip():
                self._take(line)
            self._skips = False
        if len(self._buffer) >= LINE_MAX:
            if not self._skips:
                self._too_long()
            self._buffer, self._skips = b"", True

    def next(self) -> Message | None:
        """What waits, oldest first; None if nothing does. Raises what came in its place."""
        if self._lost:
            lost, self._lost = self._lost, None
            return lost
        if not self._waiting:
            return None
        first = self._waiting.popleft()
        if isinstance(first, Error):
            raise first
        return first

    def waiting(self) -> list[Message]:
        """All that waits."""
        found = []
        while (message := self.next()) is not None:
            found.append(message)
        return found

    def _put(self, message: Message | Error) -> None:
        self._waiting.append(message)
        if len(self._waiting) > WAITING_MAX:
            self._lose(self._waiting.popleft())

    def _lose(self, message: Message | Error) -> None:
        """Of what has no number, such as poses, newer ones take the place."""
        seq = getattr(message, "seq", None)
        if seq is None:
            return
        if self._lost is None:
            self._lost = m.Lagged(from_seq=seq, to_seq=seq, missed=0)
        self._lost.to_seq = seq
        self._lost.missed += 1

    def _malformed(self, why: str) -> None:
        if self.hello is None:
            self.refusal = f"what listens there is not clashd: {why}"
        else:
            self._put(ProtocolError(f"{self.address.text} sent {why}"))

    def _too_long(self) -> None:
        self._malformed(f"a line of more than {LINE_MAX} bytes")

    def _take(self, line: bytes) -> None:
        try:
            message = parse(line.removeprefix(b"\xef\xbb\xbf"), m.SERVER)
        except ProtocolError as error:
            self._malformed(f"{line[:60]!r}, which is no message: {error}")
            return
        if message is None:
            return
        if isinstance(message, m.Hello):
            if message.id is None:
                self._greeted(message)
            else:
                self._take_reply(message)
        elif isinstance(message, REPLIES):
            self._take_reply(message)
        else:
            self._note(message)
            self._put(message)

    def _take_reply(self, reply: Reply | m.ErrorReply) -> None:
        """A late one, of a request that nobody waits for any more, goes unheard."""
        if reply.id in self.replies:
            self.replies[str(reply.id)] = reply
            if reply.id == self._subscribes and isinstance(reply, m.Ok) and reply.seq is not None:
                self._last = (reply.seq, None)
        elif isinstance(reply, m.ErrorReply):
            if self.hello is None:
                self.refusal = reply.message
            elif reply.id is None:
                self._put(RequestError(reply.code, reply.message))

    def _greeted(self, hello: m.Hello) -> None:
        if hello.session != self._session:
            self._last = None
        self._session = hello.session
        self.hello = hello

    def _note(self, message: Message) -> None:
        """Where to go on from."""
        if message.type in EVENTS:
            late = message.id if isinstance(message, m.Clash) and message.late else None
            self._last = (getattr(message, "seq"), late)
        elif isinstance(message, m.Lagged):
            self._last = (message.to_seq, None)

    # What is asked.

    def encode(self, request: Mapping[str, Any]) -> bytes:
        """ValueError for what is too long, or what JSON cannot say, such as NaN."""
        try:
            line = json.dumps(request, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        except TypeError as error:
            raise ValueError(f"{request.get('type')}: {error}") from None
        if len(line) > LINE_MAX:
            raise ValueError(f"{request.get('type')}: a line of {len(line)} bytes, at most {LINE_MAX} are allowed")
        return line

    def ask(self, request: Mapping[str, Any]) -> tuple[str, bytes]:
        """The id under which the reply will be in `replies`, and the line."""
        self._ids += 1
        name = f"py-{self._ids}"
        line = self.encode({**request, "id": name})
        if request["type"] == "subscribe":
            self._subscribes = None if "since_seq" in request else name
        self.replies[name] = None
        return name, line

    def answer(self, name: str, request: Mapping[str, Any]) -> Reply | None:
        """The reply, once it is there. RequestError if it is a refusal."""
        reply = self.replies.get(name)
        if reply is None:
            return None
        del self.replies[name]
        if isinstance(reply, m.ErrorReply):
            raise RequestError(reply.code, reply.message)
        assert isinstance(reply, (m.Ok, m.Status, m.Config, m.Hello, m.Outlines))
        self._agreed(request, reply)
        return reply

    def _agreed(self, request: Mapping[str, Any], reply: Reply) -> None:
        """Keeps what has to be said again at the next connection."""
        kind = request["type"]
        if kind in ("blade", "target"):
            self.own[request["name"]] = dict(request)
        elif kind == "remove":
            self.own.pop(request["name"], None)
        elif kind == "feed":
            before = set(self.fed["devices"]) if self.fed else set()
            self.fed = dict(request) if request["devices"] else None
            self._without(before - set(request["devices"]))
        elif kind == "subscribe" and isinstance(reply, m.Ok):
            self.subscribed = {key: value for key, value in request.items() if not key.startswith("since_")}
            if reply.ignored:
                log.warning("clashd %s does not know %s of a subscription, and ignores it",
                            self.hello.version if self.hello else "", ", ".join(reply.ignored))

    def forget(self, name: str) -> bool:
        """What clashd, which is away, need not be told any more. Whether it was this program's."""
        return self.own.pop(name, None) is not None

    def forget_feed(self) -> None:
        if self.fed:
            self._without(self.fed["devices"])
        self.fed = None

    def _without(self, devices: Iterable[str]) -> None:
        """clashd takes away with a feed what was defined on its devices."""
        for name in [name for name, own in self.own.items() if own.get("device") in set(devices)]:
            del self.own[name]

    # The connection.

    def lost(self) -> None:
        """The connection is gone, and with it what was asked."""
        self.hello = self.refusal = None
        self.replies.clear()
        self._buffer, self._skips = b"", False

    def not_clashd(self, seconds: float) -> ConnectError:
        return ConnectError(f"cannot connect to {self.address.text}: it says nothing for {seconds:g} s: is it clashd that listens there?")

    def refused(self) -> ConnectError:
        return ConnectError(f"cannot connect to {self.address.text}: {self.refusal or 'it closed the connection without a word'}")

    def again(self) -> list[dict[str, Any]]:
        """What clashd forgot with the connection, in the order in which it has to be asked."""
        requests = [*([self.fed] if self.fed else []), *self.own.values()]
        if self.subscribed:
            since: dict[str, Any] = {}
            if self._last is not None:
                since = {"since_seq": self._last[0], **present(since_late=self._last[1])}
            requests.append({**self.subscribed, **since})
        return requests
