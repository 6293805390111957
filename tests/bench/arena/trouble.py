"""What trouble at the broker costs a local clash: trouble.py [--seconds S] [--rounds N] [--flood HZ] [--only TURN]. In each turn one clashd; a client pushes two blades
through each other, 200 poses a second, and waits for the answer to each, before which all clashes stand: from the push to the answer, ms; from when it was due,
where the answer before it came later than that. What the trouble was is seen from clashd's counters."""
import argparse
import contextlib
import json
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
import broker  # noqa: E402
import clashd  # noqa: E402
import mqtt_raw  # noqa: E402

broker.need()
RATE_HZ, STRIKES_HZ = 200, 10
SEEN = ("mqtt_tries", "mqtt_connections", "mqtt_dropped", "room_refused", "room_over_rate")
TURNS = ("no broker", "a good one", "away", "killed and started", "stands still", "refuses", "a deaf listener to all", "a flood elsewhere", "a flood of junk", "a flood of samples")


class Pusher:
    def __init__(self, daemon):
        self.client = daemon.connect()
        self.client.subscribe(events=["clash"])
        for side, tip in (("left", [1, 0, 0]), ("right", [0, 0, 1])):
            reply = self.client.request({"type": "blade", "id": "b", "name": f"swung {side}", "device": f"bench/{side}", "base": [0, 0, 0], "tip": tip,
                                         "radius": 0.015})
            assert reply["type"] == "ok", reply

    def push(self, seconds):
        """Milliseconds of each push, and of those that showed a clash."""
        begin, every, clashes, count, done = time.monotonic(), [], [], 0, 0
        while (now := time.monotonic()) < begin + seconds:
            up = 0.3 if int((now - begin) * STRIKES_HZ) % 2 else -0.3
            due = begin + count / RATE_HZ
            before = due if done > due else time.monotonic()
            self.client.send({"type": "poses", "id": count, "poses": [
                {"device": "bench/left", "position": [-0.5, 1, 0.5], "orientation": [0, 0, 0, 1]},
                {"device": "bench/right", "position": [0, 1 + up, 0], "orientation": [0, 0, 0, 1]}]})
            answer = self.client.read_until(lambda message: message.get("id") == count and message["type"] in ("ok", "error"))
            done = time.monotonic()
            every.append(1000 * (done - before))
            if answer[0]["type"] == "clash":
                clashes.append(every[-1])
            count += 1
            time.sleep(max(0, begin + count / RATE_HZ - time.monotonic()))
        return every, clashes

    def seen(self):
        counters = self.client.request({"type": "status", "id": "status"})["counters"]
        return {name: counters.get(name, 0) for name in SEEN}


def restart(there, is_over):
    while not is_over.wait(0.7):
        there.kill()
        is_over.wait(0.7)
        there.start()


def flood(there, topic, payload, rate_hz):
    """A process of its own, and its end."""
    process = subprocess.Popen(["nice", sys.executable, mqtt_raw.__file__, str(there.port), topic, str(rate_hz)], stdin=subprocess.PIPE)
    process.stdin.write(payload)
    process.stdin.close()
    return process.kill


def samples():
    """A message of a player, whatever there is in it that nobody has introduced."""
    one = [0, 3, 1000000000, 0.1, 1.2, 0.3, 0, 0, 0, 1]
    return json.dumps({"type": "samples", "session": "x", "version": 1, "clock": "y", "error_ns": 0, "knots": [[0, 0], [10**10, 10**10]],
                       "devices": ["/user/hand/left"], "first": 0, "samples": [one] * 8}).encode() + b"\n"


def trouble(name, there, stack, flood_hz):
    """Begins it; the stack ends it."""
    if name == "killed and started":
        is_over = threading.Event()
        thread = threading.Thread(target=restart, args=(there, is_over))
        thread.start()
        stack.callback(thread.join)
        stack.callback(is_over.set)
    elif name == "stands still":
        there.process.send_signal(signal.SIGSTOP)
        stack.callback(there.process.send_signal, signal.SIGCONT)
    elif name == "a deaf listener to all":
        stack.callback(mqtt_raw.listen(there.port).close)
    elif name == "a flood elsewhere":  # which clashd does not hear: what the machine and the broker have to do alone
        stack.callback(flood(there, "clashd/cellar/mallory/samples", samples(), flood_hz))
    elif name == "a flood of junk":
        stack.callback(flood(there, "clashd/hall/mallory/samples", b"{" * 1000 + b"\n", flood_hz))
    elif name == "a flood of samples":
        stack.callback(flood(there, "clashd/hall/mallory/samples", samples(), flood_hz))


def refusing(home):
    """Settings of a broker that knows anna by another password than the file `wrong` has."""
    subprocess.run(["mosquitto_passwd", "-b", "-c", home / "passwords", "anna", "right"], check=True)
    (home / "wrong").write_text("wrong\n")
    (home / "wrong").chmod(0o600)
    return "allow_anonymous false", f"password_file {home}/passwords"


def turn(name, seconds, flood_hz):
    with contextlib.ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="clashd-")))
        settings, there = [], None
        if name != "no broker":
            there = broker.Broker(home, "set_tcp_nodelay true", *(refusing(home) if name == "refuses" else []))
            stack.callback(there.stop)
            settings = [f"mqtt.broker=127.0.0.1:{there.port}", "mqtt.room=hall", "mqtt.player=anna", "mqtt.poses=true", "mqtt.peers=true",
                        *(["mqtt.user=anna", f"mqtt.password_file={home}/wrong"] if name == "refuses" else [])]
        if name == "away":
            there.kill()
        daemon = stack.enter_context(clashd.Daemon("--source", "none", *(word for setting in settings for word in ("--set", setting)), home=home))
        if there:
            daemon.wait_for_log("tried again" if name in ("away", "refuses") else "connected to")
        pusher = Pusher(daemon)
        trouble(name, there, stack, flood_hz)
        pusher.push(0.5)
        return *pusher.push(seconds), pusher.seen()


def at(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--flood", type=float, default=5000)
    parser.add_argument("--only", default="", help="part of the turns' names")
    options = parser.parse_args()
    turns = [name for name in TURNS if options.only in name]
    every, clashes, seen = {name: [] for name in turns}, {name: [] for name in turns}, {name: Counter() for name in turns}
    for _ in range(options.rounds):
        for name in turns:
            pushed, clashed, counted = turn(name, options.seconds, options.flood)
            every[name] += pushed
            clashes[name] += clashed
            seen[name].update(counted)
    print("| broker | pushes | p50 | p99 | max | with a clash | p50 | p99 | max | tries, connections, events dropped, messages refused, over the rate |")
    print("| :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | :--- |")
    for name in turns:
        print(f"| {name} | {len(every[name])} | {at(every[name], 0.5):.3f} | {at(every[name], 0.99):.3f} | {max(every[name]):.3f} | "
              f"{len(clashes[name])} | {at(clashes[name], 0.5):.3f} | {at(clashes[name], 0.99):.3f} | {max(clashes[name], default=float('nan')):.3f} | "
              f"{', '.join(str(seen[name][what]) for what in SEEN)} |")


main()
