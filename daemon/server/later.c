/* Pushes that are answered later, and requests that have to wait for their turn. What their client asks meanwhile has to wait, so
 * that replies come in order and poses follow what they are for: its peer is not read, and what has come already is kept. See
 * socket.h. */
#include "socket_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct definition_line {
    definition_line *next;
    size_t length;
    char text[];
};

void socket_wait(client *c, const char *id)
{
    c->is_waiting = true;
    snprintf(c->waiting_id, sizeof c->waiting_id, "%s", id);
    peer_hold(c->peer, true);
}

/* Where there is no memory it is better to have no connection than replies that are missing. */
static void keep_line(client *c, definition_line **at, const char *line, size_t length)
{
    definition_line *kept = malloc(sizeof *kept + length);

    if (!kept) {
        peer_finish(c->peer);
        return;
    }
    kept->next = *at;
    kept->length = length;
    memcpy(kept->text, line, length);
    *at = kept;
}

/* A few messages of WebSocket at most: see peer_hold. */
void socket_keep_line(client *c, const char *line, size_t length)
{
    definition_line **at = &c->kept;

    while (*at)
        at = &(*at)->next;
    keep_line(c, at, line, length);
}

void socket_line_up(client *c, const char *line, size_t length)
{
    client **at = &c->sink->line_up;

    while (*at)
        at = &(*at)->next_in_line;
    *at = c;
    c->next_in_line = NULL;
    c->is_in_line = true;
    keep_line(c, &c->kept, line, length);
    socket_wait(c, "");
}

void socket_leave_line(client *c)
{
    for (client **at = &c->sink->line_up; c->is_in_line && *at; at = &(*at)->next_in_line)
        if (*at == c) {
            *at = c->next_in_line;
            break;
        }
    c->is_in_line = false;
}

static definition_line *take_kept(client *c)
{
    definition_line *kept = c->kept;

    if (kept)
        c->kept = kept->next;
    return kept;
}

void socket_forget_lines(client *c)
{
    for (definition_line *kept; (kept = take_kept(c));)
        free(kept);
}

/* Carries out what it has asked since. */
static void go_on(client *c)
{
    socket_sink *s = c->sink;
    definition_line *kept;

    c->is_waiting = false;
    while (!c->is_waiting && (kept = take_kept(c))) {
        socket_on_line(s, c->peer, kept->text, kept->length);
        free(kept);
    }
    if (c->is_waiting)
        return;
    if (c->is_leaving)
        socket_leave(c);
    peer_hold(c->peer, false);
}

static void answer(client *c, const protocol_error *error)
{
    if (error)
        socket_send_error(c, c->waiting_id, error);
    else
        socket_send_ok(c, c->waiting_id);
    go_on(c);
}

void socket_sink_pushed(socket_sink *s, const void *which, const protocol_error *error)
{
    client *c = s->clients;

    while (c && c != which)
        c = c->next;
    if (!c || s->closing || !c->is_waiting || c->is_in_line || c->is_reloading)
        return;
    answer(c, error);
}

/* Who asks again while it is answered waits for the next reload, also if that has begun already. */
void socket_sink_reloaded(socket_sink *s, const protocol_error *error)
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

bool socket_sink_serve(socket_sink *s)
{
    client *c = s->line_up;

    if (!c || s->closing)
        return false;
    socket_leave_line(c);
    s->served = c;
    go_on(c);
    s->served = NULL;
    return s->line_up != NULL;
}
