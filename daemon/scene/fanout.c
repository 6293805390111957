/* Pass one sink's calls on to several; see fanout.h. */
#include "fanout.h"

static clash_event note(const fanout *f, const clash_event *event)
{
    clash_event noted = *event;

    if (f->note && event->kind <= CLASH_EVENT_RELEASE && !event->has_target)
        f->note(f->note_context, &noted);
    return noted;
}

static void forward_event(void *context, const clash_event *event)
{
    const fanout *f = context;
    const clash_event noted = note(f, event);

    for (size_t i = 0; i < f->count; i++)
        if (f->sinks[i].event)
            f->sinks[i].event(f->sinks[i].context, &noted);
}

static void forward_peak(void *context, const clash_event *late)
{
    const fanout *f = context;
    const clash_event noted = note(f, late);

    for (size_t i = 0; i < f->count; i++)
        if (f->sinks[i].peak)
            f->sinks[i].peak(f->sinks[i].context, &noted);
}

static void forward_frame(void *context, const pose_frame *frame)
{
    const fanout *f = context;

    for (size_t i = 0; i < f->count; i++)
        if (f->sinks[i].frame)
            f->sinks[i].frame(f->sinks[i].context, frame);
}

static void forward_blade(void *context, int64_t time_ns, const clash_blade *blade)
{
    const fanout *f = context;

    for (size_t i = 0; i < f->count; i++)
        if (f->sinks[i].blade)
            f->sinks[i].blade(f->sinks[i].context, time_ns, blade);
}

static void forward_removed(void *context, int64_t time_ns, const char *blade, const char *device)
{
    const fanout *f = context;

    for (size_t i = 0; i < f->count; i++)
        if (f->sinks[i].removed)
            f->sinks[i].removed(f->sinks[i].context, time_ns, blade, device);
}

static void forward_target(void *context, int64_t time_ns, const clash_target_definition *target)
{
    const fanout *f = context;

    for (size_t i = 0; i < f->count; i++)
        if (f->sinks[i].target)
            f->sinks[i].target(f->sinks[i].context, time_ns, target);
}

static void forward_target_removed(void *context, int64_t time_ns, const char *target)
{
    const fanout *f = context;

    for (size_t i = 0; i < f->count; i++)
        if (f->sinks[i].target_removed)
            f->sinks[i].target_removed(f->sinks[i].context, time_ns, target);
}

void fanout_init(fanout *f)
{
    *f = (fanout){0};
}

void fanout_clear(fanout *f)
{
    f->count = 0;
}

int fanout_add(fanout *f, event_sink sink)
{
    if (f->count == FANOUT_SINKS_MAX)
        return -1;
    f->sinks[f->count++] = sink;
    return 0;
}

event_sink fanout_port(fanout *f)
{
    return (event_sink){.context = f,
                        .event = forward_event,
                        .peak = forward_peak,
                        .frame = forward_frame,
                        .blade = forward_blade,
                        .removed = forward_removed,
                        .target = forward_target,
                        .target_removed = forward_target_removed};
}
