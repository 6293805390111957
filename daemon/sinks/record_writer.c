/* Two buffers: lines gather in one under the lock while the thread writes the other without it. Commands stand among the
 * lines they come before, marked by a character that no line has. See record_writer.h. */
#include "sinks/record_writer.h"

#include "sinks/record_directory.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uv.h>

/** So much that waits is written without waiting longer. */
#define FLUSH_BYTES 65536
/** For lines that must be there, beyond what others may take. */
#define RESERVE_BYTES (1u << 20)
/** Memory a buffer keeps when it is empty. */
#define BUFFER_KEPT_BYTES (1u << 20)

#define MARK '\x01' /* MARK COMMAND TEXT '\n' */
#define COMMAND_BEGIN 'b'
#define COMMAND_END 'e'

typedef struct text_buffer {
    char *bytes;
    size_t length, capacity;
} text_buffer;

struct record_writer {
    record_writer_settings settings;
    char *directory;
    uv_thread_t thread;
    bool has_thread;
    uv_mutex_t mutex;
    uv_cond_t wake;
    /* Under the mutex: */
    text_buffer gathering;
    bool is_stopping, wants_check;
    record_writer_status shown;
    /* The thread's own: */
    text_buffer writing;
    size_t at;
    record_file file;
    record_writer_status status;
    uint64_t checked_lines; /* in a file that was there */
    int64_t checked_ns;     /* what was added before is among those */
    int64_t taken_ns;       /* of what is in `writing` */
    int64_t retry_at_ns, check_at_ns;
    bool has_asked;
};

static int64_t now_ns(void)
{
    return (int64_t)uv_hrtime();
}

static uint64_t count_lines(const char *bytes, size_t length)
{
    uint64_t lines = 0;

    for (const char *at = bytes, *end = bytes + length; at < end && (at = memchr(at, '\n', (size_t)(end - at))); at++)
        lines++;
    return lines;
}

/* ---- the thread ---- */

static void fail(record_writer *w, int error)
{
    w->status.errors++;
    w->status.is_failing = true;
    w->status.error = error;
    w->retry_at_ns = now_ns() + (int64_t)w->settings.retry_ms * 1000000;
}

static void close_file(record_writer *w)
{
    if (record_file_close(&w->file) != 0)
        w->status.errors++;
    w->status.is_open = false;
}

/* 0, or an errno. */
static int open_file(record_writer *w, const char *path, const char **out_why)
{
    int error;

    close_file(w);
    w->checked_lines = w->status.lines;
    error = record_file_open(&w->file, path, w->directory != NULL, out_why);
    if (error != 0)
        return error;
    w->status.is_open = true;
    w->status.files++;
    w->has_asked = false;
    if (w->directory)
        w->status.removed += record_directory_keep(w->directory, w->settings.keep, path);
    return 0;
}

