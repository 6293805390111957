"""protocol/mqtt.asyncapi.json says what daemon/sinks/mqtt/mqtt_topic.c does: the same topics, by the same quality of service, each with a schema
that is there; and it is a whole document of AsyncAPI 3, as far as that uses what is checked here."""
import json
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tree  # noqa: E402

DOCUMENT = tree.ROOT / "protocol" / "mqtt.asyncapi.json"
ROW = re.compile(r'\[MQTT_\w+\] = \{"([\w/]+)", (\d), (true|false)\}')


def resolve(document, value):
    """What a $ref in it points to."""
    if "$ref" not in value:
        return value
    file, _, path = value["$ref"].partition("#")
    if file:
        return json.loads((DOCUMENT.parent / file).read_text())
    for name in path.strip("/").split("/"):
        document = document[name]
    return document


class AsyncApi(unittest.TestCase):
    def setUp(self):
        self.document = json.loads(DOCUMENT.read_text())

    def test_topics_are_those_of_the_source(self):
        source = {topic: (int(qos), retain == "true")
                  for topic, qos, retain in ROW.findall((tree.ROOT / "daemon/sinks/mqtt/mqtt_topic.c").read_text())}
        self.assertEqual(len(source), 15)
        written = {}
        for operation in self.document["operations"].values():
            channel, mqtt = resolve(self.document, operation["channel"]), operation["bindings"]["mqtt"]
            self.assertEqual(operation["action"], "send")
            prefix, _, topic = channel["address"].partition("/{player}/")
            self.assertEqual(prefix, "clashd/{room}")
            written[topic.removesuffix("/{other}")] = mqtt["qos"], mqtt["retain"]
        self.assertEqual(written, source)

    def test_every_reference_leads_somewhere(self):
        self.assertEqual(set(self.document["channels"]), set(self.document["operations"]))
        for channel in self.document["channels"].values():
            self.assertEqual(set(re.findall(r"\{(\w+)\}", channel["address"])), set(channel["parameters"]))
            for parameter in channel["parameters"].values():
                self.assertTrue(resolve(self.document, parameter)["description"])
            (name, message), = channel["messages"].items()
            message = resolve(self.document, message)
            payload = resolve(self.document, message["payload"])
            if name == "online":
                self.assertEqual(payload, {"type": "boolean"})
            else:
                self.assertEqual(payload["properties"]["type"], {**payload["properties"]["type"], "const": name})

    def test_it_is_of_asyncapi_3(self):
        self.assertEqual(self.document["asyncapi"], "3.0.0")
        self.assertEqual(self.document["info"]["version"], tree.version())
        self.assertLessEqual(set(self.document), {"asyncapi", "id", "info", "servers", "defaultContentType", "channels", "operations", "components"})
        for server in self.document["servers"].values():
            self.assertTrue(server["host"] and server["protocol"] == "mqtt" and server["protocolVersion"] == "5.0")

    def test_the_table_of_the_protocol_has_them_too(self):
        text = (tree.ROOT / "protocol" / "PROTOCOL.md").read_text().split("### MQTT", 1)[1].split("\n### ", 1)[0]
        rows = [line.split("|") for line in text.splitlines() if line.startswith("| `")]
        found = {topic: (int(row[3]), row[4].strip() == "yes") for row in rows for topic in re.findall(r"`([\w/]+)`", row[1])}
        written = {resolve(self.document, operation["channel"])["address"].split("/{player}/")[1].removesuffix("/{other}"):
                   (operation["bindings"]["mqtt"]["qos"], operation["bindings"]["mqtt"]["retain"])
                   for operation in self.document["operations"].values()}
        self.assertEqual(found, written)


if __name__ == "__main__":
    unittest.main()
