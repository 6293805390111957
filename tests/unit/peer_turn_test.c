/* What one turn of the loop brings for a peer goes out when the turn ends, in one write, in order and whole. */
#include "support/peer_pair.h"

static void send_reply(fixture *f, const char *text)
{
    peer_send_reply(f->peers[0], text, strlen(text));
}

static void send_poses(fixture *f, int number)
{
    char text[128];
    int length = snprintf(text, sizeof text, "{\"type\":\"poses\",\"time_ns\":%d}\n", number);
    wire_line *line = wire_line_create(text, (size_t)length);

    peer_send_poses(f->peers[0], line);
    wire_line_release(line);
}

/* One write is one packet. */
static void assert_written(fixture *f, size_t client, uint64_t first, uint64_t last)
{
    char expected[3 * LINE_MAX_BYTES], got[3 * LINE_MAX_BYTES];
    size_t length = 0;

    for (uint64_t seq = first; seq <= last; seq++)
        length += make_event(expected + length, seq);
    assert_int_equal(recv(f->clients[client].fd, got, sizeof got, 0), length);
    assert_memory_equal(got, expected, length);
}

static void assert_nothing_written(fixture *f, size_t client)
{
    char byte;

    assert_int_equal(recv(f->clients[client].fd, &byte, 1, 0), -1);
    assert_int_equal(errno, EAGAIN);
}

static void events_of_a_turn_are_one_write(void **state)
{
    fixture f;

    (void)state;
    start_of(&f, (peer_settings){.queue_bytes = 65536}, SOCK_SEQPACKET);
    for (uint64_t seq = 1; seq <= 3; seq++)
        send_event(&f, seq, 0, 1);
    assert_nothing_written(&f, 0);
    uv_run(&f.loop, UV_RUN_NOWAIT);
    for (size_t i = 0; i < 2; i++) {
        assert_written(&f, i, 1, 3);
        assert_nothing_written(&f, i);
    }
    assert_int_equal(f.counters.lines_sent, 6);
    send_event(&f, 4, 1, 1);
    uv_run(&f.loop, UV_RUN_NOWAIT);
    assert_nothing_written(&f, 0);
    assert_written(&f, 1, 4, 4);
    stop(&f);
}

/* However many lines a client has sent at once that take long, another one's turn comes between; none is lost. */
static void lines_that_take_long_let_others_in(void **state)
{
    enum { LINES = 100 };
    fixture f;

    (void)state;
    start(&f, (peer_settings){.queue_bytes = 65536});
    f.line_us = 1000 * PEER_TURN_MS;
    for (int i = 0; i < LINES; i++)
        assert_int_equal(send(f.clients[0].fd, "{}\n", 3, 0), 3);
    assert_int_equal(send(f.clients[1].fd, "{}\n", 3, 0), 3);
    while (f.lines < LINES + 1)
        uv_run(&f.loop, UV_RUN_ONCE);
    assert_in_range(f.others_at, 1, 4);
    assert_int_equal(f.lines, LINES + 1);
    stop(&f);
}

/* Many more than one write holds, and than the queue does: the kernel has room, so none is dropped. */
static void a_burst_in_one_turn_loses_nothing(void **state)
{
    enum { EVENTS = 200 };
    fixture f;

    (void)state;
    start(&f, (peer_settings){.queue_bytes = 1000});
    for (uint64_t seq = 1; seq <= EVENTS; seq++) {
        send_event(&f, seq, 0, 0);
        assert_true(f.peers[0]->batch_count <= PEER_BATCH_LINES);
        assert_true(f.peers[0]->batch_bytes < PEER_BATCH_BYTES + LINE_MAX_BYTES);
    }
    assert_int_equal(check_stream(&f, &f.clients[0], EVENTS), 0);
    assert_int_equal(f.counters.events_dropped, 0);
    stop(&f);
}

/* And one that reads nothing meanwhile: its batch is neither torn nor sent twice, and what is dropped comes after it. */
static void a_burst_that_the_kernel_refuses_is_told_of_exactly(void **state)
{
    enum { EVENTS = 3000 };
    fixture f;

    (void)state;
    start(&f, (peer_settings){.queue_bytes = 20000, .stall_ms = 600000});
    for (uint64_t seq = 1; seq <= EVENTS; seq++)
        send_event(&f, seq, 0, 0);
    assert_true(peer_dropped(f.peers[0]) > 0);
    assert_true(peer_waiting(f.peers[0]) <= 20000);
    assert_int_equal(check_stream(&f, &f.clients[0], EVENTS), f.counters.events_dropped);
    assert_int_equal(f.counters.lagged, 1);
    stop(&f);
}

static void other_lines_take_the_events_before_them_along(void **state)
{
    fixture f;

    (void)state;
    start(&f, (peer_settings){.queue_bytes = 65536});
    send_event(&f, 1, 0, 0);
    send_reply(&f, "{\"type\":\"ok\"}\n"); /* the loop does not run */
    send_event(&f, 2, 0, 0);
    send_poses(&f, 7);
    send_poses(&f, 8); /* takes nobody's place: the client keeps up */
    line_client_read(&f.clients[0], SIZE_MAX);
    assert_is_event(line_client_next(&f.clients[0]), 1);
    assert_true(line_has_type(line_client_next(&f.clients[0]), "ok"));
    assert_is_event(line_client_next(&f.clients[0]), 2);
    assert_int_equal(line_number(line_client_next(&f.clients[0]), "time_ns"), 7);
    assert_int_equal(line_number(line_client_next(&f.clients[0]), "time_ns"), 8);
    assert_int_equal(f.counters.poses_conflated, 0);
    stop(&f);
}

static void closing_in_the_same_turn_loses_nothing(void **state)
{
    void (*const ends[])(peer * p) = {peer_close, peer_finish};
    fixture f;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        start(&f, (peer_settings){.queue_bytes = 65536});
        send_event(&f, 1, 0, 0);
        ends[i](f.peers[0]);
        send_event(&f, 2, 0, 0); /* too late */
        assert_is_event(line_client_wait(&f.clients[0], &f.loop), 1);
        assert_null(line_client_wait(&f.clients[0], &f.loop));
        stop(&f);
    }
}

/* It goes while events are gathered for it: their memory is given back, and nobody is written to (ASan looks). */
static void one_that_vanishes_within_the_turn_costs_nothing(void **state)
{
    fixture f;

    (void)state;
    start(&f, (peer_settings){.queue_bytes = 65536});
    send_event(&f, 1, 0, 1);
    peer_end_now(f.peers[0], PEER_END_GONE);
    WAIT_UNTIL(&f.loop, !f.peers[0]);
    assert_int_equal(f.ends[0], PEER_END_GONE);
    assert_null(line_client_wait(&f.clients[0], &f.loop));
    assert_is_event(line_client_wait(&f.clients[1], &f.loop), 1);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_of_a_turn_are_one_write),
        cmocka_unit_test(lines_that_take_long_let_others_in),
        cmocka_unit_test(a_burst_in_one_turn_loses_nothing),
        cmocka_unit_test(a_burst_that_the_kernel_refuses_is_told_of_exactly),
        cmocka_unit_test(other_lines_take_the_events_before_them_along),
        cmocka_unit_test(closing_in_the_same_turn_loses_nothing),
        cmocka_unit_test(one_that_vanishes_within_the_turn_costs_nothing),
    };
    signal(SIGPIPE, SIG_IGN); /* the listener's task */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
