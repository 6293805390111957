#!/bin/sh
# One command from a fresh Debian or Ubuntu machine with git and apt to a verdict: installs what is missing (as root or
# through sudo), builds, and runs every test.
#
#   sh tests/run.sh [--no-install] [PRESET..]      PRESET: release (when none is named), debug, asan, tsan or clang
#
# The last lines are ctest's own, and the exit code is ctest's: that of the first preset that fails.
# CLASHD_TIDY=1 adds clang-tidy, CLASHD_MONADO=1 the tests against a real OpenXR runtime and CLASHD_GODOT=1 those of the
# Godot addon (both as root), CLASHD_BROWSER=1 fetches a browser for those that want one, CI=true does all four.
set -eu
cd "$(dirname "$0")/.."
. tests/support/packages.sh

usage() {
    sed -n 's/^#   //p' tests/run.sh >&2
    exit 2
}

install=yes
presets=
for word in "$@"; do
    case $word in
    --no-install) install= ;;
    release | debug | asan | tsan | clang) presets="$presets $word" ;;
    *) usage ;;
    esac
done
presets=${presets:-release}

wanted="$packages_build $packages_tests $packages_clients"
case " $presets ${CLASHD_TIDY:-${CI:-}} " in
*" clang "* | *" 1 "* | *" true "*) wanted="$wanted $packages_lint" ;;
esac
case "${CLASHD_MONADO:-${CI:-}} ${CLASHD_GODOT:-${CI:-}}" in
*1* | *true*) wanted="$wanted $packages_monado" ;;
esac
case "${CLASHD_BROWSER:-${CI:-}}" in
1 | true) wanted="$wanted $packages_browser" ;;
esac
mkdir -p build
# shellcheck disable=SC2086 # lists of words, here and below
[ -z "$install" ] || packages_install build/apt.log $wanted

# The sanitizers of gcc 12 do not know the wider address randomisation of newer kernels, so they run without it.
fixed_addresses() {
    case $1 in
    asan | tsan) if setarch "$(uname -m)" -R true 2>/dev/null; then echo "setarch $(uname -m) -R"; fi ;;
    esac
}

build() {
    cmake --preset "$1" && cmake --build --preset "$1"
}

for preset in $presets; do
    echo "== $preset: build"
    if ! build "$preset" >"build/$preset.log" 2>&1; then
        tail -n 60 "build/$preset.log" >&2
        echo "run.sh: the build failed; all it said is in build/$preset.log." >&2
        exit 1
    fi
    echo "== $preset: test"
    $(fixed_addresses "$preset") ctest --preset "$preset" --no-tests=error -j "$(nproc)"
done
