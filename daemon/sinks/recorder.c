/* Two buffers: lines gather in one while the other is on its way to the disk. `offset` is where the next whole line
 * belongs in the file; it moves over whole lines only, and every write says its own place, so that what an error tore off
 * is overwritten, or cut off at the end, and never stands before a good line. See recorder.h. */
#include "sinks/recorder.h"
#include "sinks/pose_list.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
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

struct recorder {
    recorder_settings settings;
    char *path;
    int fd;
    uv_timer_t timer; /* runs while lines wait: the next flush, or after an error the next try */
    uv_fs_t write;
    bool in_flight;
    bool failing; /* the last write failed, and that has been said */
    bool closing;
    bool timer_closed;
    buffer gathering, writing;
    size_t written; /* of `writing`, by the writes since `offset` was moved */
    int64_t offset;
    uint64_t lines, lost_lines, errors, refused_samples;
};

static void on_written(uv_fs_t *request);
static void on_timer(uv_timer_t *timer);

/* ---- the file ---- */

static uint64_t count_lines(const char *bytes, size_t length)
{
    uint64_t lines = 0;

    for (size_t i = 0; i < length; i++)
        lines += bytes[i] == '\n';
    return lines;
}

/* Moves over the whole lines among the first `written` bytes; the rest is still to be written. */
static void keep_whole_lines(recorder *r)
{
    const char *end = r->written > 0 ? memrchr(r->writing.bytes, '\n', r->written) : NULL;
    size_t whole = end ? (size_t)(end - r->writing.bytes) + 1 : 0;

    r->lines += count_lines(r->writing.bytes, whole);
    memmove(r->writing.bytes, r->writing.bytes + whole, r->writing.length - whole);
    r->writing.length -= whole;
    r->offset += (int64_t)whole;
    r->written = 0;
}

static void cut_torn_line(recorder *r)
{
    if (ftruncate(r->fd, r->offset) != 0)
        r->errors++; /* then the next good line overwrites it */
}

static void note_failure(recorder *r, int error)
{
    keep_whole_lines(r);
    cut_torn_line(r);
    r->errors++;
    if (!r->failing)
        LOG_ERROR(&r->settings.log, "cannot write recording %s: %s; clashes are found all the same, and it tries again",
                  r->path, strerror(error));
    r->failing = true;
}

static void note_success(recorder *r)
{
    keep_whole_lines(r);
    if (r->failing)
        LOG_INFO(&r->settings.log, "recording %s goes on; %llu lines were lost", r->path,
                 (unsigned long long)r->lost_lines);
    r->failing = false;
}

static bool take_gathered(recorder *r)
{
    if (r->writing.length == 0) {
        buffer empty = r->writing;

        r->writing = r->gathering;
        r->gathering = empty;
    }
    return r->writing.length > 0;
}

static void submit(recorder *r)
{
    uv_buf_t rest = uv_buf_init(r->writing.bytes + r->written, (unsigned)(r->writing.length - r->written));

    r->write.data = r;
    if (uv_fs_write(r->settings.loop, &r->write, r->fd, &rest, 1, r->offset + (int64_t)r->written, on_written) == 0) {
        r->in_flight = true;
        return;
    }
    note_failure(r, ENOMEM); /* libuv refuses for no other reason */
}

static void arm_timer(recorder *r)
{
    bool waits = r->gathering.length > 0 || r->writing.length > 0;

    if (waits && !r->in_flight && !r->closing && !uv_is_active((uv_handle_t *)&r->timer))
        uv_timer_start(&r->timer, on_timer, r->failing ? r->settings.retry_ms : RECORDER_FLUSH_MS, 0);
}

static void flush(recorder *r)
{
    if (!r->in_flight && take_gathered(r))
        submit(r);
    arm_timer(r);
}

static void on_timer(uv_timer_t *timer)
{
    flush(timer->data);
}

