"""What `flag_tables` printed, and what of it both man pages and completions go by."""
import json
import re
import sys
from pathlib import Path


def load(path):
    """(version, {program: its page}); clashctl's has `commands`, its commands' pages in order."""
    whole = json.loads(Path(path).read_text())
    programs = {page["program"]: dict(page, commands=[]) for page in whole["pages"] if "command" not in page}
    for page in whole["pages"]:
        if "command" in page:
            programs[page["program"]]["commands"].append(page)
    return whole["version"], programs


def settings(schemas):
    """The generator of CONFIGURATION.md, which knows all settings: rows(), sections()."""
    sys.path.insert(0, str(schemas))
    import configuration
    return configuration


def setting_keys(schemas):
    """As --set takes them, of those that need no name of a blade in them."""
    return [row.key for row in settings(schemas).rows() if "[" not in row.key and "." in row.key]


def first_line(flag):
    """What a shell shows beside a flag: its help up to a default or a second clause."""
    return re.split(r"; |, (?:and|which|compressed|who) |: ", flag["help"].replace("\n", " "))[0]


def value_kind(flag):
    """What the value of a flag is to a shell: file, key (of the settings, with = behind it), list (words with commas), words,
    other, or None where it takes none."""
    argument = flag.get("argument")
    if argument is None:
        return None
    if "words" in flag:
        return "list" if "," in argument else "words"
    if argument.startswith("KEY="):
        return "key"
    return "file" if flag["type"] == "path" or argument in ("FILE", "PATH") else "other"


def wanted(page):
    """What a command takes beside flags: (words to choose from, whether files, whether a key of the settings)."""
    arguments = page["arguments"].replace("[OPTION..]", "").split()
    choice = next((word for word in arguments if "|" in word and not word.startswith("KEY")), "")
    words = [word for word in choice.split("|") if word.islower()]
    return words, any(word.strip("[].").endswith("FILE") for word in arguments), any(word.startswith("KEY=") for word in arguments)
