#!/usr/bin/env python3
"""A post, and a sword of this program's own that strikes it, with asyncio: what another program's blade would do too.

    pell.py [ADDRESS]       clashd's Unix socket, or tcp:127.0.0.1:4717; the default socket if left out"""
import asyncio
import math
import sys

import clashd
import clashd.aio

RATE_HZ = 90


async def swing(c: clashd.aio.Client) -> None:
    """The sword hangs level at a height of 1.2 m and goes to and fro through where the post is."""
    await c.target("pell post", position=(0, 0, -0.6), capsule={"base": (0, 0, 0), "tip": (0, 1.8, 0), "radius": 0.06})
    await c.blade("pell sword", "pell/hand", base=(0, 0, 0), tip=(0, 0, -1), radius=0.015)
    clock = asyncio.get_running_loop()
    began = clock.time()
    while True:
        x = 0.5 * math.cos(2 * math.pi * (clock.time() - began))
        await c.poses(clashd.Pose(device="pell/hand", position=(x, 1.2, 0), orientation=(0, 0, 0, 1)))
        await asyncio.sleep(1 / RATE_HZ)


async def main() -> None:
    async with clashd.aio.connect(*sys.argv[1:2]) as c:
        events = c.events("clash", blades=["pell sword"])
        swinging = asyncio.create_task(swing(c))
        try:
            async for clash in events:
                print(f"clash at {clash.midpoint}, intensity {clash.intensity:.2f}", flush=True)
        finally:
            swinging.cancel()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except (clashd.Error, ValueError) as error:
        sys.exit(f"pell: {error}")
    except KeyboardInterrupt:
        pass
