/* Doors: one for each connection in its handshake. A door reads with MSG_PEEK and takes no byte beyond the handshake's
 * end, so that the next owner of the socket begins just there. See entrance.h. */
#include "ipc/entrance_private.h"
#include "ipc/tcp_socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/** Unread bytes make the kernel cut the connection where it is closed, answer and all: so many are read before. */
#define DRAIN_BYTES 65536

static void on_door_closed(uv_handle_t *handle)
{
    door *d = handle->data;

    if (--d->handles_open > 0)
        return;
    free(d->answer);
    free(d);
}

int entrance_remove_door(door *d)
{
    entrance *e = d->entrance;

    if (d->previous)
        d->previous->next = d->next;
    else
        e->doors = d->next;
    if (d->next)
        d->next->previous = d->previous;
    e->door_count--;
    uv_close((uv_handle_t *)&d->poll, on_door_closed);
    uv_close((uv_handle_t *)&d->timer, on_door_closed);
    return d->fd;
}

void entrance_part(int fd)
{
    char bytes[4096];

    shutdown(fd, SHUT_WR);
    for (size_t total = 0; total < DRAIN_BYTES; total += sizeof bytes)
        if (recv(fd, bytes, sizeof bytes, MSG_DONTWAIT) <= 0)
            break;
    close(fd);
}

/* The connection's buffer is empty, so an answer fits. */
static bool send_answer(int fd, const handshake *h)
{
    return h->answer_length == 0 ||
           send(fd, h->answer, h->answer_length, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)h->answer_length;
}

void entrance_refuse(entrance *e, int fd, const handshake *h)
{
    char peer[ADDRESS_TEXT_MAX];

    tcp_socket_peer(fd, peer);
    send_answer(fd, h);
    entrance_part(fd);
    refusals_say(&e->refusals, &e->settings.log, uv_now(e->settings.loop), peer, "refused a client at %s on %s: %s",
                 peer, e->address, h->reason);
}

static void admit(door *d)
{
    entrance *e = d->entrance;
    int fd = entrance_remove_door(d);

    if (!send_answer(fd, &e->verdict)) {
        close(fd);
        return;
    }
    e->counters.admitted++;
    e->settings.admitted(e->settings.context, e->settings.kind, fd, e->verdict.id);
}

static void judge_full(entrance *e)
{
    e->counters.refused_full++;
    if (e->settings.kind == ENTRANCE_WEBSOCKET)
        handshake_http_full(e->settings.max_clients, &e->verdict);
    else
        handshake_line_full(e->settings.max_clients, &e->verdict);
}

/* Others may have come another way since it was let in to the door. */
static void judge_admitted(door *d)
{
    entrance *e = d->entrance;

    if (e->settings.clients(e->settings.context) < e->settings.max_clients) {
        admit(d);
        return;
    }
    judge_full(e);
    entrance_refuse(e, entrance_remove_door(d), &e->verdict);
}

static void judge(door *d, bool complete)
{
    entrance *e = d->entrance;

    if (e->settings.kind == ENTRANCE_WEBSOCKET)
        handshake_judge_http(&e->settings.rules, d->bytes, d->length, complete, &e->verdict);
    else
        handshake_judge_line(&e->settings.rules, d->bytes, d->length, complete, &e->verdict);
    switch (e->verdict.verdict) {
    case HANDSHAKE_MORE:
        break;
    case HANDSHAKE_ADMIT:
        judge_admitted(d);
        break;
    case HANDSHAKE_PAGE:
        entrance_send_page(d);
        break;
    case HANDSHAKE_REFUSE:
    case HANDSHAKE_DROP:
        e->counters.refused++;
        entrance_refuse(e, entrance_remove_door(d), &e->verdict);
        break;
    }
}

/* Where the handshake ends in `length` bytes, of which d->length have been looked at. */
static size_t find_end(const door *d, size_t length)
{
    return d->entrance->settings.kind == ENTRANCE_WEBSOCKET ? handshake_header_end(d->bytes, length, d->length)
                                                            : handshake_line_end(d->bytes, length, d->length);
}

static size_t size_limit(const door *d)
{
    return d->entrance->settings.kind == ENTRANCE_WEBSOCKET ? HANDSHAKE_HEADER_MAX : HANDSHAKE_LINE_MAX;
}

static void on_door_readable(uv_poll_t *poll, int status, int events)
{
    door *d = poll->data;
    ssize_t count = recv(d->fd, d->bytes + d->length, size_limit(d) - d->length, MSG_PEEK | MSG_DONTWAIT);
    size_t end;

    (void)status; /* whatever epoll has to say, recv says it too */
    (void)events;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return;
    if (count <= 0) {
        d->entrance->counters.refused++;
        close(entrance_remove_door(d));
        return;
    }
    end = find_end(d, d->length + (size_t)count);
    if (end > 0)
        count = (ssize_t)(end - d->length);
    if (recv(d->fd, d->bytes + d->length, (size_t)count, MSG_DONTWAIT) != count)
        return; /* cannot happen: the bytes were there */
    d->length += (size_t)count;
    judge(d, end > 0);
}

