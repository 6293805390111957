"""One call after another fails, of memory, descriptors, disks, sockets, libuv and OpenXR: clashd never crashes, says what it
cannot do, and whoever the fault did not meet has every event. A sample; CLASHD_FAULTS=all tries each place that calls."""
import concurrent.futures
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import faulty  # noqa: E402
from faulty import Fault, Problem  # noqa: E402

ALL = os.environ.get("CLASHD_FAULTS") == "all"
MANIFEST = clashd.BUILD / "daemon" / "runtime" / "clash_runtime.json"
REPLAY = ("--source", f"replay:{clashd.DATA / 'duel-start-5s.jsonl'}", "--speed", "25", "--wait-for-client")
BLADES = [{"name": side, "device": f"/user/hand/{side}", "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.1}
          for side in ("left", "right")]
SOCKET = {"tcp": "127.0.0.1:0", "websocket": "127.0.0.1:0"}
# What libuv gives no error from.
NEVER_FAILS = {f"uv_{name}" for name in (
    "buf_init", "check_stop", "close", "cond_destroy", "cond_signal", "cond_timedwait", "cond_wait", "fs_req_cleanup", "hrtime",
    "idle_init", "idle_start", "idle_stop", "is_active", "is_closing", "loop_close", "mutex_destroy", "mutex_lock", "mutex_unlock", "now",
    "poll_stop", "prepare_stop", "read_stop", "ref", "run", "stop", "stream_get_write_queue_size", "strerror", "thread_join", "timer_init", "timer_stop", "unref",
    "update_time")}


def until_the_end(daemon, listeners):
    """The replay plays to its end, if anybody is left to ask."""
    deadline = time.monotonic() + clashd.WAIT_S
    for client in filter(None, listeners):
        try:
            while client.ask({"type": "status"})["state"] != "ended":
                if time.monotonic() > deadline:
                    raise Problem("the replay does not end")
                time.sleep(0.005)
        except faulty.ENDED:
            pass


def until_two_clashes(daemon, listeners):
    """Poses come, or come again."""
    for client in filter(None, listeners):
        try:
            clashes = 0
            while clashes < 2:
                clashes += client.take()["type"] == "clash"
        except faulty.ENDED:
            pass
        except TimeoutError:
            raise Problem("no clashes any more") from None


def sample(faults, count):
    return faults if ALL else faults[::len(faults) // count + 1]


class Faults(unittest.TestCase):
    def sweep(self, one, faults, jobs):
        """Every fault's problem; some must have happened, or nothing has been tried."""
        problems, met, ended = [], 0, 0

        def attempt(fault):
            try:
                return one(fault), None
            except Problem as problem:
                return None, str(problem)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for result, problem in pool.map(attempt, faults):
                if problem:
                    problems.append(problem)
                else:
                    ended += not result[0]
                    met += bool(result[1])
        print(f"{len(faults)} faults, {met} met clashd, {ended} ended it at its start", file=sys.stderr)
        self.assertEqual(problems, [], "\n\n".join(problems))
        self.assertGreater(met, len(faults) // 2)
        self.assertGreater(met, ended)

    def test_serving(self):
        """With the file of a mesh, which nobody strikes."""
        folder = tempfile.TemporaryDirectory(prefix="clashd-")
        self.addCleanup(folder.cleanup)
        far = Path(folder.name) / "far.obj"
        far.write_text("v 500 0 0\nv 501 0 0\nv 500 1 0\nf 1 2 3\n")

        def one(fault):
            return faulty.run(REPLAY, until_the_end, fault,
                              settings={"socket": SOCKET, "targets": [{"name": "far", "mesh": {"file": str(far)}}],
                                        "viewer": {"logs": str(clashd.DATA), "overlay_css": str(far)}})
        went_on, calls = one(None)
        self.assertTrue(went_on)
        # A sanitizer hides some.
        self.assertGreater(len({name for name, _, _ in calls}), 40 if clashd.is_sanitized() else 50)
        self.sweep(one, sample(faulty.choose(calls), 40), 3)

    @unittest.skipUnless(MANIFEST.exists(), "the stand-in runtime has not been built")
    def test_openxr(self):
        env = {"XR_RUNTIME_JSON": MANIFEST, "CLASH_RUNTIME_SCRIPT": "crossing", "CLASH_RUNTIME_SPEED": 4}

        def one(fault):
            return faulty.run((), until_two_clashes, fault, env, {"socket": SOCKET, "blades": BLADES})
        went_on, calls = one(None)
        self.assertTrue(went_on)
        called = {name for name, _, _ in calls}
        self.assertGreater(len({name for name in called if name.startswith("xr")}), 20)
        faults = [fault for fault in faulty.choose(calls, 1) if fault.name.startswith(("xr", "uv_", "pthread_"))]
        # The loader answers want of memory, except at the end of xrCreateInstance, after which 1.0.20 gives no other
        # instance, and in xrDestroyInstance, where its exception ends the process: nothing of ours can catch it.
        loaders = [call for call in calls if call[:2] == ("malloc", "libstdc++.so.6")]
        faults += [Fault("malloc", "libstdc++", 1 + len(loaders) * i // 8, 1, 0) for i in range(5)]
        self.sweep(one, sample(faults, 24), 6)

    def test_few_descriptors(self):
        """Whatever the number that is allowed: too few for the start is said, and too few for clients makes them wait."""
        for count in range(3, 48, 1 if ALL else 4):
            with self.subTest(descriptors=count), tempfile.TemporaryDirectory(prefix="clashd-") as home:
                settings = Path(home) / "settings.json"
                settings.write_text(json.dumps({"socket": SOCKET, "record": {"directory": f"{home}/recordings"}}))
                process = subprocess.Popen(
                    [clashd.CLASHD, "--config", settings, *REPLAY], env=clashd.environment(home), text=True,
                    stderr=subprocess.PIPE, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count)))
                self.addCleanup(process.kill)
                said = []
                for line in process.stderr:
                    said.append(line)
                    if "recording to" in line:
                        process.terminate()
                code = process.wait(timeout=clashd.WAIT_S)
                process.stderr.close()
                self.assertIn(code, (0, 2) if any("recording to" in line for line in said) else (2, 127), said)
                self.assertTrue(said)

    def test_no_call_is_forgotten(self):
        """Whatever clashd takes from libuv and OpenXR is tried, or cannot fail."""
        known = faulty.can_fail()
        theirs = {name for name in faulty.imported() if name.startswith(("uv_", "xr"))}
        self.assertGreater(len(theirs), 60)
        self.assertEqual(theirs - known - NEVER_FAILS, set())
        self.assertEqual(NEVER_FAILS & known, set())


if __name__ == "__main__":
    if not faulty.FAULTS.exists():
        print("skipped: the build has no faults.so")
        sys.exit(77)
    if clashd.is_sanitized("thread"):
        print("skipped: the thread sanitizer takes nothing preloaded before itself")
        sys.exit(77)
    unittest.main()
