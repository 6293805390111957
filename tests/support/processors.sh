#!/bin/sh
# libclash on other processors: builds its tests with Debian's cross compilers and runs them under qemu, which computes as the
# processor does. Above all the golden hashes: tests/data/golden.txt is the same file everywhere.
#
#   sh tests/support/processors.sh [--no-install] [--every] [PROCESSOR..]
#
#   PROCESSOR  arm64, armhf or riscv64; all three when none is named
#   --every    every test of libclash and the pipeline, and not only those that hold results against known ones
#
# The last lines are ctest's own, and the exit code is that of the first that fails.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/packages.sh

known='golden_test order_property_test rounding_test sweep_truth_test'
install=yes
every=
processors=
for word in "$@"; do
    case $word in
    --no-install) install= ;;
    --every) every=yes ;;
    arm64 | armhf | riscv64) processors="$processors $word" ;;
    *)
        sed -n 's/^#   //p' "$0" >&2
        exit 2
        ;;
    esac
done
processors=${processors:-arm64 armhf riscv64}

mkdir -p build
# shellcheck disable=SC2086 # lists of words, here and below
[ -z "$install" ] || packages_install build/apt.log $packages_build $packages_processors

# Prints what the compiler's names begin with, and what CMake and qemu call the processor.
names_of() {
    case $1 in
    arm64) echo aarch64-linux-gnu aarch64 aarch64 ;;
    armhf) echo arm-linux-gnueabihf armv7l arm ;;
    riscv64) echo riscv64-linux-gnu riscv64 riscv64 ;;
    esac
}

# build PROCESSOR PREFIX CMAKE_NAME QEMU_NAME: static, so that no foreign libraries have to be found.
build() {
    cmake -S . -B "build/$1" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$3" \
        -DCMAKE_C_COMPILER="$2-gcc" -DCMAKE_EXE_LINKER_FLAGS=-static -DCMAKE_CROSSCOMPILING_EMULATOR="qemu-$4-static" \
        -DCLASHD_WERROR=ON -DCLASHD_DAEMON=OFF -DCLASHD_PURE_TESTS=ON &&
        cmake --build "build/$1" --target $([ "$every" ] && echo all || echo "$known")
}

pattern=$(echo "$known" | sed 's/ /|/g; s/.*/\/(&)$/')
[ -z "$every" ] || pattern=.
for processor in $processors; do
    echo "== $processor: build"
    if ! build "$processor" $(names_of "$processor") >"build/$processor.log" 2>&1; then
        tail -n 60 "build/$processor.log" >&2
        echo "processors.sh: the build failed; all it said is in build/$processor.log." >&2
        exit 1
    fi
    echo "== $processor: test"
    ctest --test-dir "build/$processor" --output-on-failure --no-tests=error -j "$(nproc)" -R "$pattern"
done
