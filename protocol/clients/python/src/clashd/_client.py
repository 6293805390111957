"""What client.py and aio.py share, whichever way they wait."""
from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from . import messages as m
from ._address import ConnectError, parse_address
from ._base import Error
from ._core import Core, PoseLike, log, poses_request, present, subscription

RETRY_MIN_S, RETRY_MAX_S = 0.25, 5.0


class ClientBase:
    """A client without its socket: what it says, and what it knows of clashd."""

    def __init__(self, address: str | os.PathLike[str] | None = None, *, token: str | None = None,
                 token_file: str | os.PathLike[str] | None = None, axes: str | None = None, timeout: float = 10.0,
                 reconnect: bool = False):
        self._core = Core(parse_address(address), axes)
        self._token, self._token_file = token, token_file
        self._timeout, self._reconnect = timeout, reconnect
        self._hello: m.Hello | None = None
        self.closed = False

    @property
    def address(self) -> str:
        return self._core.address.text

    @property
    def hello(self) -> m.Hello:
        """Of the last connection: version, session, clock, blades."""
        if self._hello is None:
            raise ConnectError(f"not connected to {self.address}")
        return self._hello

    def _blade(self, name: str, device: str, base: m.Vector | None, tip: m.Vector | None, radius: float | None,
               more: Mapping[str, Any]) -> dict[str, Any]:
        return {"type": "blade", **present(name=name, device=device, base=base, tip=tip, radius=radius,
                                           **{"axes": self._core.axes, **more})}

    def _target(self, name: str, shape: Mapping[str, Any]) -> dict[str, Any]:
        return {"type": "target", **present(name=name, **{"axes": self._core.axes, **shape})}

    def _feed(self, devices: Iterable[str], space: str | None, source: str | None, haptics: bool | None) -> dict[str, Any]:
        if "feed" not in self.hello.capabilities:
            raise Error(f"clashd {self.hello.version} cannot be fed: a newer one can")
        return {"type": "feed", **present(devices=list(devices), space=space, source=source, haptics=haptics)}

    def _poses(self, poses: Iterable[PoseLike], time_ns: int | None) -> dict[str, Any]:
        return poses_request(poses, time_ns, self._core.axes)

    def _subscription(self, kinds: Iterable[str], filters: Mapping[str, Any]) -> dict[str, Any]:
        return subscription(kinds, filters, self._core.axes)

    def _ended(self, error: OSError) -> str:
        return f"the connection to {self.address} ended: {error.strerror or error}"

    def _closed(self) -> str:
        return f"clashd closed the connection to {self.address}"


class Retries:
    """Attempts to come back: says once why there is no connection, and once that there is one again."""

    def __init__(self, why: str | None):
        self._told = set(filter(None, [why]))
        self._pause = RETRY_MIN_S / 2
        if why:
            log.warning("%s; it is tried again", why)

    def failed(self, error: Exception) -> float:
        """Seconds to wait before the next."""
        if str(error) not in self._told:
            log.warning("%s; it is tried again", error)
            self._told.add(str(error))
        self._pause = min(2 * self._pause, RETRY_MAX_S)
        return self._pause

    def succeeded(self, client: ClientBase) -> None:
        if self._told:
            log.warning("clashd %s: connected to %s", client.hello.version, client.address)
