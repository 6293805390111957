/* Two buffers: lines gather in one while the other is on its way to the disk. `offset` is where the next whole line
 * belongs in the file; it moves over whole lines only, and every write says its own place, so that what an error tore is
 * overwritten, or cut off at the end, and never stands before a good line. See line_file.h. */
#include "sinks/line_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/** So much that waits is written without waiting for the timer. */
#define FLUSH_BYTES 65536

typedef struct buffer {
    char *bytes;
    size_t length, capacity;
} buffer;

struct line_file {
    line_file_settings settings;
    char *path;
    int fd;
    uv_timer_t timer; /* runs while lines wait: the next flush, or after an error the next try */
    uv_fs_t write;
    bool in_flight;
    bool failing;     /* the last write failed, and that has been said */
    bool overflowing; /* lines are being lost, and that has been said */
    bool closing;
    bool timer_closed;
    buffer gathering, writing;
    size_t written; /* of `writing`, by the writes since `offset` was moved */
    int64_t offset;
    line_file_counters counters;
};

static void on_written(uv_fs_t *request);
static void on_timer(uv_timer_t *timer);

static uint64_t count_lines(const buffer *b, size_t length)
{
    uint64_t lines = 0;

    for (size_t i = 0; i < length; i++)
        lines += b->bytes[i] == '\n';
    return lines;
}

/* Moves over the whole lines among the first `written` bytes; the rest is still to be written. */
static void keep_whole_lines(line_file *f)
{
    buffer *b = &f->writing;
    const char *end = f->written > 0 ? memrchr(b->bytes, '\n', f->written) : NULL;
    size_t whole = end ? (size_t)(end - b->bytes) + 1 : 0;

    f->counters.lines += count_lines(b, whole);
    if (whole > 0)
        memmove(b->bytes, b->bytes + whole, b->length - whole);
    b->length -= whole;
    f->offset += (int64_t)whole;
    f->written = 0;
}

static void note_failure(line_file *f, int error)
{
    keep_whole_lines(f);
    if (ftruncate(f->fd, f->offset) != 0)
        f->counters.errors++; /* then the next good line overwrites what was torn */
    f->counters.errors++;
    if (!f->failing)
        LOG_ERROR(&f->settings.log, "cannot write %s: %s; all else goes on, and it will be tried again", f->path,
                  strerror(error));
    f->failing = true;
}

static void note_success(line_file *f)
{
    keep_whole_lines(f);
    if (f->failing)
        LOG_INFO(&f->settings.log, "%s can be written again; %llu lines were lost", f->path,
                 (unsigned long long)f->counters.lost);
    f->failing = f->overflowing = false;
}

/* What was on its way comes first, until all of it is in the file. */
static bool take_gathered(line_file *f)
{
    if (f->writing.length == 0) {
        buffer empty = f->writing;

        f->writing = f->gathering;
        f->gathering = empty;
    }
    return f->writing.length > 0;
}

static void submit(line_file *f)
{
    uv_buf_t rest = uv_buf_init(f->writing.bytes + f->written, (unsigned)(f->writing.length - f->written));
    int64_t place = f->offset + (int64_t)f->written;

    f->write.data = f;
    f->in_flight = true;
    if (uv_fs_write(f->settings.loop, &f->write, f->fd, &rest, 1, place, on_written) != 0) {
        f->in_flight = false;
        note_failure(f, ENOMEM); /* libuv refuses for no other reason */
    }
}

static void arm_timer(line_file *f)
{
    bool waits = f->gathering.length > 0 || f->writing.length > 0;

    if (waits && !f->in_flight && !f->closing && !uv_is_active((uv_handle_t *)&f->timer))
        uv_timer_start(&f->timer, on_timer, f->failing ? f->settings.retry_ms : f->settings.flush_ms, 0);
}

static void flush(line_file *f)
{
    if (!f->in_flight && take_gathered(f))
        submit(f);
    arm_timer(f);
}

static void on_timer(uv_timer_t *timer)
{
    flush(timer->data);
}

/* 0, or the error that stopped it. */
static int write_all(line_file *f)
{
    while (take_gathered(f)) {
        ssize_t count =
            pwrite(f->fd, f->writing.bytes + f->written, f->writing.length - f->written, f->offset + (off_t)f->written);

        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count < 0 ? errno : ENOSPC;
        f->written += (size_t)count;
        if (f->written == f->writing.length)
            note_success(f);
    }
    return 0;
}

static void line_file_free(line_file *f)
{
    free(f->gathering.bytes);
    free(f->writing.bytes);
    free(f->path);
    free(f);
}

static void finish(line_file *f)
{
    int error = write_all(f);

    if (error != 0) {
        note_failure(f, error);
        f->counters.lost += count_lines(&f->writing, f->writing.length);
        f->counters.lost += count_lines(&f->gathering, f->gathering.length);
    }
    if (f->counters.lost > 0)
        LOG_ERROR(&f->settings.log, "%s lacks %llu lines that could not be written", f->path,
                  (unsigned long long)f->counters.lost);
    if (close(f->fd) != 0)
        LOG_ERROR(&f->settings.log, "cannot close %s: %s", f->path, strerror(errno));
    f->fd = -1;
    if (f->timer_closed)
        line_file_free(f);
}

