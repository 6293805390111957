/* See mqtt_link.h. libmosquitto's handle is used by one thread at a time: mqtt_connect's until a try is over, then the loop's. Its socket
 * is watched through a copy of the descriptor, as it closes its own when it likes. What its callbacks find is noted, and acted upon when
 * the call that made them has returned. */
#include "mqtt_link.h"

#include "mesh/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <mqtt_protocol.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How often libmosquitto may look whether a ping is due. */
#define TICK_MS 1000
/* A connection that lasts so long was a good one: the next try is soon. */
#define GOOD_MS 10000
/* Messages taken in one turn of the loop: others wait for it. */
#define TAKEN_AT_ONCE 64

struct mqtt_link {
    mqtt_link_settings settings;
    uv_timer_t timer;               /* of the next try, or of the next tick */
    worker *trying;                 /* NULL: nobody connects now */
    mqtt_try *try;                  /* .. with this */
    struct mosquitto *mosq;         /* NULL: no connection */
    mosquitto_property *properties; /* of what is published */
    uv_poll_t *poll;                /* of a copy of its socket */
    int fd;                         /* that */
    bool is_connected;              /* the broker has said yes */
    bool is_new;                    /* .. just now */
    bool is_over;                   /* the handle is no use any more */
    bool was_waiting;               /* the kernel did not take all */
    uint64_t since_ms, retry_ms;
    uint64_t tries, connections;
    uint64_t received;
    uint64_t denied; /* messages */
    bool has_said_denied;
    char said[MQTT_SAID_MAX];   /* in the log, last */
    char reason[MQTT_SAID_MAX]; /* of its end, as far as it is known */
};

/* ---- what libmosquitto reports: notes alone ---- */

static void on_connect(struct mosquitto *mosq, void *context, int reason, int flags,
                       const mosquitto_property *properties)
{
    mqtt_link *l = context;

    (void)mosq, (void)flags, (void)properties;
    if (reason == 0) {
        l->is_connected = l->is_new = true;
        return;
    }
    snprintf(l->reason, sizeof l->reason, "%sthe broker refuses: %s",
             reason == MQTT_RC_BAD_USERNAME_OR_PASSWORD || reason == MQTT_RC_NOT_AUTHORIZED ? "mqtt.user: " : "",
             mosquitto_reason_string(reason));
}

static void on_disconnect(struct mosquitto *mosq, void *context, int reason, const mosquitto_property *properties)
{
    mqtt_link *l = context;

    (void)mosq, (void)properties;
    l->is_over = true;
    if (!l->reason[0] && reason >= 128)
        snprintf(l->reason, sizeof l->reason, "the broker says: %s", mosquitto_reason_string(reason));
}

static void on_publish(struct mosquitto *mosq, void *context, int mid, int reason, const mosquitto_property *properties)
{
    mqtt_link *l = context;

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
    mqtt_link *l = context;

    (void)mosq, (void)properties;
    l->received++;
    if (message->payloadlen <= MQTT_TAKEN_MAX)
        l->settings.received(l->settings.context, message->topic, message->payload ? message->payload : "",
                             (size_t)message->payloadlen);
}

static void on_subscribe(struct mosquitto *mosq, void *context, int mid, int count, const int *granted,
                         const mosquitto_property *properties)
{
    mqtt_link *l = context;

    (void)mosq, (void)mid, (void)properties;
    for (int i = 0; i < count; i++)
        if (granted[i] >= 128)
            LOG_WARNING(&l->settings.log, "mqtt.user: the broker does not let clashd read below %s: %s",
                        l->settings.filters->room, mosquitto_reason_string(granted[i]));
}

/* What TLS has against the other side is said nowhere else. */
static void on_log(struct mosquitto *mosq, void *context, int level, const char *text)
{
    mqtt_link *l = context;

    (void)mosq;
    if (level == MOSQ_LOG_ERR)
        snprintf(l->reason, sizeof l->reason, "%.200s", text);
}

/* ---- the loop ---- */

static void on_timer(uv_timer_t *timer);
static void after(mqtt_link *l, int result);

