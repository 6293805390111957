#!/bin/sh
# Builds the sweep benchmark and runs it: libclash against FCL, Bullet and plain methods, on the same queries. Installs what
# is missing. The tables come on stdout, the CSV into the build directory. See README.md.
#
#   sh tests/bench/sweep/run.sh [--update] [--queries N] [--passes N] [--seed N]
#
# --update also puts the tables into tests/bench/sweep/README.md.
set -eu
cd "$(dirname "$0")/../../.."
. tests/bench/common.sh

update=
if [ "${1:-}" = --update ]; then
    update=1
    shift
fi
bench_packages g++ libcmocka-dev libfcl-dev libbullet-dev
bench_build sweep_bench

"$build/tests/bench/sweep/sweep_bench" --csv "$build/sweep.csv" --markdown "$build/sweep.md" "$@"
echo "CSV: $build/sweep.csv"
[ -z "$update" ] || bench_put "$build/sweep.md" tests/bench/sweep/README.md
