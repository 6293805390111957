"""A bad network between MQTT clients and their broker. MQTT goes over TCP, so the relay works on its packets: publishes of QoS 0 are delayed each by
itself (so they overtake one another), lost and doubled; everything else is delayed too, but comes once and in order, as TCP has it."""
import asyncio
import random
import threading
from collections import Counter, deque
from dataclasses import dataclass

PUBLISH = 3


@dataclass
class Way:
    """One direction. A delay is delay_s, give or take jitter_s."""
    delay_s: float = 0.020
    jitter_s: float = 0.005
    loss: float = 0.01
    double: float = 0.02


STRAIGHT = Way(0, 0, 0, 0)


def packet_length(data):
    """(bytes of the first packet in `data`, of its header alone), or None where they are not all there."""
    length, shift = 0, 0
    for index in range(1, 5):
        if index >= len(data):
            return None
        length |= (data[index] & 0x7f) << shift
        shift += 7
        if not data[index] & 0x80:
            return (index + 1 + length, index + 1) if len(data) >= index + 1 + length else None
    raise ValueError("no packet of MQTT")


class Direction:
    """What one side says, on its way to the other."""

    def __init__(self, relay, way, writer):
        self.relay, self.way, self.writer = relay, way, writer
        self.ordered, self.ordered_s, self.newest_s = deque(), 0.0, 0.0

    def write(self, packet):
        if not self.writer.is_closing():
            self.writer.write(packet)

    def write_next(self):
        self.write(self.ordered.popleft())

    def delay(self):
        return self.way.delay_s + self.relay.random.uniform(-1, 1) * self.way.jitter_s

    def pass_on(self, packet):
        loop, counts, chance = self.relay.loop, self.relay.counts, self.relay.random.random
        if packet[0] >> 4 != PUBLISH or packet[0] >> 1 & 3:
            self.ordered_s = max(self.ordered_s, loop.time() + self.delay())
            self.ordered.append(packet)
            loop.call_at(self.ordered_s, self.write_next)  # calls of the same time come in any order
            return
        counts["passed"] += 1
        counts["bytes"] += len(packet)
        if chance() < self.way.loss:
            counts["lost"] += 1
            return
        doubled = chance() < self.way.double
        counts["doubled"] += doubled
        for _ in range(1 + doubled):
            at_s = loop.time() + self.delay()
            counts["overtook"] += at_s < self.newest_s
            self.newest_s = max(self.newest_s, at_s)
            loop.call_at(at_s, self.write, packet)

    async def pump(self, reader):
        data = b""
        try:
            while more := await reader.read(65536):
                data += more
                while found := packet_length(data):
                    self.pass_on(data[:found[0]])
                    data = data[found[0]:]
        except (ConnectionError, ValueError):
            pass
        # What is on its way gets there first.
        self.relay.loop.call_later(self.way.delay_s + self.way.jitter_s, self.writer.close)


class Relay:
    """Listens at each (host, port 0 for any, way to the client, way from it), in a thread of its own; .ports are theirs, in order."""

    def __init__(self, broker_port, *places, seed=1):
        self.broker_port, self.places = broker_port, places
        self.random, self.counts, self.ports = random.Random(seed), Counter(), []
        self.is_cut, self.writers = False, set()
        self.loop = asyncio.new_event_loop()
        self.ready = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()
        assert self.ready.wait(60), "the relay does not listen"

    def run(self):
        asyncio.set_event_loop(self.loop)
        self.servers = [self.loop.run_until_complete(self.listen(*place)) for place in self.places]
        self.ready.set()
        self.loop.run_forever()
        self.loop.close()

    async def listen(self, host, port, down, up):
        server = await asyncio.start_server(lambda reader, writer: self.serve(reader, writer, down, up), host, port)
        self.ports.append(server.sockets[0].getsockname()[1])
        return server

    async def serve(self, reader, writer, down, up):
        if self.is_cut:
            writer.transport.abort()
            return
        try:
            broker_reader, broker_writer = await asyncio.open_connection("127.0.0.1", self.broker_port)
        except ConnectionError:
            writer.transport.abort()
            return
        self.writers |= {writer, broker_writer}
        await asyncio.gather(Direction(self, up, broker_writer).pump(reader), Direction(self, down, writer).pump(broker_reader))
        self.writers -= {writer, broker_writer}

    def cut(self, is_cut=True):
        """Ends all connections at once, and takes no others until cut(False)."""
        def do():
            self.is_cut = is_cut
            for writer in self.writers if is_cut else ():
                writer.transport.abort()
        self.loop.call_soon_threadsafe(do)

    def stop(self):
        def end():
            for server in self.servers:
                server.close()
            for writer in list(self.writers):
                writer.transport.abort()
            self.loop.call_later(0.05, self.loop.stop)
        if self.thread.is_alive():
            self.loop.call_soon_threadsafe(end)
            self.thread.join()
