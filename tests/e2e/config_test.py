"""`config` and `reload` over the socket: what is in force and where it came from, what a reload takes, who may ask. What the schema says
of defaults and reloads is held against what clashd does."""
import json
import socket
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "protocol" / "schema")]
import clashd  # noqa: E402
import configuration  # noqa: E402
import validate  # noqa: E402

# Beside what is tried, so that clashd has no runtime to look for and takes any address.
BASE = {"openxr": {"enabled": False}}


def simple():
    """The settings that are one value each."""
    return [row for row in configuration.rows() if row.section not in ("$schema", "blades", "targets")]


def merged(one, other):
    return {key: {**one.get(key, {}), **other.get(key, {})} for key in {**one, **other}}


def document(key, value):
    section, name = key.split(".")
    return {section: {name: value}}


class Case(clashd.TestCase):
    def setUp(self):
        super().setUp()
        self.path = self.home / "settings.json"
        self.write(BASE)

    def write(self, settings):
        self.path.write_text(settings if isinstance(settings, str) else json.dumps(settings))

    def start(self, *words, config=True, **options):
        given = ("--config", self.path) if config else ()
        daemon = clashd.Daemon(*given, *words, home=self.home, **options)
        self.addCleanup(daemon.process.wait)
        self.addCleanup(daemon.process.kill)
        return daemon

    def ask(self, client, kind="config"):
        client.send({"type": kind, "id": kind})
        reply = client.read_until(lambda message: message.get("id") == kind)[-1]
        self.assertEqual(validate.check(client.lines[-1]), [])
        return reply

    def settings(self, client):
        """{key: (value, source)}"""
        return {one["key"]: (one["value"], one["source"]) for one in self.ask(client)["settings"]}


class Config(Case):
    def test_the_defaults_are_those_of_the_schema(self):
        with self.start(config=False).connect() as client:
            reply = self.ask(client)
            found = {one["key"]: (one["value"], one["source"]) for one in reply["settings"]}
        self.assertNotIn("file", reply)
        self.assertEqual(list(found), ["blades", "targets"] + [row.key for row in simple()])
        self.assertEqual(found.pop("socket.path"), (str(self.home / "clashd" / "clashd.sock"), "environment"))
        for row in simple():
            if row.key in found:
                self.assertEqual(found[row.key], (json.loads(row.default), "default"), row)
        self.assertEqual(found["blades"], (["left", "right"], "default"))

    def test_each_value_says_where_it_came_from(self):
        self.write({"contact": {"margin": 0.005, "release_margin": 0.01, "max_gap_ms": 60}, "log": {"level": "error"},
                    "record": {"directory": "$RECORDINGS"}, "openxr": {"rate_hz": 250}})
        (self.home / "swings").mkdir()
        daemon = self.start("--set", "contact.release_margin=0.025", "--set", "socket.allowed_hosts=[\"a.local\"]",
                            "--log-level", "debug", "--tcp", "0", "--source", "none",
                            env={"RECORDINGS": self.home / "swings"})
        with daemon.connect() as client:
            found = self.settings(client)
            self.assertEqual(self.ask(client)["file"], str(self.path))
        for key, wanted in {"contact.margin": (0.005, "file"), "contact.release_margin": (0.025, "set"),
                            "contact.max_gap_ms": (60, "file"), "log.level": ("debug", "flag"),
                            "record.directory": (str(self.home / "swings"), "file"), "socket.tcp": ("0", "flag"),
                            "socket.allowed_hosts": (["a.local"], "set"), "openxr.enabled": (False, "flag"),
                            "openxr.rate_hz": (250, "file"), "record.keep": (8, "default")}.items():
            self.assertEqual(found[key], wanted, key)
        token = (self.home / "clashd" / "clashd.token").read_text().strip()
        self.assertNotIn(token, json.dumps(found))

    def test_a_recordings_own_settings_are_called_so(self):
        with self.start("--source", f"replay:{clashd.DATA / 'duel-20s.jsonl'}", "--wait-for-client").connect() as client:
            found = self.settings(client)
        self.assertEqual(found["contact.margin"][1], "recording")
        self.assertEqual(found["record.keep"][1], "default")

    def test_clashctl_shows_them(self):
        self.write({**BASE, "contact": {"margin": 0.005}, "blades": []})
        self.start()
        shown = clashd.clashctl("config", home=self.home)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        rows = [line.split() for line in shown.stdout.splitlines()]
        self.assertEqual(rows[0], ["file", str(self.path)])
        self.assertIn(["contact.margin", "0.005", "the", "file"], rows)
        self.assertIn(["contact.release_margin", "0.005", "default"], rows)
        changed = clashd.clashctl("config", "--changed", home=self.home).stdout.splitlines()
        self.assertEqual([line.split()[0] for line in changed],
                         ["file", "blades", "contact.margin", "openxr.enabled", "socket.path"])
        line = clashd.clashctl("config", "--json", home=self.home).stdout
        self.assertEqual(validate.check(line.rstrip("\n")), [])

    def test_without_a_clashd(self):
        for command in ("config", "reload"):
            done = clashd.clashctl(command, home=self.home)
            self.assertEqual(done.returncode, 3, done)
            self.assertIn("Start one with 'clashd'", done.stderr)


