"""The client for asyncio: as client.py, with await. A task of its own reads, so any number of tasks may use one client."""
from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Generator
from types import TracebackType
from typing import Any, Generic, Literal, TypeVar, overload

from . import messages as m
from ._address import ConnectError, Disconnected, cannot_connect, check_peer, read_token
from ._base import Error, Message
from ._client import ClientBase, Retries
from ._core import EVENTS, EventName, PoseLike, Reply, log, present, wants

E_co = TypeVar("E_co", bound=Message, covariant=True)


class connect:
    """As clashd.connect(): `async with connect() as c`, or `c = await connect()`."""

    def __init__(self, address: str | os.PathLike[str] | None = None, *, token: str | None = None,
                 token_file: str | os.PathLike[str] | None = None, axes: Literal["openxr", "unity", "godot"] | None = None,
                 timeout: float = 10.0, reconnect: bool = False):
        self._client = Client(address, token=token, token_file=token_file, axes=axes, timeout=timeout, reconnect=reconnect)

    def __await__(self) -> Generator[Any, None, Client]:
        return self.__aenter__().__await__()

    async def __aenter__(self) -> Client:
        await self._client.open()
        return self._client

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self._client.close()


class Events(AsyncIterator[E_co], Generic[E_co]):
    """Events as they come; ends with Client.close(). Of two at the same time, each gets what the other has not taken."""

    def __init__(self, client: Client, request: dict[str, Any] | None, kinds: frozenset[str] | None, timeout: float | None):
        self._client, self._request, self._kinds, self._timeout = client, request, kinds, timeout

    def __aiter__(self) -> Events[E_co]:
        return self

    async def __anext__(self) -> E_co:
        if self._request is not None:
            await self._client._ask(self._request)
            self._request = None
        while True:
            try:
                message = await self._client.read(self._timeout)
            except Disconnected:
                if self._client.closed:
                    raise StopAsyncIteration from None
                raise
            if wants(self._kinds, message):
                return message  # type: ignore[return-value]


class Feed:
    """See clashd.Feed: `async with await c.feed("/user/hand/left") as f: events = await f.push(pose)`."""

    def __init__(self, client: Client, devices: tuple[str, ...]):
        self.devices = devices
        self._client = client

    async def push(self, *poses: PoseLike, time_ns: int | None = None) -> list[Message]:
        return await self._client.push(*poses, time_ns=time_ns)

    async def close(self) -> None:
        if self._client.connected:
            await self._client.request("feed", devices=[])
        else:
            self._client._core.forget_feed()

    async def __aenter__(self) -> Feed:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            await self.close()
        except Error:
            if kind is None:
                raise


