"""Somebody with a game in C: the README's programs and snippets compile and run as they stand after an install, as C and as C++, without
a warning of those that MSVC has too; and so do the headers."""
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tree  # noqa: E402
from journey import Journey, fail  # noqa: E402

README, GUIDE, LIBRARY = "README.md", "protocol/GUIDE.md", "include/README.md"
# What /W4 warns of as well: conversions that lose something, signs, shadows, what is not reached, switches.
STRICT = ("-Wall -Wextra -Wpedantic -Werror -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wcast-align -Wdouble-promotion "
          "-Wfloat-conversion -Wundef -Wunreachable-code -Wswitch-enum -Wnull-dereference -Wformat=2")
LANGUAGES = (("gcc -x c -std=c11", "gcc"), ("clang -x c -std=c11", "clang"), ("g++ -x c++ -std=c++11", "g++"),
             ("clang++ -x c++ -std=c++20", "clang++"))
# What stands around the snippets in somebody's game.
AROUND = """#include <clash/contact.h>
#include <stdio.h>

static int sparks;

static void spark(clash_vec3 at, double fraction)
{
    sparks += fraction >= 0.0 && at.y == at.y;
}

int main(void)
{
    const clash_capsule saber = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, -1.0f}, 0.015f};
    const clash_capsule sword[3] = {saber, saber, saber};
    const clash_pose pose_a_before = {{0.0f, 0.0f, 0.0f, 1.0f}, {0.0f, 1.5f, 0.0f}};
    const clash_pose pose_a = {{0.0f, 0.0f, 0.0f, 1.0f}, {0.0f, 0.5f, 0.0f}};
    const clash_pose pose_b_before = {{0.0f, -0.70710678f, 0.0f, 0.70710678f}, {-0.5f, 1.0f, -0.5f}}, pose_b = pose_b_before;
    const clash_motion sword_motion = {pose_a_before, pose_a};
    const clash_motion shield_motion = {{{0.0f, 0.0f, 0.0f, 1.0f}, {0.0f, 1.0f, -0.5f}}, {{0.0f, 0.0f, 0.0f, 1.0f}, {0.0f, 1.0f, -0.5f}}};
    clash_shape shield;
    clash_contact_state state = {0};

    shield.kind = CLASH_SHAPE_SPHERE;
    shield.as.sphere.center.x = shield.as.sphere.center.y = shield.as.sphere.center.z = 0.0f;
    shield.as.sphere.radius = 0.2f;
"""
# Calls the README's function: the left blade falls through the right one.
FRAMES = """
#include <stdio.h>

int main(void)
{
    clash_world *world = clash_world_create(NULL);
    int events = 0;

    for (int i = 0; i < 3; i++) {
        const clash_pose hands[2] = {{{0, 0, 0, 1}, {0, 1.1f - 0.05f * (float)i, 0}}, {{0, -0.7071068f, 0, 0.7071068f}, {-0.5f, 1, -0.5f}}};

        events += frame(world, i * INT64_C(11000000), hands);
    }
    printf("%d\\n", events);
    clash_world_destroy(world);
    return 0;
}
"""
AFTER = """    printf("%d sparks, %d changes\\n", sparks, (int)count);
    return 0;
}
"""


def flags(journey, package):
    return journey.run(f"pkg-config --cflags --libs {package}", journey.home).strip()


def strictly(journey, source):
    """Compiles by each compiler and language that there is here."""
    for words, compiler in LANGUAGES:
        if shutil.which(compiler):
            journey.run(f"{words} {STRICT} $(pkg-config --cflags clash clash-client) -c {source} -o /dev/null", journey.home)


def library(journey):
    """The whole program, by its own line, and what it says; the snippets, in a program around them."""
    take = journey.blocks
    program, (build, *said) = take.block(GUIDE, "int main(void)"), take.block(GUIDE, "cc duel.c").splitlines()
    (journey.home / "duel.c").write_text(program)
    found = journey.run(build, journey.home)
    if found.split("\n") != [*filter(None, said), ""]:
        fail(f"duel.c says {found!r}, and GUIDE.md {said}")
    strictly(journey, "duel.c")
    (journey.home / "frame.c").write_text(take.block(README, "clash_world_step") + FRAMES)
    journey.run(f"cc -Wall -Wextra -Werror frame.c {flags(journey, 'clash')} -lm -o frame", journey.home)
    found = journey.run("./frame", journey.home)
    if found != "3\n":  # both hands are tracked; then the clash
        fail(f"the README's frame() finds {found!r} events")
    snippets = [take.block(LIBRARY, part) for part in ("clash_sweep(&a, &b", "clash_collider_of_shape(&shield", "clash_contact_advance(&state")]
    body = "".join(f"    {line}\n" if line else "\n" for text in snippets for line in text.splitlines())
    (journey.home / "snippets.c").write_text(AROUND + body + AFTER)
    journey.run(f"cc -Wall -Wextra -Werror snippets.c {flags(journey, 'clash')} -lm -o snippets", journey.home)
    found = journey.run("./snippets", journey.home)
    if found != "2 sparks, 2 changes\n":
        fail(f"the snippets say {found!r}")


def headers(journey):
    names = sorted(path.name for path in (journey.prefix / "include" / "clash").glob("*.h"))
    for name in names:
        (journey.home / "header.c").write_text(f"#include <clash/{name}>\nextern int any;\n")
        strictly(journey, "header.c")
    return len(names)


def client(journey):
    """The client's line as written, beside the examples' folder, and the program it makes."""
    folder, examples = journey.home, "protocol/clients/c/examples"
    shutil.copytree(tree.ROOT / examples, folder / examples)
    lines = journey.blocks.lines(GUIDE, "--libs clash-client")
    journey.clashd()
    for line in lines[:-1]:
        journey.run(line, folder)
    journey.start(lines[-1], folder).wait_for(r"spark at -?[\d.]+ -?[\d.]+ -?[\d.]+, [\d.]+ m/s, (left against right|right against left)")
    for name in ("sparks", "pell"):
        if shutil.which("g++"):
            journey.run(f"g++ -x c++ -std=c++20 -Wall -Wextra -Wno-missing-field-initializers -Werror {examples}/{name}.c -x none "
                        f"$(pkg-config --cflags --libs clash-client) -lm -o {name}_cxx", folder)


def main():
    if tree.cache_value("CLASHD_SANITIZE"):
        tree.skip("a sanitized build is not for installing")
    with Journey("journey/c") as journey:
        journey.install()
        print("compilers here: " + ", ".join(compiler for _, compiler in LANGUAGES if shutil.which(compiler)))
        library(journey)
        count = headers(journey)
        client(journey)
    print(f"the README's C ran; {count} headers compile without a warning")


main()
