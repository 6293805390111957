# shellcheck shell=sh disable=SC2034
# The Debian and Ubuntu packages that clashd needs, in this one place, and how they are installed. To be sourced by
# tests/run.sh, .ci/run and daemon/demo.sh. If nothing is missing, apt is not used, and need not be there.

packages_build_needed='gcc libc6-dev cmake ninja-build pkg-config libuv1-dev libcjson-dev libwslay-dev libzstd-dev libopenxr-dev libopenxr-loader1 libassimp-dev libqhull-dev libmd-dev'
# Without these clashd is built without what needs them: a service manager's messages, OSC, MQTT.
packages_build_optional='libsystemd-dev liblo-dev libmosquitto-dev'
packages_build="$packages_build_needed $packages_build_optional"
packages_tests_needed='libcmocka-dev python3'
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
packages_clients='mono-mcs mono-runtime libmono-system-core4.0-cil nodejs node-ws node-typescript mypy python3-venv python3-pip python3-zstandard zstd python3-numpy python3-pandas'
# Of the packages, the man pages and the completions.
packages_tests="$packages_tests dpkg-dev file lintian man-db mandoc zsh fish"
# Corpora of recordings.
packages_tests="$packages_tests parallel"
# Machines of their own: network namespaces, clocks that differ.
packages_tests="$packages_tests iproute2 faketime"

# packages_header FILE..: whether the C compiler finds each of these headers.
packages_header() {
    for packages_file in "$@"; do
        printf '#include <%s>\n' "$packages_file" | "${CC:-cc}" -E -x c - >/dev/null 2>&1 || return 1
    done
}

# packages_has COMMAND..: whether one of these commands is there.
packages_has() {
    for packages_command in "$@"; do
        command -v "$packages_command" >/dev/null 2>&1 && return 0
    done
    return 1
}

# packages_module NAME..: whether pkg-config knows each of these libraries.
packages_module() { pkg-config --exists "$@" 2>/dev/null; }

# packages_python MODULE: whether Python has it.
packages_python() { python3 -c "import $1" >/dev/null 2>&1; }

# packages_works PACKAGE: whether what a package is wanted for is there, whatever installed it: a command, a library, a header.
packages_works() {
    case $1 in
    gcc) packages_has "${CC:-cc}" gcc clang ;;
    g++) packages_has g++ clang++ ;;
    libc6-dev) packages_header stdio.h math.h ;;
    ninja-build) packages_has ninja ;;
    pkg-config) packages_has pkg-config ;;
    libuv1-dev) packages_module libuv ;;
    libcjson-dev) packages_module libcjson ;;
    libwslay-dev) packages_header wslay/wslay.h ;;
    libzstd-dev) packages_module libzstd ;;
    libopenxr-dev | libopenxr-loader1) packages_module openxr ;;
    libassimp-dev) packages_module assimp ;;
    libqhull-dev) packages_module qhull_r ;;
    libmd-dev) packages_module libmd ;;
    libsystemd-dev) packages_module libsystemd ;;
    liblo-dev) packages_module liblo ;;
    libmosquitto-dev) packages_module libmosquitto ;;
    libcmocka-dev) packages_module cmocka ;;
    liblo-tools) packages_has oscdump ;;
    mosquitto) packages_has mosquitto || [ -x /usr/sbin/mosquitto ] ;;
    mosquitto-clients) packages_has mosquitto_sub ;;
    systemd) packages_has systemctl ;;
    dpkg-dev) packages_has dpkg-shlibdeps ;;
    man-db) packages_has man ;;
    iproute2) packages_has ip || [ -x /usr/sbin/ip ] ;;
    nodejs) packages_has node ;;
    node-typescript) packages_has tsc ;;
    node-ws) node -e 'require("ws")' >/dev/null 2>&1 ;;
    ca-certificates) [ -e /etc/ssl/certs/ca-certificates.crt ] || [ -e /etc/ssl/cert.pem ] || [ -e /etc/pki/tls/certs/ca-bundle.crt ] ;;
    mono-mcs) packages_has mcs ;;
    mono-runtime | libmono-system-core4.0-cil) packages_has mono ;;
    python3-prometheus-client) packages_python prometheus_client ;;
    python3-zstandard | python3-numpy | python3-pandas | python3-jsonschema | python3-setuptools | python3-wheel | python3-venv | python3-pip)
        packages_python "${1#python3-}"
        ;;
    lld) packages_has wasm-ld ld.lld ;;
    wasi-libc | libclang-rt-dev-wasm32) sh daemon/viewer/src/engine/build.sh --can >/dev/null 2>&1 ;;
    xvfb) packages_has Xvfb ;;
    clang | clang-format | clang-tidy | cmake | curl | fish | file | faketime | gcovr | git | lintian | mandoc | mmdebstrap | mypy | openssl | \
        parallel | python3 | socat | zsh | zstd) packages_has "$1" ;;
    chromium) packages_has chromium chromium-browser google-chrome ;;
    firefox-esr) packages_has firefox-esr firefox ;;
    *) return 1 ;;
    esac
}

# packages_missing PACKAGE..: prints those of them that are neither installed nor provided by something else, each after a space.
packages_missing() {
    for package in "$@"; do
        dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || packages_works "$package" ||
            printf ' %s' "$package"
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

# packages_cannot MISSING.. : says on standard error what is missing and cannot be installed here.
packages_cannot() {
    if command -v apt-get >/dev/null; then
        echo "Missing, and only root, or a user with sudo, can install them:$1" >&2
    else
        echo "Missing, and there is no apt-get here to install them with:$1" >&2
        echo "These are the names that Debian has for them: your system may call them otherwise." >&2
    fi
}

# packages_install LOG PACKAGE.. [-- PACKAGE..]: installs those that are missing, as root or through sudo. What apt prints goes into LOG,
# and is shown if it fails. Without apt, or without the right to use it, this fails only if one of the first is missing: those behind
# -- are named, and what needs them is left out.
packages_install() {
    packages_log=$1
    shift
    packages_needed=$*
    packages_needed=${packages_needed%%-- *}
    # shellcheck disable=SC2046,SC2086 # lists of words
    packages_list=$(packages_missing $(printf '%s\n' "$@" | grep -vx -e --))
    [ -n "$packages_list" ] || return 0
    if ! command -v apt-get >/dev/null || { [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; }; then
        packages_cannot "$packages_list"
        # shellcheck disable=SC2086 # lists of words, here and below
        [ -z "$(packages_missing $packages_needed)" ]
        return
    fi
    packages_root=
    [ "$(id -u)" = 0 ] || packages_root=sudo
    echo "Installing$packages_list"
    # shellcheck disable=SC2086
    if ! shown "$packages_log" packages_apt $packages_list; then
        cat "$packages_log" >&2
        echo "apt-get failed; all that it printed is above, and in $packages_log. If what is needed is there in another way, use --no-install." >&2
        return 1
    fi
}
