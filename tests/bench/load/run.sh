#!/bin/sh
# Builds clashd and the load benchmark, and runs it: what clashd costs beyond the runtime's own calls, in processor time.
# See tests/bench/README.md.
#
#   sh tests/bench/load/run.sh [RATE_HZ [ROUNDS [SECONDS]]]
set -eu
cd "$(dirname "$0")/../../.."
. tests/support/packages.sh
build=build/bench
mkdir -p "$build"
# shellcheck disable=SC2086 # lists of words
packages_install "$build/apt.log" $packages_build libcmocka-dev
{
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCLASHD_BENCH=ON &&
        cmake --build "$build" --target clashd clash_runtime load
} >"$build/build.log" 2>&1 || { cat "$build/build.log" >&2; exit 1; }

room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
trap 'exit 130' INT TERM
# Settings of its own, so that those of the user do not take part; two clashes a second.
export XDG_CONFIG_HOME="$room" XR_RUNTIME_JSON="$PWD/$build/daemon/runtime/clash_runtime.json"
export CLASH_RUNTIME_SCRIPT=crossing CLASH_RUNTIME_SPEED=2
"$build/tests/bench/load/load" "$build/daemon/app/clashd" "$room/socket" "$@"
