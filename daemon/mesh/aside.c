/* A detached thread, and a handle that tells the loop of its end. Whoever of the two comes last frees what both know. See
 * aside.h. */
#include "mesh/aside.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

struct aside {
    aside_work work;
    uv_async_t *bell; /* the loop's: freed when it is closed */
    pthread_mutex_t lock;
    bool is_over, is_abandoned; /* under the lock */
};

static void free_bell(uv_handle_t *bell)
{
    free(bell);
}

static void free_aside(aside *a)
{
    pthread_mutex_destroy(&a->lock);
    free(a);
}

/* Whoever waits would wait for ever if nobody rang, so it is tried again. Under the lock: the bell is not closed meanwhile. */
static void ring(uv_async_t *bell)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    while (uv_async_send(bell) != 0)
        nanosleep(&pause, NULL);
}

static void *run(void *argument)
{
    aside *a = argument;
    bool is_abandoned;

    a->work.work(a->work.context);
    pthread_mutex_lock(&a->lock);
    a->is_over = true;
    is_abandoned = a->is_abandoned;
    if (!is_abandoned)
        ring(a->bell);
    pthread_mutex_unlock(&a->lock);
    if (is_abandoned) {
        a->work.drop(a->work.context);
        free_aside(a);
    }
    return NULL;
}

static void on_bell(uv_async_t *bell)
{
    aside *a = bell->data;
    const aside_work work = a->work;

    pthread_mutex_lock(&a->lock); /* until the thread has let go of it */
    pthread_mutex_unlock(&a->lock);
    uv_close((uv_handle_t *)bell, free_bell);
    free_aside(a);
    work.done(work.context);
}

static int start_thread(aside *a)
{
    pthread_attr_t attributes;
    pthread_t thread;
    int error = pthread_attr_init(&attributes);

    if (error != 0)
        return error;
    error = pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (error == 0)
        error = pthread_create(&thread, &attributes, run, a);
    pthread_attr_destroy(&attributes);
    return error;
}

aside *aside_start(uv_loop_t *loop, const aside_work *work)
{
    aside *a = calloc(1, sizeof *a);

    if (!a)
        return NULL;
    a->work = *work;
    a->bell = calloc(1, sizeof *a->bell);
    if (!a->bell || pthread_mutex_init(&a->lock, NULL) != 0) {
        free(a->bell);
        free(a);
        return NULL;
    }
    if (uv_async_init(loop, a->bell, on_bell) != 0) {
        free(a->bell);
        free_aside(a);
        return NULL;
    }
    a->bell->data = a;
    if (start_thread(a) == 0)
        return a;
    uv_close((uv_handle_t *)a->bell, free_bell);
    free_aside(a);
    return NULL;
}

void aside_abandon(aside *a)
{
    const aside_work work = a->work;
    uv_async_t *bell = a->bell;
    bool is_over;

    pthread_mutex_lock(&a->lock);
    a->is_abandoned = true;
    is_over = a->is_over;
    pthread_mutex_unlock(&a->lock);
    uv_close((uv_handle_t *)bell, free_bell);
    if (!is_over)
        return; /* the thread frees it, or has already */
    free_aside(a);
    work.drop(work.context);
}
