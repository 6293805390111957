/* Topics: see mqtt_topic.h. */
#include "mqtt_topic.h"

#include "cli/percent.h"

#include <stdio.h>

const mqtt_way mqtt_ways[MQTT_KINDS] = {
    [MQTT_ONLINE] = {"online", 1, true},
    [MQTT_HELLO] = {"hello", 1, true},
    [MQTT_STATUS] = {"status", 0, true},
    [MQTT_POSES] = {"poses", 0, false},
    [MQTT_CLASH] = {"events/clash", 1, false},
    [MQTT_HOLD] = {"events/hold", 0, false},
    [MQTT_RELEASE] = {"events/release", 1, false},
    [MQTT_TRACKING] = {"events/tracking", 1, false},
    [MQTT_SPACE_CHANGED] = {"events/space_changed", 1, false},
    [MQTT_LAGGED] = {"events/lagged", 1, false},
};

mqtt_kind mqtt_kind_of(clash_event_kind kind)
{
    static const mqtt_kind kinds[] = {
        [CLASH_EVENT_CLASH] = MQTT_CLASH,
        [CLASH_EVENT_HOLD] = MQTT_HOLD,
        [CLASH_EVENT_RELEASE] = MQTT_RELEASE,
        [CLASH_EVENT_TRACKING] = MQTT_TRACKING,
        [CLASH_EVENT_SPACE_CHANGED] = MQTT_SPACE_CHANGED,
    };

    return kinds[kind];
}

bool mqtt_topic(const char *room, const char *player, mqtt_kind kind, char out[MQTT_TOPIC_MAX])
{
    char levels[2][MQTT_TOPIC_MAX / 2];
    int length;

    if (!percent_encode(room, "+#/$", levels[0], sizeof levels[0]) ||
        !percent_encode(player, "+#/$", levels[1], sizeof levels[1]))
        return false;
    length = snprintf(out, MQTT_TOPIC_MAX, "clashd/%s/%s/%s", levels[0], levels[1], mqtt_ways[kind].topic);
    return length > 0 && length < MQTT_TOPIC_MAX;
}
