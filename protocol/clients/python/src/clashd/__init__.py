"""Clashes of VR blades, from clashd.

    with clashd.connect() as c:
        for clash in c.events("clash"):
            print(clash.midpoint, clash.intensity)

connect() gives a Client; clashd.aio has the same for asyncio. Events are dataclasses (clashd.messages); recordings are read
by Recording. What each field means: PROTOCOL.md of clashd."""
from . import messages
from ._address import ConnectError, Disconnected
from ._base import Error, Message, Piece, ProtocolError
from ._core import RequestError
from .client import Client, Events, Feed, connect
from .messages import (Clash, DevicePose, Haptic, Hello, Hold, Lagged, ListedBlade, Ok, Pose, Poses, Quaternion, RecordingHeader, Release,
                       Source, SpaceChanged, Status, Tracking, Vector)
from .recordings import Damage, Recording

__all__ = ["Clash", "Client", "ConnectError", "Damage", "DevicePose", "Disconnected", "Error", "Events", "Feed", "Haptic", "Hello", "Hold",
           "Lagged", "ListedBlade", "Message", "Ok", "Piece", "Pose", "Poses", "ProtocolError", "Quaternion", "Recording",
           "RecordingHeader", "Release", "RequestError", "Source", "SpaceChanged", "Status", "Tracking", "Vector", "connect",
           "messages"]
