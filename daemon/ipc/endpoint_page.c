/* Connections that get the page: its answer goes out as fast as it is read, within the time of a handshake, and the connection
 * ends. Whoever opened the endpoint makes the page and says what it is. See endpoint.h. */
#include "ipc/endpoint_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void on_page_late(uv_timer_t *timer)
{
    close(endpoint_remove(timer->data));
}

/* False if the connection is broken. */
static bool send_more(pending *p)
{
    while (p->answer_sent < p->answer_length) {
        ssize_t count =
            send(p->fd, p->answer + p->answer_sent, p->answer_length - p->answer_sent, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (count < 0 && errno != EINTR)
            return errno == EAGAIN || errno == EWOULDBLOCK;
        p->answer_sent += count > 0 ? (size_t)count : 0;
    }
    return true;
}

static void go_on(pending *p)
{
    if (!send_more(p)) {
        close(endpoint_remove(p));
    } else if (p->answer_sent == p->answer_length) {
        p->endpoint->counters.pages++;
        endpoint_close_drained(endpoint_remove(p));
    }
}

static void on_writable(uv_poll_t *poll, int status, int events)
{
    (void)status; /* whatever epoll has to say, send says it too */
    (void)events;
    go_on(poll->data);
}

/* Head and body in one block. False if there is no memory. */
static bool make_answer(pending *p, const endpoint_page *page)
{
    handshake *h = &p->endpoint->verdict;
    const size_t body = h->head_only ? 0 : page->length;

    if (!page->bytes)
        return false;
    handshake_http_page(page->content_type, page->length, h);
    p->answer = malloc(h->answer_length + body);
    if (!p->answer)
        return false;
    memcpy(p->answer, h->answer, h->answer_length);
    memcpy(p->answer + h->answer_length, page->bytes, body);
    p->answer_length = h->answer_length + body;
    return true;
}

void endpoint_send_page(pending *p)
{
    endpoint *e = p->endpoint;
    endpoint_page page = {0};
    bool made;

    e->settings.page(e->settings.context, &page);
    made = make_answer(p, &page);
    free(page.bytes);
    if (!made) {
        e->counters.refused++;
        handshake_http_no_page(&e->verdict);
        endpoint_refuse(e, endpoint_remove(p), &e->verdict);
        return;
    }
    uv_timer_start(&p->timer, on_page_late, e->settings.wait_ms, 0);
    uv_poll_start(&p->poll, UV_WRITABLE, on_writable);
    go_on(p);
}
