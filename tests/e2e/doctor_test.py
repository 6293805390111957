"""clashctl doctor in every broken state that can be made here, with the stand-in runtime: it names it, says what to do, and goes
on to look at the rest."""
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402

MANIFEST = clashd.BUILD / "daemon" / "runtime" / "clash_runtime.json"
LAYER = "XR_APILAYER_CLASHD_poses"
BUSY = ("uneven_poses", "slow_poses", "old_poses")  # what a busy machine may be told


@unittest.skipUnless(MANIFEST.exists(), "the stand-in runtime has not been built")
class Doctor(clashd.TestCase):
    def environment(self, faults="", manifest=MANIFEST, **more):
        env = {"CLASH_RUNTIME_SCRIPT": "crossing", "HOME": self.home, "XDG_CONFIG_HOME": self.home / "config",
               "XDG_CONFIG_DIRS": self.home / "nothing", "XDG_DATA_HOME": self.home / "data", **more}
        if manifest:
            env["XR_RUNTIME_JSON"] = manifest
        if faults:
            env["CLASH_RUNTIME_FAULTS"] = faults
        return {key: str(value) for key, value in env.items()}

    def daemon(self, *words, **env):
        return clashd.Daemon(*words, home=self.home, env=self.environment(**env))

    def doctor(self, *words, **env):
        """What it says, in words and as JSON, which say the same."""
        environment = {**clashd.environment(self.home), **self.environment(**env)}
        if not env.get("manifest", MANIFEST):
            environment.pop("XR_RUNTIME_JSON", None)
        both = [subprocess.Popen([clashd.CLASHCTL, "doctor", "--seconds", "1", *map(str, words), *more], env=environment,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for more in ((), ("--json",))]
        texts = [one.communicate(timeout=clashd.WAIT_S) for one in both]
        done = [subprocess.CompletedProcess((), one.returncode, *text) for one, text in zip(both, texts)]
        report = json.loads(done[1].stdout)
        codes = sorted(wrong["code"] for wrong in report["wrong"])
        said = re.findall("\nWRONG: (.*)", done[0].stdout)
        for one, wrongs in zip(done, (said, codes)):
            self.assertEqual((one.returncode, one.stderr), (1 if wrongs else 0, ""), (one.stdout, codes))
        # Each looks at the poses by itself: on a busy machine they come evenly to one and not to the other.
        self.assertEqual(len([one for one in said if not re.search("come unevenly|times a second|ms old", one)]),
                         len([code for code in codes if code not in BUSY]), (done[0].stdout, codes))
        for wrong in report["wrong"]:
            self.assertRegex(wrong["do"], r"\A[A-Z'].*\.\Z")
        return codes, report, done[0].stdout

    def settled(self, daemon, what):
        """Until `status` says so."""
        deadline = time.monotonic() + clashd.WAIT_S
        with daemon.connect() as client:
            while not what(client.request({"type": "status", "id": 1})):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)

    def running(self, daemon):
        self.settled(daemon, lambda status: status["state"] == "running" and not status["detail"] and
                     all(device["tracked"] for device in status["devices"]))

    def test_all_is_well(self):
        with self.daemon() as daemon:
            self.running(daemon)
            codes, report, text = self.doctor()
        self.assertEqual([code for code in codes if code not in BUSY], [])
        self.assertIn("XR_MND_headless", report["runtime"]["extensions"])
        self.assertIn("stand-in", report["runtime"]["headset"])
        self.assertEqual(report["runtime"]["because"], "XR_RUNTIME_JSON names it")
        self.assertEqual(report["clashd"]["state"], "running")
        self.assertEqual([(pose["device"], pose["from"]) for pose in report["poses"]],
                         [("/user/hand/left", "openxr"), ("/user/hand/right", "openxr")])
        self.assertGreater(report["poses"][0]["rate_hz"], 10)
        for part in ("/user/hand/left from openxr", "jitter", "age", "clock ", "layer     off"):
            self.assertIn(part, text)

    @unittest.skipIf(any(Path(f"/{place}/openxr/1/active_runtime.json").exists() for place in ("etc", "usr/local/etc")),
                     "this machine has a runtime")
    def test_no_runtime_and_no_clashd(self):
        codes, report, text = self.doctor(manifest=None)
        self.assertEqual(codes, ["no_clashd", "no_runtime"])
        self.assertIn("XR_RUNTIME_JSON", text)
        self.assertEqual(report["runtime"]["manifest"], "")
        self.assertFalse(report["clashd"]["answers"])

    def test_the_active_runtime_is_found_as_the_loader_does(self):
        for place in ("nothing", "config"):  # the user's own wins
            path = self.home / place / "openxr" / "1" / "active_runtime.json"
            path.parent.mkdir(parents=True)
            text = json.loads(MANIFEST.read_text())
            text["runtime"]["library_path"] = str((MANIFEST.parent / text["runtime"]["library_path"]).resolve())
            path.write_text(json.dumps(text))
            codes, report, _ = self.doctor(manifest=None)
            self.assertEqual(codes, ["no_clashd"])
            self.assertEqual(report["runtime"]["manifest"], str(path))
            self.assertIn("stand-in", report["runtime"]["name"])

    def test_manifests_that_are_none(self):
        broken, empty, other = (self.home / f"{name}.json" for name in ("broken", "empty", "other"))
        broken.write_text("{")
        empty.write_text('{"file_format_version":"1.0.0","runtime":{"library_path":"./nowhere.so"}}')
        (self.home / "text.so").write_text("no library\n")
        other.write_text('{"file_format_version":"1.0.0","runtime":{"library_path":"./text.so"}}')
        for manifest, code in ((self.home / "none.json", "no_manifest"), (broken, "bad_manifest"), (empty, "no_library"),
                               (other, "runtime_refuses")):
            self.assertEqual(self.doctor(manifest=manifest)[0], sorted(["no_clashd", code]))

    def test_no_headset(self):
        with self.daemon(faults="no_headset:100000") as daemon:
            self.settled(daemon, lambda status: "headset" in status["detail"])
            codes, _, text = self.doctor(faults="no_headset:100000")
        self.assertEqual(codes, ["no_headset", "source_waits"])
        self.assertIn("switch it on", text)

    def test_a_runtime_that_refuses(self):
        self.assertIn("runtime_refuses", self.doctor(faults="refuse:100000")[0])

    def test_a_runtime_that_hangs_when_it_is_asked(self):
        codes, _, text = self.doctor("--timeout", "2", faults="no_end:100000")
        self.assertEqual(codes, ["no_clashd", "runtime_hangs"])
        self.assertIn("xrDestroyInstance", text)

    def test_a_runtime_that_crashes_when_it_is_asked(self):
        """It goes on to look at the rest, says which question it was, and that a signal ended it."""
        for call, asked in (("create", "xrCreateInstance"), ("system", "xrGetSystem")):
            codes, report, text = self.doctor(faults=f"crash:{call}")
            self.assertEqual(codes, ["no_clashd", "runtime_crashes"])
            self.assertIn(asked, text)
            self.assertIn("signal 6", text)
            self.assertIn("XR_MND_headless", report["runtime"]["extensions"])
            self.assertEqual(bool(report["runtime"]["name"]), call == "system")

    def test_a_clashd_whose_runtime_crashes(self):
        """clashd lives, tries again, and is as well when it does not crash any more."""
        with self.daemon(faults="crash:system") as daemon:
            self.settled(daemon, lambda status: status["state"] != "running" and status["detail"])
            codes, _, text = self.doctor(faults="crash:system")
            self.assertIn("runtime_crashes", codes)
            self.assertNotIn("no_clashd", codes)
            self.assertIsNone(daemon.process.poll())

    def test_a_runtime_that_hangs(self):
        with self.daemon(faults="stall@0.5s+10000s") as daemon:
            self.settled(daemon, lambda status: status["state"] == "stalled")
            self.assertIn("runtime_hangs", self.doctor()[0])

    def test_somebody_else_has_the_focus(self):
        with self.daemon(faults="unfocused@0.5s+10000s") as daemon:
            self.settled(daemon, lambda status: "another program" in status["detail"])
            codes, _, text = self.doctor()
        self.assertEqual(codes, ["unfocused"])
        self.assertIn("clashctl layer enable", text)

    def test_controllers_that_are_off(self):
        with self.daemon(faults="inactive@0.5s+10000s") as daemon:
            self.settled(daemon, lambda status: len(status["devices"]) == 2 and all(
                one.get("lost_ns", 0) > 0 and not one["tracked"] for one in status["devices"]))
            self.assertEqual(self.doctor()[0], ["no_poses"])

    def with_settings(self, settings, *words, env=None):
        """A clashd that is settled with these settings in its file, and what doctor says of it."""
        file = self.home / "config" / "clashd" / "config.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(settings if isinstance(settings, str) else json.dumps(settings))
        with self.daemon(*words, **(env or {})) as daemon:
            if "none" not in words and not isinstance(settings, str) and settings.get("openxr", {}).get("enabled", True):
                self.settled(daemon, lambda status: status["state"] == "running" and any(one["tracked"] for one in status["devices"]))
            codes, report, text = self.doctor(**(env or {}))
        return [code for code in codes if code not in BUSY], report, text

    def test_settings_with_which_nothing_clashes(self):
        """Each is named, with the place where to change it; settings that other players want are left alone."""
        def blade(device, **more):
            return {"name": device.rsplit("/", 1)[-1], "device": device, "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.02, **more}

        def blades(*devices, **more):
            return {"blades": [{**blade(device, **more), "name": f"b{i}"} for i, device in enumerate(devices)]}
        left, right, foot = "/user/hand/left", "/user/hand/right", "/user/vive_tracker_htcx/role/left_foot"
        wall = {"targets": [{"name": "wall", "position": [0, 0, -2], "box": {"size": [1, 1, 1]}}]}
        unfed = "is on the device .*, from which no poses come"
        for settings, code, says in (
                ({}, None, "clock "),
                (blades(left, "/user/hand/rihgt"), "unknown_device", f"'b1' {unfed}"),
                (blades(left, "right"), "unknown_device", f"'b1' {unfed}"),
                (blades(left, "/user/vive_tracker_htcx/role/leftfoot"), "unknown_device", f"'b1' {unfed}"),
                (blades(left, right, foot), "no_trackers", "the runtime lacks XR_HTCX_vive_tracker_interaction"),
                ({"blades": []}, "no_blades", "there are no blades, so nothing can clash"),
                (blades(left, right, enabled=False), "no_blades", "the blades are switched off"),
                (blades(left, left), "one_device", "all blades are on /user/hand/left"),
                (blades(left), "one_device", "all blades are on /user/hand/left"),
                (blades(left) | wall, None, "clock "),
                (blades(left, right, "npc/7"), None, "note: 'b2' is on the device 'npc/7', from which no poses come"),
                ({"contact": {"min_closing_speed": 90}}, "min_closing_speed", "contact.min_closing_speed is 90 m/s"),
                ({"contact": {"min_closing_speed": 8}}, None, "note: contact.min_closing_speed is 8 m/s"),
                ({"contact": {"min_closing_speed": 1}}, None, "clock ")):
            with self.subTest(settings):
                codes, _, text = self.with_settings(settings)
                self.assertEqual(codes, [code] if code else [])
                self.assertRegex(text, says)
                if code and "contact" not in settings:
                    self.assertIn("clashd/config.json" if settings and code != "no_trackers" else "a client", text)

    def test_a_hand_that_is_off_while_the_other_comes(self):
        """The blade on it is named, and why: the other hand alone gives no clash."""
        codes, _, text = self.with_settings({"openxr": {"rate_hz": 100}}, env={"faults": "inactive@0s+10000s:left"})
        self.assertEqual(codes, ["no_poses"])
        self.assertRegex(text, "'left' is on /user/hand/left, from which no poses come: switched off, or another program has the focus")

    def test_poses_that_are_asked_for_too_seldom(self):
        for words, settings in ((("--rate", "5"), {}), ((), {"openxr": {"rate_hz": 5}})):
            codes, _, text = self.with_settings(settings, *words)
            self.assertEqual(codes, ["slow_rate"])
            self.assertIn("Leave out --rate and openxr.rate_hz", text)
            self.assertNotIn("A game that feeds", text)
        codes, _, text = self.with_settings({"openxr": {"rate_hz": 40}, "contact": {"max_gap_ms": 2}})
        self.assertEqual(sorted(set(codes)), ["gaps_cut"])
        self.assertIn("contact.max_gap_ms is 2", text)

    @unittest.skipIf(any(Path(f"/{place}/openxr/1/active_runtime.json").exists() for place in ("etc", "usr/local/etc")),
                     "this machine has a runtime")
    def test_poses_that_clients_send_need_no_runtime(self):
        """As documented: with --source none, or openxr.enabled false. What is wrong with the runtime is a note then."""
        for words, settings, what in ((("--source", "none"), {}, "Start clashd without --source none"),
                                      ((), {"openxr": {"enabled": False}}, "Set openxr.enabled to true in .*clashd/config.json")):
            for manifest in (None, self.home / "none.json"):
                with self.subTest(words=words, manifest=manifest):
                    codes, report, text = self.with_settings(settings, *words, env={"manifest": manifest})
                    self.assertEqual(codes, [])
                    self.assertEqual([note["code"] for note in report["notes"]],
                                     ["layer_off", "no_source", "no_manifest" if manifest else "no_runtime"])
                    self.assertRegex(text, what)
            self.assertEqual(self.doctor(manifest=None)[0], ["no_clashd"] if not words else ["no_clashd", "no_runtime"])
        codes, report, _ = self.with_settings({"blades": []}, "--source", "none")
        self.assertEqual(codes, [])
        self.assertIn("no_blades", [note["code"] for note in report["notes"]])

    def test_settings_that_cannot_be_read(self):
        """They are why no clashd runs; of one that runs, why the next will not."""
        file = self.home / "config" / "clashd" / "config.json"
        file.parent.mkdir(parents=True)
        for text, says in (('{"blades": [', "config.json"), ('{"contact": {"marginn": 1}}', "marginn")):
            file.write_text(text)
            codes, _, said = self.doctor()
            self.assertEqual(codes, ["bad_settings", "no_clashd"])
            self.assertRegex(said, f"WRONG: clashd cannot start with these settings: .*{says}")
        file.write_text("{}")
        with self.daemon() as daemon:
            self.running(daemon)
            file.write_text("{")
            codes, report, _ = self.doctor()
        self.assertEqual([code for code in codes if code not in BUSY], [])
        self.assertIn("bad_settings", [note["code"] for note in report["notes"]])

    def test_the_process_with_the_runtime_is_stopped(self):
        with self.daemon() as daemon:
            self.running(daemon)
            children = Path(f"/proc/{daemon.process.pid}/task/{daemon.process.pid}/children").read_text().split()
            helper = next(int(pid) for pid in children if Path(f"/proc/{pid}/comm").read_text().strip() == "clashd-openxr")
            os.kill(helper, signal.SIGSTOP)
            try:
                self.settled(daemon, lambda status: status["state"] == "stalled")
                codes, _, text = self.doctor()
            finally:
                os.kill(helper, signal.SIGCONT)
        self.assertEqual(codes, ["helper_hangs"])
        self.assertIn("kill -CONT", text)

    def test_a_clashd_that_hangs(self):
        with self.daemon() as daemon:
            os.kill(daemon.process.pid, signal.SIGSTOP)
            try:
                self.assertEqual(self.doctor()[0], ["clashd_hangs"])
            finally:
                os.kill(daemon.process.pid, signal.SIGCONT)

    def test_a_wrong_token(self):
        token = self.home / "wrong.token"
        token.write_text("x" * 43 + "\n")
        with clashd.Daemon("--source", "none", "--tcp", "127.0.0.1:0", home=self.home) as daemon:
            port = re.search(r"127\.0\.0\.1:(\d+) \(TCP", "\n".join(daemon.log[:daemon.wait_for_log("(TCP")]))[1]
            address = f"tcp:127.0.0.1:{port}"
            codes, _, text = self.doctor("--socket", address, "--token-file", token)
            self.assertEqual(codes, ["wrong_token"])
            self.assertIn("--token-file", text)
            self.assertIn("refuses the token", text)
            self.assertNotIn("does not answer", text)
            self.assertEqual(self.doctor("--socket", address, "--token-file", daemon.path)[0], [])
        self.assertEqual(self.doctor("--socket", address, "--token-file", token)[0], ["no_clashd"])

    @unittest.skipIf(clashd.is_sanitized(), "a program without the sanitizer cannot load the layer")
    def test_the_layer(self):
        self.assertEqual([note["code"] for note in self.doctor()[1]["notes"]], ["layer_off"])
        manifest = self.home / "data" / "openxr" / "1" / "api_layers" / "implicit.d" / f"{LAYER}.json"
        manifest.parent.mkdir(parents=True)
        library = self.home / "libclash_layer.so"
        manifest.write_text(json.dumps({"api_layer": {"name": LAYER, "library_path": str(library)}}))
        codes, report, _ = self.doctor()
        self.assertEqual((codes, report["layer"]["enabled"]), (["layer_broken", "no_clashd"], True))
        # A program that has both in its memory, as a game has them.
        library = clashd.BUILD / "daemon" / "layer" / "libclash_layer.so"
        manifest.write_text(json.dumps({"api_layer": {"name": LAYER, "library_path": str(library)}}))
        loader = next(filter(Path.exists, (Path(place) / "libopenxr_loader.so.1" for place in
                                           ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib"))), None)
        if not loader:
            self.skipTest("no OpenXR loader where Debian has it")
        game = subprocess.Popen([sys.executable, "-c", "import ctypes, sys\nfor path in sys.argv[1:]: ctypes.CDLL(path)\n"
                                 "print(1, flush=True)\nsys.stdin.read()", str(loader), str(library)],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(game.wait)
        self.addCleanup(game.kill)
        self.addCleanup(game.stdout.close)
        self.addCleanup(game.stdin.close)
        game.stdout.readline()
        codes, report, text = self.doctor()
        self.assertEqual(codes, ["no_clashd"])
        self.assertIn(f"(process {game.pid}) has it", text)
        self.assertIn({"pid": game.pid, "name": "python3", "has_layer": True}, [{**program, "name": "python3"} for program
                                                                                 in report["layer"]["programs"]])

    def test_poses_of_clients(self):
        """Slow ones of now, and others of long ago."""
        stop = threading.Event()
        with clashd.Daemon("--source", "none", home=self.home) as daemon, daemon.connect() as client:
            for name in ("slow", "old"):
                blade = {"type": "blade", "id": 1, "name": name, "device": f"npc/{name}", "base": [0, 0, 0], "tip": [0, 0, -1],
                         "radius": 0.02}
                self.assertEqual(client.request(blade)["type"], "ok")

            def push():
                while not stop.wait(0.1):
                    now = time.monotonic_ns() - int(client.hello["epoch_monotonic_ns"])
                    for name, age in (("slow", 0), ("old", 400_000_000)):
                        client.send({"type": "poses", "time_ns": now - age, "poses": [
                            {"device": f"npc/{name}", "position": [0, 0, 0], "orientation": [0, 0, 0, 1]}]})
            pusher = threading.Thread(target=push)
            pusher.start()
            try:
                codes, report, text = self.doctor()
            finally:
                stop.set()
                pusher.join()
        self.assertEqual(sorted(set(codes)), ["old_poses", "slow_poses"])
        self.assertIn("npc/slow from a client", text)
        self.assertEqual({pose["from"] for pose in report["poses"]}, {"client"})
        self.assertEqual([note["code"] for note in report["notes"]], ["layer_off", "no_source"])


if __name__ == "__main__":
    unittest.main()
