#!/bin/sh
# Makes sweep.wasm and sweep-simd.wasm of libclash, beside this file or in the directory that is named. Takes Debian's clang, lld, wasi-libc and
# libclang-rt-14-dev-wasm32 (of another clang's version, that one's).
#
#   sh build.sh [DIRECTORY]
#   sh build.sh --if-possible    beside this file, unless they are newer than libclash; what is missing for it is only reported
#
# CLASHD_SWEEP_WASM: a sweep.wasm that is made already, with sweep-simd.wasm beside it, which are taken.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
geometry=$here/../../../../daemon/geometry
if [ "${1:-}" = --if-possible ]; then
    newer() { find "$geometry" "$geometry/../../include/clash" "$here" -name '*.[chi]*' -newer "$here/sweep-simd.wasm" | head -n 1; }
    if [ ! -e "$geometry/core.c" ] || { [ -e "$here/sweep-simd.wasm" ] && [ -z "$(newer)" ]; }; then
        exit
    fi
    why=$(sh "$0" 2>&1) ||
        echo "clashd-client: sweep.wasm was not built, so clashd-client/sweep does not load: $(echo "$why" | tail -n 1)" >&2
    exit
fi
out=${1:-$here}
if [ -n "${CLASHD_SWEEP_WASM:-}" ]; then
    cp "$CLASHD_SWEEP_WASM" "$out/sweep.wasm"
    cp "$(dirname "$CLASHD_SWEEP_WASM")/sweep-simd.wasm" "$out/sweep-simd.wasm"
    exit
fi
if [ ! -e "$geometry/core.c" ]; then
    echo "build.sh: $geometry is not there: sweep.wasm is made in clashd's own tree" >&2
    exit 1
fi
# All of libclash but what nothing here calls, which the linker leaves out. The same flags as in its own build: they decide bits.
cd "$geometry"
build() {
    ${CLANG:-clang} --target=wasm32-wasi $2 -mexec-model=reactor -O2 -std=c17 -ffp-contract=off -fno-math-errno \
        -fno-trapping-math -fvisibility=hidden -Wall -Wextra -Wconversion -Wshadow -Wno-psabi -Werror \
        -I../../include -I.. -DCORE_NAME=core_portable -Wl,-z,stack-size=1048576 -Wl,--stack-first -Wl,--strip-all -o "$out/$1" \
        math.c pose.c distance.c time_of_impact.c batch.c box.c mesh.c bvh.c mesh_closed.c terrain.c line.c overlaps.c core*.c \
        "$here/sweep_wasm.c"
}
build sweep.wasm ""
build sweep-simd.wasm -msimd128
