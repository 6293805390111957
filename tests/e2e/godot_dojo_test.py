"""The demo game of the Godot addon is played, with clashd to judge it: at a desk by the mouse, and, with CLASHD_LONG, in OpenXR on Monado by
hands and a trigger (CLASHD_LONG=headset: that alone). It says that clashd is missing and what to start, then shows its title, a duel, sparks where a clash is seen, the
result, and begins again. The pictures stay in the root, in /var/tmp/clashd/godot-dojo."""
import json
import math
import os
import shutil
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import monado_root

PICTURES = ("missing", "title", "duel", "clash", "result")
PORT = 4717
FIRE_PIXELS = 100
DRAWN_BYTES = 20000  # a picture of one colour has far fewer
# A machine that draws with its processors has few frames a second.
SETTINGS = {"socket": {"push_timeout_ms": 60000}, "contact": {"max_gap_ms": 10000}, "blades": []}
DESK = ("--rendering-driver", "opengl3", "--rendering-method", "gl_compatibility", "--xr-mode", "off")
HEADSET = ("--rendering-driver", "vulkan", "--rendering-method", "mobile", "--xr-mode", "on")


class Hands:
    """The right hand cuts from side to side and reaches out; the left one waits."""

    def __init__(self, cuts=False, pulls_trigger=False):
        self.cuts, self.pulls_trigger, self.duration = cuts, pulls_trigger, 600.0

    def poses(self, time_s):
        left = (quat_from_turn((0.5, 0.0, 0.0)), (-0.25, 1.1, 0.15))
        if not self.cuts:
            return left, (quat_from_turn((0.6, 0.0, 0.0)), (0.25, 1.1, 0.1))
        yaw = 0.9 * math.sin(4.0 * time_s)
        turn = quat_multiply(quat_from_turn((0.0, yaw, 0.0)), quat_from_turn((0.35 + 0.3 * math.sin(1.1 * time_s), 0.0, 0.0)))
        return left, (turn, (0.1, 1.2, -0.02 - 0.12 * math.sin(0.9 * time_s)))


def make_project(room):
    project = room.logs / "project"
    shutil.rmtree(project, ignore_errors=True)
    shutil.copytree(SOURCE / "protocol" / "clients" / "godot", project, ignore=shutil.ignore_patterns(".godot"))
    shutil.copy(SOURCE / "tests" / "support" / "godot_dojo.gd", project)
    settings = project / "project.godot"
    settings.write_text(settings.read_text().replace("[application]\n", "[application]\n\nrun/flush_stdout_on_print=true"))
    return project


def facts(room, name):
    return [json.loads(line) for line in room.log(name).splitlines() if line.startswith("{")]


def wait_picture(room, name, godot, what, wait_s):
    """What the game says of the picture of that name, or of what came after it."""
    def said():
        return [item for item in facts(room, name) if item.get("picture") == what or what in item]
    wait_until(lambda: godot.poll() is not None or said(), f"{what} of {name}", wait_s)
    assert said(), f"{name}: no {what}, it ended with {godot.returncode}"
    return said()[0]


def play(room, name, way, size, press):
    """`press`: what to do when a picture is there."""
    pictures = room.logs / name
    pictures.mkdir()
    settings = RUN / f"{name}.json"
    settings.write_text(json.dumps(SETTINGS))
    godot = room.start(name, "godot", "--path", make_project(room), *way, "--audio-driver", "Dummy", "--resolution", size, "--script",
                       "res://godot_dojo.gd", "--", "127.0.0.1", PORT, RUN / "clashd" / "clashd.token", pictures, env={"DISPLAY": ":7"})
    clashd = None
    try:
        wait_picture(room, name, godot, "missing", 300)
        clashd = room.start(f"clashd-{name}", BUILD / "daemon" / "app" / "clashd", "--source", "none", "--tcp", PORT, "--config", settings)
        for picture in PICTURES[1:]:
            wait_picture(room, name, godot, picture, 150)
            press(picture)
        again = wait_picture(room, name, godot, "again", 120)
        assert godot.wait(WAIT_S) == 0, f"{name} ended with {godot.returncode}"
    finally:
        for process in (godot, clashd):
            if process and process.poll() is None:
                process.terminate()
                process.wait(WAIT_S)
    return {item["picture"]: item for item in facts(room, name) if "picture" in item}, again


def judge(room, name, in_vr, found, again):
    missing, title, duel, clash, result = (found[picture] for picture in PICTURES)
    assert missing["status"] == (f'cannot connect to 127.0.0.1:{PORT}: nobody listens there. Start "clashd --tcp {PORT}"; it is tried again '
                                 "until it is there"), missing
    assert "cannot" not in title["status"] and title["in_vr"] == in_vr, title
    assert duel["things"] == (7 if in_vr else 6), duel  # two or three swords, four targets
    assert clash["spark_off_m"] < 1e-4 and clash["seen"], clash
    x, y = clash["at"]
    assert 0 < x < clash["size"][0] and 0 < y < clash["size"][1], clash
    assert clash["fire"] > clash["elsewhere"] + FIRE_PIXELS, clash  # there where the clash is
    assert clash["time_scale"] < 0.9, clash  # slow motion
    assert 0 in result["points"].values() and result["clashes"] >= 1, result
    assert set(again["again"].values()) == {3} and again["time_scale"] > 0.9, again
    for picture in PICTURES:
        assert (room.logs / name / f"{picture}.png").stat().st_size > DRAWN_BYTES, picture
    bad = [line for line in room.log(name).split('{"again"')[0].splitlines() if "ERROR" in line]  # OpenXR's end in Godot has its own
    assert not bad, bad[:5]
    print(f"{name}: {result['clashes']} clashes in {result['frames']} frames, the hardest at {result['hardest']:.1f} m/s; {clash['fire']} "
          f"pixels of fire at the picture's clash, {clash['elsewhere']} elsewhere", flush=True)


def run():
    with Room("godot-dojo") as room:
        room.start("xvfb", "Xvfb", ":7", "-screen", "0", "1280x720x24", "-nolisten", "tcp")
        wait_until(Path("/tmp/.X11-unix/X7").exists, "Xvfb")
        if os.environ.get("CLASHD_LONG") != "headset":
            judge(room, "desk", False, *play(room, "desk", DESK, "640x360", lambda picture: None))
        if not os.environ.get("CLASHD_LONG"):
            return
        room.start_service()
        hands = [Hands(), Hands(pulls_trigger=True), Hands(cuts=True)]
        with Feeder(hands, room.logs / "sent") as feeder:
            feeder.play(0, time.monotonic_ns())

            def press(picture):
                if picture in ("title", "result"):
                    time.sleep(3 if picture == "result" else 0)  # the game takes no press at once
                    feeder.play(1, time.monotonic_ns())
                elif picture in ("duel", "clash"):  # fights, and then lets the other one win
                    feeder.play(2 if picture == "duel" else 0, time.monotonic_ns())
            judge(room, "headset", True, *play(room, "headset", HEADSET, "640x360", press))
        room.wait_no_clients()


if __name__ == "__main__":
    monado_root.enter(__file__, godot=True)
    from monado_feeder import Feeder
    from monado_rigid import quat_from_turn, quat_multiply
    from monado_room import RUN, SOURCE, WAIT_S, Room, wait_until

    BUILD = SOURCE / os.environ["CLASHD_BUILD_NAME"]
    run()
