"""Code blocks of the documents, for what runs them: tests/lint/blocks_test.py and tests/journeys.

A block is what a fence encloses, or lines that are indented by four after an empty one. A comment on the line above it, or with
an empty line between, says what becomes of it:

    <!-- run: journey/web -->       that test takes it, by block(); one that takes none, or not all, fails
    <!-- not run: why -->           nothing does

and one of the document's, <!-- no block is run: why -->, stands for all of its that have none. Without a comment it is lines or
values of JSON, which are held against the schemas."""
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import tree  # noqa: E402

MARK = re.compile(r"<!-- (run|not run): (.+?) -->")
ALL = re.compile(r"^<!-- no block is run: (.+?) -->$", re.MULTILINE)
FENCE = re.compile(r"^( {0,3})(```+|~~~+)\s*([\w+-]*)\s*$")


@dataclass
class Block:
    document: str
    line: int  # of its first line, from 1
    text: str
    language: str
    mark: str | None  # "run", "not run"
    words: str  # of the mark

    def __str__(self):
        return f"{self.document}:{self.line}"


def _mark_above(lines, index):
    """(mark, words) of the comment above a line."""
    while index > 0 and not lines[index - 1].strip():
        index -= 1
    found = MARK.fullmatch(lines[index - 1].strip()) if index else None
    return (found[1], found[2]) if found else (None, "")


def _may_begin_after(line):
    return not line.strip() or MARK.fullmatch(line.strip())


def blocks_of(document, text):
    """All of a document, in order."""
    lines, found, at, whole = text.split("\n"), [], 0, ALL.search(text)
    while at < len(lines):
        fence = FENCE.match(lines[at])
        if fence:
            end = next((i for i in range(at + 1, len(lines)) if lines[i].strip() == fence[2]), len(lines))
            body = [line.removeprefix(fence[1]) for line in lines[at + 1:end]]
            found.append(Block(document, at + 2, "\n".join(body) + "\n", fence[3], *_mark_above(lines, at)))
            at = end + 1
        elif lines[at].startswith("    ") and lines[at].strip() and (at == 0 or _may_begin_after(lines[at - 1])):
            end = at
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            while not lines[end - 1].strip():
                end -= 1
            body = [line[4:] for line in lines[at:end]]
            found.append(Block(document, at + 1, "\n".join(body) + "\n", "", *_mark_above(lines, at)))
            at = end
        else:
            at += 1
    for block in found:
        if whole and not block.mark:
            block.mark, block.words = "not run", whole[1]
    return found


def every_block():
    """Of every document of the project that people read."""
    return [block for name in tree.sources(".md") if not name.startswith("tests/data/")
            for block in blocks_of(name, tree.text(name))]


class Journey:
    """The blocks that a test has to take, by its name."""

    def __init__(self, name):
        self.name = name
        self.left = [block for block in every_block() if block.mark == "run" and self.name in block.words.split()]

    def block(self, document, part):
        """The text of the block of a document that has `part` in it."""
        found = [block for block in self.left if block.document == document and part in block.text]
        if len(found) != 1:
            sys.exit(f"{document}: {len(found)} blocks with {part!r} and the mark <!-- run: {self.name} -->, expected one")
        self.left.remove(found[0])
        return found[0].text

    def lines(self, document, part):
        """The command lines of such a block, without prompts, comments behind them and empty ones; a line that ends in \\ goes on."""
        text = self.block(document, part).replace("\\\n", " ")
        return [line for line in (re.sub(r"(^|\s)#( .*|)$", "", raw).strip() for raw in text.split("\n")) if line]

    def end(self):
        """Fails if a block with this test's mark was not taken."""
        if self.left:
            sys.exit("marked as run here, and not run: " + ", ".join(map(str, self.left)))


def _packages_of(part):
    line = Journey("e2e/package").lines("README.md", part)[0]
    return " ".join(line.removeprefix("sudo apt install ").split())


def packages_to_build():
    """The packages that the README has installed before clashd is built, with blanks between."""
    return _packages_of("--preset deb")


def packages_of_page():
    """Those that it has installed before, beside these, if clashd is to have its page."""
    return _packages_of("nodejs")


def values_in(text):
    """The JSON values that a block consists of, one after the other; None if it is none. `...` stands for what was left out,
    which is then cut, and the value's is_whole is False."""
    text = re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)  # comments, as settings may have
    whole = "..." not in text
    text = re.sub(r",?\s*\"?\.\.\.\"?(?=\s*[}\]])", "", text) if not whole else text
    text = re.sub(r"\"([^\"]*)\.\.\.\"", r'"\1"', text)
    decoder, values, at = json.JSONDecoder(), [], 0
    text = text.strip()
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except ValueError:
            return None, whole
        values.append(value)
        while at < len(text) and text[at] in " \t\r\n":
            at += 1
    return values, whole
