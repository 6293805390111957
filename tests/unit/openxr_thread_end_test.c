/* The OpenXR source whose thread the runtime ends. A process of its own: what the thread had open in the runtime stays so. */
#include "support/openxr_stage.h"

/* Told apart from a runtime that hangs: it is not waited for, not even at the end. */
static void a_thread_that_ends_is_noticed(void **state)
{
    probe *p;

    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* the sanitizer waits for ever for a thread that ended without telling it */
#endif
    stage_set_up("thread_end@400ms");
    p = stage_start();
    stage_wait_flags(p, 0, STAGE_LEFT, STAGE_TRACKED);
    assert_false(probe_status(p).dead);
    probe_wait_lost(p, 0, STAGE_LEFT, CLASH_TRACKING_RUNTIME_STALLED);
    probe_wait_lost(p, 0, STAGE_RIGHT, CLASH_TRACKING_RUNTIME_STALLED);
    assert_true(probe_status(p).dead);
    assert_string_equal(probe_status(p).state, "stalled");
    assert_non_null(strstr(probe_status(p).detail, "its thread has ended"));
    for (int i = 0; i < 5; i++) /* it is said once */
        uv_run(&p->loop, UV_RUN_ONCE);
    assert_int_equal(probe_logged(p, "E openxr: its thread has ended"), 1);
    probe_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_that_ends_is_noticed),
    };

    return cmocka_run_group_tests_name("openxr thread end", tests, stage_open, stage_close);
}
