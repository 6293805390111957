/* Pushes that are answered later. What their client asks meanwhile has to wait, so that replies come in order and poses follow what
 * they are for: its peer is not read, and what has come already is kept. See socket.h. */
#include "socket_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kept_line {
    kept_line *next;
    size_t length;
    char text[];
};

void socket_wait(client *c, const char *id)
{
    c->is_waiting = true;
    snprintf(c->waiting_id, sizeof c->waiting_id, "%s", id);
    peer_hold(c->peer, true);
}

/* A few messages of WebSocket at most: see peer_hold. Where there is no memory it is better to have no connection than replies
 * that are missing. */
void socket_keep_line(client *c, const char *line, size_t length)
{
    kept_line **at = &c->kept, *kept = malloc(sizeof *kept + length);

    if (!kept) {
        peer_finish(c->peer);
        return;
    }
    kept->next = NULL;
    kept->length = length;
    memcpy(kept->text, line, length);
    while (*at)
        at = &(*at)->next;
    *at = kept;
}

static kept_line *take_kept(client *c)
{
    kept_line *kept = c->kept;

    if (kept)
        c->kept = kept->next;
    return kept;
}

void socket_forget_lines(client *c)
{
    for (kept_line *kept; (kept = take_kept(c));)
        free(kept);
}

void socket_sink_pushed(socket_sink *s, const void *which, const protocol_error *error)
{
    client *c = s->clients;
    kept_line *kept;

    while (c && c != which)
        c = c->next;
    if (!c || s->closing)
        return;
    c->is_waiting = false;
    if (error)
        socket_send_error(c, c->waiting_id, error);
    else
        socket_send_ok(c, c->waiting_id);
    while (!c->is_waiting && (kept = take_kept(c))) {
        socket_on_line(s, c->peer, kept->text, kept->length);
        free(kept);
    }
    if (!c->is_waiting)
        peer_hold(c->peer, false);
}
