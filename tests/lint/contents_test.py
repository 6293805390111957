"""GUIDE.md, PROTOCOL.md and RECORDING.md begin with a list of their contents that has all their headings, in order; and every
link from a document to a heading, or to a file, leads somewhere."""
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tree  # noqa: E402

DOCUMENTS = ["protocol/GUIDE.md", "protocol/PROTOCOL.md", "protocol/RECORDING.md"]


def headings(text):
    """(level, title) of all, but the document's own."""
    return [(len(m[1]), m[2]) for m in re.finditer(r"^(##+) (.+)$", text, re.MULTILINE)]


def anchors(text):
    """As GitHub makes them: the second of a name has -1 behind it."""
    seen, found = {}, []
    for _, title in headings(text):
        name = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        found.append(name + (f"-{seen[name]}" if name in seen else ""))
        seen[name] = seen.get(name, 0) + 1
    return found


def contents(text):
    """The list that there should be."""
    lines = []
    for (level, title), anchor in zip(headings(text), anchors(text)):
        if title != "Contents":
            lines.append(f"{'  ' * (level - 2)}- [{title}](#{anchor})")
    return "\n".join(lines) + "\n"


def wrong_contents(name, text):
    found = re.search(r"^## Contents\n\n(.*?)\n\n", text, re.MULTILINE | re.DOTALL)
    if not found:
        return [f"{name}: no ## Contents"]
    return [] if found[1] + "\n" == contents(text) else [f"{name}: the contents are not its headings; contents_test.py --write mends it"]


def wrong_links(name, text, read):
    wrong = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = link.partition("#")
        if ":" in link:
            continue
        there = read(path) if path else text
        if there is None or (anchor and anchor not in anchors(there)):
            wrong.append(f"{name}: {link} leads nowhere")
    return wrong


def reader(name):
    def read(path):
        file = (tree.ROOT / name).parent / path
        return None if not file.exists() else file.read_text() if file.suffix == ".md" else ""

    return read


def main():
    good = "# T\n\n## Contents\n\n- [A b](#a-b)\n  - [C](#c)\n- [C](#c-1)\n\n## A b\n\nsee [c](#c-1)\n\n### C\n\n## C\n"
    tree.must_accept("a good list", wrong_contents("x", good) + wrong_links("x", good, reader("README.md")))
    tree.must_report("a heading that is not in it", wrong_contents("x", good + "\n## D\n"))
    tree.must_report("no list", wrong_contents("x", "# T\n\n## A\n"))
    tree.must_report("a link to no heading", wrong_links("x", "[x](#nowhere)", reader("README.md")))
    tree.must_report("a link to no file", wrong_links("x", "[x](nowhere.md)", reader("README.md")))
    if sys.argv[1:] == ["--write"]:
        for name in DOCUMENTS:
            text = (tree.ROOT / name).read_text()
            lists = re.sub(r"^(## Contents\n\n).*?\n\n", lambda m: m[1] + contents(text) + "\n", text, flags=re.M | re.S)
            (tree.ROOT / name).write_text(lists)
    texts = {name: (tree.ROOT / name).read_text() for name in DOCUMENTS}
    complaints = [c for name, text in texts.items() for c in wrong_contents(name, text) + wrong_links(name, text, reader(name))]
    tree.verdict(complaints, f"{len(texts)} documents")


main()
