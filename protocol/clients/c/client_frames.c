/* Frames by libwslay's events. Its own gathering of messages is off: one buffer of the limit's size does. See
 * client_frames.h. */
#include "client_frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <wslay/wslay.h>

const bool client_frames_are_there = true;

struct client_frames {
    wslay_event_context_ptr wslay;
    client_frames_listener listener;
    const char *input; /* of a push: what is left of it */
    size_t input_length;
    bool stopped, is_control, is_text, is_too_long;
    bool is_half_code;  /* a close frame with one byte, which is broken */
    bool choked;        /* bytes of ours found no room */
    unsigned closed_by; /* clashd's close frame, and its code; 0 if there was none */
    char why[200];
    size_t limit, length;
    char bytes[]; /* of the message so far */
};

static ssize_t on_recv(wslay_event_context_ptr wslay, uint8_t *out, size_t size, int flags, void *user)
{
    client_frames *f = user;
    size_t length = f->input_length < size ? f->input_length : size;

    (void)flags;
    if (length == 0) {
        wslay_event_set_error(wslay, WSLAY_ERR_WOULDBLOCK);
        return -1;
    }
    memcpy(out, f->input, length);
    f->input += length;
    f->input_length -= length;
    return (ssize_t)length;
}

static ssize_t on_send(wslay_event_context_ptr wslay, const uint8_t *bytes, size_t length, int flags, void *user)
{
    client_frames *f = user;

    (void)flags;
    if (f->choked || !f->listener.send(f->listener.context, bytes, length)) {
        f->choked = true;
        wslay_event_set_error(wslay, WSLAY_ERR_CALLBACK_FAILURE);
        return -1;
    }
    return (ssize_t)length;
}

/* A client masks so that a page cannot make a browser send what a proxy takes for a request; we do as we must. */
static int on_mask(wslay_event_context_ptr wslay, uint8_t *out, size_t length, void *user)
{
    (void)user;
    if (getrandom(out, length, 0) == (ssize_t)length)
        return 0;
    wslay_event_set_error(wslay, WSLAY_ERR_CALLBACK_FAILURE);
    return -1;
}

static void stop(client_frames *f)
{
    f->stopped = true;
    f->input_length = 0;
    wslay_event_shutdown_read(f->wslay);
}

static void on_frame(wslay_event_context_ptr wslay, const struct wslay_event_on_frame_recv_start_arg *frame, void *user)
{
    client_frames *f = user;

    f->is_control = wslay_is_ctrl_frame(frame->opcode);
    f->is_half_code = frame->opcode == WSLAY_CONNECTION_CLOSE && frame->payload_length == 1;
    if (f->is_half_code) { /* which libwslay 1.1.1 takes for none */
        wslay_event_queue_close(wslay, WSLAY_CODE_PROTOCOL_ERROR, NULL, 0);
        wslay_event_shutdown_read(wslay);
    }
    if (f->is_control || frame->opcode == WSLAY_CONTINUATION_FRAME)
        return;
    f->is_text = frame->opcode == WSLAY_TEXT_FRAME;
    f->is_too_long = false;
    f->length = 0;
}

static void on_chunk(wslay_event_context_ptr wslay, const struct wslay_event_on_frame_recv_chunk_arg *chunk, void *user)
{
    client_frames *f = user;

    (void)wslay;
    if (f->is_control || !f->is_text || f->is_too_long || chunk->data_length == 0)
        return;
    f->is_too_long = chunk->data_length > f->limit - f->length;
    if (f->is_too_long)
        return;
    memcpy(f->bytes + f->length, chunk->data, chunk->data_length);
    f->length += chunk->data_length;
}

static bool tell(client_frames *f)
{
    char why[64];

    if (!f->is_text)
        return f->listener.dropped(f->listener.context, "a message is binary, not text");
    if (!f->is_too_long)
        return f->listener.message(f->listener.context, f->bytes, f->length);
    snprintf(why, sizeof why, "a message has more than %zu bytes", f->limit);
    return f->listener.dropped(f->listener.context, why);
}

static void on_message(wslay_event_context_ptr wslay, const struct wslay_event_on_msg_recv_arg *message, void *user)
{
    client_frames *f = user;

    (void)wslay;
    if (f->is_half_code)
        return;
    if (message->opcode == WSLAY_CONNECTION_CLOSE)
        f->closed_by = message->status_code ? message->status_code : 1005; /* as the RFC calls a close without one */
    else if (!wslay_is_ctrl_frame(message->opcode) && !f->stopped && !tell(f))
        stop(f);
}

client_frames *client_frames_create(size_t limit, const client_frames_listener *listener)
{
    static const struct wslay_event_callbacks callbacks = {.recv_callback = on_recv,
                                                           .send_callback = on_send,
                                                           .genmask_callback = on_mask,
                                                           .on_frame_recv_start_callback = on_frame,
                                                           .on_frame_recv_chunk_callback = on_chunk,
                                                           .on_msg_recv_callback = on_message};
    client_frames *f = malloc(sizeof *f + limit);

    if (!f)
        return NULL;
    memset(f, 0, sizeof *f);
    f->listener = *listener;
    f->limit = limit;
    if (wslay_event_context_client_init(&f->wslay, &callbacks, f) != 0) {
        free(f);
        return NULL;
    }
    wslay_event_config_set_no_buffering(f->wslay, 1);
    wslay_event_config_set_max_recv_msg_length(f->wslay, INT64_MAX); /* what is too long is passed over here */
    return f;
}

void client_frames_destroy(client_frames *f)
{
    if (!f)
        return;
    wslay_event_context_free(f->wslay);
    free(f);
}

/** Pongs, and the answer to a close: what libwslay has to say for itself. */
static bool answer(client_frames *f)
{
    return (!wslay_event_want_write(f->wslay) || wslay_event_send(f->wslay) == 0) && !f->choked;
}

const char *client_frames_push(client_frames *f, const char *bytes, size_t length)
{
    bool broken;

    f->input = bytes;
    f->input_length = length;
    broken = wslay_event_recv(f->wslay) != 0;
    if (f->stopped)
        return NULL;
    if (!answer(f))
        return "there is no room for an answer to clashd's pings: it does not read";
    if (f->closed_by)
        snprintf(f->why, sizeof f->why, "clashd closed the connection (%u)", f->closed_by);
    else if (broken || !wslay_event_get_read_enabled(f->wslay))
        snprintf(f->why, sizeof f->why, "clashd sent what is no frame of WebSocket, or no UTF-8");
    return f->why[0] ? f->why : NULL;
}

bool client_frames_text(client_frames *f, const char *text, size_t length)
{
    const struct wslay_event_msg message = {WSLAY_TEXT_FRAME, (const uint8_t *)text, length};

    return wslay_event_queue_msg(f->wslay, &message) == 0 && answer(f);
}
