/* Requests that are answered later or wait for their turn. Until then the client's next lines wait too, so that replies
 * stay in order and poses follow the definitions they need: its peer is not read, and what has already arrived is kept.
 * See server.h. */
#include "server_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kept_line {
    kept_line *next;
    size_t length;
    char text[];
};

void server_wait(client *c, const char *id)
{
    c->is_waiting = true;
    snprintf(c->waiting_id, sizeof c->waiting_id, "%s", id);
    peer_hold(c->peer, true);
}

/* Without memory close the connection: that is better than a missing reply. */
static void keep_line(client *c, kept_line **at, const char *line, size_t length)
{
    kept_line *kept = malloc(sizeof *kept + length);

    if (!kept) {
        peer_finish(c->peer);
        return;
    }
    kept->next = *at;
    kept->length = length;
    memcpy(kept->text, line, length);
    *at = kept;
}

/* At most a few WebSocket messages: see peer_hold. */
void server_keep_line(client *c, const char *line, size_t length)
{
    kept_line **at = &c->kept;

    while (*at)
        at = &(*at)->next;
    keep_line(c, at, line, length);
}

void server_queue_request(client *c, const char *line, size_t length)
{
    c->is_queued = true;
    keep_line(c, &c->kept, line, length);
    server_wait(c, "");
}

static kept_line *take_kept(client *c)
{
    kept_line *kept = c->kept;

    if (kept)
        c->kept = kept->next;
    return kept;
}

void server_forget_lines(client *c)
{
    for (kept_line *kept; (kept = take_kept(c));)
        free(kept);
}

/* Carry out what the client sent meanwhile. */
static void go_on(client *c)
{
    server *s = c->server;
    kept_line *kept;

    c->is_waiting = false;
    while (!c->is_waiting && (kept = take_kept(c))) {
        server_on_line(s, c->peer, kept->text, kept->length);
        free(kept);
    }
    if (c->is_waiting)
        return;
    if (c->is_leaving)
        server_leave(c);
    peer_hold(c->peer, false);
}

static void answer(client *c, const protocol_error *error)
{
    if (error)
        server_send_error(c, c->waiting_id, error);
    else if (c->waiting_gap_ms > 0.0)
        server_send_fed(c, c->waiting_id, c->waiting_gap_ms);
    else
        server_send_ok(c, c->waiting_id);
    go_on(c);
}

static client *find_client(const server *s, const void *which)
{
    client *c = s->clients;

    while (c && c != which)
        c = c->next;
    return c;
}

void server_pushed(server *s, const void *which, const protocol_error *error)
{
    client *c = find_client(s, which);

    if (!c || s->closing || !c->is_waiting || c->is_queued || c->is_reloading)
        return;
    answer(c, error);
}

/* A client that asks again from within its answer waits for the next reload, even if that has begun. */
void server_reloaded(server *s, const protocol_error *error)
{
    for (client *c = s ? s->clients : NULL; c; c = c->next) {
        c->is_reloaded = c->is_reloading;
        c->is_reloading = false;
    }
    for (client *c = s && !s->closing ? s->clients : NULL; c; c = c->next) {
        if (c->is_reloaded)
            answer(c, error);
        c->is_reloaded = false;
    }
}

void server_serve(server *s, const void *which)
{
    client *c = find_client(s, which);

    if (!c || s->closing || !c->is_queued)
        return;
    c->is_queued = false;
    go_on(c);
}