/* The command at `at`. False where it has to be tried again. */
static bool obey(record_writer *w)
{
    char *command = w->writing.bytes + w->at + 1;
    char *end = strchr(command, '\n');
    int error = 0;

    *end = '\0';
    if (*command == COMMAND_BEGIN)
        error = open_file(w, command + 1, NULL);
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

/* The lines at `at`, up to the next command. False where they have to be tried again. */
static bool write_lines(record_writer *w)
{
    const char *start = w->writing.bytes + w->at;
    const char *mark = memchr(start, MARK, w->writing.length - w->at);
    size_t length = mark ? (size_t)(mark - start) : w->writing.length - w->at, taken;
    int error;

    if (w->file.fd < 0) { /* it is gone, and its owner has been told */
        w->at += length;
        return true;
    }
    error = record_file_write(&w->file, start, length, &taken);
    w->status.lines += count_lines(start, taken);
    w->at += taken;
    if (error != 0)
        fail(w, error);
    else
        w->status.is_failing = false;
    return error == 0;
}

static void write_waiting(record_writer *w)
{
    text_buffer *b = &w->writing;

    while (w->at < b->length)
        if (!(b->bytes[w->at] == MARK ? obey(w) : write_lines(w)))
            return;
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
    int error = record_file_sync(&w->file);
    record_file_place place = record_file_find(&w->file);

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

/* Waits for something to do, and takes what has gathered. False where this is the end. */
static bool wait_for_work(record_writer *w, bool *out_check)
{
    bool is_stopping;

    uv_mutex_lock(&w->mutex);
    if (!w->is_stopping && !w->wants_check && (w->status.is_failing || w->gathering.length < FLUSH_BYTES))
        uv_cond_timedwait(&w->wake, &w->mutex, (uint64_t)w->settings.flush_ms * 1000000);
    if (w->writing.length == 0) {
        text_buffer empty = w->writing;

        w->writing = w->gathering;
        w->gathering = empty;
        w->taken_ns = now_ns();
    }
    is_stopping = w->is_stopping;
    *out_check = w->wants_check;
    w->wants_check = false;
    uv_mutex_unlock(&w->mutex);
    return !is_stopping;
}

static void show_status(record_writer *w)
{
    const record_writer_status *now = &w->status;
    bool is_news;

    uv_mutex_lock(&w->mutex);
    is_news = w->shown.is_open != now->is_open || w->shown.is_failing != now->is_failing ||
              w->shown.error != now->error || w->shown.asked != now->asked || w->shown.gone != now->gone ||
              w->shown.files != now->files;
    w->shown = *now;
    uv_mutex_unlock(&w->mutex);
    if (is_news)
        w->settings.news(w->settings.context);
}

static void run(void *context)
{
    record_writer *w = context;
    bool must_check;

    while (wait_for_work(w, &must_check)) {
        work(w, must_check, false);
        show_status(w);
    }
    work(w, false, true);
    if (w->writing.length == 0) { /* what gathered behind what was being tried */
        wait_for_work(w, &must_check);
        work(w, false, true);
    }
}

/* ---- the owner's thread ---- */

record_writer *record_writer_create(const record_writer_settings *settings)
{
    record_writer *w = calloc(1, sizeof *w);

    if (!w || (settings->directory && !(w->directory = strdup(settings->directory)))) {
        free(w);
        return NULL;
    }
    w->settings = *settings;
    w->settings.directory = w->directory;
    record_file_init(&w->file);
    if (uv_mutex_init(&w->mutex) != 0 || uv_cond_init(&w->wake) != 0) {
        free(w->directory);
        free(w);
        return NULL;
    }
    return w;
}

/* Signals are for the loop's thread. */
static void start_thread(record_writer *w)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    w->has_thread = uv_thread_create(&w->thread, run, w) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int refuse(char *out_error, size_t size, const char *path, const char *why)
{
    snprintf(out_error, size, "cannot write %s: %s", path, why);
    return -1;
}

int record_writer_begin_now(record_writer *w, const char *path, const char *header, size_t length, char *out_error,
                            size_t size)
{
    const char *why = NULL;
    size_t taken;
    int error = open_file(w, path, &why);

    assert(!w->has_thread);
    if (error == 0)
        error = record_file_write(&w->file, header, length, &taken);
    if (error != 0)
        return refuse(out_error, size, path, why ? why : strerror(error));
    w->status.lines = w->checked_lines = 1;
    w->checked_ns = now_ns();
    w->check_at_ns = w->checked_ns + (int64_t)w->settings.check_ms * 1000000;
    w->shown = w->status;
    start_thread(w);
    return w->has_thread ? 0 : refuse(out_error, size, path, "the system refuses a thread");
}

/* Under the mutex. False when out of memory. */
static bool append(text_buffer *b, const char *bytes, size_t length)
{
    size_t needed = b->length + length;

    if (needed > b->capacity) {
        size_t capacity = needed < FLUSH_BYTES ? 2 * FLUSH_BYTES : 2 * needed;
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
    fits = before < limit && append(&w->gathering, line, length);
    if (before < FLUSH_BYTES && w->gathering.length >= FLUSH_BYTES)
        uv_cond_signal(&w->wake);
    uv_mutex_unlock(&w->mutex);
    return fits;
}

static void command(record_writer *w, char what, const char *text)
{
    char line[RECORD_PATH_MAX + 4];
    int length = snprintf(line, sizeof line, "%c%c%s\n", MARK, what, text);

    assert(length > 0 && (size_t)length < sizeof line);
    uv_mutex_lock(&w->mutex);
    append(&w->gathering, line, (size_t)length); /* no memory: then there is nothing to write either */
    uv_cond_signal(&w->wake);
    uv_mutex_unlock(&w->mutex);
}

void record_writer_begin(record_writer *w, const char *path)
{
    command(w, COMMAND_BEGIN, path);
}

void record_writer_end(record_writer *w)
{
    command(w, COMMAND_END, "");
}

bool record_writer_has_room(record_writer *w)
{
    bool has_room;

    uv_mutex_lock(&w->mutex);
    has_room = w->gathering.length <= w->settings.buffer_bytes / 2;
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
    uv_mutex_unlock(&w->mutex);
}

static void stop_thread(record_writer *w)
{
    uv_mutex_lock(&w->mutex);
    w->is_stopping = true;
    uv_cond_signal(&w->wake);
    uv_mutex_unlock(&w->mutex);
    uv_thread_join(&w->thread);
}

void record_writer_close(record_writer *w, record_writer_status *out_status, uint64_t *out_left)
{
    if (!w)
        return;
    if (w->has_thread)
        stop_thread(w);
    if (out_left)
        *out_left = count_lines(w->writing.bytes + w->at, w->writing.length - w->at) +
                    count_lines(w->gathering.bytes, w->gathering.length);
    record_file_finish(&w->file);
    if (out_status)
        *out_status = w->status;
    uv_mutex_destroy(&w->mutex);
    uv_cond_destroy(&w->wake);
    free(w->writing.bytes);
    free(w->gathering.bytes);
    free(w->directory);
    free(w);
}
