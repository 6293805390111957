"""Two players who are fed with the two hands of one recording, each by the clock of its own machine; and what there was to be found."""
import json
import socket
import threading
import time

import broker
import clashd

# In both clashds and in the truth.
BLADE = {"base": [0, 0, 0], "tip": [0, 0, -1], "radius": 0.015}
HANDS = ("left", "right")


def blades(*hands):
    return json.dumps([{"name": hand, "device": f"/user/hand/{hand}", **BLADE} for hand in hands])


def read(path, from_s, to_s):
    """[(time in ns, {hand: pose as in poses})] of that part of a recording."""
    frames = []
    for line in path.read_text().splitlines():
        message = json.loads(line)
        if message["type"] == "poses" and from_s <= message["time_ns"] * 1e-9 <= to_s:
            frames.append((message["time_ns"], {pose["device"].rsplit("/", 1)[1]: pose for pose in message["poses"]}))
    return frames


def truth(frames, home, shift_ns=0):
    """Starts in ns of all contacts that one machine finds, the right hand's samples that much later."""
    path = home / "truth.jsonl"
    samples = sorted((time_ns + (shift_ns if hand == "right" else 0), hand, pose) for time_ns, poses in frames for hand, pose in poses.items()
                     if hand in HANDS)
    path.write_text("\n".join([json.dumps({"type": "recording", "version": 1, "space": "stage"}),
                               *(json.dumps({"type": "poses", "time_ns": at, "poses": [pose]}) for at, _, pose in samples), ""]))
    found = map(json.loads, clashd.detect(path, "--set", f"blades={blades(*HANDS)}", home=home))
    return [event["time_ns"] for event in found if event["type"] == "clash"]


class Player:
    """A client that feeds one hand of a clashd whose clock runs at `rate` of this machine's, and one that hears of its clashes."""

    def __init__(self, daemon, hand, rate):
        self.hand, self.rate, self.last_ns = hand, rate, 0
        self.client, self.events = daemon.connect(), daemon.connect()
        reply = self.client.request({"type": "feed", "id": "feed", "devices": [f"/user/hand/{hand}"]})
        assert reply["type"] == "ok", reply
        self.events.subscribe(events=["clash"])
        self.clashes = []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.ask_clock()

    def read(self):
        """What is left waiting for long is a client that clashd closes."""
        try:
            while (line := self.events.read_line()) is not None:
                self.clashes.append(json.loads(line))
        except OSError:
            pass  # stop()

    def ask_clock(self):
        """Its session's time at a time of this machine's, from the quickest of many answers."""
        answers = []
        for _ in range(200):
            before = time.monotonic_ns()
            status = self.status()
            after = time.monotonic_ns()
            answers.append((after - before, before + (after - before) // 2, status["time_ns"]))
        self.doubt_ns, self.here_ns, self.there_ns = min(answers)

    def status(self):
        return self.client.request({"type": "status", "id": "status"})

    def there(self, here_ns):
        return self.there_ns + round((here_ns - self.here_ns) * self.rate)

    def here(self, there_ns):
        return self.here_ns + (there_ns - self.there_ns) / self.rate

    def push(self, here_ns, pose, **more):
        self.client.send({"type": "poses", "time_ns": self.there(here_ns), "poses": [{**pose, **more, "device": f"/user/hand/{self.hand}"}]})

    def clashes_until(self, here_ns):
        """Those before the first one after that time."""
        broker.wait_for(lambda: self.clashes and self.here(self.clashes[-1]["time_ns"]) > here_ns, self.status)
        return [clash for clash in self.clashes if self.here(clash["time_ns"]) <= here_ns]

    def stop(self):
        self.client.close()
        self.events.socket.shutdown(socket.SHUT_RDWR)
        self.reader.join()
        self.events.close()


class Feeder(threading.Thread):
    """Feeds both players without a gap: their first poses until play() is called, then the frames, then a bell: the blades go through each other
    again and again, until stop(). Who has heard a clash of the bell has heard all before."""
    PERIOD_NS = 11_000_000
    BELL = ({"position": [0, 1, 0.5], "orientation": [0, 0, 0, 1]}, {"position": [-0.5, 1, 0], "orientation": [0, -0.5**0.5, 0, 0.5**0.5]})

    def __init__(self, players, frames):
        super().__init__(daemon=True)
        self.players, self.frames = players, frames
        self.wants, self.ended = threading.Event(), threading.Event()
        self.began, self.rings = threading.Event(), threading.Event()
        self.start()

    def run(self):
        at_ns = time.monotonic_ns()
        while not self.wants.is_set():
            at_ns = self.push(at_ns + self.PERIOD_NS, {hand: self.frames[0][1][hand] for hand in HANDS})
        self.begin_ns = at_ns + self.PERIOD_NS - self.frames[0][0]
        self.began.set()
        for frame_ns, poses in self.frames:
            at_ns = self.push(self.begin_ns + frame_ns, poses)
        self.bell_ns = at_ns + 100_000_000
        self.rings.set()
        at_ns, count = self.bell_ns, 0
        while not self.ended.is_set():
            left, right = self.BELL
            right = {**right, "position": [-0.5, 1 + (0.3 if count // 8 % 2 else -0.3), 0]}
            at_ns = self.push(at_ns + self.PERIOD_NS, {"left": left, "right": right}, **({"teleport": True} if count == 0 else {}))
            count += 1

    def push(self, at_ns, poses, **more):
        time.sleep(max(0, (at_ns - time.monotonic_ns()) * 1e-9))
        for player in self.players:
            if player.hand in poses:
                player.push(at_ns, poses[player.hand], **more)
        return at_ns

    def play(self):
        """Waits until all frames are fed."""
        self.wants.set()
        self.rings.wait()

    def stop(self):
        self.wants.set()
        self.ended.set()
        self.join()


def nearest(times, at):
    """The one of them that differs least, None of none."""
    return min(times, key=lambda one: abs(one - at), default=None)
