/* The clients of the socket: who they are, what they subscribed to, what each is sent. A client stays in the list from
 * its connection until its peer has ended, which the loop reports later: the list never changes while events go out.
 * See socket.h. */
#include "ipc/tcp_socket.h"
#include "socket_private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void notify_gone(socket_sink *s, const client *c)
{
    if (!s->closing)
        socket_ask_owner(s, SOCKET_NOTIFY_GONE, c, NULL);
}

/* A client that closed its sending side but still listens, as `nc -U` does at the end of its input, stays if it
 * subscribed to anything. What it pushed is removed: it can send no more poses, and over TCP it looks the same as one
 * that is gone and about to reconnect and take its names again. */
static bool on_half_closed(void *context, peer *p)
{
    socket_sink *s = context;
    client *c = peer_data(p);

    c->is_leaving = c->is_waiting; /* leaves after the answer */
    if (!c->is_leaving)
        notify_gone(s, c);
    return c->subscription.wanted.events != 0 || c->is_leaving;
}

void socket_leave(client *c)
{
    c->is_leaving = false;
    notify_gone(c->sink, c);
    if (c->subscription.wanted.events == 0)
        peer_finish(c->peer);
}

static void log_gone(socket_sink *s, const peer *p, peer_end end)
{
    char who[128];

    peer_describe(p, who, sizeof who);
    if (end == PEER_END_FOREIGN)
        log_throttle_warn(&s->refused, &s->settings.log, uv_now(s->settings.loop), who,
                          "closed a client %s: its first byte began no message", who);
    else
        logger_print_client(&s->settings.log, LOG_LEVEL_DEBUG, who,
                            "client %s has gone; %llu events were dropped for it", who,
                            (unsigned long long)peer_dropped(p));
}

void socket_free_if_over(socket_sink *s)
{
    if (!s->closing || s->client_count > 0 || !s->timer_closed || s->disk_jobs > 0)
        return;
    socket_ask_owner(s, SOCKET_NOTIFY_OVER, NULL, NULL);
    history_finish(&s->history);
    free(s->pages);
    free(s);
}

static void on_timer_closed(uv_handle_t *timer)
{
    socket_sink *s = timer->data;

    s->timer_closed = true;
    socket_free_if_over(s);
}

static void on_ended(void *context, peer *p, peer_end end)
{
    socket_sink *s = context;
    client *c = peer_data(p);

    if (end != PEER_END_STALLED && !s->closing)
        log_gone(s, p, end);
    if (c->previous)
        c->previous->next = c->next;
    else
        s->clients = c->next;
    if (c->next)
        c->next->previous = c->previous;
    s->client_count--;
    socket_unqueue(c);
    notify_gone(s, c);
    subscription_finish(&c->subscription);
    socket_forget_lines(c);
    free(c);
    socket_free_if_over(s);
}

