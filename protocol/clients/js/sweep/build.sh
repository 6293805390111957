#!/bin/sh
# Makes sweep.wasm of libclash, beside this file or in the directory that is named. Takes Debian's clang, lld, wasi-libc and
# libclang-rt-14-dev-wasm32 (of another clang's version, that one's).
#
#   sh build.sh [DIRECTORY]
#
# CLASHD_SWEEP_WASM: one that is made already, which is taken.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
if [ -n "${CLASHD_SWEEP_WASM:-}" ]; then
    cp "$CLASHD_SWEEP_WASM" "$out/sweep.wasm"
    exit
fi
geometry=$here/../../../../daemon/geometry
if [ ! -e "$geometry/core.c" ]; then
    echo "build.sh: $geometry is not there: sweep.wasm is made in clashd's own tree" >&2
    exit 1
fi
# All of libclash but what nothing here calls, which the linker leaves out. The same flags as in its own build: they decide bits.
cd "$geometry"
${CLANG:-clang} --target=wasm32-wasi -mexec-model=reactor -O2 -std=c17 -ffp-contract=off -fno-math-errno \
    -fno-trapping-math -fvisibility=hidden -Wall -Wextra -Wconversion -Wshadow -Wno-psabi -Werror \
    -I../../include -I.. -DCORE_NAME=core_portable -Wl,-z,stack-size=1048576 -Wl,--stack-first -Wl,--strip-all -o "$out/sweep.wasm" \
    math.c pose.c distance.c time_of_impact.c batch.c box.c mesh.c bvh.c mesh_closed.c terrain.c line.c overlaps.c core*.c \
    "$here/sweep_wasm.c"
