"""The sink `mqtt` with a real broker: all events and in their words, what is retained, the will, a broker that is killed, stopped or refuses,
TLS, names that are no topics, and wrong settings."""
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import broker  # noqa: E402
import clashd  # noqa: E402
import mqtt_raw  # noqa: E402

broker.need()
import validate  # noqa: E402

DUEL = clashd.DATA / "duel-20s.jsonl"
EVENTS = ["clash", "hold", "release", "tracking", "space_changed"]
QOS = {"clash": 1, "hold": 0, "release": 1, "tracking": 1, "space_changed": 1, "lagged": 1}


def is_online(message):
    return message["payload"] == "true"


class Case(clashd.TestCase):
    def broker(self, *lines, **options):
        one = broker.Broker(self.home, *lines, **options)
        self.addCleanup(one.stop)
        return one

    def play(self, port, *settings, words=("--speed", "50", "--loop")):
        wanted = [f"mqtt.broker=127.0.0.1:{port}", "mqtt.player=anna", "mqtt.room=hall", *settings]
        return clashd.Daemon("--source", f"replay:{DUEL}", *words, *(word for setting in wanted for word in ("--set", setting)), home=self.home)

    def counters(self, daemon):
        with daemon.connect() as client:
            return client.request({"type": "status", "id": 1})["counters"]


class Messages(Case):
    def test_everything_arrives_in_its_words(self):
        there = self.broker()
        listener = there.subscribe()
        with self.play(there.port, "mqtt.poses=true", words=("--speed", "20", "--wait-for-client")) as daemon:
            listener.wait_for("/online", is_online)
            with daemon.connect() as client:
                client.subscribe(events=[*EVENTS, "replay"])
                client.read_until(lambda m: m["type"] == "replay" and m["state"] == "ended")
                lines = [line for line in client.lines if json.loads(line)["type"] in EVENTS]
            last = json.loads(lines[-1])["seq"]
            listener.wait_for("", lambda m: "/events/" in m["topic"] and json.loads(m["payload"])["seq"] == last)
            broker.wait_for(lambda: self.counters(daemon)["mqtt_queued_bytes"] == 0, "the broker does not acknowledge all")
            counters = self.counters(daemon)
        self.assertGreater(len(lines), 50)
        events = [m for m in listener.messages if "/events/" in m["topic"]]
        for kind in EVENTS:
            self.assertEqual([m["payload"] for m in events if m["topic"].endswith(kind)], [line for line in lines if json.loads(line)["type"] == kind])
        for message in events:
            kind = json.loads(message["payload"])["type"]
            self.assertEqual((message["topic"], message["qos"], message["retain"]), (f"clashd/hall/anna/events/{kind}", QOS[kind], 0))
        self.assertEqual((counters["mqtt_connected"], counters["mqtt_dropped"], counters["mqtt_never"]), (1, 0, 0))
        listener.wait_for("/online", lambda m: m["payload"] == "false")
        self.assertEqual([m["payload"] for m in listener.of("/online")], ["true", "false"])
        for name in ("hello", "status", "poses"):
            self.assertTrue(listener.of(f"anna/{name}"), name)
            for message in listener.of(f"anna/{name}"):
                self.assertEqual(validate.check(message["payload"]), [], message)
                self.assertEqual(json.loads(message["payload"])["type"], name)
        # Who comes when clashd is gone learns what there was, and that it is gone.
        late = there.subscribe()
        late.wait_for("/online", lambda m: m["payload"] == "false")
        late.wait_for("/hello"), late.wait_for("/status")
        self.assertEqual({(m["topic"].rsplit("/", 1)[1], m["retain"]) for m in late.messages}, {("online", 1), ("hello", 1), ("status", 1)})

    def test_the_will_of_a_clashd_that_is_killed(self):
        there = self.broker()
        listener = there.subscribe("clashd/+/+/online")
        daemon = self.play(there.port)
        listener.wait_for("/online", is_online)
        daemon.process.kill()
        daemon.wait()
        listener.wait_for("/online", lambda m: m["payload"] == "false")

    def test_hello_tells_of_new_blades(self):
        there = self.broker()
        listener = there.subscribe()
        with self.play(there.port, words=("--wait-for-client",)) as daemon, daemon.connect() as client:
            listener.wait_for("/hello")
            blade = {"type": "blade", "id": 1, "name": "third", "device": "npc", "base": [0, 0, 0], "tip": [0, 0, 1], "radius": 0.01}
            self.assertEqual(client.request(blade)["type"], "ok")
            listener.wait_for("/hello", lambda m: '"third"' in m["payload"])

    def test_names_stay_in_their_level(self):
        there = self.broker()
        listener = there.subscribe("#")
        with self.play(there.port, 'mqtt.room="a/b+#"', 'mqtt.player="$\\n\\u00e4 %"', words=("--wait-for-client",)):
            message = listener.wait_for("/online", is_online)
        self.assertEqual(message["topic"], "clashd/a%2Fb%2B%23/%24%0A%C3%A4%20%25/online")


