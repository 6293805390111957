"""Reads MCAP files after the public specification (https://mcap.dev/spec), knowing nothing of clashd's writer, and strictly: every
checksum, offset, length, count and index must be there and be right, or it raises."""
import json
import shutil
import struct
import subprocess
import zlib

MAGIC = b"\x89MCAP0\r\n"
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX, CHUNK_INDEX = range(1, 9)
STATISTICS, SUMMARY_OFFSET, DATA_END = 0x0B, 0x0E, 0x0F


class Fields:
    """What is in a record, one after the other; all of it has to be taken."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def bytes(self, count):
        assert self.at + count <= len(self.data), "a field goes beyond its record"
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, size):
        return int.from_bytes(self.bytes(size), "little")

    def text(self):
        return self.bytes(self.number(4)).decode()

    def map(self, key, value):
        inside = Fields(self.bytes(self.number(4)))
        pairs = []
        while inside.at < len(inside.data):
            pairs.append((key(inside), value(inside)))
        found = dict(pairs)
        assert len(found) == len(pairs), "a key stands twice"
        return found

    def end(self):
        assert self.at == len(self.data), "something is left in the record"


def u16(fields):
    return fields.number(2)


def u64(fields):
    return fields.number(8)


def text(words):
    return struct.pack("<I", len(words.encode())) + words.encode()


def record(opcode, content):
    return struct.pack("<BQ", opcode, len(content)) + content


def chunk(compression, packed, inside):
    """Without a checksum."""
    return record(CHUNK, struct.pack("<QQQI", 0, 0, len(inside), 0) + text(compression) + struct.pack("<Q", len(packed)) + packed)


def unpack(compression, data, size):
    assert compression in ("", "zstd"), compression
    if compression == "zstd":
        data = subprocess.run([shutil.which("zstd"), "-dcq"], input=data, capture_output=True, check=True).stdout
    assert len(data) == size, (len(data), size)
    return data


def records(data, start=0, end=None):
    """(offset, opcode, content) of each."""
    at, end = start, len(data) if end is None else end
    while at < end:
        opcode, length = struct.unpack_from("<BQ", data, at)
        assert at + 9 + length <= end, "a record goes beyond the end"
        yield at, opcode, data[at + 9:at + 9 + length]
        at += 9 + length


class Mcap:
    """.schemas {id: (name, schema)}, .channels {id: (topic, schema's id)}, .messages [(channel, sequence, time, data)]."""

    def __init__(self, data):
        self.data = data
        self.schemas, self.channels, self.messages, self.chunks, self.in_data = {}, {}, [], [], set()
        assert data[:8] == MAGIC and data[-8:] == MAGIC
        assert data[-37] == FOOTER and data[-36:-28] == struct.pack("<Q", 20), "the footer stands right before the end"
        self.summary_start, self.offsets_start, crc = struct.unpack("<QQI", data[-28:-8])
        assert zlib.crc32(data[self.summary_start:-12]) == crc, "the summary's checksum"
        self.read_data()
        self.read_summary()

    def schema(self, content):
        f = Fields(content)
        number, found = f.number(2), (f.text(), f.text(), f.text())
        f.end()
        assert number != 0 and self.schemas.setdefault(number, found) == found and found[1] == "jsonschema"
        return number

    def channel(self, content):
        f = Fields(content)
        number, schema, found = f.number(2), f.number(2), (f.text(), f.text())
        assert f.map(Fields.text, Fields.text) == {}
        f.end()
        assert schema == 0 or schema in self.schemas, "a schema stands before the channel that has it"
        assert self.channels.setdefault(number, (found[0], schema)) == (found[0], schema) and found[1] == "json"
        return number

    def message(self, content):
        f = Fields(content)
        number, sequence, logged, published = f.number(2), f.number(4), f.number(8), f.number(8)
        assert number in self.channels, "a channel stands before its messages"
        assert published == logged
        self.messages.append((number, sequence, logged, content[f.at:]))
        return number, logged

    def read_chunk(self, offset, content):
        f = Fields(content)
        chunk = {"offset": offset, "length": 9 + len(content), "first": f.number(8), "last": f.number(8), "size": f.number(8)}
        crc, chunk["compression"] = f.number(4), f.text()
        packed = f.bytes(f.number(8))
        f.end()
        inside = unpack(chunk["compression"], packed, chunk["size"])
        assert crc != 0 and zlib.crc32(inside) == crc, "the chunk's checksum"
        chunk.update(packed=len(packed), messages={}, indexes={})
        for at, opcode, record in records(inside):
            assert opcode == MESSAGE, opcode
            number, time = self.message(record)
            chunk["messages"].setdefault(number, []).append((time, at))
        times = [time for entries in chunk["messages"].values() for time, _ in entries]
        assert (chunk["first"], chunk["last"]) == (min(times), max(times))
        self.chunks.append(chunk)

    def read_index(self, offset, content):
        f = Fields(content)
        number, entries = f.number(2), Fields(f.bytes(f.number(4)))
        f.end()
        found = []
        while entries.at < len(entries.data):
            found.append((entries.number(8), entries.number(8)))
        assert found == sorted(found), "an index goes by time"
        assert sorted(self.chunks[-1]["messages"][number]) == found, "the index has each message, and where it is"
        assert self.chunks[-1]["indexes"].setdefault(number, offset) == offset

    def read_data(self):
        kinds = []
        for offset, opcode, content in records(self.data, 8, self.summary_start):
            assert DATA_END not in kinds, "nothing stands behind the end of the data"
            assert (opcode == HEADER) == (kinds == []), "the header comes first"
            kinds.append(opcode)
            if opcode == HEADER:
                f = Fields(content)
                self.profile, self.library = f.text(), f.text()
                f.end()
            elif opcode == SCHEMA:
                self.in_data.add(("schema", self.schema(content)))
            elif opcode == CHANNEL:
                self.in_data.add(("channel", self.channel(content)))
            elif opcode == CHUNK:
                self.read_chunk(offset, content)
            elif opcode == MESSAGE_INDEX:
                self.read_index(offset, content)
            else:
                assert opcode == DATA_END, opcode
                assert struct.unpack("<I", content)[0] == zlib.crc32(self.data[:offset]), "the data's checksum"
        assert kinds[-1] == DATA_END

    def chunk_index(self, content):
        f = Fields(content)
        chunk = self.chunks[self.indexed]
        self.indexed += 1
        assert [f.number(8) for _ in range(4)] == [chunk[key] for key in ("first", "last", "offset", "length")]
        assert f.map(u16, u64) == chunk["indexes"] and set(chunk["indexes"]) == set(chunk["messages"])
        ends = [offset + 9 + 2 + 4 + 16 * len(chunk["messages"][number]) for number, offset in chunk["indexes"].items()]
        assert f.number(8) == max(ends) - (chunk["offset"] + chunk["length"])
        assert (f.text(), f.number(8), f.number(8)) == (chunk["compression"], chunk["packed"], chunk["size"])
        f.end()

    def statistics(self, content):
        f = Fields(content)
        counts = {}
        for number, *_ in self.messages:
            counts[number] = counts.get(number, 0) + 1
        times = [time for _, _, time, _ in self.messages] or [0]
        assert [f.number(size) for size in (8, 2, 4, 4, 4, 4, 8, 8)] == [
            len(self.messages), len(self.schemas), len(self.channels), 0, 0, len(self.chunks), min(times), max(times)]
        assert f.map(u16, u64) == counts
        f.end()

    def read_summary(self):
        self.indexed, groups, again = 0, {}, set()
        for offset, opcode, content in records(self.data, self.summary_start, self.offsets_start):
            first, length = groups.get(opcode, (offset, 0))
            assert first + length == offset, "records of one kind stand together"
            groups[opcode] = first, length + 9 + len(content)
            if opcode == SCHEMA:
                again.add(("schema", self.schema(content)))
            elif opcode == CHANNEL:
                again.add(("channel", self.channel(content)))
            elif opcode == CHUNK_INDEX:
                self.chunk_index(content)
            else:
                assert opcode == STATISTICS, opcode
                assert CHANNEL in groups
                self.statistics(content)
        assert again == self.in_data and self.indexed == len(self.chunks) and STATISTICS in groups
        found = {}
        for _, opcode, content in records(self.data, self.offsets_start, len(self.data) - 37):
            assert opcode == SUMMARY_OFFSET
            kind, start, length = struct.unpack("<BQQ", content)
            assert found.setdefault(kind, (start, length)) == (start, length)
        assert found == groups
        for number in self.channels:
            sequence = [sequence for one, sequence, _, _ in self.messages if one == number]
            assert sequence == list(range(len(sequence))), "each channel counts its messages"

    def topic(self, name):
        """(time, value) of its messages, in the order of the file."""
        number, = (number for number, (topic, _) in self.channels.items() if topic == name)
        return [(time, json.loads(data)) for one, _, time, data in self.messages if one == number]

    def schema_of(self, name):
        number, = (schema for topic, schema in self.channels.values() if topic == name)
        return (self.schemas[number][0], json.loads(self.schemas[number][2])) if number else None
