#!/bin/sh
# Builds the sweep benchmark and runs it: libclash against FCL, Bullet and plain methods, on the same queries. Installs what
# is missing. The tables come on stdout, the CSV into the build directory. See README.md.
#
#   sh tests/bench/sweep/run.sh [--update] [--queries N] [--passes N] [--seed N]
#
# --update also puts the tables into tests/bench/sweep/README.md.
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
packages_install "$build/apt.log" $packages_build g++ libcmocka-dev libfcl-dev libbullet-dev
{
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCLASHD_BENCH=ON &&
        cmake --build "$build" --target sweep_bench
} >"$build/build.log" 2>&1 || { cat "$build/build.log" >&2; exit 1; }

"$build/tests/bench/sweep/sweep_bench" --csv "$build/sweep.csv" --markdown "$build/sweep.md" "$@"
echo "CSV: $build/sweep.csv"
if [ -n "$update" ]; then
    readme=tests/bench/sweep/README.md
    awk -v table="$build/sweep.md" '
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
