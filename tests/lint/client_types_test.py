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


def main():
    tree.must_report("a name of a message that is no more", other_words("x", {"a", "b"}, {"a"}))
    path, make = next(iter(client_types.WRITTEN.items()))
    changed = dict(client_types.validate.schemas()["server/clash"]["properties"])
    changed.pop("seq")
    client_types.validate.schemas()["server/clash"]["properties"] = changed
    tree.must_report("a field that the schema lost", [path] if make() != path.read_text() else [])
    client_types.validate.schemas.cache_clear()
    problems = [f"{path.relative_to(tree.ROOT)}: not what the schemas say; tests/support/client_types.py mends it"
                for path in client_types.stale()]
    problems += names()
    package = json.loads(tree.text(f"{CLIENTS}/js/package.json"))
    problems += [f"{CLIENTS}/js/package.json: no {key}" for key in ("license", "repository", "types") if key not in package]
    problems += [f"{CLIENTS}/{name}/LICENSE: not that of the project" for name in ("js", "python")
                 if tree.text(f"{CLIENTS}/{name}/LICENSE") != tree.text("LICENSE")]
    tree.verdict(problems, f"{len(client_types.WRITTEN)} files of types, and their packages")


main()
