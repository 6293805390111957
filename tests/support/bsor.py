"""Writes Beat Saber replays (BSOR, version 1) after the public description of the format, knowing nothing of clashd's reader.
`python3 bsor.py DIRECTORY` writes the examples that tests/fuzz/corpus/bsor holds."""
import struct
import sys
from pathlib import Path

MAGIC = 0x442D3D69
INFO = {"version": "0.9.34", "gameVersion": "1.40.8", "timestamp": "1700000000", "playerID": "76561198000000000",
        "playerName": "Somebody", "platform": "steam", "trackingSystem": "OpenXR", "hmd": "Quest 3", "controller": "Touch Plus",
        "hash": "0123456789ABCDEF0123456789ABCDEF01234567", "songName": "A Song", "mapper": "Mappers", "difficulty": "Expert",
        "score": 4711, "mode": "Standard", "environment": "BigMirror", "modifiers": "", "jumpDistance": 18.5,
        "leftHanded": False, "height": 1.8, "startTime": 0.0, "failTime": 0.0, "speed": 0.0}
STILL = ((0, 0, 0), (0, 0, 0, 1))


def string(text, counts_characters=False):
    """Some writers have counted UTF-16 units where the format wants bytes."""
    data = text.encode()
    return struct.pack("<i", len(text.encode("utf-16-le")) // 2 if counts_characters else len(data)) + data


def info(counts_characters=False, **changes):
    out = b"\0"
    for key, value in (INFO | changes).items():
        out += (string(value, counts_characters) if isinstance(value, str) else struct.pack("<?", value)
                if isinstance(value, bool) else struct.pack("<i" if isinstance(value, int) else "<f", value))
    return out


def pose(position, rotation):
    return struct.pack("<3f4f", *position, *rotation)


def frame(time, head=STILL, left=STILL, right=STILL, fps=90):
    return struct.pack("<fi", time, fps) + pose(*head) + pose(*left) + pose(*right)


def array(kind, items):
    return struct.pack("<Bi", kind, len(items)) + b"".join(items)


def note(kind):
    """A good cut and a bad one are described; a miss and a bomb are not."""
    cut = struct.pack("<4?", True, True, kind == 0, False) + struct.pack("<f3fi", 12.5, 0, 1, 0, 1)
    cut += struct.pack("<2f6f4f", 0.01, 2, 0, 1, 5, 1, 0, 0, 0.1, 90, 1.1, 0.9)
    return struct.pack("<iffi", 30021, 1.5, 1.0, kind) + (cut if kind in (0, 1) else b"")


def replay(frames, notes=(), pauses=(), rest=b"", counts_characters=False, **changes):
    """`frames` as frame() makes them; `pauses` as (seconds, song time)."""
    return (struct.pack("<IB", MAGIC, 1) + info(counts_characters, **changes) + array(1, frames) +
            array(2, [note(kind) for kind in notes]) + array(3, [struct.pack("<ifff", 21, 0.9, 1.0, 1.1)]) +
            array(4, [struct.pack("<ff", 1.75, 0.0)]) +
            array(5, [struct.pack("<qf", duration, time) for duration, time in pauses]) + rest)


def examples():
    offsets = b"\6" + pose((0, 0, 0.1), (0, 0, 0, 1)) * 2
    user = struct.pack("<Bi", 7, 1) + string("key") + struct.pack("<i", 2) + b"\1\2"
    moving = [frame(i / 64, ((0, 1.7, 0), (0, 0, 0, 1)), ((-0.5 + i / 8, 1, 0.25), (0, 0, 0, 1)),
                    ((0.5, 1, 0.75), (0, -0.5 ** 0.5, 0, 0.5 ** 0.5))) for i in range(8)]
    nan = float("nan")
    odd = [frame(0), frame(0), frame(0.5), frame(0.25), frame(nan), frame(1e30), frame(-1.0),
           frame(0.75, left=((nan, 0, 0), (0, 0, 0, 1)), right=((0, 0, 0), (0, 0, 0, float("inf")))),
           frame(1, left=((0, 0, 0), (0, 0, 0, 0)))]
    return {"whole": replay(moving, notes=(0, 1, 2, 3), pauses=((5, 0.0625),), rest=offsets + user),
            "odd-frames": replay(odd, pauses=((1, nan), (1, 0.5), (1, 0.5), (1, 9.0))),
            "characters": replay(moving[:2], counts_characters=True, playerName="J\u00f6rg \U0001f5e1",
                                 songName="\u6b4c", mapper="\u00e9"),
            "fast": replay(moving[:3], modifiers="DA,FS,GN"),
            "practice": replay(moving[:3], speed=0.5, modifiers="SS"),
            "empty": replay([])}


if __name__ == "__main__":
    for name, data in examples().items():
        (Path(sys.argv[1]) / name).write_bytes(data)
