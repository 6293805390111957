/* See deferral.h. */
#include "deferral.h"

#include <stdio.h>
#include <string.h>

static bool is_of_blades(const clash_event *event)
{
    return event->kind <= CLASH_EVENT_RELEASE && !event->has_target;
}

/* ---- what is passed on ---- */

static void tell(const deferral *d, clash_event *event, bool is_peak)
{
    void (*const told)(void *, const clash_event *) = is_peak ? d->to.peak : d->to.event;

    event->seq = d->last_seq - d->numbered;
    if (told)
        told(d->to.context, event);
}

static void drop(deferral *d, size_t at)
{
    d->numbered -= !d->kept[at].is_peak;
    memmove(d->kept + at, d->kept + at + 1, (--d->count - at) * sizeof d->kept[0]);
}

/* Who is told may ask for things, so nothing is told of what is still in the list. */
static void tell_kept(deferral *d, size_t at, const clash_event *judged)
{
    deferred_event k = d->kept[at];

    k.event.room = judged->room;
    if (k.event.room.agreed == CLASH_AGREEMENT_NONE)
        k.event.room.agreed = CLASH_AGREEMENT_NO; /* it waited, and nobody knows of it any more */
    for (int i = 0; i < 2; i++) {
        k.event.blades[i] = k.blades[i];
        if (k.event.kind != CLASH_EVENT_RELEASE)
            k.event.as.clash.parts[i] = k.parts[i][0] ? k.parts[i] : NULL;
    }
    drop(d, at);
    tell(d, &k.event, k.is_peak);
}

/* ---- what is kept back ---- */

/* Two blades' events stay in order. */
static bool is_behind(const deferral *d, size_t end, const char *const blades[2])
{
    for (size_t i = 0; i < end; i++)
        if (strcmp(d->kept[i].blades[0], blades[0]) == 0 && strcmp(d->kept[i].blades[1], blades[1]) == 0)
            return true;
    return false;
}

static void keep(deferral *d, const clash_event *event, bool is_peak)
{
    deferred_event *k = &d->kept[d->count++];

    *k = (deferred_event){.event = *event, .is_peak = is_peak};
    d->numbered += !is_peak;
    for (int i = 0; i < 2; i++) {
        snprintf(k->blades[i], sizeof k->blades[i], "%s", event->blades[i]);
        if (event->kind != CLASH_EVENT_RELEASE && event->as.clash.parts[i])
            snprintf(k->parts[i], sizeof k->parts[i], "%s", event->as.clash.parts[i]);
        k->event.blades[i] = NULL;
    }
}

size_t deferral_settle(deferral *d)
{
    size_t told = 0;

    for (size_t i = 0; i < d->count;) {
        clash_event judged = d->kept[i].event;
        const char *const blades[2] = {d->kept[i].blades[0], d->kept[i].blades[1]};

        if (is_behind(d, i, blades) || !d->user.judge(d->user.context, &judged)) {
            i++;
            continue;
        }
        tell_kept(d, i, &judged);
        told++;
    }
    return told;
}

/* The oldest one always can be told once its contact is given up. */
static void make_place(deferral *d)
{
    if (d->count < DEFERRAL_MAX)
        return;
    d->user.give_up(d->user.context, d->kept[0].event.id);
    if (deferral_settle(d) == 0)
        tell_kept(d, 0, &(clash_event){.room = d->kept[0].event.room});
}

static void take(deferral *d, const clash_event *event, bool is_peak)
{
    clash_event judged = *event;
    bool waits = false;

    if (is_of_blades(event)) {
        make_place(d);
        waits = is_behind(d, d->count, event->blades) || !d->user.judge(d->user.context, &judged);
    }
    d->last_seq = event->seq;
    if (waits)
        keep(d, event, is_peak);
    else
        tell(d, &judged, is_peak);
}

/* ---- as a sink ---- */

static void on_event(void *context, const clash_event *event)
{
    take(context, event, false);
}

static void on_peak(void *context, const clash_event *late)
{
    take(context, late, true);
}

static void on_frame(void *context, const pose_frame *frame)
{
    const deferral *d = context;

    if (d->to.frame)
        d->to.frame(d->to.context, frame);
}

static void on_blade(void *context, int64_t time_ns, const clash_blade *blade)
{
    const deferral *d = context;

    if (d->to.blade)
        d->to.blade(d->to.context, time_ns, blade);
}

static void on_removed(void *context, int64_t time_ns, const char *blade, const char *device)
{
    const deferral *d = context;

    if (d->to.removed)
        d->to.removed(d->to.context, time_ns, blade, device);
}

static void on_target(void *context, int64_t time_ns, const clash_target_definition *target)
{
    const deferral *d = context;

    if (d->to.target)
        d->to.target(d->to.context, time_ns, target);
}

static void on_target_removed(void *context, int64_t time_ns, const char *target)
{
    const deferral *d = context;

    if (d->to.target_removed)
        d->to.target_removed(d->to.context, time_ns, target);
}

event_sink deferral_port(deferral *d)
{
    return (event_sink){.context = d,
                        .event = on_event,
                        .peak = on_peak,
                        .frame = on_frame,
                        .blade = on_blade,
                        .removed = on_removed,
                        .target = on_target,
                        .target_removed = on_target_removed};
}