class Reload(Case):
    def test_it_takes_what_the_schema_says(self):
        """Every setting once, with the schema's own example."""
        client = self.start().connect()
        self.addCleanup(client.close)
        taken = set()
        for row in simple():
            value = json.loads(row.example)
            if row.key == "openxr.enabled":
                value = True
            if row.type.startswith("path"):
                value = str(self.home / "somewhere.sock")
            changed = merged(BASE, document(row.key, value))
            if row.key == "mqtt.peers":  # says nothing alone
                changed = merged(changed, document("mqtt.broker", "127.0.0.1:1"))
            self.write(changed)
            reply = self.ask(client, "reload")
            if reply["type"] == "ok":
                taken.add(row.key)
                self.assertEqual(self.settings(client)[row.key], (value, "file"), row)
            else:
                self.assertEqual(reply["code"], "cannot_reload")
                self.assertIn(f"{row.key}: cannot change while clashd runs", reply["message"])
                self.assertNotEqual(self.settings(client)[row.key][0], value, row)
        self.write(BASE)
        self.assertEqual(self.ask(client, "reload")["type"], "ok")
        self.assertEqual(taken, {row.key for row in simple() if row.reload})
        self.assertIn("contact.margin", taken)

    def test_refused_settings_change_nothing_and_clashctl_says_so(self):
        daemon = self.start()
        self.write({**BASE, "contact": {"margin": 0.25}})
        done = clashd.clashctl("reload", home=self.home)
        self.assertEqual((done.returncode, done.stdout), (0, "the settings apply\n"), done)
        self.write('{\n// comment\n"contact": {"margin": 7}}')
        done = clashd.clashctl("reload", home=self.home)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done)
        self.assertIn(f"{self.path}:3:13: contact.margin: ", done.stderr)
        self.assertIn("all stays as it was", done.stderr)
        self.write('{\n/* comment\n*/ "contact": {"margin": 7 7}}')
        self.assertIn(f"{self.path}:3:", clashd.clashctl("reload", home=self.home).stderr)
        with daemon.connect() as client:
            self.assertEqual(self.settings(client)["contact.margin"], (0.25, "file"))
            counters = client.request({"type": "status", "id": 1})["counters"]
        self.assertEqual((counters["reloads"], counters["reloads_refused"]), (1, 2))
        self.assertTrue(any(line.startswith("clashd: error: reload: the settings are refused") for line in daemon.log), daemon.log)

    def test_the_logs_level_follows(self):
        daemon = self.start()
        self.write({**BASE, "log": {"level": "error"}})
        with daemon.connect() as client:
            self.assertEqual(self.ask(client, "reload")["type"], "ok")
            self.write({**BASE, "log": {"level": "debug"}})
            self.assertEqual(self.ask(client, "reload")["type"], "ok")
            self.write(BASE)
            self.assertEqual(self.ask(client, "reload")["type"], "ok")
        daemon.stop()
        self.assertEqual(sum("reload: the settings apply" in line for line in daemon.log), 2, daemon.log)

    def test_all_that_ask_at_once_are_told(self):
        daemon = self.start()
        clients = [daemon.connect() for _ in range(8)]
        for client in clients:
            self.addCleanup(client.close)
        for number, client in enumerate(clients):
            for line in ("reload", "ping", "reload", "config"):
                client.send({"type": line, "id": f"{line} {number}"})
        clients[0].close()
        for number, client in enumerate(clients[1:], 1):
            kinds = [client.read()["id"] for _ in range(4)]
            self.assertEqual(kinds, [f"{line} {number}" for line in ("reload", "ping", "reload", "config")])

    def test_who_shows_no_token_may_not(self):
        self.write({"socket": {"tcp": "0", "require_token": False}, **BASE})
        daemon = self.start()
        daemon.wait_for_log("(TCP, no token)")
        port = int(next(line for line in daemon.log if "(TCP, no token)" in line).split("127.0.0.1:")[1].split(" ")[0])
        with socket.create_connection(("127.0.0.1", port), timeout=clashd.WAIT_S) as connection, connection.makefile("rw") as lines:
            for kind in ("config", "reload", "ping"):
                lines.write(json.dumps({"type": kind, "id": kind}) + "\n")
            lines.flush()
            self.assertEqual(json.loads(lines.readline())["type"], "hello")
            for kind in ("config", "reload"):
                reply = json.loads(lines.readline())
                self.assertEqual((reply["type"], reply["code"], reply["id"]), ("error", "unauthorized", kind))
                self.assertIn("socket.require_token is false", reply["message"])
            self.assertEqual(json.loads(lines.readline())["type"], "ok")
        with daemon.connect() as client:
            self.assertEqual(self.ask(client, "reload")["type"], "ok")

    def test_who_shows_the_token_may(self):
        daemon = self.start("--tcp", "0")
        daemon.wait_for_log("(TCP; its token")
        port = int(next(line for line in daemon.log if "(TCP; its token" in line).split("127.0.0.1:")[1].split(" ")[0])
        token = (self.home / "clashd" / "clashd.token").read_text().strip()
        with socket.create_connection(("127.0.0.1", port), timeout=clashd.WAIT_S) as connection, connection.makefile("rw") as lines:
            lines.write(json.dumps({"type": "auth", "token": token}) + "\n" + '{"type":"reload","id":1}\n{"type":"config"}\n')
            lines.flush()
            replies = [json.loads(lines.readline()) for _ in range(3)]
        self.assertEqual([reply["type"] for reply in replies], ["hello", "ok", "config"])
        self.assertNotIn(token, json.dumps(replies))


