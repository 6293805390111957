"""The API layer in games of many kinds, on the real loader and the stand-in runtime: every frame's hands come to whoever is
asked to feed, where the runtime's script has them at the time at which the frame is seen; and whatever clashd does, the game goes on as it would
without the layer."""
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import validate  # noqa: E402
from layer_server import Server  # noqa: E402

MANIFEST = clashd.BUILD / "daemon" / "runtime" / "clash_runtime.json"
LAYER = clashd.BUILD / "daemon" / "layer" / "XR_APILAYER_CLASHD_poses.json"
GAME = clashd.BUILD / "tests" / "layer_game"
NAME = "XR_APILAYER_CLASHD_poses"
HANDS = ["/user/hand/left", "/user/hand/right"]
JULIAN_YEAR_NS = 31557600 * 10**9  # XrTime less CLOCK_MONOTONIC, in the stand-in runtime
EYE_HEIGHT = 1.6
FRAMES_HZ = 450  # the stand-in's display, so that a test is short
FRAMES = 120


def script(hand, seconds):
    """Position and yaw in STAGE, as daemon/runtime/README.md has it."""
    side = -1 if hand == 0 else 1
    height = 1.2 - side * 0.25 * math.cos(math.pi * seconds)
    return (0.35 * side, height, -0.35), math.radians(side * (45 + 10 * math.sin(math.pi * seconds)))


def in_space(space, position, yaw):
    """The same in one of the game's spaces: by name, or (x, z, yaw) of its origin below LOCAL."""
    x, y, z = position
    if space == "stage":
        return position, yaw
    if space == "local":
        return (x, y - EYE_HEIGHT, z), yaw
    dx, dz, turn = x - space[0], z - space[1], space[2]
    return (dx * math.cos(turn) - dz * math.sin(turn), y - EYE_HEIGHT, dx * math.sin(turn) + dz * math.cos(turn)), yaw - turn


