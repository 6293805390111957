"""libclash inside another project (add_subdirectory, FetchContent): clash::static and clash::shared are there and work, and
nothing else of ours is: no tests, no build type, no flags, nothing installed, and of the static library no name but the
declared ones. And what a packager or a person builds with: the preset `package`, and no cmocka."""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tree  # noqa: E402

# Names that libclash has inside, and a program may have too.
PROGRAM = """
#include <clash/sweep.h>
#include <stdio.h>
{names}
int main(void)
{{
    clash_body a = {{.shape = {{.tip = {{0, 0, -1}}, .radius = 0.01f}},
                     .motion = {{.from = {{{{0, 0, 0, 1}}, {{0, 0, 0}}}}, .to = {{{{0, 0, 0, 1}}, {{0, -1, 0}}}}}}}};
    clash_body b = {{.shape = {{.base = {{-1, -0.5f, -0.5f}}, .tip = {{1, -0.5f, -0.5f}}, .radius = 0.01f}},
                     .motion = {{.from = {{{{0, 0, 0, 1}}, {{0, 0, 0}}}}, .to = {{{{0, 0, 0, 1}}, {{0, 0, 0}}}}}}}};
    clash_contact contact;

    if (clash_sweep(&a, &b, &contact) != CLASH_SWEEP_HIT)
        return 1;
    printf("%.4f\\n", contact.fraction);
    return 0;
}}
"""
SAYS = "0.4800\n"

PARENT = """
cmake_minimum_required(VERSION 3.22)
project(parent VERSION 7.0 LANGUAGES C)
{get}
foreach(kind static shared)
  add_executable(with_${{kind}} program.c)
  target_link_libraries(with_${{kind}} PRIVATE clash::${{kind}})
  get_target_property(options with_${{kind}} COMPILE_OPTIONS)
  if(options OR CMAKE_BUILD_TYPE OR CMAKE_C_STANDARD OR CMAKE_C_VISIBILITY_PRESET OR TARGET clashd)
    message(FATAL_ERROR "something of clashd's is in the parent: '${{options}}' '${{CMAKE_BUILD_TYPE}}'")
  endif()
endforeach()
install(FILES program.c DESTINATION share/parent)
"""
WAYS = {
    "add_subdirectory": "add_subdirectory({root} clashd)",
    "FetchContent": "include(FetchContent)\nFetchContent_Declare(clashd SOURCE_DIR {root})\nFetchContent_MakeAvailable(clashd)",
}


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def expect(holds, message):
    if not holds:
        sys.exit(message)


def globals_of(library):
    lines = [line.split() for line in run("nm", "-g", "--defined-only", library).splitlines()]
    return {line[2] for line in lines if len(line) == 3}


def check_archives():
    """Of this build, whatever it was made with."""
    for name, header_names in (("daemon/geometry/libclash.a", lambda stem: stem != "client"),
                               ("protocol/clients/c/libclash_client.a", lambda stem: stem == "client")):
        declared = set()
        for header in (tree.ROOT / "include/clash").glob("*.h"):
            if header_names(header.stem):
                declared |= set(re.findall(r"^CLASH_API\b[^;]*?\b(clash_\w+)\(", header.read_text(), re.MULTILINE | re.DOTALL))
        found = globals_of(tree.BUILD / name)
        stray = {symbol for symbol in found - declared if not symbol.startswith(("__odr_asan", "__start_", "__stop_"))}
        expect(not stray, f"{name} has names that nobody declared: {sorted(stray)}")
        expect(declared <= found, f"{name} lacks {sorted(declared - found)}")


def inner_names():
    """Functions that a stranger defines too: names that libclash's own objects have for each other."""
    found = set()
    for member in (tree.BUILD / "daemon/geometry").rglob("*.o"):
        if "clash_static" not in member.name and "examples" not in member.parts:
            found |= globals_of(member)
    inner = sorted(name for name in found if re.fullmatch(r"[a-z]\w*", name) and not name.startswith("clash_"))
    expect(len(inner) > 3, f"libclash's objects have no names of their own: {inner}")
    return "".join(f"int {name}(void);\nint {name}(void) {{ return 0; }}\n" for name in inner)


def check_way(work, way, get, names):
    source, build, prefix = work / way, work / way / "build", work / way / "prefix"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(PARENT.format(get=get.format(root=tree.ROOT)))
    (source / "program.c").write_text(PROGRAM.format(names=names))
    said = run("cmake", "-S", source, "-B", build, "-G", tree.cache_value("CMAKE_GENERATOR"),
               f"-DCMAKE_C_COMPILER={tree.cache_value('CMAKE_C_COMPILER')}", f"-DCMAKE_INSTALL_PREFIX={prefix}")
    expect("cmocka" not in said and "libuv" not in said, f"{way}: it looks for what libclash does not need:\n{said}")
    run("cmake", "--build", build)
    for kind in ("static", "shared"):
        answer = run(build / f"with_{kind}")
        expect(answer == SAYS, f"{way}, {kind}: the program said {answer!r}, not {SAYS!r}")
    run("cmake", "--install", build)
    installed = sorted(str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_file())
    expect(installed == ["share/parent/program.c"], f"{way}: the parent's installation has {installed}")
    expect(not (build / "CTestTestfile.cmake").exists(), f"{way}: there are tests")


def check_presets(work):
    """Packagers get neither tests nor -Werror; and without cmocka there is all but tests, with a word about it."""
    compiler = f"-DCMAKE_C_COMPILER={tree.cache_value('CMAKE_C_COMPILER')}"
    run("cmake", "--preset", "package", "-B", work / "package", compiler, cwd=tree.ROOT)
    commands = (work / "package/compile_commands.json").read_text()
    expect("-Werror" not in commands, "the preset `package` makes errors of warnings")
    expect("/tests/" not in commands, "the preset `package` has tests")
    found = run("pkg-config", "--variable", "pc_path", "pkg-config").strip().split(":")
    place = work / "pkgconfig"
    place.mkdir()
    for directory in reversed(found):
        for file in Path(directory).glob("*.pc"):
            if file.stem != "cmocka" and not (place / file.name).exists():
                (place / file.name).symlink_to(file)
    said = run("cmake", "--preset", "release", "-B", work / "release", compiler, cwd=tree.ROOT,
               env={**os.environ, "PKG_CONFIG_LIBDIR": str(place), "PKG_CONFIG_PATH": ""})
    expect("libcmocka-dev" in said, f"without cmocka nothing is said of it:\n{said}")
    expect("/tests/" not in (work / "release/compile_commands.json").read_text(), "without cmocka there are tests")


def check_list():
    """What README says a build takes is what is installed for one."""
    wanted = re.search(r"^packages_build_needed='(.*)'$", (tree.ROOT / "tests/support/packages.sh").read_text(), re.MULTILINE)
    words = set(re.split(r"[\s,;]+|\.\s", (tree.ROOT / "README.md").read_text()))
    missing = set(wanted[1].split()) - words - {"gcc", "libc6-dev"}
    expect(not missing, f"README does not list {sorted(missing)}")


def main():
    check_list()
    check_archives()
    if tree.cache_value("CLASHD_SANITIZE"):
        print("the archives' names alone: a sanitized build is not for others")
        return
    names = inner_names()
    with tempfile.TemporaryDirectory(prefix="clashd-subproject-") as directory:
        for way, get in WAYS.items():
            check_way(Path(directory), way, get, names)
        check_presets(Path(directory))
    print("built and run inside another project, static and shared; what the archives show is what the headers declare")


main()
