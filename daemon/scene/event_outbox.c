#include "event_outbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** An event that is kept back, with copies of its strings, which end with the call that brought it. */
typedef struct waiting_event {
    clash_event event;
    bool is_peak;
    char blades[2][CLASH_BLADE_NAME_MAX], parts[2][CLASH_PART_NAME_MAX];
} waiting_event;

/* ---- the list of sinks ---- */

int session_outbox_add(session_outbox *o, event_sink sink, session_outbox_when when)
{
    if (o->count == SESSION_OUTBOX_SINKS_MAX)
        return -1;
    o->sinks[o->count].sink = sink;
    o->sinks[o->count++].when = when;
    return 0;
}

void session_outbox_clear(session_outbox *o)
{
    o->count = 0;
}

/* Return the sink of that index, the players' after all others, or NULL past the last one. */
static const event_sink *sink_at(const session_outbox *o, size_t index)
{
    if (index < o->count)
        return &o->sinks[index].sink;
    return index == o->count && o->players ? &o->players->port : NULL;
}

static void send(const event_sink *to, const clash_event *event, bool is_peak)
{
    void (*const receive)(void *, const clash_event *) = is_peak ? to->peak : to->event;

    if (receive)
        receive(to->context, event);
}

static void send_to(const session_outbox *o, session_outbox_when when, const clash_event *event, bool is_peak)
{
    for (size_t i = 0; i < o->count; i++)
        if (o->sinks[i].when == when)
            send(&o->sinks[i].sink, event, is_peak);
}

/* ---- events that wait for other players ---- */

static bool is_of_two_blades(const clash_event *event)
{
    return event->kind <= CLASH_EVENT_RELEASE && !event->has_target;
}

static void send_agreed(const session_outbox *o, clash_event *event, bool is_peak)
{
    event->seq = o->last_seq - o->numbered;
    send_to(o, SESSION_OUTBOX_AGREED, event, is_peak);
}

static void drop(session_outbox *o, size_t at)
{
    o->numbered -= !o->waiting[at].is_peak;
    memmove(o->waiting + at, o->waiting + at + 1, (--o->waiting_count - at) * sizeof o->waiting[0]);
}

/* A sink may call back: remove the event from the list before it is sent. */
static void send_waiting(session_outbox *o, size_t at, const clash_event *judged)
{
    waiting_event w = o->waiting[at];

    w.event.room = judged->room;
    if (w.event.room.agreed == CLASH_AGREEMENT_NONE)
        w.event.room.agreed = CLASH_AGREEMENT_NO; /* it waited, and the room has forgotten its contact */
    for (int i = 0; i < 2; i++) {
        w.event.blades[i] = w.blades[i];
        if (w.event.kind != CLASH_EVENT_RELEASE)
            w.event.as.clash.parts[i] = w.parts[i][0] ? w.parts[i] : NULL;
    }
    drop(o, at);
    send_agreed(o, &w.event, w.is_peak);
}

/* Return whether an earlier event of the same two blades waits: their events stay in order. */
static bool is_behind(const session_outbox *o, size_t end, const char *const blades[2])
{
    for (size_t i = 0; i < end; i++)
        if (strcmp(o->waiting[i].blades[0], blades[0]) == 0 && strcmp(o->waiting[i].blades[1], blades[1]) == 0)
            return true;
    return false;
}

static void keep(session_outbox *o, const clash_event *event, bool is_peak)
{
    waiting_event *w = &o->waiting[o->waiting_count++];

    *w = (waiting_event){.event = *event, .is_peak = is_peak};
    o->numbered += !is_peak;
    for (int i = 0; i < 2; i++) {
        snprintf(w->blades[i], sizeof w->blades[i], "%s", event->blades[i]);
        if (event->kind != CLASH_EVENT_RELEASE && event->as.clash.parts[i])
            snprintf(w->parts[i], sizeof w->parts[i], "%s", event->as.clash.parts[i]);
        w->event.blades[i] = NULL;
    }
}

static bool judge(const session_outbox *o, clash_event *event)
{
    return o->players->judge(o->players->context, event);
}

