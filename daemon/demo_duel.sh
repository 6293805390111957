# shellcheck shell=sh disable=SC2154 # demo.sh, which reads this, sets them
# Of demo.sh: two players, each with a clashd of their own, and a broker between them. The right hand of the recording is anna's, the
# left one ben's; what one sees here is what anna's clashd tells her game.
port=18830
broker=
while [ -z "$broker" ]; do
    [ $port -lt 18850 ] || fail 'no broker started on ports 18830 to 18849 of this machine' "$room/broker"
    PATH="$PATH:/usr/sbin" mosquitto -p $port >"$room/broker" 2>&1 &
    broker=$!
    children="$children $broker"
    sleep 0.3
    if ! kill -0 "$broker" 2>/dev/null; then
        broker=
        port=$((port + 1))
    fi
done

# player NAME HAND
player() {
    start "$room/$1.log" --socket "$room/$1.sock" --set mqtt.broker=127.0.0.1:$port --set mqtt.room=demo --set "mqtt.player=$1" --set mqtt.peers=true \
        --set "blades=[{\"name\": \"saber\", \"device\": \"/user/hand/$2\", \"base\": [0, 0, 0], \"tip\": [0, 0, -1], \"radius\": 0.015}]"
}
player anna right
anna=$clashd_pid
player ben left
ben=$clashd_pid
until_there "anna's clashd" "$anna" "$room/anna.log" [ -S "$room/anna.sock" ]
until_there "ben's clashd" "$ben" "$room/ben.log" [ -S "$room/ben.sock" ]
for name in anna ben; do
    "$clashctl" watch --socket "$room/$name.sock" --once --json --events clash >"$room/$name.events" 2>&1 &
    children="$children $!"
done
echo "A broker and two clashds run, as on three machines; each has one hand of a real person's swings, for $seconds s."

step "Clashes, as anna's game hears of them (clashctl watch)"
"$clashctl" watch --socket "$room/anna.sock" --once --events clash &
watch_pid=$!
children="$children $watch_pid"
left=$((seconds + 2))
while [ $left -gt 0 ]; do
    for process in $anna $ben $broker; do
        kill -0 "$process" 2>/dev/null || fail 'one of the three ended early' "$room/anna.log"
    done
    kill -0 "$watch_pid" 2>/dev/null || exit 141 # nobody reads what it shows
    sleep 1
    left=$((left - 1))
done

for name in anna ben; do
    sed -n 's/.*"type":"clash".*"room_id":\([0-9]*\).*/\1/p' "$room/$name.events" | sort >"$room/$name.ids"
done
both=$(comm -12 "$room/anna.ids" "$room/ben.ids" | wc -l)
[ "$both" -gt 0 ] || fail 'the two found no clash in common' "$room/anna.log"

step 'Done'
cat <<END
anna's clashd found $(wc -l <"$room/anna.ids") clashes, ben's $(wc -l <"$room/ben.ids"), and $both of them are the same ones: they have one room_id on both machines.
Neither waited for the other: each swept its own blade against the other player's, as told through the broker.

Next: protocol/PROTOCOL.md, "Several players". On each machine, with the name of one that has mosquitto:
  $clashd --set mqtt.broker=HOST --set mqtt.room=hall --set mqtt.player=NAME --set mqtt.peers=true
END