/* Its buffer is empty, so the line fits; the kernel delivers it after the close. */
static void refuse(socket_sink *s, int fd)
{
    protocol_error error = {.code = PROTOCOL_ERROR_LIMIT};
    size_t length;

    s->counters.clients_refused++;
    snprintf(error.message, sizeof error.message, "max_clients: %zu clients are connected, no more are allowed",
             s->settings.max_clients);
    length = protocol_encode_error(s->line, sizeof s->line, "", &error);
    if (length > 0 && send(fd, s->line, length, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        LOG_DEBUG(&s->settings.log, "a client that was refused did not wait to hear why");
    close(fd);
    log_throttle_warn(&s->refused, &s->settings.log, uv_now(s->settings.loop), "", "refused a client: %s",
                      error.message);
}

static void link_client(socket_sink *s, client *c)
{
    c->next = s->clients;
    if (c->next)
        c->next->previous = c;
    s->clients = c;
    s->client_count++;
}

/* `from`: its address; NULL on the Unix socket. `id`: of an accepted `auth` to answer, or "". */
static void add_client(socket_sink *s, int fd, const char *from, bool websocket, const char *id)
{
    const peer_listener reports = {.context = s,
                                   .line = socket_on_line,
                                   .too_long = socket_on_too_long,
                                   .half_closed = on_half_closed,
                                   .ended = on_ended};
    const peer_settings settings = {.queue_bytes = s->settings.queue_bytes,
                                    .reply_bytes = s->settings.reply_bytes,
                                    .stall_ms = s->settings.stall_ms,
                                    .from = from,
                                    .websocket = websocket,
                                    .first_byte = from && !websocket && !s->settings.require_token,
                                    .outbox = s->outbox,
                                    .log = s->settings.log};
    client *c;

    c = calloc(1, sizeof *c);
    if (!c) {
        close(fd);
        return;
    }
    c->sink = s;
    c->is_trusted = !from || s->settings.require_token;
    c->peer = peer_create(s->settings.loop, fd, &settings, &reports, &s->sent, c);
    if (!c->peer) {
        LOG_WARNING(&s->settings.log, "cannot serve a client: out of memory");
        free(c);
        return;
    }
    link_client(s, c);
    socket_send_ok(c, id);
    socket_send_hello(c, "");
}

static void on_connection(void *context, int fd)
{
    socket_sink *s = context;

    if (s->client_count < s->settings.max_clients)
        add_client(s, fd, NULL, false, "");
    else
        refuse(s, fd);
}

void socket_on_admitted(void *context, endpoint_kind kind, int fd, const char *id)
{
    char from[ADDRESS_TEXT_MAX];

    tcp_socket_peer(fd, from);
    add_client(context, fd, from, kind == ENDPOINT_WEBSOCKET, id);
}

/* Keep it whatever the queue holds: it stands for events that would have been kept. */
void socket_send_lagged(client *c, uint64_t from_seq, uint64_t to_seq)
{
    socket_sink *s = c->sink;
    const uint64_t missed = to_seq - from_seq + 1;

    s->sent.lagged++;
    s->sent.events_dropped += missed;
    peer_send_reply(c->peer, s->line, protocol_encode_lagged(s->line, sizeof s->line, from_seq, to_seq, missed));
}

static void send_to_all(socket_sink *s, const clash_event *event,
                        bool (*wants)(subscription *s, const clash_event *event))
{
    socket_lines lines = {.is_live = true};

    history_add(&s->history, event);
    for (client *c = s->clients; c; c = c->next)
        if (!c->resuming && wants(&c->subscription, event))
            socket_send_event(c, event, &lines);
    socket_release_lines(&lines);
}

static void on_event(void *context, const clash_event *event)
{
    socket_sink *s = context;

    s->last_seq = event->seq;
    send_to_all(s, event, subscription_wants_event);
}

static void on_peak(void *context, const clash_event *late)
{
    send_to_all(context, late, subscription_wants_late);
}

void socket_sink_settled(socket_sink *s)
{
    s->stamp_ns = 0;
}

/* Stop listening: no new clients come, the present ones stay. */
static void close_listeners(socket_sink *s)
{
    socket_close_endpoints(s);
    listener_close(s->listener);
    s->listener = NULL;
}

/* No peer is in the outbox at this point, and none enters it. */
static void close_handles(socket_sink *s)
{
    outbox_close(s->outbox);
    uv_close((uv_handle_t *)&s->resume_timer, on_timer_closed);
}

static void on_written(void *context, int64_t sample_ns)
{
    const socket_sink *s = context;

    s->settings.ask(s->settings.context, &(socket_ask){.kind = SOCKET_NOTIFY_WRITTEN, .sample_ns = sample_ns}, NULL);
}

listener_result socket_sink_open(const socket_sink_settings *settings, socket_sink **out_sink, failure *out_failure)
{
    socket_sink *s = calloc(1, sizeof *s);
    listener_result result;

    if (!s) {
        fail_with(out_failure, "cannot listen on %s: out of memory", settings->path);
        return LISTENER_ERROR;
    }
    s->settings = *settings;
    s->sent.written = on_written;
    s->sent.context = s;
    s->outbox = outbox_create(settings->loop);
    if (!s->outbox || socket_resume_open(s) != 0) {
        fail_with(out_failure, "cannot listen on %s: no timer, or no memory", settings->path);
        outbox_close(s->outbox);
        free(s);
        return LISTENER_ERROR;
    }
    result = listener_open(&(listener_settings){.loop = settings->loop,
                                                .path = settings->path,
                                                .passed_fd = settings->passed_fd,
                                                .make_directory = settings->make_directory,
                                                .log = settings->log,
                                                .context = s,
                                                .connection = on_connection},
                           &s->listener, out_failure);
    if (result == LISTENER_OK)
        result = socket_open_endpoints(s, out_failure);
    if (result != LISTENER_OK) {
        close_listeners(s);
        s->closing = true;
        close_handles(s);
        return result;
    }
    s->settings.token_file = NULL;
    s->settings.path = NULL; /* they were copied, and the caller's may go */
    memset(s->settings.passed, 0, sizeof s->settings.passed);
    memset(s->settings.addresses, 0, sizeof s->settings.addresses);
    *out_sink = s;
    return LISTENER_OK;
}

event_sink socket_sink_port(socket_sink *s)
{
    return (event_sink){.context = s, .event = on_event, .peak = on_peak, .frame = socket_on_frame};
}

size_t socket_sink_clients(const socket_sink *s)
{
    return s->client_count;
}

static void stop_serving(socket_sink *s, void (*end_peer)(peer *p))
{
    if (!s)
        return;
    s->closing = true;
    close_listeners(s);
    for (client *c = s->clients; c; c = c->next)
        end_peer(c->peer);
    close_handles(s);
}

void socket_sink_close(socket_sink *s)
{
    stop_serving(s, peer_close);
}

void socket_sink_finish(socket_sink *s)
{
    for (client *c = s ? s->clients : NULL; c; c = c->next)
        socket_resume_rest(c);
    stop_serving(s, peer_finish);
}

void socket_sink_hurry(socket_sink *s)
{
    for (client *c = s ? s->clients : NULL; c; c = c->next)
        peer_close(c->peer);
}