static void free_handle(uv_handle_t *handle)
{
    close((int)(intptr_t)handle->data);
    free(handle);
}

/* The descriptor is closed when nobody watches it any more. */
static void close_poll(mqtt_link *l)
{
    if (!l->poll)
        return;
    l->poll->data = (void *)(intptr_t)l->fd;
    uv_close((uv_handle_t *)l->poll, free_handle);
    l->poll = NULL;
}

/* libmosquitto reads one packet. As long as they are messages there may be more. What is published meanwhile goes at once. */
static int read_some(mqtt_link *l)
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
    mqtt_link *l = poll->data;
    int result = status < 0 ? MOSQ_ERR_CONN_LOST : MOSQ_ERR_SUCCESS;

    if (result == MOSQ_ERR_SUCCESS && (events & UV_READABLE))
        result = read_some(l);
    if (result == MOSQ_ERR_SUCCESS && !l->is_over && (events & UV_WRITABLE))
        result = mosquitto_loop_write(l->mosq, 1);
    after(l, result);
}

static void watch(mqtt_link *l)
{
    const bool waits = mosquitto_want_write(l->mosq);

    l->was_waiting = l->was_waiting || waits;
    uv_poll_start(l->poll, UV_READABLE | (waits ? UV_WRITABLE : 0), on_poll);
}

/* Once for each trouble. */
static void say(mqtt_link *l, const char *why)
{
    if (strncmp(l->said, why, sizeof l->said - 1) == 0)
        return;
    LOG_WARNING(&l->settings.log, "mqtt.broker: %s:%d: %s: tried again until it works", l->settings.target.host,
                l->settings.target.port, why);
    snprintf(l->said, sizeof l->said, "%.255s", why);
}

/* Not all clashds of an arena at once. */
static void try_later(mqtt_link *l)
{
    const uint64_t quarter = l->retry_ms / 4;
    const uint64_t now = uv_hrtime();

    uv_timer_start(&l->timer, on_timer, l->retry_ms - quarter + now % (2 * quarter + 1), 0);
    l->retry_ms = l->retry_ms * 2 < MQTT_RETRY_MAX_MS ? l->retry_ms * 2 : MQTT_RETRY_MAX_MS;
}

static void drop(mqtt_link *l, const char *why)
{
    const bool was_good = l->is_connected && uv_now(l->settings.loop) - l->since_ms >= GOOD_MS;
    char text[MQTT_SAID_MAX];

    snprintf(text, sizeof text, "%s", l->reason[0] ? l->reason : why);
    close_poll(l);
    mosquitto_destroy(l->mosq);
    l->mosq = NULL;
    l->is_connected = l->is_new = false;
    if (was_good)
        l->retry_ms = MQTT_RETRY_MS;
    say(l, text);
    l->settings.lost(l->settings.context);
    try_later(l);
}

/* No broker sends back what it got from here. What it still retains of an earlier run of this player's comes all the same. */
static void subscribe(mqtt_link *l)
{
    const mqtt_filters *f = l->settings.filters;

    for (size_t i = 0; i < f->count; i++)
        if (mosquitto_subscribe_v5(l->mosq, NULL, f->topics[i], mqtt_ways[f->kinds[i]].qos, MQTT_SUB_OPT_NO_LOCAL,
                                   NULL) != MOSQ_ERR_SUCCESS)
            l->is_over = true; /* found in the next turn */
    watch(l);
}

/* Whatever was called has returned: what it found is acted upon. */
static void after(mqtt_link *l, int result)
{
    bool is_new;

    if (!l->mosq)
        return;
    if (result != MOSQ_ERR_SUCCESS || l->is_over) {
        drop(l, result == MOSQ_ERR_ERRNO && errno ? strerror(errno)
                : result == MOSQ_ERR_SUCCESS      ? "the connection was lost"
                                                  : mosquitto_strerror(result));
        return;
    }
    watch(l);
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
    if (mqtt_link_is_ready(l) && (is_new || l->was_waiting)) {
        l->was_waiting = false;
        l->settings.ready(l->settings.context, is_new);
    }
}

/* ---- a try ---- */

