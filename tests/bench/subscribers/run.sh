#!/bin/sh
# Builds the subscribers benchmark and runs it: clashd beside redis-server, mosquitto and nats-server. Installs what is
# missing, and leaves no service running that did not run before. The table comes on stdout, the CSV into the build
# directory. See README.md.
#
#   sh tests/bench/subscribers/run.sh [--update] [-s SECONDS] [-n RUNS] [-o PART]
#
# --update also puts the table into tests/bench/subscribers/README.md.
set -eu
cd "$(dirname "$0")/../../.."
. tests/bench/common.sh

update=
if [ "${1:-}" = --update ]; then
    update=1
    shift
fi
bench_packages libcmocka-dev
# Debian starts the service of a package that it installs; one that was there before is its owner's.
for package in redis-server mosquitto nats-server; do
    [ -n "$(packages_missing "$package")" ] || continue
    packages_install "$build/apt.log" "$package"
    if [ -d /run/systemd/system ]; then
        $packages_root systemctl disable --now "$package" >>"$build/apt.log" 2>&1
    elif command -v service >/dev/null; then
        $packages_root service "$package" stop >>"$build/apt.log" 2>&1 || true # it may never have been started
    fi
done
bench_build clashd subscribers

bench_room
export XDG_CONFIG_HOME="$room" XDG_RUNTIME_DIR="$room"
"$build/tests/bench/subscribers/subscribers" -c "$build/subscribers.csv" -m "$build/subscribers.md" "$@" \
    "$build/daemon/app/clashd" "$room"
echo "CSV: $build/subscribers.csv"
[ -z "$update" ] || bench_put "$build/subscribers.md" tests/bench/subscribers/README.md
