"""clashctl as people and scripts use it: what it prints, what it says when something is wrong, and its exit codes."""
import json
import os
import re
import socket
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import validate  # noqa: E402

DUEL = clashd.DATA / "duel-20s.jsonl"
REPLAY = ("--source", f"replay:{DUEL}", "--speed", "max", "--wait-for-client", "--exit-at-end")


class Help(clashd.TestCase):
    def test_help_goes_to_standard_output(self):
        for words in ((), ("watch",), ("status",), ("doctor",), ("calibrate",), ("replay",), ("detect",), ("tune",)):
            for flag in ("--help", "-h"):
                done = clashd.clashctl(*words, flag, home=self.home)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertTrue(done.stdout.startswith("usage: clashctl"))
                self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
        self.assertEqual(clashd.clashctl("--version", home=self.home).stdout.split()[0], "clashctl")
        done = subprocess.run([clashd.CLASHD, "--help"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
        for option in ("config", "socket", "source", "speed", "record", "rate", "log-level", "check-config", "version",
                       "wait-for-client", "exit-at-end", "loop"):
            self.assertIn(f"--{option}", done.stdout)

    def test_mistakes_say_what_there_is(self):
        for words, parts in (((), ["no command", "watch, status, config, reload, doctor, calibrate, record, replay, detect"]),
                             (("dance", "x"), ["'dance'", "watch, status, config, reload, doctor, calibrate, record, replay, detect"]),
                             (("watch", "--count", "0"), ["--count", "'0'", "whole number"]),
                             (("watch", "--events", "cl ash"), ["--events", "commas"]),
                             (("status", "now"), ["options only"]),
                             (("detect",), ["one recording"]),
                             (("detect", "a", "b"), ["one recording"]),
                             (("detect", self.home / "none.jsonl"), ["none.jsonl", "No such file"]),
                             (("detect", DUEL, "--set", "contact.margin=wide"), ["contact.margin", "number"]),
                             (("detect", DUEL, "--set", "socket.path=x"), ["socket.path=x", "contact.KEY"]),
                             (("detect", DUEL, "--set", "blades.middle.radius=1"), ["middle", "left, right"]),
                             (("detect", DUEL, "--config", self.home / "none.json"), ["none.json", "No such file"]),
                             (("detect", "--fast", DUEL), ["--fast"])):
            done = clashd.clashctl(*words, home=self.home)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            for part in parts:
                self.assertIn(part, done.stderr)

    def programs(self):
        """(words before the flags, their --help), of clashd and of each command of clashctl."""
        yield [clashd.CLASHD], subprocess.run([clashd.CLASHD, "--help"], capture_output=True, text=True).stdout
        shown = clashd.clashctl("--help", home=self.home).stdout
        for command in re.findall(r"^  (\w+) +\S", shown.split("commands:")[1].split("\n\n")[0], re.MULTILINE):
            yield [clashd.CLASHCTL, command], clashd.clashctl(command, "--help", home=self.home).stdout

    def run_program(self, *words):
        return subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=clashd.environment(self.home))

    def test_mistyped_flags_are_suggested(self):
        for words, shown in self.programs():
            for flag in re.findall(r"^  --([\w-]+)", shown, re.MULTILINE):
                if len(flag) < 4:
                    continue
                typed = flag[:-3] + flag[-2] + flag[-3] + flag[-1] if flag[-2] != flag[-3] else flag + "x"
                done = self.run_program(*words, f"--{typed}")
                self.assertEqual((done.returncode, done.stdout), (2, ""), (words, typed))
                self.assertIn(f"unknown option --{typed}, is it --", done.stderr)
                self.assertIn(f"is it --{flag}?", done.stderr)
            done = self.run_program(*words, "--qqqqqqqq=1")
            self.assertIn("unknown option --qqqqqqqq", done.stderr)
            self.assertNotIn("is it", done.stderr)
        done = self.run_program(clashd.CLASHCTL, "watch", "--min", "3")
        self.assertIn("--min may be --min-closing-speed or --min-peak-speed or --min-apart: give it in full", done.stderr)

    def test_mistyped_commands_are_suggested(self):
        for (_, *command), _ in self.programs():
            for name in command:
                for words in ((name[:-1],), ("help", name[1:])):
                    done = self.run_program(clashd.CLASHCTL, *words)
                    self.assertEqual((done.returncode, done.stdout), (2, ""), words)
                    if name != "cut":
                        self.assertIn(f"unknown command '{words[-1]}', is it '{name}'?", done.stderr)

    def test_mistyped_words_are_suggested(self):
        for program, words, meant in ((clashd.CLASHCTL, ("--verison",), "is it '--version'?"), (clashd.CLASHCTL, ("--hlep",), "is it '--help'?"),
                                      (clashd.CLASHCTL, ("layer", "stauts"), "is it 'status'?"), (clashd.CLASHCTL, ("replay", "puase"), "is it 'pause'?"),
                                      (clashd.CLASHCTL, ("record", "strat"), "is it 'start'?"),
                                      (clashd.CLASHCTL, ("watch", "--events", "clash,relase"), "is it 'release'?"),
                                      (clashd.CLASHCTL, ("convert", "--to", "mcpa", "a", "b"), "is it 'mcap'?"),
                                      (clashd.CLASHD, ("--source", "nne"), "is it 'none'?"), (clashd.CLASHD, ("--log-level", "debgu"), "is it 'debug'?"),
                                      (clashd.CLASHD, ("watch",), "'clashctl help' lists them")):
            done = self.run_program(program, *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertEqual(done.stderr.count(meant), 1, done.stderr)
            self.assertLessEqual(done.stderr.count("is it"), 1, done.stderr)
        self.assertNotIn("is it", self.run_program(clashd.CLASHCTL, "layer", "x").stderr)

    def test_help_and_version_in_every_form(self):
        version = clashd.clashctl("--version", home=self.home).stdout
        for (program, *command), shown in self.programs():
            if command:
                self.assertEqual(self.run_program(program, "help", *command).stdout, shown)
            self.assertEqual(self.run_program(program, *command, "-h").stdout, shown)
            for flag in ("-V", "--version"):
                done = self.run_program(program, *command, flag)
                self.assertEqual((done.returncode, done.stderr), (0, ""), command)
                self.assertEqual(done.stdout.split(), [Path(program).name, version.split()[1]])
        for words in (("-h",), ("--help",), ("help",), ("help", "help")):
            self.assertTrue(self.run_program(clashd.CLASHCTL, *words).stdout.startswith("usage: clashctl COMMAND"))
        self.assertEqual(self.run_program(clashd.CLASHCTL, "version").stdout, version)
        for name in ("clashd-mesh", "clashd-openxr"):
            (program,) = clashd.BUILD.glob(f"daemon/**/{name}")
            for flag in ("-h", "--help", "-V", "--version"):
                done = self.run_program(program, flag)
                self.assertEqual((done.returncode, done.stderr), (0, ""), (name, flag))
                self.assertTrue(done.stdout.startswith(name))

    def test_no_daemon_is_exit_code_3_and_a_hint(self):
        for command in ("watch", "status"):
            done = clashd.clashctl(command, home=self.home)
            self.assertEqual((done.returncode, done.stdout), (3, ""))
            self.assertIn(str(self.home / "clashd" / "clashd.sock"), done.stderr)
            self.assertIn("--socket", done.stderr)


HAS_PAGE = (clashd.BUILD / "daemon" / "viewer" / "made" / "page").exists()
# Every command that talks to clashd: its words, and its exit codes with a clashd that replays, and without any. A calibration fails, as
# the recorded hand does not turn about a point; a trace refuses recordings; the doctor also judges what else is on this machine, such as
# poses that come unevenly because it is busy.
TALKERS = {
    "watch": (["--count", "1", "--events", "clash"], 0, 3), "status": ([], 0, 3), "config": ([], 0, 3), "reload": ([], 0, 3),
    "doctor": (["--seconds", "0.1"], (0, 1), 1),
    "calibrate": (["--only-tip", "--seconds", "1", "--countdown", "0"], 1, 3), "record": (["mark", "here"], 0, 3),
    "replay": (["status"], 0, 3), "trace": (["trace.json"], 2, 3), "view": (["--no-browser"], 0 if HAS_PAGE else 2, 3),
}


class Addresses(clashd.TestCase):
    """--socket and --token-file mean the same to all commands, and so do the exit codes."""

    def talk(self, command, *words):
        return clashd.clashctl(command, *TALKERS[command][0], *words, home=self.home, cwd=self.home)

    def daemon(self):
        return clashd.Daemon("--source", f"replay:{DUEL}", "--loop", "--tcp", "127.0.0.1:0", "--websocket", "127.0.0.1:0",
                             "--record", self.home / "recorded.jsonl", home=self.home)

    def addresses(self, daemon):
        """By each way; those that show a token last."""
        found = [str(daemon.path), f"unix:{daemon.path}"]
        for kind, scheme in (("TCP", "tcp:"), ("WebSocket", "ws://")):
            line = daemon.log[daemon.wait_for_log(f"({kind}") - 1]
            found.append(scheme + line.split("listening on ", 1)[1].split()[0])
        return found

    def test_the_table_has_all_commands(self):
        listed = clashd.clashctl("--help", home=self.home).stdout.split("commands:")[1].split("\n\n")[0].split("\n")[1:]
        for command in (line.split()[0] for line in listed):
            shown = clashd.clashctl(command, "--help", home=self.home).stdout
            self.assertEqual("--socket ADDRESS" in shown, command in TALKERS, command)
            self.assertEqual("--token-file FILE" in shown, command in TALKERS, command)

    def test_with_clashd(self):
        with self.daemon() as daemon:
            places = self.addresses(daemon)
            wrong = self.home / "wrong.token"
            wrong.write_text("0" * 64)
            for command, (_, code, _) in TALKERS.items():
                for place in places:
                    done = self.talk(command, "--socket", place)
                    codes = code if isinstance(code, tuple) else (code,)
                    self.assertIn(done.returncode, codes, (command, place, done.stdout, done.stderr))
                    self.assertNotIn("nothing listens", done.stdout + done.stderr)
                    if command == "watch":
                        self.assertIn(" clash ", done.stdout)
                    if command == "view" and HAS_PAGE:
                        self.assertRegex(done.stdout, r"^http://127\.0\.0\.1:\d+/#token=[0-9a-f]{64}\n$")
                for place in places[2:]:
                    done = self.talk(command, "--socket", place, "--token-file", wrong)
                    said = done.stdout + done.stderr
                    self.assertEqual(done.returncode, 1 if command == "doctor" else 2, (command, place, said))
                    self.assertIn("wrong token", said)
                    self.assertIn("clashd.token", said)
                    self.assertIn("--token-file", said)
                    self.assertEqual(len(re.findall("wrong token", said)), 1, said)
                    self.assertNotIn("does not answer", said)
                    missing = self.talk(command, "--socket", place, "--token-file", self.home / "none.token")
                    said = missing.stdout + missing.stderr
                    self.assertEqual(missing.returncode, 1 if command == "doctor" else 2, (command, place, said))
                    self.assertIn("none.token: No such file", said)

    def test_without_clashd(self):
        with self.daemon() as daemon:
            places = self.addresses(daemon)  # where nothing listens when it has ended
        for command, (_, _, code) in TALKERS.items():
            for place in places:
                done = self.talk(command, "--socket", place)
                said = done.stdout + done.stderr
                self.assertEqual(done.returncode, code, (command, place, said))
                self.assertIn(f"nothing listens at {place.removeprefix('unix:')}", said)
                self.assertIn("--socket", said.split("nothing listens", 1)[1])
            for place in ("tcp:", "tcp:here", "tcp:127.0.0.1", "ws://127.0.0.1:x"):
                done = self.talk(command, "--socket", place)
                self.assertEqual(done.returncode, 1 if command == "doctor" else 2, (command, place, done.stderr))
                self.assertIn("expected tcp:HOST:PORT", done.stdout + done.stderr)
            for place, meant in (("127.0.0.1:21099", "tcp:127.0.0.1:21099"), ("http://localhost:21099/x", "ws://localhost:21099"),
                                 ("ws:127.0.0.1:1", "ws://127.0.0.1:1"), ("udp:1:2", ""), ("unix:", "")):
                done = self.talk(command, "--socket", place)
                said = done.stdout + done.stderr
                self.assertEqual(done.returncode, 1 if command == "doctor" else 2, (command, place, said))
                self.assertIn(f"'{place}' is not an address: expected tcp:HOST:PORT, unix:PATH, ws://HOST:PORT or a path", said)
                self.assertEqual(re.findall(r"is it (\S+)\?", said)[:1], [meant] if meant else [], said)
        self.assertFalse((self.home / "trace.json").exists())

    def test_a_port_alone_is_one_of_this_machine(self):
        with self.daemon() as daemon:
            port = next(place for place in self.addresses(daemon) if place.startswith("tcp:")).rsplit(":", 1)[1]
            done = self.talk("status", "--socket", f"tcp:{port}")
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_listens_is_not_clashd(self):
        """It closes at once, or never answers."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            place = f"tcp:127.0.0.1:{server.getsockname()[1]}"
            for words in (("watch",), ("watch", "--once"), ("status",)):
                process = subprocess.Popen([clashd.CLASHCTL, *words, "--socket", place], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                           text=True, env=clashd.environment(self.home))
                connection, _ = server.accept()
                connection.close()
                _, said = process.communicate(timeout=clashd.WAIT_S)
                self.assertEqual((process.returncode, "before it has answered" in said), (3, True), (words, said))
            done = clashd.clashctl("watch", "--socket", place, home=self.home)
            self.assertEqual((done.returncode, f"{place} does not answer" in done.stderr), (3, True), done.stderr)

    def test_the_other_kind_of_address(self):
        """One line says it, not one for each line of HTTP."""
        with self.daemon() as daemon:
            _, _, tcp, websocket = self.addresses(daemon)
            for place in (f"tcp:{websocket.removeprefix('ws://')}", f"ws://{tcp.removeprefix('tcp:')}"):
                done = self.talk("status", "--socket", place)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                if place.startswith("tcp:"):
                    self.assertIn(f"{place} does not speak clashd's protocol; if it is clashd's WebSocket address: --socket {websocket}", done.stderr)

    def test_a_new_token_while_it_waits(self):
        """clashd makes another one at each start: the one who waits reads it anew; a wrong one ends it in words."""
        token = self.home / "copied.token"
        with self.daemon() as daemon:
            place = self.addresses(daemon)[2]
            token.write_text((self.home / "clashd/clashd.token").read_text())
            process = subprocess.Popen([clashd.CLASHCTL, "watch", "--json", "--socket", place, "--token-file", token],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=clashd.environment(self.home))
            self.addCleanup(process.kill)
            process.stdout.readline()
        with clashd.Daemon("--source", "none", "--tcp", place.removeprefix("tcp:"), home=self.home):
            _, said = process.communicate(timeout=clashd.WAIT_S)
        self.assertEqual(process.returncode, 2, said)
        self.assertIn("waiting until it is back", said.splitlines()[0])
        self.assertIn("wrong token", said)

    def test_clashd_takes_a_path(self):
        for place, advice in (("tcp:127.0.0.1:4717", "--tcp"), ("ws://127.0.0.1:4718", "--websocket")):
            done = subprocess.run([clashd.CLASHD, "--socket", place], capture_output=True, text=True, env=clashd.environment(self.home))
            self.assertEqual(done.returncode, 2)
            self.assertIn(advice, done.stderr)
        with clashd.Daemon("--source", "none", "--socket", f"unix:{self.home}/own.sock", home=self.home):
            self.assertEqual(clashd.clashctl("status", "--socket", f"{self.home}/own.sock", home=self.home).returncode, 0)


class Watch(clashd.TestCase):
    def test_lines_for_people(self):
        with clashd.Daemon(*REPLAY, home=self.home):
            done = clashd.clashctl("watch", "--once", "--events", "clash,release", home=self.home)
        self.assertEqual(done.returncode, 0)
        found = [json.loads(line) for line in clashd.detect(DUEL, home=self.home)]
        found = [message for message in found if message["type"] in ("clash", "release")]
        lines = done.stdout.splitlines()
        self.assertEqual([line.split()[2] for line in lines], [message["type"] for message in found])
        for line, message in zip(lines, found):
            words = line.split()
            self.assertEqual(words[0], f"{message['time_ns'] * 1e-9:.3f}")
            self.assertEqual(words[3], "left/right")
            if message["type"] == "clash":
                self.assertEqual([float(word) for word in words[5:8]],
                                 [float(f"{value:.2f}") for value in message["midpoint"]])
                self.assertIn(f" {message['closing_speed']:.2f} m/s", line)
                self.assertIn("[", line)
        clashes = [line for line in lines if " clash " in line]
        self.assertEqual(len({line.index("[") for line in clashes}), 1, "columns are not aligned")

    def test_json_is_the_wire(self):
        with clashd.Daemon(*REPLAY, home=self.home):
            done = clashd.clashctl("watch", "--once", "--json", "--events", "clash,hold,release,tracking,space_changed",
                                   home=self.home)
        lines = done.stdout.splitlines()
        self.assertEqual(json.loads(lines[0])["type"], "hello")
        self.assertEqual(clashd.unsourced(lines[1:]), clashd.detect(DUEL, home=self.home))

    def test_count_ends_it(self):
        with clashd.Daemon(*REPLAY, home=self.home):
            done = clashd.clashctl("watch", "--count", "3", "--events", "clash", home=self.home)
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 3))
        connected, header = done.stderr.splitlines()  # apart from the events, one a line
        self.assertRegex(connected, r"^Connected to clashd \S+; waiting")
        clash = done.stdout.splitlines()[0]
        for name, part in (("who", "left/right"), ("what", "clash"), ("how hard", "[")):
            self.assertEqual(header.index(name), clash.index(part), name)

    def test_a_count_that_is_not_reached_is_a_failure(self):
        with clashd.Daemon(*REPLAY, home=self.home):
            done = clashd.clashctl("watch", "--once", "--count", "100000", home=self.home)
        self.assertEqual(done.returncode, 3)
        self.assertIn("closed the connection", done.stderr)

    def test_it_comes_back_after_a_restart(self):
        """It says so once, however long that takes, and its count goes on."""
        with clashd.Daemon(*REPLAY, home=self.home):
            process = subprocess.Popen([clashd.CLASHCTL, "watch", "--json", "--events", "clash", "--count", "30"], text=True,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       env=clashd.environment(self.home))
            self.addCleanup(process.kill)
            self.assertEqual(json.loads(process.stdout.readline())["type"], "hello")
            self.assertEqual(json.loads(process.stdout.readline())["type"], "clash")
        self.assertIn("closed the connection; waiting until it is back", process.stderr.readline())
        with self.assertRaises(subprocess.TimeoutExpired):
            process.wait(timeout=1)  # some attempts fail
        with clashd.Daemon("--source", f"replay:{DUEL}", "--speed", "max", "--wait-for-client", "--loop", home=self.home):
            out, said = process.stdout.read(), process.stderr.read()
            self.assertEqual((process.wait(timeout=clashd.WAIT_S), said), (0, "clashctl watch: clashd is there again\n"))
        process.stdout.close()
        process.stderr.close()
        types = [json.loads(line)["type"] for line in out.splitlines()]
        self.assertEqual(types.count("hello"), 1)
        self.assertEqual(types.count("clash"), 29)

    def test_who_waits_for_clashd_ends_with_its_reader(self):
        with clashd.Daemon("--source", "none", home=self.home):
            process = subprocess.Popen([clashd.CLASHCTL, "watch", "--json"], text=True, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clashd.environment(self.home))
            self.addCleanup(process.kill)
            self.addCleanup(process.stderr.close)
            process.stdout.readline()
        self.assertIn("closed the connection", process.stderr.readline())
        process.stdout.close()
        self.assertEqual(process.wait(timeout=clashd.WAIT_S), 0)

    def test_an_unknown_event_is_refused_by_name(self):
        with clashd.Daemon("--source", "none", home=self.home):
            done = clashd.clashctl("watch", "--events", "clsh", home=self.home)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("clsh", done.stderr)


class Status(clashd.TestCase):
    def test_it_shows_what_status_says(self):
        with clashd.Daemon("--source", f"replay:{DUEL}", "--speed", "max", home=self.home) as daemon:
            daemon.wait_for_log("the replay has ended")
            done = clashd.clashctl("status", home=self.home)
            everything = clashd.clashctl("status", "--all", home=self.home)
            with daemon.connect() as client:
                client.send(b"{\n")
                client.read_until(lambda message: message["type"] == "error")
            troubled = clashd.clashctl("status", home=self.home)
            raw = json.loads(clashd.clashctl("status", "--json", home=self.home).stdout)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for part in (daemon.path.parent.name, "replay", "ended", "/user/hand/left", "not tracked"):
            self.assertIn(part, done.stdout)
        self.assertLessEqual(len(done.stdout.splitlines()), 10, done.stdout)
        self.assertRegex(done.stdout, rf"contacts  {raw['counters']['contacts']}, in {raw['counters']['samples']} samples\n")
        self.assertNotIn("trouble", done.stdout)
        self.assertRegex(troubled.stdout, r"trouble   requests refused, .*: 1 \(bad_requests\)\n")
        self.assertGreater(raw["counters"]["contacts"], 5)
        # With --all: every counter once, in groups; what is known is in one of them.
        shown = {line[10:].split()[0]: line[10:].split()[1] for line in everything.stdout.splitlines() if re.fullmatch(r".{10}\w+ +\d+", line)}
        self.assertEqual(set(raw["counters"]), set(shown))
        self.assertEqual(shown["contacts"], str(raw["counters"]["contacts"]))
        self.assertNotIn("others", everything.stdout)

    def test_why_a_hand_is_not_tracked(self):
        """The same for a client of the whole session, for one that comes later, and for a person: the page shows what the messages say."""
        for source, reason, words in (("openxr", "no_runtime", "no OpenXR runtime"), ("none", "lost", "no pose")):
            with self.subTest(source), clashd.Daemon("--source", source, home=self.home, env={"XR_RUNTIME_JSON": "/nowhere"}) as daemon:
                with daemon.connect() as client:
                    status = client.request({"type": "status", "id": 1})
                    while source == "openxr" and "no OpenXR runtime" not in status["detail"]:  # the runtime is looked for beside the start
                        time.sleep(0.02)
                        status = client.request({"type": "status", "id": 1})
                    hello = client.request({"type": "hello", "id": 2})
                    for line in client.lines:
                        self.assertEqual(validate.check(line), [])
                self.assertEqual([device["reason"] for device in status["devices"]], [reason, reason])
                self.assertEqual([device["reason"] for device in hello.get("devices", [])], [reason, reason] if source == "openxr" else [])
                said = clashd.clashctl("status", home=self.home).stdout
                self.assertRegex(said, rf"/user/hand/left +not tracked: {words}\n")
        recording = clashd.DATA / "duel-start-5s.jsonl"
        with clashd.Daemon("--source", f"replay:{recording}", "--speed", "max", home=self.home) as daemon, daemon.connect() as client:
            client.subscribe(since_seq=0)
            told = client.read_until(lambda message: message.get("reason") == "source_ended")[-1]
            status = client.request({"type": "status", "id": 1})
            self.assertIn({"device": told["device"], "reason": told["reason"]},
                          [{"device": device["device"], "reason": device["reason"]} for device in status["devices"]])


INTENSITY = {key: value["default"] for key, value in json.loads(
    (clashd.SOURCE / "protocol" / "schema" / "config.schema.json").read_text())["properties"]["contact"]["properties"].items()
    if "intensity" in key}


class Detect(clashd.TestCase):
    def test_settings_win_in_their_order(self):
        """Flags over --config over the recording's header over the defaults."""
        lines = DUEL.read_text().splitlines()
        plain = self.home / "plain.jsonl"
        header = self.home / "header.jsonl"
        plain.write_text("\n".join(lines) + "\n")
        # Without the two of intensity a header is one of before, whose intensity went by speed itself.
        said = {**json.loads(lines[0]), "contact": {"margin": 0.05, **INTENSITY}}
        header.write_text("\n".join([json.dumps(said), *lines[1:]]) + "\n")
        settings = self.home / "settings.json"
        settings.write_text('{"contact":{"margin":0.1}}')

        def found(recording, *words):
            return clashd.detect(recording, *words, home=self.home)
        by_default, by_header = found(plain), found(header)
        by_file, by_flag = found(header, "--config", settings), found(plain, "--set", "contact.margin=0.2")
        self.assertEqual(len({len(by_default), len(by_header), len(by_file), len(by_flag)}), 4)
        self.assertEqual(by_header, found(plain, "--set", "contact.margin=0.05"))
        self.assertEqual(by_file, found(plain, "--set", "contact.margin=0.1"))
        self.assertEqual(by_flag, found(header, "--config", settings, "--set", "contact.margin=0.2"))
        self.assertEqual(by_default, found(header, "--config", settings, "--set", "contact.margin=0"))

    def test_what_the_settings_define_no_recording_redefines_or_removes(self):
        """As in a replay: detect and play alike."""
        lines = DUEL.read_text().splitlines()
        blades = [{"name": side, "device": f"/user/hand/{side}", "base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.02}
                  for side in ("left", "right")]
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({"blades": blades}))
        changed = self.home / "changed.jsonl"
        at = json.loads(lines[2])["time_ns"]
        changed.write_text("\n".join([*lines[:3], json.dumps({"type": "remove", "time_ns": at, "blade": "left"}), json.dumps(
            {"type": "blade", "time_ns": at, **blades[1], "tip": [0, 0, -0.1]}), *lines[3:]]) + "\n")
        found = clashd.detect(DUEL, "--config", settings, home=self.home)
        self.assertNotEqual(clashd.detect(changed, home=self.home), found)
        self.assertEqual(clashd.detect(changed, "--config", settings, home=self.home), found)
        played = clashd.clashctl("play", "--json", "--speed", "max", "--config", settings, changed, home=self.home)
        self.assertEqual(played.stdout.splitlines(), found)

    def test_blades_by_name(self):
        short = clashd.detect(DUEL, "--set", "blades.left.tip=[0,0,-0.2]", "--set", "blades.right.tip=[0,0,-0.2]",
                              home=self.home)
        self.assertLess(len(short), len(clashd.detect(DUEL, home=self.home)))

    def test_damage_is_named_counted_and_survived(self):
        lines = DUEL.read_text().splitlines()
        damaged = self.home / "damaged.jsonl"
        lines[500:500] = ['{"type":"poses","time_ns":"soon"}', '{"type":"weather"}', "\x00\xff{{"]
        damaged.write_bytes("\n".join(lines).encode("latin-1") + b'\n{"type":"poses","ti')
        done = clashd.clashctl("detect", damaged, home=self.home)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout.splitlines(), clashd.detect(DUEL, home=self.home))
        self.assertIn("damaged.jsonl:501:", done.stderr)
        self.assertIn("damaged.jsonl:503:", done.stderr)
        self.assertIn("damaged lines: 3", done.stderr)

    def test_a_reader_that_goes_is_no_error(self):
        process = subprocess.Popen([clashd.CLASHCTL, "detect", DUEL, "--set", "contact.hold_rate_hz=1000"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        process.stdout.close()
        with process.stderr:
            said = process.stderr.read()
        self.assertEqual(process.wait(timeout=clashd.WAIT_S), 0, said)
        self.assertNotIn("Broken pipe", said)

    def test_a_full_disk_is_one(self):
        if not Path("/dev/full").exists():
            self.skipTest("there is no /dev/full")
        with open("/dev/full", "w") as full, clashd.Daemon("--source", "none", home=self.home):
            # What never ends by itself notices it, too.
            for words in (("detect", DUEL), ("watch", "--json"), ("play", DUEL, "--speed", "max")):
                done = subprocess.run([clashd.CLASHCTL, *words], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE,
                                      text=True, env=clashd.environment(self.home), timeout=clashd.WAIT_S)
                self.assertEqual(done.returncode, 2, words)
                self.assertIn("No space left", done.stderr)

    def ends_without_reader(self, *words, lines=0, socket_output=False):
        """Where nothing more is to be told, either, and without a word."""
        ours, theirs = socket.socketpair() if socket_output else map(open, os.pipe(), ("rb", "wb"))
        process = subprocess.Popen([clashd.CLASHCTL, *words], stdin=subprocess.DEVNULL, stdout=theirs,
                                   stderr=subprocess.PIPE, text=True, env=clashd.environment(self.home))
        theirs.close()
        reader = ours.makefile("rb") if socket_output else ours
        for _ in range(lines):
            reader.readline()
        reader.close()
        ours.close()
        try:
            said = process.communicate(timeout=clashd.WAIT_S)[1]
        finally:
            process.kill()
        self.assertEqual((process.returncode, re.sub(r"^ +time +what .*angle\n", "", said)), (0, ""), words)  # but for the header

    def test_what_waits_for_events_ends_with_its_reader(self):
        with clashd.Daemon("--source", "none", home=self.home):
            self.ends_without_reader("watch", "--json", lines=1)
            self.ends_without_reader("watch")
            self.ends_without_reader("watch", "--json", lines=1, socket_output=True)
        # The first event would come after more than an hour.
        self.ends_without_reader("play", DUEL, "--speed", "0.001")


if __name__ == "__main__":
    unittest.main()
