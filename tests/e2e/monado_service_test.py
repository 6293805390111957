"""clashd as a service on a real OpenXR runtime that hangs: Monado's service, stopped by SIGSTOP in the middle of a
motion, before clashd begins, and while it ends. Then tracking is lost and all else goes on, the watchdog too; only a
loop of its own that hangs misses that. No clash is made up of what was before and after."""
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import monado_root

CROSSINGS = 8
WATCHDOG_S = 1
FED = 8  # times, two of which are due in each WATCHDOG_S
# Many times the half of WATCHDOG_S at which a loop that turns says so, however busy the machine.
SILENCE_S = 3
STALLED = "the runtime does not answer"
MAX_GAP_MS = 100
NO_GAP_MS = 10000  # longer than anything here: what is cut is cut because tracking is lost
ATTEMPTS = 3
SWAPPED, RESTING = 3, 4  # scripts after those with crossings


def is_watchdog(line):
    return line == "WATCHDOG=1"


class Service:
    """A clashd whose manager we are."""

    def __init__(self, room, name, suffix=".jsonl", max_gap_ms=MAX_GAP_MS):
        self.manager = service.Manager(RUN, f"{name}.notify")
        self.stuck = RUN / f"{name}.stuck"
        self.clashd = Clashd(room, name, suffix, max_gap_ms=max_gap_ms,
                             env={"NOTIFY_SOCKET": str(self.manager.path), "WATCHDOG_USEC": str(int(WATCHDOG_S * 1e6)),
                                  "LD_PRELOAD": str(STUCK_LOOP), "CLASHD_STUCK_LOOP": str(self.stuck)})
        self.events = self.clashd.subscriber.events
        self.manager.wait_for("READY=1".__eq__)

    def request(self, kind):
        """Of a client that comes for it."""
        with Client(SOCKET) as client:
            return client.request({"type": kind, "id": 1})

    def wait_stalled(self, seen, tracking):
        """Both hands are lost for that reason in the events from `seen` on, where they were tracked, and the manager
        is told."""
        if tracking == "tracking lost":
            wait_until(lambda: self.clashd.subscriber.tracked_since(seen, False), "tracking events for the hang")
            reasons = {event["reason"] for event in self.clashd.subscriber.of_type("tracking", seen)}
            assert reasons == {"runtime_stalled"}, f"tracking is lost for {reasons}"
        self.manager.wait_for_status(f"STATUS=openxr stalled: {tracking}; ", f" ({STALLED})")

    def check_lives_on(self):
        """The manager's watchdog is fed and clients are served, and the runtime hangs all the while."""
        self.manager.drain()
        times = []
        for _ in range(FED):
            self.manager.wait_for(is_watchdog)
            times.append(time.monotonic())
            assert self.request("ping")["type"] == "ok"
        status = self.request("status")
        assert (status["state"], status["detail"]) == ("stalled", STALLED), status
        apart = max(after - before for before, after in zip(times, times[1:]))
        print(f"Fed {FED} times while the runtime hung, {apart:.2f} s apart at most.")

    def wait_back(self, seen):
        wait_until(lambda: self.clashd.subscriber.tracked_since(seen, True), "tracking events for the return")
        self.manager.wait_for_status("STATUS=openxr running: 2 of 2 devices tracked; ")
        self.clashd.check_alive()

    def stop(self):
        """Ends it well although the runtime hangs; its recording is then whole."""
        self.manager.drain()
        began = time.monotonic()
        code = self.clashd.stop()
        assert code == 0, f"clashd ended with {code}"
        print(f"Ended {time.monotonic() - began:.2f} s after SIGTERM while the runtime hung.")
        self.manager.wait_for("STOPPING=1".__eq__)
        if not self.clashd.recording_path.exists():  # a file is made with the first pose
            assert not event_lines(self.clashd.subscriber.lines), self.clashd.subscriber.lines
            return
        done = subprocess.run([BUILD / "daemon" / "ctl" / "clashctl", "verify", self.clashd.recording_path],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0 and "torn" not in done.stdout, done.stdout + done.stderr
        assert f"{len(event_lines(self.clashd.subscriber.lines))} events compared" in done.stdout, done.stdout

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.clashd.process.kill()
        self.manager.close()


class Still:
    """A script: both hands in those poses, for ever."""
    duration = 0.0

    def __init__(self, poses):
        self.held = poses

    def poses(self, _):
        return self.held


def runtime_hangs(room, tried, feeder, scripts):
    """In the middle of script 1; all of script 2 once it is back. When script 2 began."""
    seen = len(tried.events)
    feeder.play(1, time.monotonic_ns())
    wait_until(lambda: tried.clashd.subscriber.of_type("clash", seen), "a clash in the script")
    seen = len(tried.events)
    room.hang_service()
    tried.wait_stalled(seen, "tracking lost")
    seen = len(tried.events)
    tried.check_lives_on()
    assert len(tried.events) == seen, f"events while the runtime hung: {tried.events[seen:]}"
    time.sleep(max(0.0, scripts[1].duration - FED * WATCHDOG_S / 2))
    room.wake_service()
    tried.wait_back(seen)
    return play(feeder, scripts, 2)


def loop_hangs(tried):
    """The runtime and the thread that asks it go on meanwhile."""
    seen = len(tried.events)
    tried.stuck.touch()
    tried.manager.drain()
    tried.manager.listen(2)  # the turn that was on its way
    lines = tried.manager.listen(SILENCE_S)
    assert lines == [], f"the loop hangs, and clashd says {lines}"
    tried.stuck.unlink()
    tried.manager.wait_for(is_watchdog)
    assert tried.clashd.status()["state"] == "running"
    assert len(tried.events) == seen, f"the runtime has not hung: {tried.events[seen:]}"


def stat(pid):
    """What follows the name in /proc: state, parent and so on."""
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()


def asking(clashd):
    """The process in which clashd has the runtime."""
    for place in Path("/proc").glob("[0-9]*/comm"):
        try:
            if place.read_text() == "clashd-openxr\n" and stat(place.parent.name)[1] == str(clashd.pid):
                return int(place.parent.name)
        except OSError:  # gone meanwhile
            pass
    raise AssertionError("clashd has no process with the runtime")


def hands_jump(room, tried, feeder, index, wait_hung):
    """While the runtime hangs, which wait_hung() waits through, the hands get to where that script has them, and the
    straight way there goes through the other blade. The process that asks the runtime is held until that knows, or it might see
    a jump."""
    process = asking(tried.clashd.process)
    room.hang_service()
    feeder.play(index, time.monotonic_ns())
    wait_until(lambda: room.unread_messages() > 50, "poses that monado-service has not read")
    wait_hung()
    os.kill(process, signal.SIGSTOP)
    wait_until(lambda: stat(process)[0] == "T", "a process that is held")
    room.wake_service()
    wait_until(lambda: room.unread_messages() <= 2, "monado-service with the poses")
    os.kill(process, signal.SIGCONT)


def hands_jump_while_it_hangs(room, tried, feeder):
    for index in (SWAPPED, RESTING):
        seen = len(tried.events)
        hands_jump(room, tried, feeder, index, lambda: tried.wait_stalled(seen, "tracking lost"))
        tried.wait_back(seen)
        kinds = {event["type"] for event in tried.events[seen:]}
        assert kinds == {"tracking"}, f"the hands swapped sides unseen: {tried.events[seen:]}"


def hands_jump_while_it_falters(room, tried, feeder):
    """Too short for tracking to be lost, too long for poses from before and after to be joined."""
    seen = len(tried.events)
    for index in (SWAPPED, RESTING, SWAPPED, RESTING):
        hands_jump(room, tried, feeder, index, lambda: time.sleep(2e-3 * MAX_GAP_MS))
        time.sleep(0.2)
    kinds = {event["type"] for event in tried.events[seen:]}
    assert kinds <= {"tracking"}, f"the hands swapped sides unseen: {tried.events[seen:]}"


def check(clashd, *all_played):
    """Every event came, those that the recorded poses give and no others, and every crossing that was played gave one
    clash."""
    lines = clashd.recorded_lines()
    check_lines(clashd.subscriber.lines, lines)
    recording = Recording(lines)
    worst = against_recording(recording)
    count = sum(len(against_script(recording, played)) for played in all_played)
    print(f"{worst.clashes} clashes, each found in the recorded poses; {count} crossings gave one each.")


def hangs_and_goes_on(room, feeder, scripts, attempt):
    with Service(room, f"clashd-service-{attempt}", max_gap_ms=NO_GAP_MS) as tried:
        tried.clashd.wait_tracked()
        started = play(feeder, scripts, 0)
        resumed = runtime_hangs(room, tried, feeder, scripts)
        loop_hangs(tried)
        hands_jump_while_it_hangs(room, tried, feeder)
        room.hang_service()  # and clashd is not left the time to notice
        tried.stop()
    room.wake_service()
    room.wait_no_clients()
    check(tried.clashd, Played(scripts[0], started), Played(scripts[2], resumed))


def hangs_from_the_start(room):
    room.hang_service()
    with Service(room, "clashd-at-once") as tried:
        tried.wait_stalled(0, "nothing tracked")
        tried.check_lives_on()
        tried.stop()
    room.wake_service()
    room.wait_no_clients()


def answers_at_last(room, feeder, scripts):
    room.hang_service()
    with Service(room, "clashd-waits", ".jsonl.zst") as tried:
        tried.wait_stalled(0, "nothing tracked")
        room.wake_service()
        tried.wait_back(0)
        hands_jump_while_it_falters(room, tried, feeder)
        seen = len(tried.events)
        play(feeder, scripts, 0)
        clashes = tried.clashd.subscriber.of_type("clash", seen)
        assert len(clashes) == CROSSINGS, f"{CROSSINGS} crossings gave {len(clashes)} clashes"
        seen = len(tried.events)
        room.hang_service()
        tried.wait_stalled(seen, "tracking lost")
        tried.stop()


def until_sampled(trial):
    """A busy machine may starve the runtime itself: then what was played is no trial, and is played again."""
    for attempt in range(ATTEMPTS):
        try:
            return trial(attempt)
        except Starved as starved:
            if attempt + 1 == ATTEMPTS:
                raise
            print(f"played again: {starved}")


def run():
    scripts = [Script(seed, CROSSINGS, slowest=0.5) for seed in (7, 8, 9)]
    every = scripts + [Still((REST[RIGHT], REST[LEFT])), Still(REST)]
    with Room("monado-service") as room:
        build_library(SOURCE / "tests" / "support" / "stuck_loop.c", STUCK_LOOP)
        room.start_service()
        with Feeder(every, room.logs / "sent") as feeder:
            until_sampled(lambda attempt: hangs_and_goes_on(room, feeder, every, attempt))
            hangs_from_the_start(room)
            answers_at_last(room, feeder, every)


if __name__ == "__main__":
    monado_root.enter(__file__)
    import service
    from clashd import Client
    from monado_check import Played, Recording, Starved, against_recording, against_script
    from monado_clashd import Clashd, SOCKET, play
    from monado_feeder import Feeder
    from monado_judge import check_lines, event_lines
    from monado_room import BUILD, RUN, SOURCE, Room, build, build_library, wait_until
    from monado_script import LEFT, REST, RIGHT, Script

    STUCK_LOOP = RUN / "stuck_loop.so"
    build()
    run()
