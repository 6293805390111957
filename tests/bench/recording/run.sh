#!/bin/sh
# Builds the recording benchmark and runs it: how fast recordings are read, parsed and searched, beside bare JSON parsers,
# and what clashctl's commands take. Installs what is missing. The tables come on stdout, the CSV into the build directory.
# See README.md.
#
#   sh tests/bench/recording/run.sh [--update] [--hour] [--passes N] [--seconds S [--rate HZ]]
#
# --update also puts the tables into tests/bench/recording/README.md.
set -eu
cd "$(dirname "$0")/../../.."
. tests/bench/common.sh

update=
if [ "${1:-}" = --update ]; then
    update=1
    shift
fi
bench_packages g++ libcmocka-dev libsimdjson-dev
bench_build clashctl recording

bench_room
"$build/tests/bench/recording/recording" --csv "$build/recording.csv" --markdown "$build/recording.md" "$@" \
    "$build/daemon/ctl/clashctl" tests/data/duel-20s.jsonl "$room"
echo "CSV: $build/recording.csv"
[ -z "$update" ] || bench_put "$build/recording.md" tests/bench/recording/README.md
