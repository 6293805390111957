/* Whoever is in the outbox is called before the turn of the loop ends, wherever in the turn it came. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include <cmocka.h>

#include "ipc/outbox.h"

typedef struct sender {
    outbox_item item; /* first: the item is the sender */
    unsigned flushed;
    outbox_item *removes;
} sender;

typedef struct fixture {
    uv_loop_t loop;
    outbox *outbox;
    sender senders[3];
    uv_timer_t timer;
    uv_poll_t poll;
    uv_idle_t idle;
    int pair[2];
} fixture;

static void on_flush(outbox_item *item)
{
    sender *s = (sender *)item;

    assert_null(item->next);
    s->flushed++;
    if (s->removes)
        outbox_remove(s->removes);
}

static void add(fixture *f, size_t index)
{
    outbox_add(f->outbox, &f->senders[index].item);
}

static void on_timer(uv_timer_t *timer)
{
    add(timer->data, 0);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    uv_poll_stop(poll);
    add(poll->data, 0);
}

static void on_idle(uv_idle_t *idle)
{
    uv_idle_stop(idle);
    add(idle->data, 0);
}

static void on_closed(uv_handle_t *handle)
{
    add(handle->data, 0);
}

static int setup(void **state)
{
    static fixture f;

    f = (fixture){0};
    assert_int_equal(uv_loop_init(&f.loop), 0);
    f.outbox = outbox_create(&f.loop);
    assert_non_null(f.outbox);
    for (size_t i = 0; i < 3; i++)
        f.senders[i].item.flush = on_flush;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, f.pair), 0);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;

    outbox_close(f->outbox);
    uv_run(&f->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&f->loop), 0);
    close(f->pair[0]);
    close(f->pair[1]);
    return 0;
}

/* The loop has nothing else to do, so without the flush it would return at once, or sleep for ever. */
static void assert_flushed_in(fixture *f, uv_run_mode mode)
{
    f->senders[0].flushed = 0;
    uv_run(&f->loop, mode);
    assert_int_equal(f->senders[0].flushed, 1);
}

static void one_added_outside_of_a_turn_goes_in_the_next(void **state)
{
    fixture *f = *state;

    for (int again = 0; again < 2; again++) {
        add(f, 0);
        add(f, 0);
        assert_flushed_in(f, UV_RUN_NOWAIT);
        assert_int_equal(uv_run(&f->loop, UV_RUN_NOWAIT), 0); /* and keeps the loop no longer */
        assert_int_equal(f->senders[0].flushed, 1);
    }
}

static void one_added_by_a_descriptor_goes_in_that_turn(void **state)
{
    fixture *f = *state;

    uv_poll_init(&f->loop, &f->poll, f->pair[0]);
    f->poll.data = f;
    uv_poll_start(&f->poll, UV_READABLE, on_readable);
    assert_int_equal(write(f->pair[1], "x", 1), 1);
    assert_flushed_in(f, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&f->poll, NULL);
}

static void one_added_by_a_timer_goes_before_the_loop_sleeps(void **state)
{
    fixture *f = *state;

    uv_timer_init(&f->loop, &f->timer);
    f->timer.data = f;
    uv_timer_start(&f->timer, on_timer, 1, 0);
    assert_flushed_in(f, UV_RUN_DEFAULT);
    uv_close((uv_handle_t *)&f->timer, NULL);
}

static void one_added_by_an_idle_handle_goes_in_that_turn(void **state)
{
    fixture *f = *state;

    uv_idle_init(&f->loop, &f->idle);
    f->idle.data = f;
    uv_idle_start(&f->idle, on_idle);
    assert_flushed_in(f, UV_RUN_NOWAIT);
    uv_close((uv_handle_t *)&f->idle, NULL);
}

static void one_added_while_a_handle_closes_keeps_the_loop_alive(void **state)
{
    fixture *f = *state;

    uv_timer_init(&f->loop, &f->timer);
    f->timer.data = f;
    uv_close((uv_handle_t *)&f->timer, on_closed);
    assert_flushed_in(f, UV_RUN_DEFAULT);
}

static void one_that_is_removed_is_not_called(void **state)
{
    fixture *f = *state;

    for (size_t i = 0; i < 3; i++)
        add(f, i);
    outbox_remove(&f->senders[0].item);
    outbox_remove(&f->senders[0].item);
    f->senders[1].removes = &f->senders[2].item; /* from within a flush */
    uv_run(&f->loop, UV_RUN_NOWAIT);
    assert_int_equal(f->senders[0].flushed, 0);
    assert_int_equal(f->senders[1].flushed, 1);
    assert_int_equal(f->senders[2].flushed, 0);
    add(f, 2); /* as good as new */
    uv_run(&f->loop, UV_RUN_NOWAIT);
    assert_int_equal(f->senders[2].flushed, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_added_outside_of_a_turn_goes_in_the_next, setup, teardown),
        cmocka_unit_test_setup_teardown(one_added_by_a_descriptor_goes_in_that_turn, setup, teardown),
        cmocka_unit_test_setup_teardown(one_added_by_a_timer_goes_before_the_loop_sleeps, setup, teardown),
        cmocka_unit_test_setup_teardown(one_added_by_an_idle_handle_goes_in_that_turn, setup, teardown),
        cmocka_unit_test_setup_teardown(one_added_while_a_handle_closes_keeps_the_loop_alive, setup, teardown),
        cmocka_unit_test_setup_teardown(one_that_is_removed_is_not_called, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
