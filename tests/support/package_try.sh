# shellcheck shell=sh
# What package_root.py has a bare Debian do with packages: those in /run/shared/old, and then those in /run/shared/new.
set -eu
export DEBIAN_FRONTEND=noninteractive HOME=/tmp/home XDG_RUNTIME_DIR=/tmp/run
abi=$(find /run/shared/new -name 'libclash[0-9]*' | sed 's,.*/libclash\([0-9.]*\)_.*,\1,')
packages="clashd clashd-clients libclash$abi libclash-dev libclash-client$abi libclash-client-dev"

step() { printf '== %s\n' "$1"; }
fail() { printf '%s\n' "$1"; exit 1; }
# What is ours, wherever it is.
ours() { find / -xdev \( -path /run -o -path /src -o -path /proc -o -path /tmp -o -path /sys -o -path /.clashd-root \) -prune -o -name '*clash*' -print; }
apt() { apt-get -qy -o Dpkg::Use-Pty=0 --no-install-recommends "$@" </dev/null; }
put() { apt install --reinstall "$@"; } # as the README has it
asked() { cat /tmp/systemctl; : >/tmp/systemctl; }
# begin OPTION..: clashd, until its socket is there. It ends by itself only for a reason that is shown; end: without one.
begin() {
    clashd "$@" >/tmp/clashd.log 2>&1 &
    clashd=$!
    until [ -S "$XDG_RUNTIME_DIR/clashd/clashd.sock" ]; do kill -0 $clashd || fail "$(cat /tmp/clashd.log)"; sleep 0.1; done
}
end() {
    kill $clashd
    wait $clashd || fail "$(cat /tmp/clashd.log)"
}

# A machine on which systemd runs and one user is logged in: what scripts of packages ask of it is written down.
mkdir -p /run/systemd/system "$HOME" "$XDG_RUNTIME_DIR"
chmod 700 "$XDG_RUNTIME_DIR"
: >/tmp/systemctl
cat >/usr/bin/systemctl <<'END'
#!/bin/sh
case "$*" in
*--version*) echo 'systemd 252 (252)' ;;
*list-units*) echo 'user@1000.service loaded active running User Manager for UID 1000' ;;
*) echo "$*" >>/tmp/systemctl ;;
esac
END
chmod 755 /usr/bin/systemctl

rm -f /etc/dpkg/dpkg.cfg.d/99mmdebstrap # documentation is wanted
[ -z "$(ours)" ] || fail "before anything is installed: $(ours)"
apt update

