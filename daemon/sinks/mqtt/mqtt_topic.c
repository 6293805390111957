/* Topics: see mqtt_topic.h. */
#include "mqtt_topic.h"

#include "cli/percent.h"

#include <stdio.h>
#include <string.h>

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
    [MQTT_PEER] = {"peer", 1, true},
    [MQTT_SAMPLES] = {"samples", 0, false},
    [MQTT_CLOCK_ASK] = {"clock/ask", 0, false},
    [MQTT_CLOCK_ANSWER] = {"clock/answer", 0, false},
    [MQTT_CONTACT] = {"contact", 1, false},
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

/* What no level of a topic can have, or what brokers treat specially. */
#define RESERVED "+#/$"
#define LEVEL_MAX (MQTT_TOPIC_MAX / 2)

static bool is_whole(int length)
{
    return length > 0 && length < MQTT_TOPIC_MAX;
}

bool mqtt_topic(const char *room, const char *player, mqtt_kind kind, char out[MQTT_TOPIC_MAX])
{
    char levels[2][LEVEL_MAX];

    return percent_encode(room, RESERVED, levels[0], LEVEL_MAX) &&
           percent_encode(player, RESERVED, levels[1], LEVEL_MAX) &&
           is_whole(snprintf(out, MQTT_TOPIC_MAX, "clashd/%s/%s/%s", levels[0], levels[1], mqtt_ways[kind].topic));
}

bool mqtt_topic_to(const char *room, const char *player, mqtt_kind kind, const char *to, char out[MQTT_TOPIC_MAX])
{
    char topic[MQTT_TOPIC_MAX], level[LEVEL_MAX];

    return mqtt_topic(room, player, kind, topic) && percent_encode(to, RESERVED, level, sizeof level) &&
           is_whole(snprintf(out, MQTT_TOPIC_MAX, "%s/%s", topic, level));
}

static bool is_to_one(mqtt_kind kind)
{
    return kind == MQTT_CLOCK_ASK || kind == MQTT_CLOCK_ANSWER || kind == MQTT_CONTACT;
}

/* `player` and `to` are levels as they stand in topics; to "": to nobody alone. */
static bool add_filter(mqtt_filters *f, mqtt_kind kind, const char *player, const char *to)
{
    f->kinds[f->count] = kind;
    return is_whole(snprintf(f->topics[f->count++], MQTT_TOPIC_MAX, "%s%s/%s%s%s", f->room, player,
                             mqtt_ways[kind].topic, to[0] ? "/" : "", to));
}

bool mqtt_filters_make(const char *room, const char *player, const char (*players)[MQTT_NAME_SIZE], size_t player_count,
                       mqtt_filters *out)
{
    char level[LEVEL_MAX];

    out->count = 0;
    if (player_count > MQTT_NAMES_MAX || !percent_encode(room, RESERVED, level, sizeof level) ||
        !percent_encode(player, RESERVED, out->own, sizeof out->own))
        return false;
    snprintf(out->room, sizeof out->room, "clashd/%s/", level);
    if (!add_filter(out, MQTT_ONLINE, "+", "") || !add_filter(out, MQTT_PEER, "+", "") ||
        !add_filter(out, MQTT_CLOCK_ASK, "+", out->own) || !add_filter(out, MQTT_CLOCK_ANSWER, "+", out->own) ||
        !add_filter(out, MQTT_CONTACT, "+", out->own))
        return false;
    for (size_t i = 0; i < player_count; i++)
        if (!percent_encode(players[i], RESERVED, level, sizeof level) || !add_filter(out, MQTT_SAMPLES, level, ""))
            return false;
    return player_count > 0 || add_filter(out, MQTT_SAMPLES, "+", "");
}

static bool is_of_kind(const mqtt_filters *f, mqtt_kind kind, const char *rest)
{
    const size_t length = strlen(mqtt_ways[kind].topic);

    if (strncmp(rest, mqtt_ways[kind].topic, length) != 0)
        return false;
    return is_to_one(kind) ? rest[length] == '/' && strcmp(rest + length + 1, f->own) == 0 : rest[length] == '\0';
}

bool mqtt_filters_match(const mqtt_filters *f, const char *topic, char out_player[MQTT_PLAYER_MAX], mqtt_kind *out_kind)
{
    const size_t before = strlen(f->room);
    const char *player = topic + before, *end;

    if (strncmp(topic, f->room, before) != 0 || !(end = strchr(player, '/')) || end == player ||
        !percent_decode(player, (size_t)(end - player), RESERVED, out_player, MQTT_PLAYER_MAX))
        return false;
    for (size_t i = 0; i < f->count; i++)
        if (is_of_kind(f, f->kinds[i], end + 1)) {
            *out_kind = f->kinds[i];
            return true;
        }
    return false;
}
