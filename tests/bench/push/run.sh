#!/bin/sh
# Builds the benchmark of push-out and runs it: how long it takes to find where a blade should stand. The table comes on
# stdout. See tests/bench/README.md.
#
#   sh tests/bench/push/run.sh
set -eu
cd "$(dirname "$0")/../../.."
. tests/support/packages.sh
build=build/bench
mkdir -p "$build"
# shellcheck disable=SC2086 # lists of words
packages_install "$build/apt.log" $packages_build
{
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCLASHD_BENCH=ON &&
        cmake --build "$build" --target push
} >"$build/build.log" 2>&1 || { cat "$build/build.log" >&2; exit 1; }

"$build/tests/bench/push/push"