class Token(Case):
    """One password, set once: it lasts in socket.token_file."""

    def greet(self, daemon, token):
        """What clashd says to who shows that over TCP."""
        daemon.wait_for_log("(TCP; its token")
        port = int(next(line for line in daemon.log if "(TCP; its token" in line).split("127.0.0.1:")[1].split(" ")[0])
        with socket.create_connection(("127.0.0.1", port), timeout=clashd.WAIT_S) as connection, connection.makefile("rw") as lines:
            lines.write(json.dumps({"type": "auth", "token": token}) + "\n")
            lines.flush()
            return json.loads(lines.readline())

    def test_it_is_the_same_after_a_restart(self):
        kept, beside = self.home / "kept", self.home / "clashd" / "clashd.token"
        self.write({"socket": {"token_file": "$HOME/kept", "tcp": "0"}, **BASE})
        tokens = []
        for _ in range(2):
            with self.start() as daemon:
                tokens.append(kept.read_text().strip())
                self.assertEqual(beside.read_text(), kept.read_text())
                self.assertEqual(self.greet(daemon, tokens[0])["type"], "hello")
                refused = self.greet(daemon, "0" * 64)
                self.assertEqual(refused["code"], "unauthorized")
                self.assertIn(str(kept), refused["message"])
                self.assertTrue(any(f"its token is in {kept})" in line for line in daemon.log), daemon.log)
                self.assertFalse(any(tokens[0] in line for line in daemon.log), "the log tells it")
                with daemon.connect() as client:
                    self.assertEqual(self.settings(client)["socket.token_file"], (str(kept), "file"))
                    self.assertNotIn(tokens[0], client.lines[-1])
            self.assertFalse(beside.exists())
        self.assertEqual(tokens[0], tokens[1])
        self.assertEqual(kept.stat().st_mode & 0o777, 0o600)

    def test_one_that_others_can_read_is_refused(self):
        kept = self.home / "kept"
        kept.write_text("0123456789abcdef" * 4 + "\n")
        kept.chmod(0o644)
        self.write({"socket": {"token_file": str(kept), "tcp": "0"}, **BASE})
        checked = subprocess.run([clashd.CLASHD, "--check-config", "--config", self.path], capture_output=True, text=True,
                                 env=clashd.environment(self.home), timeout=clashd.WAIT_S)
        self.assertEqual(checked.returncode, 2, checked)
        self.assertIn("chmod 600", checked.stderr)
        daemon = self.start(listening=False)
        self.assertEqual(daemon.wait(), 2)
        self.assertTrue(any(f"the token file {kept} has mode 0644" in line for line in daemon.log), daemon.log)
        kept.chmod(0o640)
        with self.start() as daemon:
            self.assertEqual(self.greet(daemon, "0123456789abcdef" * 4)["type"], "hello")


if __name__ == "__main__":
    unittest.main()
