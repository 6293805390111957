/* How a peer ends, and what does not end it: stalls, slowness, half and whole closes. */
#include "support/peer_pair.h"

static void one_without_progress_is_closed_and_named(void **state)
{
    fixture f;
    char expected[64];

    (void)state;
    start(&f, (peer_settings){.queue_bytes = 10000, .stall_ms = 200});
    block(&f);
    for (uint64_t seq = 1; seq <= 200; seq++)
        send_event(&f, 1000 + seq, 0, 0);
    uint64_t dropped = peer_dropped(f.peers[0]);
    WAIT_UNTIL(&f.loop, !f.peers[0]);
    assert_int_equal(f.ends[0], PEER_END_STALLED);
    assert_int_equal(f.counters.stalled, 1);
    assert_int_equal(f.log.count, 1);
    snprintf(expected, sizeof expected, "pid %ld (", (long)getpid());
    assert_non_null(strstr(f.log.last, expected));
    assert_non_null(strstr(f.log.last, "(peer_end_test)"));
    snprintf(expected, sizeof expected, "%llu events were dropped", (unsigned long long)dropped);
    assert_non_null(strstr(f.log.last, expected));
    assert_non_null(f.peers[1]);
    send_event(&f, 1, 1, 1);
    assert_is_event(line_client_wait(&f.clients[1], &f.loop), 1);
    stop(&f);
}

/* Slow is not stalled, although its socket becomes writable only every 20 reads or so, longer than a stall may last. At
 * most one tick of the watch falls between two reads, whatever the machine does. */
static void one_that_reads_slowly_lives(void **state)
{
    fixture f;
    uint64_t until;
    uint64_t seq = 0;

    (void)state;
    start(&f, (peer_settings){.queue_bytes = 100000, .stall_ms = 100});
    until = uv_hrtime() + 1500000000u;
    while (uv_hrtime() < until) {
        for (int i = 0; i < 100; i++)
            send_event(&f, ++seq, 0, 0);
        line_client_read(&f.clients[0], 8000);
        uv_run(&f.loop, UV_RUN_NOWAIT);
        usleep(15000);
        assert_non_null(f.peers[0]);
    }
    assert_true(peer_dropped(f.peers[0]) > 0);
    assert_int_equal(f.counters.stalled, 0);
    stop(&f);
}

static void an_idle_one_is_never_stalled(void **state)
{
    fixture f;
    uint64_t until;

    (void)state;
    start(&f, (peer_settings){.queue_bytes = 100000, .stall_ms = 50});
    send_event(&f, 1, 0, 0); /* in the kernel, unread: nothing waits here */
    until = uv_hrtime() + 400000000u;
    WAIT_UNTIL(&f.loop, uv_hrtime() > until);
    assert_non_null(f.peers[0]);
    assert_is_event(line_client_wait(&f.clients[0], &f.loop), 1);
    stop(&f);
}

static void one_that_vanishes_ends(void **state)
{
    fixture f;

    (void)state;
    start(&f, (peer_settings){.queue_bytes = 10000});
    block(&f);
    line_client_finish(&f.clients[0]); /* with lines unread and under way */
    WAIT_UNTIL(&f.loop, !f.peers[0]);
    assert_int_equal(f.ends[0], PEER_END_GONE);
    line_client_finish(&f.clients[1]);
    send_event(&f, 1, 1, 1); /* the first write finds out (EPIPE) */
    send_event(&f, 2, 1, 1);
    WAIT_UNTIL(&f.loop, !f.peers[1]);
    assert_int_equal(f.ends[1], PEER_END_GONE);
    stop(&f);
}

static void a_half_closed_one_goes_on_hearing(void **state)
{
    fixture f;

    (void)state;
    start(&f, (peer_settings){.queue_bytes = 10000, .stall_ms = 100});
    f.keep_half_closed = true;
    line_client_send(&f.clients[0], &f.loop, "no newline", 10);
    shutdown(f.clients[0].fd, SHUT_WR);
    WAIT_UNTIL(&f.loop, f.peers[0]->half_closed);
    assert_int_equal(f.lines, 1); /* the end of the stream ends the line too */
    assert_string_equal(f.last_line, "no newline");
    for (uint64_t seq = 1; seq <= 3; seq++) {
        send_event(&f, seq, 0, 0);
        assert_is_event(line_client_wait(&f.clients[0], &f.loop), seq);
    }
    line_client_finish(&f.clients[0]); /* seen although nothing is sent to it */
    WAIT_UNTIL(&f.loop, !f.peers[0]);
    assert_int_equal(f.ends[0], PEER_END_GONE);
    stop(&f);
}

static void a_half_closed_one_that_is_not_kept_gets_its_replies(void **state)
{
    fixture f;

    (void)state;
    start(&f, (peer_settings){.queue_bytes = 10000});
    f.echo = true;
    line_client_send(&f.clients[0], &f.loop, "one\ntwo\nthree", 13);
    shutdown(f.clients[0].fd, SHUT_WR);
    assert_string_equal(line_client_wait(&f.clients[0], &f.loop), "one");
    assert_string_equal(line_client_wait(&f.clients[0], &f.loop), "two");
    assert_string_equal(line_client_wait(&f.clients[0], &f.loop), "three");
    assert_null(line_client_wait(&f.clients[0], &f.loop));
    WAIT_UNTIL(&f.loop, !f.peers[0]);
    assert_int_equal(f.ends[0], PEER_END_CLOSED);
    stop(&f);
}

static void finishing_sends_what_waits_first(void **state)
{
    fixture f;
    uint64_t seq;

    (void)state;
    start(&f, (peer_settings){.queue_bytes = 1 << 20});
    seq = block(&f);
    for (int i = 0; i < 50; i++)
        send_event(&f, ++seq, 0, 0);
    peer_finish(f.peers[0]);
    send_event(&f, seq + 1, 0, 0); /* too late */
    assert_int_equal(check_stream(&f, &f.clients[0], seq), 0);
    assert_null(line_client_wait(&f.clients[0], &f.loop));
    WAIT_UNTIL(&f.loop, !f.peers[0]);
    assert_int_equal(f.ends[0], PEER_END_CLOSED);
    stop(&f);
}

static void the_owner_may_close_from_a_line(void **state)
{
    fixture f;

    (void)state;
    start(&f, (peer_settings){.queue_bytes = 10000});
    f.close_on_line = f.echo = true;
    line_client_send(&f.clients[0], &f.loop, "one\ntwo\nthree\n", 14);
    WAIT_UNTIL(&f.loop, !f.peers[0]);
    assert_int_equal(f.lines, 1);
    assert_int_equal(f.ends[0], PEER_END_CLOSED);
    assert_null(line_client_wait(&f.clients[0], &f.loop));
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_without_progress_is_closed_and_named),
        cmocka_unit_test(one_that_reads_slowly_lives),
        cmocka_unit_test(an_idle_one_is_never_stalled),
        cmocka_unit_test(one_that_vanishes_ends),
        cmocka_unit_test(a_half_closed_one_goes_on_hearing),
        cmocka_unit_test(a_half_closed_one_that_is_not_kept_gets_its_replies),
        cmocka_unit_test(finishing_sends_what_waits_first),
        cmocka_unit_test(the_owner_may_close_from_a_line),
    };
    signal(SIGPIPE, SIG_IGN); /* the listener's task */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
