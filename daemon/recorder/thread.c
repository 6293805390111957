/* The writing thread: take the gathered lines, write them, and look after the file. See writer.h. */
#include "directory.h"
#include "writer_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/** Memory that an empty buffer keeps. */
#define BUFFER_KEPT_BYTES (1u << 20)

static int64_t now_ns(void)
{
    return (int64_t)uv_hrtime();
}

/** The most that is written at once, so that whoever waits for the end sees progress. */
#define STEP_BYTES (128u << 10)

static uint64_t count_lines(const char *bytes, size_t length)
{
    uint64_t lines = 0;

    for (const char *at = bytes, *end = bytes + length; at < end && (at = memchr(at, '\n', (size_t)(end - at))); at++)
        lines++;
    return lines;
}

static void fail(record_writer *w, int error)
{
    w->status.errors++;
    w->status.is_failing = true;
    w->status.error = error;
    w->retry_at_ns = now_ns() + (int64_t)w->settings.retry_ms * 1000000;
}

/* Start a sync and do not wait for it, unless the last one is still going on. */
static void begin_sync(record_writer *w)
{
    if (w->file.fd >= 0 && w->file.is_dirty && record_sync_begin(w->sync, w->file.fd))
        w->file.is_dirty = false;
}

static void close_file(record_writer *w)
{
    begin_sync(w);
    if (record_file_close(&w->file) != 0)
        w->status.errors++;
    w->status.is_open = false;
}

static void on_removed(void *context, const char *name, int error)
{
    record_writer *w = context;
    bool is_alone;

    uv_mutex_lock(&w->mutex);
    is_alone = w->is_alone;
    uv_mutex_unlock(&w->mutex);
    if (!is_alone)
        w->settings.removed(w->settings.context, name, error);
}

/* Open a file; the one before is closed. Return 0, or an errno. */
static int open_file(record_writer *w, const char *path)
{
    const char *why;
    int error;

    close_file(w);
    w->checked_lines = w->status.lines;
    error = record_file_open(&w->file, path, w->directory || !w->settings.overwrites, &why);
    if (error != 0)
        return error;
    w->status.is_open = true;
    w->status.files++;
    w->has_asked = false;
    w->checked_ns = now_ns();
    w->check_at_ns = w->checked_ns + (int64_t)w->settings.check_ms * 1000000;
    if (w->directory)
        w->status.removed += record_directory_keep(w->directory, w->settings.keep, path, on_removed, w);
    return 0;
}

/* Carry out the command at `at`. Return false if it must be tried again. */
static bool carry_out(record_writer *w)
{
    char *command = w->writing.bytes + w->at + 1;
    char *end = strchr(command, '\n');
    int error = 0;

    *end = '\0';
    if (*command == RECORD_COMMAND_BEGIN)
        error = open_file(w, command + 1);
    else
        close_file(w);
    *end = '\n';
    if (error != 0) {
        fail(w, error);
        return false;
    }
    w->status.is_failing = false;
    w->at = (size_t)(end - w->writing.bytes) + 1;
    return true;
}

/* Return the length of the whole lines to write at once: up to a command, and if possible no longer than a step. */
static size_t step_length(const char *start, size_t length)
{
    const char *mark = memchr(start, RECORD_MARK, length);
    const char *end;

    length = mark ? (size_t)(mark - start) : length;
    end = length > STEP_BYTES ? memrchr(start, '\n', STEP_BYTES) : NULL;
    return end ? (size_t)(end - start) + 1 : length;
}

/* Write the lines at `at`, or the first of them. Return false if they must be tried again. */
static bool write_lines(record_writer *w)
{
    const char *start = w->writing.bytes + w->at;
    size_t length = step_length(start, w->writing.length - w->at), taken;
    int error;

    if (w->file.fd < 0) { /* the file is gone, and the owner knows */
        w->at += length;
        return true;
    }
    error = record_file_write(&w->file, start, length, &taken);
    w->status.lines += count_lines(start, taken);
    w->status.bytes += taken;
    w->at += taken;
    if (error != 0)
        fail(w, error);
    else
        w->status.is_failing = false;
    return error == 0;
}

/* Wake those that wait for the end, or for room. */
static void show_step(record_writer *w)
{
    uv_mutex_lock(&w->mutex);
    w->steps++;
    w->shown.waiting = w->writing.length - w->at;
    w->shown.lines = w->status.lines;
    uv_mutex_unlock(&w->mutex);
}