static void on_written(uv_fs_t *request)
{
    line_file *f = request->data;
    ssize_t result = request->result;

    uv_fs_req_cleanup(request);
    f->in_flight = false;
    if (result > 0)
        f->written += (size_t)result;
    if (result <= 0)
        note_failure(f, result < 0 ? (int)-result : ENOSPC);
    else if (f->written == f->writing.length)
        note_success(f);
    if (f->closing)
        finish(f);
    else if (result > 0 && (f->written > 0 || f->gathering.length >= FLUSH_BYTES))
        flush(f); /* the rest of a short write goes at once: it fits, or says what is wrong */
    else
        arm_timer(f);
}

static char *lose_line(line_file *f)
{
    f->counters.lost++;
    if (!f->overflowing)
        LOG_ERROR(&f->settings.log, "%s loses lines: more wait to be written than may be kept in memory", f->path);
    f->overflowing = true;
    return NULL;
}

char *line_file_begin(line_file *f)
{
    buffer *b = &f->gathering;
    size_t needed = b->length + f->settings.line_max;

    if (b->length >= f->settings.buffer_bytes)
        return lose_line(f);
    if (needed > b->capacity) {
        char *bytes = realloc(b->bytes, needed * 2);

        if (!bytes)
            return lose_line(f);
        b->bytes = bytes;
        b->capacity = needed * 2;
    }
    return b->bytes + b->length;
}

void line_file_end(line_file *f, size_t length)
{
    assert(length == 0 || f->gathering.bytes[f->gathering.length + length - 1] == '\n');
    f->counters.lost += length == 0;
    f->gathering.length += length;
    if (f->gathering.length >= FLUSH_BYTES && !f->failing)
        flush(f);
    else
        arm_timer(f);
}

static int fail(char *out_error, size_t error_size, const char *path, const char *why)
{
    snprintf(out_error, error_size, "cannot write %s: %s", path, why);
    return -1;
}

int line_file_write_now(line_file *f, char *out_error, size_t error_size)
{
    int error = f->in_flight ? EBUSY : write_all(f);

    return error == 0 ? 0 : fail(out_error, error_size, f->path, strerror(error));
}

/* NULL, or why the file cannot be ours. Where the file system has no locks or no modes it does without. */
static const char *claim_file(int fd)
{
    struct stat status;

    if (fstat(fd, &status) != 0)
        return strerror(errno);
    if (!S_ISREG(status.st_mode))
        return "it exists and is no regular file";
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return "another process is writing it";
    if (ftruncate(fd, 0) != 0)
        return strerror(errno);
    fchmod(fd, 0600);
    return NULL;
}

/* Opened without waiting (a FIFO would) and without truncating: first it has to be known what it is, and that no other
 * process writes it. */
static int open_file(const char *path, char *out_error, size_t error_size)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
    const char *why;

    if (fd < 0)
        return fail(out_error, error_size, path,
                    errno == EISDIR ? "it is a directory, expected a regular file" : strerror(errno));
    why = claim_file(fd);
    if (!why)
        return fd;
    fail(out_error, error_size, path, why);
    close(fd);
    return -1;
}

static void ignore_sigxfsz(void)
{
    struct sigaction action;

    if (sigaction(SIGXFSZ, NULL, &action) == 0 && action.sa_handler == SIG_DFL) {
        action.sa_handler = SIG_IGN;
        sigaction(SIGXFSZ, &action, NULL);
    }
}

line_file *line_file_open(const line_file_settings *settings, char *out_error, size_t error_size)
{
    line_file *f = calloc(1, sizeof *f);

    if (!f || !(f->path = strdup(settings->path))) {
        free(f);
        fail(out_error, error_size, settings->path, "out of memory");
        return NULL;
    }
    f->settings = *settings;
    f->settings.path = f->path;
    ignore_sigxfsz();
    f->fd = open_file(f->path, out_error, error_size);
    if (f->fd < 0) {
        line_file_free(f);
        return NULL;
    }
    uv_timer_init(settings->loop, &f->timer);
    f->timer.data = f;
    return f;
}

const line_file_counters *line_file_get_counters(const line_file *f)
{
    return &f->counters;
}

static void on_timer_closed(uv_handle_t *handle)
{
    line_file *f = handle->data;

    f->timer_closed = true;
    if (f->fd < 0)
        line_file_free(f);
}

void line_file_close(line_file *f)
{
    if (!f)
        return;
    assert(!f->closing);
    f->closing = true;
    uv_close((uv_handle_t *)&f->timer, on_timer_closed);
    if (!f->in_flight)
        finish(f);
}
