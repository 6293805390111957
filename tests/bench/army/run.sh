#!/bin/sh
# Builds the army benchmark and runs it: how long a step of the pipeline takes with up to 16,000 blades. The tables come on
# stdout, the CSV into the build directory. See tests/bench/README.md.
#
#   sh tests/bench/army/run.sh [-n STEPS] [-s SEED] [-p CAPSULES]
set -eu
cd "$(dirname "$0")/../../.."
. tests/bench/common.sh
bench_packages libcmocka-dev
bench_build army

"$build/tests/bench/army/army" -c "$build/army.csv" "$@"
echo "CSV: $build/army.csv"
