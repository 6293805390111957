"""hello_xr on Monado with the API layer: every frame's hands come to clashd, the core validation layer, behind ours, has nothing to
say that it does not say of the game alone, and a clashd that is stopped, slow or not there does not take frames from the game."""
import json
import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import monado_root

OURS, VALIDATION = "XR_APILAYER_CLASHD_poses", "XR_APILAYER_LUNARG_core_validation"
MEASURED_S = 8 if os.environ.get("CLASHD_LONG") else 3
CROSSINGS = 5


def layers(room, *names, **env):
    """The environment of a game with these layers, the first one nearest to it."""
    findings = room.logs / f"findings-{len(names)}-{names[0]}"
    return {"XR_API_LAYER_PATH": f"{BUILD}/daemon/layer:/usr/share/openxr/1/api_layers/explicit.d",
            "XR_ENABLE_API_LAYERS": ":".join(names), "CLASHD_SOCKET": str(SOCKET),
            "XR_CORE_VALIDATION_EXPORT_TYPE": "text", "XR_CORE_VALIDATION_FILE_NAME": str(findings), **env}, findings


def findings_of(path):
    """What the validation layer found, as the rule and the call: [TIME][LEVEL | RULE | CALL] : what."""
    found = [line.split("]")[1].strip("[").split(" | ") for line in path.read_text(errors="replace").splitlines()
             if line.count(" | ") >= 2]
    assert found, "the validation layer wrote nothing at all"
    return {(rule, call) for level, rule, call in found if level not in ("VALID_DEBUG", "VALID_INFO")}


def validated(room, feeder, scripts):
    """The game alone, then with our layer and clashd; of the latter the poses, too."""
    env, alone = layers(room, VALIDATION)
    with Game(room, "validated", **env) as game:
        wait_until(lambda: game.frames() > 30, "frames of the validated game")
    env, both = layers(room, OURS, VALIDATION)
    with Clashd(room, source="none") as clashd:
        with Game(room, "with-layer", **env) as game:
            wait_until(lambda: all(device.get("source") == "layer" and device["tracked"]
                                   for device in clashd.status()["devices"]) and clashd.status()["devices"], "both hands fed")
            before = game.frames()
            play(feeder, scripts, 0)
            frames = game.frames() - before
            spaces = {device.get("space") for device in clashd.status()["devices"]}
        clashd.check_alive()
    new = findings_of(both) - findings_of(alone)
    assert not new, f"the validation layer says of ours: {new}"
    poses = [line for line in map(json.loads, clashd.recorded_lines()) if line["type"] == "poses"]
    times = [line["time_ns"] for line in poses]
    assert times == sorted(set(times)), "a frame came twice, or late"
    assert len(poses) >= frames > 30, f"{len(poses)} frames came of {frames}"
    assert all(len(line["poses"]) == 2 for line in poses), "a frame without one of the hands"
    heights = [line["poses"][0]["position"][1] for line in poses]
    assert max(heights) - min(heights) > 0.05, "the hands that came did not move"
    print(f"{len(poses)} frames came, in space {spaces}, {frames} of them during the script.")


def frames_in(game, seconds):
    before = game.frames()
    time.sleep(seconds)
    return game.frames() - before


def undisturbed(room):
    """Frames in the same time: without the layer; with it and no clashd, one that is slow, one that is stopped."""
    drawn = {}
    with Game(room, "without") as game:
        drawn["without the layer"] = frames_in(game, MEASURED_S)
    env, _ = layers(room, OURS)
    with Game(room, "no-clashd", **env) as game:
        drawn["no clashd"] = frames_in(game, MEASURED_S)
    with Clashd(room, "stopped", source="none") as clashd:
        with Game(room, "stopped-game", **env) as game:
            wait_until(lambda: clashd.status()["devices"], "a feed")
            clashd.process.send_signal(signal.SIGSTOP)
            drawn["clashd stopped"] = frames_in(game, MEASURED_S)
            clashd.process.send_signal(signal.SIGCONT)
    with slow_reader(), Game(room, "slow-game", **env) as game:
        drawn["clashd slow"] = frames_in(game, MEASURED_S)
    print(f"Frames in {MEASURED_S} s: {drawn}")
    # A share, as the machine may be busier in one part than in another: what waits for clashd draws none.
    assert min(drawn.values()) > 0.5 * drawn["without the layer"], drawn


class slow_reader:
    """Takes connections, says nothing, and reads a byte now and then."""

    def __enter__(self):
        SOCKET.unlink(missing_ok=True)
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(str(SOCKET))
        self.listening.listen()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        client = self.listening.accept()[0]
        while client.recv(1):
            time.sleep(0.1)

    def __exit__(self, *_):
        self.listening.close()


def run():
    scripts = [Script(6, CROSSINGS)]
    with Room("monado-layer") as room:
        build_counter()
        room.start_service()
        with Feeder(scripts, room.logs / "sent") as feeder:
            validated(room, feeder, scripts)
            undisturbed(room)


if __name__ == "__main__":
    monado_root.enter(__file__)
    from monado_clashd import SOCKET, Clashd, play
    from monado_feeder import Feeder
    from monado_game import Game, build_counter
    from monado_room import BUILD, Room, build, wait_until
    from monado_script import Script

    build()
    run()
