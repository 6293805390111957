#!/bin/sh
# Benchmark of an arena and of trouble at the broker: run.sh [arena | trouble [ARGUMENT..]]. See README.md.
set -eu
cd "$(dirname "$0")/../../.."
. tests/bench/common.sh
bench_packages mosquitto mosquitto-clients python3 libmosquitto-dev
bench_build clashd clashctl arena
what=${1-arena}
[ $# -gt 0 ] && shift
CLASHD_BUILD="$build" exec python3 "tests/bench/arena/$what.py" "$@"
