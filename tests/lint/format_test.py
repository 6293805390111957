"""Every C file is as clang-format leaves it. Other major versions of it than MAJOR format differently."""
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tree  # noqa: E402

MAJOR = 14


def find_tool():
    for name in (f"clang-format-{MAJOR}", "clang-format"):
        path = shutil.which(name)
        if path:
            return path
    tree.skip("clang-format is not installed")


def complaints(tool, *arguments, **more):
    style = f"--style=file:{tree.ROOT / '.clang-format'}"
    done = subprocess.run([tool, style, "--dry-run", "-Werror", *arguments], cwd=tree.ROOT, capture_output=True,
                          text=True, **more)
    files = sorted({line.split(":")[0] for line in done.stderr.splitlines() if "error:" in line})
    if done.returncode != 0 and not files:
        return [done.stderr]
    return [f"{name}: clang-format -i would change it" for name in files]


def main():
    tool = find_tool()
    version = subprocess.run([tool, "--version"], check=True, capture_output=True, text=True).stdout
    found = re.search(r"version (\d+)", version)
    if not found or int(found[1]) != MAJOR:
        tree.skip(f"formatted by clang-format {MAJOR}, this one is: {version.strip()}")
    tree.must_report("bad format", complaints(tool, "--assume-filename=x.c", input="int  f( void ){return 1 ;}\n"))
    tree.must_accept("good format", complaints(tool, "--assume-filename=x.c", input="int f(void);\n"))
    names = tree.sources(".c", ".h", ".inl")
    tree.verdict(complaints(tool, *names), f"{len(names)} C files")


main()
