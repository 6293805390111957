#!/bin/sh
# Makes, of this tree, DIRECTORY/sweep.wasm (the JavaScript client's) and DIRECTORY/golden.wasm, which is
# property/golden_test.c for e2e/sweep_wasm_test.py. With --can it only tells whether this machine's clang can.
#
#   sh build.sh --can | DIRECTORY
set -eu
source=$(cd "$(dirname "$0")/../../.." && pwd)
can() {
    printf '#include <stdlib.h>\nint main(void) { return abs(0); }\n' |
        "${CLANG:-clang}" --target=wasm32-wasi -x c - -o /dev/null 2>/dev/null
}
if [ "$1" = --can ]; then
    can
    exit
fi
sh "$source/protocol/clients/js/sweep/build.sh" "$1"
cd "$source/daemon/geometry"
"${CLANG:-clang}" --target=wasm32-wasi -O2 -std=c17 -ffp-contract=off -fno-math-errno -fno-trapping-math -Wno-psabi \
    -I../../tests/support/wasm -I../../tests/support/plain -I../../tests -I.. -I../../include \
    -D_GNU_SOURCE -DCORE_NAME=core_portable -DTEST_DATA='"/data"' -Wl,-z,stack-size=8388608 -Wl,--stack-first \
    -o "$1/golden.wasm" math.c pose.c distance.c time_of_impact.c batch.c box.c broad.c unity.c mesh.c bvh.c mesh_closed.c terrain.c \
    push_out.c outline.c line.c ray.c ray_surface.c overlaps.c push_out_from.c core*.c ../../tests/property/golden_test.c
