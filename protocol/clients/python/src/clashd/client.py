"""The client that waits: one thread, one socket, nothing behind one's back."""
from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Generic, Literal, TypeVar, overload

from . import messages as m
from ._address import Address, ConnectError, Disconnected, cannot_connect, check_peer, read_token
from ._base import Error, Message
from ._client import ClientBase, Retries
from ._core import EVENTS, EventName, PoseLike, Reply, log, present, wants

E_co = TypeVar("E_co", bound=Message, covariant=True)


def connect(address: str | os.PathLike[str] | None = None, *, token: str | None = None,
            token_file: str | os.PathLike[str] | None = None, axes: Literal["openxr", "unity", "godot"] | None = None,
            timeout: float = 10.0, reconnect: bool = False) -> Client:
    """A client that is connected. `address`: the path of clashd's Unix socket, or tcp:HOST:PORT; clashd's default socket if
    left out. Over TCP the token is `token`, or what `token_file` holds; clashd's default file if both are left out. `axes`: of
    all that is said and heard; OpenXR's if left out.

    `timeout`, seconds: for connecting, and for each reply. With `reconnect` it waits for a clashd that is not there yet, and
    comes back when one that went is there again: it says so once (logger "clashd"), tries after 0.25 s up to 5 s, defines all
    anew and gets what it missed. Else ConnectError, and Disconnected when clashd goes."""
    client = Client(address, token=token, token_file=token_file, axes=axes, timeout=timeout, reconnect=reconnect)
    client.open()
    return client


class Events(Iterator[E_co], Generic[E_co]):
    """Events as they come; ends with Client.close()."""

    def __init__(self, client: Client, kinds: frozenset[str] | None, timeout: float | None):
        self._client, self._kinds, self._timeout = client, kinds, timeout

    def __iter__(self) -> Events[E_co]:
        return self

    def __next__(self) -> E_co:
        while True:
            if self._client.closed:
                raise StopIteration
            try:
                message = self._client.read(self._timeout)
            except Disconnected:
                if self._client.closed:
                    raise StopIteration from None
                raise
            if wants(self._kinds, message):
                return message  # type: ignore[return-value]


class Feed:
    """Devices whose poses this program says, as long as it is open. See Client.feed."""

    def __init__(self, client: Client, devices: tuple[str, ...]):
        self.devices = devices
        self._client = client

    def push(self, *poses: PoseLike, time_ns: int | None = None) -> list[Message]:
        """Poses of one time; returns when clashd has swept up to there, with all subscribed messages that came until then, among
        them all that these poses caused. A pose is a Pose or a dict with its fields. RequestError if clashd refuses them."""
        return self._client.push(*poses, time_ns=time_ns)

    def close(self) -> None:
        """The devices are again where clashd sees them; blades that were defined on them go."""
        if self._client.connected:
            self._client.request("feed", devices=[])
        else:
            self._client._core.forget_feed()

    def __enter__(self) -> Feed:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            self.close()
        except Error:
            if kind is None:
                raise


