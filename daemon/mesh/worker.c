/* A detached thread, and a handle that tells the loop of its end. Whichever of the two is last frees what they share.
 * See worker.h. */
#include "mesh/worker.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

struct worker {
    worker_job work;
    uv_async_t *bell; /* the loop's; freed when closed */
    pthread_mutex_t lock;
    bool is_over, is_abandoned; /* under the lock */
};

static void free_bell(uv_handle_t *bell)
{
    free(bell);
}

static void free_worker(worker *w)
{
    pthread_mutex_destroy(&w->lock);
    free(w);
}

/* Try again until it works: whoever waits would wait for ever. Call under the lock, so that the bell is not closed
 * meanwhile. */
static void ring(uv_async_t *bell)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    while (uv_async_send(bell) != 0)
        nanosleep(&pause, NULL);
}

static void *run(void *argument)
{
    worker *w = argument;
    bool is_abandoned;

    w->work.work(w->work.context);
    pthread_mutex_lock(&w->lock);
    w->is_over = true;
    is_abandoned = w->is_abandoned;
    if (!is_abandoned)
        ring(w->bell);
    pthread_mutex_unlock(&w->lock);
    if (is_abandoned) {
        w->work.drop(w->work.context);
        free_worker(w);
    }
    return NULL;
}

static void on_bell(uv_async_t *bell)
{
    worker *w = bell->data;
    const worker_job work = w->work;

    pthread_mutex_lock(&w->lock); /* until the thread has let go of it */
    pthread_mutex_unlock(&w->lock);
    uv_close((uv_handle_t *)bell, free_bell);
    free_worker(w);
    work.done(work.context);
}

static int start_thread(worker *w)
{
    pthread_attr_t attributes;
    pthread_t thread;
    int error = pthread_attr_init(&attributes);

    if (error != 0)
        return error;
    error = pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (error == 0)
        error = pthread_create(&thread, &attributes, run, w);
    pthread_attr_destroy(&attributes);
    return error;
}

worker *worker_start(uv_loop_t *loop, const worker_job *work)
{
    worker *w = calloc(1, sizeof *w);

    if (!w)
        return NULL;
    w->work = *work;
    w->bell = calloc(1, sizeof *w->bell);
    if (!w->bell || pthread_mutex_init(&w->lock, NULL) != 0) {
        free(w->bell);
        free(w);
        return NULL;
    }
    if (uv_async_init(loop, w->bell, on_bell) != 0) {
        free(w->bell);
        free_worker(w);
        return NULL;
    }
    w->bell->data = w;
    if (start_thread(w) == 0)
        return w;
    uv_close((uv_handle_t *)w->bell, free_bell);
    free_worker(w);
    return NULL;
}

void worker_abandon(worker *w)
{
    const worker_job work = w->work;
    uv_async_t *bell = w->bell;
    bool is_over;

    pthread_mutex_lock(&w->lock);
    w->is_abandoned = true;
    is_over = w->is_over;
    pthread_mutex_unlock(&w->lock);
    uv_close((uv_handle_t *)bell, free_bell);
    if (!is_over)
        return; /* the thread frees it, or has already */
    free_worker(w);
    work.drop(work.context);
}
