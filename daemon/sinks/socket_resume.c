/* Clients that come back: from what is kept of the session each gets what it has not, at the rate at which it reads, and
 * then goes on live. While it is behind, new events reach it through the history too, so there is neither gap nor
 * duplicate. What has left the history before its turn came is told by `lagged`. See socket.h. */
#include "sinks/socket_private.h"

/* Waiting for one client; below the smallest queue that can be set, so that nothing that is fed is dropped again. */
#define RESUME_WAITING_BYTES 32768
/* At once for one client, so that the others need not wait. */
#define RESUME_BATCH_EVENTS 256
#define RESUME_TICK_MS 2

/* One event further; false where it has come to the newest. */
static bool feed_one(client *c)
{
    socket_sink *s = c->sink;
    const clash_event *event = history_find(&s->history, c->next_seq);
    uint64_t seq = event ? event->seq : s->last_seq + 1;
    socket_lines lines = {.is_live = false};

    if (seq > c->next_seq)
        socket_tell_missed(c, c->next_seq, seq - 1);
    c->next_seq = seq;
    if (!event)
        return false;
    c->next_seq++;
    if (subscription_wants_event(&c->subscription, event))
        socket_send_event(c, event, &lines);
    socket_release_lines(&lines);
    return true;
}

static void feed(client *c)
{
    for (int i = 0; c->resuming && i < RESUME_BATCH_EVENTS; i++) {
        if (peer_waiting(c->peer) > RESUME_WAITING_BYTES)
            return;
        c->resuming = feed_one(c);
    }
}

static void on_tick(uv_timer_t *timer)
{
    socket_sink *s = timer->data;
    bool any = false;

    for (client *c = s->clients; c; c = c->next) {
        feed(c);
        any = any || c->resuming;
    }
    if (!any)
        uv_timer_stop(timer);
}

int socket_resume_open(socket_sink *s)
{
    s->resume_timer.data = s;
    return uv_timer_init(s->settings.loop, &s->resume_timer);
}

void socket_resume_rest(client *c)
{
    while (c->resuming)
        c->resuming = feed_one(c);
}

void socket_resume(client *c, uint64_t since_seq)
{
    socket_sink *s = c->sink;

    c->next_seq = since_seq + 1;
    c->resuming = true;
    feed(c);
    if (c->resuming && !uv_is_active((const uv_handle_t *)&s->resume_timer) &&
        uv_timer_start(&s->resume_timer, on_tick, RESUME_TICK_MS, RESUME_TICK_MS) != 0)
        socket_resume_rest(c); /* what its queue does not hold it is told of */
}