static int watch_socket(mqtt_link *l)
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

static void on_tried(void *context)
{
    mqtt_try *t = context;
    mqtt_link *l = t->context;

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
        mosquitto_user_data_set(l->mosq, l);
        mosquitto_connect_v5_callback_set(l->mosq, on_connect);
        mosquitto_disconnect_v5_callback_set(l->mosq, on_disconnect);
        mosquitto_publish_v5_callback_set(l->mosq, on_publish);
        mosquitto_log_callback_set(l->mosq, on_log);
        if (l->settings.filters) {
            mosquitto_message_v5_callback_set(l->mosq, on_message);
            mosquitto_subscribe_v5_callback_set(l->mosq, on_subscribe);
        }
        uv_timer_start(&l->timer, on_timer, TICK_MS, TICK_MS);
        if (watch_socket(l) == 0)
            after(l, MOSQ_ERR_SUCCESS);
        else
            drop(l, "no descriptor is left");
    }
    mqtt_try_free(t);
}

static void try_now(mqtt_link *l)
{
    const worker_job job = {.context = l->try = calloc(1, sizeof *l->try),
                            .work = mqtt_try_connect,
                            .done = on_tried,
                            .drop = mqtt_try_free};

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
    mqtt_link *l = timer->data;

    if (!l->mosq)
        try_now(l);
    else if (!l->is_connected && uv_now(l->settings.loop) - l->since_ms >= MQTT_ANSWER_MS)
        drop(l, "no answer");
    else
        after(l, mosquitto_loop_misc(l->mosq));
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

mqtt_link *mqtt_link_open(const mqtt_link_settings *settings)
{
    mqtt_link *l = calloc(1, sizeof *l);

    if (!l)
        return NULL;
    l->settings = *settings;
    l->retry_ms = MQTT_RETRY_MS;
    if (name_client(&l->settings.target) != 0 || mosquitto_lib_init() != MOSQ_ERR_SUCCESS ||
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

bool mqtt_link_is_connected(const mqtt_link *l)
{
    return l->mosq && l->is_connected && !l->is_over;
}

bool mqtt_link_is_ready(const mqtt_link *l)
{
    return mqtt_link_is_connected(l) && !mosquitto_want_write(l->mosq);
}

mqtt_link_counts mqtt_link_count(const mqtt_link *l)
{
    return (mqtt_link_counts){l->tries, l->connections, l->denied};
}

/* What a broker can do without is left out where it says that it has not got it. */
static int publish(mqtt_link *l, const char *topic, mqtt_way way, const char *payload, size_t length, int *out_mid)
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

bool mqtt_link_publish(mqtt_link *l, const char *topic, const mqtt_way *way, const char *payload, size_t length,
                       int *out_mid, bool *out_never)
{
    const int result = publish(l, topic, *way, payload, length, out_mid);

    *out_never = result == MOSQ_ERR_OVERSIZE_PACKET || result == MOSQ_ERR_INVAL || result == MOSQ_ERR_MALFORMED_UTF8 ||
                 result == MOSQ_ERR_PAYLOAD_SIZE;
    if (result == MOSQ_ERR_SUCCESS)
        watch(l);
    else if (!*out_never)
        l->is_over = true; /* found in the next turn: whoever publishes is in the middle of something */
    return result == MOSQ_ERR_SUCCESS;
}

static void free_link(uv_handle_t *timer)
{
    free(timer->data);
}

void mqtt_link_close(mqtt_link *l)
{
    if (l->trying)
        worker_abandon(l->trying); /* who is last frees it */
    if (l->mosq) {
        mosquitto_publish_v5_callback_set(l->mosq, NULL);
        mosquitto_message_v5_callback_set(l->mosq, NULL);
        if (mqtt_link_is_connected(l))
            mosquitto_disconnect_v5(l->mosq, MQTT_RC_NORMAL_DISCONNECTION, NULL);
        close_poll(l);
        mosquitto_destroy(l->mosq);
    }
    mosquitto_property_free_all(&l->properties);
    uv_close((uv_handle_t *)&l->timer, free_link);
}
