/* Requests and their replies: one reply to each request with an id, in order, and to each line that is no request an
 * error that says what was expected. Nothing that a client sends ends its connection. See socket.h. */
#include "socket_private.h"

#include <inttypes.h>
#include <stdio.h>

void socket_send_error(client *c, const char *id, const protocol_error *error)
{
    socket_sink *s = c->sink;
    size_t length = protocol_encode_error(s->line, sizeof s->line, id, error);

    s->counters.bad_requests++;
    if (length > 0)
        peer_send_reply(c->peer, s->line, length);
}

/* Send `length` bytes of s->line or, if they did not fit, an error instead: a request always gets its reply. */
static void send_reply(client *c, const char *id, size_t length, const char *what)
{
    protocol_error error = {.code = PROTOCOL_ERROR_LIMIT};

    if (length > 0) {
        peer_send_reply(c->peer, c->sink->line, length);
        return;
    }
    c->sink->counters.not_encoded++;
    snprintf(error.message, sizeof error.message, "%s does not fit into a line of %d bytes", what, PROTOCOL_LINE_MAX);
    socket_send_error(c, id, &error);
}

static int64_t session_time_ns(const socket_sink *s)
{
    return (int64_t)uv_hrtime() - s->settings.epoch_ns; /* both are CLOCK_MONOTONIC */
}

/* An `ok` answers an id; without an id no answer is wanted. */
void socket_send_ok(client *c, const char *id)
{
    socket_sink *s = c->sink;

    if (id[0] != '\0')
        send_reply(c, id, protocol_encode_ok(s->line, sizeof s->line, id, session_time_ns(s)), "ok");
}

void socket_send_hello(client *c, const char *id)
{
    socket_sink *s = c->sink;
    socket_reply reply = {0};

    socket_ask_owner(s, SOCKET_ASK_SESSION, NULL, &reply);
    send_reply(c, id, protocol_encode_hello_that_fits(s->line, sizeof s->line, id, &reply.session), "hello");
}

static void send_status(client *c, const char *id)
{
    socket_sink *s = c->sink;
    socket_reply reply = {0};

    socket_ask_owner(s, SOCKET_ASK_STATUS, NULL, &reply);
    reply.status.clients = s->client_count;
    reply.status.websocket =
        s->endpoints[ENDPOINT_WEBSOCKET] ? endpoint_address(s->endpoints[ENDPOINT_WEBSOCKET]) : NULL;
    send_reply(c, id, protocol_encode_status(s->line, sizeof s->line, id, &reply.status), "status");
}

static void send_config(client *c, const char *id)
{
    socket_sink *s = c->sink;
    socket_reply reply = {0};

    socket_ask_owner(s, SOCKET_ASK_CONFIG, NULL, &reply);
    send_reply(c, id, protocol_encode_config(s->line, sizeof s->line, id, &reply.config), "config");
}

static void send_outlines(client *c, const protocol_request *request)
{
    socket_sink *s = c->sink;
    socket_reply reply = {0};

    if (socket_ask_owner(s, SOCKET_ASK_OUTLINES, c, &reply) == SOCKET_REFUSED)
        socket_send_error(c, request->id, &reply.error);
    else
        send_reply(c, request->id, protocol_encode_outlines(s->line, sizeof s->line, request->id, &reply.outlines),
                   "outlines");
}

/* Requests that tell where this user's files are, or read them, are not for everybody on this machine. */
static bool is_allowed(client *c, const protocol_request *request)
{
    const bool is_config = request->type == PROTOCOL_REQUEST_CONFIG;
    protocol_error error = {.code = PROTOCOL_ERROR_UNAUTHORIZED};

    if (c->is_trusted || (!is_config && request->type != PROTOCOL_REQUEST_RELOAD))
        return true;
    snprintf(error.message, sizeof error.message,
             "%s: only on the Unix socket, or with a token, and here none is asked for: socket.require_token is false",
             is_config ? "config" : "reload");
    socket_send_error(c, request->id, &error);
    return false;
}

static void send_subscribed(client *c, const protocol_request *request)
{
    socket_sink *s = c->sink;

    if (request->id[0] != '\0')
        send_reply(c, request->id,
                   protocol_encode_subscribed(s->line, sizeof s->line, request->id, session_time_ns(s), s->last_seq,
                                              &request->subscribe),
                   "ok");
}

static void refuse_seq(client *c, const protocol_request *request)
{
    protocol_error error = {.code = PROTOCOL_ERROR_UNKNOWN_SEQ};

    snprintf(error.message, sizeof error.message,
             "since_seq: %" PRIu64 " is after this session's last event, %" PRIu64
             "; another session's? `hello` names the session",
             request->subscribe.since_seq, c->sink->last_seq);
    socket_send_error(c, request->id, &error);
}

