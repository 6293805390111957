/* Requests and their replies: one reply to each request with an id, in order, and to each line that is no request an
 * error that says what was expected. Nothing that a client sends ends its connection. See server.h. */
#include "server_private.h"

#include <inttypes.h>
#include <stdio.h>

void server_send_error(client *c, const char *id, const protocol_error *error)
{
    server *s = c->server;
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
        peer_send_reply(c->peer, c->server->line, length);
        return;
    }
    c->server->counters.not_encoded++;
    snprintf(error.message, sizeof error.message, "%s does not fit into a line of %d bytes", what, PROTOCOL_LINE_MAX);
    server_send_error(c, id, &error);
}

static int64_t session_time_ns(const server *s)
{
    return (int64_t)uv_hrtime() - s->settings.epoch_ns; /* both are CLOCK_MONOTONIC */
}

/* An `ok` answers an id; without an id no answer is wanted. */
void server_send_ok(client *c, const char *id)
{
    server *s = c->server;

    if (id[0] != '\0')
        send_reply(c, id, protocol_encode_ok(s->line, sizeof s->line, id, session_time_ns(s)), "ok");
}

void server_send_fed(client *c, const char *id, double max_gap_ms)
{
    server *s = c->server;

    if (id[0] != '\0')
        send_reply(c, id, protocol_encode_fed(s->line, sizeof s->line, id, session_time_ns(s), max_gap_ms), "ok");
}

void server_send_hello(client *c, const char *id)
{
    server *s = c->server;
    server_reply reply = {0};

    server_ask_owner(s, SERVER_ASK_SESSION, NULL, &reply);
    send_reply(c, id, protocol_encode_hello_that_fits(s->line, sizeof s->line, id, &reply.session), "hello");
}

static void send_status(client *c, const char *id)
{
    server *s = c->server;
    server_reply reply = {0};

    server_ask_owner(s, SERVER_ASK_STATUS, NULL, &reply);
    reply.status.clients = s->client_count;
    reply.status.websocket =
        s->endpoints[ENDPOINT_WEBSOCKET] ? endpoint_address(s->endpoints[ENDPOINT_WEBSOCKET]) : NULL;
    reply.status.page_missing = s->settings.assets ? s->settings.assets->missing : NULL;
    send_reply(c, id, protocol_encode_status(s->line, sizeof s->line, id, &reply.status), "status");
}

static void send_config(client *c, const char *id)
{
    server *s = c->server;
    server_reply reply = {0};

    server_ask_owner(s, SERVER_ASK_CONFIG, NULL, &reply);
    send_reply(c, id, protocol_encode_config(s->line, sizeof s->line, id, &reply.config), "config");
}

static void send_outlines(client *c, const protocol_request *request)
{
    server *s = c->server;
    server_reply reply = {0};

    if (server_ask_owner(s, SERVER_ASK_OUTLINES, c, &reply) == SERVER_REFUSED)
        server_send_error(c, request->id, &reply.error);
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
    server_send_error(c, request->id, &error);
    return false;
}

static void send_subscribed(client *c, const protocol_request *request)
{
    server *s = c->server;

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
             request->subscribe.since_seq, c->server->last_seq);
    server_send_error(c, request->id, &error);
}

static void subscribe(client *c, const protocol_request *request)
{
    server *s = c->server;
    server_reply reply = {0};
    protocol_error error = {0};

    if (request->subscribe.has_since_seq && request->subscribe.since_seq > s->last_seq) {
        refuse_seq(c, request);
        return;
    }
    server_ask_owner(s, SERVER_ASK_SESSION, NULL, &reply);
    if (subscription_set(&c->subscription, &request->subscribe, &reply.session, &error) != 0) {
        server_send_error(c, request->id, &error);
        return;
    }
    send_subscribed(c, request);
    c->resuming = false;
    if (request->subscribe.has_since_seq)
        server_resume(c);
    server_ask_owner(s, SERVER_NOTIFY_SUBSCRIBED, c, NULL);
}

