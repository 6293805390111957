#!/usr/bin/env python3
"""Prints a line for each clash, and goes on when clashd comes back.

    sparks.py [ADDRESS]     clashd's Unix socket, or tcp:127.0.0.1:4717; the default socket if left out"""
import sys

import clashd


def main() -> None:
    with clashd.connect(*sys.argv[1:2], reconnect=True) as c:
        print(f"clashd {c.hello.version}, {len(c.hello.blades)} blades", flush=True)
        for clash in c.events("clash"):
            x, y, z = clash.midpoint
            print(f"spark at {x:.3f} {y:.3f} {z:.3f}, {clash.closing_speed:.1f} m/s, {' against '.join(clash.blades)}", flush=True)


if __name__ == "__main__":
    try:
        main()
    except (clashd.Error, ValueError) as error:
        sys.exit(f"sparks: {error}")
    except KeyboardInterrupt:
        pass