class Client(ClientBase):
    """See connect(). Of one thread at a time."""

    def __init__(self, address: str | os.PathLike[str] | None = None, *, token: str | None = None,
                 token_file: str | os.PathLike[str] | None = None, axes: str | None = None, timeout: float = 10.0,
                 reconnect: bool = False):
        super().__init__(address, token=token, token_file=token_file, axes=axes, timeout=timeout, reconnect=reconnect)
        self._socket: socket.socket | None = None

    def open(self) -> None:
        """Connects. What connect() does, for who makes a Client by itself."""
        if self._reconnect:
            self._come_back(None)
        else:
            self._connect()

    @property
    def connected(self) -> bool:
        return self._socket is not None

    # Listening.

    @overload
    def events(self, __kind: Literal["clash"], *, timeout: float | None = ..., **filters: Any) -> Events[m.Clash]: ...
    @overload
    def events(self, __kind: Literal["hold"], *, timeout: float | None = ..., **filters: Any) -> Events[m.Hold]: ...
    @overload
    def events(self, __kind: Literal["release"], *, timeout: float | None = ..., **filters: Any) -> Events[m.Release]: ...
    @overload
    def events(self, __kind: Literal["tracking"], *, timeout: float | None = ..., **filters: Any) -> Events[m.Tracking]: ...
    @overload
    def events(self, __kind: Literal["poses"], *, timeout: float | None = ..., **filters: Any) -> Events[m.Poses]: ...
    @overload
    def events(self, *kinds: EventName, timeout: float | None = ..., **filters: Any) -> Events[Message]: ...

    def events(self, *kinds: str, timeout: float | None = None, **filters: Any) -> Any:
        """Subscribes to these, or to all of contacts, tracking and space if none is named, and returns an iterator over them.
        `filters` are fields of PROTOCOL.md's subscribe, as min_closing_speed=2. TimeoutError if nothing comes for `timeout`
        seconds. What clashd could not keep for a slow reader is a warning; iterate over the client to get it as Lagged."""
        self.subscribe(*kinds, **filters)
        return Events(self, frozenset(kinds or EVENTS), timeout)

    def subscribe(self, *kinds: str, **filters: Any) -> m.Ok:
        """As events(), for who reads otherwise. Takes the place of the subscription before."""
        reply = self._ask(self._subscription(kinds, filters))
        assert isinstance(reply, m.Ok)
        return reply

    def __iter__(self) -> Events[Message]:
        """All messages that were subscribed to, and Lagged."""
        return Events(self, None, None)

    def read(self, timeout: float | None = None) -> Message:
        """The next message that is no reply. TimeoutError after `timeout` seconds; Disconnected at the end of the connection;
        RequestError for poses that clashd refused; ProtocolError for a line that is no message. One can go on after all but
        Disconnected."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while (message := self._core.next()) is None:
            self._receive(deadline, f"no message from {self.address} for {timeout or 0:g} s")
        return message

    # Asking.

    def request(self, kind: str, **fields: Any) -> Reply:
        """Any request of PROTOCOL.md; fields that are None are left out. RequestError if clashd refuses it."""
        return self._ask({"type": kind, **present(**fields)})

    def ping(self) -> float:
        """Seconds that the answer took."""
        began = time.monotonic()
        self.request("ping")
        return time.monotonic() - began

    def status(self) -> m.Status:
        reply = self.request("status")
        assert isinstance(reply, m.Status)
        return reply

    def blade(self, name: str, device: str, *, base: m.Vector | None = None, tip: m.Vector | None = None,
              radius: float | None = None, **more: Any) -> None:
        """Defines a blade of this program: base, tip and radius in the frame of a device that it pushes, or `parts`. Until
        remove(), over reconnects too."""
        self._ask(self._blade(name, device, base, tip, radius, more))

    def target(self, name: str, **shape: Any) -> None:
        """Defines what blades strike: one of sphere, capsule, box, mesh, terrain, as dicts; with position and orientation, or
        device. Until remove()."""
        self._ask(self._target(name, shape))

    def remove(self, name: str) -> None:
        if self.connected or not self._core.forget(name):
            self.request("remove", name=name)

    def poses(self, *poses: PoseLike, time_ns: int | None = None) -> None:
        """Says where devices of this program are, and does not wait for what clashd says to that: a refusal is raised by a later
        read()."""
        self._send(self._core.encode(self._poses(poses, time_ns)))

    def push(self, *poses: PoseLike, time_ns: int | None = None) -> list[Message]:
        """As poses(), and as Feed.push(): waits, and returns what came."""
        self._ask(self._poses(poses, time_ns))
        return self._core.waiting()

    def feed(self, *devices: str, space: str | None = None, source: Literal["game", "layer"] | None = None,
             haptics: bool | None = None) -> Feed:
        """From now on the poses of these devices, the player's hands ("/user/hand/left") included, are what this program pushes,
        until the feed is closed. In the place of the feed before. With `haptics` messages Haptic come, for controllers that this
        program lets vibrate."""
        self._ask(self._feed(devices, space, source, haptics))
        return Feed(self, devices)

    def close(self) -> None:
        """Ends the connection, and every iteration."""
        self.closed = True
        self._drop()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    # The socket.

    def _ask(self, request: dict[str, Any]) -> Reply:
        name, line = self._core.ask(request)
        self._send(line)
        deadline = time.monotonic() + self._timeout
        try:
            while (reply := self._core.answer(name, request)) is None:
                self._receive(deadline, f"{self.address} does not answer {request['type']} within {self._timeout:g} s")
                if name not in self._core.replies:  # another connection
                    raise Disconnected(f"the connection to {self.address} ended before {request['type']} was answered")
        finally:
            self._core.replies.pop(name, None)
        return reply

    def _send(self, line: bytes) -> None:
        if self._socket is None:
            raise Disconnected(f"not connected to {self.address}")
        try:
            self._socket.settimeout(self._timeout)
            self._socket.sendall(line)
        except OSError as error:  # part of the line may have gone: nothing can be said after it
            self._end(f"{self.address} takes nothing: {error.strerror or error}")
            raise Disconnected(self._ended(error)) from None

    def _receive(self, deadline: float | None, late: str) -> None:
        """Takes what comes next. TimeoutError with the words `late` if nothing does until then."""
        if self._socket is None:
            raise Disconnected(f"not connected to {self.address}")
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            raise TimeoutError(late)
        try:
            self._socket.settimeout(left)
            data = self._socket.recv(65536)
        except TimeoutError:
            raise TimeoutError(late) from None
        except OSError as error:
            self._end(self._ended(error))
            return
        if data:
            self._core.receive(data)
        else:
            self._end(self._closed())

    def _end(self, why: str) -> None:
        self._drop()
        if not self._reconnect or self.closed:
            raise Disconnected(why)
        self._come_back(why)

    def _drop(self) -> None:
        if self._socket is not None:
            try:
                self._socket.shutdown(socket.SHUT_RDWR)  # wakes who reads in another thread
            except OSError:
                pass
            self._socket.close()
        self._socket = None
        self._core.lost()

    def _come_back(self, why: str | None) -> None:
        """Until there is a connection; says once why there was none, and once that there is one."""
        retries = Retries(why)
        while not self.closed:
            try:
                self._connect()
            except (ConnectError, Disconnected) as error:
                time.sleep(retries.failed(error))
            else:
                retries.succeeded(self)
                return

    def _connect(self) -> None:
        address, reconnect = self._core.address, self._reconnect
        token = read_token(address, self._token, self._token_file)
        self._socket = _open(address, self._timeout)
        self._reconnect = False  # of what goes wrong until all is as it was, the caller hears
        try:
            if token and not address.path:
                self._send(self._core.encode({"type": "auth", "token": token}))
            self._greet()
            for request in self._core.again():
                self._ask_again(request)
        except BaseException:
            self._drop()
            raise
        finally:
            self._reconnect = reconnect

    def _greet(self) -> None:
        deadline = time.monotonic() + self._timeout
        while self._core.hello is None:
            try:
                if self._core.refusal is None:
                    self._receive(deadline, "")
            except TimeoutError:
                raise self._core.not_clashd(self._timeout) from None
            except Disconnected:
                raise self._core.refused() from None
            if self._core.refusal is not None:
                raise self._core.refused()
        self._hello = self._core.hello

    def _ask_again(self, request: dict[str, Any]) -> None:
        try:
            self._ask(request)
        except Error as error:
            if isinstance(error, Disconnected):
                raise
            log.warning("%s: %s %s", self.address, request["type"], error)
        except TimeoutError as error:
            raise Disconnected(str(error)) from None


def _open(address: Address, timeout: float) -> socket.socket:
    try:
        if address.path:
            opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            opened.settimeout(timeout)
            try:
                opened.connect(address.path)
                check_peer(address, opened)
            except BaseException:
                opened.close()
                raise
            return opened
        opened = socket.create_connection((address.host, address.port), timeout)
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return opened
    except ConnectError:
        raise
    except OSError as error:
        raise cannot_connect(address, error) from None
