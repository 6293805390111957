"""Every public header compiles alone and twice, as C17 and as C++17, without a warning."""
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tree  # noqa: E402

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]


def compilers():
    """(language, command) of each compiler there is: the build's own C compiler, and whatever C++ there is."""
    c = tree.cache_value("CMAKE_C_COMPILER") or "cc"
    yield "c", [c, "-std=c17"]
    for name in ("g++", "clang++"):
        if shutil.which(name):
            yield "c++", [name, "-std=c++17"]


def complaints(language, command, text):
    arguments = [*command, *WARNINGS, f"-I{tree.ROOT / 'include'}", "-fsyntax-only", "-x", language, "-"]
    done = subprocess.run(arguments, input=text, capture_output=True, text=True)
    return [] if done.returncode == 0 else [f"{' '.join(command)}: {text.split()[1]}:\n{done.stderr}"]


def main():
    found = list(compilers())
    headers = [name for name in tree.sources(".h") if name.startswith("include/clash/")]
    problems = [] if headers else ["there are no public headers"]
    for language, command in found:
        tree.must_report("a bad header", complaints(language, command, "#include <clash/no_such.h>\n"))
        tree.must_report("a warning", complaints(language, command, "#include <stdlib.h>\nchar f(int x) { return x; }\n"))
        for header in headers:
            line = f"#include <{header.removeprefix('include/')}>\n"
            problems += complaints(language, command, line * 2)
    if not any(language == "c++" for language, _ in found):
        print("note: no C++ compiler here, so C++ was left out")
    tree.verdict(problems, f"{len(headers)} headers with {len(found)} compilers")


main()
