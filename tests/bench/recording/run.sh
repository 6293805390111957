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
. tests/support/packages.sh
build=build/bench
mkdir -p "$build"

update=
if [ "${1:-}" = --update ]; then
    update=1
    shift
fi
# shellcheck disable=SC2086 # lists of words
packages_install "$build/apt.log" $packages_build g++ libcmocka-dev libsimdjson-dev
{
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCLASHD_BENCH=ON &&
        cmake --build "$build" --target clashctl recording
} >"$build/build.log" 2>&1 || { cat "$build/build.log" >&2; exit 1; }

room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
trap 'exit 130' INT TERM
"$build/tests/bench/recording/recording" --csv "$build/recording.csv" --markdown "$build/recording.md" "$@" \
    "$build/daemon/ctl/clashctl" tests/data/duel-20s.jsonl "$room"
echo "CSV: $build/recording.csv"
if [ -n "$update" ]; then
    readme=tests/bench/recording/README.md
    awk -v table="$build/recording.md" '
        /^<!-- end of the tables -->$/ { inside = 0 }
        !inside
        /^<!-- tables: run.sh --update writes them -->$/ {
            inside = 1
            print ""
            while ((getline line < table) > 0) print line
            print ""
        }' "$readme" >"$build/README.new"
    cat "$build/README.new" >"$readme"
    echo "Updated: $readme"
fi
