#!/bin/sh
# One command from a fresh Debian or Ubuntu machine to the line coverage of the rooms that everything rests on: installs
# what is missing, builds the preset `coverage`, runs the tests and prints a table of files and of rooms.
#
#   sh tests/coverage.sh [--no-install] [--report-only]      --report-only: of the last run, without building and testing
#
# The report to look into is build/coverage/report/index.html. The exit code is 1 where a test fails, and where a room has
# less than 95 % of its lines run. A clashd that is killed does not say what it ran: what only it ran counts as not run.
# Whatever ctest reads from its environment, it reads here too (CTEST_PARALLEL_LEVEL).
set -eu
cd "$(dirname "$0")/.."
. tests/support/packages.sh

install=yes
report_only=
for word in "$@"; do
    case $word in
    --no-install) install= ;;
    --report-only) report_only=yes ;;
    *)
        sed -n 's/^#   //p' tests/coverage.sh >&2
        exit 2
        ;;
    esac
done

mkdir -p build
# shellcheck disable=SC2086 # lists of words
[ -z "$install" ] || packages_install build/apt.log $packages_build $packages_tests_needed $packages_coverage -- $packages_tests $packages_clients

failed=0
if [ -z "$report_only" ]; then
    echo "== coverage: build"
    if ! { cmake --preset coverage && cmake --build --preset coverage; } >build/coverage.log 2>&1; then
        tail -n 60 build/coverage.log >&2
        echo "coverage.sh: the build failed; all it said is in build/coverage.log." >&2
        exit 1
    fi
    find build/coverage -name '*.gcda' -delete
    echo "== coverage: test"
    # Linters run none of the code, and a real runtime stands in for the one that is here anyway. The names that the libraries
    # export (e2e/install) and the memory that clashctl takes (e2e/memory) are here those of what counts the lines, too.
    ctest --preset coverage --no-tests=error -j "${CTEST_PARALLEL_LEVEL:-$(nproc)}" \
        -E '^lint/|e2e/(monado|install|memory)' || failed=1
fi
/usr/bin/python3 tests/support/coverage.py build/coverage || failed=1
exit $failed
