/* A peer's sending. A line goes straight to the kernel while nothing waits before it; else it queues, and one write of
 * many lines is under way at a time. Only lines that are not yet under way can be dropped, so a line is never torn.
 * The watch closes a peer whose unread bytes stay the same for PEER_STALL_TICKS ticks: ticks are counted rather than
 * time, so that a daemon that was itself stopped blames nobody. */
#include "ipc/peer_private.h"

#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>

static void on_written(uv_write_t *request, int status);

static void release_batch(peer *p)
{
    for (size_t i = 0; i < p->batch_count; i++)
        wire_line_release(p->batch[i]);
    p->batch_count = 0;
}

static uv_buf_t buffer_of(const peer *p, wire_line *line)
{
    wire_span span = wire_line_span(line, p->websocket != NULL);

    return uv_buf_init(span.bytes, (unsigned)span.length);
}

static size_t fill_buffers(const peer *p, size_t offset, uv_buf_t out_buffers[PEER_BATCH_LINES])
{
    for (size_t i = 0; i < p->batch_count; i++)
        out_buffers[i] = buffer_of(p, p->batch[i]);
    out_buffers[0].base += offset;
    out_buffers[0].len -= offset;
    return p->batch_count;
}

/* Leaves the batch to libuv from `offset` of its first line on. */
static void write_later(peer *p, size_t offset)
{
    uv_buf_t buffers[PEER_BATCH_LINES];
    size_t count = fill_buffers(p, offset, buffers);

    if (uv_write(&p->write, (uv_stream_t *)&p->pipe, buffers, (unsigned)count, on_written) != 0) {
        release_batch(p);
        peer_end_now(p, PEER_END_GONE);
        return;
    }
    p->in_flight = true;
    peer_watch_start(p);
}

/* Takes the lines that `sent` bytes cover off the batch's front; returns how far into the next one they reach. */
static size_t forget_sent(peer *p, size_t sent)
{
    size_t done = 0;

    while (done < p->batch_count && sent >= buffer_of(p, p->batch[done]).len) {
        sent -= buffer_of(p, p->batch[done]).len;
        wire_line_release(p->batch[done++]);
    }
    p->counters->lines_sent += done;
    p->batch_count -= done;
    for (size_t i = 0; done > 0 && i < p->batch_count; i++)
        p->batch[i] = p->batch[done + i];
    return sent;
}

/* The batch goes to the kernel now, or what it does not take to libuv. */
static void write_batch(peer *p)
{
    uv_buf_t buffers[PEER_BATCH_LINES];
    size_t count = fill_buffers(p, 0, buffers);
    int sent = uv_try_write((uv_stream_t *)&p->pipe, buffers, (unsigned)count);

    if (sent < 0 && sent != UV_EAGAIN) {
        release_batch(p);
        peer_end_now(p, PEER_END_GONE);
        return;
    }
    size_t offset = forget_sent(p, sent > 0 ? (size_t)sent : 0);
    if (p->batch_count > 0)
        write_later(p, offset);
}

static bool fill_batch(peer *p)
{
    size_t bytes = 0;

    while (p->batch_count < PEER_BATCH_LINES && bytes < PEER_BATCH_BYTES && !send_queue_is_empty(&p->queue)) {
        bool lagged;
        wire_line *line = send_queue_pop(&p->queue, &lagged);

        p->counters->lagged += lagged;
        bytes += line->length;
        p->batch[p->batch_count++] = line;
    }
    return p->batch_count > 0;
}

void peer_flush(peer *p)
{
    while (!p->closing && !p->in_flight && fill_batch(p))
        write_batch(p);
    if (p->finishing && !p->in_flight)
        peer_end_now(p, PEER_END_CLOSED);
}

static void on_written(uv_write_t *request, int status)
{
    peer *p = request->data;

    if (status == 0)
        p->counters->lines_sent += p->batch_count;
    release_batch(p);
    p->in_flight = false;
    p->stalled_ticks = 0;
    if (p->closing)
        return;
    if (status != 0)
        peer_end_now(p, PEER_END_GONE);
    else
        peer_pump(p);
}

/* True when the line has been dealt with. */
static bool send_directly(peer *p, wire_line *line)
{
    if (p->in_flight || p->corked || p->queue.missed > 0 || !send_queue_is_empty(&p->queue))
        return false;
    p->batch[0] = wire_line_reference(line);
    p->batch_count = 1;
    write_batch(p);
    return true;
}