size_t session_outbox_settle(session_outbox *o)
{
    size_t sent = 0;

    for (size_t i = 0; i < o->waiting_count;) {
        clash_event judged = o->waiting[i].event;
        const char *const blades[2] = {o->waiting[i].blades[0], o->waiting[i].blades[1]};

        if (is_behind(o, i, blades) || !judge(o, &judged)) {
            i++;
            continue;
        }
        send_waiting(o, i, &judged);
        sent++;
    }
    return sent;
}

/* The oldest event need not wait any more once its contact is given up, whatever the judge answers. */
static void make_place(session_outbox *o)
{
    if (o->waiting_count < SESSION_OUTBOX_WAITING_MAX)
        return;
    o->players->give_up(o->players->context, o->waiting[0].event.id);
    if (session_outbox_settle(o) == 0)
        send_waiting(o, 0, &(clash_event){.room = o->waiting[0].event.room});
}

static void take(session_outbox *o, const clash_event *event, bool is_peak)
{
    clash_event judged = *event;
    bool waits = false;

    if (is_of_two_blades(event)) {
        make_place(o);
        waits = is_behind(o, o->waiting_count, event->blades) || !judge(o, &judged);
    }
    o->last_seq = event->seq;
    if (waits)
        keep(o, event, is_peak);
    else
        send_agreed(o, &judged, is_peak);
}

int session_outbox_set_players(session_outbox *o, const session_outbox_players *players)
{
    while (o->waiting_count > 0)
        send_waiting(o, 0, &(clash_event){.room = o->waiting[0].event.room});
    free(o->waiting);
    o->players = players;
    o->waiting = players ? malloc(SESSION_OUTBOX_WAITING_MAX * sizeof o->waiting[0]) : NULL;
    if (!players || o->waiting)
        return 0;
    o->players = NULL;
    return -1;
}

/* ---- as a sink ---- */

static void pass_on(session_outbox *o, const clash_event *event, bool is_peak)
{
    clash_event noted;

    if (!o->players) {
        for (size_t i = 0; i < o->count; i++)
            send(&o->sinks[i].sink, event, is_peak);
        return;
    }
    noted = *event;
    if (is_of_two_blades(event))
        o->players->note(o->players->context, &noted);
    send_to(o, SESSION_OUTBOX_AT_ONCE, &noted, is_peak);
    take(o, &noted, is_peak);
    send(&o->players->port, &noted, is_peak);
}

static void on_event(void *context, const clash_event *event)
{
    pass_on(context, event, false);
}

static void on_peak(void *context, const clash_event *late)
{
    pass_on(context, late, true);
}

static void on_frame(void *context, const pose_frame *frame)
{
    const event_sink *sink;

    for (size_t i = 0; (sink = sink_at(context, i)); i++)
        if (sink->frame)
            sink->frame(sink->context, frame);
}

static void on_blade(void *context, int64_t time_ns, const clash_blade *blade)
{
    const event_sink *sink;

    for (size_t i = 0; (sink = sink_at(context, i)); i++)
        if (sink->blade)
            sink->blade(sink->context, time_ns, blade);
}

static void on_removed(void *context, int64_t time_ns, const char *blade, const char *device)
{
    const event_sink *sink;

    for (size_t i = 0; (sink = sink_at(context, i)); i++)
        if (sink->removed)
            sink->removed(sink->context, time_ns, blade, device);
}

static void on_target(void *context, int64_t time_ns, const clash_target_definition *target)
{
    const event_sink *sink;

    for (size_t i = 0; (sink = sink_at(context, i)); i++)
        if (sink->target)
            sink->target(sink->context, time_ns, target);
}

static void on_target_removed(void *context, int64_t time_ns, const char *target)
{
    const event_sink *sink;

    for (size_t i = 0; (sink = sink_at(context, i)); i++)
        if (sink->target_removed)
            sink->target_removed(sink->context, time_ns, target);
}

event_sink session_outbox_port(session_outbox *o)
{
    return (event_sink){.context = o,
                        .event = on_event,
                        .peak = on_peak,
                        .frame = on_frame,
                        .blade = on_blade,
                        .removed = on_removed,
                        .target = on_target,
                        .target_removed = on_target_removed};
}
