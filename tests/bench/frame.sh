#!/bin/sh
# Builds clashd and the benchmark of a game's frame, and runs it: two hands that a game feeds and ten blades of its own, at 90 Hz.
# See README.md.
#
#   sh tests/bench/frame.sh [SECONDS]
set -eu
cd "$(dirname "$0")/../.."
build=build/bench
mkdir -p "$build"
{
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCLASHD_BENCH=ON &&
        cmake --build "$build" --target clashd frame
} >"$build/build.log" 2>&1 || { cat "$build/build.log" >&2; exit 1; }

room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
trap 'exit 130' INT TERM
export XDG_CONFIG_HOME="$room" # settings of its own
"$build/tests/bench/frame" "$build/daemon/app/clashd" "$room/socket" "$@"
