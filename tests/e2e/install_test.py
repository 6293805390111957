"""What `cmake --install` puts in place is complete, and usable by a stranger: a C program builds against it and runs
through pkg-config and through find_package, with the static and the shared library; the shared one exports libclash's
public functions and nothing else; clashd and clashctl start from there."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tree  # noqa: E402

PROGRAM = """
#include <clash/sweep.h>
#include <stdio.h>
/* A blade along -z that falls 1 m in the interval, onto one along x, half a metre below. */
int main(void)
{
    clash_body a = {.shape = {.tip = {0, 0, -1}, .radius = 0.01f},
                    .motion = {.from = {{0, 0, 0, 1}, {0, 0, 0}}, .to = {{0, 0, 0, 1}, {0, -1, 0}}}};
    clash_body b = {.shape = {.base = {-1, -0.5f, -0.5f}, .tip = {1, -0.5f, -0.5f}, .radius = 0.01f},
                    .motion = {.from = {{0, 0, 0, 1}, {0, 0, 0}}, .to = {{0, 0, 0, 1}, {0, 0, 0}}}};
    clash_contact contact;

    if (clash_sweep(&a, &b, &contact) != CLASH_SWEEP_HIT)
        return 1;
    printf("%.4f %s\\n", contact.fraction, CLASH_VERSION_STRING);
    return 0;
}
"""
# They meet when the axes are two radii apart: 0.5 m - 0.02 m of 1 m.
PROGRAM_SAYS = f"0.4800 {tree.version()}\n"

PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(stranger LANGUAGES C)
find_package(clash {version} REQUIRED)
foreach(kind static shared)
  add_executable(with_${{kind}} program.c)
  target_link_libraries(with_${{kind}} PRIVATE clash::${{kind}})
endforeach()
"""

# Of the client: as far as it gets where no clashd listens.
CLIENT = """
#include <clash/client.h>
#include <stdio.h>
int main(void)
{
    clash_client_listener listener = {.context = NULL};
    clash_client *client = clash_client_create(&listener);

    if (!client || clash_client_connect(client, "/nowhere/clashd.sock") == 0)
        return 1;
    puts(clash_client_problem(client));
    clash_client_destroy(client);
    return 0;
}
"""
CLIENT_SAYS = "nothing listens at /nowhere/clashd.sock\n"

CLIENT_PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(stranger LANGUAGES C)
find_package(clash {version} REQUIRED COMPONENTS client)
find_package(clash {version} QUIET COMPONENTS no_such)
if(clash_FOUND)
  message(FATAL_ERROR "a component that does not exist was found")
endif()
foreach(kind static shared)
  add_executable(with_${{kind}} program.c)
  target_link_libraries(with_${{kind}} PRIVATE clash::client_${{kind}})
