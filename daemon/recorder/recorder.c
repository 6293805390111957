/* Turn frames and events into the lines of a recording; see recorder.h. control.c decides which file they go to. */
#include "pose_list.h"
#include "recorder_private.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** As long as frames come this often, the last one's time is the present time; otherwise the clock is. */
#define RECENT_MS 1000

/* The times of a replay are the recording's, not the clock's. */
int64_t recorder_now_ns(const recorder *r)
{
    if (r->has_time && uv_now(r->settings.loop) - r->last_at_ms < RECENT_MS)
        return r->last_ns;
    return (int64_t)uv_hrtime() - r->settings.epoch_ns;
}

bool recorder_hand_over(recorder *r, const char *line, size_t length, bool must)
{
    const bool is_taken = record_writer_add(r->writer, line, length, must);

    r->accepted += is_taken;
    r->file_bytes += is_taken ? length : 0;
    return is_taken;
}

void recorder_miss(recorder *r, uint64_t lines, int64_t from_ns)
{
    if (lines > 0 && (r->missing == 0 || from_ns < r->missing_from_ns))
        r->missing_from_ns = from_ns;
    r->missing += lines;
    r->lost += lines;
}

void recorder_notify_gap(recorder *r, int64_t time_ns)
{
    char line[512];
    size_t length;

    if (r->missing == 0)
        return;
    length = protocol_encode_recorded_gap(line, sizeof line, time_ns, r->missing_from_ns, r->missing, r->open_contacts);
    if (!recorder_hand_over(r, line, length, true))
        return;
    r->gaps++;
    r->missing = 0;
}

void recorder_add(recorder *r, size_t length, int64_t time_ns, bool must)
{
    if (length == 0) {
        recorder_miss(r, 1, time_ns);
        return;
    }
    if (r->missing > 0 && (must || record_writer_has_room(r->writer)))
        recorder_notify_gap(r, time_ns); /* a gap's line comes before this one */
    if ((r->missing == 0 || must) && recorder_hand_over(r, r->line, length, must))
        return;
    if (r->missing == 0)
        LOG_ERROR(&r->settings.log, "%s loses lines: more wait to be written than may be kept in memory", r->path);
    recorder_miss(r, 1, time_ns);
}

static int64_t note_time(recorder *r, int64_t time_ns)
{
    r->has_time = true;
    r->last_ns = time_ns - r->settings.epoch_ns;
    r->last_at_ms = uv_now(r->settings.loop);
    return r->last_ns;
}

static void on_event(void *context, const clash_event *event)
{
    recorder *r = context;
    int64_t time_ns = note_time(r, event->time_ns);

    r->has_seen = true;
    r->seq = event->seq;
    if (event->kind == CLASH_EVENT_CLASH)
        r->open_contacts++;
    else if (event->kind == CLASH_EVENT_RELEASE && r->open_contacts > 0)
        r->open_contacts--;
    if (r->has_file)
        recorder_add(r, protocol_encode_event(r->line, sizeof r->line, event, r->settings.epoch_ns), time_ns, false);
}

/* Return whether the file is as large as allowed. Decided here, because the writer's answer comes through the loop: a
 * loop that was held up hands over all that it missed before it hears of it. */
static bool is_full(const recorder *r)
{
    return r->directory && !r->settings.compress && r->settings.rotate_bytes > 0 &&
           r->file_bytes >= r->settings.rotate_bytes;
}

static bool has_pose(const pose_frame *frame)
{
    for (uint32_t i = 0; i < frame->count; i++)
        if (frame->samples[i].flags & POSE_VALID)
            return true;
    return false;
}

/* Call between steps only. The new file's header has what matters of the time before its first pose. */
static void begin_file_if_wanted(recorder *r, const pose_frame *frame)
{
    const bool is_poses = has_pose(frame), can_begin = !r->is_in_frames;

    r->is_in_frames = frame->more;
    if (is_poses && can_begin && r->is_on && (r->wants_file || is_full(r)))
        recorder_begin_file(r);
    r->has_seen = r->has_seen || is_poses;
}

/* Write a frame. One of which nothing can be written leaves no line, unless it ends a step. */
static void on_frame(void *context, const pose_frame *frame)
{
    recorder *r = context;
    protocol_pose poses[POSE_FRAME_SAMPLES_MAX];
    int64_t time_ns = note_time(r, frame->time_ns);
    size_t count;

    begin_file_if_wanted(r, frame);
    if (!r->has_file)
        return;
    count = pose_list_fill(poses, frame, &r->settings.names, &r->refused_samples);
    if (count == 0 && (!r->is_in_step || frame->more))
        return;
    r->is_in_step = frame->more;
    recorder_add(r, protocol_encode_recorded_poses(r->line, sizeof r->line, time_ns, poses, count, frame->more),
                 time_ns, false);
}

static void on_blade(void *context, int64_t time_ns, const clash_blade *blade)
{
    recorder *r = context;

    time_ns -= r->settings.epoch_ns;
    if (r->has_file)
        recorder_add(r, protocol_encode_recorded_blade(r->line, sizeof r->line, time_ns, blade), time_ns, true);
}

static void on_removed(void *context, int64_t time_ns, const char *blade, const char *device)
{
    recorder *r = context;

    time_ns -= r->settings.epoch_ns;
    if (r->has_file)
        recorder_add(r, protocol_encode_recorded_removal(r->line, sizeof r->line, time_ns, blade, device), time_ns,
                     true);
}

static void on_target(void *context, int64_t time_ns, const clash_target_definition *target)
{
    recorder *r = context;

    time_ns -= r->settings.epoch_ns;
    if (r->has_file)
        recorder_add(r, protocol_encode_recorded_target(r->line, sizeof r->line, time_ns, target), time_ns, true);
}

