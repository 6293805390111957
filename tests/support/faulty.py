"""A clashd in which one call fails, and what must hold all the same: it never crashes and leaves no client waiting; what it
cannot do at its start it says, and ends; else it goes on, of two clients that only listen at least one is served to the end,
and neither misses an event without being told; and SIGTERM ends it well."""
import collections
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import clashd
import transports

FAULTS = clashd.BUILD / "tests" / "faults.so"
EVENTS = ("clash", "hold", "release", "tracking", "space_changed")
# What a fault is: of the calls of `name` from files whose names begin with `object`, `count` from the `first` on.
Fault = collections.namedtuple("Fault", "name object first count code")
MEMORY = ("malloc", "calloc", "realloc", "aligned_alloc", "strdup")
# How the connection of somebody whom the fault met may end.
ENDED = (ConnectionError, FileNotFoundError)
PORTS = {"tcp": "(TCP", "websocket": "(WebSocket"}


class Problem(Exception):
    """What must not be."""


class Listener(clashd.Client):
    """One that only listens. `seq`: the last event it has had, or been told that it has not."""

    def __init__(self, path):
        super().__init__(path)
        self.seq = 0
        self.lagged = 0

    def take(self):
        """The next message, its number held against the one before."""
        line = self.read_line()
        if line is None:
            raise ConnectionError
        message = json.loads(line)
        if message["type"] == "lagged":
            self.expect(message["from_seq"], line)
            self.seq = message["to_seq"]
            self.lagged += message["missed"]
        elif message["type"] in EVENTS:
            self.expect(message["seq"], line)
            self.seq = message["seq"]
        return message

    def expect(self, seq, line):
        if seq != self.seq + 1:
            raise Problem(f"after event {self.seq} comes {line}")

    def ask(self, message):
        """The reply; what comes before it is taken."""
        self.send({"id": "asked", **message})
        while True:
            reply = self.take()
            if reply.get("id") == "asked":
                return reply


class Faulty(transports.Daemon):
    def __init__(self, home, words, fault=None, env=None):
        self.trace = Path(home) / "trace"
        self.fault = fault
        env = {"LD_PRELOAD": FAULTS, "CLASHD_FAULT_TRACE": self.trace,
               "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0:allocator_may_return_null=1", **(env or {})}
        if fault:
            env["CLASHD_FAULT"] = " ".join(map(str, fault))
        super().__init__(*words, home=home, env=env, listening=False)

    def calls(self):
        """(name, object, offset) of each call that was seen, or that failed."""
        lines = self.trace.read_text().splitlines() if self.trace.exists() else []
        return [tuple(line.split(" ")) for line in lines if line.count(" ") == 2]

    def wait_for_start(self):
        """False where it has ended instead."""
        deadline = time.monotonic() + clashd.WAIT_S
        while self.process.poll() is None:
            if any("listening on " in line for line in self.log):
                return True
            if time.monotonic() > deadline:
                raise Problem("neither listens nor ends")
            time.sleep(0.005)
        self.reader.join(timeout=clashd.WAIT_S)
        return False

    def port(self, way):
        """Where it listens, if it says so soon: the fault may have been that it did not."""
        for _ in range(200):
            for line in self.log:
                if found := re.search(r"listening on ([\d.]+):(\d+) " + re.escape(PORTS[way]), line):
                    return found[1], int(found[2])
            time.sleep(0.005)
        raise ConnectionError


def listen(daemon):
    """A listener, or None where its connection has failed."""
    try:
        client = Listener(daemon.path)
        reply = client.ask({"type": "subscribe", "events": list(EVENTS), "since_seq": 0})
    except ENDED:
        return None
    if reply["type"] != "ok":
        raise Problem(f"{reply} to a subscription")
    return client


