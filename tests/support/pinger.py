"""Pings clashd every few milliseconds until its standard input ends, then prints how many answers came and how long the longest
took, in ms. A process of its own: threads of Python wait for each other.

    pinger.py SOCKET"""
import select
import socket
import sys
import time

EVERY_S = 0.004


def main():
    count, worst_s = 0, 0.0
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.connect(sys.argv[1])
        lines = client.makefile("rb")
        lines.readline()  # hello
        while not select.select([sys.stdin], [], [], EVERY_S)[0]:
            asked = time.monotonic()
            client.sendall(b'{"type":"ping","id":1}\n')
            answer = lines.readline()
            worst_s = max(worst_s, time.monotonic() - asked)
            assert b'"ok"' in answer, answer
            count += 1
    print(count, round(1e3 * worst_s, 1))


main()
