/* Events into messages: see mqtt.h. What is retained is no message that waits, but is made when it can go: it is then as fresh as can be.
 * Events wait in a queue (mqtt_queue.h), poses never do. */
#include "mqtt.h"

#include "mqtt_address.h"
#include "mqtt_link.h"
#include "mqtt_poses.h"
#include "mqtt_queue.h"

#include <clash/base.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many are sent in one turn of the loop, in which all others wait. */
#define TURN_MAX 32
/* The shortest time between two hellos. */
#define HELLO_MS 1000

typedef struct mqtt_sink {
    mqtt_settings settings; /* of the strings nothing is used after open */
    mqtt_link *link;
    mqtt_queue queue;
    uv_timer_t ticks;     /* of status and hello */
    uv_timer_t more;      /* what one turn had no time for */
    bool due[MQTT_KINDS]; /* of those that are retained */
    bool hello_changed;
    uint64_t hello_ms, status_ms; /* when they were told */
    uint64_t published, poses_dropped, never, taken, strange;
    mqtt_filters filters; /* of what is taken */
    char room[MQTT_PLAYER_MAX], player[MQTT_PLAYER_MAX];
    char topics[MQTT_KINDS][MQTT_TOPIC_MAX];
    char line[PROTOCOL_LINE_MAX];
} mqtt_sink;

/* ---- what goes out ---- */

static bool publish(mqtt_sink *s, mqtt_kind kind, const char *payload, size_t length, int *out_mid)
{
    bool never;

    if (mqtt_link_publish(s->link, s->topics[kind], &mqtt_ways[kind], payload, length, out_mid, &never)) {
        s->published++;
        return true;
    }
    s->never += never;
    return never; /* done with either way */
}

/* Lines end with a newline, messages of MQTT do not. */
static bool publish_line(mqtt_sink *s, mqtt_kind kind, size_t length)
{
    int mid;

    if (length > 0)
        return publish(s, kind, s->line, length - 1, &mid);
    s->never++;
    return true;
}

static bool publish_due(mqtt_sink *s, mqtt_kind kind)
{
    protocol_session session;
    protocol_status status;
    int mid;

    if (kind == MQTT_ONLINE)
        return publish(s, kind, "true", 4, &mid);
    if (kind == MQTT_HELLO) {
        s->settings.session(s->settings.context, &session);
        s->hello_ms = uv_now(s->settings.loop);
        return publish_line(s, kind, protocol_encode_hello_that_fits(s->line, sizeof s->line, "", &session));
    }
    s->settings.status(s->settings.context, &status);
    s->status_ms = uv_now(s->settings.loop);
    return publish_line(s, kind, protocol_encode_status(s->line, sizeof s->line, "", &status));
}

/* Return false if nothing is left to do now. */
static bool publish_event(mqtt_sink *s)
{
    mqtt_queue *q = &s->queue;
    const mqtt_message *m = q->first;
    int mid = 0;

    if (!m || (mqtt_ways[m->kind].qos > 0 && q->flying_count >= MQTT_FLIGHT_MAX))
        return false;
    if (q->missed > 0) {
        if (!publish_line(s, MQTT_LAGGED,
                          protocol_encode_lagged(s->line, sizeof s->line, q->missed_from, q->missed_to, q->missed)))
            return false;
        q->missed = 0;
        return true;
    }
    if (!publish(s, m->kind, m->payload, m->length, &mid))
        return false;
    mqtt_queue_sent(q, mid);
    return true;
}

static bool publish_next(mqtt_sink *s)
{
    for (mqtt_kind kind = MQTT_ONLINE; kind <= MQTT_STATUS; kind++)
        if (s->due[kind]) {
            s->due[kind] = !publish_due(s, kind);
            return !s->due[kind];
        }
    return publish_event(s);
}

static void on_more(uv_timer_t *timer);

/* Called within a step: ask nothing that the step may be changing. */
static void pump_events(mqtt_sink *s)
{
    for (int i = 0; i < TURN_MAX; i++)
        if (!mqtt_link_is_ready(s->link) || !publish_event(s))
            return;
    uv_timer_start(&s->more, on_more, 1, 0);
}

static void pump(mqtt_sink *s)
{
    for (int i = 0; i < TURN_MAX; i++)
        if (!mqtt_link_is_ready(s->link) || !publish_next(s))
            return;
    uv_timer_start(&s->more, on_more, 1, 0);
}

static void on_more(uv_timer_t *timer)
{
    pump(timer->data);
}

/* ---- what the link reports ---- */

static void on_ready(void *context, bool is_new)
{
    mqtt_sink *s = context;

    if (is_new)
        s->due[MQTT_ONLINE] = s->due[MQTT_HELLO] = s->due[MQTT_STATUS] = true;
    if (is_new && s->settings.take.connected)
        s->settings.take.connected(s->settings.take.context, true);
    pump(s);
}

/* From within libmosquitto: the next ones go in a turn of their own. */
static void on_acknowledged(void *context, int mid)
{
    mqtt_sink *s = context;

    if (mqtt_queue_acknowledge(&s->queue, mid) && s->queue.first)
        uv_timer_start(&s->more, on_more, 0, 0);
}

static void on_lost(void *context)
{
    mqtt_sink *s = context;

    if (s->settings.offline)
        mqtt_queue_land(&s->queue);
    else
        mqtt_queue_give_up(&s->queue);
    if (s->settings.take.connected)
        s->settings.take.connected(s->settings.take.context, false);
}