def pester(client):
    """All that a client can ask for."""
    blade = {"name": "pushed", "device": "pushed/1", "base": [0, 0, 0], "tip": [0, 1, 0], "radius": 0.01}
    pose = {"device": "pushed/1", "position": [90, 0, 0], "orientation": [0, 0, 0, 1]}
    for message in ({"type": "subscribe", "events": ["clash", "poses"], "since_seq": 0}, {"type": "ping"},
                    {"type": "blade", **blade}, {"type": "poses", "poses": [pose]},
                    {"type": "target", "name": "pushed/target", "shape": "sphere", "center": [50, 0, 0], "radius": 1},
                    {"type": "record", "action": "mark", "text": "here"}, {"type": "record", "action": "rotate"},
                    {"type": "nonsense"}, {"type": "status"}, {"type": "replay", "action": "status"},
                    {"type": "remove", "device": "pushed/1"}):
        client.request({"id": message["type"], **message})


def gorge(client):
    """More replies than a socket takes, and then all of them."""
    count = 150
    for i in range(count):
        client.send({"type": "status", "id": i})
    for i in range(count):
        client.read_until(lambda reply: reply.get("id") == i)


PAGES = ("/metrics", "/", "/overlay.css", "/logs", "/logs/duel-start-5s.jsonl")


def ask_for_pages(daemon):
    host, port = daemon.port("websocket")
    for path in PAGES:
        try:
            with socket.create_connection((host, port), timeout=clashd.WAIT_S) as connection:
                connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n"
                                   f"Authorization: Bearer {daemon.token}\r\n\r\n".encode())
                while connection.recv(65536):
                    pass
        except ENDED:
            pass


def pester_all_ways(daemon):
    """Whoever is met by a fault may be closed, but not left waiting."""
    daemon.process.send_signal(signal.SIGHUP)
    try:
        ask_for_pages(daemon)
    except ENDED:
        pass
    for way in (lambda: clashd.Client(daemon.path), lambda: transports.TcpClient(daemon.port("tcp"), daemon.token),
                lambda: transports.WebSocketClient(daemon.port("websocket"), daemon.token)):
        try:
            with way() as client:
                pester(client)
                gorge(client)
        except (*ENDED, AssertionError) as error:
            if "did not come" in str(error):
                raise Problem(str(error)) from error


def settle(daemon, listeners):
    """Both listeners have all that there has been, as far as their connections live. Only want of memory may take an event
    from both, who are told."""
    alive, whole = 0, 0
    for client in filter(None, listeners):
        try:
            status = client.ask({"type": "status"})
        except ENDED:
            continue
        if status["type"] != "status":
            raise Problem(f"no status: {status}")
        if client.seq < status["counters"]["events"]:
            raise Problem(f"{status['counters']['events']} events, but the last to come was {client.seq}")
        alive += 1
        whole += client.lagged == 0
    if alive and not whole and daemon.fault and daemon.fault.name not in MEMORY:
        raise Problem("both miss events")
    return alive


def check_end(daemon, code, wanted):
    said = "\n".join(daemon.log)
    if code < 0:
        raise Problem(f"ended by signal {-code}")
    if "Sanitizer" in said or "runtime error" in said:
        raise Problem("a sanitizer complains")
    lacks = "lines that could not be written" in said  # a recording's end, which it says, and then it ends with 1
    if code not in wanted and not (lacks and code == 1):
        raise Problem(f"ended with {code}")
    if code and not any(line.startswith("clashd: error: ") for line in daemon.log):
        raise Problem("ended without a word why")


def attend(daemon, listeners, wait):
    """From when clients are there to the end: as serve."""
    pester_all_ways(daemon)
    wait(daemon, listeners)
    starved = sum("has read nothing for 5000 ms" in line for line in daemon.log)  # on a busy machine: no fault's doing
    if settle(daemon, listeners) + starved < len(listeners) - 1:
        if any(client and client.seq for client in listeners):
            raise Problem("more than one client was closed")
        check_end(daemon, daemon.wait(), (2, 3)) # a part that comes after the sockets could not begin
        return False
    check_end(daemon, daemon.stop(), (0,))
    return True


def serve(daemon, wait):
    """Clients come, `wait` passes, all is well. True where it went on; False where it ended at once, well."""
    if not daemon.wait_for_start():
        check_end(daemon, daemon.wait(), (2, 3))
        return False
    listeners = [listen(daemon), listen(daemon)]
    try:
        return attend(daemon, listeners, wait)
    finally:
        for client in filter(None, listeners):
            client.close()