static void on_late(uv_timer_t *timer)
{
    door *d = timer->data;
    entrance *e = d->entrance;

    if (e->settings.kind == ENTRANCE_WEBSOCKET)
        handshake_http_timeout(e->settings.wait_ms, &e->verdict);
    else
        handshake_line_timeout(&e->settings.rules, e->settings.wait_ms, &e->verdict);
    e->counters.refused++;
    entrance_refuse(e, entrance_remove_door(d), &e->verdict);
}

static void link_door(entrance *e, door *d)
{
    d->next = e->doors;
    if (d->next)
        d->next->previous = d;
    e->doors = d;
    e->door_count++;
}

/* NULL where it cannot be; libuv's handles can only be given up through the loop. */
static door *create_door(entrance *e, int fd)
{
    door *d = calloc(1, sizeof *d);

    if (!d || uv_poll_init(e->settings.loop, &d->poll, fd) != 0) {
        free(d);
        return NULL;
    }
    d->entrance = e;
    d->fd = fd;
    d->poll.data = d->timer.data = d;
    d->handles_open = 1;
    if (uv_timer_init(e->settings.loop, &d->timer) != 0) {
        uv_close((uv_handle_t *)&d->poll, on_door_closed);
        return NULL;
    }
    d->handles_open = 2;
    link_door(e, d);
    if (uv_timer_start(&d->timer, on_late, e->settings.wait_ms, 0) == 0 &&
        uv_poll_start(&d->poll, UV_READABLE, on_door_readable) == 0)
        return d;
    entrance_remove_door(d);
    return NULL;
}

static void open_door(entrance *e, int fd)
{
    if (create_door(e, fd))
        return;
    close(fd);
    e->counters.refused++;
    refusals_say(&e->refusals, &e->settings.log, uv_now(e->settings.loop), "",
                 "closed a client on %s: out of memory, or the system refuses to watch it", e->address);
}

static size_t room(const entrance *e)
{
    return e->settings.max_clients + (e->settings.page ? ENTRANCE_PAGE_ROOM : 0);
}

static void on_connection(void *context, int fd)
{
    entrance *e = context;

    if (e->is_passed)
        tcp_socket_adjust(fd);
    if (e->settings.clients(e->settings.context) + e->door_count >= room(e)) {
        judge_full(e);
        entrance_refuse(e, fd, &e->verdict);
    } else if (e->settings.kind == ENTRANCE_TCP && !e->settings.rules.token) {
        e->counters.admitted++;
        e->settings.admitted(e->settings.context, e->settings.kind, fd, "");
    } else {
        open_door(e, fd);
    }
}

static int start_accepting(entrance *e)
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

static listener_result listen_there(entrance *e, char *out_error, size_t error_size)
{
    address a;
    listener_result result;

    if (e->is_passed) {
        e->fd = e->settings.passed->fd;
        address_format(&e->settings.passed->address, e->address);
        return LISTENER_OK;
    }
    if (address_parse(e->settings.address, &a, out_error, error_size) != 0)
        return LISTENER_BAD;
    result = tcp_socket_listen(&a, &e->fd, out_error, error_size);
    address_format(&a, e->address);
    return result;
}

listener_result entrance_open(const entrance_settings *settings, entrance **out_entrance, char *out_error,
                              size_t error_size)
{
    entrance *e = calloc(1, sizeof *e);
    listener_result result;

    if (!e) {
        snprintf(out_error, error_size, "cannot listen on %s: out of memory",
                 settings->passed ? settings->passed->text : settings->address);
        return LISTENER_ERROR;
    }
    e->settings = *settings;
    e->is_passed = settings->passed != NULL;
    if (e->settings.wait_ms == 0)
        e->settings.wait_ms = ENTRANCE_WAIT_MS_DEFAULT;
    result = listen_there(e, out_error, error_size);
    e->settings.address = NULL;
    e->settings.passed = NULL;
    if (result == LISTENER_OK && start_accepting(e) != 0) {
        snprintf(out_error, error_size, "cannot listen on %s: the system refuses to watch it", e->address);
        close(e->fd);
        result = LISTENER_ERROR;
    }
    if (result == LISTENER_OK)
        *out_entrance = e;
    else
        free(e);
    return result;
}

const char *entrance_address(const entrance *e)
{
    return e->address;
}

const entrance_counters *entrance_get_counters(const entrance *e)
{
    return &e->counters;
}

size_t entrance_doors(const entrance *e)
{
    return e->door_count;
}

void entrance_close(entrance *e)
{
    if (!e)
        return;
    acceptor_close(e->acceptor);
    close(e->fd);
    while (e->doors)
        close(entrance_remove_door(e->doors));
    free(e);
}
