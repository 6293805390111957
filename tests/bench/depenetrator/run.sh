#!/bin/sh
# Builds the benchmark of resolved_poses and runs it: what they cost a frame, and how many blades get a place. The table comes
# on stdout. See tests/bench/README.md.
#
#   sh tests/bench/depenetrator/run.sh
set -eu
cd "$(dirname "$0")/../../.."
. tests/bench/common.sh
# shellcheck disable=SC2119 # it needs no more
bench_packages
bench_build depenetrator_bench

"$build/tests/bench/depenetrator/depenetrator_bench"
