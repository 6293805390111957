#!/bin/sh
# Runs a command in a root made by make_root.sh, in namespaces of its own for mounts, processes and the network (a
# loopback and nothing else). When the command ends, or this is killed, all that it started and mounted is gone.
#
#   sh tests/support/in_root.sh ROOT COMMAND [ARG..]
#
# With CLASHD_ROOT_SHARE=DIR that directory is /run/shared inside, and the network is the machine's own, as are the certificates that
# npm trusts: for a command that talks to a clashd outside, or asks npm's registry. With CLASHD_ROOT_INNER=DIR that directory, another
# root, is at the same place inside.
#
# The project's source is at /src, read only. /var/tmp of the root is kept for the next time, /run and /tmp are not.
set -eu

[ $# -ge 2 ] || { echo 'in_root.sh: expected a root and a command' >&2; exit 2; }
source=$(cd "$(dirname "$0")/../.." && pwd)
share=${CLASHD_ROOT_SHARE:-}
inner=${CLASHD_ROOT_INNER:-}
net=--net
[ -z "$share" ] || net=
root=$1
shift
[ -e "$root/.clashd-root" ] || { echo "in_root.sh: $root was not made by make_root.sh" >&2; exit 2; }

# shellcheck disable=SC2016 # expanded inside
enter='
set -eu
root=$1 source=$2 share=$3 inner=$4
shift 4
mount --bind "$root" "$root" # so that its / is a mount, as unshare wants it inside
mkdir -p "$root/src"
mount --bind "$source" "$root/src"
mount -o remount,ro,bind "$root/src"
mount -t proc proc "$root/proc"
for directory in dev run tmp; do mount -t tmpfs -o mode=755 tmpfs "$root/$directory"; done
chmod 1777 "$root/tmp"
mkdir "$root/dev/shm" "$root/dev/pts"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
for device in null zero full random urandom; do
    : >"$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
done
if [ -n "$inner" ]; then
    mkdir -p "$root$inner"
    mount --bind "$inner" "$root$inner"
fi
ln -s /proc/self/fd "$root/dev/fd"
for number in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${number%%:*}" "$root/dev/${number#*:}"; done
if [ -n "$share" ]; then
    mkdir "$root/run/shared"
    mount --bind "$share" "$root/run/shared"
    if [ -r /etc/ssl/certs/ca-certificates.crt ]; then cp /etc/ssl/certs/ca-certificates.crt "$root/run/certificates.crt"; fi
else
    chroot "$root" /usr/sbin/ip link set lo up
fi
exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/run/home CLASHD_LONG="${CLASHD_LONG:-}" \
    CLASHD_GAMES="${CLASHD_GAMES:-}" \
    CLASHD_BUILD_NAME="${CLASHD_BUILD_NAME:-}" ${CLASHD_ROOT_SHARE:+NODE_EXTRA_CA_CERTS=/run/certificates.crt} "$@"
'
# unshare leaves signals to what it started; this passes them on as what ends everything. It does so too when it is
# killed itself.
# shellcheck disable=SC2086 # an option or none
setpriv --pdeathsig KILL unshare --mount $net --pid --fork --kill-child -- \
    sh -c "$enter" in_root "$root" "$source" "$share" "$inner" "$@" &
namespaces=$!
trap 'kill -KILL $namespaces; exit 143' TERM INT HUP
status=0
wait $namespaces || status=$?
exit $status
