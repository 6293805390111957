/* Requests and their replies: one reply to each request that has an id, in order, and an error that says what was
 * expected to each line that is no request. Nothing a client sends ends its connection. See socket.h. */
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

/* `length` bytes of s->line, or where they did not fit, an error in their place: a request always has its reply. */
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

/* An `ok` exists to answer an id; who gave none wants no answer. */
void socket_send_ok(client *c, const char *id)
{
    socket_sink *s = c->sink;

    if (id[0] != '\0')
        send_reply(c, id, protocol_encode_ok(s->line, sizeof s->line, id, s->settings.time_ns(s->settings.context)),
                   "ok");
}

void socket_send_hello(client *c)
{
    socket_sink *s = c->sink;
    protocol_session session = {0};
    size_t length;

    s->settings.session(s->settings.context, &session);
    length = protocol_encode_hello(s->line, sizeof s->line, &session);
    while (length == 0 && session.blade_count + session.target_count + session.device_count > 0) { /* those that fit */
        if (session.device_count > 0)
            session.device_count /= 2;
        else if (session.target_count > 0)
            session.target_count /= 2;
        else
            session.blade_count /= 2;
        length = protocol_encode_hello(s->line, sizeof s->line, &session);
    }
    send_reply(c, "", length, "hello");
}

static void send_status(client *c, const char *id)
{
    socket_sink *s = c->sink;
    protocol_status status = {0};

    s->settings.status(s->settings.context, &status);
    status.clients = s->client_count;
    send_reply(c, id, protocol_encode_status(s->line, sizeof s->line, id, &status), "status");
}

static void send_subscribed(client *c, const protocol_request *request)
{
    socket_sink *s = c->sink;

    if (request->id[0] != '\0')
        send_reply(c, request->id,
                   protocol_encode_subscribed(s->line, sizeof s->line, request->id,
                                              s->settings.time_ns(s->settings.context), s->last_seq,
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
    protocol_session session = {0};
    protocol_error error = {0};

    if (request->subscribe.has_since_seq && request->subscribe.since_seq > s->last_seq) {
        refuse_seq(c, request);
        return;
    }
    s->settings.session(s->settings.context, &session);
    if (subscription_set(&c->subscription, &request->subscribe, &session, &error) != 0) {
        socket_send_error(c, request->id, &error);
        return;
    }
    send_subscribed(c, request);
    c->resuming = false;
    if (request->subscribe.has_since_seq)
        socket_resume(c);
    if (s->settings.subscribed)
        s->settings.subscribed(s->settings.context);
}

static int push(client *c, const protocol_request *request)
{
    const socket_sink_settings *settings = &c->sink->settings;
    protocol_error error = {.code = PROTOCOL_ERROR_UNKNOWN_TYPE, .message = "type: nothing can be pushed here"};
    const int result = settings->push ? settings->push(settings->context, c, request, &error) : -1;

    if (result == SOCKET_SINK_LATER)
        socket_wait(c, request->id);
    else if (result == 0)
        socket_send_ok(c, request->id);
    else if (result < 0)
        socket_send_error(c, request->id, &error);
    return result;
}

static int record(client *c, const protocol_request *request)
{
    socket_sink *s = c->sink;
    const socket_sink_settings *settings = &s->settings;
    protocol_error error = {.code = PROTOCOL_ERROR_CANNOT_RECORD, .message = "nothing can be recorded here"};
    const char *file = "";
    const int result = settings->record ? settings->record(settings->context, &request->record, &file, &error) : -1;

    if (result < 0)
        socket_send_error(c, request->id, &error);
    else if (result == 0 && request->id[0] != '\0')
        send_reply(
            c, request->id,
            protocol_encode_recording(s->line, sizeof s->line, request->id, settings->time_ns(settings->context), file),
            "ok");
    return result;
}

static int replay(client *c, const protocol_request *request)
{
    const socket_sink_settings *settings = &c->sink->settings;
    protocol_error error = {.code = PROTOCOL_ERROR_CANNOT_REPLAY, .message = "no recording is played here"};
    const int result = settings->replay ? settings->replay(settings->context, &request->replay, &error) : -1;

    if (result == 0)
        socket_send_ok(c, request->id);
    else if (result < 0)
        socket_send_error(c, request->id, &error);
    return result;
}

/* What changes something waits behind what does so and has come before. */
static void change(client *c, const protocol_request *request, int (*carry_out)(client *, const protocol_request *),
                   const char *line, size_t length)
{
    socket_sink *s = c->sink;
    const bool has_turn = !s->line_up || s->served == c;

    s->served = NULL;
    if (has_turn && carry_out(c, request) != SOCKET_SINK_BUSY)
        return;
    s->counters.requests--; /* it is counted when its turn has come */
    socket_line_up(c, line, length);
}

void socket_sink_tell_replay(socket_sink *s, const protocol_replay_state *now)
{
    size_t length = 0;

    for (client *c = s->clients; c; c = c->next) {
        if (!(c->subscription.wanted.events & PROTOCOL_EVENT_REPLAY))
            continue;
        if (length == 0)
            length = protocol_encode_replay(s->line, sizeof s->line, now);
        peer_send_reply(c->peer, s->line, length);
    }
}

void socket_sink_tell_recorder(socket_sink *s, const protocol_recorder *now)
{
    size_t length = 0;

    for (client *c = s->clients; c; c = c->next) {
        if (!(c->subscription.wanted.events & PROTOCOL_EVENT_RECORDER))
            continue;
        if (length == 0)
            length = protocol_encode_recorder(s->line, sizeof s->line, now);
        peer_send_reply(c->peer, s->line, length);
    }
}

void socket_on_line(void *context, peer *p, const char *line, size_t length)
{
    socket_sink *s = context;
    client *c = peer_data(p);
    protocol_request request;
    protocol_error error = {0};

    if (s->closing)
        return;
    if (c->is_waiting) {
        socket_keep_line(c, line, length);
        return;
    }
    s->counters.requests++;
    if (protocol_parse_request(line, length, &request, &error) != 0) {
        socket_send_error(c, request.id, &error);
        if (request.is_unread)
            peer_finish(p); /* better no connection than one with replies missing */
        return;
    }
    switch (request.type) {
    case PROTOCOL_REQUEST_SUBSCRIBE:
        subscribe(c, &request);
        break;
    case PROTOCOL_REQUEST_AUTH: /* who asks is already in */
    case PROTOCOL_REQUEST_PING:
        socket_send_ok(c, request.id);
        break;
    case PROTOCOL_REQUEST_STATUS:
        send_status(c, request.id);
        break;
    case PROTOCOL_REQUEST_BLADE:
    case PROTOCOL_REQUEST_TARGET:
    case PROTOCOL_REQUEST_REMOVE:
    case PROTOCOL_REQUEST_POSES:
    case PROTOCOL_REQUEST_FEED:
        change(c, &request, push, line, length);
        break;
    case PROTOCOL_REQUEST_RECORD:
        change(c, &request, record, line, length);
        break;
    case PROTOCOL_REQUEST_REPLAY:
        change(c, &request, replay, line, length);
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
