# shellcheck shell=sh disable=SC2034
# The Debian and Ubuntu packages that clashd needs, in this one place, and how they are asked for. To be sourced by
# tests/run.sh, .ci/run and daemon/demo.sh. Nothing is asked of apt when all is there.

packages_build='gcc libc6-dev cmake ninja-build pkg-config libuv1-dev libcjson-dev libwslay-dev libzstd-dev libopenxr-dev libopenxr-loader1 libassimp-dev libqhull-dev libmd-dev libsystemd-dev liblo-dev libmosquitto-dev'
packages_tests='g++ curl git socat liblo-tools mosquitto mosquitto-clients openssl systemd libcmocka-dev python3 python3-jsonschema python3-prometheus-client zstd'
packages_lint='clang clang-format clang-tidy'
packages_msan='clang libclang-rt-dev llvm'
packages_processors='qemu-user-static gcc-aarch64-linux-gnu gcc-arm-linux-gnueabihf gcc-riscv64-linux-gnu libc6-dev-arm64-cross libc6-dev-armhf-cross libc6-dev-riscv64-cross'
packages_monado='mmdebstrap debian-archive-keyring'
packages_coverage='gcovr'
packages_browser='chromium firefox-esr xvfb libegl1 libgl1-mesa-dri'
# If node is missing. The page needs no npm: Debian's takes hundreds of packages, and other builds of nodejs conflict with it.
packages_viewer='nodejs ca-certificates'
packages_wasm='clang lld wasi-libc libclang-rt-dev-wasm32'
packages_clients='mono-mcs mono-runtime libmono-system-core4.0-cil nodejs node-ws node-typescript mypy python3-setuptools python3-wheel python3-venv python3-pip python3-zstandard zstd python3-numpy python3-pandas'
# Of the packages, the man pages and the completions.
packages_tests="$packages_tests dpkg-dev file lintian man-db mandoc zsh fish"
# Corpora of recordings.
packages_tests="$packages_tests parallel"
# Machines of their own: network namespaces, clocks that differ.
packages_tests="$packages_tests iproute2 faketime"

# packages_missing PACKAGE..: prints those of them that are not installed, each after a space.
packages_missing() {
    for package in "$@"; do
        dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || printf ' %s' "$package"
    done
}

# shown_lines: of what apt and ninja say, what they are at. On a terminal it stands on one line and goes at the end; elsewhere
# about every tenth of it is a line.
shown_lines() {
    shown_count=0
    while IFS= read -r shown_line; do
        case $shown_line in
        '['*/*']'* | Get:* | Unpacking* | 'Setting up'* | 'Need to get'* | 'Waiting for'*) ;;
        *) continue ;;
        esac
        shown_count=$((shown_count + 1))
        if [ -t 1 ]; then
            printf '\r\033[K  %.76s' "$shown_line"
        elif [ $((shown_count % 20)) = 1 ]; then
            printf '  %.76s\n' "$shown_line"
        fi
    done
    [ ! -t 1 ] || printf '\r\033[K'
}

# shown LOG COMMAND..: runs it, with all that it says in LOG, and shows what it is at. Returns what it returned.
shown() {
    shown_log=$1
    shift
    exec 4>&1
    # 3 is what the command returned, 4 is standard output.
    shown_status=$({ { { "$@" 3>&- 4>&- 2>&1 </dev/null && echo 0 >&3; } || echo $? >&3; } | tee "$shown_log" | shown_lines >&4; } 3>&1)
    exec 4>&-
    return "$shown_status"
}

# packages_apt PACKAGE..: as packages_install has found out whether it is root. A machine that has just been started may be about to
# upgrade itself, which keeps the lock for minutes.
packages_apt() {
    $packages_root apt-get -q -o DPkg::Lock::Timeout=900 update &&
        $packages_root env DEBIAN_FRONTEND=noninteractive apt-get -qy -o DPkg::Lock::Timeout=900 -o Dpkg::Use-Pty=0 \
            --no-install-recommends install "$@"
}

# packages_install LOG PACKAGE..: installs those that are missing, as root or through sudo. What apt says goes into LOG,
# and is shown where it fails.
packages_install() {
    packages_log=$1
    shift
    packages_list=$(packages_missing "$@")
    [ -n "$packages_list" ] || return 0
    if ! command -v apt-get >/dev/null; then
        echo "Missing, and there is no apt-get here to install them with:$packages_list" >&2
        echo "Install them, or what your system calls them, and use --no-install." >&2
        return 1
    fi
    if [ "$(id -u)" = 0 ]; then
        packages_root=
    elif command -v sudo >/dev/null; then
        packages_root=sudo
    else
        echo "Missing, and to install them this has to be root or to have sudo:$packages_list" >&2
        return 1
    fi
    echo "Installing$packages_list"
    # shellcheck disable=SC2086 # lists of words
    if ! shown "$packages_log" packages_apt $packages_list; then
        cat "$packages_log" >&2
        echo "apt-get failed; all it said stands above and in $packages_log." >&2
        return 1
    fi
}
