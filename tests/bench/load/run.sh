#!/bin/sh
# Builds clashd and the load benchmark, and runs it: what clashd costs beyond the runtime's own calls, in processor time.
# See tests/bench/README.md.
#
#   sh tests/bench/load/run.sh [RATE_HZ [ROUNDS [SECONDS]]]
set -eu
cd "$(dirname "$0")/../../.."
. tests/bench/common.sh
bench_packages libcmocka-dev
bench_build clashd clash_runtime load

bench_room
# Settings of its own, so that those of the user do not take part; two clashes a second.
export XDG_CONFIG_HOME="$room" XR_RUNTIME_JSON="$PWD/$build/daemon/runtime/clash_runtime.json"
export CLASH_RUNTIME_SCRIPT=crossing CLASH_RUNTIME_SPEED=2
"$build/tests/bench/load/load" "$build/daemon/app/clashd" "$room/socket" "$@"
