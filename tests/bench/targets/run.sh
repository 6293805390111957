#!/bin/sh
# Builds the target benchmarks and runs them: libclash against Bullet, on the same queries, of solid targets and then of
# meshes. Installs what is missing. The tables come on stdout. See README.md.
#
#   sh tests/bench/targets/run.sh [--update] [QUERIES]      QUERIES: of each kind; 2000 when none are given
#
# --update also puts the tables into tests/bench/targets/README.md and tests/bench/targets/mesh/README.md.
set -eu
cd "$(dirname "$0")/../../.."
. tests/bench/common.sh

update=
if [ "${1:-}" = --update ]; then
    update=1
    shift
fi
bench_packages g++ libcmocka-dev libfcl-dev libbullet-dev
bench_build targets_bench mesh_bench

machine() {
    cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
    printf '%s, one core; %s; %s; load when it began %s.\n\n' "${cpu:-unknown CPU}" "$(cc --version | head -n 1)" \
        "$(date -u +%Y-%m-%d)" "$(cut -d ' ' -f 1 /proc/loadavg)"
}

status=0
{ machine; "$build/tests/bench/targets/targets_bench" "$@"; } >"$build/targets.md" || status=$?
cat "$build/targets.md"
[ $status = 0 ] || exit $status
{ machine; "$build/tests/bench/targets/mesh/mesh_bench"; } >"$build/mesh.md"
echo
cat "$build/mesh.md"
[ -z "$update" ] || { bench_put "$build/targets.md" tests/bench/targets/README.md; bench_put "$build/mesh.md" tests/bench/targets/mesh/README.md; }
