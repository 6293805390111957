/* Clients that reconnect: each gets the events it missed from the history, as fast as it reads, and then goes on live.
 * While it is behind, new events reach it through the history too, so there is neither gap nor duplicate. It gets
 * `lagged` for what left the history before its turn came. See server.h. */
#include "server_private.h"

/* Bytes that may wait for one client; less than the smallest possible queue, so that nothing sent from the history is
 * dropped. */
#define RESUME_WAITING_BYTES 32768
/* Work in one tick for all clients that reconnect, so that others need not wait: 256 events sent, or more that are only
 * looked at. Each client gets an equal share, but at least the least. */
#define RESUME_BATCH_COST 2048
#define RESUME_BATCH_LEAST 64
#define RESUME_SENT_COST 8
#define RESUME_TICK_MS 2

typedef enum step { STEP_END, STEP_PASSED, STEP_SENT } step;

static bool is_late(const clash_event *event)
{
    return event->kind == CLASH_EVENT_CLASH && event->as.clash.late;
}

/* Return whether the client has the event already. Of several late events with one number it has those up to the one it
 * named. */
static bool has_already(client *c, const clash_event *event, bool is_wanted)
{
    if (event->seq != c->since_seq || !is_late(event))
        return event->seq <= c->since_seq;
    if (c->since_late == 0)
        return false;
    if (is_wanted && event->id == c->since_late)
        c->since_late = 0;
    return true;
}

/* Return whether the event was sent. */
static bool take(client *c, const clash_event *event)
{
    const bool is_wanted = is_late(event) ? subscription_wants_late(&c->subscription, event)
                                          : subscription_wants_event(&c->subscription, event);
    server_lines lines = {.is_live = false};

    if (has_already(c, event, is_wanted) || !is_wanted)
        return false;
    server_send_event(c, event, &lines);
    server_release_lines(&lines);
    return true;
}

/* Go one event further. A late event has the number of the one before it, which therefore has come. */
static step feed_one(client *c)
{
    server *s = c->server;
    const clash_event *event;
    uint64_t seq;

    if (c->next_index < s->history.first)
        c->next_index = s->history.first;
    event = history_at(&s->history, c->next_index);
    seq = event ? event->seq + is_late(event) : s->last_seq + 1;
    if (seq > c->next_seq) {
        server_send_lagged(c, c->next_seq, seq - 1);
        c->next_seq = seq;
    }
    if (!event)
        return STEP_END;
    c->next_index++;
    c->next_seq += event->seq == c->next_seq;
    return take(c, event) ? STEP_SENT : STEP_PASSED;
}

static void feed(client *c, int limit)
{
    for (int cost = 0; c->resuming && cost < limit;) {
        step done;

        if (peer_waiting(c->peer) > RESUME_WAITING_BYTES)
            return;
        done = feed_one(c);
        c->resuming = done != STEP_END;
        cost += done == STEP_SENT ? RESUME_SENT_COST : 1;
    }
}

/* Return 0 if nobody reconnects. */
static int share_of_each(const server *s)
{
    int count = 0;

    for (const client *c = s->clients; c; c = c->next)
        count += c->resuming;
    if (count == 0)
        return 0;
    return RESUME_BATCH_COST / count > RESUME_BATCH_LEAST ? RESUME_BATCH_COST / count : RESUME_BATCH_LEAST;
}

static void on_tick(uv_timer_t *timer)
{
    server *s = timer->data;
    const int share = share_of_each(s);

    if (share == 0)
        uv_timer_stop(timer);
    for (client *c = s->clients; c; c = c->next)
        feed(c, share);
}

int server_resume_open(server *s)
{
    s->resume_timer.data = s;
    return uv_timer_init(s->settings.loop, &s->resume_timer);
}

void server_resume_rest(client *c)
{
    while (c->resuming)
        c->resuming = feed_one(c) != STEP_END;
}

/* A subscription that depends on earlier events looks at all that is kept, from the oldest on, so that it knows what it
 * reported. */
void server_resume(client *c)
{
    server *s = c->server;
    const protocol_subscribe *wanted = &c->subscription.wanted;

    c->since_seq = wanted->since_seq;
    c->since_late = wanted->since_late;
    c->next_seq = wanted->since_seq + 1;
    c->next_index =
        subscription_remembers(&c->subscription) ? s->history.first : history_index(&s->history, c->next_seq);
    c->resuming = true;
    feed(c, share_of_each(s));
    if (c->resuming && !uv_is_active((const uv_handle_t *)&s->resume_timer) &&
        uv_timer_start(&s->resume_timer, on_tick, RESUME_TICK_MS, RESUME_TICK_MS) != 0)
        server_resume_rest(c); /* what its queue cannot hold is reported as lagged */
}
