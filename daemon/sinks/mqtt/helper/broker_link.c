/* See broker_link.h. libmosquitto's handle is used by one thread at a time: mqtt_connect's until a try is over, then the loop's. */
#include "broker_private.h"

#include "broker_leave.h"

#include <mqtt_protocol.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How often libmosquitto may look whether a ping is due. */
#define TICK_MS 1000
/* After a connection that lasted this long the next try is soon. */
#define GOOD_MS 10000
/* How often it is looked whether a connection of before is over: the broker takes who comes by the same name for the same. */
#define LEFT_MS 20

static void on_timer(uv_timer_t *timer);

/* ---- trouble ---- */

/* Once for each trouble. */
static void say(broker_link *l, const char *why)
{
    if (strncmp(l->said, why, sizeof l->said - 1) == 0)
        return;
    LOG_WARNING(&l->settings.log, "mqtt.broker: %s:%d: %s: tried again until it works", l->settings.target.host,
                l->settings.target.port, why);
    snprintf(l->said, sizeof l->said, "%.255s", why);
}

/* Scatter the tries of an arena's clashds. */
static void try_later(broker_link *l)
{
    const uint64_t quarter = l->retry_ms / 4;
    const uint64_t now = uv_hrtime();

    uv_timer_start(&l->timer, on_timer, l->retry_ms - quarter + now % (2 * quarter + 1), 0);
    l->retry_ms = l->retry_ms * 2 < MQTT_RETRY_MAX_MS ? l->retry_ms * 2 : MQTT_RETRY_MAX_MS;
}

void broker_link_drop(broker_link *l, const char *why)
{
    const bool was_good = l->is_connected && uv_now(l->settings.loop) - l->since_ms >= GOOD_MS;
    char text[MQTT_SAID_MAX];

    snprintf(text, sizeof text, "%s", l->reason[0] ? l->reason : why);
    broker_turn_end(l);
    mosquitto_destroy(l->mosq);
    l->mosq = NULL;
    l->is_connected = l->is_new = false;
    if (was_good)
        l->retry_ms = MQTT_RETRY_MS;
    say(l, text);
    l->settings.lost(l->settings.context);
    try_later(l);
}

/* ---- a try ---- */

static void on_tried(void *context)
{
    broker_try *t = context;
    broker_link *l = t->context;

    l->trying = NULL;
    l->try = NULL;
    l->mosq = t->mosq;
    t->mosq = NULL;
    if (!l->mosq) {
        say(l, t->why.text);
        try_later(l);
    } else {
        l->is_over = l->was_waiting = false;
        l->reason[0] = '\0';
        l->since_ms = uv_now(l->settings.loop);
        uv_timer_start(&l->timer, on_timer, TICK_MS, TICK_MS);
        if (broker_turn_begin(l) == 0)
            broker_turn_after(l, MOSQ_ERR_SUCCESS);
        else
            broker_link_drop(l, "no descriptor is left");
    }
    broker_try_free(t);
}

static void try_now(broker_link *l)
{
    const worker_job job = {.context = l->try = calloc(1, sizeof *l->try),
                            .work = broker_try_connect,
                            .done = on_tried,
                            .drop = broker_try_free};

    l->tries++;
    if (l->try) {
        l->try->context = l;
        l->try->target = l->settings.target;
        l->trying = worker_start(l->settings.loop, &job);
    }
    if (l->trying)
        return;
    free(l->try);
    l->try = NULL;
    say(l, "out of memory");
    try_later(l);
}

static void on_timer(uv_timer_t *timer)
{
    broker_link *l = timer->data;

    if (!l->mosq && broker_leave_is_going())
        uv_timer_start(timer, on_timer, LEFT_MS, 0);
    else if (!l->mosq)
        try_now(l);
    else if (!l->is_connected && uv_now(l->settings.loop) - l->since_ms >= MQTT_ANSWER_MS)
        broker_link_drop(l, "no answer");
    else
        broker_turn_after(l, mosquitto_loop_misc(l->mosq));
}

/* ---- its life ---- */

broker_link *broker_link_open(const broker_link_settings *settings)
{
    broker_link *l = calloc(1, sizeof *l);

    if (!l)
        return NULL;
    l->settings = *settings;
    l->retry_ms = MQTT_RETRY_MS;
    if (mosquitto_lib_init() != MOSQ_ERR_SUCCESS ||
        mosquitto_property_add_byte(&l->properties, MQTT_PROP_PAYLOAD_FORMAT_INDICATOR, 1) != MOSQ_ERR_SUCCESS ||
        mosquitto_property_add_string(&l->properties, MQTT_PROP_CONTENT_TYPE, "application/json") != MOSQ_ERR_SUCCESS ||
        uv_timer_init(settings->loop, &l->timer) != 0) {
        mosquitto_property_free_all(&l->properties);
        free(l);
        return NULL;
    }
    l->timer.data = l;
    uv_unref((uv_handle_t *)&l->timer);
    uv_timer_start(&l->timer, on_timer, 0,
                   0); /* in the next turn: a link before this one may still have to be closed */
    return l;
}

bool broker_link_is_connected(const broker_link *l)
{
    return l->mosq && l->is_connected && !l->is_over;
}

bool broker_link_is_ready(const broker_link *l)
{
    return broker_link_is_connected(l) && !mosquitto_want_write(l->mosq);
}

mqtt_link_counts broker_link_count(const broker_link *l)
{
    return (mqtt_link_counts){l->tries, l->connections, l->denied, l->never};
}

/* Leave out what the broker says it does not support, if it can do without. */
static int publish(broker_link *l, const char *topic, mqtt_way way, const char *payload, size_t length, int *out_mid)
{
    int result = MOSQ_ERR_NOMEM;

    for (int tries = 0; tries < 3; tries++) {
        result =
            mosquitto_publish_v5(l->mosq, out_mid, topic, (int)length, payload, way.qos, way.retain, l->properties);
        if (result == MOSQ_ERR_RETAIN_NOT_SUPPORTED)
            way.retain = false;
        else if (result == MOSQ_ERR_QOS_NOT_SUPPORTED)
            way.qos = 0;
        else
            break;
    }
    return result;
}

bool broker_link_publish(broker_link *l, const char *topic, const mqtt_way *way, const char *payload, size_t length,
                         int *out_mid, bool *out_never)
{
    const int result = publish(l, topic, *way, payload, length, out_mid);

    *out_never = result == MOSQ_ERR_OVERSIZE_PACKET || result == MOSQ_ERR_INVAL || result == MOSQ_ERR_MALFORMED_UTF8 ||
                 result == MOSQ_ERR_PAYLOAD_SIZE;
    l->never += *out_never;
    if (result == MOSQ_ERR_SUCCESS)
        broker_turn_watch(l);
    else if (!*out_never)
        l->is_over = true; /* handle it in the next turn: the caller is in the middle of something */
    return result == MOSQ_ERR_SUCCESS;
}

static void free_link(uv_handle_t *timer)
{
    free(timer->data);
}

void broker_link_close(broker_link *l)
{
    if (l->trying)
        worker_abandon(l->trying); /* who is last frees it */
    if (broker_link_is_connected(l))
        broker_leave(l->settings.loop, l->mosq, l->fd);
    else if (l->mosq)
        mosquitto_destroy(l->mosq);
    broker_turn_end(l);
    mosquitto_property_free_all(&l->properties);
    uv_close((uv_handle_t *)&l->timer, free_link);
}
