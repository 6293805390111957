"""Every code block of every document is run by a test that it names, or says why none does; what is JSON holds the schemas. Commands
that name a file of the project name one that is there. See tests/journeys/README.md."""
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
try:
    import documents  # noqa: E402
    import validate  # noqa: E402
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
import tree  # noqa: E402

NAMED = re.compile(r"\b((?:unit|property|replay|e2e|lint|journey)/\w+)")
COMMAND = re.compile(r"^(?:sh|bash|python3) ((?!-)[\w./-]+\.(?:sh|py))\b", re.MULTILINE)
REASON = 12  # characters of a reason, at least


def test_file(name):
    """Where a test of that name is written; None if there is none."""
    for path in (f"tests/{name.replace('journey/', 'journeys/')}.py", f"tests/{name}.py", f"tests/{name}_test.py", f"tests/{name}.c"):
        if (tree.ROOT / path).is_file():
            return path
    return None


def loosened(schema):
    """Without what has to be there: of a value that is shown in part."""
    if isinstance(schema, list):
        return [loosened(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: loosened(value) for key, value in schema.items() if key not in ("required", "minItems")}


def mistakes_of(value, is_whole):
    """Against every schema that it may be meant for; none if one fits."""
    kind = value.get("type") if isinstance(value, dict) else None
    names = ["recording"] if kind == "recording" else [name for name in validate.schemas() if name.partition("/")[2] == kind]
    found = []
    for name in names or ["config"]:
        wrong = validate.mistakes(name, value) if is_whole else [
            mistake.message for mistake in validate.jsonschema.Draft202012Validator(
                loosened(validate.closed(validate.schemas()[name])), resolver=validate.validator(name).resolver).iter_errors(value)]
        if not wrong:
            return []
        found += [f"{name}: {mistake}" for mistake in wrong[:2]]
    return found


def json_mistakes(block):
    """None where it is no JSON. A blade or target as the settings have it, without a type, is held against them."""
    values, is_whole = documents.values_in(block.text)
    if values is None or not all(isinstance(value, dict) for value in values):
        return None
    problems = []
    for value in values:
        tried = [value] if "type" in value or "name" not in value else [{"blades": [value]}, {"targets": [value]}]
        wrong = [mistakes_of(each, is_whole) for each in tried]
        if all(wrong):
            problems += [f"{block}: {json.dumps(value)[:60]}: {wrong[0][0]}"]
    return problems


def check(block, known=test_file):
    problems = [f"{block}: there is no {path}" for path in COMMAND.findall(block.text)
                if not ((tree.ROOT / path).exists() or (tree.ROOT / block.document).parent.joinpath(path).exists())]
    if block.mark == "run":
        return problems + [f"{block}: there is no test {name}" for name in block.words.split() if not known(name)]
    if block.mark == "not run":
        problems += [f"{block}: there is no test {name}" for name in NAMED.findall(block.words) if not known(name)]
        return problems + ([] if len(block.words) >= REASON else [f"{block}: {block.words!r} is no reason"])
    wrong = json_mistakes(block)
    if wrong is None:
        return problems + [f"{block}: neither <!-- run: TEST --> nor <!-- not run: why --> stands above it, and it is no JSON: "
                           "tests/journeys/README.md"]
    return problems + wrong


def self_test():
    def problems(text, known=lambda name: name == "journey/c"):
        return [said for block in documents.blocks_of("README.md", text) for said in check(block, known)]

    tree.must_accept("a mark", problems("<!-- run: journey/c -->\n    cc x.c\n") + problems("<!-- run: journey/c -->\n\n```c\nx\n```\n"))
    tree.must_accept("a reason", problems("text\n\n<!-- not run: it takes a headset -->\n\n    x\n"))
    tree.must_accept("JSON", problems('\n    {"type":"ping","id":1}\n    {"type":"clash","seq":3,...}\n'))
    tree.must_accept("a document's reason", problems("<!-- no block is run: it takes a headset -->\n\n    x\n"))
    for what, text in (("no mark", "\n    cc x.c\n"), ("no mark on a fence", "```\nx\n```\n"), ("a test that is not there", "<!-- run: journey/d -->\n    x\n"),
                       ("no reason", "<!-- not run: no -->\n    x\n"), ("a wrong message", '\n    {"type":"ping","x":1}\n'),
                       ("a reason that names a test that is not there", "<!-- not run: journey/d does it all -->\n    x\n"),
                       ("a wrong part of one", '\n    {"type":"clash","seq":"a",...}\n'),
                       ("a file that is not there", "<!-- not run: it takes minutes -->\n    sh tests/none.sh\n")):
        tree.must_report(what, problems(text))


def main():
    self_test()
    blocks = documents.every_block()
    problems = [said for block in blocks for said in check(block)]
    run = sum(block.mark == "run" for block in blocks)
    tree.verdict(problems, f"{len(blocks)} blocks, of which {run} are run, {sum(block.mark == 'not run' for block in blocks)} say why "
                           "not, and the others are JSON")


main()
