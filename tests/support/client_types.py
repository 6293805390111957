#!/usr/bin/env python3
"""The types of messages for the clients of JavaScript (messages.d.ts) and Python (messages.py), made from the schemas.

    client_types.py             writes them anew
    client_types.py --check     says what is out of date, exit 1"""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import validate  # noqa: E402

CLIENTS = validate.PROTOCOL / "clients"
# What schemas of several messages share, by its name in common.schema.json.
ALIASES = {"vec3": "Vector", "bounded_vec3": "Vector", "quat": "Quaternion", "feed_source": "Source"}
SHARED = {"pose": "DevicePose", "pushed_pose": "Pose", "blade": "ListedBlade", "resolved_pose": "ResolvedPose"}
# Of requests "poses" and others have the name of what clashd says.
PREFIXES = {"server": "", "client": "Request", "recording": "Recorded"}
RENAMED = {"recording": "RecordingHeader", "server/error": "ErrorReply"}  # Error is the languages' own


def camel(name):
    return "".join(word.capitalize() for word in name.split("_"))


def singular(name):
    return name[:-1] if name.endswith("s") else name


def common(schema):
    """The schema's name in common.schema.json, None where it has none, and what it is: beside a $ref stands its description."""
    if "$ref" not in schema:
        return None, schema
    name = schema["$ref"].rpartition("/")[2]
    return name, {**common(validate.schemas()["common"]["$defs"][name])[1],
                  **{key: value for key, value in schema.items() if key != "$ref"}}


class Language:
    """Types in one language; every object met on the way becomes a class of its own, in self.classes: name to schema."""

    def __init__(self):
        self.classes = {}

    def type_of(self, schema, called):
        """A type, for what would be a class called `called`."""
        name, schema = common(schema)
        if name in ALIASES:
            return ALIASES[name]
        if "const" in schema or "enum" in schema:
            return self.words([schema["const"]] if "const" in schema else schema["enum"])
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        return self.either([self.kind(kind, schema, SHARED.get(name) or (camel(name) if name else called)) for kind in kinds])

    def kind(self, kind, schema, called):
        if kind == "array":
            least, item = schema.get("minItems"), self.type_of(schema["items"], singular(called))
            return self.row(item, least) if least and least == schema.get("maxItems") else self.many(item)
        if kind != "object":
            return self.NAMES[kind]
        if schema.get("properties"):
            return self.piece(schema, called)
        below = schema.get("additionalProperties")
        return self.mapping(self.type_of(below, called)) if isinstance(below, dict) else self.mapping(self.ANY)

    def piece(self, schema, called):
        """One class for all that have the same fields, such as a target's shapes."""
        for name, other in self.classes.items():
            if "title" not in other and all(other.get(key) == schema.get(key) for key in ("properties", "required")):
                return name
        self.classes[called] = schema
        return called

    def add(self, called, schema):
        self.classes[called] = schema

    def written(self):
        """Each class's text; writing one may add others."""
        texts, done = [], set()
        while names := [name for name in self.classes if name not in done]:
            for name in names:
                done.add(name)
                texts.append(self.write(name, self.classes[name]))
        return texts


class TypeScript(Language):
    NAMES = {"number": "number", "integer": "number", "string": "string", "boolean": "boolean", "null": "null"}
    ANY = "unknown"

    def words(self, words):
        return " | ".join(json.dumps(word) for word in words)

    def either(self, types):
        return " | ".join(types)

    def row(self, item, count):
        return f"[{', '.join([item] * count)}]"

    def many(self, item):
        return f"({item})[]" if " " in item and not item.startswith("[") else f"{item}[]"

    def mapping(self, item):
        return f"{{[name: string]: {item}}}"

    def write(self, name, schema):
        lines = [f"/** {schema['title']}. */"] if "title" in schema else []
        lines.append(f"export interface {name} {{")
        for field, what in schema["properties"].items():
            about = f"/** {what['description']} */ " if "description" in what and field != "type" else ""
            mark = "" if field in schema.get("required", []) else "?"
            lines.append(f"  {about}{field}{mark}: {self.type_of(what, name + camel(field))};")
        return "\n".join([*lines, "}"])


