"""/metrics, as a scraper asks for it: a strict reader takes every line, it says what `status` says, who may have it and who
not, and nobody else loses anything by it, not even where there is no room for another client."""
import http.client
import json
import socket
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import tree  # noqa: E402
import validate  # noqa: E402
from transports import Daemon, WebSocketClient  # noqa: E402

try:
    from prometheus_client.parser import text_string_to_metric_families
except ImportError:
    print("python3-prometheus-client is not installed")
    sys.exit(77)

MANIFEST = clashd.BUILD / "daemon" / "runtime" / "clash_runtime.json"
TYPE = "text/plain; version=0.0.4; charset=utf-8"


def read_page(text):
    """Its samples as {(name, labels): value}, after all that the format asks for has been looked at."""
    samples, families = {}, set()
    assert text.endswith("\n")
    for family in text_string_to_metric_families(text):
        assert family.name not in families and family.type != "unknown" and family.documentation, family
        families.add(family.name)
        for sample in family.samples:
            key = sample.name, tuple(sorted(sample.labels.items()))
            assert sample.name.startswith("clashd_") and key not in samples and sample.value >= 0, sample
            assert (family.type == "counter") == sample.name.endswith("_total"), sample
            samples[key] = sample.value
    return samples


class Case(clashd.TestCase):
    settings = {}
    words = ()
    source = "none"
    env = {}

    def setUp(self):
        super().setUp()
        settings = self.home / "settings.json"
        settings.write_text(json.dumps({"socket": {"websocket": "127.0.0.1:0", **self.settings}}))
        words = [word.replace("HOME", str(self.home)) for word in self.words]
        self.daemon = Daemon("--source", self.source, "--config", settings, *words, home=self.home,
                             env=self.env)
        self.addCleanup(self.daemon.__exit__, None)

    def ask(self, method="GET", path="/metrics", token=True, **headers):
        connection = http.client.HTTPConnection(*self.daemon.websocket, timeout=clashd.WAIT_S)
        self.addCleanup(connection.close)
        if token:
            headers["Authorization"] = f"Bearer {self.daemon.token if token is True else token}"
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        answer.body = answer.read().decode()
        self.assertEqual(answer.headers["Connection"], "close")
        return answer

    def page(self, **options):
        answer = self.ask(**options)
        self.assertEqual(answer.status, 200, answer.body)
        self.assertEqual(answer.headers["Content-Type"], TYPE)
        self.assertEqual(answer.headers["Cache-Control"], "no-store")
        return read_page(answer.body)

    def value(self, name, page=None, **labels):
        return (page or self.page())[name, tuple(sorted(labels.items()))]

    def status(self):
        with self.daemon.connect() as client:
            status = client.request({"type": "status", "id": 1})
            self.assertFalse(validate.check(client.lines[-1]))
            return status


