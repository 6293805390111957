#!/bin/sh
# Builds the target benchmarks and runs them: libclash against Bullet, on the same queries, of solid targets and then of
# meshes. Installs what is missing. The tables come on stdout. See README.md.
#
#   sh tests/bench/targets/run.sh [--update] [QUERIES]      QUERIES: of each kind; 2000 when none are given
#
# --update also puts the tables into tests/bench/targets/README.md and tests/bench/targets/mesh/README.md.
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
        cmake --build "$build" --target targets_bench mesh_bench
} >"$build/build.log" 2>&1 || { cat "$build/build.log" >&2; exit 1; }

machine() {
    cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
    printf '%s, one core; %s; %s; load when it began %s.\n\n' "${cpu:-unknown CPU}" "$(cc --version | head -n 1)" \
        "$(date -u +%Y-%m-%d)" "$(cut -d ' ' -f 1 /proc/loadavg)"
}

# Table into the README beside it.
put() {
    awk -v table="$1" '
        /^<!-- end of the tables -->$/ { inside = 0 }
        !inside
        /^<!-- tables: run.sh --update writes them -->$/ {
            inside = 1
            print ""
            while ((getline line < table) > 0) print line
            print ""
        }' "$2" >"$build/README.new"
    cat "$build/README.new" >"$2"
    echo "Updated: $2"
}

status=0
{ machine; "$build/tests/bench/targets/targets_bench" "$@"; } >"$build/targets.md" || status=$?
cat "$build/targets.md"
[ $status = 0 ] || exit $status
{ machine; "$build/tests/bench/targets/mesh/mesh_bench"; } >"$build/mesh.md"
echo
cat "$build/mesh.md"
[ -z "$update" ] || { put "$build/targets.md" tests/bench/targets/README.md; put "$build/mesh.md" tests/bench/targets/mesh/README.md; }
