/* Doors that get the page: its answer goes out as fast as it is read, within the time of a handshake, and the connection
 * ends. The page itself is somebody else's, and so is what it says. See entrance.h. */
#include "ipc/entrance_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void on_page_late(uv_timer_t *timer)
{
    close(entrance_remove_door(timer->data));
}

/* False where the connection is broken. */
static bool send_more(door *d)
{
    while (d->answer_sent < d->answer_length) {
        ssize_t count =
            send(d->fd, d->answer + d->answer_sent, d->answer_length - d->answer_sent, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (count < 0 && errno != EINTR)
            return errno == EAGAIN || errno == EWOULDBLOCK;
        d->answer_sent += count > 0 ? (size_t)count : 0;
    }
    return true;
}

static void go_on(door *d)
{
    if (!send_more(d)) {
        close(entrance_remove_door(d));
    } else if (d->answer_sent == d->answer_length) {
        d->entrance->counters.pages++;
        entrance_part(entrance_remove_door(d));
    }
}

static void on_door_writable(uv_poll_t *poll, int status, int events)
{
    (void)status; /* whatever epoll has to say, send says it too */
    (void)events;
    go_on(poll->data);
}

/* Head and body in one block. False where there is no memory. */
static bool make_answer(door *d, const entrance_page *page)
{
    handshake *h = &d->entrance->verdict;
    const size_t body = h->head_only ? 0 : page->length;

    if (!page->bytes)
        return false;
    handshake_http_page(page->content_type, page->length, h);
    d->answer = malloc(h->answer_length + body);
    if (!d->answer)
        return false;
    memcpy(d->answer, h->answer, h->answer_length);
    memcpy(d->answer + h->answer_length, page->bytes, body);
    d->answer_length = h->answer_length + body;
    return true;
}

void entrance_send_page(door *d)
{
    entrance *e = d->entrance;
    entrance_page page = {0};
    bool made;

    e->settings.page(e->settings.context, &page);
    made = make_answer(d, &page);
    free(page.bytes);
    if (!made) {
        e->counters.refused++;
        handshake_http_no_page(&e->verdict);
        entrance_refuse(e, entrance_remove_door(d), &e->verdict);
        return;
    }
    uv_timer_start(&d->timer, on_page_late, e->settings.wait_ms, 0);
    uv_poll_start(&d->poll, UV_WRITABLE, on_door_writable);
    go_on(d);
}
