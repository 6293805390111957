#!/usr/bin/env python3
"""What the API layer costs a frame of hello_xr on Monado, with a clashd that takes the feed: run.py. Needs root, as
tests/e2e/monado_layer_test.py does, in whose root it runs."""
import json
import os
import subprocess
import sys
from pathlib import Path

os.environ["CLASHD_MONADO"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
import monado_root

SECONDS = 100  # 2000 frames: of 364 only four are worse than the p99
OURS = "XR_APILAYER_CLASHD_poses"
FIRST, MIDDLE, LAST = AROUND = ["XR_APILAYER_TIMING_first", "XR_APILAYER_TIMING_middle", "XR_APILAYER_TIMING_last"]
KINDS = ("xrWaitFrame", "xrSyncActions", "xrLocateViews", "xrPollEvent", "xrEndFrame")  # of timing_layer.c
SKIPPED = 40  # frames at the start


def make_layers(folder):
    source = SOURCE / "tests" / "bench" / "layer" / "timing_layer.c"
    folder.mkdir()
    for place, name in enumerate(AROUND):
        subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-shared", "-fPIC", "-pthread", f"-I{SOURCE}/daemon",
                        f"-DTIMING_PLACE={place}", "-o", folder / f"{name}.so", source], check=True)
        manifest = json.loads((BUILD / "daemon" / "layer" / f"{OURS}.json").read_text())
        manifest["api_layer"] |= {"name": name, "library_path": str(folder / f"{name}.so")}
        (folder / f"{name}.json").write_text(json.dumps(manifest))
    build_library(SOURCE / "tests" / "bench" / "layer" / "split.c", folder / "split.so")


class Frame:
    """A line of timing_layer.c."""

    def __init__(self, line):
        numbers = list(map(int, line.split()))
        self.kinds = {kind: numbers[3 * i:3 * i + 3] for i, kind in enumerate(KINDS)}
        self.locates, self.clock, self.send, self.wake, self.idled = numbers[3 * len(KINDS):]

    def empty(self):
        return sum(first - middle for first, middle, _ in self.kinds.values())

    def own(self, *kinds):
        """But for its locates, which are in xrLocateViews, as hello_xr syncs before xrWaitFrame."""
        return sum(self.kinds[kind][1] - self.kinds[kind][2] - (self.locates if kind == "xrLocateViews" else 0) for kind in kinds)


def thread_ns(pid):
    """Processor time of the layer's thread; 0: there is none."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks if (task / "comm").read_text() == "clashd-layer\n")


def measure(room, folder, names, seconds):
    """Of timing_layer.c a Frame each, of split.c the numbers, of the layer's thread what it took of a processor, ns a frame."""
    path, split = room.logs / f"times-{len(names)}", room.logs / f"split-{len(names)}"
    with Game(room, f"game-{len(names)}", first=True, XR_API_LAYER_PATH=f"{folder}:{BUILD}/daemon/layer", LAYER_TIMES=str(path),
              LAYER_SPLIT=str(split), LD_PRELOAD=f"{COUNTER}:{folder}/split.so",
              XR_ENABLE_API_LAYERS=":".join(names), CLASHD_SOCKET=str(SOCKET)) as game:
        wait_until(lambda: game.frames() > SKIPPED, "the first frames")
        before, began = game.frames(), thread_ns(game.process.pid)
        wait_until(lambda: game.frames() > before + 20 * seconds * 0.9, "frames", 10 * seconds)
        took = (thread_ns(game.process.pid) - began) / (game.frames() - before)
    lines = [file.read_text().splitlines()[SKIPPED:] if file.exists() else [] for file in (path, split)]
    return [Frame(line) for line in lines[0]], [tuple(map(int, line.split())) for line in lines[1]], took


def show(title, values):
    values = sorted(values)
    if not values:
        print(f"| {title} | - | - | - | - | 0 |")
        return
    print(f"| {title} | " + " | ".join(f"{values[min(len(values) - 1, int(share * len(values)))] / 1000:.1f}"
                                       for share in (0.5, 0.9, 0.99, 0.999)) + f" | {len(values)} |")


def run(seconds):
    with Room("layer-bench") as room:
        folder = RUN / "layers"
        make_layers(folder)
        build_counter()
        room.start_service()
        with Feeder([Script(1, 3)], room.logs / "sent"), Clashd(room, source="none"):
            print("| us a frame | p50 | p90 | p99 | p99.9 | frames |\n| :--- | ---: | ---: | ---: | ---: | ---: |")
            bare, _, _ = measure(room, folder, AROUND, seconds // 3)
            show("the runtime's xrSyncActions, without the layer", [frame.kinds["xrSyncActions"][2] for frame in bare])
            frames, split, took = measure(room, folder, [FIRST, MIDDLE, OURS, LAST], seconds)
            show("the runtime's xrSyncActions, with the layer's sets", [frame.kinds["xrSyncActions"][2] for frame in frames])
            show("the runtime's, for the layer's two locates", [frame.locates for frame in frames])
            show("the layer's own", [frame.own(*KINDS) for frame in frames])
            show("of it, in xrLocateViews, where it looks and sends", [frame.own("xrLocateViews") for frame in frames])
            show("of that, waking the layer's thread, if it was asleep", [line[0] for line in split if line[0]])
            for kind in ("xrWaitFrame", "xrSyncActions", "xrPollEvent", "xrEndFrame"):
                show(f"of it, in {kind}", [frame.own(kind) for frame in frames])
            show("for comparison: a layer that does nothing", [frame.empty() for frame in frames])
            show("for comparison: two looks at the clock", [frame.clock for frame in frames])
            show("for comparison: 20 us of looks at the clock", [frame.idled for frame in frames])
            show("for comparison: waking such a thread", [frame.wake for frame in frames])
            show("for comparison: a bare send that wakes a thread", [frame.send for frame in frames])
            show("not in the frame: until the thread runs for it", [line[1] for line in split])
            show("not in the frame: its encoding", [line[2] for line in split])
            show("not in the frame: its send", [line[3] for line in split])
            print(f"Of {len(frames)} frames the layer's thread sent {len(split)}; the game's own sends on a machine too busy for that. "
                  f"{sum(1 for line in split if line[0])} had to wake it. It took {took / 1000:.0f} us of a processor for each.")


if __name__ == "__main__":
    monado_root.enter(__file__)
    from monado_clashd import SOCKET, Clashd
    from monado_feeder import Feeder
    from monado_game import COUNTER, Game, build_counter
    from monado_room import BUILD, RUN, SOURCE, Room, build, build_library, wait_until
    from monado_script import Script

    build()
    run(SECONDS)
