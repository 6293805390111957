"""clashd as a service, before a stand-in for its manager: it says READY when clients can come and not before, what it does
whenever that changes, and WATCHDOG for as long as its loop turns. A runtime that hangs is no dead clashd:
tracking is lost then, and the watchdog is fed on."""
import os
import signal
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import service  # noqa: E402

MANIFEST = clashd.BUILD / "daemon" / "runtime" / "clash_runtime.json"
STUCK_LOOP = clashd.BUILD / "tests" / "stuck_loop.so"
WATCHDOG_S = 1
# Many times the half of WATCHDOG_S at which a loop that turns says so, however busy the machine.
SILENCE_S = 3


def is_watchdog(line):
    return line == "WATCHDOG=1"


class Service(clashd.TestCase):
    def setUp(self):
        super().setUp()
        self.manager = service.Manager(self.home)
        self.addCleanup(self.manager.close)

    def start(self, *words, faults="", watchdog=True, **env):
        env = {"NOTIFY_SOCKET": self.manager.path, "XR_RUNTIME_JSON": MANIFEST, "CLASH_RUNTIME_SCRIPT": "crossing", **env}
        if faults:
            env["CLASH_RUNTIME_FAULTS"] = faults
        if watchdog:
            env["WATCHDOG_USEC"] = int(WATCHDOG_S * 1e6)
        daemon = clashd.Daemon(*words, home=self.home, env=env, listening=False)
        self.addCleanup(daemon.process.kill)
        return daemon

    def test_ready_not_before_a_client_can_connect(self):
        daemon = self.start("--source", "none", "--tcp", "127.0.0.1:0")
        self.manager.wait_for("READY=1".__eq__)
        self.assertEqual(self.manager.messages[0][0], "READY=1")
        with daemon.connect() as client:  # at once
            self.assertEqual(client.hello["type"], "hello")
        self.assertTrue(any(line.startswith("STATUS=none running: ") for line in self.manager.messages[0]),
                        self.manager.messages)
        self.assertEqual(daemon.stop(), 0, daemon.log)
        self.manager.wait_for("STOPPING=1".__eq__)

    def test_what_cannot_listen_is_not_ready(self):
        with self.start("--source", "none", watchdog=False):
            self.manager.wait_for("READY=1".__eq__)
            second = self.start("--source", "none", watchdog=False)
            self.assertEqual(second.wait(), 2)
            self.assertEqual(self.manager.listen(0.2), [])

    def test_status_tells_clients_and_tracking(self):
        daemon = self.start(faults="lost@3s+2s")
        self.manager.wait_for_status("no clients")
        self.manager.wait_for_status("openxr running: 2 of 2 devices tracked; no clients")
        with daemon.connect(), daemon.connect():
            self.manager.wait_for_status("; 2 clients")
        self.manager.wait_for_status("openxr running: tracking lost")
        self.manager.wait_for_status("2 of 2 devices tracked; no clients")
        statuses = [line for message in self.manager.messages for line in message if line.startswith("STATUS=")]
        for before, after in zip(statuses, statuses[1:]):
            self.assertNotEqual(before, after)
        self.assertEqual(daemon.stop(), 0, daemon.log)

    def test_the_watchdog_is_fed_until_the_process_stops(self):
        daemon = self.start("--source", "none")
        for _ in range(4):
            self.manager.wait_for(is_watchdog)
        daemon.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, daemon.process.pid, os.WSTOPPED | os.WNOWAIT)
        self.manager.drain()
        self.assertEqual(self.manager.listen(SILENCE_S), [])
        daemon.process.send_signal(signal.SIGCONT)
        self.manager.wait_for(is_watchdog)
        self.assertEqual(daemon.stop(), 0, daemon.log)

    def test_a_manager_that_does_not_read_holds_up_nobody(self):
        daemon = self.start("--source", "none", watchdog=False, WATCHDOG_USEC=2000)
        daemon.wait_for_log("the service manager cannot be told")  # its queue is full, and more is to be said
        with daemon.connect() as client:
            for number in range(100):
                self.assertEqual(client.request({"type": "ping", "id": number})["type"], "ok")
        self.manager.drain()
        self.manager.wait_for(is_watchdog)
        self.assertEqual(daemon.stop(), 0, daemon.log)

    def test_a_reload_is_told(self):
        with self.start("--source", "none", watchdog=False) as daemon:
            self.manager.wait_for("READY=1".__eq__)
            daemon.process.send_signal(signal.SIGHUP)
            self.manager.wait_for("RELOADING=1".__eq__)
            self.assertTrue(self.manager.messages[-1][1].startswith("MONOTONIC_USEC="), self.manager.messages[-1])
            self.manager.wait_for("READY=1".__eq__)
            daemon.wait_for_log("the settings apply")

    def test_no_watchdog_where_none_is_wanted(self):
        with self.start("--source", "none", watchdog=False):
            self.manager.wait_for("READY=1".__eq__)
            self.assertFalse(any(map(is_watchdog, self.manager.listen(1))))

    def test_without_libsystemd_there_is_no_manager(self):
        env = {"NOTIFY_SOCKET": self.manager.path, "WATCHDOG_USEC": int(WATCHDOG_S * 1e6)}
        with clashd.Daemon("--source", "none", home=self.home, env=env, program=clashd.UNMANAGED) as daemon:
            with daemon.connect() as client:
                self.assertEqual(client.request({"type": "ping", "id": 1})["type"], "ok")
            self.assertEqual(self.manager.listen(2 * WATCHDOG_S), [])

    def test_a_loop_that_hangs_misses_it(self):
        """The OpenXR thread goes on meanwhile; nothing but the loop stands still."""
        if clashd.is_sanitized():
            self.skipTest("a sanitizer takes nothing preloaded before itself")
        stuck = self.home / "stuck"
        daemon = self.start(LD_PRELOAD=STUCK_LOOP, CLASHD_STUCK_LOOP=stuck)
        self.manager.wait_for_status("2 of 2 devices tracked")
        self.manager.wait_for(is_watchdog)
        stuck.touch()
        self.manager.listen(2)  # the turn that was on its way
        self.assertEqual(self.manager.listen(SILENCE_S), [])
        stuck.unlink()
        self.manager.wait_for(is_watchdog)
        self.assertEqual(daemon.stop(), 0, daemon.log)

    def test_a_runtime_that_hangs_does_not(self):
        daemon = self.start(faults="stall@2s+6s")
        with daemon_connected(daemon, self.manager) as client:
            client.subscribe(events=["tracking"], since_seq=0)
            messages = client.read_until(lambda m: m["type"] == "tracking" and not m["tracked"])
            self.assertEqual(messages[-1]["reason"], "runtime_stalled")
            self.manager.drain()
            self.assertEqual(client.request({"type": "status", "id": 1})["state"], "stalled")
            for _ in range(3):
                self.manager.wait_for(is_watchdog)
            self.assertIn("STATUS=openxr stalled: tracking lost; 1 client (the runtime does not answer)",
                          [line for message in self.manager.messages for line in message])
            self.assertEqual(client.request({"type": "status", "id": 2})["state"], "stalled")  # it was so all the time
            self.manager.wait_for_status("openxr running: 2 of 2 devices tracked")
        self.assertEqual(daemon.stop(), 0, daemon.log)

    def test_a_runtime_that_crashes_feeds_it_too(self):
        daemon = self.start(faults="crash@2s")
        self.manager.wait_for_status("2 of 2 devices tracked")
        self.manager.wait_for(is_watchdog)
        daemon.wait_for_log("the runtime's library has crashed")
        self.manager.drain()
        self.manager.wait_for(is_watchdog)
        self.manager.wait_for_status("2 of 2 devices tracked")
        with daemon.connect() as client:
            self.assertGreaterEqual(client.request({"type": "status", "id": 1})["counters"]["source_left_behind"], 1)
        self.assertEqual(daemon.stop(), 0, daemon.log)


def daemon_connected(daemon, manager):
    """A client, once clashd is ready."""
    manager.wait_for("READY=1".__eq__)
    return daemon.connect()


if __name__ == "__main__":
    if not service.is_there():
        print("skipped: built without libsystemd")
        sys.exit(77)
    if not MANIFEST.exists():
        print(f"skipped: {MANIFEST} has not been built")
        sys.exit(77)
    unittest.main()
