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

SECONDS = 20
OURS, FIRST, LAST = "XR_APILAYER_CLASHD_poses", "XR_APILAYER_TIMING_first", "XR_APILAYER_TIMING_last"
SKIPPED = 40  # frames at the start


def make_layers(folder):
    source = SOURCE / "tests" / "bench" / "layer" / "timing_layer.c"
    folder.mkdir()
    for name, place in ((FIRST, "-DTIMING_IS_FIRST"), (LAST, "-DTIMING_IS_LAST")):
        subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-shared", "-fPIC", "-pthread", f"-I{SOURCE}/daemon",
                        place, "-o", folder / f"{name}.so", source], check=True)
        manifest = json.loads((BUILD / "daemon" / "layer" / f"{OURS}.json").read_text())
        manifest["api_layer"] |= {"name": name, "library_path": str(folder / f"{name}.so")}
        (folder / f"{name}.json").write_text(json.dumps(manifest))
    build_library(SOURCE / "tests" / "bench" / "layer" / "split.c", folder / "split.so")


def measure(room, folder, names, seconds):
    """Lines of numbers, one a frame: of timing_layer.c; of split.c."""
    path, split = room.logs / f"times-{len(names)}", room.logs / f"split-{len(names)}"
    with Game(room, f"game-{len(names)}", first=True, XR_API_LAYER_PATH=f"{folder}:{BUILD}/daemon/layer", LAYER_TIMES=str(path),
              LAYER_SPLIT=str(split), LD_PRELOAD=f"{COUNTER}:{folder}/split.so",
              XR_ENABLE_API_LAYERS=":".join(names), CLASHD_SOCKET=str(SOCKET)) as game:
        wait_until(lambda: game.frames() > SKIPPED, "the first frames")
        before = game.frames()
        wait_until(lambda: game.frames() > before + 20 * seconds * 0.9, "frames", 10 * seconds)
    return [[tuple(map(int, line.split())) for line in file.read_text().splitlines()[SKIPPED:]] if file.exists() else []
            for file in (path, split)]


def show(title, values):
    values = sorted(values)
    if not values:  # the thread was never woken: a starved runtime predicts so far ahead that frames wait for their time
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
            bare, _ = measure(room, folder, [FIRST, LAST], max(seconds // 3, 1))
            show("two layers that measure, with nothing between", [line[0] for line in bare])
            times, split = measure(room, folder, [FIRST, OURS, LAST], seconds)
            show("the layer's own", [line[0] for line in times])
            show("of it, waking the layer's thread", [line[0] for line in split])
            show("the runtime's, for the layer's two locates", [line[1] for line in times])
            show("not in the frame: from waking the thread until it runs", [line[1] for line in split])
            show("not in the frame: its encoding", [line[2] for line in split])
            show("not in the frame: its send", [line[3] for line in split])
            show("for comparison: two looks at the clock", [line[3] for line in times])
            show("for comparison: a bare send that wakes a thread", [line[4] for line in times])
            print(f"{len(split)} of {len(times)} frames woke the layer's thread; of a machine too busy for it the game's own thread sends")


if __name__ == "__main__":
    monado_root.enter(__file__)
    from monado_clashd import SOCKET, Clashd
    from monado_feeder import Feeder
    from monado_game import COUNTER, Game, build_counter
    from monado_room import BUILD, RUN, SOURCE, Room, build, build_library, wait_until
    from monado_script import Script

    build()
    run(SECONDS)
