#!/bin/sh
# Builds the benchmark of push-out and runs it: how long it takes to find where a blade should stand. The table comes on
# stdout. See tests/bench/README.md.
#
#   sh tests/bench/push/run.sh
set -eu
cd "$(dirname "$0")/../../.."
. tests/bench/common.sh
# shellcheck disable=SC2119 # it needs no more
bench_packages
bench_build push

"$build/tests/bench/push/push"
