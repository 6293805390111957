#!/bin/sh
# Makes a Debian root for tests: Debian 13 in which Monado, a real OpenXR runtime, runs without hardware, and in which
# clashd can be built and tested (tests/e2e/monado*, tests/e2e/debian13_test.py); or Debian unstable with Godot and Monado (tests/e2e/client_godot_test.py,
# godot_frames_test.py); or a bare one of any suite with the packages that are named
# (tests/e2e/journey_roots_test.py). Once made it is used again until the list below changes.
#
#   sh tests/support/make_root.sh [--godot] [DIR]     DIR: where it is not named, in ${CLASHD_CACHE:-/var/cache/clashd},
#                                                     trixie-monado or sid-godot
#   sh tests/support/make_root.sh --bare SUITE 'PACKAGE ..' DIR
#
# Needs root and mmdebstrap; takes a minute and 1 GB. Interrupted, it leaves DIR as it was: it builds beside it and
# renames.
set -eu

suite=trixie
what=Monado
mirror=${CLASHD_DEBIAN_MIRROR:-http://deb.debian.org/debian}
runtime='monado-service libopenxr1-monado libopenxr-loader1 libopenxr-utils openxr-layer-corevalidation mesa-vulkan-drivers'
build='gcc libc6-dev cmake ninja-build pkg-config libopenxr-dev libuv1-dev libcjson-dev libwslay-dev libzstd-dev'
build="$build libassimp-dev libqhull-dev libmd-dev libsystemd-dev liblo-dev libmosquitto-dev libcmocka-dev"
work='python3 python3-jsonschema iproute2 procps'
packages="$runtime $build $work"
if [ "${1:-}" = --godot ]; then
    shift
    suite=sid
    what=Godot
    # Monado and a screen for games in a headset, and what clashd, built outside, needs to run inside.
    packages='godot monado-service libopenxr1-monado libopenxr-loader1 mesa-vulkan-drivers xvfb xauth iproute2 procps python3'
    packages="$packages libuv1t64 libcjson1 libwslay1 libzstd1 libqhull-r8.0 libmd0 libsystemd0"
fi

fail() {
    printf 'make_root.sh: %s\n' "$1" >&2
    exit 1
}

if [ "${1:-}" = --bare ]; then
    [ $# = 4 ] || fail '--bare wants a suite, the packages and a directory'
    suite=$2
    what=bare
    packages=$3
    shift 3
fi
[ $# -le 1 ] || fail 'one argument at most: the directory to make'
root=${1:-${CLASHD_CACHE:-/var/cache/clashd}/$suite-$(echo $what | tr MG mg)}
case $root in
/?*) ;;
*) fail "the directory must be an absolute path, not '$root'" ;;
esac
stamp=$(printf '%s\n' "$suite $packages" | sha256sum | cut -c 1-16)

is_made() {
    [ "$(cat "$root/.clashd-root" 2>/dev/null)" = "$stamp" ]
}

if is_made; then exit 0; fi
[ "$(id -u)" = 0 ] || fail 'has to be root: it makes a system of its own'
command -v mmdebstrap >/dev/null || fail 'mmdebstrap is missing: apt-get install mmdebstrap'
if [ -e "$root" ] && [ ! -e "$root/.clashd-root" ]; then
    fail "$root is there and was not made by this script: name another directory, or move it away"
fi
mkdir -p "$(dirname "$root")"

# One at a time. Whoever waited here finds the work done.
exec 9>"$root.lock"
flock 9
if is_made; then exit 0; fi

# What an interrupted run left. mmdebstrap mounts in a namespace of its own, so nothing is mounted in there.
new=$root.new
log=$root.log
rm -rf --one-file-system "$new"
trap 'rm -rf --one-file-system "$new"' EXIT
trap 'exit 130' INT TERM HUP

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r "$keyring" ] || fail "$keyring is missing: apt-get install debian-archive-keyring"
echo "Making a Debian $suite root with $what in $root; this takes a minute." >&2
# Nothing of the packages' documentation is read here; recommends would bring a desktop. Mirrors' lists may be days old.
if ! mmdebstrap --mode=root --format=directory --variant=minbase --keyring="$keyring" \
    --include="$(echo "$packages" | tr ' ' ,)" \
    --aptopt='Acquire::Retries "3"' --aptopt='Acquire::Check-Valid-Until "false"' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' \
    "$suite" "$new" "$mirror" >"$log" 2>&1 </dev/null 9>&-; then
    tail -n 30 "$log" >&2
    fail "mmdebstrap failed; the end of what it said stands above, all of it in $log"
fi
echo "$stamp" >"$new/.clashd-root"

# Not from under a test that runs in the old one.
exec 8>"$root.use"
flock 8
rm -rf --one-file-system "$root.old"
[ ! -e "$root" ] || mv "$root" "$root.old"
mv "$new" "$root"
rm -rf --one-file-system "$root.old"
