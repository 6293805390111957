"""clashd on a real OpenXR runtime: Monado's service, whose remote driver moves two controllers through 200 crossings,
is then killed and started again. Every crossing gives exactly one clash, each where an exhaustive search over the poses
that clashd recorded finds it, and near where the script has it."""
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import monado_root

CROSSINGS = 200 if os.environ.get("CLASHD_LONG") else 60
AFTER_KILL = 20


def kill_and_restart(room, clashd, feeder, scripts):
    """SIGKILL to the service in the middle of script 1; all of script 2 once it is back. When script 2 began."""
    seen = len(clashd.subscriber.events)
    feeder.play(1, time.monotonic_ns())
    time.sleep(0.5 * scripts[1].duration)
    clashes_before = len(clashd.subscriber.of_type("clash", seen))
    assert clashes_before > 0, "no clash in the first half of the script"
    room.kill_service()
    wait_until(lambda: clashd.subscriber.tracked_since(seen, False), "tracking events for the loss of the runtime")
    time.sleep(0.5 * scripts[1].duration)
    seen = len(clashd.subscriber.events)
    room.start_service()
    wait_until(lambda: clashd.subscriber.tracked_since(seen, True), "tracking events for the return of the runtime")
    return play(feeder, scripts, 2, delay_s=1.0)


def run():
    scripts = [Script(1, CROSSINGS), Script(2, AFTER_KILL), Script(3, AFTER_KILL)]
    with Room("monado") as room:
        room.start_service()
        with Feeder(scripts, room.logs / "sent") as feeder, Clashd(room) as clashd:
            clashd.wait_tracked()
            started = play(feeder, scripts, 0)
            restarted = kill_and_restart(room, clashd, feeder, scripts)
            clashd.check_alive()
        judge(clashd, Played(scripts[0], started), Played(scripts[2], restarted))


if __name__ == "__main__":
    monado_root.enter(__file__)
    from monado_check import Played
    from monado_clashd import Clashd, play
    from monado_feeder import Feeder
    from monado_judge import judge
    from monado_room import Room, build, wait_until
    from monado_script import Script

    build()
    run()