static void on_received(void *context, const char *topic, const char *payload, size_t length)
{
    mqtt_sink *s = context;
    char player[MQTT_PLAYER_MAX];
    mqtt_kind kind;

    if (!mqtt_filters_match(&s->filters, topic, player, &kind)) {
        s->strange++;
        return;
    }
    s->taken++;
    s->settings.take.received(s->settings.take.context, player, kind, payload, length);
}

static void on_tick(uv_timer_t *timer)
{
    mqtt_sink *s = timer->data;
    const uint64_t now_ms = uv_now(s->settings.loop);

    if (s->hello_changed && now_ms - s->hello_ms >= HELLO_MS) {
        s->hello_changed = false;
        s->due[MQTT_HELLO] = true;
    }
    if (now_ms - s->status_ms >= s->settings.status_ms)
        s->due[MQTT_STATUS] = true;
    pump(s);
}

/* ---- what happens here ---- */

static void on_event(void *context, const clash_event *event)
{
    mqtt_sink *s = context;
    size_t length;

    if (event->kind == CLASH_EVENT_TRACKING || event->kind == CLASH_EVENT_SPACE_CHANGED)
        s->hello_changed = true;
    if (!s->settings.offline && !mqtt_link_is_connected(s->link)) {
        mqtt_queue_miss(&s->queue, event->seq);
        return;
    }
    length = protocol_encode_event(s->line, sizeof s->line, event, s->settings.epoch_ns);
    if (length > 0)
        mqtt_queue_push(&s->queue, mqtt_kind_of(event->kind), event->seq, s->line, length - 1);
    else
        mqtt_queue_miss(&s->queue, event->seq);
    pump_events(s);
}

static void on_frame(void *context, const pose_frame *frame)
{
    mqtt_sink *s = context;
    protocol_pose poses[POSE_FRAME_SAMPLES_MAX];
    const size_t count = mqtt_poses_list(&s->settings.names, frame, poses);

    if (count == 0)
        return;
    if (!mqtt_link_is_ready(s->link))
        s->poses_dropped++;
    else
        publish_line(
            s, MQTT_POSES,
            protocol_encode_poses(s->line, sizeof s->line, frame->time_ns - s->settings.epoch_ns, poses, count));
}

static void on_blade(void *context, int64_t time_ns, const clash_blade *blade)
{
    (void)time_ns, (void)blade;
    ((mqtt_sink *)context)->hello_changed = true;
}

static void on_removed(void *context, int64_t time_ns, const char *blade, const char *device)
{
    (void)time_ns, (void)blade, (void)device;
    ((mqtt_sink *)context)->hello_changed = true;
}

static void on_target(void *context, int64_t time_ns, const clash_target_definition *target)
{
    (void)time_ns, (void)target;
    ((mqtt_sink *)context)->hello_changed = true;
}

static void on_target_removed(void *context, int64_t time_ns, const char *target)
{
    (void)time_ns, (void)target;
    ((mqtt_sink *)context)->hello_changed = true;
}

static event_sink mqtt_port(void *sink)
{
    mqtt_sink *s = sink;

    return (event_sink){.context = s,
                        .event = on_event,
                        .frame = s->settings.poses ? on_frame : NULL,
                        .blade = on_blade,
                        .removed = on_removed,
                        .target = on_target,
                        .target_removed = on_target_removed};
}

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
             "Messages that no line or no packet of this broker could hold.", s->never},
            {"mqtt_taken", "clashd_mqtt_messages_taken_total", "Messages of the room's other players.", s->taken},
            {"mqtt_strange", "clashd_mqtt_messages_strange_total",
             "Messages of topics that no player's clashd writes so: they were left.", s->strange},
            {"mqtt_queued_bytes", "clashd_mqtt_queued_bytes", "Of events that wait for the broker, or for its answer.",
             s->queue.bytes},
        },
        11);
}

/* ---- its life ---- */

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
        .ready = on_ready,
        .acknowledged = on_acknowledged,
        .lost = on_lost,
        .received = on_received,
    };

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
    uv_timer_start(&s->ticks, on_tick, HELLO_MS, HELLO_MS);
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
    int mid;

    for (int i = 0; i < TURN_MAX && mqtt_link_is_ready(s->link) && s->queue.first; i++)
        if (!publish_event(s))
            break;
    if (mqtt_link_is_connected(s->link))
        publish(s, MQTT_ONLINE, "false", 5, &mid);
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
    bool never = false;
    int mid;

    if (mqtt_ways[kind].qos > 0 ? !mqtt_link_is_connected(s->link) : !mqtt_link_is_ready(s->link))
        return false;
    if (to) {
        if (!mqtt_topic_to(s->room, s->player, kind, to, to_one))
            return false;
        topic = to_one;
    }
    if (!mqtt_link_publish(s->link, topic, &mqtt_ways[kind], payload, length, &mid, &never)) {
        s->never += never;
        return false;
    }
    s->published++;
    return true;
}

/* What clashd finds in the module. */
__attribute__((visibility("default"))) extern const mqtt_module clashd_mqtt;
const mqtt_module clashd_mqtt = {
    .base = {.version = CLASH_VERSION_STRING,
             .open = mqtt_open,
             .port = mqtt_port,
             .list_counters = mqtt_list_counters,
             .close = mqtt_close},
    .send = mqtt_send,
};
