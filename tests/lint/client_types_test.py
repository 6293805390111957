"""The types of messages that clients have are those of the schemas, as tests/support/client_types.py makes them; each package of a
client has the project's licence and, for npm, the folder that it comes from."""
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
try:
    import client_types  # noqa: E402
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
import tree  # noqa: E402

CLIENTS = "protocol/clients"


def words_of(name, path, end):
    """Those of a list in a client's source, up to where it ends."""
    text = tree.text(f"{CLIENTS}/{path}")
    return set(re.findall(r'"(\w+)"', text[text.index(f"{name} = "):].split(end, 1)[0]))


def other_words(where, found, wanted):
    return [f"{CLIENTS}/{where}: {sorted(found ^ wanted)} are there, or in the schemas, alone"] if found != wanted else []


def names():
    """What clients take for names of events and of messages is what the schemas have."""
    schemas = client_types.validate.schemas()
    events = set(schemas["client/subscribe"]["properties"]["events"]["items"]["enum"])
    own = {name.partition("/")[2] for name in schemas if name.startswith("server/")}
    js = words_of("EVENTS", "js/clashd.js", ";") | words_of("SUBSCRIBED", "js/clashd.js", ";")
    heard = words_of("HEARD", "js/clashd.js", ";") - {"disconnected"}
    python = words_of("EventName", "python/src/clashd/_core.py", "\n")
    return (other_words("js/clashd.js: SUBSCRIBED", js, events) + other_words("js/clashd.js: HEARD", heard | js, own) +
            other_words("python/src/clashd/_core.py: EventName", python, events))


def lost(where, found, wanted):
    return [f"{CLIENTS}/{where}: {name} is lost: the schemas have it" for name in sorted(wanted - found)]


def fields():
    """What clients read by name is all that events have: of Unity everything, of Godot what is a whole number or a vector."""
    schemas, common = client_types.validate.schemas(), client_types.common
    events = [schemas[f"server/{name}"]["properties"] for name in ("clash", "hold", "release", "tracking", "space_changed")]
    every = {name: common(field) for event in events for name, field in event.items()}
    unity = set(re.findall(r'Is\("(\w+)"', tree.text(f"{CLIENTS}/unity/Runtime/Core/MessageParser.cs")))
    kinds = {name: alias if alias in client_types.ALIASES else field.get("type") for name, (alias, field) in every.items()}
    integers = {name for name, kind in kinds.items() if kind == "integer"}
    vectors = {name for name, kind in kinds.items() if client_types.ALIASES.get(kind) == "Vector"}
    pairs = {name for name, (_, field) in every.items() if field.get("items", {}).get("$ref", "").endswith("/vec3")}
    godot = "godot/addons/clashd/events.gd"
    return (lost("unity/Runtime/Core/MessageParser.cs", unity, set(every)) +
            lost(f"{godot}: INTEGERS", words_of("INTEGERS: Array[String]", godot, "]\n"), integers) +
            lost(f"{godot}: VECTORS", words_of("VECTORS: Array[String]", godot, "]\n"), vectors) +
            lost(f"{godot}: VECTOR_PAIRS", words_of("VECTOR_PAIRS: Array[String]", godot, "]\n"), pairs))


def main():
    tree.must_report("a field that a client does not read", lost("x", {"seq"}, {"seq", "energy"}))
    tree.must_report("a name of a message that is no more", other_words("x", {"a", "b"}, {"a"}))
    path, make = next(iter(client_types.WRITTEN.items()))
    changed = dict(client_types.validate.schemas()["server/clash"]["properties"])
    changed.pop("seq")
    client_types.validate.schemas()["server/clash"]["properties"] = changed
    tree.must_report("a field that the schema lost", [path] if make() != path.read_text() else [])
    client_types.validate.schemas.cache_clear()
    problems = [f"{path.relative_to(tree.ROOT)}: not what the schemas say; tests/support/client_types.py mends it"
                for path in client_types.stale()]
    problems += names() + fields()
    package = json.loads(tree.text(f"{CLIENTS}/js/package.json"))
    problems += [f"{CLIENTS}/js/package.json: no {key}" for key in ("license", "repository", "types") if key not in package]
    problems += [f"{CLIENTS}/{name}/LICENSE: not that of the project" for name in ("js", "python")
                 if tree.text(f"{CLIENTS}/{name}/LICENSE") != tree.text("LICENSE")]
    tree.verdict(problems, f"{len(client_types.WRITTEN)} files of types, and their packages")


main()
