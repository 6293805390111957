/* Events into messages, and what the broker says: see mqtt.h; mqtt_life.c opens and closes it. What is retained is no message that waits,
 * but is made when it can go: it is then as fresh as can be. Events wait in a queue (mqtt_queue.h), poses never do. */
#include "mqtt_poses.h"
#include "mqtt_private.h"

#include <string.h>

/* How many are sent in one turn of the loop, in which all others wait. */
#define TURN_MAX 32

/* ---- what goes out ---- */

bool mqtt_sink_publish(mqtt_sink *s, mqtt_kind kind, const char *payload, size_t length, int *out_mid)
{
    const bool is_sent = mqtt_link_publish(s->link, s->topics[kind], &mqtt_ways[kind], payload, length, out_mid);

    s->published += is_sent;
    return is_sent;
}

/* Lines end with a newline, messages of MQTT do not. */
static bool publish_line(mqtt_sink *s, mqtt_kind kind, size_t length)
{
    int mid;

    if (length > 0)
        return mqtt_sink_publish(s, kind, s->line, length - 1, &mid);
    s->never++;
    return true;
}

static bool publish_due(mqtt_sink *s, mqtt_kind kind)
{
    protocol_session session;
    protocol_status status;
    int mid;

    if (kind == MQTT_ONLINE)
        return mqtt_sink_publish(s, kind, "true", 4, &mid);
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
    if (!mqtt_sink_publish(s, m->kind, m->payload, m->length, &mid))
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

/* The next ones go in a turn of their own. */
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

/* That this player is gone is the will of a run before, or of another machine by this name that has ended. What the broker kept of it comes
 * before this run has said that it is here. */
static bool is_own_end(mqtt_sink *s, const char *player, mqtt_kind kind, bool is_kept, const char *payload)
{
    const bool is = kind == MQTT_ONLINE && strcmp(player, s->player) == 0 && strcmp(payload, "false") == 0;

    s->is_said_gone = s->is_said_gone || (is && !is_kept);
    return is;
}

/* Once in a tick, however often it is said. */
static void say_otherwise(mqtt_sink *s)
{
    s->is_said_gone = false;
    s->due[MQTT_ONLINE] = true;
    s->settings.take.received(s->settings.take.context, s->player, MQTT_ONLINE, "false", 5);
}

static void on_received(void *context, const char *topic, bool is_kept, const char *payload, size_t length)
{
    mqtt_sink *s = context;
    char player[MQTT_PLAYER_MAX];
    mqtt_kind kind;

    if (!mqtt_filters_match(&s->filters, topic, player, &kind) || (is_kept && !mqtt_ways[kind].retain)) {
        s->strange++;
        return;
    }
    if (is_own_end(s, player, kind, is_kept, payload))
        return;
    s->taken++;
    s->settings.take.received(s->settings.take.context, player, kind, payload, length);
}

void mqtt_sink_tick(uv_timer_t *timer)
{
    mqtt_sink *s = timer->data;
    const uint64_t now_ms = uv_now(s->settings.loop);

    if (s->hello_changed && now_ms - s->hello_ms >= MQTT_HELLO_MS) {
        s->hello_changed = false;
        s->due[MQTT_HELLO] = true;
    }
    if (now_ms - s->status_ms >= s->settings.status_ms)
        s->due[MQTT_ONLINE] = s->due[MQTT_STATUS] =
            true; /* a will that came late said otherwise, and who reads nothing hears none */
    if (s->is_said_gone)
        say_otherwise(s);
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

event_sink mqtt_sink_port(void *sink)
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

void mqtt_sink_hear(mqtt_link_settings *out)
{
    out->ready = on_ready;
    out->acknowledged = on_acknowledged;
    out->lost = on_lost;
    out->received = on_received;
}

void mqtt_sink_end(mqtt_sink *s)
{
    int mid;

    for (int i = 0; i < TURN_MAX && mqtt_link_is_ready(s->link) && s->queue.first; i++)
        if (!publish_event(s))
            break;
    if (mqtt_link_is_connected(s->link))
        mqtt_sink_publish(s, MQTT_ONLINE, "false", 5, &mid);
}