# What else a call can give than the usual: a part of what was asked for, EINTR, EIO, ECONNRESET, ENOMEM; each of OpenXR's
# XR_ERROR_OUT_OF_MEMORY, INSTANCE_LOST, SESSION_LOST.
OTHERWISE = {"write": (-1000, 4), "pwrite": (-1000, 4, 5), "send:socket": (-1000, 4, 104), "sendmsg": (-1000, 4, 104),
             "write:socket": (-1000, 11, 4, 32), "writev:socket": (-1000, 11, 4, 32), "recv:socket": (4, 104),
             "read:socket": (11, 104, 12), "accept4": (12, 103)}
XR_OTHERWISE = (-3, -13, -17)


def is_ours(name, object):
    """Of what libraries call only memory and clients' sockets: the rest does not come back to us. libuv ends the process where
    it lacks memory for its table of descriptors, which service/loop.h therefore makes at the start, or where its own pipes fail;
    a sanitizer does where libc, which it asks about each new thread, lacks memory for the answer."""
    if name.endswith(":socket") or object.startswith("clashd"):
        return True
    return name in MEMORY and (name, object[:5]) != ("realloc", "libuv") and \
        not (clashd.is_sanitized() and object.startswith("libc.so"))


def choose(calls, spread=4):
    """Faults for what a clean run has called: of each place that calls, the first two, the last and some between."""
    places, numbers = collections.defaultdict(list), collections.Counter()
    for name, object, offset in calls:
        numbers[name, object] += 1
        places[name, object, offset].append(numbers[name, object])
    faults = set()
    for (name, object, _), at in places.items():
        if not is_ours(name, object):
            continue
        wanted = {0, min(1, len(at) - 1), len(at) - 1} | {len(at) * i // (spread + 1) for i in range(1, spread + 1)}
        codes = (0, *OTHERWISE.get(name, XR_OTHERWISE if name.startswith("xr") else ()))
        faults |= {Fault(name, object, at[i], 1, code) for i in wanted for code in codes}
    return sorted(faults)


def run(words, wait, fault=None, env=None, settings=None):
    """One clashd from beginning to end: (went on, calls). Problems are raised with what clashd said."""
    with tempfile.TemporaryDirectory(prefix="clashd-") as directory:
        home = Path(directory)
        home.chmod(0o700)
        if settings is not None:
            settings["record"] = {"directory": str(home / "recordings")}
            (home / "settings.json").write_text(json.dumps(settings))
            words = ["--config", home / "settings.json", *words]
        daemon = Faulty(home, words, fault, env)
        try:
            went_on = serve(daemon, wait)
        except (Problem, subprocess.TimeoutExpired, TimeoutError) as error:
            raise Problem("\n".join([f"{fault}: {error!r}", *daemon.log, *map(str, daemon.calls() if fault else [])])) from error
        finally:
            if daemon.process.poll() is None:
                daemon.process.kill()
                daemon.wait()
        return went_on, daemon.calls()


def imported():
    """The names of what the built clashd, and the program that has OpenXR for it, take from libraries."""
    programs = [clashd.CLASHD, clashd.BUILD / "daemon" / "sources" / "openxr" / "helper" / "clashd-openxr"]
    lines = subprocess.run(["nm", "-D", "--undefined-only", *programs], capture_output=True, text=True, check=True).stdout
    lines = "\n".join(line for line in lines.splitlines() if " " in line.strip())
    return {line.split()[-1].split("@")[0] for line in lines.splitlines()}


def can_fail():
    """The names of what faults.c makes fail."""
    text = "".join((clashd.SOURCE / "tests" / "support" / name).read_text() for name in ("faults.c", "faults_list.inl"))
    return set(re.findall(r"^(?:FAULT7?|TRANSFER|BY_NAME)\((\w+)", text, re.M)) | set(re.findall(r"SHOWN\((\w+)\);", text))
