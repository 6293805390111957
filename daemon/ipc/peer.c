/* A peer's life cycle and its reading: splits bytes into lines for the owner, and pauses while replies pile up
 * (back-pressure). Only this file calls the owner's callbacks, which may close the peer: memory is freed only after the
 * loop has closed the handles. */
#include "ipc/handshake.h"
#include "ipc/peer_private.h"
#include "protocol/messages/codec.h"

#include <assert.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void free_peer(peer *p)
{
    peer_release_batch(p);
    send_queue_finish(&p->queue);
    framing_destroy(p->framing);
    websocket_destroy(p->websocket);
    free(p);
}

static void on_handle_closed(uv_handle_t *handle)
{
    peer *p = handle->data;

    if (--p->handles_open > 0)
        return;
    if (!p->quiet)
        p->listener.ended(p->listener.context, p, p->end);
    free_peer(p);
}

void peer_end_now(peer *p, peer_end end)
{
    if (p->closing)
        return;
    p->closing = true;
    p->end = end;
    outbox_remove(&p->turn);
    uv_close((uv_handle_t *)&p->pipe, on_handle_closed);
    uv_close((uv_handle_t *)&p->watch, on_handle_closed);
    uv_close((uv_handle_t *)&p->again, on_handle_closed);
}

bool peer_hung_up(const peer *p)
{
    struct pollfd look = {.events = 0};
    uv_os_fd_t fd;

    if (uv_fileno((const uv_handle_t *)&p->pipe, &fd) != 0)
        return true;
    look.fd = fd;
    return poll(&look, 1, 0) > 0 && (look.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

bool peer_owes_too_much(const peer *p)
{
    return p->queue.replies.bytes > p->settings.reply_bytes;
}

static bool on_line(void *context, const char *line, size_t length)
{
    peer *p = context;

    if (length > 0) /* skip an empty line: a stray "\r\n", or a keep-alive */
        p->listener.line(p->listener.context, p, line, length);
    return !p->closing && !p->finishing;
}

static bool on_too_long(void *context)
{
    peer *p = context;

    p->listener.too_long(p->listener.context, p);
    return !p->closing && !p->finishing;
}

static void on_message(void *context, const char *text, size_t length)
{
    peer *p = context;

    if (!p->closing && !p->finishing)
        p->listener.line(p->listener.context, p, text, length);
}

static void on_answer(void *context, const char *frame, size_t length)
{
    peer_send_frame(context, frame, length);
}

static void take_frames(peer *p)
{
    const websocket_listener listener = {.context = p, .message = on_message, .answer = on_answer};
    const char *bytes = p->input + p->input_start;
    size_t length = p->input_end - p->input_start;

    if (length > PEER_FRAME_BYTES)
        length = PEER_FRAME_BYTES;
    p->input_start += length;
    if (!websocket_push(p->websocket, bytes, length, &listener)) {
        p->said_goodbye = true;
        peer_finish(p);
    }
}

static void take_lines(peer *p)
{
    const framing_listener listener = {.context = p, .line = on_line, .too_long = on_too_long};
    const char *bytes = p->input + p->input_start;
    size_t length = p->input_end - p->input_start;
    const char *newline = memchr(bytes, '\n', length);

    if (newline)
        length = (size_t)(newline - bytes) + 1;
    p->input_start += length;
    framing_push(p->framing, bytes, length, &listener);
}

static bool turn_is_long(const peer *p)
{
    return uv_hrtime() / 1000000 >= uv_now(p->pipe.loop) + PEER_TURN_MS;
}

/* Take one line at a time, so that the next one can wait when the replies exceed their limit, or when the line took
 * long. Return true if the rest must wait for the next loop iteration. */
static bool take_input(peer *p)
{
    bool is_for_later = false;

    p->corked = true;
    while (p->input_start < p->input_end && !p->closing && !p->finishing && !p->is_held && !peer_owes_too_much(p) &&
           !is_for_later) {
        if (p->websocket)
            take_frames(p);
        else
            take_lines(p);
        is_for_later = turn_is_long(p);
    }
    p->corked = false;
    return is_for_later;
}

/* End of file: take the remaining bytes as a line. The client may be gone, or may still read. */
static void take_end_of_file(peer *p)
{
    const framing_listener listener = {.context = p, .line = on_line, .too_long = on_too_long};

    p->reading = false;
    p->half_closed = true;
    if (p->websocket || peer_hung_up(p)) { /* WebSocket uses close frames instead of a half close */
        peer_end_now(p, PEER_END_GONE);
        return;
    }
    framing_finish(p->framing, &listener);
    if (p->closing)
        return;
    if (!p->listener.half_closed(p->listener.context, p))
        peer_finish(p);
    else
        peer_watch_start(p);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out_buffer)
{
    peer *p = handle->data;

    (void)suggested;
    assert(p->input_start == p->input_end);
    p->input_start = p->input_end = 0;
    *out_buffer = uv_buf_init(p->input, sizeof p->input);
}

/* Return whether the first byte cannot begin a line of JSON, for example because a web page made a browser send an HTTP
 * request. */
static bool is_foreign(peer *p)
{
    bool is_first = p->first_byte;

    p->first_byte = false;
    return is_first && !handshake_can_begin_line(p->input[0]);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    peer *p = stream->data;

    (void)buffer;
    if (count == 0 || p->closing)
        return;
    if (count == UV_EOF) {
        take_end_of_file(p);
    } else if (count < 0) {
        peer_end_now(p, PEER_END_GONE);
    } else {
        p->input_end = (size_t)count;
        if (is_foreign(p))
            peer_end_now(p, PEER_END_FOREIGN);
        else
            peer_pump(p);
    }
}

static void set_reading(peer *p, bool wanted)
{
    if (wanted == p->reading)
        return;
    p->reading = wanted;
    if (!wanted)
        uv_read_stop((uv_stream_t *)&p->pipe);
    else if (uv_read_start((uv_stream_t *)&p->pipe, on_alloc, on_read) != 0)
        peer_end_now(p, PEER_END_GONE);
}

static void on_next_turn(uv_idle_t *idle)
{
    uv_idle_stop(idle);
    peer_pump(idle->data);
}

void peer_pump(peer *p)
{
    bool paused, is_for_later;

    do {
        is_for_later = take_input(p);
        peer_flush(p);
        paused = p->is_held || peer_owes_too_much(p);
    } while (!p->closing && !p->finishing && !paused && !is_for_later && p->input_start < p->input_end);
    if (p->closing || p->half_closed)
        return;
    if (peer_owes_too_much(p) && !p->owed)
        p->counters->reads_paused++;
    p->owed = peer_owes_too_much(p);
    if (is_for_later && !p->finishing)
        uv_idle_start(&p->again, on_next_turn); /* fails only with a NULL callback */
    set_reading(p, !paused && !is_for_later && !p->finishing);
}

void peer_hold(peer *p, bool is_held)
{
    p->is_held = is_held;
    if (!is_held && !p->closing && !p->finishing)
        peer_pump(p);
}

static void read_credentials(peer *p, int fd)
{
    struct ucred credentials;
    socklen_t size = sizeof credentials;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0)
        p->pid = credentials.pid;
}

/* Initialised libuv handles can only be freed through the loop. */
static void abandon(peer *p)
{
    p->quiet = true;
    if (p->handles_open == 0)
        free_peer(p);
    else
        peer_end_now(p, PEER_END_CLOSED);
}

static bool init_handles(peer *p, uv_loop_t *loop)
{
    p->pipe.data = p->watch.data = p->again.data = p->write.data = p;
    if (uv_pipe_init(loop, &p->pipe, 0) != 0)
        return false;
    p->handles_open = 1;
    uv_timer_init(loop, &p->watch); /* these two cannot fail */
    uv_idle_init(loop, &p->again);
    p->handles_open = 3;
    return true;
}

peer *peer_create(uv_loop_t *loop, int fd, const peer_settings *settings, const peer_listener *listener,
                  peer_counters *counters, void *data)
{
    peer *p = calloc(1, sizeof *p);

    if (p && settings->websocket)
        p->websocket = websocket_create(PROTOCOL_LINE_MAX - 1);
    else if (p)
        p->framing = framing_create(PROTOCOL_LINE_MAX);
    if (!p || !(p->framing || p->websocket)) {
        free(p);
        close(fd);
        return NULL;
    }
    p->settings = *settings;
    if (p->settings.reply_bytes == 0)
        p->settings.reply_bytes = PEER_REPLY_BYTES_DEFAULT;
    if (p->settings.stall_ms == 0)
        p->settings.stall_ms = PEER_STALL_MS_DEFAULT;
    p->listener = *listener;
    p->counters = counters;
    p->data = data;
    p->first_byte = settings->first_byte;
    snprintf(p->from, sizeof p->from, "%s", settings->from ? settings->from : "");
    p->settings.from = NULL; /* the caller's string may be freed after this call */
    send_queue_init(&p->queue, settings->queue_bytes);
    p->fd = fd;
    p->outbox = settings->outbox;
    p->turn.flush = peer_on_turn_end;
    read_credentials(p, fd);
    if (!init_handles(p, loop) || uv_pipe_open(&p->pipe, fd) != 0) {
        close(fd);
        abandon(p);
        return NULL;
    }
    set_reading(p, true);
    if (p->closing) {
        p->quiet = true;
        return NULL;
    }
    return p;
}

void *peer_data(const peer *p)
{
    return p->data;
}

bool peer_is_behind(const peer *p)
{
    return p->in_flight;
}

uint64_t peer_dropped(const peer *p)
{
    return p->queue.dropped;
}

static void send_goodbye(peer *p)
{
    char frame[WEBSOCKET_CONTROL_MAX];

    if (p->websocket && !p->said_goodbye)
        peer_send_frame(p, frame, websocket_close_frame(WEBSOCKET_GOING_AWAY, frame));
    p->said_goodbye = true;
}

/* Send what the kernel accepts at once; drop what would have to wait. */
void peer_close(peer *p)
{
    if (!p->corked)
        peer_flush(p);
    send_goodbye(p);
    peer_end_now(p, PEER_END_CLOSED);
}

void peer_finish(peer *p)
{
    if (p->closing || p->finishing)
        return;
    send_goodbye(p);
    p->finishing = true;
    outbox_remove(&p->turn);
    if (!p->half_closed)
        set_reading(p, false);
    if (!p->corked)
        peer_flush(p);
}
