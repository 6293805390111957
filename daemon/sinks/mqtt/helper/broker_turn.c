/* See broker_private.h. libmosquitto's socket is watched through a copy of the descriptor, as it closes its own when it likes. What its
 * callbacks find is noted, and acted upon when the call that made them has returned. */
#include "broker_private.h"

#include <errno.h>
#include <fcntl.h>
#include <mqtt_protocol.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How many messages are taken in one turn of the loop, in which all others wait. */
#define TAKEN_AT_ONCE 64

/* ---- what libmosquitto reports: notes alone ---- */

static void on_connect(struct mosquitto *mosq, void *context, int reason, int flags,
                       const mosquitto_property *properties)
{
    broker_link *l = context;

    (void)mosq, (void)flags, (void)properties;
    if (reason == 0) {
        l->is_connected = l->is_new = true;
        return;
    }
    snprintf(l->reason, sizeof l->reason, "%sthe broker refuses: %s%s",
             reason == MQTT_RC_BAD_USERNAME_OR_PASSWORD || reason == MQTT_RC_NOT_AUTHORIZED ? "mqtt.user: " : "",
             mosquitto_reason_string(reason),
             reason == MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION ? " (expected one of MQTT 5)" : "");
}

static void on_disconnect(struct mosquitto *mosq, void *context, int reason, const mosquitto_property *properties)
{
    broker_link *l = context;

    (void)mosq, (void)properties;
    l->is_over = true;
    if (!l->reason[0] && reason >= 128)
        snprintf(l->reason, sizeof l->reason, "the broker says: %s", mosquitto_reason_string(reason));
}

static void on_publish(struct mosquitto *mosq, void *context, int mid, int reason, const mosquitto_property *properties)
{
    broker_link *l = context;

    (void)mosq, (void)properties;
    if (reason >= 128) {
        if (!l->has_said_denied)
            LOG_WARNING(&l->settings.log, "mqtt.user: the broker does not let clashd publish below %s: %s",
                        l->settings.target.will_topic, mosquitto_reason_string(reason));
        l->has_said_denied = true;
        l->denied++;
    }
    l->settings.acknowledged(l->settings.context, mid);
}

static void on_message(struct mosquitto *mosq, void *context, const struct mosquitto_message *message,
                       const mosquitto_property *properties)
{
    broker_link *l = context;

    (void)mosq, (void)properties;
    l->received++;
    if (message->payloadlen <= MQTT_TAKEN_MAX)
        l->settings.received(l->settings.context, message->topic, message->retain,
                             message->payload ? message->payload : "", (size_t)message->payloadlen);
}

static void on_subscribe(struct mosquitto *mosq, void *context, int mid, int count, const int *granted,
                         const mosquitto_property *properties)
{
    broker_link *l = context;

    (void)mosq, (void)mid, (void)properties;
    for (int i = 0; i < count; i++)
        if (granted[i] >= 128)
            LOG_WARNING(&l->settings.log, "mqtt.user: the broker does not let clashd read below %s: %s",
                        l->settings.filters->room, mosquitto_reason_string(granted[i]));
}

/* Take TLS's reason from libmosquitto's log: it stands nowhere else. */
static void on_log(struct mosquitto *mosq, void *context, int level, const char *text)
{
    broker_link *l = context;

    (void)mosq;
    if (level == MOSQ_LOG_ERR)
        snprintf(l->reason, sizeof l->reason, "%.*s", (int)strcspn(text, "\r\n"), text);
}

/* ---- the loop ---- */

static void free_handle(uv_handle_t *handle)
{
    close((int)(intptr_t)handle->data);
    free(handle);
}

void broker_turn_end(broker_link *l)
{
    if (!l->poll)
        return;
    l->poll->data = (void *)(intptr_t)l->fd;
    uv_close((uv_handle_t *)l->poll, free_handle);
    l->poll = NULL;
}