static void write_waiting(record_writer *w)
{
    text_buffer *b = &w->writing;

    while (w->at < b->length) {
        if (!(b->bytes[w->at] == RECORD_MARK ? carry_out(w) : write_lines(w)))
            return;
        show_step(w);
    }
    b->length = w->at = 0;
    if (b->capacity > BUFFER_KEPT_BYTES) {
        free(b->bytes);
        *b = (text_buffer){0};
    }
}

static void ask_for_another(record_writer *w)
{
    w->status.asked += !w->has_asked;
    w->has_asked = true;
}

static void lose_file(record_writer *w)
{
    close_file(w);
    w->status.lines = w->checked_lines;
    w->status.gone++;
    w->status.gone_line = w->checked_lines;
    w->status.gone_ns = w->checked_ns;
    fail(w, ENOENT);
}

static void check_file(record_writer *w)
{
    record_file_place place = record_file_find(&w->file);
    int error;

    begin_sync(w);
    error = record_sync_take_error(w->sync);
    w->check_at_ns = now_ns() + (int64_t)w->settings.check_ms * 1000000;
    if (place == RECORD_FILE_GONE) {
        lose_file(w);
        return;
    }
    if (place == RECORD_FILE_MOVED)
        ask_for_another(w);
    if (error != 0)
        fail(w, error);
    w->checked_lines = w->status.lines;
    w->checked_ns = w->taken_ns;
}

static void work(record_writer *w, bool must_check, bool is_last)
{
    if (!w->status.is_failing || is_last || now_ns() >= w->retry_at_ns)
        write_waiting(w);
    if (w->file.fd < 0)
        return;
    if (must_check || is_last || now_ns() >= w->check_at_ns)
        check_file(w);
    if (w->settings.rotate_bytes > 0 && w->file.size >= (int64_t)w->settings.rotate_bytes)
        ask_for_another(w);
}

/* Wait for work and take what has gathered. Return false if this is the end. */
static bool wait_for_work(record_writer *w, bool *out_check)
{
    bool is_stopping;

    uv_mutex_lock(&w->mutex);
    if (!w->is_stopping && !w->wants_check && (w->status.is_failing || w->gathering.length < RECORD_FLUSH_BYTES))
        uv_cond_timedwait(&w->wake, &w->mutex, (uint64_t)w->settings.flush_ms * 1000000);
    if (w->writing.length == 0) {
        text_buffer empty = w->writing;

        w->writing = w->gathering;
        w->gathering = empty;
        w->taken_ns = now_ns();
    }
    w->shown.waiting = w->writing.length - w->at;
    is_stopping = w->is_stopping;
    *out_check = w->wants_check;
    w->wants_check = false;
    uv_mutex_unlock(&w->mutex);
    return !is_stopping;
}

static void show_status(record_writer *w)
{
    const record_writer_status *now = &w->status;
    bool has_changed;

    w->status.waiting = w->writing.length - w->at;
    uv_mutex_lock(&w->mutex);
    has_changed = w->shown.is_open != now->is_open || w->shown.is_failing != now->is_failing ||
                  w->shown.error != now->error || w->shown.asked != now->asked || w->shown.gone != now->gone ||
                  w->shown.files != now->files;
    has_changed = has_changed && !w->is_alone;
    w->shown = *now;
    uv_mutex_unlock(&w->mutex);
    if (has_changed)
        w->settings.status_changed(w->settings.context);
}

/* Use the disk for the last time here, so that nobody else waits for it. */
static void finish(record_writer *w)
{
    show_status(w);
    record_file_finish(&w->file);
    record_sync_destroy(w->sync);
    uv_mutex_lock(&w->mutex);
    w->is_done = true;
    uv_cond_signal(&w->done);
    uv_mutex_unlock(&w->mutex);
}

void record_writer_run(void *context)
{
    record_writer *w = context;
    bool must_check;

    while (wait_for_work(w, &must_check)) {
        work(w, must_check, false);
        show_status(w);
    }
    work(w, false, true);
    if (w->writing.length == 0) { /* what gathered behind the bytes that were being tried */
        wait_for_work(w, &must_check);
        work(w, false, true);
    }
    finish(w);
}
