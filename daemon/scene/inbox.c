#include "inbox.h"

#include <stdlib.h>

typedef struct queued_task {
    struct queued_task *next;
    inbox_task task;
} queued_task;

struct inbox {
    uv_idle_t idle; /* runs while anything is left */
    pipeline *world;
    void (*hold)(void *context, bool is_held);
    void *hold_context;
    queued_task *first;  /* in the order of arrival */
    queued_task *after;  /* once the unfinished step has ended */
    queued_task release; /* the source's turn; in the queue while the source is held */
    bool is_held;        /* the source is, */
    bool is_unfinished;  /* a step is, or it has ended and `after` has not run yet */
    bool is_running;     /* a task is, */
    bool has_turn;       /* and it has changed nothing yet */
    bool is_new;         /* it began in this turn, which has taken long enough */
    bool is_at_once;     /* from inbox_end on: do everything without pausing */
};

static bool turn_is_over(const inbox *i)
{
    return !i->is_at_once && uv_hrtime() / 1000000 >= uv_now(i->idle.loop) + INBOX_TURN_MS;
}

/* ---- lists of tasks ---- */

static void append(queued_task **list, queued_task *task)
{
    while (*list)
        list = &(*list)->next;
    task->next = NULL;
    *list = task;
}

static queued_task *make(const inbox_task *task)
{
    queued_task *made = malloc(sizeof *made);

    if (made)
        *made = (queued_task){.task = *task};
    return made;
}

static void drop(inbox *i, queued_task *task)
{
    if (task != &i->release)
        free(task);
}

void inbox_forget(inbox *i, bool (*run)(void *context, const void *subject, int64_t number), const void *subject)
{
    queued_task **const lists[] = {i ? &i->first : NULL, i ? &i->after : NULL};

    for (size_t k = 0; i && k < 2; k++)
        for (queued_task **at = lists[k]; *at;) {
            queued_task *task = *at;

            if (task->task.run != run || task->task.subject != subject) {
                at = &task->next;
                continue;
            }
            *at = task->next;
            drop(i, task);
        }
}

/* ---- running them ---- */

/* Run a task as far as this turn goes. Return false if more of it is left. */
static bool run(inbox *i, const inbox_task *task)
{
    const bool was_running = i->is_running;
    bool is_done;

    i->is_running = i->has_turn = true;
    do {
        is_done = task->run(task->context, task->subject, task->number);
    } while (!is_done && !i->is_unfinished && !turn_is_over(i));
    i->is_running = was_running;
    i->has_turn = false;
    return is_done;
}

static void finish_step(inbox *i)
{
    queued_task *after = i->after, *next;

    i->is_unfinished = false;
    i->after = NULL;
    for (; after; after = next) {
        next = after->next;
        after->task.run(after->task.context, after->task.subject, after->task.number);
        free(after);
    }
}

/* A task may begin a step, put others, or make the inbox forget any that waits. */
static void run_waiting(inbox *i)
{
    while (i->first && !i->is_unfinished && !turn_is_over(i)) {
        queued_task *task = i->first;

        i->first = task->next;
        if (!run(i, &task->task)) {
            task->next = i->first;
            i->first = task;
            return;
        }
        drop(i, task);
    }
}

/* Continue new work only in the next turn, after others were served. */
static void on_idle(uv_idle_t *idle)
{
    inbox *i = idle->data;

    if (i->is_new) {
        i->is_new = false;
        return;
    }
    if (pipeline_continue(i->world))
        return;
    finish_step(i);
    if (!turn_is_over(i))
        run_waiting(i);
    if (!i->first && !i->is_unfinished)
        uv_idle_stop(&i->idle);
}

/* The source's turn. What it has ready may begin a step. */
static bool release_source(void *context, const void *subject, int64_t number)
{
    inbox *i = context;

    (void)subject, (void)number;
    i->is_held = false;
    i->hold(i->hold_context, false);
    return true;
}

static void begin(inbox *i)
{
    i->is_new = true;
    if (!i->is_held) {
        i->is_held = true;
        append(&i->first, &i->release);
        i->hold(i->hold_context, true);
    }
    uv_idle_start(&i->idle, on_idle); /* fails only without a callback */
}

static bool on_pause(void *context)
{
    inbox *i = context;

    if (!turn_is_over(i))
        return false;
    i->is_unfinished = true;
    begin(i);
    return true;
}

/* ---- what users call ---- */

inbox *inbox_create(uv_loop_t *loop, pipeline *world, void (*hold)(void *context, bool is_held), void *context)
{
    inbox *i = calloc(1, sizeof *i);

    if (!i || uv_idle_init(loop, &i->idle) != 0) {
        free(i);
        return NULL;
    }
    i->idle.data = i;
    i->world = world;
    i->hold = hold;
    i->hold_context = context;
    i->release.task = (inbox_task){.run = release_source, .context = i};
    pipeline_set_pause_function(world, on_pause, i);
    return i;
}

bool inbox_is_idle(const inbox *i)
{
    return !i->is_unfinished && !i->first && !i->is_running;
}

bool inbox_take_turn(inbox *i)
{
    const bool has_turn = i->has_turn && !i->is_unfinished;

    i->has_turn = false;
    return has_turn || (!i->is_unfinished && !i->first);
}

bool inbox_put(inbox *i, const inbox_task *task)
{
    queued_task *waiting;

    if (inbox_is_idle(i) || i->is_at_once) {
        if (run(i, task)) {
            if (i->first)
                begin(i);
            return true;
        }
    }
    waiting = make(task);
    if (!waiting)
        return false;
    append(&i->first, waiting);
    if (!i->is_running)
        begin(i);
    return true;
}

bool inbox_after_step(inbox *i, const inbox_task *task)
{
    queued_task *waiting = i->is_unfinished ? make(task) : NULL;

    if (waiting) {
        append(&i->after, waiting);
        return true;
    }
    if (i->is_unfinished) {
        pipeline_finish(i->world);
        finish_step(i);
    }
    return false;
}

void inbox_end(inbox *i)
{
    queued_task *task;

    if (!i)
        return;
    i->is_at_once = true;
    pipeline_finish(i->world);
    finish_step(i);
    while ((task = i->first)) {
        i->first = task->next;
        if (task->task.is_for_end)
            run(i, &task->task);
        drop(i, task);
    }
    uv_idle_stop(&i->idle);
}

static void on_closed(uv_handle_t *idle)
{
    free(idle->data);
}

void inbox_close(inbox *i)
{
    if (i)
        uv_close((uv_handle_t *)&i->idle, on_closed);
}
