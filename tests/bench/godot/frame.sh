#!/bin/sh
# What a frame costs the Godot addon, in a headless Godot in a root of its own (tests/support/make_root.sh --godot ROOT). To compare two
# versions run it in turn with the `addons` folder of each: a busy machine slows both down.
#
#   sh tests/bench/godot/frame.sh ROOT ADDONS BLADES MOVING FRAMES
set -eu

[ $# -eq 5 ] || { echo 'frame.sh: expected ROOT ADDONS BLADES MOVING FRAMES' >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
root=$1 addons=$2
shift 2
share=$(mktemp -d)
trap 'rm -rf "$share"' EXIT
mkdir "$share/project"
cp -r "$addons" "$share/project/addons"
cp "$here/frame.gd" "$share/project"
echo 'config_version=5' >"$share/project/project.godot"
CLASHD_ROOT_SHARE=$share sh "$here/../../support/in_root.sh" "$root" godot --headless --xr-mode off --path /run/shared/project \
    --script res://frame.gd -- "$@"
