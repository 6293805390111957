"""The shape of the tree: what may stand at the top, how long files and functions may get, and what must not be left
behind in them."""
import ast
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tree  # noqa: E402

TOP = set("daemon include protocol tests systemd CMakeLists.txt README.md LICENSE CMakePresets.json".split())
CODE = (".c", ".h", ".py", ".js", ".mjs", ".ts", ".gd", ".cs", ".sh")
FILE_LINES, FILE_LINES_HEALTHY = 900, 700
FUNCTION_LINES, FUNCTION_LINES_HEALTHY = 60, 50
# What a program writes from the schemas has the length that these give it.
MADE = "Made by tests/support/client_types.py"
# Written so that this file does not match itself.
LEFT_BEHIND = [
    (re.compile(r"#\s*if [0]\b"), "code switched off"),
    (re.compile(r"\b(?:TO[D]O|FIX[M]E|X[X]X|HA[C]K)\b"), "a note to oneself"),
    (re.compile(r"^(?:<{7}|={7}|>{7})(?: |$)", re.MULTILINE), "a mark of an unfinished merge"),
]
# Directories that exist on somebody's machine, not on everybody's.
MACHINE_PATH = re.compile(r"(?<![\w.)}$*~-])/(?:[h]ome|[U]sers|[r]oot|[w]ork|[m]nt|[s]rv)/\w")


def check_top(names):
    tops = sorted({name.split("/")[0] for name in names})
    return [f"{top}: does not belong at the top level" for top in tops if top not in TOP and not top.startswith(".")]


def c_functions(text):
    """(line, length) of each function body: with this tree's format only those have both braces in the first column."""
    opened = None
    for number, line in enumerate(text.splitlines(), 1):
        if line == "{":
            opened = number
        elif line == "}" and opened:
            yield opened, number - opened + 1
            opened = None


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno - node.lineno + 1


def functions(name, text):
    if name.endswith((".c", ".h")):
        return c_functions(text)
    return python_functions(text) if name.endswith(".py") else ()


def check_lengths(name, text, file_limit=FILE_LINES, function_limit=FUNCTION_LINES):
    if MADE in text[:300]:
        return []
    lines = text.count("\n")
    problems = [f"{name}: {lines} lines, more than {file_limit}"] if lines > file_limit else []
    for line, length in functions(name, text):
        if length > function_limit:
            problems.append(f"{name}:{line}: a function of {length} lines, more than {function_limit}")
    return problems


def check_leftovers(name, text):
    problems = []
    patterns = LEFT_BEHIND + [(MACHINE_PATH, "a path of one machine")]
    for pattern, what in patterns:
        for match in pattern.finditer(text):
            problems.append(f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {what}: {match[0]}")
    return problems


def check_walk():
    """Without git the same files are found: what came from a tarball is held to the same rules."""
    known = tree.known_to_git()
    if known is None:
        return []
    known = {name for name in known if name and (tree.ROOT / name).is_file()}
    return [f"{name}: found by git alone or by walking alone" for name in sorted(known ^ set(tree.found_by_walking()))]


def self_test():
    tree.must_accept("what walking finds", check_walk())
    tree.must_report("a stray directory", check_top(["build2/x.c", "README.md"]))
    tree.must_accept("the top level", check_top(["daemon/main.c", ".gitignore", "LICENSE"]))
    tree.must_report("a long file", check_lengths("x.c", "\n" * (FILE_LINES + 1)))
    tree.must_accept("a long file that was made", check_lengths("x.ts", f"// {MADE}\n" + "\n" * FILE_LINES))
    tree.must_accept("a file at the limit", check_lengths("x.c", "\n" * FILE_LINES))
    body = "x();\n" * (FUNCTION_LINES - 1)
    tree.must_report("a long C function", check_lengths("x.c", "void f(void)\n{\n" + body + "}\n"))
    tree.must_accept("a short C function", check_lengths("x.c", "void f(void)\n{\nx();\n}\n"))
    tree.must_report("a long Python function", check_lengths("x.py", "def f():\n" + " x()\n" * FUNCTION_LINES))
    left = ["#if " + "0\n", "/* TO" + "DO: later */\n", "// FIX" + "ME\n", "<" * 7 + " HEAD\n",
            'open("/ho' + 'me/me/x")\n', "cp x /ro" + "ot/y\n"]
    for text in left:
        tree.must_report(repr(text), check_leftovers("x.c", text))
    for text in ("#if 1\n", "$HOME/ro" + "ot/x", "/run/user/1000/x", "daemon/wo" + "rk/x"):
        tree.must_accept(repr(text), check_leftovers("x.c", text))


def main():
    self_test()
    names = tree.files()
    problems = check_top(names)
    for name in names:
        if name.startswith("tests/data/"):
            continue
        text = tree.text(name)
        if "\0" in text:  # a picture: what looks like a word in it is none
            continue
        problems += check_leftovers(name, text)
        if name.endswith(CODE):
            problems += check_lengths(name, text)
            for line in check_lengths(name, text, FILE_LINES_HEALTHY, FUNCTION_LINES_HEALTHY):
                print(f"note: {line}")
    tree.verdict(problems, f"{len(names)} files")


main()
