"""Pictures that a browser takes: PNG of 8 bits a channel with alpha, as rows of bytes."""
import struct
import zlib

PIXEL = 4


def rows(data):
    """Rows of red, green, blue, alpha."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    at, packed, width, height = 8, b"", 0, 0
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            assert (depth, colour, interlaced) == (8, 6, 0), "expected 8 bits, with alpha, not interlaced"
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    raw, size, found = zlib.decompress(packed), PIXEL * width, []
    before = bytearray(size)
    for y in range(height):
        start = y * (size + 1)
        before = unfiltered(raw[start], bytearray(raw[start + 1:start + 1 + size]), before)
        found.append(before)
    return found


def unfiltered(kind, row, above):
    """A row by its filter (PNG, section 9)."""
    for i in range(len(row)):
        left, up = row[i - PIXEL] if i >= PIXEL else 0, above[i]
        corner = above[i - PIXEL] if i >= PIXEL else 0
        if kind == 4:
            guess = left + up - corner
            far = {left: abs(guess - left), up: abs(guess - up), corner: abs(guess - corner)}
            row[i] = (row[i] + min((left, up, corner), key=lambda one: far[one])) & 255
        elif kind:
            row[i] = (row[i] + (left, up, (left + up) // 2)[kind - 1]) & 255
    return row
