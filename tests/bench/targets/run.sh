#!/bin/sh
# Builds the target benchmark and runs it: libclash against Bullet, on the same queries. Installs what is missing. The table
# comes on stdout. See README.md.
#
#   sh tests/bench/targets/run.sh [QUERIES]      QUERIES: of each kind; 2000 when none are given
set -eu
cd "$(dirname "$0")/../../.."
. tests/support/packages.sh
build=build/bench
mkdir -p "$build"
# shellcheck disable=SC2086 # lists of words
packages_install "$build/apt.log" $packages_build g++ libcmocka-dev libfcl-dev libbullet-dev
{
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCLASHD_BENCH=ON &&
        cmake --build "$build" --target targets_bench
} >"$build/build.log" 2>&1 || { cat "$build/build.log" >&2; exit 1; }
exec "$build/tests/bench/targets/targets_bench" "$@"
