/* Work that takes longer than the loop may wait, on a thread of its own. Unlike libuv's it need not be waited for: at the
 * end of the process it is left behind. */
#ifndef CLASHD_MESH_WORKER_H
#define CLASHD_MESH_WORKER_H

#include <uv.h>

typedef struct worker worker;

typedef struct worker_job {
    void *context;
    /** On the other thread. */
    void (*work)(void *context);
    /** Afterwards, on the loop's. */
    void (*done)(void *context);
    /** Instead of done, where it was abandoned and work has returned: nothing uses the context any more. On either thread. */
    void (*drop)(void *context);
} worker_job;

/** Begins. NULL, and nothing is called, if there is no memory or no thread. Keeps the loop alive until done. */
worker *worker_start(uv_loop_t *loop, const worker_job *work);
/** Before done has been called, on the loop's thread. Does not wait; the loop has to run once more before it is closed. */
void worker_abandon(worker *w);

#endif
