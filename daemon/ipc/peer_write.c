/* A peer's sending. Lines are added to a batch: an event waits there for the end of the loop iteration, other lines
 * send the whole batch to the kernel at once. The rest that the kernel does not accept is passed to libuv, and new
 * lines queue meanwhile: they can be dropped only from the queue, so a line is never torn. The watch closes a peer
 * whose unread bytes do not change for PEER_STALL_TICKS ticks. It counts ticks instead of time, so that clients are not
 * closed because the daemon itself was stopped. */
#include "ipc/peer_private.h"

#include <errno.h>
#include <linux/sockios.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

static void on_written(uv_write_t *request, int status);

void peer_release_batch(peer *p)
{
    for (size_t i = 0; i < p->batch_count; i++)
        wire_line_release(p->batch[i]);
    p->batch_count = p->batch_bytes = 0;
}

static bool is_batch_full(const peer *p)
{
    return p->batch_count == PEER_BATCH_LINES || p->batch_bytes >= PEER_BATCH_BYTES;
}

/* Takes ownership of the reference. */
static void add_to_batch(peer *p, wire_line *line)
{
    p->batch[p->batch_count++] = line;
    p->batch_bytes += line->length;
}

/* Return the part of a line that is still to be written. */
static uv_buf_t buffer_of(const peer *p, wire_line *line, size_t offset)
{
    wire_span span = wire_line_span(line, p->websocket != NULL);

    return uv_buf_init(span.bytes + offset, (unsigned)(span.length - offset));
}

static size_t fill_buffers(const peer *p, size_t offset, uv_buf_t out_buffers[PEER_BATCH_LINES])
{
    for (size_t i = 0; i < p->batch_count; i++)
        out_buffers[i] = buffer_of(p, p->batch[i], i == 0 ? offset : 0);
    return p->batch_count;
}

/* Pass the batch's first lines to libuv, starting at `offset` in the first: as many as it accepts without allocating.
 * If its allocation failed, libuv 1.44 would count a write that was never started, and its loop would not end. */
static void write_later(peer *p, size_t offset)
{
    const size_t most = sizeof p->write.bufsml / sizeof p->write.bufsml[0];
    uv_buf_t buffers[PEER_BATCH_LINES];
    size_t count = fill_buffers(p, offset, buffers);

    if (count > most)
        count = most;
    if (uv_write(&p->write, (uv_stream_t *)&p->pipe, buffers, (unsigned)count, on_written) != 0) {
        peer_release_batch(p);
        peer_end_now(p, PEER_END_GONE);
        return;
    }
    p->in_flight = true;
    p->lines_in_flight = count;
    peer_watch_start(p);
}

/* Called once per write, however many lines it has: the callee reads a clock. */
static void report_written(const peer *p, int64_t stamp_ns)
{
    if (stamp_ns != 0 && p->counters->written)
        p->counters->written(p->counters->context, stamp_ns);
}

/* Release the batch's first `count` lines, which were sent. */
static void forget_lines(peer *p, size_t count)
{
    int64_t stamp_ns = 0;

    for (size_t i = 0; i < count; i++) {
        stamp_ns = stamp_ns ? stamp_ns : p->batch[i]->stamp_ns;
        p->batch_bytes -= p->batch[i]->length;
        wire_line_release(p->batch[i]);
    }
    p->counters->lines_sent += count;
    p->batch_count -= count;
    for (size_t i = 0; count > 0 && i < p->batch_count; i++)
        p->batch[i] = p->batch[count + i];
    report_written(p, stamp_ns);
}

/* Release the lines that `sent` bytes cover completely; return the offset reached in the next line. */
static size_t forget_sent(peer *p, size_t sent)
{
    size_t done = 0;

    while (done < p->batch_count && sent >= buffer_of(p, p->batch[done], 0).len)
        sent -= buffer_of(p, p->batch[done++], 0).len;
    forget_lines(p, done);
    return sent;
}

