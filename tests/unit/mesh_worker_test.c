/* Work on a thread of its own: done, or abandoned at any time, its context is given back once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <unistd.h>

#include "mesh/worker.h"

typedef struct labour {
    uv_sem_t begun, may_end, dropped_sem;
    int done, dropped;
} labour;

static void labour_on(void *context)
{
    uv_sem_post(&((labour *)context)->begun);
    uv_sem_wait(&((labour *)context)->may_end);
}

static void on_labour_done(void *context)
{
    ((labour *)context)->done++;
}

static void on_labour_dropped(void *context)
{
    ((labour *)context)->dropped++;
    uv_sem_post(&((labour *)context)->dropped_sem);
}

/* Abandoned in the midst of it, and when it is over but has not been told. */
static void work_aside_is_done_or_dropped(void **state)
{
    labour l = {.done = 0};
    const worker_job work = {.context = &l, .work = labour_on, .done = on_labour_done, .drop = on_labour_dropped};
    uv_loop_t loop;
    worker *w;

    (void)state;
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(uv_sem_init(&l.begun, 0) | uv_sem_init(&l.may_end, 0) | uv_sem_init(&l.dropped_sem, 0), 0);
    assert_non_null(worker_start(&loop, &work));
    uv_sem_post(&l.may_end);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(l.done, 1);
    uv_sem_wait(&l.begun);
    w = worker_start(&loop, &work);
    uv_sem_wait(&l.begun);
    worker_abandon(w);
    assert_int_equal(l.dropped, 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_sem_post(&l.may_end);
    uv_sem_wait(&l.dropped_sem);
    w = worker_start(&loop, &work);
    uv_sem_post(&l.may_end);
    usleep(20000);
    worker_abandon(w);
    uv_sem_wait(&l.dropped_sem);
    assert_int_equal(l.done, 1);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_aside_is_done_or_dropped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
