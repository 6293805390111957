#!/bin/sh
# Builds the benchmark of resolved_poses and runs it: what they cost a frame, and how many blades get a place. The table comes
# on stdout. See tests/bench/README.md.
#
#   sh tests/bench/resolver/run.sh
set -eu
cd "$(dirname "$0")/../../.."
. tests/support/packages.sh
build=build/bench
mkdir -p "$build"
# shellcheck disable=SC2086 # lists of words
packages_install "$build/apt.log" $packages_build
{
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCLASHD_BENCH=ON &&
        cmake --build "$build" --target resolver_bench
} >"$build/build.log" 2>&1 || { cat "$build/build.log" >&2; exit 1; }

"$build/tests/bench/resolver/resolver_bench"
