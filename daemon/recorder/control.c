/* The recorder's files: begin and end them, report what becomes of them, and correct the count of missing lines. See
 * recorder_private.h. */
#include "directory.h"
#include "recorder_private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define FLUSH_MS 200
#define RETRY_MS 1000
#define CHECK_MS 1000
#define BUFFER_BYTES (32u << 20)

/* Report a file that has a name but is not begun only if it was asked for; a file being written reports itself. */
static void notify_change(recorder *r)
{
    const protocol_recorder now = {
        .time_ns = (int64_t)uv_hrtime() - r->settings.epoch_ns,
        .state = !r->is_on            ? "off"
                 : r->seen.is_failing ? "failing"
                                      : "writing",
        .file = r->has_file ? r->path : recorder_file(r),
        .detail = r->is_on && r->seen.is_failing ? strerror(r->seen.error) : "",
        .lost_lines = r->lost,
    };

    if (r->settings.changed)
        r->settings.changed(r->settings.context, &now);
}

/* ---- files ---- */

/* Return 0, or -1 if the path is too long. */
static int name_next(recorder *r)
{
    protocol_session session;

    if (!r->directory || r->next[0])
        return 0;
    r->settings.session(r->settings.context, &session);
    return record_directory_name(r->next, sizeof r->next, r->directory, time(NULL), session.session, ++r->part,
                                 r->settings.compress);
}

void recorder_begin_file(recorder *r)
{
    protocol_session session;
    size_t length, blades;

    name_next(r); /* it fitted the first time */
    if (r->next[0])
        memcpy(r->path, r->next, sizeof r->path);
    r->next[0] = '\0';
    length = recorder_encode_header(r, &session, &blades);
    record_writer_begin(r->writer, r->path);
    r->file_bytes = 0;
    if (length > 0)
        recorder_hand_over(r, r->line, length, true);
    recorder_add_defined(r, &session, blades);
    recorder_notify_gap(r, recorder_now_ns(r));
    r->is_in_step = r->wants_file = false;
    r->has_file = true;
}

static bool has_control_character(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ')
            return true;
    return false;
}

static void on_writer_status(void *context)
{
    uv_async_send(&((recorder *)context)->status_changed);
}

static uint32_t or_default(uint32_t value, uint32_t otherwise)
{
    return value ? value : otherwise;
}

/* Called on the writer's thread. */
static void on_removed(void *context, const char *name, int error)
{
    const recorder_settings *s = &((recorder *)context)->settings;

    if (error == 0)
        LOG_INFO(&s->log, "%s/%s is removed: of more than %u recordings, record.keep, it was the oldest",
                 ((recorder *)context)->directory, name, s->keep);
    else
        LOG_WARNING(&s->log, "%s/%s cannot be removed, so that there are more than %u recordings, record.keep: %s",
                    ((recorder *)context)->directory, name, s->keep, strerror(error));
}

static record_writer *create_writer(recorder *r)
{
    const recorder_settings *s = &r->settings;

    return record_writer_create(&(record_writer_settings){
        .directory = r->directory,
        .keep = s->keep,
        .overwrites = s->overwrites,
        /* only the writer knows the size of compressed files; for others see recorder.c */
        .rotate_bytes = r->directory && s->compress ? s->rotate_bytes : 0,
        .buffer_bytes = s->buffer_bytes ? s->buffer_bytes : BUFFER_BYTES,
        .flush_ms = FLUSH_MS,
        .retry_ms = or_default(s->retry_ms, RETRY_MS),
        .check_ms = or_default(s->check_ms, CHECK_MS),
        .context = r,
        .status_changed = on_writer_status,
        .removed = on_removed,
    });
}

static int check_directory(recorder *r, failure *out_failure)
{
    const int error = record_directory_make(r->directory);
    const int fits = error == 0 ? name_next(r) : 0;

    r->next[0] = '\0'; /* its name holds the time at which it begins */
    r->part = 0;
    if (error != 0)
        return fail_int(out_failure, "record.directory: cannot make files in %s: %s", r->directory, strerror(error));
    return fits == 0 ? 0 : fail_int(out_failure, "record.directory: %s: the path is too long", r->directory);
}

static int check_file(const recorder *r, failure *out_failure)
{
    const char *why;
    const int error = record_file_check(r->path, !r->settings.overwrites, &why);

    if (error == EEXIST && !why)
        return fail_int(out_failure, "cannot write %s: it is there already; --overwrite replaces it", r->path);
    return error == 0 ? 0 : fail_int(out_failure, "cannot write %s: %s", r->path, why ? why : strerror(error));
}

/* Do this first, so that an obstacle is reported to whoever starts clashd. */
int recorder_open_writer(recorder *r, failure *out_failure)
{
    const char *place = r->directory ? r->directory : r->path;
    protocol_session session;
    size_t blades;

    if (has_control_character(place))
        return fail_int(out_failure, "cannot record to %s: its name has a control character", place);
    if ((r->directory ? check_directory(r, out_failure) : check_file(r, out_failure)) != 0)
        return -1;
    if (recorder_encode_header(r, &session, &blades) == 0)
        return fail_int(out_failure, "cannot record to %s: its header does not fit into a line of %d bytes", place,
                        PROTOCOL_LINE_MAX);
    r->writer = create_writer(r);
    if (!r->writer)
        return fail_int(out_failure, "cannot record to %s: the system refuses", place);
    r->is_on = r->wants_file = true;
    return 0;
}

