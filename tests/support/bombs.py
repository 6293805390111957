"""Small files that hold a lot: frames of Zstandard made of blocks that say one byte again and again, by hand, so that
nothing has to be installed."""
import struct

BLOCK = 128 << 10
HEADER = b'{"type":"recording","version":1,"space":"stage"}\n'


def poses(time_ns, x=0.0):
    return (f'{{"type":"poses","time_ns":{time_ns},"poses":[{{"device":"/user/hand/left","position":[{x},1,0],'
            '"orientation":[0,0,0,1],"tracked":true}]}\n').encode()


def block(kind, size, content, is_last):
    return struct.pack("<I", size << 3 | kind << 1 | is_last)[:3] + content


def frame(*parts):
    """A frame of unknown size: bytes stand as they are, (byte, count) is that byte so often."""
    blocks = []
    for part in parts:
        if isinstance(part, bytes):
            blocks += [(0, part[i:i + BLOCK]) for i in range(0, len(part), BLOCK)]
        else:
            byte, count = part
            blocks += [(min(BLOCK, count - i), byte) for i in range(0, count, BLOCK)]
    out = [b"\x28\xb5\x2f\xfd\x00\x58"]  # no size, no checksum, a window of 2 MiB
    for i, (size, content) in enumerate(blocks):
        is_last = i + 1 == len(blocks)
        out.append(block(1, size, content, is_last) if size else block(0, len(content), content, is_last))
    return b"".join(out)
