/* See mqtt_link.h. */
#include "mqtt_link.h"

#include "mqtt_helper.h"

#include <clash/base.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pauses between starts of the process: the first and the longest; each is twice the one before. */
#define START_MS 1000
#define START_MAX_MS 30000
/* After a process that lasted this long the next start is soon. */
#define GOOD_MS 30000
/* How often it is looked whether the process of a link before has ended: the broker takes both for one client. */
#define LEFT_MS 20
/* Messages that libmosquitto has not taken: with more the link is not ready. */
#define ON_WAY_MAX 32

struct mqtt_link {
    mqtt_link_settings settings;
    uv_timer_t timer;    /* of the next start */
    mqtt_helper *helper; /* NULL: none */
    bool is_connected;
    bool was_full; /* connected, and not ready since */
    int32_t last_id;
    int64_t on_way;
    uint64_t started_ms, retry_ms;
    mqtt_link_counts counts, before; /* of this process; of those before it */
    char said[256];                  /* in the log, last */
};

static void on_timer(uv_timer_t *timer);

/* Once for each trouble. */
static void try_later(mqtt_link *l, const char *why)
{
    if (strncmp(l->said, why, sizeof l->said - 1) != 0)
        LOG_WARNING(&l->settings.log, "mqtt.broker: %s:%d: %s: started again until it works", l->settings.target.host,
                    l->settings.target.port, why);
    snprintf(l->said, sizeof l->said, "%.255s", why);
    uv_timer_start(&l->timer, on_timer, l->retry_ms, 0);
    l->retry_ms = l->retry_ms * 2 < START_MAX_MS ? l->retry_ms * 2 : START_MAX_MS;
}

/* ---- what the process reports ---- */

static void lose(mqtt_link *l)
{
    const bool was_connected = l->is_connected;

    l->is_connected = l->was_full = false;
    if (was_connected)
        l->settings.lost(l->settings.context);
}

static void take_on_way(mqtt_link *l, int32_t count)
{
    l->on_way -= count;
    if (!l->was_full || !mqtt_link_is_ready(l))
        return;
    l->was_full = false;
    l->settings.ready(l->settings.context, false);
}

static void on_frame(void *context, const mqtt_frame *frame, const char *topic, const char *payload)
{
    mqtt_link *l = context;

    l->counts = frame->counts;
    switch ((mqtt_frame_kind)frame->kind) {
    case MQTT_FRAME_LOG:
        if (frame->number >= LOG_LEVEL_WARNING && frame->number <= LOG_LEVEL_DEBUG)
            logger_print(&l->settings.log, (log_level)frame->number, "%s", payload);
        break;
    case MQTT_FRAME_CONNECTED:
        l->is_connected = true;
        l->said[0] = '\0';
        l->settings.ready(l->settings.context, true);
        break;
    case MQTT_FRAME_LOST:
        lose(l);
        break;
    case MQTT_FRAME_ACKNOWLEDGED:
        l->settings.acknowledged(l->settings.context, frame->number);
        break;
    case MQTT_FRAME_TAKEN:
        take_on_way(l, frame->number);
        break;
    case MQTT_FRAME_RECEIVED:
        if (l->settings.filters && l->is_connected)
            l->settings.received(l->settings.context, topic, frame->flag, payload, frame->payload_length);
        break;
    default: /* the counts */
        break;
    }
}

static mqtt_link_counts sum(const mqtt_link_counts *a, const mqtt_link_counts *b)
{
    return (mqtt_link_counts){a->tries + b->tries, a->connections + b->connections, a->denied + b->denied,
                              a->never + b->never};
}

static void on_ended(void *context, const char *why)
{
    mqtt_link *l = context;

    l->helper = NULL;
    l->before = sum(&l->before, &l->counts);
    l->counts = (mqtt_link_counts){0};
    l->on_way = 0;
    if (uv_now(l->settings.loop) - l->started_ms >= GOOD_MS)
        l->retry_ms = START_MS;
    lose(l);
    try_later(l, why);
}

/* ---- its life ---- */

/* Of letters and digits, and no more than 23: every broker takes that. The same for all connections of this clashd, so that the broker
 * ends one that only it believes in, and a will cannot come late. */
static int name_client(mqtt_target *target)
{
    static uint64_t number;

    if (number == 0 && uv_random(NULL, NULL, &number, sizeof number, 0, NULL) != 0)
        return -1;
    snprintf(target->client, sizeof target->client, "clashd%016" PRIx64, number);
    return 0;
}

static void start(mqtt_link *l)
{
    const mqtt_helper_user user = {l, on_frame, on_ended};
    mqtt_opening *opening = calloc(1, sizeof *opening);
    failure why = {0};

    if (opening) {
        snprintf(opening->version, sizeof opening->version, "%s", CLASH_VERSION_STRING);
        opening->target = l->settings.target;
        opening->has_filters = l->settings.filters != NULL;
        if (l->settings.filters)
            opening->filters = *l->settings.filters;
        l->helper = mqtt_helper_start(l->settings.loop, opening, &user, &why);
        free(opening);
    }
    l->started_ms = uv_now(l->settings.loop);
    if (!l->helper)
        try_later(l, why.text[0] ? why.text : "out of memory");
}

static void on_timer(uv_timer_t *timer)
{
    mqtt_link *l = timer->data;

    if (mqtt_helper_is_going())
        uv_timer_start(timer, on_timer, LEFT_MS, 0);
    else
        start(l);
}

mqtt_link *mqtt_link_open(const mqtt_link_settings *settings)
{
    mqtt_link *l = calloc(1, sizeof *l);

    if (!l)
        return NULL;
    l->settings = *settings;
    l->retry_ms = START_MS;
    if (name_client(&l->settings.target) != 0 || uv_timer_init(settings->loop, &l->timer) != 0) {
        free(l);
        return NULL;
    }
    l->timer.data = l;
    uv_unref((uv_handle_t *)&l->timer);
    uv_timer_start(&l->timer, on_timer, 0,
                   0); /* in the next turn: a link before this one may still have to be closed */
    return l;
}

bool mqtt_link_is_connected(const mqtt_link *l)
{
    return l->helper && l->is_connected;
}

bool mqtt_link_is_ready(const mqtt_link *l)
{
    return mqtt_link_is_connected(l) && l->on_way < ON_WAY_MAX && mqtt_helper_is_empty(l->helper);
}

mqtt_link_counts mqtt_link_count(const mqtt_link *l)
{
    return sum(&l->counts, &l->before);
}

bool mqtt_link_publish(mqtt_link *l, const char *topic, const mqtt_way *way, const char *payload, size_t length,
                       int *out_mid)
{
    const mqtt_frame frame = {.kind = MQTT_FRAME_PUBLISH,
                              .number = *out_mid = l->last_id = l->last_id < INT32_MAX ? l->last_id + 1 : 1,
                              .topic_length = (uint32_t)strlen(topic),
                              .payload_length = (uint32_t)length,
                              .qos = (uint8_t)way->qos,
                              .retain = way->retain};

    if (!mqtt_link_is_connected(l) || length > MQTT_FRAME_PAYLOAD_MAX ||
        !mqtt_helper_send(l->helper, &frame, topic, payload))
        return false;
    l->on_way++;
    l->was_full = l->was_full || !mqtt_link_is_ready(l);
    return true;
}

static void free_link(uv_handle_t *timer)
{
    free(timer->data);
}

void mqtt_link_close(mqtt_link *l)
{
    if (l->helper)
        mqtt_helper_release(l->helper);
    uv_close((uv_handle_t *)&l->timer, free_link);
}