/* ---- what becomes of them ---- */

/* The file was deleted: lines not safe by then are lost, and so are those that waited. Begin another file. */
static void on_gone(recorder *r, const record_writer_status *now)
{
    uint64_t there = r->accepted - r->dropped;
    uint64_t lines = there > now->gone_line ? there - now->gone_line : 0;

    LOG_ERROR(&r->settings.log,
              "%s has been deleted; all else goes on, and another file is begun when that is possible", r->path);
    r->dropped += lines;
    recorder_miss(r, lines, now->gone_ns - r->settings.epoch_ns);
    if (r->has_file)
        recorder_begin_file(r); /* the new file has the gap, whether or not there are poses yet */
}

void recorder_log_change(recorder *r, const record_writer_status *now)
{
    if (now->is_failing && (!r->seen.is_failing || now->error != r->seen.error))
        LOG_ERROR(&r->settings.log, "cannot write %s: %s; all else goes on, and it will be tried again", r->path,
                  strerror(now->error));
    else if (!now->is_failing && r->seen.is_failing)
        LOG_INFO(&r->settings.log, "%s can be written again; %llu lines were lost", r->path,
                 (unsigned long long)r->lost);
}

bool recorder_log_end(recorder *r, const record_writer_status *last)
{
    const uint64_t there = r->accepted - r->dropped;
    const uint64_t left = there > last->lines ? there - last->lines : 0;
    const uint64_t untold = r->missing; /* missing lines for which the file has no gap line */
    const char *why = last->is_stuck ? "the disk does not answer" : last->is_failing ? strerror(last->error) : "";

    if (r->lost + left > 0)
        LOG_ERROR(&r->settings.log,
                  "%s lacks %llu lines that could not be written, the last %llu of them at its end%s%s", r->path,
                  (unsigned long long)(r->lost + left), (unsigned long long)(left + untold), *why ? ": " : "", why);
    else if (last->is_stuck)
        LOG_WARNING(&r->settings.log, "%s is written, but the disk does not say that it is safe", r->path);
    return left + untold == 0;
}

void recorder_on_status(uv_async_t *handle)
{
    recorder *r = handle->data;
    record_writer_status now, before = r->seen;

    record_writer_get_status(r->writer, &now);
    recorder_log_change(r, &now);
    r->seen = now;
    if (now.gone != before.gone)
        on_gone(r, &now);
    else if (now.asked != before.asked && r->has_file)
        r->wants_file = true;
    if (now.is_failing != before.is_failing || now.error != before.error || now.gone != before.gone ||
        now.files != before.files)
        notify_change(r);
}

/* ---- on request ---- */

static int refuse_one_file(const recorder *r, failure *out_failure)
{
    return fail_int(out_failure, "--record names one file, %s: give record.directory in the settings for more",
                    r->path);
}

int recorder_start(recorder *r, failure *out_failure)
{
    if (r->is_on)
        return fail_int(out_failure, "already recording to %s", r->path);
    if (!r->directory)
        return refuse_one_file(r, out_failure);
    r->is_on = r->wants_file = true;
    name_next(r);
    notify_change(r);
    return 0;
}

int recorder_stop(recorder *r, failure *out_failure)
{
    if (!r->is_on)
        return fail_int(out_failure, "nothing is being recorded");
    if (r->has_file) {
        recorder_notify_gap(r, recorder_now_ns(r));
        record_writer_end(r->writer);
    } else if (r->directory) {
        r->path[0] = '\0'; /* none was made */
    }
    r->is_on = r->has_file = r->wants_file = false;
    r->next[0] = '\0';
    notify_change(r);
    return 0;
}

int recorder_rotate(recorder *r, failure *out_failure)
{
    if (!r->is_on)
        return fail_int(out_failure, "nothing is being recorded");
    if (!r->directory)
        return refuse_one_file(r, out_failure);
    r->wants_file = true;
    name_next(r);
    return 0;
}

int recorder_mark(recorder *r, const char *text, failure *out_failure)
{
    int64_t time_ns = recorder_now_ns(r);

    if (!r->is_on)
        return fail_int(out_failure, "nothing is being recorded");
    if (!r->has_file)
        recorder_begin_file(r); /* a note from somebody counts like a pose */
    recorder_add(r, protocol_encode_recorded_mark(r->line, sizeof r->line, time_ns, text), time_ns, true);
    return 0;
}

void recorder_notify_equipment(recorder *r)
{
    const int64_t time_ns = recorder_now_ns(r);
    protocol_session session;

    if (!r->has_file)
        return;
    r->settings.session(r->settings.context, &session);
    recorder_add(r, protocol_encode_recorded_equipment(r->line, sizeof r->line, time_ns, &session.equipment), time_ns,
                 true);
}

void recorder_reopen(recorder *r)
{
    if (!r->has_file)
        return;
    if (r->directory)
        r->wants_file = true;
    else
        record_writer_check(r->writer);
}