step 'the packages of the commit before are installed'
put /run/shared/old/*.deb
old=$(dpkg-query -W -f '${Version}' clashd)
[ -z "$(asked | grep clashd)" ] || fail 'systemd was asked for something of clashd'
[ -z "$(find /etc -name '*clash*')" ] || fail 'something is in /etc'

step 'clashd runs'
begin --source none
mkdir -p "$HOME/.config/clashd"
echo '{"contact": {"margin": 0.001}}' >"$HOME/.config/clashd/config.json"

step 'they are upgraded while it runs'
put /run/shared/new/*.deb
new=$(dpkg-query -W -f '${Version}' clashd)
dpkg --compare-versions "$old" lt "$new" || fail "$new does not come after $old"
for package in $packages; do
    [ "$(dpkg-query -W -f '${Version} ${Status}' "$package")" = "$new install ok installed" ] || fail "$package: $(dpkg -s "$package")"
done
[ "$(asked | grep clashd)" = '--quiet --user --machine 1000@ try-restart clashd.service' ] || fail 'it was not asked to restart'
clashctl status >/dev/null || fail 'the clashd that ran runs no more'
end
cat "$HOME/.config/clashd/config.json" >/dev/null
[ -z "$(dpkg --verify $packages)" ] || fail "$(dpkg --verify $packages)"

step 'programs, helpers, pages, completions and libraries are there'
clashd --check-config
[ "$(clashctl detect /src/tests/data/duel-20s.jsonl | grep -c '"type":"clash"')" -gt 10 ] || fail 'no clashes'
[ "$(clashctl --version)" = "clashctl ${new%%[~+-]*}" ] || fail "$(clashctl --version)"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >/tmp/wall.obj
echo '{"targets": [{"name": "wall", "mesh": {"file": "/tmp/wall.obj"}}]}' >/tmp/wall.json
clashd --check-config --config /tmp/wall.json
[ "$(clashctl demo --once --no-browser | grep -c ' clash ')" -gt 10 ] || fail 'clashctl demo shows no clashes'
clashctl layer enable
clashctl layer status
clashctl layer disable
for page in man1/clashd.1 man1/clashctl.1 man5/clashd-config.5; do gzip -t /usr/share/man/$page.gz; done
ldconfig -p | grep -qF "libclash_client.so.$abi " || fail 'the loader does not know of libclash_client'
[ -e /usr/share/clashd/clients/unity/package.json ]

step 'the module of OSC and the helper of MQTT, and what clashd reports without their libraries'
echo '{"osc": {"receivers": ["7000"]}}' >/tmp/osc.json
echo '{"mqtt": {"broker": "127.0.0.1:1"}}' >/tmp/mqtt.json
begin --source none --config /tmp/osc.json
grep -q /usr/libexec/clashd-osc.so /proc/$clashd/maps || fail "clashd-osc.so is not loaded: $(cat /tmp/clashd.log)"
end
begin --source none --config /tmp/mqtt.json
for try in $(seq 100); do
    grep -q 'warning.*mqtt.broker.*Connection refused' /tmp/clashd.log && break
    sleep 0.1
done
[ "$try" -lt 100 ] || fail "clashd-mqtt does not look for the broker: $(cat /tmp/clashd.log)"
end
dpkg --force-depends --remove liblo7 libmosquitto1
begin --source none
end
clashd --source none --config /tmp/osc.json >/tmp/clashd.log 2>&1 && fail 'clashd ran without liblo.so.7'
grep 'error.*osc.*liblo.so.7' /tmp/clashd.log || fail "nothing names liblo.so.7: $(cat /tmp/clashd.log)"
begin --source none --config /tmp/mqtt.json
for try in $(seq 100); do
    grep -q 'warning.*mqtt.broker.*is libmosquitto installed' /tmp/clashd.log && break
    sleep 0.1
done
[ "$try" -lt 100 ] || fail "nothing names libmosquitto: $(cat /tmp/clashd.log)"
end
apt install --fix-broken

if [ -e /run/shared/page ]; then
    step 'the page is in it'
    apt install curl
    begin --source none --websocket 47180
    curl -sf http://127.0.0.1:47180/ >/tmp/page || fail 'there is no page'
    grep -o 'src="[^"]*"' /tmp/page | cut -d '"' -f 2 >/tmp/scripts
    [ -s /tmp/scripts ] || fail "the page has no script: $(cat /tmp/page)"
    echo engine.wasm >>/tmp/scripts
    while read -r file; do curl -sf "http://127.0.0.1:47180/${file#/}" >/dev/null || fail "there is no $file"; done </tmp/scripts
    clashctl view --no-browser >/tmp/view || fail "clashctl view: $(cat /tmp/view)"
    end
fi

step 'a program in C is compiled and runs'
apt install gcc libc6-dev pkg-config
cc -o /tmp/sparks /usr/share/clashd/clients/c/examples/sparks.c $(pkg-config --cflags --libs clash-client)
printf '#include <clash/sweep.h>\nint main(void) { return clash_sweep(0, 0, 0) == CLASH_SWEEP_HIT && CLASH_VERSION_MAJOR > 9; }\n' >/tmp/a.c
cc -c -o /tmp/a.o /tmp/a.c $(pkg-config --cflags clash)
begin --source replay:/src/tests/data/duel-20s.jsonl --speed max --wait-for-client
/tmp/sparks >/tmp/sparks.log 2>&1 &
sparks=$!
until [ "$(grep -c . /tmp/sparks.log)" -gt 3 ]; do kill -0 $sparks || fail "$(cat /tmp/sparks.log)"; sleep 0.1; done
kill $sparks
end

step 'they are removed'
asked >/dev/null
# shellcheck disable=SC2086 # words
apt remove $packages
[ "$(asked | grep clashd)" = '--quiet --user --machine 1000@ stop clashd.socket clashd.service' ] || fail 'clashd was not asked to stop'
[ -z "$(ours | grep -v '^/var/lib/dpkg/')" ] || fail "left: $(ours)"
ldconfig -p | grep clash && fail 'the loader still knows of libclash'

step 'they are purged'
# shellcheck disable=SC2086
apt purge clashd "libclash$abi" "libclash-client$abi"
[ -z "$(ours)" ] || fail "left: $(ours)"
[ -z "$(dpkg -l | grep clash)" ] || fail "$(dpkg -l | grep clash)"
[ -z "$(asked | grep enable)" ] || fail 'something was enabled'

step 'they are installed again, and in the place of older ones of the same version'
put /run/shared/new/*.deb
echo old >/usr/share/doc/clashd/README.md
put /run/shared/new/*.deb
[ "$(cat /usr/share/doc/clashd/README.md)" != old ] || fail 'apt has kept what was there'
clashd --version
step 'all right'
