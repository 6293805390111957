/* Connections in their handshake. Each is read with MSG_PEEK first, and no byte after the end of the handshake is
 * consumed, so the socket's next owner starts reading exactly there. See endpoint.h. */
#include "ipc/endpoint_private.h"
#include "ipc/tcp_socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/** Read up to this many bytes before closing: with unread bytes the kernel resets the connection, and the answer is
 *  lost. */
#define DRAIN_BYTES 65536

static void on_pending_closed(uv_handle_t *handle)
{
    pending *p = handle->data;

    if (--p->handles_open > 0)
        return;
    free(p);
}

int endpoint_remove(pending *p)
{
    endpoint *e = p->endpoint;

    if (p->previous)
        p->previous->next = p->next;
    else
        e->pending = p->next;
    if (p->next)
        p->next->previous = p->previous;
    e->pending_count--;
    page_answer_drop(&p->answer);
    uv_close((uv_handle_t *)&p->poll, on_pending_closed);
    uv_close((uv_handle_t *)&p->timer, on_pending_closed);
    return p->fd;
}

void endpoint_close_drained(int fd)
{
    char bytes[4096];

    shutdown(fd, SHUT_WR);
    for (size_t total = 0; total < DRAIN_BYTES; total += sizeof bytes)
        if (recv(fd, bytes, sizeof bytes, MSG_DONTWAIT) <= 0)
            break;
    close(fd);
}

/* The connection's send buffer is empty, so an answer fits. */
static bool send_answer(int fd, const handshake *h)
{
    return h->answer_length == 0 ||
           send(fd, h->answer, h->answer_length, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)h->answer_length;
}

void endpoint_refuse(endpoint *e, int fd, const handshake *h)
{
    char peer[ADDRESS_TEXT_MAX];

    tcp_socket_peer(fd, peer);
    send_answer(fd, h);
    endpoint_close_drained(fd);
    log_throttle_warn(&e->refused, &e->settings.log, uv_now(e->settings.loop), peer, "refused a client at %s on %s: %s",
                      peer, e->address, h->reason);
}

static void admit(pending *p)
{
    endpoint *e = p->endpoint;
    int fd = endpoint_remove(p);

    if (!send_answer(fd, &e->verdict)) {
        close(fd);
        return;
    }
    e->counters.admitted++;
    e->settings.admitted(e->settings.context, e->settings.kind, fd, e->verdict.id);
}

static void judge_full(endpoint *e)
{
    e->counters.refused_full++;
    if (e->settings.kind == ENDPOINT_WEBSOCKET)
        handshake_http_full(e->settings.max_clients, &e->verdict);
    else
        handshake_line_full(e->settings.max_clients, &e->verdict);
}

/* Check the limit again: other clients may have been admitted since this handshake began. */
static void judge_admitted(pending *p)
{
    endpoint *e = p->endpoint;

    if (e->settings.clients(e->settings.context) < e->settings.max_clients) {
        admit(p);
        return;
    }
    judge_full(e);
    endpoint_refuse(e, endpoint_remove(p), &e->verdict);
}

static void judge(pending *p, bool complete)
{
    endpoint *e = p->endpoint;

    if (e->settings.kind == ENDPOINT_WEBSOCKET)
        handshake_judge_http(&e->settings.rules, p->bytes, p->length, complete, &e->verdict);
    else
        handshake_judge_line(&e->settings.rules, p->bytes, p->length, complete, &e->verdict);
    switch (e->verdict.verdict) {
    case HANDSHAKE_MORE:
        break;
    case HANDSHAKE_ADMIT:
        judge_admitted(p);
        break;
    case HANDSHAKE_PAGE:
        endpoint_send_page(p);
        break;
    case HANDSHAKE_REFUSE:
    case HANDSHAKE_DROP:
        e->counters.refused++;
        endpoint_refuse(e, endpoint_remove(p), &e->verdict);
        break;
    }
}

/* Return where the handshake ends within `length` bytes; the first p->length were searched before. 0: incomplete. */
static size_t find_end(const pending *p, size_t length)
{
    return p->endpoint->settings.kind == ENDPOINT_WEBSOCKET ? handshake_header_end(p->bytes, length, p->length)
                                                            : handshake_line_end(p->bytes, length, p->length);
}

static size_t size_limit(const pending *p)
{
    return p->endpoint->settings.kind == ENDPOINT_WEBSOCKET ? HANDSHAKE_HEADER_MAX : HANDSHAKE_LINE_MAX;
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    pending *p = poll->data;
    ssize_t count = recv(p->fd, p->bytes + p->length, size_limit(p) - p->length, MSG_PEEK | MSG_DONTWAIT);
    size_t end;

    (void)status; /* ignore epoll's flags: recv reports the same errors */
    (void)events;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return;
    if (count <= 0) {
        p->endpoint->counters.refused++;
        close(endpoint_remove(p));
        return;
    }
    end = find_end(p, p->length + (size_t)count);
    if (end > 0)
        count = (ssize_t)(end - p->length);
    if (recv(p->fd, p->bytes + p->length, (size_t)count, MSG_DONTWAIT) != count)
        return; /* cannot happen: MSG_PEEK has just returned these bytes */
    p->length += (size_t)count;
    judge(p, end > 0);
}

