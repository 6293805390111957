"""Where clashd listens, who it is that listens there, and what is said when nobody does."""
from __future__ import annotations

import errno
import os
import re
import socket
import struct
from dataclasses import dataclass
from pathlib import Path

from ._base import Error

_WHY = {errno.ENOENT: "there is no such socket", errno.ENOTDIR: "there is no such socket", errno.ECONNREFUSED: "nobody listens there",
        errno.EACCES: "it is another user's", errno.EPERM: "it is another user's", errno.ETIMEDOUT: "it does not answer"}
PATH_MAX = 107  # bytes of a Unix socket's path


class ConnectError(Error, ConnectionError):
    """There is no connection: it says to which address, why, and what to start."""


class Disconnected(Error, ConnectionError):
    """The connection has ended: it says why."""


@dataclass(frozen=True)
class Address:
    """A Unix socket's path, or host and port. `text`: as it was given, for messages."""
    text: str
    path: str | None = None
    host: str = ""
    port: int = 0

    @property
    def start(self) -> str:
        """What to start for clashd to listen there."""
        return "clashd" if self.path else f"clashd --tcp {self.port}"


def runtime_directory() -> Path:
    """Where clashd puts its socket and its token if nobody says otherwise."""
    uid = os.getuid() if hasattr(os, "getuid") else 0
    named = os.environ.get("XDG_RUNTIME_DIR", "")
    if not named.startswith("/"):
        named = f"/run/user/{uid}" if Path(f"/run/user/{uid}").is_dir() else f"/tmp/clashd-{uid}"
    return Path(named) / "clashd"


def parse_address(text: str | os.PathLike[str] | None) -> Address:
    """Parse a path, unix:PATH, tcp:HOST:PORT, tcp:PORT on this machine, or None for clashd's default socket. ValueError for others."""
    if text is None:
        text = runtime_directory() / "clashd.sock"
    text = os.fspath(text)
    if re.match(r"wss?:", text):
        raise ValueError(f"'{text}': this module speaks no WebSocket: use the Unix socket, or tcp:HOST:PORT with clashd --tcp PORT")
    if text.startswith("tcp:"):
        found = re.fullmatch(r"tcp:(?://)?(?:(\[[^\]]+\]|[^:\[\]]+):)?(\d+)", text)
        if not found or int(found[2]) > 65535:
            raise ValueError(f"'{text}' is not an address: expected tcp:HOST:PORT, such as tcp:127.0.0.1:4717")
        return Address(text, None, (found[1] or "127.0.0.1").strip("[]"), int(found[2]))
    text = text.removeprefix("unix:")
    if not hasattr(socket, "AF_UNIX"):
        raise ValueError(f"'{text}': there are no Unix sockets here: use tcp:HOST:PORT with clashd --tcp PORT")
    if not text or len(os.fsencode(text)) > PATH_MAX:
        raise ValueError(f"'{text}' is not an address: expected a socket's path of at most {PATH_MAX} bytes, or tcp:HOST:PORT")
    return Address(text, text)


def read_token(address: Address, token: str | None, token_file: str | os.PathLike[str] | None) -> str | None:
    """What is shown over TCP; read anew for each connection, as clashd may have made another one. None: there is none to show."""
    if token is not None or address.path:
        return token
    file = Path(token_file) if token_file else runtime_directory() / "clashd.token"
    if file.suffix == ".sock":
        file = file.with_suffix(".token")
    try:
        return file.read_text().strip()
    except FileNotFoundError:
        if token_file:
            raise ConnectError(f"cannot connect to {address.text}: there is no token file {file}. "
                               f'Start "{address.start}", which makes it, or name another') from None
        return None  # clashd may not ask for one
    except (OSError, UnicodeDecodeError) as error:
        raise ConnectError(f"cannot connect to {address.text}: the token file {file} cannot be read: {error}") from None


def cannot_connect(address: Address, error: OSError) -> ConnectError:
    why = _WHY.get(error.errno or 0, "it cannot be reached")
    return ConnectError(f'cannot connect to {address.text}: {why} ({error.strerror or error}). Start "{address.start}"')


def check_peer(address: Address, connected: socket.socket) -> None:
    """Anybody can make a directory below /tmp before clashd does: only the own user and root are talked to."""
    if not address.path or not hasattr(socket, "SO_PEERCRED"):
        return
    size = struct.calcsize("3i")
    _, uid, _ = struct.unpack("3i", connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    if uid not in (os.getuid(), 0):
        raise ConnectError(f"cannot connect to {address.text}: user {uid} is listening there: expected user {os.getuid()} or root")
