#!/usr/bin/env python3
"""manual.py TABLES SCHEMAS DATE OUTPUT: writes clashd.1, clashctl.1 and clashd-config.5 into OUTPUT, from what `flag_tables` printed and
from the schema of the settings. Only what no table knows is written down here."""
import sys
from pathlib import Path

import tables
from pages import bold, document, flowing, italic, line, literal, options, plain, synopsis

FILES = [
    ("$XDG_CONFIG_HOME/clashd/config.json", "The settings, if `--config` names no others; below ~/.config if that variable is not set. See "
     "`clashd-config`(5)."),
    ("$XDG_RUNTIME_DIR/clashd/clashd.sock", "Where clients connect; the token for those that come by TCP or WebSocket is beside it."),
]
ENVIRONMENT = [
    ("XR_RUNTIME_JSON", "The manifest of the OpenXR runtime to use, in the place of the active one; read by the OpenXR loader."),
    ("XDG_RUNTIME_DIR, XDG_CONFIG_HOME", "See FILES."),
]
CLASHD_EXAMPLES = [
    ("With a headset, as a service of this user", "systemctl --user enable --now clashd"),
    ("For Unity and Godot", "clashd --tcp 4717"),
    ("A recording, as if it happened now, to whoever connects", "clashd --source replay:play.jsonl.zst --loop"),
]
CLASHCTL_EXAMPLES = [
    ("Clashes without a headset, on the page", "clashctl demo"),
    ("Why does nothing clash?", "clashctl doctor"),
    ("The clashes of a recording, as a table", "clashctl convert play.jsonl.zst clashes.csv"),
]


def named(rows):
    return [one for name, text in rows for one in (".TP", line(name), line(text))]


def examples(rows):
    return [one for text, command in rows for one in (".PP", line(text + ":"), *literal([command]))]


def see_also(*pages):
    return [".SH SEE ALSO", ",\n".join(f"\\fB{plain(name)}\\fP({section})" for name, section in pages)]


def split_status(page_):
    """(what stands behind the flags, the exit status), of which the second begins with its own words."""
    before, _, status = page_.get("after", "").partition("exit status: ")
    return before, status


def exit_status(text):
    return [".SH EXIT STATUS", *flowing(text)] if text else []


def clashd(version, date, program):
    before, status = split_status(program)
    return document("clashd", 1, date, version, "swept clash detection for VR swords, as a service", [
        ".SH SYNOPSIS", synopsis("clashd", arguments=program["arguments"]), ".SH DESCRIPTION", *flowing(program["text"]),
        *flowing(before), ".SH OPTIONS", *options(program), *exit_status(status), ".SH FILES", *named(FILES),
        ".SH ENVIRONMENT", *named(ENVIRONMENT), ".SH EXAMPLES", *examples(CLASHD_EXAMPLES),
        *see_also(("clashctl", 1), ("clashd-config", 5), ("systemctl", 1))])


def command(one):
    return [f".SS {synopsis('clashctl', one['command'], arguments=one['arguments'])}", *flowing(one["text"]), *options(one)]


def clashctl(version, date, program):
    before, status = split_status(program)
    about = program["text"].split("\n\n")[0]
    return document("clashctl", 1, date, version, "talk to a running clashd, and work on its recordings", [
        ".SH SYNOPSIS", synopsis("clashctl", arguments=program["arguments"]), ".br", synopsis("clashctl", "--help"), ".br",
        synopsis("clashctl", "--version"), ".SH DESCRIPTION", *flowing(about), *flowing(before), ".SH COMMANDS",
        *(row for one in program["commands"] for row in command(one)), *exit_status(status), ".SH FILES", *named(FILES),
        ".SH EXAMPLES", *examples(CLASHCTL_EXAMPLES), *see_also(("clashd", 1), ("clashd-config", 5))])


def sentence(text):
    return text[0].upper() + text[1:].rstrip(".") + "."


def setting(row):
    facts = [("type", row.type), ("default", row.default), ("range", row.range), ("unit", row.unit), ("example", row.example),
             ("goes before it", row.flag)]
    said = [f"{name}: {plain(value)}" for name, value in facts if value]
    said.append("a reload takes it" if row.reload else "a reload refuses another value: clashd has to be started again")
    description = [line(sentence(row.description))] if row.description else []
    return [".TP", bold(row.key), *description, *([".br"] if description else []), ";\n".join(said) + "."]


def config(version, date, settings):
    body = [".SH SYNOPSIS", italic("$XDG_CONFIG_HOME/clashd/config.json"), ".SH DESCRIPTION", *flowing(
        "One object of JSON (UTF-8). What is left out has its default. A key that there is not, and a value out of its range, is an\n"
        "error that names it, and `clashd --check-config` finds it beforehand. `systemctl --user reload clashd` has a running clashd\n"
        "read it again. There may be comments, as in JavaScript, and `~/` and `$VARIABLES` in paths are filled in.\n")]
    rows = list(settings.rows())
    for name, description in settings.sections():
        body += [f".SH {plain(name).upper()}"]
        if not any(row.key == name for row in rows):  # else the row says it
            body.append(line(sentence(description)))
        body += [one for row in rows if row.section == name for one in setting(row)]
    body += [".SH EXAMPLES", *examples([("Clients by TCP, and thicker blades than drawn",
                                         '{"socket": {"tcp": "4717"}, "contact": {"margin": 0.01}}')]),
             *see_also(("clashd", 1), ("clashctl", 1))]
    return document("clashd-config", 5, date, version, "settings of clashd", body)


def main():
    path, schemas, date, output = sys.argv[1:]
    version, programs = tables.load(path)
    made = {"clashd.1": clashd(version, date, programs["clashd"]), "clashctl.1": clashctl(version, date, programs["clashctl"]),
            "clashd-config.5": config(version, date, tables.settings(schemas))}
    for name, text in made.items():
        (Path(output) / name).write_text(text)


if __name__ == "__main__":
    main()