class Trouble(Case):
    def local_clashes(self, daemon, count):
        """So many come by the socket."""
        with daemon.connect() as client:
            client.subscribe(events=["clash"])
            for _ in range(count):
                client.read_until(lambda m: m["type"] == "clash")

    def test_a_broker_that_is_killed_and_comes_again(self):
        there = self.broker()
        with self.play(there.port) as daemon:
            there.subscribe().wait_for("/events/clash")
            there.kill()
            daemon.wait_for_log("tried again")
            self.local_clashes(daemon, 10)
            daemon.process.send_signal(signal.SIGSTOP)  # until there is somebody to hear what it says first
            there.start()
            listener = there.subscribe()
            daemon.process.send_signal(signal.SIGCONT)
            listener.wait_for("/online", is_online)
            lagged = json.loads(listener.wait_for("/events/lagged")["payload"])
            self.assertEqual(validate.check(json.dumps(lagged)), [])
            self.assertGreater(lagged["missed"], 10)
            counters = self.counters(daemon)
            self.assertEqual(counters["mqtt_connections"], 2)
            self.assertGreaterEqual(counters["mqtt_dropped"], lagged["missed"])
            # Nothing that was missed came all the same, and all that came is in order.
            numbers = [json.loads(m["payload"])["seq"] for m in listener.messages if re.search("events/(clash|hold|release|tracking)$", m["topic"])]
            self.assertEqual(numbers, sorted(set(numbers)))
            self.assertTrue(all(number > lagged["to_seq"] for number in numbers))
            # It is the same client: so a connection that only the broker believes in ends, and its will cannot come late.
            self.assertEqual(len(re.findall(" as clashd", there.said())), 2)
            self.assertEqual(len(set(re.findall(r" as (clashd\w{16}) ", there.said()))), 1)

    def test_a_broker_that_stands_still(self):
        there = self.broker()
        listener = there.subscribe()
        with self.play(there.port, "mqtt.queue_bytes=65536", words=("--speed", "500", "--loop")) as daemon:
            listener.wait_for("/events/clash")
            there.process.send_signal(signal.SIGSTOP)
            try:
                broker.wait_for(lambda: self.counters(daemon)["mqtt_dropped"] > 100, "the queue has no end")
                self.local_clashes(daemon, 20)
                self.assertLessEqual(self.counters(daemon)["mqtt_queued_bytes"], 65536)
            finally:
                there.process.send_signal(signal.SIGCONT)
            listener.wait_for("/events/lagged")

    def test_events_wait_for_a_broker_where_that_is_wanted(self):
        port = broker.free_port()
        with self.play(port, "mqtt.offline=true", words=("--speed", "50", "--wait-for-client")) as daemon:
            daemon.wait_for_log("tried again")
            with daemon.connect() as client:
                client.subscribe(events=["clash", "replay"])
                client.read_until(lambda m: m["type"] == "replay" and m["state"] == "ended")
                lines = [line for line in client.lines if '"type":"clash"' in line]
            there = self.broker(port=port)
            listener = there.subscribe()
            broker.wait_for(lambda: len(listener.of("/events/clash")) >= len(lines), "they did not wait")
        self.assertEqual([m["payload"] for m in listener.of("/events/clash")], lines)
        self.assertEqual(listener.of("/events/lagged"), [])

    def test_who_is_refused_is_told_so_and_tries_again(self):
        passwords, secret = self.home / "passwords", self.home / "secret"
        subprocess.run(["mosquitto_passwd", "-b", "-c", passwords, "anna", "right"], check=True)
        secret.write_text("wrong\n")
        secret.chmod(0o600)
        there = self.broker("allow_anonymous false", f"password_file {passwords}")
        with self.play(there.port, "mqtt.user=anna", f"mqtt.password_file={secret}") as daemon:
            line = daemon.log[daemon.wait_for_log("refuses") - 1]
            self.assertIn("mqtt.user", line)
            self.assertNotIn("wrong", "\n".join(daemon.log))
            self.local_clashes(daemon, 3)
            secret.write_text("right\n")
            there.subscribe("clashd/#", "-u", "anna", "-P", "right").wait_for("/online", is_online)

    def test_who_may_not_publish_is_told_so(self):
        rights = self.home / "rights"
        rights.write_text("topic readwrite clashd/hall/berta/#\n")
        there = self.broker(f"acl_file {rights}")
        with self.play(there.port) as daemon:
            self.assertIn("clashd/hall/anna/online: Not authorized", daemon.log[daemon.wait_for_log("mqtt.user") - 1])
            broker.wait_for(lambda: self.counters(daemon)["mqtt_denied"] > 3, "nothing is denied")
            self.assertEqual(sum("mqtt.user" in line for line in daemon.log), 1)

    def test_wrong_settings_are_named(self):
        loose = self.home / "loose"
        loose.write_text("x\n")
        loose.chmod(0o644)
        for settings, key in ((["mqtt.broker=a b"], "mqtt.broker"), (["mqtt.broker=a:0"], "mqtt.broker"), (["mqtt.broker=[::1"], "mqtt.broker"),
                              (["mqtt.broker=a", "mqtt.password_file=/x"], "mqtt.password_file"),
                              (["mqtt.broker=a", "mqtt.ca_file=/x"], "mqtt.ca_file"),
                              (["mqtt.broker=a", "mqtt.tls=true", "mqtt.key_file=/x"], "mqtt.key_file"),
                              (["mqtt.broker=a", "mqtt.tls=true", "mqtt.ca_file=/no/such"], "mqtt.ca_file"),
                              (["mqtt.broker=a", "mqtt.user=u", f"mqtt.password_file={loose}"], "mqtt.password_file"),
                              (["mqtt.broker=a", "mqtt.room="], "mqtt.room"), (["mqtt.queue_bytes=1"], "mqtt.queue_bytes"),
                              (["mqtt.peers=true"], "mqtt.peers: there is no mqtt.broker")):
            words = [word for setting in settings for word in ("--set", setting)]
            done = subprocess.run([clashd.CLASHD, "--check-config", *words], capture_output=True, text=True, env=clashd.environment(self.home))
            self.assertEqual(done.returncode, 2, settings)
            self.assertIn(key, done.stderr)


