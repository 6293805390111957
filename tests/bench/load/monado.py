"""What the rate that follows the blades (openxr.rate_hz "auto") spares, on clashd's side and on the runtime's: real swings, played to Monado
over its remote driver, beside no clashd, one at 500 Hz, and one at "auto", in turns. Percent of a core, of clashd, of its process with
the runtime's library in it, and of Monado's service less what that takes without a clashd. See ../README.md.

    CLASHD_GODOT=1 python3 tests/bench/load/monado.py       # as root; in the root of e2e/godot_frames_test.py"""
import bisect
import json
import math
import os
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
import monado_root

ROUNDS = 3
PLAYED_S = 20.0
RATES = (None, 500, "auto")


class Recorded:
    """What Feeder plays: both hands of a recording, straight on from sample to sample."""

    def __init__(self, path, hands):
        self.times, self.samples, self.hands = [], [], hands
        for line in map(json.loads, path.read_text().splitlines()):
            if line["type"] != "poses" or len(line["poses"]) != 2:
                continue
            both = {one["device"].rsplit("/", 1)[1]: one for one in line["poses"]}
            if all(one.get("valid", True) and any(one["orientation"]) for one in both.values()):
                self.times.append(1e-9 * line["time_ns"])
                self.samples.append([both[hand] for hand in ("left", "right")])
        self.times = [at - self.times[0] for at in self.times]

    def poses(self, at):
        index = min(max(bisect.bisect_right(self.times, at), 1), len(self.times) - 1)
        before, after = self.times[index - 1], self.times[index]
        part = min(max((at - before) / max(after - before, 1e-9), 0.0), 1.0)
        return {hand: between(a, b, part) for hand, a, b in zip(self.hands, self.samples[index - 1], self.samples[index])}


def between(a, b, part):
    side = 1 if sum(x * y for x, y in zip(a["orientation"], b["orientation"])) >= 0 else -1
    turn = [x + part * (side * y - x) for x, y in zip(a["orientation"], b["orientation"])]
    size = math.hypot(*turn)
    return tuple(x / size for x in turn), tuple(x + part * (y - x) for x, y in zip(a["position"], b["position"]))


def spent_s(pid):
    """Processor time of all its threads."""
    return 1e-9 * sum(int((task / "schedstat").read_text().split()[0]) for task in Path(f"/proc/{pid}/task").iterdir())


def child_of(pid):
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


def measure(room, feeder, rate, number):
    """Percent of a core: [service, clashd, its helper]."""
    pids = [room.service.pid]
    clashd = None
    if rate:
        name = f"clashd-{number}"
        settings = RUN / f"{name}.json"
        settings.write_text(json.dumps({"openxr": {"rate_hz": rate, "haptics": False}}))
        clashd = room.start(name, BUILD / "daemon" / "app" / "clashd", "--source", "openxr", "--config", settings)
        feeder.play(0, time.monotonic_ns())
        wait_until(lambda: "right hand: /interaction_profiles" in room.log(name), "clashd's session")
        time.sleep(1.0)
        pids += [clashd.pid, child_of(clashd.pid)]
    feeder.play(0, time.monotonic_ns())
    before, since = [spent_s(pid) for pid in pids], time.monotonic()
    time.sleep(PLAYED_S)
    shares = [100 * (spent_s(pid) - was) / (time.monotonic() - since) for pid, was in zip(pids, before)]
    if clashd:
        clashd.terminate()
        clashd.wait(WAIT_S)
        room.wait_no_clients()
    return shares


def run():
    found = {rate: [] for rate in RATES}
    with Room("load") as room:
        room.start_service()
        with Feeder([Recorded(SOURCE / "tests" / "data" / "duel-20s.jsonl", (LEFT, RIGHT))], room.logs / "sent") as feeder:
            for number in range(ROUNDS * len(RATES)):
                rate = RATES[number % len(RATES)]
                found[rate].append(measure(room, feeder, rate, number))
    rest = statistics.median(shares[0] for shares in found[None])
    print(f"Percent of a core while duel-20s.jsonl is played, medians of {ROUNDS} rounds of {PLAYED_S:g} s; the service takes {rest:.2f} alone.\n")
    print("| rate | clashd | clashd-openxr | the service, for clashd | together |\n| :--- | ---: | ---: | ---: | ---: |")
    for rate in RATES[1:]:
        service, clashd, helper = (statistics.median(column) for column in zip(*found[rate]))
        print(f"| {rate} | {clashd:.2f} | {helper:.2f} | {service - rest:.2f} | {clashd + helper + service - rest:.2f} |")


if __name__ == "__main__":
    monado_root.enter(__file__, godot=True)
    from monado_feeder import Feeder
    from monado_room import RUN, SOURCE, WAIT_S, Room, wait_until
    from monado_script import LEFT, RIGHT

    BUILD = SOURCE / os.environ["CLASHD_BUILD_NAME"]
    run()
