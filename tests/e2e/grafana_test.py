"""The dashboard for Grafana: every query names metrics and labels that /metrics of a running clashd has, every metric is on it or said
not to be, and each panel says what it shows, in which unit, and has its place."""
import itertools
import json
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import tree  # noqa: E402
from metrics_test import Case, text_string_to_metric_families  # noqa: E402

if "OFF" in (tree.cache_value("CLASHD_MQTT"), tree.cache_value("CLASHD_OSC")):
    tree.skip("this clashd was built without MQTT or OSC, whose counters are on the dashboard too")
MANIFEST = clashd.BUILD / "daemon" / "runtime" / "clash_runtime.json"
DASHBOARD = json.loads((clashd.SOURCE / "daemon" / "metrics" / "grafana.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
UNITS = {"short", "s", "ops", "opm", "bytes", "Bps", "percentunit"}
# Of Prometheus: the first two are its own, of what it scrapes.
LABELS = {"instance", "job", "le"}
# What a dashboard has no use for: what is in another panel's number already, or says nothing by its course.
NOT_SHOWN = {"clashd_reloads_refused_total", "clashd_accept_errors_total", "clashd_events_encoded_total", "clashd_poses_refused_total",
             "clashd_reads_paused_total", "clashd_lines_not_encoded_total", "clashd_pages_served_total", "clashd_handshakes_open",
             "clashd_queued_events", "clashd_pushed_messages_total", "clashd_definitions_total", "clashd_pushed_devices_silent_total", "clashd_resolved_poses_total",
             "clashd_resolved_poses_work_total", "clashd_recorder_lines", "clashd_recorder_samples_refused_total",
             "clashd_recorder_files_total", "clashd_mqtt_messages_strange_total", "clashd_recorder_files_removed_total",
             "clashd_room_messages_published_total", "clashd_room_messages_total", "clashd_room_samples_total",
             "clashd_room_samples_repeated_total", "clashd_room_samples_lost_total", "clashd_room_samples_late_total",
             "clashd_room_clock_known", "clashd_room_clock_bound_nanoseconds"}


def queries():
    """Every expression of the dashboard."""
    for panel in PANELS:
        yield from (target["expr"] for target in panel["targets"])
    yield from (annotation["expr"] for annotation in DASHBOARD["annotations"]["list"])
    for variable in DASHBOARD["templating"]["list"]:
        if variable["type"] == "query":
            assert variable["definition"] == variable["query"]["query"]
            yield re.fullmatch(r"label_values\((\w+), \w+\)", variable["definition"])[1]


def metrics(expression):
    """(metric, labels that its selector names) of each metric in an expression of PromQL."""
    for name, selector in re.findall(r"(clashd_\w+)(\{[^}]*\})?", expression):
        yield name, set(re.findall(r'(\w+)\s*(?:=~|!~|!=|=)', selector))


class Queries(Case):
    # There is no such broker and nobody who listens, of which there are counters too.
    words = ("--record", "HOME/recording.jsonl", "--set", "mqtt.broker=127.0.0.1:1", "--set", "mqtt.peers=true", "--set", 'osc.receivers=["127.0.0.1:1"]')
    source = "openxr"
    env = {"XR_RUNTIME_JSON": MANIFEST, "CLASH_RUNTIME_SCRIPT": "crossing"}

    def exported(self):
        """{name of a sample: its labels} of a clashd that has all that /metrics can have."""
        while "clashd_device_tracked" not in (page := self.ask().body):
            pass
        samples = {}
        for family in text_string_to_metric_families(page):
            for sample in family.samples:
                samples.setdefault(sample.name, set()).update(sample.labels)
        return samples

    def test_all_that_is_asked_for_is_there(self):
        exported, asked = self.exported(), set()
        for expression in queries():
            for name, labels in metrics(expression):
                if name.startswith("clashd_room_player_"):
                    continue  # room_test has players
                self.assertIn(name, exported, expression)
                self.assertLessEqual(labels, exported[name] | LABELS, expression)
                asked.add(re.sub("_(bucket|sum|count)$", "", name))
            self.assertNotEqual(list(metrics(expression)), [], expression)
        for panel in PANELS:
            for target in panel["targets"]:
                names = [name for name, _ in metrics(target["expr"]) if name in exported]
                for label in re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]):
                    self.assertIn(label, set().union({"player"}, *(exported[name] for name in names)), panel["title"])
        families = {re.sub("_(bucket|sum|count)$", "", name) for name in exported}
        self.assertEqual(families - asked, NOT_SHOWN, "a metric is neither on the dashboard nor said not to be")

    def test_counters_are_rates_and_gauges_are_not(self):
        for expression in queries():
            for name, _ in metrics(expression):
                counted = re.search(r"(rate|increase|changes)\(" + name + r"\{", expression)
                self.assertEqual(bool(counted), name.endswith(("_total", "_bucket", "_sum", "_count")), expression)


class Panels(unittest.TestCase):
    def test_each_says_what_it_shows(self):
        titles = [panel["title"] for panel in PANELS]
        self.assertEqual(len(set(titles)), len(titles))
        for panel in PANELS:
            self.assertTrue(20 < len(panel["description"]) < 220 or panel["title"] in ("Up", "Waiting for the disk"), panel["title"])
            defaults = panel["fieldConfig"]["defaults"]
            self.assertIn(defaults["unit"], UNITS, panel["title"])
            self.assertEqual(panel["datasource"]["uid"], "${datasource}")
            steps = defaults["thresholds"]["steps"]
            self.assertIsNone(steps[0]["value"])
            self.assertEqual([step["value"] for step in steps[1:]], sorted(step["value"] for step in steps[1:]))
            # A latency or a share is no number of bytes, and so on.
            for target in panel["targets"]:
                if "seconds_bucket" in target["expr"]:
                    self.assertEqual(defaults["unit"], "s")
                if re.search(r"bytes\{", target["expr"]):
                    self.assertEqual(defaults["unit"], "bytes")

    def test_brackets_close(self):
        for expression in queries():
            for left, right in ("()", "{}", "[]"):
                self.assertEqual(expression.count(left), expression.count(right), expression)

    def test_each_has_its_place(self):
        every = DASHBOARD["panels"]
        self.assertEqual(len({panel["id"] for panel in every}), len(every))
        for panel in every:
            self.assertLessEqual(panel["gridPos"]["x"] + panel["gridPos"]["w"], 24)
        for one, other in itertools.combinations([panel["gridPos"] for panel in every], 2):
            self.assertFalse(one["x"] < other["x"] + other["w"] and other["x"] < one["x"] + one["w"] and
                             one["y"] < other["y"] + other["h"] and other["y"] < one["y"] + one["h"], (one, other))


if __name__ == "__main__":
    unittest.main()