static void on_target_removed(void *context, int64_t time_ns, const char *target)
{
    recorder *r = context;

    time_ns -= r->settings.epoch_ns;
    if (r->has_file)
        recorder_add(r, protocol_encode_recorded_target_removal(r->line, sizeof r->line, time_ns, target), time_ns,
                     true);
}

/* ---- the beginning of a file ---- */

/* In a header blades come before all targets. */
static size_t blades_before(const protocol_session *session, size_t target)
{
    const size_t all = session->blade_count;

    if (!session->blades_before || target >= session->target_count || session->blades_before[target] > all)
        return all;
    return session->blades_before[target];
}

size_t recorder_encode_header(recorder *r, protocol_session *out_session, size_t *out_blades)
{
    protocol_session fitting;
    size_t length;

    r->settings.session(r->settings.context, out_session);
    out_session->is_later = r->has_seen;
    out_session->seq = r->seq;
    out_session->open_contacts = r->open_contacts;
    fitting = *out_session;
    fitting.blade_count = blades_before(out_session, 0);
    if (fitting.blade_count > 64)
        fitting.blade_count = 64; /* a header has at most this many */
    while ((length = protocol_encode_recording_header(r->line, sizeof r->line, &fitting, r->settings.settings)) == 0 &&
           fitting.blade_count > 0)
        fitting.blade_count /= 2;
    *out_blades = fitting.blade_count;
    return length;
}

/* Write one after the other in the order of definition: the events of a step come in that order. */
void recorder_add_defined(recorder *r, const protocol_session *session, size_t blade)
{
    int64_t time_ns = recorder_now_ns(r);

    for (size_t i = 0; i <= session->target_count; i++) {
        for (; blade < blades_before(session, i); blade++)
            recorder_add(r, protocol_encode_recorded_blade(r->line, sizeof r->line, time_ns, &session->blades[blade]),
                         time_ns, true);
        if (i < session->target_count)
            recorder_add(r, protocol_encode_recorded_target(r->line, sizeof r->line, time_ns, session->targets[i]),
                         time_ns, true);
    }
}

/* ---- its life ---- */

static void ignore_sigxfsz(void)
{
    struct sigaction action;

    if (sigaction(SIGXFSZ, NULL, &action) == 0 && action.sa_handler == SIG_DFL) {
        action.sa_handler = SIG_IGN;
        sigaction(SIGXFSZ, &action, NULL);
    }
}

static void free_recorder(uv_handle_t *handle)
{
    recorder *r = handle->data;

    free(r->directory);
    free(r);
}

recorder *recorder_open(const recorder_settings *settings, failure *out_failure)
{
    recorder *r = calloc(1, sizeof *r);

    if (!r || (settings->directory && !(r->directory = strdup(settings->directory)))) {
        fail_with(out_failure, "cannot record: out of memory");
        free(r);
        return NULL;
    }
    r->settings = *settings;
    if (settings->path)
        snprintf(r->path, sizeof r->path, "%s", settings->path);
    r->status_changed.data = r;
    if (uv_async_init(settings->loop, &r->status_changed, recorder_on_status) != 0) {
        fail_with(out_failure, "cannot record: the system refuses");
        free(r->directory);
        free(r);
        return NULL;
    }
    ignore_sigxfsz();
    if (recorder_open_writer(r, out_failure) == 0)
        return r;
    uv_close((uv_handle_t *)&r->status_changed, free_recorder);
    return NULL;
}

event_sink recorder_port(recorder *r)
{
    return (event_sink){.context = r,
                        .event = on_event,
                        .frame = on_frame,
                        .blade = on_blade,
                        .removed = on_removed,
                        .target = on_target,
                        .target_removed = on_target_removed};
}

void recorder_list_counters(recorder *r, counter_list *out)
{
    record_writer_status status;

    record_writer_get_status(r->writer, &status);
    const counter_row all[] = {
        {"recorded_lines", "clashd_recorder_lines", "Lines in the recording's files, for all that is known.",
         status.lines},
        {"recorded_bytes", "clashd_recorder_bytes_total", "Bytes of lines that went into files, before compression.",
         status.bytes},
        {"record_waiting_bytes", "clashd_recorder_waiting_bytes", "Bytes that wait for the disk now, about.",
         status.waiting},
        {"record_lost_lines", "clashd_recorder_lines_lost_total",
         "Lines that no file has: the disk was too slow, full or broken.", r->lost},
        {"record_gaps", "clashd_recorder_gaps_total", "Gaps in recordings, each of which has lost lines.", r->gaps},
        {"record_errors", "clashd_recorder_errors_total", "Writes, opens and syncs that failed.", status.errors},
        {"record_refused_samples", "clashd_recorder_samples_refused_total",
         "Samples that cannot be written: not finite.", r->refused_samples},
        {"record_files", "clashd_recorder_files_total", "Files that were begun.", status.files},
        {"record_files_removed", "clashd_recorder_files_removed_total",
         "Files that were removed to keep no more than asked for.", status.removed},
    };
    counter_list_add(out, all, sizeof all / sizeof all[0]);
}

const char *recorder_file(const recorder *r)
{
    return r->next[0] ? r->next : r->path;
}

bool recorder_close(recorder *r)
{
    record_writer_status last;
    bool is_whole;

    if (!r)
        return true;
    if (r->has_file)
        recorder_notify_gap(r, recorder_now_ns(r));
    record_writer_close(r->writer, &last);
    recorder_log_change(r, &last);
    is_whole = recorder_log_end(r, &last);
    uv_close((uv_handle_t *)&r->status_changed, last.is_stuck ? NULL : free_recorder);
    return is_whole;
}
