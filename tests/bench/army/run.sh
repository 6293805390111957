#!/bin/sh
# Builds the army benchmark and runs it: how long a step of the pipeline takes with up to 16,000 blades. The tables come on
# stdout, the CSV into the build directory. See tests/bench/README.md.
#
#   sh tests/bench/army/run.sh [-n STEPS] [-s SEED] [-p CAPSULES]
set -eu
cd "$(dirname "$0")/../../.."
. tests/support/packages.sh
build=build/bench
mkdir -p "$build"
# shellcheck disable=SC2086 # lists of words
packages_install "$build/apt.log" $packages_build libcmocka-dev
{
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCLASHD_BENCH=ON &&
        cmake --build "$build" --target army
} >"$build/build.log" 2>&1 || { cat "$build/build.log" >&2; exit 1; }

"$build/tests/bench/army/army" -c "$build/army.csv" "$@"
echo "CSV: $build/army.csv"
