"""A referee of an arena, beside a program that only answers: arena.py [--players 2,30,300] [--seconds S] [--rounds N]. Per number of players: what
it takes of a core, the broker and the players (one program) beside it, and how long after a sample was sent the clash that it shows is received."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
import broker  # noqa: E402
import clashd  # noqa: E402

broker.need()
ARENA = Path(os.environ.get("CLASHD_ARENA", clashd.BUILD / "tests" / "bench" / "arena" / "arena"))
WARM_UP_S = 2
# With Nagle's algorithm, which is mosquitto's default, a message waits up to 40 ms for the answer to the one before.
SETTINGS = ("set_tcp_nodelay true", "max_connections -1")
REFEREE = ("--source", "none", "--set", "mqtt.peers=true", "--set", "mqtt.referee=true", "--set", "mqtt.room=arena", "--set", "mqtt.player=referee",
           "--set", "contact.hold_rate_hz=0", "--set", "contact.min_closing_speed=0.5", "--set", "blades=[]")


def on_core_s(pid):
    """Seconds that it ran, and that it could have run but waited for a processor."""
    return [int(ns) * 1e-9 for ns in Path(f"/proc/{pid}/schedstat").read_text().split()[:2]]


def peak_kib(pid):
    return next(int(line.split()[1]) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM"))


def play(there, referee_pid, players, seconds, *words):
    """What the players saw, and shares of a core meanwhile, of who was to run: [ran, waited for a processor]."""
    done = subprocess.Popen([ARENA, str(there.port), str(players), str(seconds), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    pids = {"referee": referee_pid, "broker": there.process.pid, "players": done.pid}
    time.sleep(WARM_UP_S)
    begin, before = time.monotonic(), {who: on_core_s(pid) for who, pid in pids.items()}
    time.sleep(seconds - 0.5)
    length = time.monotonic() - begin
    shares = {who: [100 * (now - then) / length for now, then in zip(on_core_s(pid), before[who])] for who, pid in pids.items() if done.poll() is None}
    said, wrong = done.communicate()
    if done.returncode != 0:
        return {"players": players, "failed": wrong.strip()}
    return {**json.loads(said), "expected": players // 2 * 2 * seconds, "shares": shares, "referee_kib": peak_kib(referee_pid)}


def bare(home, players, seconds):
    there = broker.Broker(home, *SETTINGS)
    echo = subprocess.Popen([ARENA, str(there.port), "0", "0", "echo"])
    try:
        return play(there, echo.pid, players, seconds, "bare")
    finally:
        echo.terminate()
        echo.wait()
        there.stop()


def referee(home, players, seconds):
    there = broker.Broker(home, *SETTINGS)
    try:
        with clashd.Daemon(*REFEREE, "--set", f"mqtt.broker=127.0.0.1:{there.port}", home=home) as daemon:
            daemon.wait_for_log("connected to")
            found = play(there, daemon.process.pid, players, seconds)
            with daemon.connect() as client:
                counters = client.request({"type": "status", "id": 1})["counters"]
            found["counters"] = {name: value for name, value in counters.items() if value and name.startswith(("room", "mqtt", "sweeps", "contacts", "pair", "steps"))}
            return found
    finally:
        there.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", default="2,30,300")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    print("| players | referee | messages/s, bytes | events | p50, p90, p99, max ms | referee's core, and waits | broker's | players' | players late p99 ms, frames left out |")
    print("| ---: | :--- | :--- | ---: | :--- | ---: | ---: | ---: | ---: |", flush=True)
    for players in map(int, options.players.split(",")):
        for _ in range(options.rounds):
            for name, run in (("echo", bare), ("clashd", referee)):
                with tempfile.TemporaryDirectory(prefix="clashd-") as home:
                    found = run(Path(home), players, options.seconds)
                if "failed" in found:
                    print(f"| {players} | {name} | {found['failed']} |", flush=True)
                    continue
                rate = found["messages"] / (options.seconds + WARM_UP_S)
                shares = " | ".join(f"{ran:.1f} %, {waited:.1f} %" for ran, waited in found["shares"].values())
                print(f"| {players} | {name} | {rate:,.0f} x {found['message_bytes']:.0f} | {found['events']} of {found['expected']} x {found['event_bytes']:.0f} | "
                      f"{found['p50_ms']:.2f}, {found['p90_ms']:.2f}, {found['p99_ms']:.2f}, {found['max_ms']:.1f} | {shares} | "
                      f"{found['late_p99_ms']:.1f}, {found['skipped']} |", flush=True)
                if options.verbose:
                    print(json.dumps(found), flush=True)


main()
