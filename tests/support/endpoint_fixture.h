/* An endpoint on a loop of its own, for tests of one. */
#ifndef CLASHD_TESTS_ENDPOINT_FIXTURE_H
#define CLASHD_TESTS_ENDPOINT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "ipc/endpoint.h"

typedef struct fixture {
    uv_loop_t loop;
    endpoint *endpoint;
    failure error;
    size_t clients;
    bool out_of_memory;
} fixture;

static inline int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);

    *state = f;
    return f && uv_loop_init(&f->loop) == 0 ? 0 : -1;
}

static inline int tear_down(void **state)
{
    fixture *f = *state;

    endpoint_close(f->endpoint);
    uv_run(&f->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&f->loop), 0);
    free(f);
    return 0;
}

#endif
