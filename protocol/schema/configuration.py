#!/usr/bin/env python3
"""What people read about clashd's settings, made from config.schema.json, so that it says what is checked: the tables of
CONFIGURATION.md (each between `<!-- settings SECTION -->` and `<!-- end -->`), and the schema as one file without references to
others, for editors.

    configuration.py             writes both anew
    configuration.py --check     says what is out of date, exit 1

rows() gives the same to other programs, such as one that makes a man page. Needs nothing but Python 3.

What the schema says beyond JSON Schema, of one setting: x-unit, its unit; x-reload, whether a reload takes it; x-flag, the flag
of clashd that goes before it; x-path, that ~ and $VARIABLES are replaced. `examples` has a value that is not the default."""
import json
import re
import sys
from collections import namedtuple
from pathlib import Path

HERE = Path(__file__).resolve().parent
DOCUMENT = HERE.parent / "CONFIGURATION.md"
WHOLE = HERE.parent / "config.schema.json"
TABLE = re.compile(r"(<!-- settings (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)
SHARED = "common.schema.json#/$defs/"

# One setting, all as text for people, "" where there is nothing to say. `key` is dotted, as --set takes it ("blades[].name" within
# lists); `default`, `example` and what `type` lists are JSON; `reload` is a bool; `section` is the first part of `key`.
Row = namedtuple("Row", "section key type default range unit reload flag example description")


def load(name):
    return json.loads((HERE / f"{name}.schema.json").read_text())


def resolve(schema, shared):
    """The schema with what its $ref points to, what stands beside the $ref first."""
    if "$ref" not in schema:
        return schema
    there = resolve(shared[schema["$ref"].removeprefix(SHARED)], shared)
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    properties = {**beside.get("properties", {}), **there.get("properties", {}), **beside.get("properties", {})}
    return {**there, **beside, **({"properties": properties} if properties else {})}


def kinds(schema):
    kind = schema.get("type", [])
    return kind if isinstance(kind, list) else [kind]


def type_in_words(schema, shared, ending=""):
    """"number or null", "array of 3 numbers"; `ending` "s" for many."""
    schema = resolve(schema, shared)
    if "enum" in schema:
        return ", ".join(json.dumps(value) for value in schema["enum"])
    words = []
    for kind in kinds(schema):
        if kind == "array":
            count = schema.get("minItems") if schema.get("minItems") == schema.get("maxItems") else None
            items = type_in_words(schema["items"], shared, "s")
            words.append(f"array{ending} of {f'{count} ' if count else ''}{items}")
        elif kind == "string" and schema.get("x-path"):
            words.append("path" + ending)
        else:
            words.append(kind + ending * (kind != "null"))
    return " or ".join(words)


def number(value):
    return str(value) if isinstance(value, int) else f"{value:g}"


def range_in_words(schema, shared):
    """"0 to 1", "above 0, at most 1000", "1 to 107 characters", "at most 64"; of an array of numbers, theirs."""
    schema = resolve(schema, shared)
    least, most, above, what = schema.get("minimum"), schema.get("maximum"), schema.get("exclusiveMinimum"), ""
    if "array" in kinds(schema) and schema.get("minItems") != schema.get("maxItems"):
        least, most, what = schema.get("minItems"), schema.get("maxItems"), " of them"
    elif "array" in kinds(schema):
        return range_in_words(schema["items"], shared)
    elif "string" in kinds(schema) and least is None and most is None:
        least, most, what = schema.get("minLength"), schema.get("maxLength"), " characters"
    if least is not None and most is not None:
        return f"{number(least)} to {number(most)}{what}"
    words = [f"{word} {number(limit)}" for word, limit in (("at least", least), ("above", above), ("at most", most))
             if limit is not None]
    what = what[:-1] if what == " characters" and words == ["at least 1"] else what
    return ", ".join(words) + (what if words else "")


def row(section, key, schema, shared, reload):
    schema = resolve(schema, shared)
    example = schema.get("examples", [None])[0]
    return Row(section, key, type_in_words(schema, shared), json.dumps(schema["default"]) if "default" in schema else "",
               range_in_words(schema, shared), schema.get("x-unit", ""), reload, schema.get("x-flag", ""),
               "" if example is None else json.dumps(example), schema.get("description", ""))


def rows_below(section, prefix, schema, shared, reload):
    """The setting, if it is one, and all that it has in it."""
    schema = resolve(schema, shared)
    reload = schema.get("x-reload", reload)
    if "properties" not in schema or prefix != section:
        yield row(section, prefix, schema, shared, reload)
    below = resolve(schema["items"], shared) if "items" in schema else schema
    for name, part in below.get("properties", {}).items():
        yield from rows_below(section, f"{prefix}{'[]' if 'items' in schema else ''}.{name}", part, shared, reload)


def rows():
    """Every setting, in the order of the schema."""
    shared = load("common")["$defs"]
    return [found for section, schema in load("config")["properties"].items()
            for found in rows_below(section, section, schema, shared, False)]


def sections():
    """(name, description) of every section, in the same order; "$schema", "blades" and "targets" are settings as well."""
    return [(name, schema["description"]) for name, schema in load("config")["properties"].items()]


def cell(text, code=False):
    text = text.replace("|", "\\|")
    return f"`{text}`" if code and text else text


def table(section):
    lines = ["| Key | Type | Default | Range | Unit | Reload | Example | Description |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for one in rows():
        if one.section == section:
            flag = f"; `{one.flag}` goes before it" if one.flag else ""
            cells = [cell(one.key, True), cell(one.type), cell(one.default, True), cell(one.range), cell(one.unit),
                     "yes" if one.reload else "no", cell(one.example, True), cell(one.description) + flag]
            lines.append(re.sub(r" +", " ", f"| {' | '.join(cells)} |"))
    return "\n".join([dict(sections())[section].rstrip(".") + ".", "", *lines]) + "\n"


def fresh_document(text):
    return TABLE.sub(lambda found: found[1] + table(found[2]) + found[3], text)


def references(schema):
    """Names of what is shared that the schema refers to itself."""
    return set(re.findall(re.escape(SHARED) + r"(\w+)", json.dumps(schema)))


def whole_schema():
    """The text of the schema in one file: editors find no other file beside it."""
    schema, shared = load("config"), load("common")["$defs"]
    wanted, seen = references(schema), set()
    while wanted - seen:
        name = min(wanted - seen)
        seen.add(name)
        wanted |= references(shared[name])
    schema["$defs"] = {name: shared[name] for name in shared if name in wanted}
    text = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
    return text.replace(f'"{SHARED}', '"#/$defs/')


def stale():
    """(path, the text that it should have) of each file that is out of date."""
    made = [(DOCUMENT, fresh_document(DOCUMENT.read_text())), (WHOLE, whole_schema())]
    return [(path, text) for path, text in made if not path.exists() or path.read_text() != text]


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    found = stale()
    for path, text in found:
        if sys.argv[1:]:
            print(f"{path}: out of date; run protocol/schema/configuration.py")
        else:
            path.write_text(text)
    return 1 if sys.argv[1:] and found else 0


if __name__ == "__main__":
    sys.exit(main())