class LayerTest(clashd.TestCase):
    def environment(self, layers=(NAME,), **more):
        folder = self.home / "layers"
        folder.mkdir(exist_ok=True)
        text = json.loads(LAYER.read_text())
        for name, library in ((NAME, LAYER.parent / "libclash_layer.so"),
                              ("XR_APILAYER_TEST_first", clashd.BUILD / "tests" / "layer_first.so"),
                              ("XR_APILAYER_TEST_last", clashd.BUILD / "tests" / "layer_last.so")):
            text["api_layer"] |= {"name": name, "library_path": str(library)}
            text["api_layer"].pop("disable_environment", None)
            (folder / f"{name}.json").write_text(json.dumps(text))
        self.socket = self.home / "feed.sock"
        self.refused = self.home / "refused"
        more = {"CLASH_RUNTIME_FRAMES_HZ": FRAMES_HZ} | more
        return dict(os.environ, HOME=str(self.home), XR_RUNTIME_JSON=str(MANIFEST), XR_API_LAYER_PATH=str(folder),
                    XR_ENABLE_API_LAYERS=":".join(layers), CLASHD_SOCKET=str(self.socket), XR_LOADER_DEBUG="none",
                    BYSTANDER_LOG=str(self.refused), **{key: str(value) for key, value in more.items()})

    def start(self, *words, within=(), **environment):
        game = subprocess.Popen([*within, str(GAME), *map(str, words)], env=self.environment(**environment), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
        self.addCleanup(game.stdout.close)
        self.addCleanup(game.stderr.close)
        self.addCleanup(game.kill)
        return game

    def finish(self, game):
        output, errors = game.communicate(timeout=clashd.WAIT_S)
        self.assertEqual(game.returncode, 0, errors + output[-500:])
        return [json.loads(line) for line in output.splitlines()]

    def play(self, *words, server=None, **environment):
        """The game's lines, and the stand-in for clashd that it played before."""
        server = server or {}
        if not server.get("mute") and NAME in environment.get("layers", (NAME,)) and "clashd" not in words:
            environment["LAYER_GAME_FED"] = server["fed"] = self.home / "fed"
        game = self.start(*words, **environment)
        with Server(self.socket, **server) as listening:
            return self.finish(game), listening

    def check_poses(self, lines, server, spaces=("local",), tolerance=2e-6):
        """From the first on every frame came, once, in order, with the script's poses; the game's last are still on their way
        when it ends, on a busy machine more of them. Where several spaces are named, each feed that comes after poses begins with
        the next of them."""
        times, begun = [], []
        for line in lines:
            if "begun" in line:
                begun.append(line["begun"] - JULIAN_YEAR_NS)
            if "time" in line:
                times.append((line["time"] - JULIAN_YEAR_NS, begun[-1]))
        self.assertGreater(len(server.poses), 30)
        came = [message["monotonic"] for message in server.poses]
        expected = [time for time in times if time[0] >= came[0]]
        self.assertEqual(came, [time for time, _ in expected][:len(came)])
        self.assertLessEqual(len(expected) - len(came), FRAMES // 2)
        feeds = [feed["before"] for feed in server.feeds if feed["before"] > 0]
        for index, ((time, start), message) in enumerate(zip(expected, server.poses)):
            space = spaces[sum(index >= before for before in feeds)]
            self.assertEqual([pose["device"] for pose in message["poses"]], HANDS)
            for hand, pose in enumerate(message["poses"]):
                position, yaw = in_space(space, *script(hand, (time - start) * 1e-9))
                self.assertTrue(pose["tracked"] and pose.get("valid", True), message)
                for found, right in zip(pose["position"], position):
                    self.assertLess(abs(found - right), tolerance, (index, hand, space, pose, position))
                turn = abs(pose["orientation"][1] * math.sin(yaw / 2) + pose["orientation"][3] * math.cos(yaw / 2))
                self.assertGreater(turn, 1 - tolerance, (index, hand, space, pose, yaw))
        return expected

    def test_every_frame_comes(self):
        lines, server = self.play("plain", FRAMES)
        self.check_poses(lines, server)
        self.assertEqual(len(server.feeds), 1)
        feed = server.feeds[0]
        self.assertEqual((feed["devices"], feed["source"], feed["space"]), (HANDS, "layer", "local"))
        self.assertAlmostEqual(feed["stage"]["position"][1], -EYE_HEIGHT, 6)
        self.assertGreater(len(server.poses), FRAMES - 20)
        self.assertEqual([line["allocations"] for line in lines if "allocations" in line], [0])
        cuts = [index for index, message in enumerate(server.poses) for pose in message["poses"] if pose.get("teleport")]
        self.assertEqual(cuts, [0, 0])

    def test_it_does_not_show_in_a_game_without_it(self):
        lines, server = self.play("plain", 20, layers=())
        self.assertEqual((server.connections, [line["allocations"] for line in lines if "allocations" in line]), (0, [0]))

    def test_synced_before_waiting(self):
        lines, server = self.play("early", FRAMES)
        self.check_poses(lines, server)
        self.assertEqual([line["allocations"] for line in lines if "allocations" in line], [0])

    def test_no_action_sets(self):
        """A game that attaches none may do so later, and a session takes them once: the layer attaches none either, and tells nothing."""
        self.environment()
        with Server(self.socket) as server:
            self.count_frames(self.finish(self.start("none", 1000)))
        self.assertEqual((server.connections, server.feeds), (0, []))

    def test_attached_late(self):
        lines, server = self.play("late", FRAMES)
        self.check_poses(lines, server)

    def test_never_synced(self):
        lines, server = self.play("unsynced", FRAMES)
        self.check_poses(lines, server)

    def test_priorities(self):
        lines, server = self.play("priorities", 80)
        self.check_poses(lines, server)

    def test_priorities_of_one_call(self):
        """XR_EXT_active_action_set_priority: the game's sets have the grips that they would have without the layer."""
        lines, server = self.play("overrides", 80)
        self.check_poses(lines, server)

    def test_more_priorities_than_the_layer_has_sets(self):
        """Of grips of twelve, eight are told, and the game has all of them."""
        lines, server = self.play("many", 40)
        valid = {message["monotonic"]: [pose.get("valid", True) for pose in message["poses"]] for message in server.poses}
        came, number = [[] for _ in range(12)], 0
        for line in lines:
            number = line["set"] + 1 if "set" in line else number
            if "time" in line and number < 12 and line["time"] - JULIAN_YEAR_NS in valid:
                came[number].append(valid[line["time"] - JULIAN_YEAR_NS])
        for number, frames in enumerate(came[:-1]):  # of the last some are on their way yet
            self.assertIn([number < 8] * 2, frames)
            self.assertNotIn([number >= 8] * 2, frames[2:], f"set {number}")

    def test_priorities_of_sets_without_a_grip(self):
        lines, server = self.play("menus", 2 * FRAMES)
        self.check_poses(lines, server)

    def test_the_first_set_after_a_thousand_frames(self):
        """Of a game that waits so long with its input all of it works, and clashd has its hands from then on."""
        lines, server = self.play("belated", FRAMES)
        self.assertEqual([line["attached"] for line in lines if "attached" in line], [0])
        self.check_poses(lines, server)

    def test_in_two_threads(self):
        lines, server = self.play("threads", FRAMES)
        self.check_poses(lines, server)

    def test_never_says_what_it_draws_in(self):
        lines, server = self.play("blind", FRAMES)
        self.check_poses(lines, server)

    def test_sessions_and_instances_one_after_the_other(self):
        lines, server = self.play("sessions", FRAMES, 2, layers=(NAME, "XR_APILAYER_TEST_last"))
        sessions, begun = [], None
        for line in lines:
            if "begun" in line:
                begun = line["begun"] - JULIAN_YEAR_NS
                sessions.append(set())
            if "time" in line:
                sessions[-1].add(line["time"] - JULIAN_YEAR_NS)
        self.assertEqual(len(sessions), 6)
        came = {message["monotonic"] for message in server.poses}
        for times in sessions:
            self.assertGreater(len(times & came), FRAMES - 40)
        self.assertEqual(came - set().union(*sessions), set())
        self.assertFalse(self.refused.exists() and self.refused.read_text())

    def test_the_games_own_space(self):
        lines, server = self.play("spaces", 60, layers=("XR_APILAYER_TEST_first", NAME, "XR_APILAYER_TEST_last"))
        self.check_poses(lines, server, spaces=["local", "stage", (1, -2, math.pi / 2)])
        self.assertEqual([feed["space"] for feed in server.feeds], ["local", "stage", "local at 1.00 0.00 -2.00, yaw 90.0"])
        cuts = [index for index, message in enumerate(server.poses) if message["poses"][0].get("teleport")]
        self.assertEqual(cuts, [feed["before"] for feed in server.feeds])
        self.assertEqual(server.feeds[1]["stage"], {"position": [0, 0, 0], "orientation": [0, 0, 0, 1]})
        self.assertFalse(self.refused.exists() and self.refused.read_text())

    def test_recentred(self):
        lines, server = self.play("plain", 600, CLASH_RUNTIME_FAULTS="recentre@700ms:1/0/-2:90deg")
        cuts = [index for index, message in enumerate(server.poses) if message["poses"][0].get("teleport")]
        self.assertEqual(len(cuts), 2)
        self.assertEqual(len(server.feeds), 2)
        before, after = server.poses[cuts[1] - 1], server.poses[cuts[1]]
        begun = next(line["begun"] for line in lines if "begun" in line) - JULIAN_YEAR_NS
        self.assertLess(before["monotonic"], begun + 7 * 10**8)
        self.assertGreaterEqual(after["monotonic"], begun + 7 * 10**8)

    def test_lost_and_untracked_hands(self):
        lines, server = self.play("plain", 600, CLASH_RUNTIME_FAULTS="lost@700ms+100ms:left, untracked@700ms+100ms:right")
        begun = next(line["begun"] for line in lines if "begun" in line) - JULIAN_YEAR_NS
        gone_frames = 0
        for message in server.poses:
            gone = 700 * 10**6 <= message["monotonic"] - begun < 800 * 10**6
            gone_frames += gone
            left, right = message["poses"]
            self.assertEqual((left["tracked"], left.get("valid", True)), (not gone, not gone), message)
            self.assertEqual((right["tracked"], right.get("valid", True)), (not gone, True), message)
        self.assertGreater(gone_frames, 0)  # 50, but on a busy machine

    def felt(self, says, *words, **environment):
        """What the runtime was asked for by the layer's haptic action while that was said, in order; and all that came."""
        log = self.home / "runtime.log"
        lines, server = self.play(*(words or ("plain", FRAMES)), server={"says": says}, CLASH_RUNTIME_LOG=log, **environment)
        for line in server.lines:
            self.assertFalse(validate.check(line, "client"), line)
        self.assertTrue(server.feeds[0]["haptics"])
        return [line.split(" ", 1)[1].rsplit(" count", 1)[0] for line in log.read_text().splitlines() if " haptic " in line], \
            lines, server

    def test_haptics(self):
        """What clashd says is felt, in the hand it says and until the session ends; what no clashd would say is not."""
        pulse = {"type": "haptic", "device": HANDS[0], "amplitude": 0.5, "duration_ns": 30000000}
        wrong = [pulse | {"amplitude": 1.5}, pulse | {"amplitude": -0.1}, pulse | {"amplitude": "1"}, pulse | {"duration_ns": 0},
                 pulse | {"duration_ns": -1}, pulse | {"duration_ns": 10**9 + 1}, pulse | {"device": "/user/hand"},
                 {key: value for key, value in pulse.items() if key != "device"}, pulse | {"device": 7}]
        said = {20: json.dumps(pulse), 30: "\n".join(map(json.dumps, wrong)) + '\n{"type":"haptic","amplitude":NaN}',
                40: json.dumps(pulse | {"device": HANDS[1], "amplitude": 1, "duration_ns": 10**9})}
        felt, lines, server = self.felt({after: f"{text}\n".encode() for after, text in said.items()}, "sessions", FRAMES)
        once = ["haptic /user/hand/left duration_ns=30000000 frequency=0 amplitude=0.5",
                "haptic /user/hand/right duration_ns=1000000000 frequency=0 amplitude=1",
                "haptic stop /user/hand/left", "haptic stop /user/hand/right"]
        self.assertEqual(felt[:8], once + once)
        self.assertEqual([line["allocations"] for line in lines if "allocations" in line], [0])

    def test_more_pulses_than_frames(self):
        """Of a flood some are felt, and nothing waits for long: the game draws on, and feels nothing of it later."""
        flood = b'{"type":"haptic","device":"/user/hand/left","amplitude":0.25,"duration_ns":1000000}\n' * 5000
        felt, lines, server = self.felt({20: flood})
        self.assertTrue(1 <= len(felt) <= 5000, len(felt))
        self.check_poses(lines, server)

    def test_controllers_that_cannot_vibrate(self):
        """Where the runtime takes no haptic binding the poses come all the same."""
        profile = "/interaction_profiles/oculus/go_controller"
        pulse = b'{"type":"haptic","device":"/user/hand/left","amplitude":0.5,"duration_ns":30000000}\n'
        lines = self.check_poses(*self.felt({20: pulse}, "plain", 3 * FRAMES, LAYER_GAME_PROFILE=profile,
                                            CLASH_RUNTIME_PROFILE=profile)[1:])
        self.assertGreater(len(lines), FRAMES - 20)

    def test_garbage_is_the_runtimes_to_judge(self):
        with_layer, server = self.play("garbage", FRAMES)
        without, _ = self.play("garbage", FRAMES, layers=()) if not self.socket.unlink() else None
        results = [[line["result"] for line in lines if "result" in line] for lines in (with_layer, without)]
        self.assertEqual(results[0], results[1])
        self.assertEqual(len(results[0]), 26)
        self.check_poses(with_layer, server)

    def test_without_conversion_of_times(self):
        """The display time is then an estimate: one period after xrWaitFrame, and from then on as far apart as the frames."""
        lines, server = self.play("plain", FRAMES, CLASH_RUNTIME_TIMESPEC=0)
        times = [line["time"] for line in lines if "time" in line]
        came = [message["monotonic"] for message in server.poses]
        gaps = {after - before for before, after in zip(times, times[1:])}
        self.assertGreater(len(came), FRAMES - 20)
        for before, after in zip(came, came[1:]):
            if after - before < 9e7:  # over a longer one, of a machine that is busy, the estimate is made anew
                self.assertIn(after - before, gaps)

    def test_nothing_of_clashd(self):
        """Its own session, which the layer finds itself in where it is enabled for all: nothing is sent."""
        _, server = self.play("plain", 30, 1, "clashd")
        self.assertEqual(server.connections, 0)

    def test_off_by_the_environment(self):
        folder = self.home / ".local/share/openxr/1/api_layers/implicit.d"
        folder.mkdir(parents=True)
        text = json.loads(LAYER.read_text())
        text["api_layer"]["library_path"] = str(LAYER.parent / "libclash_layer.so")
        (folder / LAYER.name).write_text(json.dumps(text))
        for off in (False, True):
            environment = self.environment(layers=())
            for key in ("XR_API_LAYER_PATH", "XR_ENABLE_API_LAYERS", "XDG_DATA_HOME"):
                environment.pop(key, None)
            if off:
                environment["DISABLE_XR_APILAYER_CLASHD_poses"] = "1"
            with Server(self.socket) as server:
                subprocess.run([str(GAME), "plain", "60"], env=environment, check=True, stdout=subprocess.DEVNULL)
            self.socket.unlink()
            self.assertEqual(server.connections, 0 if off else 1)

    def bare_root(self, layer):
        """A root with the game, the loader, the runtime and what those need, at the places that they have outside. Of the layer's
        there is its one file."""
        root = self.home / "root"
        programs = [GAME, MANIFEST.parent / "libclash_runtime.so"]
        needed = {*programs, MANIFEST, layer, *(self.home / "layers").iterdir()}
        for program in programs:
            found = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
            needed |= {Path(word) for word in found.split() if word.startswith("/")}
        for file in needed:
            inside = root / file.relative_to("/")
            inside.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, inside)
        return root

    @unittest.skipIf(clashd.is_sanitized(), "the sanitizer's libraries are no part of what is shipped")
    def test_a_root_with_nothing_but_the_c_library(self):
        """The loader starts no game at all if a library is there but does not load: so it needs none that a container may lack."""
        library = LAYER.parent / "libclash_layer.so"
        needed = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
        self.assertLessEqual(set(re.findall(r"\(NEEDED\).*\[(.*)\]", needed)), {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"})
        enter = ["chroot"] if os.geteuid() == 0 else ["unshare", "-r", "chroot"]
        self.environment()
        root = self.bare_root(library)
        if subprocess.run([*enter, root, "/nothing"], capture_output=True).returncode != 127:
            self.skipTest("needs root, or user namespaces")
        with Server(root / "feed.sock", fed=root / "fed") as server:
            lines = self.finish(self.start("plain", FRAMES, within=["env", "CLASHD_SOCKET=/feed.sock", *enter, str(root)],
                                           LAYER_GAME_FED="/fed"))
        self.count_frames(lines)
        self.check_poses(lines, server)
        for other in root.rglob("lib*.so*"):  # of the runtime, and the loader
            if not re.match(r"lib(c|m|clash_layer)\.so", other.name):
                other.unlink()
        linker = re.search(r"/lib\S*/ld-\S+", subprocess.run(["ldd", GAME], capture_output=True, text=True, check=True).stdout)[0]
        self.assertEqual(subprocess.run([*enter, root, linker, "--list", library], capture_output=True, text=True).returncode, 0)

    def count_frames(self, lines):
        self.assertGreaterEqual(sum("frame" in line for line in lines), FRAMES)

    def test_no_clashd(self):
        self.count_frames(self.finish(self.start("plain", FRAMES)))

    def test_clashd_that_refuses(self):
        """Twice; it is asked again, not at once, and then fed."""
        lines, server = self.play("plain", FRAMES, server={"refuses": 2})
        self.assertEqual(len(server.feeds), 3)
        self.assertEqual([feed["before"] for feed in server.feeds], [0, 0, 0])
        self.check_poses(lines, server)

    def test_who_waits_for_a_feed_asks_as_soon_as_one_has_ended(self):
        """Refused ten times, each time with a feed_free after it: with nothing but tries at growing intervals the game would draw
        some 4000 frames before."""
        lines, server = self.play("plain", FRAMES, server={"refuses": 10, "frees": True})
        self.assertEqual(len(server.feeds), 11)
        before = sum("time" in line and line["time"] - JULIAN_YEAR_NS < server.poses[0]["monotonic"] for line in lines)
        self.assertLess(before, 1000)
        self.check_poses(lines, server)

    def test_only_with_the_focus(self):
        """Another program has it for a while: then the feed ends, so that that one can have the hands, and begins again."""
        lines, server = self.play("plain", 2000, CLASH_RUNTIME_FAULTS="unfocused@3s+300ms")
        begun = next(line["begun"] for line in lines if "begun" in line) - JULIAN_YEAR_NS
        self.assertEqual([feed["devices"] for feed in server.feeds], [HANDS, [], HANDS])
        ended, again = server.feeds[1]["before"], server.feeds[2]["before"]
        self.assertEqual(ended, again, "poses without a feed")
        self.assertGreater(ended, 30)
        self.assertGreaterEqual(server.poses[again]["monotonic"], begun + 33 * 10**8)
        self.assertTrue(all(pose.get("teleport") for pose in server.poses[0]["poses"]))

    def test_an_overlay_says_so(self):
        _, server = self.play("plain", 60, LAYER_GAME_OVERLAY=1)
        self.assertEqual([feed.get("overlay") for feed in server.feeds], [True])
        self.socket.unlink()
        self.assertEqual([feed.get("overlay") for feed in self.play("plain", 60)[1].feeds], [None])

    def test_clashd_that_says_nothing(self):
        lines, server = self.play("plain", FRAMES, server={"mute": True})
        self.count_frames(lines)
        self.assertEqual((server.connections, server.poses), (1, []))

    def test_clashd_that_hangs_up(self):
        lines, server = self.play("plain", FRAMES, server={"hangs_up_after": 40})
        self.assertEqual((server.connections, len(server.feeds)), (2, 2))
        self.assertGreater(len(server.poses), 80)
        came = [message["monotonic"] for message in server.poses]
        self.assertEqual(came, sorted(set(came)))

    def test_clashd_that_is_slow(self):
        """It reads nothing for a while: what then comes is whole lines, in order, and the game has drawn its frames."""
        lines, server = self.play("plain", FRAMES, server={"pause_s": 1.0})
        self.count_frames(lines)
        came = [message["monotonic"] for message in server.poses]
        self.assertEqual(came, sorted(set(came)))
        self.assertGreater(len(came), 20)

    def test_clashd_that_is_stopped(self):
        """A process of its own under SIGSTOP: the game draws all its frames, whatever is read of them."""
        self.environment()
        code = f"import sys; sys.path.insert(0, {str(Path(__file__).resolve().parents[1] / 'support')!r})\n" \
            f"import layer_server, time\nserver = layer_server.Server({str(self.socket)!r})\nprint('listening', flush=True)\n" \
            "seen = 0\nwhile True:\n    time.sleep(0.01)\n    if len(server.poses) > 20 and not seen:\n        seen = 1\n" \
            "        print('fed', flush=True)\n"
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as server:
            self.addCleanup(server.kill)
            self.assertEqual(server.stdout.readline(), "listening\n")
            game = self.start("plain", 4 * FRAMES)
            self.assertEqual(server.stdout.readline(), "fed\n")
            server.send_signal(signal.SIGSTOP)
            lines = self.finish(game)
            server.kill()
        self.assertEqual(sum("frame" in line for line in lines), 4 * FRAMES)
        self.assertEqual([line["allocations"] for line in lines if "allocations" in line], [0])


if __name__ == "__main__":
    if not LAYER.exists():
        print(f"skipped: {LAYER} has not been built")
        sys.exit(77)
    unittest.main()