class Leave(Case):
    def test_a_broker_that_is_behind_hears_of_it(self):
        """It acknowledges what it takes, one packet after the other, as mosquitto does: where that fails the connection was lost, and it tells the will."""
        there = mqtt_raw.SlowBroker()
        self.addCleanup(there.stop)
        with self.play(there.port, words=("--wait-for-client",)) as daemon:
            there.accept()
            there.read()
            daemon.process.send_signal(signal.SIGSTOP)
            there.say(b"\xd0\0" * 1000)  # answers to pings: far more than clashd reads before it ends
            daemon.process.send_signal(signal.SIGTERM)
            daemon.process.send_signal(signal.SIGCONT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                daemon.process.wait(0.5)
            kinds = []
            while packet := there.read():
                there.acknowledge(packet)
                kinds.append(packet[0] >> 4)
            self.assertEqual(kinds[-1], 14)  # DISCONNECT
            there.stop()
            self.assertEqual(daemon.wait(), 0)

    def test_a_broker_that_stands_still_is_left(self):
        there = mqtt_raw.SlowBroker()
        self.addCleanup(there.stop)
        with self.play(there.port, words=("--wait-for-client",)) as daemon:
            there.accept()
            self.assertEqual(daemon.stop(), 0)


class Hostile(Case):
    def test_a_broker_that_kills_who_reads_it(self):
        """Of a CONNACK with a property that libmosquitto 2.0.11 does not know it aborts: that costs clashd a warning, and the next
        broker at that place has everything, what came meanwhile too. unit/mqtt_hostile_test sends far more."""
        there = mqtt_raw.SlowBroker()
        with self.play(there.port, "mqtt.offline=true") as daemon, daemon.connect() as client:
            client.subscribe()
            there.accept(b"\x20\5\0\0\2\x7f\0")
            daemon.wait_for_log("the process that talks to the broker, clashd-mqtt, crashed: Aborted")
            there.stop()
            client.read_until(lambda message: message["type"] == "clash")
            self.assertEqual(self.counters(daemon)["mqtt_connected"], 0)
            good = self.broker(port=there.port)
            listener = good.subscribe()
            listener.wait_for("/events/clash")
            listener.wait_for("/online", is_online)
            self.assertEqual(self.counters(daemon)["mqtt_connected"], 1)
            self.assertEqual(sum("crashed" in line for line in daemon.log), 1)
            self.assertEqual(daemon.stop(), 0)
            listener.wait_for("/online", lambda m: m["payload"] == "false")

    def test_the_process_says_what_it_is(self):
        program = clashd.BUILD / "daemon/sinks/mqtt/helper/clashd-mqtt"
        version = clashd.clashctl("--version", home=self.home).stdout.split()[1]
        purpose = "clashd-mqtt: clashd starts this program, with a socket as its standard input\n"
        for words, answer in ((["-V"], (0, f"clashd-mqtt {version}\n", "")), (["--version"], (0, f"clashd-mqtt {version}\n", "")),
                              (["-h"], (0, purpose, "")), (["--help"], (0, purpose, "")), (["--verbose"], (2, "", purpose)), ([], (2, "", purpose))):
            done = subprocess.run([program, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=clashd.WAIT_S, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), answer, words)

    def test_the_process_ends_with_clashd(self):
        """Killed, it leaves none behind; and a process that is killed is started again."""
        there = self.broker()
        listener = there.subscribe()
        daemon = self.play(there.port)
        self.addCleanup(daemon.process.wait)
        self.addCleanup(daemon.process.kill)

        def helpers():
            found = subprocess.run(["pgrep", "-P", str(daemon.process.pid), "-x", "clashd-mqtt"], capture_output=True, text=True).stdout
            return list(map(int, found.split()))

        listener.wait_for("/online", is_online)
        first, = helpers()
        os.kill(first, signal.SIGKILL)
        daemon.wait_for_log("crashed: Killed")
        listener.wait_for("/online", lambda m: m["payload"] == "false")
        broker.wait_for(lambda: self.counters(daemon)["mqtt_connections"] == 2, "it does not come again")
        second, = helpers()
        listener.messages.clear()
        daemon.process.kill()
        daemon.wait()
        listener.wait_for("/online", lambda m: m["payload"] == "false")
        broker.wait_for(lambda: not Path(f"/proc/{second}").exists(), "it is left behind")


class Reload(Case):
    def start(self, **mqtt):
        self.path = self.home / "settings.json"
        self.write(**mqtt)
        daemon = clashd.Daemon("--source", f"replay:{DUEL}", "--speed", "50", "--loop", "--config", self.path, home=self.home)
        self.addCleanup(daemon.process.wait)
        self.addCleanup(daemon.process.kill)
        return daemon

    def write(self, **mqtt):
        self.path.write_text(json.dumps({"mqtt": {"player": "anna", "room": "hall", **mqtt}}))

    def reload(self):
        return clashd.clashctl("reload", home=self.home)

    def test_settings_change_while_clashd_runs(self):
        there, other = self.broker(), self.broker()
        listener, listener2 = there.subscribe("clashd/#"), other.subscribe("clashd/#")
        daemon = self.start()
        self.assertNotIn("mqtt_published", self.counters(daemon))
        for settings, who, topic in (({"broker": f"127.0.0.1:{there.port}"}, listener, "hall/anna"),
                                     ({"broker": f"127.0.0.1:{there.port}", "room": "cellar"}, listener, "cellar/anna"),
                                     ({"broker": f"127.0.0.1:{other.port}", "poses": True}, listener2, "hall/anna")):
            self.write(**settings)
            done = self.reload()
            self.assertEqual(done.returncode, 0, done.stderr)
            who.wait_for(f"{topic}/online", is_online)
            who.wait_for(f"{topic}/events/clash")
        listener2.wait_for("/poses")
        # Each place was left before the next one of the same broker was entered.
        for room in ("hall", "cellar"):
            listener.wait_for(f"{room}/anna/online", lambda m: m["payload"] == "false")
        self.assertEqual([(m["topic"].split("/")[1], m["payload"]) for m in listener.of("/online")],
                         [("hall", "true"), ("hall", "false"), ("cellar", "true"), ("cellar", "false")])
        self.write()
        self.assertEqual(self.reload().returncode, 0)
        listener2.wait_for("/online", lambda m: m["payload"] == "false")
        self.assertNotIn("mqtt_published", self.counters(daemon))
        self.assertEqual(daemon.stop(), 0)

    def test_what_is_wrong_changes_nothing(self):
        there = self.broker()
        listener = there.subscribe("clashd/+/+/online")
        daemon = self.start(broker=f"127.0.0.1:{there.port}")
        listener.wait_for("/online", is_online)
        for settings, key in (({"broker": "a b"}, "mqtt.broker"), ({"tls": True, "ca_file": "/no/such"}, "mqtt.ca_file"),
                              ({"user": "u", "password_file": "/no/such"}, "mqtt.password_file")):
            self.write(**{"broker": f"127.0.0.1:{there.port}", **settings})
            done = self.reload()
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(key, done.stderr)
        # Something else that is wrong, or cannot change: the connection, whose own settings are right, stays too.
        self.path.write_text(json.dumps({"mqtt": {"broker": f"127.0.0.1:{there.port}", "room": "cellar"}, "socket": {"max_clients": 3}}))
        self.assertIn("socket.max_clients", self.reload().stderr)
        self.assertEqual(self.counters(daemon)["mqtt_connections"], 1)
        self.assertEqual([m["payload"] for m in listener.messages], ["true"])
        self.assertEqual(daemon.stop(), 0)


class Tls(Case):
    def make(self, name, *words, subject="/CN=localhost"):
        """A key and a certificate, which signs itself unless words say by whom it is signed."""
        key, certificate = self.home / f"{name}.key", self.home / f"{name}.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-keyout", key,
                        "-out", certificate, "-subj", subject, *words], check=True, capture_output=True)
        return certificate, key

    def test_certificates_on_both_sides(self):
        mine, _ = self.make("other", subject="/CN=somebody else")
        certificate, key = self.make("broker", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        there = self.broker(f"cafile {certificate}", f"certfile {certificate}", f"keyfile {key}", "require_certificate true")
        own = (f"mqtt.certificate_file={certificate}", f"mqtt.key_file={key}", "mqtt.tls=true")
        with self.play(there.port, *own, f"mqtt.ca_file={mine}", words=("--wait-for-client",)) as daemon:
            self.assertIn("certificate verify failed", daemon.log[daemon.wait_for_log("tried again") - 1])
        with self.play(there.port, "mqtt.tls=true", f"mqtt.ca_file={certificate}", words=("--wait-for-client",)) as daemon:
            daemon.wait_for_log("tried again")  # it wants to see one, too
        with self.play(there.port, *own, f"mqtt.ca_file={certificate}") as daemon:
            daemon.wait_for_log("connected to 127.0.0.1")
            listener = there.subscribe("clashd/#", "--cafile", str(certificate), "--cert", str(certificate), "--key", str(key))
            listener.wait_for("/events/clash")


if __name__ == "__main__":
    unittest.main()