endforeach()
"""

HEADERS = "base blade broad client contact event math mesh outline pose push_out ray shape sweep target time_of_impact unity".split()


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def expect(holds, message):
    if not holds:
        sys.exit(message)


def check_files(prefix, library):
    names = ["bin/clashd", "bin/clashctl", "libexec/clashd-mesh", "libexec/clashd-openxr", "libexec/clashd-mqtt", "libexec/clashd-osc.so",
             *(f"include/clash/{name}.h" for name in HEADERS)]
    wanted = [prefix / name for name in names] + [
        library / "libclash.a", library / "libclash.so", library / "pkgconfig/clash.pc",
        library / "clashd/libclash_layer.so", prefix / "share/clashd/XR_APILAYER_CLASHD_poses.json",
        library / "libclash_client.a", library / "libclash_client.so", library / "pkgconfig/clash-client.pc",
        library / "cmake/clash/clashConfig.cmake", library / "cmake/clash/clashConfigVersion.cmake"]
    missing = [str(path.relative_to(prefix)) for path in wanted if not path.exists()]
    expect(not missing, f"not installed: {', '.join(missing)}")
    allowed = re.compile(r"bin/(clashd|clashctl)|libexec/clashd-(mesh|openxr|mqtt|osc\.so)|include/clash/\w+\.h|lib.*/libclash(_client)?\.(a|so[.\d]*)"
                         r"|lib.*/pkgconfig/clash(-client)?\.pc"
                         r"|lib.*/cmake/clash/[\w-]+\.cmake|(share|lib)/.*")
    installed = [str(path.relative_to(prefix)) for path in prefix.rglob("*") if not path.is_dir()]
    stray = [name for name in installed if not allowed.fullmatch(name)]
    expect(not stray, f"installed, but nobody asked for it: {', '.join(stray)}")


def symbols(*command):
    lines = run("nm", "--defined-only", *command).splitlines()
    return {line.split()[2].split("@")[0] for line in lines if len(line.split()) == 3}


def declared(headers):
    found = set()
    for header in headers:
        found |= set(re.findall(r"^CLASH_API\b[^;]*?\b(clash_\w+)\(", header.read_text(), re.MULTILINE | re.DOTALL))
    expect(len(found) > 5, f"the headers seem to declare only {found}")
    return found


def check_symbols(prefix, library):
    """Exactly what the installed headers declare; of the client also in the static library."""
    headers = set((prefix / "include/clash").glob("*.h"))
    client = {header for header in headers if header.stem == "client"}
    for wanted, found in ((declared(headers - client), symbols("-D", library / "libclash.so")),
                          (declared(client), symbols("-D", library / "libclash_client.so")),
                          (declared(client), symbols("-g", library / "libclash_client.a"))):
        expect(found == wanted, f"exported, not declared: {sorted(found - wanted)}; "
                                f"declared, not exported: {sorted(wanted - found)}")


def check_pkg_config(library, work, compiler, package, name, says):
    environment = {**os.environ, "PKG_CONFIG_PATH": f"{library / 'pkgconfig'}:{os.environ.get('PKG_CONFIG_PATH', '')}",
                   "LD_LIBRARY_PATH": str(library)}
    flags = run("pkg-config", "--cflags", package, env=environment).split()
    shared = run("pkg-config", "--libs", package, env=environment).split()
    static = run("pkg-config", "--static", "--libs", package, env=environment).split()
    static = [str(library / f"lib{name}.a") if word == f"-l{name}" else word for word in static]
    source = work / "program.c"
    for kind, libraries in (("shared", shared), ("static", static)):
        program = work / f"{name}_{kind}"
        run(compiler, "-std=c17", "-Wall", "-Werror", *flags, source, *libraries, "-o", program)
        said = run(program, env=environment)
        expect(said == says, f"pkg-config, {package}, {kind}: the program said {said!r}, not {says!r}")
        needs_library = f"lib{name}.so" in run("readelf", "-d", program)
        expect(needs_library == (kind == "shared"), f"pkg-config, {package}, {kind}: linked the wrong library")


def check_find_package(prefix, work, compiler, project, says):
    version = run("pkg-config", "--modversion", "clash",
                  env={**os.environ, "PKG_CONFIG_PATH": ":".join(map(str, prefix.rglob("pkgconfig")))}).strip()
    (work / "CMakeLists.txt").write_text(project.format(version=version))
    build = work / "build"
    run("cmake", "-S", work, "-B", build, "-G", tree.cache_value("CMAKE_GENERATOR"), f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_C_COMPILER={compiler}")
    run("cmake", "--build", build)
    for kind in ("static", "shared"):
        said = run(build / f"with_{kind}")
        expect(said == says, f"find_package, {kind}: the program said {said!r}, not {says!r}")
    shutil.rmtree(build)


def check_cxx(prefix, work):
    compiler = shutil.which("g++") or shutil.which("clang++")
    if not compiler:
        print("note: no C++ compiler here, so C++ was left out")
        return
    source = work / "program.cpp"
    includes = "".join(f"#include <clash/{name}.h>\n" for name in HEADERS)
    source.write_text(includes + "int main() { return clash_vec3_is_finite(clash_vec3{0, 0, 0}) ? 0 : 1; }\n")
    library = next(prefix.rglob("libclash.a"))
    program = work / "cxx"
    run(compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{prefix / 'include'}", source, library, "-lm", "-o",
        program)
    run(program)


def check_programs(prefix):
    for name in ("clashd", "clashctl"):
        said = run(prefix / "bin" / name, "--version")
        expect(tree.version() in said, f"{name} --version said {said!r}")


OBJ = "v 0 0 -0.5\nv 1 0 -0.5\nv 0 1 -0.5\nf 1 2 3\n"


def check_layer(moved, work):
    """clashctl finds the layer beside it, and so does the manifest that is installed. Where the user's is now."""
    manifest = next(moved.rglob("share/clashd/XR_APILAYER_CLASHD_poses.json"))
    library = manifest.parent / json.loads(manifest.read_text())["api_layer"]["library_path"]
    expect(library.resolve().is_file(), f"{manifest} names {library}")
    place = {"XDG_DATA_HOME": str(work / "data")}
    run(moved / "bin/clashctl", "layer", "enable", env={**os.environ, **place})
    return place