void peer_send_event(peer *p, wire_line *line, uint64_t seq)
{
    uint64_t dropped = p->queue.dropped;

    if (p->closing || p->finishing || send_directly(p, line))
        return;
    send_queue_push_event(&p->queue, line, seq);
    p->counters->events_dropped += p->queue.dropped - dropped;
    if (!p->corked)
        peer_flush(p);
}

size_t peer_waiting(const peer *p)
{
    return p->queue.events.bytes;
}

void peer_send_poses(peer *p, wire_line *line)
{
    if (p->closing || p->finishing || send_directly(p, line))
        return;
    p->counters->poses_conflated += send_queue_push_poses(&p->queue, line);
    if (!p->corked)
        peer_flush(p);
}

/* Takes the reference; NULL is being out of memory. */
static void send_in_order(peer *p, wire_line *line)
{
    if (!line || (!send_directly(p, line) && !send_queue_push_reply(&p->queue, line)))
        peer_end_now(p, PEER_END_CLOSED); /* out of memory: better no connection than one with replies missing */
    else if (!p->corked)
        peer_flush(p);
    wire_line_release(line);
}

void peer_send_reply(peer *p, const char *bytes, size_t length)
{
    if (!p->closing && !p->finishing)
        send_in_order(p, wire_line_create(bytes, length));
}

void peer_send_frame(peer *p, const char *frame, size_t length)
{
    if (!p->closing && !p->finishing)
        send_in_order(p, wire_line_create_raw(frame, length));
}

/* Bytes not yet read by the other side: in libuv, and in the kernel. A socket becomes writable again only once most of its
 * buffer is free, so without the second part a slow reader would look like one that has stopped. */
static size_t unread_bytes(const peer *p)
{
    uv_os_fd_t fd;
    int in_kernel = 0;

    if (uv_fileno((const uv_handle_t *)&p->pipe, &fd) != 0 || ioctl(fd, SIOCOUTQ, &in_kernel) != 0)
        in_kernel = 0;
    return uv_stream_get_write_queue_size((const uv_stream_t *)&p->pipe) + (size_t)in_kernel;
}

static void read_command(pid_t pid, char *out_command, size_t size)
{
    char path[64];
    FILE *file;

    snprintf(out_command, size, "?");
    snprintf(path, sizeof path, "/proc/%ld/comm", (long)pid);
    file = pid > 0 ? fopen(path, "re") : NULL;
    if (!file)
        return;
    if (fgets(out_command, (int)size, file))
        out_command[strcspn(out_command, "\n")] = '\0';
    fclose(file);
}

void peer_describe(const peer *p, char *out_text, size_t size)
{
    char command[64];

    if (p->from[0]) {
        snprintf(out_text, size, "at %s", p->from);
        return;
    }
    read_command(p->pid, command, sizeof command);
    snprintf(out_text, size, "pid %ld (%s)", (long)p->pid, command);
}

static void end_stalled(peer *p)
{
    char who[128];

    peer_describe(p, who, sizeof who);
    LOG_WARNING(&p->settings.log,
                "client %s has read nothing for %u ms with data waiting: closed; %llu events were dropped for it", who,
                (unsigned)p->settings.stall_ms, (unsigned long long)p->queue.dropped);
    p->counters->stalled++;
    peer_end_now(p, PEER_END_STALLED);
}

static void on_watch(uv_timer_t *timer)
{
    peer *p = timer->data;
    size_t unread = unread_bytes(p);

    if (p->half_closed && peer_hung_up(p)) {
        peer_end_now(p, PEER_END_GONE);
        return;
    }
    if (!p->in_flight || unread != p->unread_before)
        p->stalled_ticks = 0;
    else if (++p->stalled_ticks >= PEER_STALL_TICKS)
        end_stalled(p);
    p->unread_before = unread;
    if (!p->closing && !p->in_flight && !p->half_closed)
        uv_timer_stop(&p->watch);
}

void peer_watch_start(peer *p)
{
    uint64_t tick = p->settings.stall_ms / PEER_STALL_TICKS;

    if (p->closing || uv_is_active((const uv_handle_t *)&p->watch))
        return;
    p->stalled_ticks = 0;
    p->unread_before = unread_bytes(p);
    uv_timer_start(&p->watch, on_watch, tick > 0 ? tick : 1, tick > 0 ? tick : 1);
}