class Python(Language):
    NAMES = {"number": "float", "integer": "int", "string": "str", "boolean": "bool", "null": "None"}
    ANY = "Any"

    def words(self, words):
        return f"Literal[{', '.join(json.dumps(word) for word in words)}]"

    def either(self, types):
        return " | ".join(types)

    def row(self, item, count):
        return f"tuple[{', '.join([item] * count)}]"

    def many(self, item):
        return f"list[{item}]"

    def mapping(self, item):
        return f"dict[str, {item}]"

    def default(self, schema):
        """What follows the type of a field that may be left out."""
        default = common(schema)[1].get("default")
        return " | None = None" if default is None or isinstance(default, (list, dict)) else f" = {json.dumps(default) if isinstance(default, str) else repr(default)}"

    def write(self, name, schema):
        lines = ["@dataclass(slots=True, kw_only=True)", f"class {name}{'(Message)' if 'title' in schema else '(Piece)'}:"]
        if "title" in schema:
            lines += [f'    """{schema["title"]}."""', ""]
        for field, what in schema["properties"].items():
            about = f"  # {what['description']}" if "description" in what and field != "type" else ""
            kind = self.type_of(what, name + camel(field))
            if field == "type":
                kind, end = "ClassVar[str]", f" = {json.dumps(common(what)[1]['const'])}"
            elif field in schema.get("required", []):
                end = ""
            else:
                end = "" if self.default(what).endswith("None") and kind.endswith("| None") else self.default(what)
                end = end or " = None"
            lines.append(f"    {field}: {kind}{end}{about}")
        return "\n".join(lines)


def class_name(name):
    """Of a message's schema, as "server/clash"."""
    side, _, message = name.partition("/")
    return RENAMED.get(name) or PREFIXES[side] + camel(message)


def messages(*sides):
    return {name: class_name(name) for name in validate.schemas() if name.partition("/")[0] in sides and
            (name == "recording" or "/" in name)}


def typescript():
    language = TypeScript()
    sides = {side: messages(side) for side in ("server", "client")}
    for name, called in {**sides["server"], **sides["client"]}.items():
        language.add(called, validate.schemas()[name])
    texts = language.written()
    maps = [f"/** {what}, by its type. */\nexport interface {called} {{\n" +
            "".join(f"  {name.partition('/')[2]}: {sides[side][name]};\n" for name in sides[side]) + "}"
            for side, called, what in (("server", "ServerMessages", "What clashd says"),
                                       ("client", "Requests", "What clashd is asked"))]
    return "\n".join([
        "// Made by tests/support/client_types.py from protocol/schema: what each message holds. PROTOCOL.md says what it means.",
        "// Metres, radians, metres a second, nanoseconds; x right, y up, -z forward, unless other axes were subscribed to.", "",
        "export type Vector = [x: number, y: number, z: number];",
        "export type Quaternion = [x: number, y: number, z: number, w: number];",
        f"export type Source = {language.type_of(validate.schemas()['common']['$defs']['feed_source'], '')};", "",
        "\n\n".join([*texts, *maps])]) + "\n"


def python():
    language = Python()
    for name, called in messages("server", "recording").items():
        language.add(called, validate.schemas()[name])
    language.add("Pose", validate.schemas()["common"]["$defs"]["pushed_pose"])
    texts = language.written()
    source = language.type_of(validate.schemas()["common"]["$defs"]["feed_source"], "")
    head = '''"""What each message holds. Made by tests/support/client_types.py from protocol/schema; PROTOCOL.md says what it means.

Metres, radians, metres a second, nanoseconds; x right, y up, -z forward, unless other axes were subscribed to. None, or the
default, is what was left out."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ._base import Message, Piece

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
'''
    by_type = ["", "# What clashd says, and what recordings hold, each by its type.", "SERVER: dict[str, type[Message]] = {"]
    by_type += [f'    "{name.partition("/")[2]}": {called},' for name, called in messages("server").items()]
    by_type += ["}", "RECORDED: dict[str, type[Message]] = {"]
    by_type += [f'    "{name.partition("/")[2] or name}": {called},' for name, called in messages("recording").items()]
    return head + f"Source = {source}\n\n\n" + "\n\n\n".join(texts) + "\n\n" + "\n".join([*by_type, "}"]) + "\n"


WRITTEN = {CLIENTS / "js" / "messages.d.ts": typescript, CLIENTS / "python" / "src" / "clashd" / "messages.py": python}


def stale():
    return [path for path, make in WRITTEN.items() if not path.exists() or path.read_text() != make()]


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    old = stale()
    for path in old:
        if sys.argv[1:]:
            print(f"{path}: out of date; run tests/support/client_types.py")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(WRITTEN[path]())
    return 1 if sys.argv[1:] and old else 0


if __name__ == "__main__":
    sys.exit(main())
