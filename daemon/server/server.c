/* The clients of the socket: who they are, what they subscribed to, what each is sent. A client stays in the list from
 * its connection until its peer has ended, which the loop reports later: the list never changes while events go out.
 * See server.h. */
#include "ipc/tcp_socket.h"
#include "server_private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void notify_gone(server *s, const client *c)
{
    if (!s->closing)
        server_ask_owner(s, SERVER_NOTIFY_GONE, c, NULL);
}

/* A client that closed its sending side but still listens, as `nc -U` does at the end of its input, stays if it
 * subscribed to anything. What it pushed is removed: it can send no more poses, and over TCP it looks the same as one
 * that is gone and about to reconnect and take its names again. */
static bool on_half_closed(void *context, peer *p)
{
    server *s = context;
    client *c = peer_data(p);

    c->is_leaving = c->is_waiting; /* leaves after the answer */
    if (!c->is_leaving)
        notify_gone(s, c);
    return c->subscription.wanted.events != 0 || c->is_leaving;
}

void server_leave(client *c)
{
    c->is_leaving = false;
    notify_gone(c->server, c);
    if (c->subscription.wanted.events == 0)
        peer_finish(c->peer);
}

static void log_gone(server *s, const peer *p, peer_end end)
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

void server_free_if_over(server *s)
{
    if (!s->closing || s->client_count > 0 || !s->timer_closed || s->disk_jobs > 0)
        return;
    server_ask_owner(s, SERVER_NOTIFY_OVER, NULL, NULL);
    history_finish(&s->history);
    free(s->pages);
    free(s);
}

static void on_timer_closed(uv_handle_t *timer)
{
    server *s = timer->data;

    s->timer_closed = true;
    server_free_if_over(s);
}

static void on_ended(void *context, peer *p, peer_end end)
{
    server *s = context;
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
    notify_gone(s, c);
    subscription_finish(&c->subscription);
    server_forget_lines(c);
    free(c);
    server_free_if_over(s);
}

/* Its buffer is empty, so the line fits; the kernel delivers it after the close. */
static void refuse(server *s, int fd)
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

static void link_client(server *s, client *c)
{
    c->next = s->clients;
    if (c->next)
        c->next->previous = c;
    s->clients = c;
    s->client_count++;
}

/* `from`: its address; NULL on the Unix socket. `id`: of an accepted `auth` to answer, or "". */
static void add_client(server *s, int fd, const char *from, bool websocket, const char *id)
{
    const peer_listener reports = {.context = s,
                                   .line = server_on_line,
                                   .too_long = server_on_too_long,
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
    c->server = s;
    c->is_trusted = !from || s->settings.require_token;
    c->peer = peer_create(s->settings.loop, fd, &settings, &reports, &s->sent, c);
    if (!c->peer) {
        LOG_WARNING(&s->settings.log, "cannot serve a client: out of memory");
        free(c);
        return;
    }
    link_client(s, c);
    server_send_ok(c, id);
    server_send_hello(c, "");
}

static void on_connection(void *context, int fd)
{
    server *s = context;

    if (s->client_count < s->settings.max_clients)
        add_client(s, fd, NULL, false, "");
    else
        refuse(s, fd);
}

void server_on_admitted(void *context, endpoint_kind kind, int fd, const char *id)
{
    char from[ADDRESS_TEXT_MAX];

    tcp_socket_peer(fd, from);
    add_client(context, fd, from, kind == ENDPOINT_WEBSOCKET, id);
}

/* Keep it whatever the queue holds: it stands for events that would have been kept. */
void server_send_lagged(client *c, uint64_t from_seq, uint64_t to_seq)
{
    server *s = c->server;
    const uint64_t missed = to_seq - from_seq + 1;

    s->sent.lagged++;
    s->sent.events_dropped += missed;
    peer_send_reply(c->peer, s->line, protocol_encode_lagged(s->line, sizeof s->line, from_seq, to_seq, missed));
}

static void send_to_all(server *s, const clash_event *event, bool (*wants)(subscription *s, const clash_event *event))
{
    server_lines lines = {.is_live = true};

    history_add(&s->history, event);
    for (client *c = s->clients; c; c = c->next)
        if (!c->resuming && wants(&c->subscription, event))
            server_send_event(c, event, &lines);
    server_release_lines(&lines);
}

static void on_event(void *context, const clash_event *event)
{
    server *s = context;

    s->last_seq = event->seq;
    send_to_all(s, event, subscription_wants_event);
}

static void on_peak(void *context, const clash_event *late)
{
    send_to_all(context, late, subscription_wants_late);
}

void server_settled(server *s)
{
    s->stamp_ns = 0;
}

/* Stop listening: no new clients come, the present ones stay. */
static void close_listeners(server *s)
{
    server_close_endpoints(s);
    listener_close(s->listener);
    s->listener = NULL;
}

/* No peer is in the outbox at this point, and none enters it. */
static void close_handles(server *s)
{
    outbox_close(s->outbox);
    uv_close((uv_handle_t *)&s->resume_timer, on_timer_closed);
}

static void on_written(void *context, int64_t sample_ns)
{
    const server *s = context;

    s->settings.ask(s->settings.context, &(server_ask){.kind = SERVER_NOTIFY_WRITTEN, .sample_ns = sample_ns}, NULL);
}

listener_result server_open(const server_settings *settings, server **out_server, failure *out_failure)
{
    server *s = calloc(1, sizeof *s);
    listener_result result;

    if (!s) {
        fail_with(out_failure, "cannot listen on %s: out of memory", settings->path);
        return LISTENER_ERROR;
    }
    s->settings = *settings;
    s->sent.written = on_written;
    s->sent.context = s;
    s->outbox = outbox_create(settings->loop);
    if (!s->outbox || server_resume_open(s) != 0) {
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
        result = server_open_endpoints(s, out_failure);
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
    *out_server = s;
    return LISTENER_OK;
}

event_sink server_port(server *s)
{
    return (event_sink){.context = s, .event = on_event, .peak = on_peak, .frame = server_on_frame};
}

size_t server_clients(const server *s)
{
    return s->client_count;
}

static void stop_serving(server *s, void (*end_peer)(peer *p))
{
    if (!s)
        return;
    s->closing = true;
    close_listeners(s);
    for (client *c = s->clients; c; c = c->next)
        end_peer(c->peer);
    close_handles(s);
}

void server_close(server *s)
{
    stop_serving(s, peer_close);
}

void server_finish(server *s)
{
    for (client *c = s ? s->clients : NULL; c; c = c->next)
        server_resume_rest(c);
    stop_serving(s, peer_finish);
}

void server_hurry(server *s)
{
    for (client *c = s ? s->clients : NULL; c; c = c->next)
        peer_close(c->peer);
}
