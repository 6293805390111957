# What the benchmarks' run.sh do alike; they read it from the top of the project. Leaves `build`, where all is built.
# shellcheck shell=sh
. tests/support/packages.sh
build=build/bench
mkdir -p "$build"

# bench_packages NAME..: installs what is missing, beside what a build needs.
bench_packages() {
    # shellcheck disable=SC2086,SC2154 # lists of words; packages.sh has it
    packages_install "$build/apt.log" $packages_build "$@"
}

# bench_build TARGET..
bench_build() {
    {
        cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCLASHD_BENCH=ON &&
            cmake --build "$build" --target "$@"
    } >"$build/build.log" 2>&1 || { cat "$build/build.log" >&2; exit 1; }
}

# bench_room: a directory of its own in `room`, until the end.
bench_room() {
    room=$(mktemp -d)
    trap 'rm -rf "$room"' EXIT
    trap 'exit 130' INT TERM
}

# bench_put TABLE README: the file into its place in a README.
bench_put() {
    awk -v table="$1" '
        /^<!-- end of the tables? -->$/ { inside = 0 }
        !inside
        /^<!-- tables?: run.sh --update writes (it|them) -->$/ {
            inside = 1
            print ""
            while ((getline line < table) > 0) print line
            print ""
        }' "$2" >"$build/README.new"
    cat "$build/README.new" >"$2"
    echo "Updated: $2"
}