static void write_rest_now(recorder *r)
{
    while (take_gathered(r)) {
        ssize_t count =
            pwrite(r->fd, r->writing.bytes + r->written, r->writing.length - r->written, r->offset + (off_t)r->written);

        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0) {
            note_failure(r, count < 0 ? errno : ENOSPC);
            r->lost_lines += count_lines(r->writing.bytes, r->writing.length);
            r->writing.length = 0;
            r->lost_lines += count_lines(r->gathering.bytes, r->gathering.length);
            r->gathering.length = 0;
            break;
        }
        r->written += (size_t)count;
        if (r->written == r->writing.length)
            note_success(r);
    }
}

static void recorder_free(recorder *r)
{
    free(r->gathering.bytes);
    free(r->writing.bytes);
    free(r->path);
    free(r);
}

/* The end of a recording: needs no loop. */
static void finish_file(recorder *r)
{
    write_rest_now(r);
    if (r->lost_lines > 0)
        LOG_ERROR(&r->settings.log, "recording %s ends without %llu lines that could not be written", r->path,
                  (unsigned long long)r->lost_lines);
    if (close(r->fd) != 0)
        LOG_ERROR(&r->settings.log, "cannot close recording %s: %s", r->path, strerror(errno));
    r->fd = -1;
    if (r->timer_closed)
        recorder_free(r);
}

static void on_written(uv_fs_t *request)
{
    recorder *r = request->data;
    ssize_t result = request->result;

    uv_fs_req_cleanup(request);
    r->in_flight = false;
    if (result > 0)
        r->written += (size_t)result;
    if (result <= 0)
        note_failure(r, result < 0 ? (int)-result : ENOSPC);
    else if (r->written == r->writing.length)
        note_success(r);
    if (r->closing)
        finish_file(r);
    else if (result > 0 && (r->written > 0 || r->gathering.length >= FLUSH_BYTES))
        flush(r); /* the rest of a short write goes at once: it either fits or says what is wrong */
    else
        arm_timer(r);
}

/* ---- lines ---- */

/* Room for one more line, or NULL. Each buffer may hold buffer_bytes: more than that waits only where the disk fails. */
static char *begin_line(recorder *r)
{
    buffer *b = &r->gathering;
    size_t needed = b->length + PROTOCOL_LINE_MAX;

    if (needed > b->capacity) {
        size_t capacity = needed * 2;
        char *bytes = b->length < r->settings.buffer_bytes ? realloc(b->bytes, capacity) : NULL;

        if (!bytes) {
            if (r->lost_lines++ == 0)
                LOG_ERROR(&r->settings.log, "recording %s loses lines: more wait to be written than fit into memory",
                          r->path);
            return NULL;
        }
        b->bytes = bytes;
        b->capacity = capacity;
    }
    return b->bytes + b->length;
}

static void end_line(recorder *r, size_t length)
{
    if (length == 0) {
        r->lost_lines++;
        return;
    }
    r->gathering.length += length;
    if (r->gathering.length >= FLUSH_BYTES && !r->failing)
        flush(r);
    else
        arm_timer(r);
}

static void on_event(void *context, const clash_event *event)
{
    recorder *r = context;
    char *line = begin_line(r);

    if (line)
        end_line(r, protocol_encode_event(line, PROTOCOL_LINE_MAX, event, r->settings.epoch_ns));
}

static void on_frame(void *context, const pose_frame *frame)
{
    recorder *r = context;
    protocol_pose poses[POSE_FRAME_SAMPLES_MAX];
    size_t count = pose_list_fill(poses, frame, &r->settings.names, &r->refused_samples);
    char *line = count > 0 ? begin_line(r) : NULL;

    if (line)
        end_line(r,
                 protocol_encode_poses(line, PROTOCOL_LINE_MAX, frame->time_ns - r->settings.epoch_ns, poses, count));
}

/* ---- beginning and end ---- */

