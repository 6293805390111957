/* Work too long for the loop, on a thread of its own. Unlike libuv's threads it need not be waited for: at the end of
 * the process it is left behind. */
#ifndef CLASHD_MESH_WORKER_H
#define CLASHD_MESH_WORKER_H

#include <uv.h>

typedef struct worker worker;

typedef struct worker_job {
    void *context;
    /** Runs on the other thread. */
    void (*work)(void *context);
    /** Called afterwards, on the loop's thread. */
    void (*done)(void *context);
    /** Called instead of done if it was abandoned and work has returned: nothing uses the context any more. On either
     *  thread. */
    void (*drop)(void *context);
} worker_job;

/** Start. NULL, and nothing is called, if there is no memory or no thread. Keeps the loop alive until done. */
worker *worker_start(uv_loop_t *loop, const worker_job *work);
/** Abandon before `done`, on the loop's thread. Does not wait; run the loop once more before closing it. */
void worker_abandon(worker *w);

#endif