class Client(ClientBase):
    """See connect(). What the methods do: clashd.Client."""

    def __init__(self, address: str | os.PathLike[str] | None = None, *, token: str | None = None,
                 token_file: str | os.PathLike[str] | None = None, axes: str | None = None, timeout: float = 10.0,
                 reconnect: bool = False):
        super().__init__(address, token=token, token_file=token_file, axes=axes, timeout=timeout, reconnect=reconnect)
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._task: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        self._why = f"not connected to {self._core.address.text}"
        self._ready = False

    async def open(self) -> None:
        if self._reconnect:
            await self._come_back(None)
        else:
            await self._connect()
        self._task = asyncio.create_task(self._run(), name=f"clashd {self.address}")

    @property
    def connected(self) -> bool:
        return self._ready

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
        """Subscribes when the iteration begins."""
        return Events(self, self._subscription(kinds, filters), frozenset(kinds or EVENTS), timeout)

    async def subscribe(self, *kinds: str, **filters: Any) -> m.Ok:
        reply = await self._ask(self._subscription(kinds, filters))
        assert isinstance(reply, m.Ok)
        return reply

    def __aiter__(self) -> Events[Message]:
        return Events(self, None, None, None)

    async def read(self, timeout: float | None = None) -> Message:
        try:
            async with asyncio.timeout(timeout):
                while (message := self._core.next()) is None:
                    await self._change()
                return message
        except TimeoutError:
            raise TimeoutError(f"no message from {self.address} for {timeout or 0:g} s") from None

    async def request(self, kind: str, **fields: Any) -> Reply:
        return await self._ask({"type": kind, **present(**fields)})

    async def ping(self) -> float:
        began = asyncio.get_running_loop().time()
        await self.request("ping")
        return asyncio.get_running_loop().time() - began

    async def status(self) -> m.Status:
        reply = await self.request("status")
        assert isinstance(reply, m.Status)
        return reply

    async def blade(self, name: str, device: str, *, base: m.Vector | None = None, tip: m.Vector | None = None,
                    radius: float | None = None, **more: Any) -> None:
        await self._ask(self._blade(name, device, base, tip, radius, more))

    async def target(self, name: str, **shape: Any) -> None:
        await self._ask(self._target(name, shape))

    async def remove(self, name: str) -> None:
        if self.connected or not self._core.forget(name):
            await self.request("remove", name=name)

    async def poses(self, *poses: PoseLike, time_ns: int | None = None) -> None:
        await self._send(self._core.encode(self._poses(poses, time_ns)))

    async def push(self, *poses: PoseLike, time_ns: int | None = None) -> list[Message]:
        """What came until clashd had swept up to there, but for what another task took."""
        await self._ask(self._poses(poses, time_ns))
        return self._core.waiting()

    async def feed(self, *devices: str, space: str | None = None, source: Literal["game", "layer"] | None = None,
                   haptics: bool | None = None) -> Feed:
        await self._ask(self._feed(devices, space, source, haptics))
        return Feed(self, devices)

    async def close(self) -> None:
        self.closed = True
        self._why = f"the connection to {self.address} was closed"
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        writer = self._writer
        self._drop()
        if writer is not None:
            await asyncio.gather(writer.wait_closed(), return_exceptions=True)

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    # The connection.

    async def _change(self) -> None:
        """Waits until something came, or the connection is another. Disconnected if there is none, and none will come."""
        if self.closed or not (self._ready or self._reconnect):
            raise Disconnected(self._why)
        await self._changed.wait()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def _ask(self, request: dict[str, Any]) -> Reply:
        name, line = self._core.ask(request)
        try:
            async with asyncio.timeout(self._timeout):
                await self._send(line)
                while (reply := self._core.answer(name, request)) is None:
                    await self._change()
                    if name not in self._core.replies:
                        raise Disconnected(f"the connection to {self.address} ended before {request['type']} was answered")
                return reply
        except TimeoutError:
            raise TimeoutError(f"{self.address} does not answer {request['type']} within {self._timeout:g} s") from None
        finally:
            self._core.replies.pop(name, None)

    async def _send(self, line: bytes) -> None:
        if self._writer is None or not self._ready:
            raise Disconnected(self._why if not self._reconnect else f"not connected to {self.address}")
        try:
            self._writer.write(line)
            await self._writer.drain()
        except OSError as error:
            raise Disconnected(self._ended(error)) from None

    async def _receive(self) -> None:
        assert self._reader is not None
        try:
            data = await self._reader.read(65536)
        except OSError as error:
            raise Disconnected(self._ended(error)) from None
        if not data:
            raise Disconnected(self._closed())
        self._core.receive(data)

    async def _run(self) -> None:
        """Reads, until there is nothing more to come; then whoever waits is told so."""
        try:
            while True:
                try:
                    await self._receive()
                except Disconnected as error:
                    self._why = str(error)
                    self._drop()
                    if not self._reconnect:
                        return
                    await self._come_back(self._why)
                self._tell()
        except Exception as error:
            self._why = f"the connection to {self.address} ended: {error!r}"
            raise
        finally:
            self._reconnect = False
            self._drop()

    def _drop(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None
        self._ready = False
        self._core.lost()
        self._tell()

    async def _come_back(self, why: str | None) -> None:
        retries = Retries(why)
        while True:
            try:
                await self._connect()
            except (ConnectError, Disconnected) as error:
                await asyncio.sleep(retries.failed(error))
            else:
                retries.succeeded(self)
                return

    async def _connect(self) -> None:
        address = self._core.address
        token = read_token(address, self._token, self._token_file)
        try:
            async with asyncio.timeout(self._timeout):
                await self._establish(token)
        except TimeoutError:
            self._drop()
            raise self._core.not_clashd(self._timeout) from None
        except BaseException:
            self._drop()
            raise
        self._ready = True

    async def _establish(self, token: str | None) -> None:
        address = self._core.address
        try:
            if address.path:
                self._reader, self._writer = await asyncio.open_unix_connection(address.path)
            else:
                self._reader, self._writer = await asyncio.open_connection(address.host, address.port)
        except OSError as error:
            raise cannot_connect(address, error) from None
        connected: socket.socket = self._writer.get_extra_info("socket")
        check_peer(address, connected)
        if token and not address.path:
            self._writer.write(self._core.encode({"type": "auth", "token": token}))
        while self._core.hello is None:
            try:
                await self._receive()
            except Disconnected:
                raise self._core.refused() from None
            if self._core.refusal is not None:
                raise self._core.refused()
        self._hello = self._core.hello
        for request in self._core.again():
            await self._ask_again(request)

    async def _ask_again(self, request: dict[str, Any]) -> None:
        assert self._writer is not None
        name, line = self._core.ask(request)
        self._writer.write(line)
        try:
            while self._core.answer(name, request) is None:
                await self._receive()
        except Error as error:
            if isinstance(error, Disconnected):
                raise
            log.warning("%s: %s %s", self.address, request["type"], error)
