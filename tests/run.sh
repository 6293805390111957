#!/bin/sh
# One command from a fresh Debian or Ubuntu machine with git and apt to a verdict: installs what is missing (as root or
# through sudo), builds, and runs the tests.
#
#   sh tests/run.sh [--no-install] [--build-only | --no-build] [PRESET..]
#
#   PRESET     what it runs
#   release    every test; this one when none is named
#   debug      unit, property and replay tests: other optimisation, the same bits
#   clang      the same: another compiler, the same bits
#   asan       all but the linters and what no C preset changes
#   tsan       the tests in which threads of ours run
#   msan       geometry and the pipeline
#
# The last lines are ctest's own, and the exit code is ctest's: that of the first preset that fails.
# A machine without apt needs what clashd is built from, cmocka and python3; tests that need more are skipped and say so.
# CLASHD_EVERY=1 runs every test in every preset, CLASHD_ONLY=REGEX just those whose names it matches, one after the other.
# CLASHD_TIDY=1 adds clang-tidy (CLASHD_TIDY=changed: of what the last day changed), CLASHD_MONADO=1 the tests against a real
# OpenXR runtime and CLASHD_GODOT=1 those of the Godot addon (both as root), CLASHD_BROWSER=1 fetches a browser for those that
# want one, CI=true does all four.
set -eu
cd "$(dirname "$0")/.."
. tests/support/packages.sh

usage() {
    sed -n 's/^#   //p' tests/run.sh
}

install=yes
build=yes
test=yes
presets=
for word in "$@"; do
    case $word in
    --no-install) install= ;;
    --build-only) test= ;;
    --no-build) build= ;;
    release | debug | asan | tsan | msan | clang) presets="$presets $word" ;;
    -h | --help)
        usage
        exit
        ;;
    *)
        echo "run.sh: unexpected '$word'" >&2
        usage >&2
        exit 2
        ;;
    esac
done
if [ -z "$build$test" ]; then
    echo 'run.sh: --build-only and --no-build leave nothing to do' >&2
    exit 2
fi
presets=${presets:-release}

wanted="$packages_tests $packages_clients"
case " $presets ${CLASHD_TIDY:-${CI:-}} " in
*" clang "* | *" 1 "* | *" true "* | *" changed "*) wanted="$wanted $packages_lint" ;;
esac
case " $presets " in
*" asan "* | *" msan "*) wanted="$wanted $packages_msan" ;;
esac
case "${CLASHD_MONADO:-${CI:-}} ${CLASHD_GODOT:-${CI:-}}" in
*1* | *true*) wanted="$wanted $packages_monado" ;;
esac
case "${CLASHD_BROWSER:-${CI:-}}" in
1 | true)
    wanted="$wanted $packages_browser"
    wanted="$wanted $packages_viewer"
    ;;
esac
mkdir -p build
# shellcheck disable=SC2086 # lists of words, here and below
[ -z "$install" ] || packages_install build/apt.log $packages_build_needed $packages_tests_needed -- $packages_build_optional $wanted

# The sanitizers of gcc 12 do not know the wider address randomisation of newer kernels, so they run without it.
fixed_addresses() {
    case $1 in
    asan | tsan | msan) if setarch "$(uname -m)" -R true 2>/dev/null; then echo "setarch $(uname -m) -R"; fi ;;
    esac
}

# What of the tests a preset has something new to say about, as options of ctest.
tests_of() {
    if [ "${CLASHD_ONLY:-}" ]; then
        echo "-j 1 -R $CLASHD_ONLY"
        return
    fi
    case ${CLASHD_EVERY:-0}$1 in
    0debug | 0clang) echo '-L ^(unit|property|replay)$' ;;
    0asan) echo '-LE ^(lint|fuzz)$ -E ^journey/|^e2e/(python_recordings|client_(browser|godot|js|npm|unity.*)|viewer_.*|godot_.*|golden|install|journal|layer(_clashd|_command)?|monado.*|soak|units)_test$' ;;
    0tsan) echo '-L ^threads$' ;;
    ?msan) echo '-L ^msan$' ;;
    esac
}

# The page is the same in every preset, and only these have tests of it; those of tsan ask for its files and do not open it, so it does
# without the detection as WebAssembly there.
build() {
    page=-DCLASHD_VIEWER=OFF
    case ${CLASHD_EVERY:-0}$1 in
    0release | 1*) page=-DCLASHD_VIEWER=AUTO ;;
    0tsan) page='-DCLASHD_VIEWER=AUTO -DCLASHD_WASM_CLANG=OFF' ;;
    esac
    # shellcheck disable=SC2086 # a list of words
    cmake --preset "$1" $page ${CLASHD_EVERY:+-DCLASHD_THREADS_TESTS=OFF} && cmake --build --preset "$1"
}

# Most of the time of end to end tests goes by waiting, so more of them run at once than there are processors; how much of
# that a test counts for is its PROCESSORS in tests/CMakeLists.txt.
at_once=$((3 * $(nproc)))

for preset in $presets; do
    if [ "$build" ]; then
        echo "== $preset: build"
        if ! shown "build/$preset.log" build "$preset"; then
            tail -n 60 "build/$preset.log" >&2
            echo "run.sh: the build failed; all it said is in build/$preset.log." >&2
            exit 1
        fi
    fi
    if [ "$test" ]; then
        echo "== $preset: test"
        $(fixed_addresses "$preset") ctest --preset "$preset" --no-tests=error -j "$at_once" $(tests_of "$preset")
    fi
done
