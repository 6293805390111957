#!/usr/bin/env python3
"""Holds lines against protocol/schema, by another implementation of JSON Schema than clashd's own. What clashd says must be
all in the schemas: an unknown `type` or field is a mistake here, though clients have to ignore both.

    validate.py [--as server|client|config|recording|report|room] [FILE..]     standard input where no file is named

--as says whose lines they are; a recording's lines are clashd's, so the default takes them too. A config is one text."""
import argparse
import functools
import json
import sys
from pathlib import Path

import jsonschema

PROTOCOL = Path(__file__).resolve().parents[2] / "protocol"
SCHEMAS = PROTOCOL / "schema"
BASE = "https://clashd.invalid/schema/"
LINE_MAX = 65536


@functools.lru_cache(maxsize=None)
def written():
    """Every schema by its name, the path below schema/ without the ending."""
    return {str(path.relative_to(SCHEMAS)).removesuffix(".schema.json"): json.loads(path.read_text())
            for path in sorted(SCHEMAS.rglob("*.schema.json"))}


def spread(schema):
    """With the properties that a $ref points to behind those that stand beside it, as clashd's compiler has it."""
    if isinstance(schema, list):
        return [spread(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: spread(value) for key, value in schema.items()}
    if "$ref" in schema and "properties" in schema:
        there = written()["common"]["$defs"][schema.pop("$ref").rpartition("/")[2]]["properties"]
        there = json.loads(json.dumps(there).replace('"common.schema.json#', f'"{BASE}common.schema.json#'))
        schema["properties"].update((key, part) for key, part in there.items() if key not in schema["properties"])
        if "unevaluatedProperties" in schema:
            schema["additionalProperties"] = schema.pop("unevaluatedProperties")
    return schema


@functools.lru_cache(maxsize=None)
def schemas():
    return {name: spread(schema) for name, schema in written().items()}


def closed(schema):
    """The schema with every object that names its fields allowing no others."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: closed(value) for key, value in schema.items()}
    if schema.get("type") == "object" and "properties" in schema:
        schema.setdefault("additionalProperties", False)
    return schema


@functools.lru_cache(maxsize=None)
def validator(name, strict=True):
    """For the schema of that name. Not strict: unknown fields pass, as they must at the receiving end."""
    every = {key: closed(schema) if strict else schema for key, schema in schemas().items()}
    store = {schema["$id"]: schema for schema in every.values()}
    resolver = jsonschema.RefResolver(every[name]["$id"], every[name], store=store)
    return jsonschema.Draft202012Validator(every[name], resolver=resolver)


def mistakes(name, value, strict=True):
    """What is wrong with a value by the schema of that name, as texts; empty where nothing is."""
    found = sorted(validator(name, strict).iter_errors(value), key=lambda error: error.json_path)
    return [f"{error.json_path}: {error.message}" for error in found]


def once(pairs):
    keys = [key for key, _ in pairs]
    twice = {key for key in keys if keys.count(key) > 1}
    if twice:
        raise ValueError(f"keys stand twice: {sorted(twice)}")
    return dict(pairs)


def not_json(word):
    raise ValueError(f"{word} is no JSON")


def parse(text):
    """As json.loads, but NaN, infinities, and keys that stand twice are errors (ValueError)."""
    return json.loads(text, object_pairs_hook=once, parse_constant=not_json)


def check(line, side="server", strict=True):
    """What is wrong with one line, without its newline: a list of texts, empty where nothing is."""
    if len(line.encode()) + 1 > LINE_MAX:
        return [f"{len(line.encode()) + 1} bytes, at most {LINE_MAX} are allowed"]
    try:
        message = parse(line)
    except ValueError as error:
        return [f"no JSON: {error}"]
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        return ["no object with a type"]
    name = "recording" if message["type"] == "recording" and side == "server" else f"{side}/{message['type']}"
    if side == "server" and name not in schemas():
        name = f"recording/{message['type']}"
    if name not in schemas():
        return [f"there is no schema {name}"]
    return mistakes(name, message, strict)


def check_text(text, what):
    """Each mistake in a whole file, with the number of its line."""
    if what == "config":
        try:
            return mistakes("config", parse(text))
        except ValueError as error:
            return [f"no JSON: {error}"]
    lines = text.split("\n")
    found = [] if lines[-1] == "" else ["the last line has no newline"]
    if what == "recording" and json.loads(lines[0] or "{}").get("type") != "recording":
        found.append("1: no header")
    side = what if what in ("client", "report", "room") else "server"
    for number, line in enumerate(lines if lines[-1] else lines[:-1], 1):
        found += [f"{number}: {mistake}" for mistake in check(line, side)]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--as", dest="what", choices=("server", "client", "config", "recording", "report", "room"), default="server")
    parser.add_argument("files", nargs="*", metavar="FILE")
    words = parser.parse_args()
    failed = False
    for name in words.files or ["-"]:
        text = sys.stdin.read() if name == "-" else Path(name).read_text()
        for mistake in check_text(text, words.what):
            print(f"{name}:{mistake}")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
