/* Connections that receive a page. The answer is sent as fast as the client reads, one piece per loop iteration, then
 * the connection ends. A client that does not read is disconnected. The endpoint's owner provides the pages. See
 * endpoint.h. */
#include "ipc/endpoint_private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void page_answer_drop(page_answer *a)
{
    void (*gone)(void *context) = a->gone;

    a->gone = NULL;
    if (gone && !a->is_given)
        gone(a->gone_context);
    page_file_close(a->file);
    a->file = NULL;
    free(a->head);
    free(a->owned);
    a->head = a->owned = NULL;
    a->body = NULL;
}

static void refuse(page_answer *a, const char *status, const char *text)
{
    pending *p = a->pending;
    endpoint *e = p->endpoint;

    e->counters.refused++;
    handshake_page_refuse(status, text, &a->request, &e->verdict);
    endpoint_refuse(e, endpoint_remove(p), &e->verdict);
}

/* Disconnect only a client that stopped reading: a slow one may continue. */
static void on_late(uv_timer_t *timer)
{
    pending *p = timer->data;
    page_answer *a = &p->answer;

    if (!a->is_given) {
        refuse(a, "503 Service Unavailable", "this takes too long: is the disk at work?");
    } else if (a->paced >= ENDPOINT_PAGE_PACE) {
        a->paced = 0;
        uv_timer_start(timer, on_late, p->endpoint->settings.wait_ms, 0);
    } else {
        close(endpoint_remove(p));
    }
}

/* Send at most one piece, of the head first, then of the body. Return -1 if the connection is broken, 0 if the socket
 * accepts no more now. */
static int send_some(page_answer *a)
{
    const bool is_head = a->sent < a->head_length;
    const char *bytes = is_head ? a->head + a->sent : a->body + (a->sent - a->head_length);
    const size_t left = (is_head ? a->head_length : a->head_length + a->body_length) - a->sent;
    const ssize_t count = send(a->pending->fd, bytes, left < ENDPOINT_PAGE_PACE ? left : ENDPOINT_PAGE_PACE,
                               MSG_NOSIGNAL | MSG_DONTWAIT | (is_head && a->body_length > 0 ? MSG_MORE : 0));

    if (count < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
    a->sent += (size_t)count;
    a->paced += (size_t)count;
    return 1;
}

static bool is_sent(const page_answer *a)
{
    return a->sent == a->head_length + a->body_length;
}

static void finish(page_answer *a)
{
    a->pending->endpoint->counters.pages++;
    endpoint_close_drained(endpoint_remove(a->pending));
}

/* Send one piece of the body per loop iteration, so that other clients are served in between, however fast this one
 * reads. */
static void go_on(page_answer *a)
{
    int result = 1;

    while (result > 0 && a->sent < a->head_length)
        result = send_some(a);
    if (result > 0 && !is_sent(a))
        result = send_some(a);
    if (result >= 0 && !is_sent(a))
        return;
    if (result >= 0)
        result = a->file ? page_file_read(a->file) : 0;
    if (result > 0)
        uv_poll_stop(&a->pending->poll);
    else if (result == 0)
        finish(a);
    else
        close(endpoint_remove(a->pending));
}

static void on_writable(uv_poll_t *poll, int status, int events)
{
    pending *p = poll->data;

    (void)status; /* ignore epoll's flags: send reports the same errors */
    (void)events;
    go_on(&p->answer);
}

void page_answer_take(page_answer *a, const char *bytes, size_t length)
{
    if (!bytes) {
        close(endpoint_remove(a->pending));
        return;
    }
    a->sent = a->head_length;
    a->body = bytes;
    a->body_length = length;
    uv_poll_start(&a->pending->poll, UV_WRITABLE, on_writable);
}

/* Return whether a body follows. Also false when out of memory: then the answer has ended already. */
static bool begin(page_answer *a, const page_head *head)
{
    handshake *h = &a->pending->endpoint->verdict;
    const bool has_body = handshake_page_head(head, &a->request, h);

    a->is_given = true;
    a->head = malloc(h->answer_length);
    if (!a->head) {
        refuse(a, "503 Service Unavailable", "out of memory");
        return false;
    }
    memcpy(a->head, h->answer, h->answer_length);
    a->head_length = h->answer_length;
    return has_body;
}

static void start(page_answer *a)
{
    uv_timer_start(&a->pending->timer, on_late, a->pending->endpoint->settings.wait_ms, 0);
    uv_poll_start(&a->pending->poll, UV_WRITABLE, on_writable);
}

static void answer_bytes(page_answer *a, const page_head *head, const char *bytes, char *owned)
{
    a->owned = owned;
    if (begin(a, head)) {
        a->body = bytes;
        a->body_length = (size_t)head->length;
    } else if (!a->head) {
        return;
    }
    start(a);
}

void page_answer_static(page_answer *a, const page_head *head, const void *bytes)
{
    answer_bytes(a, head, bytes, NULL);
}

void page_answer_heap(page_answer *a, const page_head *head, char *bytes)
{
    if (bytes)
        answer_bytes(a, head, bytes, bytes);
    else
        page_answer_refuse(a, "503 Service Unavailable", "out of memory");
}

void page_answer_file(page_answer *a, const page_head *head, int fd)
{
    a->file = page_file_open(a->pending->endpoint->settings.loop, fd, head->length, a);
    if (!a->file) {
        page_answer_refuse(a, "503 Service Unavailable", "out of memory");
        return;
    }
    if (!begin(a, head)) {
        if (!a->head)
            return;
        page_file_close(a->file);
        a->file = NULL;
    }
    start(a);
}

void page_answer_refuse(page_answer *a, const char *status, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    a->is_given = true;
    refuse(a, status, text);
}

void page_answer_later(page_answer *a, void (*gone)(void *context), void *context)
{
    a->gone = gone;
    a->gone_context = context;
}

/* The request has been read completely: until the answer is ready only the timer runs. */
void endpoint_send_page(pending *p)
{
    endpoint *e = p->endpoint;

    p->answer.pending = p;
    p->answer.request = e->verdict.page;
    uv_poll_stop(&p->poll);
    uv_timer_start(&p->timer, on_late, e->settings.wait_ms, 0);
    e->settings.page(e->settings.context, &p->answer, &p->answer.request);
}
