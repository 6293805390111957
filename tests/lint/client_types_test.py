"""The types of messages that clients have are those of the schemas, as tests/support/client_types.py makes them; each package of a
client has the project's licence and, for npm, the folder that it comes from."""
import json
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


def main():
    path, make = next(iter(client_types.WRITTEN.items()))
    changed = dict(client_types.validate.schemas()["server/clash"]["properties"])
    changed.pop("seq")
    client_types.validate.schemas()["server/clash"]["properties"] = changed
    tree.must_report("a field that the schema lost", [path] if make() != path.read_text() else [])
    client_types.validate.schemas.cache_clear()
    problems = [f"{path.relative_to(tree.ROOT)}: not what the schemas say; tests/support/client_types.py mends it"
                for path in client_types.stale()]
    package = json.loads(tree.text(f"{CLIENTS}/js/package.json"))
    problems += [f"{CLIENTS}/js/package.json: no {key}" for key in ("license", "repository", "types") if key not in package]
    problems += [f"{CLIENTS}/{name}/LICENSE: not that of the project" for name in ("js", "python")
                 if tree.text(f"{CLIENTS}/{name}/LICENSE") != tree.text("LICENSE")]
    tree.verdict(problems, f"{len(client_types.WRITTEN)} files of types, and their packages")


main()