static void send_done(client *c, const protocol_request *request, const server_reply *reply)
{
    server *s = c->server;

    if (request->type == PROTOCOL_REQUEST_FEED)
        server_send_fed(c, request->id, reply->max_gap_ms);
    else if (request->type != PROTOCOL_REQUEST_RECORD)
        server_send_ok(c, request->id);
    else if (request->id[0] != '\0')
        send_reply(c, request->id,
                   protocol_encode_recording(s->line, sizeof s->line, request->id, session_time_ns(s), reply->file),
                   "ok");
}

static void change(client *c, const protocol_request *request, const char *line, size_t length)
{
    server *s = c->server;
    server_reply reply = {0};

    switch (server_ask_owner(s, SERVER_ASK_REQUEST, c, &reply)) {
    case SERVER_DONE:
        if (request->type == PROTOCOL_REQUEST_FEED)
            c->awaits_feed = false;
        send_done(c, request, &reply);
        break;
    case SERVER_REFUSED:
        if (request->type == PROTOCOL_REQUEST_FEED)
            c->awaits_feed = reply.error.code == PROTOCOL_ERROR_NAME_TAKEN;
        server_send_error(c, request->id, &reply.error);
        break;
    case SERVER_LATER:
        c->is_reloading = request->type == PROTOCOL_REQUEST_RELOAD;
        c->waiting_gap_ms = request->type == PROTOCOL_REQUEST_FEED ? reply.max_gap_ms : 0.0;
        server_wait(c, request->id);
        break;
    case SERVER_BUSY:
        s->counters.requests--; /* count it when its turn comes */
        server_queue_request(c, line, length);
        break;
    }
}

/* Send `length` bytes of s->line. */
static void send_to_all(server *s, unsigned event, size_t length)
{
    for (client *c = s->clients; c; c = c->next)
        if (c->subscription.wanted.events & event)
            peer_send_reply(c->peer, s->line, length);
}

void server_notify_replay(server *s, const protocol_replay_state *now)
{
    send_to_all(s, PROTOCOL_EVENT_REPLAY, protocol_encode_replay(s->line, sizeof s->line, now));
}

void server_notify_recorder(server *s, const protocol_recorder *now)
{
    send_to_all(s, PROTOCOL_EVENT_RECORDER, protocol_encode_recorder(s->line, sizeof s->line, now));
}

void server_notify_haptic(server *s, const void *which, const protocol_haptic *haptic)
{
    for (client *c = s->clients; c; c = c->next)
        if (c == which && !peer_is_behind(c->peer))
            peer_send_reply(c->peer, s->line, protocol_encode_haptic(s->line, sizeof s->line, haptic));
}

void server_notify_feed_free(server *s)
{
    for (client *c = s->clients; c; c = c->next)
        if (c->awaits_feed) {
            c->awaits_feed = false;
            peer_send_reply(c->peer, s->line, protocol_encode_feed_free(s->line, sizeof s->line));
        }
}

void server_on_line(void *context, peer *p, const char *line, size_t length)
{
    server *s = context;
    client *c = peer_data(p);
    protocol_request *request = &s->request;
    protocol_error error = {0};

    if (s->closing)
        return;
    if (c->is_waiting) {
        server_keep_line(c, line, length);
        return;
    }
    s->counters.requests++;
    if (protocol_parse_request(line, length, request, &error) != 0) {
        server_send_error(c, request->id, &error);
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
        server_send_ok(c, request->id);
        break;
    case PROTOCOL_REQUEST_STATUS:
        send_status(c, request->id);
        break;
    case PROTOCOL_REQUEST_CONFIG:
        send_config(c, request->id);
        break;
    case PROTOCOL_REQUEST_HELLO:
        server_send_hello(c, request->id);
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

void server_on_too_long(void *context, peer *p)
{
    protocol_error error = {.code = PROTOCOL_ERROR_LINE_TOO_LONG};

    (void)context;
    snprintf(error.message, sizeof error.message,
             "a line was longer than %d bytes, its newline included, and was left out", PROTOCOL_LINE_MAX);
    server_send_error(peer_data(p), "", &error);
}