def check_moved(prefix, work):
    """What is installed can be moved as a whole: the helper is found from where clashctl is."""
    moved, recording = work / "moved", work / "recording.jsonl"
    shutil.copytree(prefix, moved)
    (work / "wall.obj").write_text(OBJ)
    lines = [{"type": "recording", "version": 1, "space": "stage"},
             {"type": "target", "time_ns": 0, "name": "wall", "mesh": {"file": str(work / "wall.obj")}}]
    recording.write_text("".join(json.dumps(line) + "\n" for line in lines))
    environment = {key: value for key, value in os.environ.items() if not key.startswith("CLASHD_MESH")}
    run(moved / "bin/clashctl", "detect", recording, env=environment)
    enabled = json.loads(run(moved / "bin/clashctl", "layer", "status", "--json", env=environment | check_layer(moved, work)))
    expect(enabled["loads"] and Path(enabled["library"]).is_relative_to(moved), f"clashctl layer: {enabled}")
    (moved / "libexec/clashd-mesh").unlink()
    done = subprocess.run([moved / "bin/clashctl", "detect", recording], capture_output=True, text=True, env=environment)
    expect(done.returncode == 2 and f"{moved}/bin/../libexec/clashd-mesh: no such file or directory" in done.stderr,
           f"without the helper: {done}")


def check_units(prefix, work):
    """They name the program where it was installed, wherever that is, and wherever it was to be when clashd was configured."""
    if tree.cache_value("CLASHD_SYSTEMD") != "ON":
        return
    blank = work / "a 100% prefix"
    said = run("cmake", "--install", tree.BUILD, "--prefix", blank, "--component", "clashd")
    for place, named in ((prefix, prefix), (blank, str(blank).replace(" ", "\\x20").replace("%", "%%"))):
        unit = (place / "lib/systemd/user/clashd.service").read_text()
        expect(f"\nExecStart={named}/bin/clashd\n" in unit, f"clashd.service in {place}: {unit}")
        expect(f"  cp {place}/share/clashd/hardened.conf " in (place / "share/clashd/hardened.conf").read_text(), "hardened.conf")
    expect(f"systemctl --user link '{blank}/lib/systemd/user/clashd.service'" in said, f"where the units are was not said: {said}")


def main():
    if tree.cache_value("CLASHD_SANITIZE"):
        tree.skip("a sanitized build is not for installing")
    compiler = tree.cache_value("CMAKE_C_COMPILER") or "cc"
    with tempfile.TemporaryDirectory(prefix="clashd-install-") as directory:
        work, prefix = Path(directory), Path(directory) / "prefix"
        said = run("cmake", "--install", tree.BUILD, "--prefix", prefix)
        expect(f"does not look for libraries in {prefix}/" in said, f"the loader's libraries: {said}")
        library = next(prefix.rglob("libclash.a"), prefix / "lib/x").parent
        check_files(prefix, library)
        check_symbols(prefix, library)
        (work / "program.c").write_text(PROGRAM)
        check_pkg_config(library, work, compiler, "clash", "clash", PROGRAM_SAYS)
        check_find_package(prefix, work, compiler, PROJECT, PROGRAM_SAYS)
        (work / "program.c").write_text(CLIENT)
        check_pkg_config(library, work, compiler, "clash-client", "clash_client", CLIENT_SAYS)
        check_find_package(prefix, work, compiler, CLIENT_PROJECT, CLIENT_SAYS)
        check_cxx(prefix, work)
        check_programs(prefix)
        check_moved(prefix, work)
        check_units(prefix, work)
    print("installed, linked and run: pkg-config and find_package, static and shared, C and C++")


main()
