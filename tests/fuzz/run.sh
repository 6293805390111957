#!/bin/sh
# Fuzzes with libFuzzer (clang): builds the preset `fuzz` and runs each target for so many seconds, two at a time.
#
#   sh tests/fuzz/run.sh [SECONDS] [NAME..]      SECONDS: 60 when none are given; NAME: sweep, protocol, ..: all
#   sh tests/fuzz/run.sh --build-only
#
# CLASHD_FUZZ_SEED begins libFuzzer's random numbers, so that the same inputs come again, for as long as it runs; else they are
# others each time.
#
# New inputs go to build/fuzz/corpus/NAME, what is found wrong to build/fuzz/found/NAME-*. Exit code: 0, or 1 where anything
# was found.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-60}
[ $# -eq 0 ] || shift
case $seconds in
--build-only) ;;
*[!0-9]* | '') sed -n 's/^#   //p' tests/fuzz/run.sh >&2; exit 2 ;;
esac

mkdir -p build/fuzz/found
if ! { cmake --preset fuzz && cmake --build --preset fuzz --target fuzzers; } >build/fuzz/build.log 2>&1; then
    tail -n 40 build/fuzz/build.log >&2
    exit 1
fi
[ "$seconds" != --build-only ] || exit 0
[ $# -gt 0 ] || set -- $(basename -s _fuzz.c tests/fuzz/*_fuzz.c)
# As in tests/run.sh: sanitizers do not know the wider address randomisation of newer kernels.
fixed=
if setarch "$(uname -m)" -R true 2>/dev/null; then fixed="setarch $(uname -m) -R"; fi

fuzz() {
    mkdir -p "build/fuzz/corpus/$1"
    # shellcheck disable=SC2086 # words
    if $fixed "build/fuzz/tests/fuzz/fuzz_$1" -max_total_time="$seconds" -max_len=16384 -timeout=60 -rss_limit_mb=3000 \
        -seed="${CLASHD_FUZZ_SEED:-0}" \
        -artifact_prefix="build/fuzz/found/$1-" "build/fuzz/corpus/$1" "tests/fuzz/corpus/$1" \
        >"build/fuzz/$1.log" 2>&1; then
        echo "$1: $(grep -o 'Done .*' "build/fuzz/$1.log")"
    else
        echo "$1: FAILED; build/fuzz/$1.log ends:"
        tail -n 40 "build/fuzz/$1.log"
        return 1
    fi
}

failed=0
while [ $# -gt 0 ]; do
    fuzz "$1" &
    first=$!
    second=
    if [ $# -gt 1 ]; then
        fuzz "$2" &
        second=$!
        shift
    fi
    shift
    wait $first || failed=1
    [ -z "$second" ] || wait $second || failed=1
done
exit $failed
