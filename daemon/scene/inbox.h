/* The inbox: all that changes the session, in the order of arrival: requests that must wait, clients' departures, targets whose
 * files are read, changed settings. Only the inbox knows that a step of tens of thousands of touching pairs pauses: the step
 * continues, a few milliseconds in each turn of the loop, before the next task is taken. Meanwhile requests that change nothing
 * are answered at once, and the source delivers nothing; its turn comes in the order of arrival too.
 *
 * The queue is bounded by its users: at most one request and two departures of each client, a target of each client, a reload.
 * Loop's thread. */
#ifndef CLASHD_SCENE_INBOX_H
#define CLASHD_SCENE_INBOX_H

#include "pipeline/pipeline.h"

#include <uv.h>

/** Time in each turn of the loop, ms; sending lines to clients may take as long. */
#define INBOX_TURN_MS 4

typedef struct inbox inbox;

/** Something to do. */
typedef struct inbox_task {
    /** Do it, or a part of it. Return false if more is left: then it is called again, in a later turn if this one is over. */
    bool (*run)(void *context, const void *subject, int64_t number);
    void *context;
    const void *subject; /* with `run` it identifies the task */
    int64_t number;
    bool is_for_end; /* inbox_end runs it too */
} inbox_task;

/** Create, and let the world's steps pause. `hold` says whether the source must wait; releasing it may begin a step at once. The
 *  loop and the world must outlive the inbox. Return NULL when out of memory or of handles. */
inbox *inbox_create(uv_loop_t *loop, pipeline *world, void (*hold)(void *context, bool is_held), void *context);
/** Return whether no step is unfinished and no task waits. */
bool inbox_is_idle(const inbox *i);
/** Return whether the caller may change the session now: the inbox is idle, or it runs a task and that task has changed nothing
 *  yet. If not, put a task that does it later. */
bool inbox_take_turn(inbox *i);
/** Run the task at once if the inbox is idle, else after all that came before. Return false when out of memory: then it is not
 *  run. */
bool inbox_put(inbox *i, const inbox_task *task);
/** If a step is unfinished, return true and run the task when the step has ended, before any other. Else return false: the caller
 *  does it itself. When out of memory the step is ended at once. */
bool inbox_after_step(inbox *i, const inbox_task *task);
/** Remove all waiting tasks of that function and subject. Accepts NULL. */
void inbox_forget(inbox *i, bool (*run)(void *context, const void *subject, int64_t number), const void *subject);
/** End the unfinished step, run the tasks that are for the end, drop the others, and from now on run everything at once. Accepts
 *  NULL. */
void inbox_end(inbox *i);
/** Close after inbox_end; frees itself once the loop has run. Accepts NULL. */
void inbox_close(inbox *i);

#endif