static ssize_t send_buffers(int fd, uv_buf_t *buffers, size_t count)
{
    /* on Unix a uv_buf_t has the layout of an iovec: libuv guarantees it */
    const struct msghdr message = {.msg_iov = (struct iovec *)buffers, .msg_iovlen = count};

    return count == 1 ? send(fd, buffers[0].base, buffers[0].len, MSG_NOSIGNAL | MSG_DONTWAIT)
                      : sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Like uv_try_write, but with the system call that is cheapest for a socket. Call only while libuv has no write in
 * flight. */
static ssize_t try_write(const peer *p, uv_buf_t *buffers, size_t count)
{
    ssize_t sent;

    do
        sent = send_buffers(p->fd, buffers, count);
    while (sent < 0 && errno == EINTR);
    return sent >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOBUFS) ? sent : 0;
}

/* Send the batch to the kernel, and pass the rest that it does not accept to libuv. */
static void write_batch(peer *p)
{
    uv_buf_t buffers[PEER_BATCH_LINES];
    ssize_t sent = try_write(p, buffers, fill_buffers(p, 0, buffers));

    if (sent < 0) {
        peer_release_batch(p);
        peer_end_now(p, PEER_END_GONE);
        return;
    }
    size_t offset = forget_sent(p, (size_t)sent);
    if (p->batch_count > 0)
        write_later(p, offset);
}

static bool fill_batch(peer *p)
{
    while (!is_batch_full(p) && !send_queue_is_empty(&p->queue)) {
        bool lagged;

        add_to_batch(p, send_queue_pop(&p->queue, &lagged));
        p->counters->lagged += lagged;
    }
    return p->batch_count > 0;
}

void peer_flush(peer *p)
{
    outbox_remove(&p->turn);
    while (!p->closing && !p->in_flight && fill_batch(p))
        write_batch(p);
    if (p->finishing && !p->in_flight)
        peer_end_now(p, PEER_END_CLOSED);
}

void peer_on_turn_end(outbox_item *turn)
{
    peer *p = (peer *)((char *)turn - offsetof(peer, turn));

    peer_flush(p);
}

static void on_written(uv_write_t *request, int status)
{
    peer *p = request->data;

    if (status == 0)
        forget_lines(p, p->lines_in_flight);
    else
        peer_release_batch(p);
    p->in_flight = false;
    p->stalled_ticks = 0;
    if (p->closing)
        return;
    if (status != 0)
        peer_end_now(p, PEER_END_GONE);
    else
        peer_pump(p);
}

/* Return true if the line was added to the batch, which is then not in flight. Takes its own reference. */
static bool gather(peer *p, wire_line *line)
{
    if (is_batch_full(p) && !p->in_flight)
        peer_flush(p);
    if (p->closing || p->in_flight || p->corked || p->queue.missed > 0 || !send_queue_is_empty(&p->queue))
        return false;
    add_to_batch(p, wire_line_reference(line));
    return true;
}

/* Return true if the line needs no further handling. */
static bool send_directly(peer *p, wire_line *line)
{
    if (!gather(p, line))
        return p->closing;
    peer_flush(p);
    return true;
}

void peer_send_event(peer *p, wire_line *line, uint64_t seq)
{
    uint64_t dropped = p->queue.dropped;

    if (p->closing || p->finishing)
        return;
    if (gather(p, line)) {
        outbox_add(p->outbox, &p->turn);
        return;
    }
    if (p->closing)
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

size_t peer_waiting_events(const peer *p)
{
    return p->queue.events.count;
}

/* Send at once: in a batch, poses of the same loop iteration would replace each other, but a client that keeps up must
 * receive all of them. */
void peer_send_poses(peer *p, wire_line *line)
{
    if (p->closing || p->finishing || send_directly(p, line))
        return;
    p->counters->poses_conflated += send_queue_push_poses(&p->queue, line);
    if (!p->corked)
        peer_flush(p);
}

/* Takes ownership of the reference; NULL: the line's allocation failed. */
static void send_in_order(peer *p, wire_line *line)
{
    if (!line || (!send_directly(p, line) && !send_queue_push_reply(&p->queue, line)))
        peer_end_now(p, PEER_END_CLOSED); /* out of memory: closing is better than a missing reply */
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

/* Return the bytes that the client has not read yet, in libuv and in the kernel. A socket becomes writable again only
 * when most of its buffer is free, so without the kernel's part a slow client would look like a stalled one. */
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
    logger_print_client(
        &p->settings.log, LOG_LEVEL_WARNING, who,
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
