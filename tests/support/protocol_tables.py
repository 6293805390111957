#!/usr/bin/env python3
"""The tables of PROTOCOL.md and RECORDING.md, made from the schemas, so that a document says what is checked. A table
stands between `<!-- table NAME -->` and `<!-- end -->`, NAME being a schema's path below schema/; an example of such a line before it.

    protocol_tables.py             writes them anew
    protocol_tables.py --check     says what is out of date, exit 1"""
import json
import re
import sys
import textwrap
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import validate  # noqa: E402

DOCUMENTS = [validate.PROTOCOL / name for name in ("PROTOCOL.md", "RECORDING.md")]
TABLE = re.compile(r"(<!-- table (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)
# Beyond this nobody's number goes; as a limit it says only that numbers are doubles.
LARGEST_INTEGER = 2**53 - 1


def resolve(schema):
    """The schema, or what its $ref points to with what stands beside the $ref."""
    if "$ref" not in schema:
        return schema
    name = schema["$ref"].split("#/$defs/")[1]
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    return {**resolve(validate.schemas()["common"]["$defs"][name]), **beside}


def shown(limit):
    """A limit, None if there is none to speak of. Room for rounding, as in 1.000001, is not shown."""
    if limit is None or abs(limit) >= LARGEST_INTEGER:
        return None
    return f"{limit}" if isinstance(limit, int) else f"{limit:.4g}"


def limits(schema, least, most, unit=""):
    """" (1 to 64 characters)", " (at least 1)", or nothing."""
    low, high, above = shown(schema.get(least)), shown(schema.get(most)), shown(schema.get("exclusiveMinimum"))
    if low and high:
        words = f"{low} to {high}"
    else:
        words = ", ".join([f"at least {low}"] * bool(low) + [f"above {above}"] * bool(above) +
                          [f"at most {high}"] * bool(high))
    return f" ({words}{unit})" if words else ""


def array_in_words(schema, plural):
    items = type_in_words(schema["items"], plural=True)
    low, high = schema.get("minItems"), schema.get("maxItems")
    count = f"{low} " if low is not None and low == high else ""
    return f"array{plural} of {count}{items}" + ("" if count else limits(schema, "minItems", "maxItems"))


def type_in_words(schema, plural=False):
    schema = resolve(schema)
    if "const" in schema:
        return f'`"{schema["const"]}"`'
    if "enum" in schema:
        return ", ".join(f'`"{value}"`' for value in schema["enum"])
    ending = "s" if plural else ""
    words = []
    for kind in schema["type"] if isinstance(schema["type"], list) else [schema["type"]]:
        if kind == "array":
            words.append(array_in_words(schema, ending))
        elif kind in ("number", "integer"):
            words.append(kind + ending + limits(schema, "minimum", "maximum"))
        elif kind == "string":
            words.append(kind + ending + limits(schema, "minLength", "maxLength", " characters"))
        elif kind == "object" and isinstance(schema.get("additionalProperties"), dict):
            words.append(f"object{ending} of {type_in_words(schema['additionalProperties'], plural=True)}")
        else:
            words.append(kind + ending * (kind != "null"))
    return " or ".join(words)


def description(schema):
    text = schema.get("description", "")
    if "default" in schema and not isinstance(schema["default"], (list, dict)):
        text += f"; {json.dumps(schema['default'])} if left out"
    return text


def rows(schema, prefix=""):
    """Every field with those below it, in the order of the schema."""
    for name, field in schema.get("properties", {}).items():
        field = resolve(field)
        always = "yes" if name in schema.get("required", []) else "no"
        yield f"| `{prefix}{name}` | {always} | {type_in_words(field)} | {description(field)} |"
        below, mark = field, "."
        if field.get("type") == "array":
            below, mark = resolve(field["items"]), "[]."
        yield from rows(below, prefix + name + mark)


def example(name):
    """Of a message the first line of its type in examples/, wrapped, indented and rounded."""
    kind, _, wanted = name.rpartition("/")
    if kind not in ("server", "client", "room"):
        return []
    lines = validate.PROTOCOL / "examples" / f"{kind}.jsonl"
    fitting = [line for line in lines.read_text().splitlines() if line and json.loads(line)["type"] == wanted]
    if not fitting:
        return []
    line = json.loads(fitting[0], parse_float=lambda text: float(f"{float(text):.6g}"))
    text = json.dumps(line, ensure_ascii=False, separators=(", ", ":"))
    # A line is broken between values, not within a string: what is shown is still JSON.
    text = re.sub(r'"(?:[^"\\]|\\.)*"', lambda found: found[0].replace(" ", "\0"), text)
    return [*(line.replace("\0", " ") for line in
              textwrap.wrap(text, 124, initial_indent="    ", subsequent_indent="     ", break_long_words=False,
                            break_on_hyphens=False)), ""]


def table(name):
    schema = validate.schemas()[name]
    said = schema["title"] + ". " + schema.get("description", "")
    head = ["| Name | Always? | Type | Description |", "| --- | --- | --- | --- |"]
    return "\n".join([said.rstrip(), "", *example(name), *head, *rows(schema)]) + "\n"


def fresh(text):
    return TABLE.sub(lambda found: found[1] + table(found[2]) + found[3], text)


def tables_in(text):
    return [found[2] for found in TABLE.finditer(text)]


def stale():
    return [path for path in DOCUMENTS if path.read_text() != fresh(path.read_text())]


def main():
    if sys.argv[1:] == ["--check"]:
        for path in stale():
            print(f"{path}: out of date; run tests/support/protocol_tables.py")
        return 1 if stale() else 0
    if sys.argv[1:]:
        print(__doc__, file=sys.stderr)
        return 2
    for path in stale():
        path.write_text(fresh(path.read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