static void on_late(uv_timer_t *timer)
{
    pending *p = timer->data;
    endpoint *e = p->endpoint;

    if (e->settings.kind == ENDPOINT_WEBSOCKET)
        handshake_http_timeout(e->settings.wait_ms, &e->verdict);
    else
        handshake_line_timeout(&e->settings.rules, e->settings.wait_ms, &e->verdict);
    e->counters.refused++;
    endpoint_refuse(e, endpoint_remove(p), &e->verdict);
}

static void link_pending(endpoint *e, pending *p)
{
    p->next = e->pending;
    if (p->next)
        p->next->previous = p;
    e->pending = p;
    e->pending_count++;
}

/* Return NULL on failure. Initialised libuv handles are then closed, and the loop frees the memory. */
static pending *create_pending(endpoint *e, int fd)
{
    pending *p = calloc(1, sizeof *p);

    if (!p || uv_poll_init(e->settings.loop, &p->poll, fd) != 0) {
        free(p);
        return NULL;
    }
    p->endpoint = e;
    p->fd = fd;
    p->poll.data = p->timer.data = p;
    p->handles_open = 1;
    if (uv_timer_init(e->settings.loop, &p->timer) != 0) {
        uv_close((uv_handle_t *)&p->poll, on_pending_closed);
        return NULL;
    }
    p->handles_open = 2;
    link_pending(e, p);
    if (uv_timer_start(&p->timer, on_late, e->settings.wait_ms, 0) == 0 &&
        uv_poll_start(&p->poll, UV_READABLE, on_readable) == 0)
        return p;
    endpoint_remove(p);
    return NULL;
}

static void open_pending(endpoint *e, int fd)
{
    if (create_pending(e, fd))
        return;
    close(fd);
    e->counters.refused++;
    log_throttle_warn(&e->refused, &e->settings.log, uv_now(e->settings.loop), "",
                      "closed a client on %s: out of memory, or the system refuses to watch it", e->address);
}

static size_t room(const endpoint *e)
{
    return e->settings.max_clients + (e->settings.page ? ENDPOINT_PAGE_ROOM : 0);
}

static void on_connection(void *context, int fd)
{
    endpoint *e = context;

    if (e->is_passed)
        tcp_socket_adjust(fd);
    if (e->settings.clients(e->settings.context) + e->pending_count >= room(e)) {
        judge_full(e);
        endpoint_refuse(e, fd, &e->verdict);
    } else if (e->settings.kind == ENDPOINT_TCP && !e->settings.rules.token) {
        e->counters.admitted++;
        e->settings.admitted(e->settings.context, e->settings.kind, fd, "");
    } else {
        open_pending(e, fd);
    }
}

static int start_accepting(endpoint *e)
{
    const acceptor_settings settings = {.loop = e->settings.loop,
                                        .fd = e->fd,
                                        .name = e->address,
                                        .errors = &e->counters.accept_errors,
                                        .log = e->settings.log,
                                        .context = e,
                                        .connection = on_connection};

    return acceptor_open(&settings, &e->acceptor);
}

static listener_result listen_there(endpoint *e, failure *out_failure)
{
    address a;
    listener_result result;

    if (e->is_passed) {
        e->fd = e->settings.passed->fd;
        address_format(&e->settings.passed->address, e->address);
        return LISTENER_OK;
    }
    if (address_parse(e->settings.address, &a, out_failure) != 0)
        return LISTENER_BAD;
    result = tcp_socket_listen(&a, &e->fd, out_failure);
    address_format(&a, e->address);
    return result;
}

listener_result endpoint_open(const endpoint_settings *settings, endpoint **out_endpoint, failure *out_failure)
{
    endpoint *e = calloc(1, sizeof *e);
    listener_result result;

    if (!e) {
        fail_with(out_failure, "cannot listen on %s: out of memory",
                  settings->passed ? settings->passed->text : settings->address);
        return LISTENER_ERROR;
    }
    e->settings = *settings;
    e->is_passed = settings->passed != NULL;
    if (e->settings.wait_ms == 0)
        e->settings.wait_ms = ENDPOINT_WAIT_MS_DEFAULT;
    result = listen_there(e, out_failure);
    e->settings.address = NULL;
    e->settings.passed = NULL;
    if (result == LISTENER_OK && start_accepting(e) != 0) {
        fail_with(out_failure, "cannot listen on %s: the system refuses to watch it", e->address);
        close(e->fd);
        result = LISTENER_ERROR;
    }
    if (result == LISTENER_OK)
        *out_endpoint = e;
    else
        free(e);
    return result;
}

const char *endpoint_address(const endpoint *e)
{
    return e->address;
}

const endpoint_counters *endpoint_get_counters(const endpoint *e)
{
    return &e->counters;
}

size_t endpoint_pending_count(const endpoint *e)
{
    return e->pending_count;
}

void endpoint_close(endpoint *e)
{
    if (!e)
        return;
    acceptor_close(e->acceptor);
    close(e->fd);
    while (e->pending)
        close(endpoint_remove(e->pending));
    free(e);
}
