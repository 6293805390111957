/* An idle handle that runs while work is left. See turns.h. */
#include "turns.h"

#include <stdlib.h>

/** A client that is gone and still owns something. */
typedef struct gone_client {
    struct gone_client *next;
    const void *client;
} gone_client;

struct turns {
    uv_idle_t idle;
    pipeline *pipeline;
    turns_user user;
    gone_client *gone;
    bool is_unfinished; /* a step is unfinished, and `finished` was not called for it yet */
    bool is_sources;    /* the source is next, not the waiting requests */
    bool is_held;       /* the source is held, and so are requests, */
    bool is_serving;    /* except the one being served */
    bool is_at_once;    /* finish everything without pausing */
    bool is_new;        /* it began in this turn, which has taken long enough */
};

static bool turn_is_over(const turns *t)
{
    return !t->is_at_once && uv_hrtime() / 1000000 >= uv_now(t->idle.loop) + TURNS_MS;
}

static void finish_step(turns *t)
{
    const bool was_unfinished = t->is_unfinished;

    t->is_unfinished = false;
    if (was_unfinished)
        t->user.finished(t->user.context);
}

/* Return false if something is left. */
static bool remove_all(const turns *t, const void *client)
{
    while (t->user.remove(t->user.context, client))
        if (turn_is_over(t))
            return false;
    return true;
}

/* Likewise. */
static bool remove_gone(turns *t)
{
    while (t->gone) {
        gone_client *first = t->gone;

        if (!remove_all(t, first->client))
            return false;
        t->gone = first->next;
        free(first);
    }
    return true;
}

/* Serve waiting requests, unless it is the source's turn. Return whether some still wait. */
static bool serve(turns *t)
{
    bool any = true;

    if (t->is_sources)
        return true;
    t->is_serving = true;
    while (any && !turns_are_taken(t) && !turn_is_over(t))
        any = t->user.serve(t->user.context);
    t->is_serving = false;
    t->is_sources = true;
    return any;
}

static void go_on(turns *t)
{
    bool any;

    if (pipeline_continue(t->pipeline))
        return;
    finish_step(t);
    if (t->is_unfinished || turn_is_over(t) || !remove_gone(t))
        return;
    any = serve(t);
    if (t->is_unfinished || t->gone || turn_is_over(t))
        return;
    t->is_sources = t->is_held = false;
    if (!any)
        uv_idle_stop(&t->idle);
    t->user.hold(t->user.context, false); /* may begin another step */
}

/* Continue new work only in the next turn, after others were served. */
static void on_idle(uv_idle_t *idle)
{
    turns *t = idle->data;

    if (!t->is_new)
        go_on(t);
    t->is_new = false;
}

static void begin(turns *t)
{
    t->is_held = t->is_new = true;
    t->user.hold(t->user.context, true);
    uv_idle_start(&t->idle, on_idle); /* fails only without a callback */
}

static bool on_pause(void *context)
{
    turns *t = context;

    if (!turn_is_over(t))
        return false;
    t->is_unfinished = true;
    begin(t);
    return true;
}

turns *turns_create(uv_loop_t *loop, pipeline *p, const turns_user *user)
{
    turns *t = calloc(1, sizeof *t);

    if (!t || uv_idle_init(loop, &t->idle) != 0) {
        free(t);
        return NULL;
    }
    t->idle.data = t;
    t->pipeline = p;
    t->user = *user;
    pipeline_set_pause_function(p, on_pause, t);
    return t;
}

bool turns_are_taken(const turns *t)
{
    return t->is_unfinished || t->gone || (t->is_held && !t->is_serving);
}

/* Remove them in the order in which they left; when out of memory, at once. */
void turns_client_gone(turns *t, const void *client)
{
    gone_client **at = &t->gone, *last;

    if (!turns_are_taken(t) && remove_all(t, client))
        return;
    last = malloc(sizeof *last);
    if (!last) {
        while (t->user.remove(t->user.context, client))
            continue;
        return;
    }
    *last = (gone_client){.client = client};
    while (*at)
        at = &(*at)->next;
    *at = last;
    begin(t);
}

void turns_end(turns *t)
{
    if (!t)
        return;
    t->is_at_once = true;
    pipeline_finish(t->pipeline);
    finish_step(t);
    remove_gone(t);
    t->is_held = false;
    uv_idle_stop(&t->idle);
}

static void on_closed(uv_handle_t *idle)
{
    free(idle->data);
}

void turns_close(turns *t)
{
    if (t)
        uv_close((uv_handle_t *)&t->idle, on_closed);
}
