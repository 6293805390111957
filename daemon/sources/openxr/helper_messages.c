/* Hand what the process with the OpenXR runtime reports to the listener and the log; see openxr_private.h. */
#include "openxr_private.h"
#include "ports/pose_rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- to the listener ---- */

static void source_lost(openxr_source *s, uint32_t device, int64_t time_ns, clash_tracking_reason reason)
{
    if (s->devices[device] == UINT32_MAX || s->reported[device] == reason)
        return;
    s->reported[device] = reason;
    s->listener.lost(s->listener.context, s->devices[device], time_ns, reason);
}

void source_lost_all(openxr_source *s, clash_tracking_reason reason)
{
    s->lost_ns = source_now_ns() + s->settings.lookahead_ns;
    for (uint32_t device = 0; device < XR_DEVICES && s->timer; device++)
        source_lost(s, device, s->lost_ns, reason);
}

static void source_deliver_frame(openxr_source *s, const ring_entry *entry)
{
    pose_frame frame;

    if (entry->time_ns <= s->lost_ns) { /* older than a loss reported meanwhile: it would join what the loss cut */
        s->dropped_before++;
        return;
    }
    if (pose_is_future(entry->time_ns, source_now_ns() + s->settings.lookahead_ns + s->clock_error_ns)) {
        if (!s->has_future)
            LOG_WARNING(&s->log, "openxr: poses of times in the future are left out: first by %.1f s",
                        (double)(entry->time_ns - source_now_ns()) * 1e-9);
        s->has_future = true;
        s->dropped_before++;
        return;
    }
    if (entry->gap)
        LOG_WARNING(&s->log, "openxr: frames are dropped, as the loop does not take them in time");
    frame.time_ns = entry->time_ns;
    frame.count = 0;
    frame.more = false;
    for (uint32_t i = 0; i < entry->as.frame.count; i++) {
        const uint32_t device = entry->as.frame.samples[i].device;

        if (s->devices[device] == UINT32_MAX)
            continue;
        s->reported[device] = CLASH_TRACKING_OK;
        frame.samples[frame.count] = entry->as.frame.samples[i];
        if (device < XR_HANDS)
            xr_offset_place(&s->held[device], &frame.samples[frame.count]);
        frame.samples[frame.count++].device = s->devices[device];
    }
    s->frames++;
    s->has_delivered = true;
    s->listener.frame(s->listener.context, &frame);
}

/* ---- what poses come from ---- */

static void source_notify_equipment(openxr_source *s)
{
    pose_equipment equipment = {.runtime = s->runtime.name};

    if (!s->listener.equipment)
        return;
    for (int hand = 0; hand < XR_HANDS; hand++) {
        const size_t index = equipment.controller_count;

        if (s->profiles[hand][0] == '\0')
            continue;
        equipment.controllers[index].device = hand == 0 ? OPENXR_DEVICE_LEFT : OPENXR_DEVICE_RIGHT;
        equipment.controllers[index].profile = s->profiles[hand];
        equipment.controller_count++;
    }
    s->listener.equipment(s->listener.context, &equipment);
}

void source_choose_offsets(openxr_source *s)
{
    for (int hand = 0; hand < XR_HANDS; hand++)
        xr_offset_choose(&s->held[hand], &s->offsets, s->profiles[hand]);
}

static void source_log_left_out(openxr_source *s)
{
    const uint64_t count = xr_output_count(&s->output);

    if (count > 0)
        LOG_INFO(&s->log, "openxr: %" PRIu64 " more lines that the runtime's library printed are left out", count);
}

static void source_take_runtime(openxr_source *s, const ring_runtime *runtime)
{
    const bool is_other = strcmp(s->runtime.name, runtime->name) != 0;

    if (runtime->running && !s->runtime.running) {
        source_log_left_out(s);
        xr_output_forget(&s->output);
    }
    s->runtime = *runtime;
    if (is_other)
        source_notify_equipment(s);
}

static void source_take_profile(openxr_source *s, uint32_t hand, const char *profile)
{
    snprintf(s->profiles[hand], sizeof s->profiles[hand], "%s", profile);
    source_choose_offsets(s);
    source_notify_equipment(s);
}

/* ---- what comes from the process ---- */

static void source_deliver(openxr_source *s, const ring_entry *entry)
{
    switch (entry->kind) {
    case RING_FRAME:
        source_deliver_frame(s, entry);
        break;
    case RING_LOST:
        source_lost(s, entry->as.lost.device, entry->time_ns, entry->as.lost.reason);
        break;
    case RING_SPACE_CHANGED:
        s->listener.space_changed(s->listener.context, entry->time_ns);
        break;
    case RING_RUNTIME:
        source_take_runtime(s, &entry->as.runtime);
        break;
    case RING_CONTROLLER:
        source_take_profile(s, entry->as.controller.device, entry->as.controller.profile);
        break;
    }
}

/* Poses from before the stall were delivered before this loss. */
static void source_take_state(openxr_source *s, const xr_message *message)
{
    const xr_thread_state before = s->thread;

    s->thread = (xr_thread_state)message->as.state.thread;
    s->dropped = message->as.state.dropped;
    s->clock_error_ns = message->as.state.clock_error_ns;
    if (before == XR_THREAD_STALLED && s->thread == XR_THREAD_ALIVE)
        LOG_INFO(&s->log, "openxr: the runtime answers again");
    if (before == s->thread || s->thread != XR_THREAD_STALLED)
        return;
    LOG_WARNING(&s->log, "openxr: the runtime does not answer");
    source_lost_all(s, CLASH_TRACKING_RUNTIME_STALLED);
}

void source_on_message(void *context, const xr_message *message)
{
    openxr_source *s = context;

    switch ((xr_message_kind)message->kind) {
    case XR_MESSAGE_ENTRY:
        source_deliver(s, &message->as.entry);
        break;
    case XR_MESSAGE_LOG:
        logger_print(&s->log, (log_level)message->as.log.level, "%s", message->as.log.text);
        break;
    case XR_MESSAGE_STATE:
        source_take_state(s, message);
        break;
    case XR_MESSAGE_KINDS:
        break;
    }
}

static void on_line(void *context, const char *line)
{
    openxr_source *s = context;

    LOG_INFO(&s->log, "openxr: the runtime's library prints: %s", line);
}

void source_on_printed(void *context, const char *text, size_t length)
{
    openxr_source *s = context;

    xr_output_take(&s->output, text, length, source_now_ns(), on_line, s);
}

void source_on_silent(void *context, bool is_silent)
{
    openxr_source *s = context;

    s->is_silent = is_silent;
    if (!is_silent) {
        LOG_INFO(&s->log, "openxr: the process with the runtime is heard again");
        return;
    }
    LOG_WARNING(&s->log, "openxr: nothing is heard of the process with the runtime");
    source_lost_all(s, CLASH_TRACKING_RUNTIME_STALLED);
}

void source_take_last_words(openxr_source *s, bool crashed)
{
    xr_output_end(&s->output, crashed, source_now_ns(), on_line, s);
}