/* libmosquitto reads one packet. As long as they are messages there may be more. What is published meanwhile goes at once. */
static int read_some(broker_link *l)
{
    int result = MOSQ_ERR_SUCCESS;
    uint64_t before;

    for (int i = 0; i < TAKEN_AT_ONCE && result == MOSQ_ERR_SUCCESS && !l->is_over; i++) {
        before = l->received;
        result = mosquitto_loop_read(l->mosq, 1);
        if (l->received == before)
            break;
        if (result == MOSQ_ERR_SUCCESS && mosquitto_want_write(l->mosq))
            result = mosquitto_loop_write(l->mosq, 1);
    }
    return result;
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    broker_link *l = poll->data;
    int result = status < 0 ? MOSQ_ERR_CONN_LOST : MOSQ_ERR_SUCCESS;

    if (result == MOSQ_ERR_SUCCESS && (events & UV_READABLE))
        result = read_some(l);
    if (result == MOSQ_ERR_SUCCESS && !l->is_over && (events & UV_WRITABLE))
        result = mosquitto_loop_write(l->mosq, 1);
    broker_turn_after(l, result);
}

void broker_turn_watch(broker_link *l)
{
    const bool waits = mosquitto_want_write(l->mosq);

    l->was_waiting = l->was_waiting || waits;
    uv_poll_start(l->poll, UV_READABLE | (waits ? UV_WRITABLE : 0), on_poll);
}

/* Drop this player's own messages: brokers do not send them back, but what an earlier run left retained comes. */
static void subscribe(broker_link *l)
{
    const mqtt_filters *f = l->settings.filters;

    for (size_t i = 0; i < f->count; i++)
        if (mosquitto_subscribe_v5(l->mosq, NULL, f->topics[i], mqtt_ways[f->kinds[i]].qos, MQTT_SUB_OPT_NO_LOCAL,
                                   NULL) != MOSQ_ERR_SUCCESS)
            l->is_over = true; /* found in the next turn */
    broker_turn_watch(l);
}

void broker_turn_after(broker_link *l, int result)
{
    bool is_new;

    if (!l->mosq)
        return;
    if (result != MOSQ_ERR_SUCCESS || l->is_over) {
        broker_link_drop(l, result == MOSQ_ERR_ERRNO && errno                        ? strerror(errno)
                            : result == MOSQ_ERR_SUCCESS || result == MOSQ_ERR_ERRNO ? "the connection was lost"
                                                                                     : mosquitto_strerror(result));
        return;
    }
    broker_turn_watch(l);
    is_new = l->is_new;
    if (is_new) {
        l->is_new = false;
        l->connections++;
        l->since_ms = uv_now(l->settings.loop);
        l->said[0] = '\0';
        LOG_INFO(&l->settings.log, "mqtt.broker: connected to %s:%d", l->settings.target.host, l->settings.target.port);
    }
    if (is_new && l->settings.filters)
        subscribe(l);
    if (broker_link_is_ready(l) && (is_new || l->was_waiting)) {
        l->was_waiting = false;
        l->settings.ready(l->settings.context, is_new);
    }
}

static int watch_socket(broker_link *l)
{
    l->fd = fcntl(mosquitto_socket(l->mosq), F_DUPFD_CLOEXEC, 0);
    l->poll = l->fd >= 0 ? malloc(sizeof *l->poll) : NULL;
    if (l->poll && uv_poll_init(l->settings.loop, l->poll, l->fd) == 0) {
        l->poll->data = l;
        uv_unref((uv_handle_t *)l->poll);
        return 0;
    }
    free(l->poll);
    l->poll = NULL;
    if (l->fd >= 0)
        close(l->fd);
    return -1;
}

int broker_turn_begin(broker_link *l)
{
    mosquitto_user_data_set(l->mosq, l);
    mosquitto_connect_v5_callback_set(l->mosq, on_connect);
    mosquitto_disconnect_v5_callback_set(l->mosq, on_disconnect);
    mosquitto_publish_v5_callback_set(l->mosq, on_publish);
    mosquitto_log_callback_set(l->mosq, on_log);
    if (l->settings.filters) {
        mosquitto_message_v5_callback_set(l->mosq, on_message);
        mosquitto_subscribe_v5_callback_set(l->mosq, on_subscribe);
    }
    return watch_socket(l);
}
