#!/bin/sh
# One command from a fresh Debian or Ubuntu machine with git and apt to clash events: installs what is missing (as root
# or through sudo), builds, plays 20 s of a real person's saber swings to clashd through the OpenXR loader, shows the
# clashes as they happen, and says what to do next. On a machine without apt it names what is missing.
#
#   sh daemon/demo.sh [--no-install] [targets | view | duel]
#
#   targets        the swings also strike a shield in the left hand, a pillar and uneven ground
#                  (protocol/examples/config-targets.json)
#   view           the swings go round and round, and clashd's page shows them in the browser; that takes nodejs
#   duel           the two hands are two players, each with a clashd of their own, who cross swords through a broker
#                  (mosquitto)
#   --no-install   asks apt for nothing, and stops if anything is missing that the build needs
#
# Leaves nothing behind but build/demo and, if nodejs is there for the page, daemon/viewer/node_modules.
set -eu
cd "$(dirname "$0")/.."
. tests/support/packages.sh

usage() {
    sed -n 's/^#   //p' daemon/demo.sh
}

install=yes
show=
for word in "$@"; do
    case $word in
    --no-install) install= ;;
    targets | view | duel)
        if [ -n "$show" ]; then
            echo "demo.sh: either $show or $word" >&2
            exit 2
        fi
        show=$word
        ;;
    -h | --help)
        usage
        exit
        ;;
    *)
        echo "demo.sh: unexpected '$word'" >&2
        usage >&2
        exit 2
        ;;
    esac
done
config='' width=10 viewer=AUTO loop=0
case $show in
targets) config=$PWD/protocol/examples/config-targets.json width=12 ;;
view) viewer=ON loop=1 ;;
duel) width=21 ;;
esac

build=build/demo
recording=tests/data/duel-20s.jsonl
seconds=20
clashd=$build/daemon/app/clashd
clashctl=$build/daemon/ctl/clashctl
children=
room=

step() {
    printf '\n== %s\n' "$1"
}

# fail MESSAGE FILE: what went wrong, after the end of what the step wrote down.
fail() {
    tail -n 40 "$2" >&2
    printf '\ndemo.sh: %s; the last lines of its log are above.\n' "$1" >&2
    exit 1
}

cleanup() {
    trap - EXIT INT TERM HUP
    trap '' PIPE
    for child in $children; do
        kill "$child" 2>/dev/null || true
    done
    wait
    [ -z "$room" ] || rm -rf "$room"
}
trap cleanup EXIT
trap 'echo; exit 130' INT TERM HUP
# Nobody reads any more: a shell that the signal ends takes nothing away.
trap 'exit 141' PIPE

# numbers TYPE KEY: that number of each such event, one a line.
numbers() {
    sed -n "/\"type\":\"$1\"/s/.*\"$2\":\([-+.0-9e]*\).*/\1/p" "$room/events"
}

step 'Packages'
mkdir -p "$build"
needed=$packages_build_needed optional=$packages_build_optional
case $show in
duel) needed="$needed libmosquitto-dev mosquitto" optional='libsystemd-dev liblo-dev' ;;
view) needed="$needed $packages_viewer" optional="$optional $packages_wasm" ;; # these read recordings on the page
esac
if [ -n "$install" ]; then
    # shellcheck disable=SC2086 # lists of words
    packages_install "$build/apt.log" $needed -- $optional
    echo 'All there.'
else
    # shellcheck disable=SC2086
    missing=$(packages_missing $needed) left_out=$(packages_missing $optional)
    if [ -n "$missing" ]; then
        echo "demo.sh: missing, by the names that Debian has for them:$missing" >&2
        echo 'Install them, or run this without --no-install.' >&2
        exit 1
    fi
    echo "Nothing is installed.${left_out:+ Left out is what needs these, by the names that Debian has for them:$left_out}"
fi

build() {
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCLASHD_TESTS=OFF -DCLASHD_VIEWER=$viewer &&
        cmake --build "$build" --target clashd clashctl demo_recording clash_runtime
}

step 'Build'
if ! shown "$build/build.log" build; then
    # The page's own reason, if it is that.
    why=$(sed -n 's/^ *\(clashd.s page needs packages that cannot be installed: .*\)/\1/p; s/^ *\(CLASHD_VIEWER is ON, but .*\)/\1/p' "$build/build.log" | tail -n 1)
    if [ "$show" = view ] && [ -n "$why" ]; then
        printf 'demo.sh: there is no page to show: %s\n%s has all of it. Without a page: sh daemon/demo.sh\n' "$why" "$build/build.log" >&2
        exit 1
    fi
    fail 'the build failed' "$build/build.log"
fi
echo "clashd, clashctl and a stand-in OpenXR runtime are in $build."

