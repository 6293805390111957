"""Pictures that a browser takes: PNG of 8 bits a channel, with or without alpha, as rows of bytes."""
import struct
import zlib

PIXEL = {2: 3, 6: 4}  # bytes, by the type of colour


def rows(data):
    """Rows of red, green, blue, alpha."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    at, packed, width, height = 8, b"", 0, 0
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            assert (depth, interlaced) == (8, 0) and colour in PIXEL, "expected 8 bits of red, green, blue, not interlaced"
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    pixel = PIXEL[colour]
    raw, size, found = zlib.decompress(packed), pixel * width, []
    before = bytearray(size)
    for y in range(height):
        start = y * (size + 1)
        before = unfiltered(raw[start], bytearray(raw[start + 1:start + 1 + size]), before, pixel)
        found.append(before if pixel == 4 else opaque(before))
    return found


def opaque(row):
    """A row without alpha, with it."""
    whole = bytearray(b"\xff" * (len(row) // 3 * 4))
    for channel in range(3):
        whole[channel::4] = row[channel::3]
    return whole


def unfiltered(kind, row, above, pixel):
    """A row by its filter (PNG, section 9)."""
    for i in range(len(row)):
        left, up = row[i - pixel] if i >= pixel else 0, above[i]
        corner = above[i - pixel] if i >= pixel else 0
        if kind == 4:
            guess = left + up - corner
            far = {left: abs(guess - left), up: abs(guess - up), corner: abs(guess - corner)}
            row[i] = (row[i] + min((left, up, corner), key=lambda one: far[one])) & 255
        elif kind:
            row[i] = (row[i] + (left, up, (left + up) // 2)[kind - 1]) & 255
    return row
