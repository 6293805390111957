"""Runs real brokers for tests: mosquitto, each in a directory of its own on a port of its own; and what it passes on, by mosquitto_sub."""
import json
import os
import shutil
import socket
import subprocess
import threading
import time
from pathlib import Path

import clashd
import tree

MOSQUITTO = shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")


def need():
    """Ends the test as skipped where there is no broker to be had."""
    if tree.cache_value("CLASHD_MQTT") != "ON":
        tree.skip("this clashd was built without MQTT")
    if not MOSQUITTO or not shutil.which("mosquitto_sub"):
        tree.skip("mosquitto is missing (Debian: mosquitto mosquitto-clients)")


def wait_for(what, why):
    """Until what() is true; fails far beyond anything that works."""
    deadline = time.monotonic() + clashd.WAIT_S
    while not (found := what()):
        assert time.monotonic() < deadline, why() if callable(why) else why
        time.sleep(0.01)
    return found


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Broker:
    """mosquitto on 127.0.0.1; `lines` go into its settings."""

    def __init__(self, home, *lines, port=None):
        self.home, self.port = Path(home), port or free_port()
        self.settings = self.home / f"mosquitto-{self.port}.conf"
        access = [] if any(line.startswith("allow_anonymous") for line in lines) else ["allow_anonymous true"]
        self.settings.write_text("\n".join([f"listener {self.port} 127.0.0.1", "user root", *access, *lines, ""]))
        self.subscribers = []
        self.start()

    def start(self):
        self.log = open(self.home / f"mosquitto-{self.port}.log", "ab")
        self.process = subprocess.Popen([MOSQUITTO, "-c", self.settings], stdout=self.log, stderr=self.log)
        wait_for(self.is_listening, self.said)

    def said(self):
        return Path(self.log.name).read_text()

    def is_listening(self):
        assert self.process.poll() is None, self.said()
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.log.close()

    def stop(self):
        for one in self.subscribers:
            one.stop()
        if self.process.poll() is None:
            self.kill()

    def subscribe(self, topic="clashd/#", *words):
        self.subscribers.append(Subscriber(self.port, topic, *words))
        return self.subscribers[-1]


class Subscriber:
    """A running mosquitto_sub; what came, as {"topic", "payload", "qos", "retain"}."""

    def __init__(self, port, topic, *words):
        self.messages = []
        self.process = subprocess.Popen(["stdbuf", "-oL", "mosquitto_sub", "-V", "5", "-h", "127.0.0.1", "-p", str(port), "-q", "1", "-d", "-t", topic, "-F", "%j",
                                         *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.is_subscribed = False
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        wait_for(lambda: self.is_subscribed, "mosquitto_sub does not subscribe")

    def read(self):
        for line in self.process.stdout:
            if line.startswith("{"):
                self.messages.append(json.loads(line))
            elif line.startswith("Subscribed"):
                self.is_subscribed = True

    def of(self, ending):
        return [message for message in self.messages if message["topic"].endswith(ending)]

    def wait_for(self, ending, wanted=lambda message: True):
        """The first message whose topic ends so and that is wanted."""
        return wait_for(lambda: next(filter(wanted, self.of(ending)), None), lambda: self.messages[-5:])

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()
