"""Strangers at a broker, who keep to MQTT 3.1.1 and to nothing else: mqtt_raw.py PORT TOPIC RATE_HZ publishes what is read from standard input, a payload
a line, again and again until it is killed; RATE_HZ 0: as fast as the broker takes it."""
import socket
import struct
import sys
import time


def packet(kind, body):
    length, left = b"", len(body)
    while True:
        length += bytes([left & 0x7f | (0x80 if left > 0x7f else 0)])
        left >>= 7
        if not left:
            return bytes([kind]) + length + body


def text(value):
    encoded = value if isinstance(value, bytes) else value.encode()
    return struct.pack(">H", len(encoded)) + encoded


def publish(topic, payload, retain=False):
    """Of QoS 0."""
    return packet(0x31 if retain else 0x30, text(topic) + payload)


def connect(port, name="stranger"):
    """A connection that the broker has taken."""
    there = socket.create_connection(("127.0.0.1", port))
    there.settimeout(60)
    there.sendall(packet(0x10, text("MQTT") + b"\4\2\0\0" + text(name)))
    answer = there.recv(4)
    assert answer == b"\x20\2\0\0", answer
    return there


def listen(port, topic="#"):
    """One that subscribes, and is never read from again."""
    there = connect(port, "listener")
    there.sendall(packet(0x82, b"\0\1" + text(topic) + b"\0"))
    return there


class SlowBroker:
    """Takes one client of MQTT 5, answers nothing but its CONNECT, and reads only what it is asked for."""

    def __init__(self):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.server.settimeout(60)
        self.port = self.server.getsockname()[1]

    def accept(self, answer=b"\x20\3\0\0\0"):
        self.there = self.server.accept()[0]
        self.there.settimeout(60)
        assert self.read()[0] == 0x10
        self.there.sendall(answer)

    def take(self, count):
        data = b""
        while len(data) < count and (more := self.there.recv(count - len(data))):
            data += more
        return data

    def read(self):
        """The next packet: (its first byte, what follows its length); None at the end."""
        if not (kind := self.take(1)):
            return None
        length, shift, more = 0, 0, True
        while more:
            byte = self.take(1)[0]
            length |= (byte & 0x7f) << shift
            shift, more = shift + 7, byte & 0x80
        return kind[0], self.take(length)

    def say(self, data):
        self.there.sendall(data)

    def acknowledge(self, packet):
        """A publish, if that is of QoS 1."""
        kind, body = packet
        if kind & 0xf6 == 0x32:
            at = 2 + struct.unpack_from(">H", body)[0]
            self.say(b"\x40\2" + body[at:at + 2])

    def stop(self):
        self.there.close()
        self.server.close()


def main():
    port, topic, rate_hz = int(sys.argv[1]), sys.argv[2], float(sys.argv[3])
    there = connect(port, f"flood-{time.monotonic_ns()}")
    packets = [publish(topic, line.rstrip(b"\n")) for line in sys.stdin.buffer]
    begin, count = time.monotonic(), 0
    while True:
        there.sendall(packets[count % len(packets)])
        count += 1
        if rate_hz and count % 10 == 0:
            time.sleep(max(0, begin + count / rate_hz - time.monotonic()))


if __name__ == "__main__":
    main()
