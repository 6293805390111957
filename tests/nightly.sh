#!/bin/sh
# Everything at full length, some three hours on two processors: what .ci/run has only a short form of, or nothing.
#
#   sh tests/nightly.sh [STEP..]      STEP: as listed at the end of this file; all of them when none is named
#
# Each step's output is in build/nightly/STEP.log, with its last lines here. The exit code is 1 when a step failed; the others
# run all the same.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/support/packages.sh
export CLASHD_LONG=1
logs=build/nightly
mkdir -p "$logs"

release() { ctest --preset release --no-tests=error -V -R "$1"; }
step_presets() {
    for preset in release asan tsan clang debug msan; do
        CLASHD_EVERY=1 sh tests/run.sh $preset || return 1
    done
}
step_million() { CLASHD_MILLION=1 release '^(property/.*(million|property)|e2e/report)_test$'; }
step_faults() { CLASHD_FAULTS=all release e2e/faults; }
step_hostile() { CLASHD_HOSTILE=1000000 release e2e/hostile_mix; }
step_kills() { CLASHD_KILLS=1000 release e2e/record_test; }
step_soak() { CLASHD_SOAK=3600 release e2e/soak; }
# Two players over a bad network, for minutes.
step_peers() { release '^e2e/peer_'; }
# MCAP by other people's reader and schemas.
step_mcap() {
    npm install --silent --prefix build/mcap @mcap/core@2.2.2 @foxglove/schemas@2.1.0 fzstd@0.1.1 || return 1
    CLASHD_MCAP_NODE="$PWD/build/mcap" release e2e/mcap
}
# An hour at 1000 Hz in a browser's tab: its figures are in the log.
step_page() { release e2e/viewer_hour; }
step_packages() {
    # shellcheck disable=SC2086 # a list of words
    packages_install build/apt-roots.log $packages_monado || return 1
    CLASHD_PACKAGES=1 release '^e2e/package_test'
}
step_fuzz() { sh tests/fuzz/run.sh 600; }
step_journeys() {
    # shellcheck disable=SC2086 # a list of words
    packages_install build/apt-roots.log $packages_monado || return 1
    CLASHD_JOURNEY_FULL=1 CLASHD_JOURNEY_ROOTS=1 release '^(journey/|e2e/journey_roots)'
}
step_tidy() { CLASHD_TIDY=1 ctest --preset clang --no-tests=error -V -R lint/tidy; }
step_coverage() { sh tests/coverage.sh; }
step_mutation() { python3 tests/support/mutation.py --count 160 --seed 1; }
step_processors() { sh tests/support/processors.sh; }
step_roots() {
    # shellcheck disable=SC2086 # a list of words
    packages_install build/apt-roots.log $packages_monado || return 1
    CLASHD_MONADO=1 CLASHD_GODOT=1 release '^e2e/(monado.*|client_godot|godot_.*|debian13)_test$'
}

usage() {
    sed -n 's/^#   //p' tests/nightly.sh >&2
    exit 2
}

steps='presets million hostile faults kills soak peers mcap page journeys packages fuzz tidy processors roots coverage mutation'
for word in "$@"; do
    case " $steps " in
    *" $word "*) ;;
    *) usage ;;
    esac
done
[ $# -gt 0 ] || set -- $steps

failed=0
for step in "$@"; do
    printf '==== %s: ' "$step"
    if "step_$step" >"$logs/$step.log" 2>&1 </dev/null; then
        echo done
    else
        echo "FAILED, see $logs/$step.log"
        failed=1
    fi
    tail -n 12 "$logs/$step.log"
done
exit $failed
