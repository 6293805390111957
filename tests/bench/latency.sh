#!/bin/sh
# Builds clashd and the latency benchmark, and runs it: clashd reads the stand-in runtime through the OpenXR loader at
# 1000 Hz, with one subscriber. See README.md.
#
#   sh tests/bench/latency.sh [ROUNDS [SECONDS]]
set -eu
cd "$(dirname "$0")/../.."
. tests/bench/common.sh
bench_build clashd clash_runtime latency

bench_room
# Settings of its own, so that those of the user do not take part; a script that clashes ten times a second.
export XDG_CONFIG_HOME="$room" XR_RUNTIME_JSON="$PWD/$build/daemon/runtime/clash_runtime.json"
export CLASH_RUNTIME_SCRIPT=crossing CLASH_RUNTIME_SPEED=10
"$build/tests/bench/latency" "$build/daemon/app/clashd" "$room/socket" "$@"