static void subscribe(client *c, const protocol_request *request)
{
    socket_sink *s = c->sink;
    socket_reply reply = {0};
    protocol_error error = {0};

    if (request->subscribe.has_since_seq && request->subscribe.since_seq > s->last_seq) {
        refuse_seq(c, request);
        return;
    }
    socket_ask_owner(s, SOCKET_ASK_SESSION, NULL, &reply);
    if (subscription_set(&c->subscription, &request->subscribe, &reply.session, &error) != 0) {
        socket_send_error(c, request->id, &error);
        return;
    }
    send_subscribed(c, request);
    c->resuming = false;
    if (request->subscribe.has_since_seq)
        socket_resume(c);
    socket_ask_owner(s, SOCKET_NOTIFY_SUBSCRIBED, c, NULL);
}

static void send_done(client *c, const protocol_request *request, const char *file)
{
    socket_sink *s = c->sink;

    if (request->type != PROTOCOL_REQUEST_RECORD)
        socket_send_ok(c, request->id);
    else if (request->id[0] != '\0')
        send_reply(c, request->id,
                   protocol_encode_recording(s->line, sizeof s->line, request->id, session_time_ns(s), file), "ok");
}

/* A request that changes something waits behind earlier ones that do. */
static void change(client *c, const protocol_request *request, const char *line, size_t length)
{
    socket_sink *s = c->sink;
    const bool has_turn = !s->waiting || s->served == c;
    socket_reply reply = {0};

    s->served = NULL;
    switch (has_turn ? socket_ask_owner(s, SOCKET_ASK_REQUEST, c, &reply) : SOCKET_BUSY) {
    case SOCKET_DONE:
        send_done(c, request, reply.file);
        break;
    case SOCKET_REFUSED:
        socket_send_error(c, request->id, &reply.error);
        break;
    case SOCKET_LATER:
        c->is_reloading = request->type == PROTOCOL_REQUEST_RELOAD;
        socket_wait(c, request->id);
        break;
    case SOCKET_BUSY:
        s->counters.requests--; /* count it when its turn comes */
        socket_queue_request(c, line, length);
        break;
    }
}

/* Send `length` bytes of s->line. */
static void send_to_all(socket_sink *s, unsigned event, size_t length)
{
    for (client *c = s->clients; c; c = c->next)
        if (c->subscription.wanted.events & event)
            peer_send_reply(c->peer, s->line, length);
}

void socket_sink_notify_replay(socket_sink *s, const protocol_replay_state *now)
{
    send_to_all(s, PROTOCOL_EVENT_REPLAY, protocol_encode_replay(s->line, sizeof s->line, now));
}

void socket_sink_notify_recorder(socket_sink *s, const protocol_recorder *now)
{
    send_to_all(s, PROTOCOL_EVENT_RECORDER, protocol_encode_recorder(s->line, sizeof s->line, now));
}

void socket_sink_notify_haptic(socket_sink *s, const void *which, const protocol_haptic *haptic)
{
    for (client *c = s->clients; c; c = c->next)
        if (c == which && !peer_is_behind(c->peer))
            peer_send_reply(c->peer, s->line, protocol_encode_haptic(s->line, sizeof s->line, haptic));
}

void socket_on_line(void *context, peer *p, const char *line, size_t length)
{
    socket_sink *s = context;
    client *c = peer_data(p);
    protocol_request *request = &s->request;
    protocol_error error = {0};

    if (s->closing)
        return;
    if (c->is_waiting) {
        socket_keep_line(c, line, length);
        return;
    }
    s->counters.requests++;
    if (protocol_parse_request(line, length, request, &error) != 0) {
        socket_send_error(c, request->id, &error);
        if (request->is_unread)
            peer_finish(p); /* better no connection than missing replies */
        return;
    }
    if (!is_allowed(c, request))
        return;
    switch (request->type) {
    case PROTOCOL_REQUEST_SUBSCRIBE:
        subscribe(c, request);
        break;
    case PROTOCOL_REQUEST_AUTH: /* whoever asks here is already in */
    case PROTOCOL_REQUEST_PING:
        socket_send_ok(c, request->id);
        break;
    case PROTOCOL_REQUEST_STATUS:
        send_status(c, request->id);
        break;
    case PROTOCOL_REQUEST_CONFIG:
        send_config(c, request->id);
        break;
    case PROTOCOL_REQUEST_HELLO:
        socket_send_hello(c, request->id);
        break;
    case PROTOCOL_REQUEST_OUTLINES:
        send_outlines(c, request);
        break;
    case PROTOCOL_REQUEST_BLADE:
    case PROTOCOL_REQUEST_TARGET:
    case PROTOCOL_REQUEST_REMOVE:
    case PROTOCOL_REQUEST_POSES:
    case PROTOCOL_REQUEST_FEED:
    case PROTOCOL_REQUEST_RECORD:
    case PROTOCOL_REQUEST_REPLAY:
    case PROTOCOL_REQUEST_RELOAD:
        change(c, request, line, length);
        break;
    case PROTOCOL_REQUEST_IGNORED:
        break;
    }
}

void socket_on_too_long(void *context, peer *p)
{
    protocol_error error = {.code = PROTOCOL_ERROR_LINE_TOO_LONG};

    (void)context;
    snprintf(error.message, sizeof error.message,
             "a line was longer than %d bytes, its newline included, and was left out", PROTOCOL_LINE_MAX);
    socket_send_error(peer_data(p), "", &error);
}
