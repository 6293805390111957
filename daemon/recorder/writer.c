/* The owner's side of the writer: lines gather in one buffer under the lock while the thread writes the other without
 * it. See writer.h. */
#include "writer_private.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** For lines that must get in, beyond what others may use. */
#define RESERVE_BYTES (1u << 20)

/* Block all signals while threads are created: signals are for the loop's thread. */
static void block_signals(sigset_t *out_before)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, out_before);
}

static bool start_threads(record_writer *w)
{
    sigset_t before;
    bool started;

    block_signals(&before);
    w->sync = record_sync_create();
    started = w->sync && uv_thread_create(&w->thread, record_writer_run, w) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!started)
        record_sync_destroy(w->sync);
    return started;
}

/* Return 0, or -1; the caller frees what exists. */
static int open_parts(record_writer *w)
{
    if (uv_mutex_init(&w->mutex) != 0)
        return -1;
    if (uv_cond_init(&w->wake) == 0) {
        if (uv_cond_init(&w->done) == 0) {
            if (start_threads(w))
                return 0;
            uv_cond_destroy(&w->done);
        }
        uv_cond_destroy(&w->wake);
    }
    uv_mutex_destroy(&w->mutex);
    return -1;
}

record_writer *record_writer_create(const record_writer_settings *settings)
{
    record_writer *w = calloc(1, sizeof *w);

    if (!w)
        return NULL;
    w->settings = *settings;
    record_file_init(&w->file);
    if (settings->directory)
        w->settings.directory = w->directory = strdup(settings->directory);
    if ((!settings->directory || w->directory) && open_parts(w) == 0)
        return w;
    free(w->directory);
    free(w);
    return NULL;
}

/* Call under the mutex. Return false when out of memory. */
static bool append(text_buffer *b, const char *bytes, size_t length)
{
    size_t needed = b->length + length;

    if (needed > b->capacity) {
        size_t capacity = 2 * (needed < RECORD_FLUSH_BYTES ? (size_t)RECORD_FLUSH_BYTES : needed);
        char *more = realloc(b->bytes, capacity);

        if (!more)
            return false;
        b->bytes = more;
        b->capacity = capacity;
    }
    memcpy(b->bytes + b->length, bytes, length);
    b->length = needed;
    return true;
}

bool record_writer_add(record_writer *w, const char *line, size_t length, bool must)
{
    size_t limit = w->settings.buffer_bytes + (must ? RESERVE_BYTES : 0), before;
    bool fits;

    assert(length > 0 && line[length - 1] == '\n');
    uv_mutex_lock(&w->mutex);
    before = w->gathering.length;
    fits = record_writer_waiting(w) < limit && append(&w->gathering, line, length);
    if (before < RECORD_FLUSH_BYTES && w->gathering.length >= RECORD_FLUSH_BYTES)
        uv_cond_signal(&w->wake);
    uv_mutex_unlock(&w->mutex);
    return fits;
}

static void command(record_writer *w, char what, const char *text)
{
    char line[RECORD_PATH_MAX + 4];
    int length = snprintf(line, sizeof line, "%c%c%s\n", RECORD_MARK, what, text);

    assert(length > 0 && (size_t)length < sizeof line);
    uv_mutex_lock(&w->mutex);
    append(&w->gathering, line, (size_t)length); /* without memory there is nothing to write either */
    uv_cond_signal(&w->wake);
    uv_mutex_unlock(&w->mutex);
}

void record_writer_begin(record_writer *w, const char *path)
{
    command(w, RECORD_COMMAND_BEGIN, path);
}

void record_writer_end(record_writer *w)
{
    command(w, RECORD_COMMAND_END, "");
}

bool record_writer_has_room(record_writer *w)
{
    bool has_room;

    uv_mutex_lock(&w->mutex);
    has_room = record_writer_waiting(w) <= w->settings.buffer_bytes / 2;
    uv_mutex_unlock(&w->mutex);
    return has_room;
}

void record_writer_check(record_writer *w)
{
    uv_mutex_lock(&w->mutex);
    w->wants_check = true;
    uv_cond_signal(&w->wake);
    uv_mutex_unlock(&w->mutex);
}

void record_writer_get_status(record_writer *w, record_writer_status *out_status)
{
    uv_mutex_lock(&w->mutex);
    *out_status = w->shown;
    out_status->waiting = record_writer_waiting(w);
    uv_mutex_unlock(&w->mutex);
}

/* Return whether the thread has ended, which it does unless the disk hangs. */
static bool stop_thread(record_writer *w)
{
    uint64_t steps;
    bool is_done, moves = true;

    uv_mutex_lock(&w->mutex);
    w->is_stopping = true;
    uv_cond_signal(&w->wake);
    while (!w->is_done && moves) {
        steps = w->steps;
        moves = uv_cond_timedwait(&w->done, &w->mutex, (uint64_t)RECORD_TIMEOUT_MS * 1000000) == 0 || w->steps != steps;
    }
    is_done = w->is_done;
    w->is_alone = !is_done;
    uv_mutex_unlock(&w->mutex);
    if (is_done)
        uv_thread_join(&w->thread);
    return is_done;
}

void record_writer_close(record_writer *w, record_writer_status *out_status)
{
    if (!w)
        return;
    if (!stop_thread(w)) { /* it may wake up later and use what is here */
        record_writer_get_status(w, out_status);
        out_status->is_stuck = true;
        return;
    }
    *out_status = w->status;
    uv_mutex_destroy(&w->mutex);
    uv_cond_destroy(&w->wake);
    uv_cond_destroy(&w->done);
    free(w->writing.bytes);
    free(w->gathering.bytes);
    free(w->directory);
    free(w);
}
