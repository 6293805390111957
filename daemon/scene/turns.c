/* An idle handle that runs while there is something to go on with. See turns.h. */
#include "turns.h"

#include <stdlib.h>

/** A client of which something is left. */
typedef struct leaver {
    struct leaver *next;
    const void *client;
} leaver;

struct turns {
    uv_idle_t idle;
    pipeline *pipeline;
    turns_user user;
    leaver *leavers;
    bool is_unfinished; /* a step has been left so, and nobody has been told yet that it is over */
    bool is_sources;    /* the next turn: of those two */
    bool is_held;       /* the source is, and so is everybody.. */
    bool is_serving;    /* .. but for those who are served */
    bool is_at_once;    /* nothing is done in parts any more */
    bool is_new;        /* it has begun in this turn, which has taken long enough */
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

/* False if something is left. */
static bool remove_all(const turns *t, const void *client)
{
    while (t->user.remove(t->user.context, client))
        if (turn_is_over(t))
            return false;
    return true;
}

/* Likewise. */
static bool remove_leavers(turns *t)
{
    while (t->leavers) {
        leaver *first = t->leavers;

        if (!remove_all(t, first->client))
            return false;
        t->leavers = first->next;
        free(first);
    }
    return true;
}

/* Before the source, if that was before them. Whether some still wait. */
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
    if (t->is_unfinished || turn_is_over(t) || !remove_leavers(t))
        return;
    any = serve(t);
    if (t->is_unfinished || t->leavers || turn_is_over(t))
        return;
    t->is_sources = t->is_held = false;
    if (!any)
        uv_idle_stop(&t->idle);
    t->user.hold(t->user.context, false); /* which may begin another step */
}

/* Whatever begins is gone on with after the others have been heard. */
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
    return t->is_unfinished || t->leavers || (t->is_held && !t->is_serving);
}

/* In the order in which they have gone. Without memory for that it is done at once. */
void turns_client_gone(turns *t, const void *client)
{
    leaver **at = &t->leavers, *last;

    if (!turns_are_taken(t) && remove_all(t, client))
        return;
    last = malloc(sizeof *last);
    if (!last) {
        while (t->user.remove(t->user.context, client))
            continue;
        return;
    }
    *last = (leaver){.client = client};
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
    remove_leavers(t);
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
