"""Every public header compiles alone and twice, as C17 and as C++17, without a warning; and so does a program that passes arrays of
its own, which it may write, where libclash wants rows of constant indices."""
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tree  # noqa: E402

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]

ROWS = """#include <clash/mesh.h>
#include <clash/sweep.h>
clash_mesh *made(const clash_body *bodies, clash_vec3 *vertices, clash_sweep_result *results, bool *apart);
clash_mesh *made(const clash_body *bodies, clash_vec3 *vertices, clash_sweep_result *results, bool *apart)
{
    uint32_t triangles[2][3] = {{0, 1, 2}, {2, 1, 3}}, pairs[2][2] = {{0, 1}, {1, 2}}, flat[6] = {0, 1, 2, 2, 1, 3};

    clash_sweep_pairs(bodies, PAIRS(pairs), 2, results, NULL);
    clash_pairs_apart(bodies, PAIRS(pairs), 2, 0.0f, apart);
    clash_mesh_destroy(clash_mesh_create(vertices, 4, TRIPLES(triangles), 2));
    return clash_mesh_create(vertices, 4, clash_triples(flat), 2);
}
"""


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
        plain = "#define PAIRS(rows) rows\n#define TRIPLES(rows) rows\n"
        if language == "c" and "gcc" in subprocess.run([*command, "--version"], capture_output=True, text=True).stdout:
            tree.must_report("rows as they are", complaints(language, command, plain + ROWS))
        problems += complaints(language, command,
                               "#define PAIRS(rows) clash_pairs(rows[0])\n#define TRIPLES(rows) clash_triples(rows[0])\n" + ROWS)
        for header in headers:
            line = f"#include <{header.removeprefix('include/')}>\n"
            problems += complaints(language, command, line * 2)
    if not any(language == "c++" for language, _ in found):
        print("note: no C++ compiler here, so C++ was left out")
    tree.verdict(problems, f"{len(headers)} headers with {len(found)} compilers")


main()
