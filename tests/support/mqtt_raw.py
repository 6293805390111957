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