class Page(Case):
    settings = {"tcp": "127.0.0.1:0"}
    words = ("--record", "HOME/recording.jsonl")

    def test_all_that_status_counts_is_there(self):
        page, counters = self.page(), self.status()["counters"]
        sections = [key for key in page if not key[0].startswith(("clashd_device_", "clashd_sample_to_", "clashd_build",
                                                                    "clashd_uptime", "clashd_source_info"))]
        self.assertEqual(len(sections), len(counters) + 1)  # clashd_clients
        self.assertEqual(self.value("clashd_build_info", page, version=tree.version()), 1)
        self.assertGreater(self.value("clashd_uptime_seconds", page), 0)
        self.assertEqual(self.value("clashd_source_info", page, source="none", state=self.status()["state"],
                                    runtime=self.status()["runtime"]), 1)

    def test_pushed_poses_are_seen(self):
        with self.daemon.connect() as client, self.daemon.connect() as reader:
            reader.subscribe(events=["poses", "tracking"])
            for name in ("it's", 'a "name" \\ with\nlines'):
                blade = {"type": "blade", "id": 1, "name": name, "device": name, "base": [0, 0, 0], "tip": [0, 0, 1],
                         "radius": 0.01}
                self.assertEqual(client.request(blade)["type"], "ok")
            pose = {"device": 'a "name" \\ with\nlines', "position": [0, 1, 0], "orientation": [0, 0, 0, 1]}
            for valid in (True, False, True):
                reply = client.request({"type": "poses", "id": 2, "poses": [{**pose, "valid": valid}]})
                self.assertEqual(reply["type"], "ok", reply)
            for _ in range(3):
                reader.read_until(lambda message: message["type"] == "poses")
            page, status = self.page(), client.request({"type": "status", "id": 3})
            self.assertFalse(validate.check(client.lines[-1]))
            self.assertEqual(self.value("clashd_samples_total", page), 2)
            self.assertEqual(self.value("clashd_samples_invalid_total", page), 1)
            self.assertEqual(self.value("clashd_pushed_blades", page), 2)
            self.assertEqual(self.value("clashd_clients", page), 2)
            self.assertEqual(self.value("clashd_sample_to_queue_seconds_count", page), 3)
            self.assertEqual(self.value("clashd_sample_to_queue_seconds_bucket", page, le="+Inf"), 3)
            # Each of the three is a write to the reader: three poses, and beside them three times news of tracking.
            self.assertIn(self.value("clashd_sample_to_write_seconds_count", page), range(3, 7))
            lost = self.value("clashd_device_tracking_lost_seconds_total", page, device=pose["device"])
            self.assertGreater(lost, 0)
            device = next(device for device in status["devices"] if device["device"] == pose["device"])
            self.assertEqual(device["lost_ns"], round(lost * 1e9))
            self.assertEqual(self.value("clashd_device_tracked", page, device=pose["device"]), 1)
            self.assertEqual(self.value("clashd_device_tracked", page, device="it's"), 0)
            self.assertEqual(sum(status["latency"]["sample_to_queue"]["counts"]), 3)
        shown = clashd.clashctl("status", home=self.home)
        self.assertIn("latency   poses to queue: 50 % within ", shown.stdout)

    def test_methods(self):
        whole, head = self.ask(), self.ask("HEAD")
        self.assertEqual((head.status, head.body, head.headers["Content-Type"]), (200, "", TYPE))
        self.assertAlmostEqual(int(head.headers["Content-Length"]), int(whole.headers["Content-Length"]), delta=64)
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            answer = self.ask(method)
            self.assertEqual((answer.status, answer.headers["Allow"]), (405, "GET, HEAD"), answer.body)
        self.assertEqual(self.ask("GET", "/metric").status, 404)
        self.daemon.serves()

    def test_who_may_not(self):
        self.assertEqual(self.ask(token=None).status, 401)
        self.assertEqual(self.ask(token="0" * 64).status, 401)
        self.assertEqual(self.ask(Host="evil.example").status, 403)
        self.assertEqual(self.ask(Origin="https://evil.example").status, 403)
        self.assertEqual(self.ask("HEAD", Host="evil.example").body, "")
        self.assertEqual(self.ask(path=f"/metrics?token={self.daemon.token}", token=None).status, 200)
        self.assertEqual(self.value("clashd_handshakes_refused_total"), 5)

    def test_an_upgrade_there_is_one(self):
        with WebSocketClient(self.daemon.websocket, self.daemon.token, path="/metrics") as client:
            self.assertEqual(client.status, 101)
            self.assertEqual(client.read()["type"], "hello")
        with WebSocketClient(self.daemon.websocket, Authorization=f"Bearer {self.daemon.token}") as client:
            self.assertEqual(client.status, 101)


class Crowded(Case):
    settings = {"max_clients": 2, "require_token": False}

    def test_it_is_there_when_all_places_are_taken(self):
        with self.daemon.connect() as one, self.daemon.connect() as other:
            page = self.page(token=None)
            self.assertEqual(self.value("clashd_clients", page), 2)
            with WebSocketClient(self.daemon.websocket) as late:
                self.assertEqual(late.status, 503)
            self.assertEqual(self.value("clashd_clients_refused_total", self.page(token=None)), 1)
            for client in (one, other):
                self.assertEqual(client.request({"type": "ping", "id": 1})["type"], "ok")


class Rude(Case):
    settings = {"require_token": False}

    def test_who_does_not_read_it(self):
        with self.daemon.connect() as client:
            for _ in range(20):
                with socket.create_connection(self.daemon.websocket, timeout=clashd.WAIT_S) as rude:
                    rude.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertEqual(client.request({"type": "ping", "id": 1})["type"], "ok")
        self.page(token=None)


class StandIn(Case):
    settings = {"require_token": False}
    source = "openxr"
    env = {"XR_RUNTIME_JSON": MANIFEST, "CLASH_RUNTIME_SCRIPT": "crossing"}

    def test_latencies_of_a_runtime(self):
        with self.daemon.connect() as client:
            client.subscribe()
            client.read_until(lambda message: message["type"] == "release")
        page = self.page(token=None)
        frames = self.value("clashd_source_frames_total", page)
        self.assertGreater(frames, 0)
        self.assertEqual(self.value("clashd_sample_to_queue_seconds_count", page), frames)
        self.assertGreater(self.value("clashd_sample_to_write_seconds_count", page), 0)
        self.assertGreater(self.value("clashd_contacts_total", page), 0)
        self.assertGreater(self.value("clashd_sweeps_total", page), 0)
        self.assertEqual(self.value("clashd_device_tracked", page, device="/user/hand/left"), 1)


class Replay(Case):
    settings = {"require_token": False}
    source = f"replay:{clashd.DATA / 'duel-start-5s.jsonl'}"
    words = ("--speed", "max", "--wait-for-client")

    def test_its_times_are_not_the_clock_s(self):
        with self.daemon.connect() as client:
            client.subscribe()
            self.daemon.wait_for_log("the replay has ended")
        page, status = self.page(token=None), self.status()
        self.assertNotIn("latency", status)
        self.assertFalse([key for key in page if key[0].startswith("clashd_sample_to")])
        self.assertEqual(self.value("clashd_contacts_total", page), status["counters"]["contacts"])
        self.assertEqual(self.value("clashd_samples_total", page), status["counters"]["samples"])


if __name__ == "__main__":
    unittest.main()
