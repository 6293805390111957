#!/bin/sh
# Makes engine.wasm: what clashd decides with, for the page. The rooms are compiled as they stand, with libclash's own flags, which
# decide bits. Takes Debian's clang, lld, wasi-libc and libclang-rt-14-dev-wasm32 (of another clang's version, that one's), and cJSON's
# header. With --can it only tells whether this machine can.
#
#   sh build.sh --can | DIRECTORY SCHEMA_TABLE
#
# SCHEMA_TABLE: schema_table.c, which clashd's own build makes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../../.." && pwd)
cjson=${CJSON_HEADER:-/usr/include/cjson/cJSON.h}
if [ "$1" = --can ]; then
    [ -e "$cjson" ] || exit 1
    printf '#include <stdlib.h>\nint main(void) { return abs(0); }\n' |
        ${CLANG:-clang} --target=wasm32-wasi -x c - -o /dev/null 2>/dev/null
    exit
fi
out=$(cd "$1" && pwd)
table=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/cjson"
cp "$cjson" "$work/cjson/"
geometry="math pose distance time_of_impact batch box broad unity mesh bvh mesh_closed terrain line outline sketch overlaps core core_batch core_parts core_surface core_target"
sources=
for name in $geometry; do sources="$sources daemon/geometry/$name.c"; done
for name in nearest_word failure printable utf8; do sources="$sources daemon/cli/$name.c"; done
for name in config config_openxr config_targets expand fields fill hilts text; do sources="$sources daemon/config/$name.c"; done
for name in feeds scene scene_source targets; do sources="$sources daemon/scene/$name.c"; done
for name in describe schema; do sources="$sources protocol/schema_check/$name.c"; done
for name in axes encode encode_config encode_event encode_target framing names; do
    sources="$sources protocol/messages/$name.c"
done
for name in header pose_line recording_line; do sources="$sources protocol/recording/$name.c"; done
sources="$sources daemon/sources/replay/player.c protocol/clients/js/sweep/sweep_wasm.c"
for name in absent engine json_print json_read json_tree log_around log_detection log_outline log_reader log_store; do
    sources="$sources daemon/viewer/src/engine/$name.c"
done
cd "$root"
# Whole rooms, but for who settles where blades are to be drawn; and whatever reads settings and messages.
for source in daemon/pipeline/*.c protocol/json/*.c protocol/messages/parse*.c; do
    case $source in daemon/pipeline/depenetrator*) ;; *) sources="$sources $source" ;; esac
done
flags="--target=wasm32-wasi -O2 -std=c17 -ffp-contract=off -fno-math-errno -fno-trapping-math -fvisibility=hidden -ffunction-sections
    -fdata-sections -DNDEBUG -D_GNU_SOURCE -DCORE_NAME=core_portable -Wall -Wextra -Wconversion -Wshadow -Wno-psabi -Werror
    -include $here/stand_in/absent.h -I$here/stand_in -I$work -I. -Idaemon -Iprotocol -Iinclude"
# What is to be checked of sections that the page's settings never have: sockets and the like.
{
    echo '#include "config/fill.h"'
    sed -n 's/^int \(config_check_[a-z_]*\)(.*/\1/p' daemon/config/fill.h | grep -v -e blades -e targets | while read -r check; do
        echo "int $check(const config_values *c, const char *origin, failure *out) { (void)c, (void)origin, (void)out; return 0; }"
    done
} >"$work/checks.c"
linked=
for source in $sources "$table" "$work/checks.c"; do
    object=$work/$(printf %s "$source" | tr / _).o
    ${CMAKE_C_COMPILER_LAUNCHER:-} ${CLANG:-clang} $flags -c "$source" -o "$object"
    linked="$linked $object"
done
# The larger printf, because the smaller one complains of long doubles on a standard error, which is not there.
${CLANG:-clang} --target=wasm32-wasi -mexec-model=reactor -Wl,-z,stack-size=1048576 -Wl,--stack-first -Wl,--strip-all -Wl,--gc-sections \
    -Wl,--max-memory=4294967296 $linked -lc-printscan-long-double -o "$out/engine.wasm"
