/* The sink's life, and what of it others call: see mqtt.h; mqtt.c makes the messages. */
#include "mqtt_address.h"
#include "mqtt_private.h"

#include <clash/base.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void mqtt_list_counters(const void *sink, counter_list *out)
{
    const mqtt_sink *s = sink;
    const mqtt_link_counts link = mqtt_link_count(s->link);

    counter_list_add(
        out,
        (const counter_row[]){
            {"mqtt_connected", "clashd_mqtt_connected", "Whether there is a broker now.",
             mqtt_link_is_connected(s->link)},
            {"mqtt_tries", "clashd_mqtt_tries_total", "Times that clashd began to connect to the broker.", link.tries},
            {"mqtt_connections", "clashd_mqtt_connections_total", "Connections with the broker.", link.connections},
            {"mqtt_published", "clashd_mqtt_messages_total", "Messages on their way to the broker.", s->published},
            {"mqtt_dropped", "clashd_mqtt_events_dropped_total",
             "Events that the broker did not get: there was none, or they were too many for mqtt.queue_bytes.",
             s->queue.dropped},
            {"mqtt_denied", "clashd_mqtt_messages_denied_total", "Messages that the broker did not let clashd publish.",
             link.denied},
            {"mqtt_poses_dropped", "clashd_mqtt_poses_dropped_total", "Frames of poses that could not go at once.",
             s->poses_dropped},
            {"mqtt_never", "clashd_mqtt_messages_refused_total",
             "Messages that no line or no packet of this broker could hold.", s->never + link.never},
            {"mqtt_taken", "clashd_mqtt_messages_taken_total", "Messages of the room's other players.", s->taken},
            {"mqtt_strange", "clashd_mqtt_messages_strange_total",
             "Messages of topics that no player's clashd writes so, or kept by the broker where none are: they were "
             "left.",
             s->strange},
            {"mqtt_queued_bytes", "clashd_mqtt_queued_bytes", "Of events that wait for the broker, or for its answer.",
             s->queue.bytes},
        },
        11);
}

static void copy(char *out, size_t size, const char *text)
{
    snprintf(out, size, "%s", text);
}

static int fill_target(const mqtt_sink *s, const mqtt_broker *broker, mqtt_target *out, failure *out_failure)
{
    mqtt_address address;
    failure reason = {0};

    if (mqtt_address_parse(broker->address, &address, &reason) != 0)
        return fail_int(out_failure, "mqtt.broker: %s", reason.text);
    copy(out->host, sizeof out->host, address.host);
    out->port = address.port != 0 ? address.port : broker->tls ? MQTT_PORT_TLS : MQTT_PORT_PLAIN;
    out->tls = broker->tls;
    copy(out->user, sizeof out->user, broker->user);
    copy(out->password_file, sizeof out->password_file, broker->password_file);
    copy(out->ca_file, sizeof out->ca_file, broker->ca_file);
    copy(out->certificate_file, sizeof out->certificate_file, broker->certificate_file);
    copy(out->key_file, sizeof out->key_file, broker->key_file);
    copy(out->will_topic, sizeof out->will_topic, s->topics[MQTT_ONLINE]);
    if (broker->password_file[0] && !broker->tls && !mqtt_address_is_here(&address))
        LOG_WARNING(&s->settings.log, "mqtt.tls: the password goes to %s for all on the way to read", address.host);
    return 0;
}

static int open_link(mqtt_sink *s, const mqtt_settings *settings, failure *out_failure)
{
    mqtt_link_settings link = {
        .loop = settings->loop,
        .log = settings->log,
        .context = s,
    };

    mqtt_sink_hear(&link);
    for (mqtt_kind kind = 0; kind < MQTT_KINDS; kind++)
        if (!mqtt_topic(settings->room, settings->player, kind, s->topics[kind]))
            return fail_int(out_failure, "mqtt.player: the names of room and player are too long for a topic");
    if (fill_target(s, &settings->broker, &link.target, out_failure) != 0)
        return -1;
    if (settings->take.received) {
        if (!mqtt_filters_make(settings->room, settings->player, settings->take.players, settings->take.player_count,
                               &s->filters))
            return fail_int(out_failure, "mqtt.player: the names of room and player are too long for a topic");
        link.filters = &s->filters;
    }
    s->link = mqtt_link_open(&link);
    return s->link ? 0 : fail_int(out_failure, "mqtt: out of memory");
}

static void start_timers(mqtt_sink *s)
{
    uv_timer_t *const timers[] = {&s->ticks, &s->more};

    for (size_t i = 0; i < 2; i++) {
        uv_timer_init(s->settings.loop, timers[i]);
        timers[i]->data = s;
        uv_unref((uv_handle_t *)timers[i]);
    }
    uv_timer_start(&s->ticks, mqtt_sink_tick, MQTT_HELLO_MS, MQTT_HELLO_MS);
}

static int mqtt_open(const void *opaque, void **out_sink, failure *out_failure)
{
    const mqtt_settings *settings = opaque;
    mqtt_sink *s = calloc(1, sizeof *s);

    *out_sink = NULL;
    if (!s)
        return fail_int(out_failure, "mqtt: out of memory");
    s->settings = *settings;
    s->queue.bytes_max = settings->queue_bytes;
    copy(s->room, sizeof s->room, settings->room);
    copy(s->player, sizeof s->player, settings->player);
    if (open_link(s, settings, out_failure) != 0) {
        free(s);
        return -1;
    }
    start_timers(s);
    *out_sink = s;
    return 0;
}

static void free_sink(uv_handle_t *timer)
{
    free(timer->data);
}

static void on_ticks_closed(uv_handle_t *ticks)
{
    mqtt_sink *s = ticks->data;

    uv_close((uv_handle_t *)&s->more, free_sink);
}

static void mqtt_close(void *sink)
{
    mqtt_sink *s = sink;

    mqtt_sink_end(s);
    mqtt_link_close(s->link);
    mqtt_queue_finish(&s->queue);
    uv_close((uv_handle_t *)&s->ticks, on_ticks_closed);
}

/* Do not queue it: the sender knows better what to do with old messages. */
static bool mqtt_send(void *sink, mqtt_kind kind, const char *to, const char *payload, size_t length)
{
    mqtt_sink *s = sink;
    const char *topic = s->topics[kind];
    char to_one[MQTT_TOPIC_MAX];
    int mid;

    if (mqtt_ways[kind].qos > 0 ? !mqtt_link_is_connected(s->link) : !mqtt_link_is_ready(s->link))
        return false;
    if (to) {
        if (!mqtt_topic_to(s->room, s->player, kind, to, to_one))
            return false;
        topic = to_one;
    }
    if (!mqtt_link_publish(s->link, topic, &mqtt_ways[kind], payload, length, &mid))
        return false;
    s->published++;
    return true;
}

const mqtt_module mqtt_module_own = {
    .base = {.version = CLASH_VERSION_STRING,
             .open = mqtt_open,
             .port = mqtt_sink_port,
             .list_counters = mqtt_list_counters,
             .close = mqtt_close},
    .send = mqtt_send,
};