step 'Start'
# A runtime directory and settings of its own: a clashd that is already at work here is left alone.
room=$(mktemp -d)
export XDG_RUNTIME_DIR="$room" XDG_CONFIG_HOME="$room/config"
socket=$room/clashd/clashd.sock
export XR_RUNTIME_JSON="$PWD/$build/daemon/runtime/clash_runtime.json" CLASH_RUNTIME_RECORDING="$PWD/$recording" CLASH_RUNTIME_LOOP=$loop

# start LOG OPTION..: a clashd that takes poses from the OpenXR loader.
start() {
    log=$1
    shift
    "$clashd" --source openxr "$@" >"$log" 2>&1 &
    clashd_pid=$!
    children="$children $clashd_pid"
}

# until_there WHAT PROCESS LOG COMMAND..: waits until the command succeeds.
until_there() {
    what=$1 process=$2 log=$3 tries=0
    shift 3
    until "$@"; do
        tries=$((tries + 1))
        if [ $tries -gt 200 ] || ! kill -0 "$process" 2>/dev/null; then
            fail "$what did not start" "$log"
        fi
        sleep 0.05
    done
}

if [ "$show" = duel ]; then
    . daemon/demo_duel.sh
    exit
fi
start "$room/log" ${config:+--config "$config"} --websocket 127.0.0.1:0
until_there clashd "$clashd_pid" "$room/log" [ -S "$socket" ]
if [ "$show" = view ]; then
    echo "clashd takes poses from the OpenXR loader; a real person's swings are being played to it, again and again."
    step "The page, at this address (clashctl view). Ctrl-C ends it"
    "$clashctl" view || fail 'there is no page' "$room/log"
    wait "$clashd_pid"
    fail 'clashd ended' "$room/log"
fi
"$clashctl" watch --once --json >"$room/events" 2>&1 &
children="$children $!"
echo "clashd takes poses from the OpenXR loader; $seconds s of a real person's swings are being played to it."

step 'Clashes, as any program that opens the socket sees them (clashctl watch)'
# As wide as the longest pair of names.
"$clashctl" watch --once --events clash &
watch_pid=$!
children="$children $watch_pid"
left=$((seconds + 1))
while [ $left -gt 0 ] && kill -0 "$clashd_pid" 2>/dev/null; do
    kill -0 "$watch_pid" 2>/dev/null || exit 141 # nobody reads what it shows
    sleep 1
    left=$((left - 1))
done
kill -0 "$clashd_pid" 2>/dev/null || fail 'clashd ended early' "$room/log"

clashes=$(numbers clash closing_speed | wc -l)
[ "$clashes" -gt 0 ] || fail 'no clash was reported' "$room/log"
fastest=$(numbers clash closing_speed | sort -g | tail -n 1 | awk '{ printf "%.1f", $1 }')
if [ -n "$config" ]; then
    for target in shield pillar ground; do
        struck=$(grep -c "\"type\":\"clash\".*\"target\":\"$target\"" "$room/events" || true)
        [ "$struck" -gt 0 ] || fail "the $target was not struck" "$room/log"
        printf '%s\n' "the $target was struck $struck times" >>"$room/targets"
    done
fi
short=$(numbers release duration_ns | awk '$1 < 1e9 / 90' | wc -l)

# This build has a page only if nodejs could make it.
if [ -e "$build/daemon/viewer/made/page/index.html" ]; then
    look="$clashctl demo; with a clashd of yours      $clashctl view"
elif command -v node >/dev/null; then
    look="this build is without the page: $build/build.log has the reason"
else
    look='install nodejs (18 or newer), then sh daemon/demo.sh view'
fi

# The recording's clashes are known for the default settings alone.
recorded=$(grep -c '"type":"clash"' tests/data/duel-20s.events)
if [ -n "$config" ]; then
    exact=
else
    exact="The number can differ a little from one run to the next, and from the $recorded clashes that 'clashctl detect' finds in
the same recording: the demo samples the swings live, at other instants than the recording did, and between two samples
a blade's path is interpolated, so that the slightest grazing contacts come and go.
"
fi

step 'Done'
[ -z "$config" ] || cat "$room/targets"
cat <<END
In $seconds s of swings clashd reported $clashes clashes. The fastest closed at $fastest m/s, and $short were over again within one
frame of a 90 Hz game, where a test of each frame alone can miss them. Every line above went from the OpenXR loader
through the sweep to the socket, as it will with a headset.
$exact
Next:
  With a headset   start its OpenXR runtime (Monado, SteamVR, ..), then
                   $clashd      and beside it      $clashctl watch
  Unity, Godot, C  protocol/clients; elsewhere open the Unix socket \$XDG_RUNTIME_DIR/clashd/clashd.sock and read one
                   JSON object a line: protocol/PROTOCOL.md
  To look at them  $look
  Two players      sh daemon/demo.sh duel
  All the tests    sh tests/run.sh
END
