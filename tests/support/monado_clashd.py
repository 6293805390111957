"""A clashd in the room, taking poses from Monado, with one subscriber that keeps every line it is sent."""
import json
import signal
import socket
import threading
import time

from monado_room import BUILD, RUN, WAIT_S, wait_until

SOCKET = RUN / "clashd.sock"
RATE_HZ = 500
EVENTS = ["clash", "hold", "release", "tracking", "space_changed"]
HANDS = ("/user/hand/left", "/user/hand/right")
CONFIG = {
    "blades": [{"name": hand.rsplit("/", 1)[1], "device": hand, "base": [0, 0, -0.05], "tip": [0, 0, -1.0],
                "radius": 0.015, "edge": [0, -1, 0]} for hand in HANDS],
    "contact": {"release_margin": 0.005, "max_gap_ms": 100, "require_tracked": True},
    "openxr": {"space": "stage"},
}


class Subscriber:
    """Reads in a thread of its own until clashd closes the connection."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(str(SOCKET))
        self.lines, self.events = [], []
        self.socket.sendall(json.dumps({"type": "subscribe", "id": 1, "events": EVENTS}).encode() + b"\n")
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()
        wait_until(lambda: any(event.get("id") == 1 and event["type"] == "ok" for event in self.events), "subscribed")

    def _read(self):
        for line in self.socket.makefile(encoding="utf-8"):
            self.lines.append(line.rstrip("\n"))
            self.events.append(json.loads(line))

    def of_type(self, name, since=0):
        return [event for event in self.events[since:] if event["type"] == name]

    def tracked_since(self, index, tracked):
        """Whether each hand's last tracking event after that many lines says so."""
        last = {event["device"]: event["tracked"] for event in self.of_type("tracking", index)}
        return all(last.get(hand) == tracked for hand in HANDS)


class Clashd:
    """As a context it ends with it, and must then end well."""

    def __init__(self, room, name="clashd", suffix=".jsonl", env=None, source="openxr", **contact):
        """`contact`: settings of that section other than those above."""
        self.recording_path = room.logs / f"{name}{suffix}"
        config = room.logs / f"{name}.json"
        config.write_text(json.dumps(CONFIG | {"contact": CONFIG["contact"] | contact}))
        self.process = room.start(name, BUILD / "daemon" / "app" / "clashd", "--config", config, "--socket", SOCKET,
                                  "--source", source, "--record", self.recording_path,
                                  *(("--rate", RATE_HZ) if source == "openxr" else ()), env=env, first=True)
        wait_until(self._listening, "clashd listening")
        self.subscriber = Subscriber()
        self.pid = self.process.pid
        self.session = self.subscriber.events[0]["session"]

    def _listening(self):
        assert self.process.poll() is None, f"clashd ended with {self.process.returncode}"
        return SOCKET.exists()

    def status(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            client.settimeout(WAIT_S)
            client.connect(str(SOCKET))
            client.sendall(b'{"type":"status","id":2}\n')
            for line in client.makefile(encoding="utf-8"):
                if json.loads(line)["type"] == "status":
                    return json.loads(line)
        raise AssertionError("clashd gave no status")

    def wait_tracked(self):
        def tracked():
            devices = {device["device"]: device["tracked"] for device in self.status()["devices"]}
            return all(devices.get(hand) for hand in HANDS)
        wait_until(tracked, "both hands tracked")

    def check_alive(self):
        """The same process in the same session as at the start."""
        assert self.process.poll() is None, f"clashd ended with {self.process.returncode}"
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            client.connect(str(SOCKET))
            hello = json.loads(client.makefile(encoding="utf-8").readline())
        assert hello["session"] == self.session, "clashd was restarted"

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(WAIT_S)
        self.subscriber.thread.join(WAIT_S)
        return code

    def recorded_lines(self):
        return self.recording_path.read_text(encoding="utf-8").splitlines()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        code = self.stop()
        if kind is None:
            assert code == 0, f"clashd ended with {code}"


def play(feeder, scripts, index, delay_s=0.5):
    """Has the script played and waits for its end, and then for what is under way; when it began."""
    start_ns = time.monotonic_ns() + int(delay_s * 1e9)
    feeder.play(index, start_ns)
    time.sleep(delay_s + scripts[index].duration + 0.5)
    return start_ns

