/* Turns frames into messages with libwslay, which checks masks, opcodes, lengths, fragments and UTF-8. Its own message
 * buffering is off: it allocates for every fragment, however small, although one buffer of the limit's size is enough.
 * See websocket.h. */
#include "ipc/websocket.h"

#include <stdlib.h>
#include <string.h>
#include <wslay/wslay.h>

struct websocket {
    wslay_event_context_ptr wslay;
    const websocket_listener *listener; /* during a push */
    const char *input;                  /* during a push: the bytes left */
    size_t input_length;
    char answers[8 * WEBSOCKET_CONTROL_MAX];
    size_t answers_length;
    bool failed; /* the client broke a rule of clashd's: a close frame is queued */
    bool is_data;
    size_t limit, length;
    char bytes[]; /* of the message so far */
};

static ssize_t on_recv(wslay_event_context_ptr wslay, uint8_t *out, size_t size, int flags, void *user)
{
    websocket *w = user;
    size_t length = w->input_length < size ? w->input_length : size;

    (void)flags;
    if (length == 0) {
        wslay_event_set_error(wslay, WSLAY_ERR_WOULDBLOCK);
        return -1;
    }
    memcpy(out, w->input, length);
    w->input += length;
    w->input_length -= length;
    return (ssize_t)length;
}

static void give_answers(websocket *w)
{
    if (w->answers_length > 0)
        w->listener->answer(w->listener->context, w->answers, w->answers_length);
    w->answers_length = 0;
}

/* A frame may arrive in two calls, header and payload. */
static ssize_t on_send(wslay_event_context_ptr wslay, const uint8_t *bytes, size_t length, int flags, void *user)
{
    websocket *w = user;

    (void)flags;
    if (length > sizeof w->answers - w->answers_length)
        length = sizeof w->answers - w->answers_length;
    if (length == 0) {
        wslay_event_set_error(wslay, WSLAY_ERR_WOULDBLOCK);
        return -1;
    }
    memcpy(w->answers + w->answers_length, bytes, length);
    w->answers_length += length;
    return (ssize_t)length;
}

/* Queue at most one close: libwslay reads nothing after it. */
static void fail(websocket *w, websocket_code code)
{
    w->failed = true;
    wslay_event_queue_close(w->wslay, (uint16_t)code, NULL, 0);
    wslay_event_shutdown_read(w->wslay);
}

static void on_frame(wslay_event_context_ptr wslay, const struct wslay_event_on_frame_recv_start_arg *frame, void *user)
{
    websocket *w = user;

    (void)wslay;
    w->is_data = !wslay_is_ctrl_frame(frame->opcode);
    if (frame->opcode == WSLAY_BINARY_FRAME)
        fail(w, WEBSOCKET_UNSUPPORTED);
    else if (frame->opcode == WSLAY_CONNECTION_CLOSE && frame->payload_length == 1)
        fail(w, WEBSOCKET_PROTOCOL_ERROR); /* half a code, which libwslay 1.1.1 treats as a missing one */
}

static void on_chunk(wslay_event_context_ptr wslay, const struct wslay_event_on_frame_recv_chunk_arg *chunk, void *user)
{
    websocket *w = user;

    (void)wslay;
    if (!w->is_data || w->failed || chunk->data_length == 0)
        return;
    if (chunk->data_length > w->limit - w->length) {
        fail(w, WEBSOCKET_TOO_BIG);
        return;
    }
    memcpy(w->bytes + w->length, chunk->data, chunk->data_length);
    w->length += chunk->data_length;
}

static void on_message(wslay_event_context_ptr wslay, const struct wslay_event_on_msg_recv_arg *message, void *user)
{
    websocket *w = user;
    size_t length = w->length;

    (void)wslay;
    if (wslay_is_ctrl_frame(message->opcode) || w->failed)
        return;
    w->length = 0;
    w->listener->message(w->listener->context, w->bytes, length);
}

websocket *websocket_create(size_t limit)
{
    static const struct wslay_event_callbacks callbacks = {.recv_callback = on_recv,
                                                           .send_callback = on_send,
                                                           .on_frame_recv_start_callback = on_frame,
                                                           .on_frame_recv_chunk_callback = on_chunk,
                                                           .on_msg_recv_callback = on_message};
    websocket *w = malloc(sizeof *w + limit);

    if (!w)
        return NULL;
    memset(w, 0, sizeof *w);
    w->limit = limit;
    if (wslay_event_context_server_init(&w->wslay, &callbacks, w) != 0) {
        free(w);
        return NULL;
    }
    wslay_event_config_set_no_buffering(w->wslay, 1);
    wslay_event_config_set_max_recv_msg_length(w->wslay, limit);
    return w;
}

void websocket_destroy(websocket *w)
{
    if (!w)
        return;
    wslay_event_context_free(w->wslay);
    free(w);
}

/* libwslay ends without a close code when a control frame is fragmented or too long: send the code for protocol
 * errors. */
static void answer_broken_frame(websocket *w)
{
    w->answers_length = websocket_close_frame(WEBSOCKET_PROTOCOL_ERROR, w->answers);
    give_answers(w);
}

bool websocket_push(websocket *w, const char *bytes, size_t length, const websocket_listener *listener)
{
    w->listener = listener;
    w->input = bytes;
    w->input_length = length;
    if (wslay_event_recv(w->wslay) != 0) {
        answer_broken_frame(w);
        return false;
    }
    while (wslay_event_want_write(w->wslay)) {
        if (wslay_event_send(w->wslay) != 0)
            return false;
        give_answers(w);
    }
    return wslay_event_get_read_enabled(w->wslay) && !wslay_event_get_close_sent(w->wslay);
}

size_t websocket_close_frame(websocket_code code, char out_frame[WEBSOCKET_CONTROL_MAX])
{
    out_frame[0] = (char)0x88;
    out_frame[1] = 2;
    out_frame[2] = (char)((unsigned)code >> 8);
    out_frame[3] = (char)((unsigned)code & 255);
    return 4;
}