static int fail(char *out_error, size_t error_size, const char *path, const char *why)
{
    snprintf(out_error, error_size, "cannot record to %s: %s", path, why);
    return -1;
}

/* Opened without waiting (a FIFO would) and without truncating: first it has to be known what it is, and that no other
 * clashd records there. */
static int open_file(const char *path, char *out_error, size_t error_size)
{
    struct stat status;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
    const char *why = NULL;

    if (fd < 0)
        return fail(out_error, error_size, path,
                    errno == EISDIR ? "it is a directory, expected a regular file" : strerror(errno));
    if (fstat(fd, &status) != 0)
        why = strerror(errno);
    else if (!S_ISREG(status.st_mode))
        why = "it is no regular file";
    else if (flock(fd, LOCK_EX | LOCK_NB) != 0)
        why = errno == EWOULDBLOCK ? "another process is recording to it" : strerror(errno);
    else if (ftruncate(fd, 0) != 0 || fchmod(fd, 0600) != 0)
        why = strerror(errno);
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

static int write_header(recorder *r, char *out_error, size_t error_size)
{
    char *line = begin_line(r);

    if (!line)
        return fail(out_error, error_size, r->path, "out of memory");
    r->gathering.length =
        protocol_encode_recording_header(line, PROTOCOL_LINE_MAX, r->settings.session, r->settings.settings);
    if (r->gathering.length == 0)
        return fail(out_error, error_size, r->path, "the header does not fit into a line");
    ssize_t count = pwrite(r->fd, line, r->gathering.length, 0);
    if (count != (ssize_t)r->gathering.length)
        return fail(out_error, error_size, r->path, count < 0 ? strerror(errno) : "no room for the header");
    r->offset = count;
    r->lines = 1;
    r->gathering.length = 0;
    return 0;
}

recorder *recorder_open(const recorder_settings *settings, char *out_error, size_t error_size)
{
    recorder *r = calloc(1, sizeof *r);

    if (!r || !(r->path = strdup(settings->path))) {
        free(r);
        fail(out_error, error_size, settings->path, "out of memory");
        return NULL;
    }
    r->settings = *settings;
    if (r->settings.buffer_bytes == 0)
        r->settings.buffer_bytes = RECORDER_BUFFER_BYTES_DEFAULT;
    if (r->settings.retry_ms == 0)
        r->settings.retry_ms = RECORDER_RETRY_MS;
    ignore_sigxfsz();
    r->fd = open_file(r->path, out_error, error_size);
    if (r->fd < 0 || write_header(r, out_error, error_size) != 0) {
        if (r->fd >= 0)
            close(r->fd);
        recorder_free(r);
        return NULL;
    }
    r->settings.path = NULL; /* all three were to be read during this call only */
    r->settings.session = NULL;
    r->settings.settings = NULL;
    uv_timer_init(settings->loop, &r->timer);
    r->timer.data = r;
    return r;
}

event_sink recorder_port(recorder *r)
{
    return (event_sink){.context = r, .event = on_event, .frame = on_frame};
}

size_t recorder_list_counters(const recorder *r, protocol_counter *out_counters, size_t size)
{
    const protocol_counter all[] = {
        {"recorded_lines", r->lines},
        {"record_lost_lines", r->lost_lines},
        {"record_errors", r->errors},
        {"record_refused_samples", r->refused_samples},
    };
    size_t count = sizeof all / sizeof all[0];

    if (count > size)
        count = size;
    memcpy(out_counters, all, count * sizeof all[0]);
    return count;
}

static void on_timer_closed(uv_handle_t *handle)
{
    recorder *r = handle->data;

    r->timer_closed = true;
    if (r->fd < 0)
        recorder_free(r);
}

void recorder_close(recorder *r)
{
    if (!r)
        return;
    assert(!r->closing);
    r->closing = true;
    uv_close((uv_handle_t *)&r->timer, on_timer_closed);
    if (!r->in_flight)
        finish_file(r);
}
