/* What a peer is sent: whole lines or none, exact `lagged`, the newest poses, every reply; and nobody else notices. */
#include "support/peer_pair.h"

static void one_that_does_not_read_loses_oldest_and_is_told(void **state)
{
    enum { EVENTS = 5000 };
    fixture f;
    uint64_t next_of_other = 1;

    (void)state;
    start(&f, (peer_settings){.queue_bytes = 50000});
    for (uint64_t seq = 1; seq <= EVENTS; seq++) {
        char *line;
        send_event(&f, seq, 0, 1);
        assert_true(f.peers[0]->queue.events.bytes <= 50000);
        uv_run(&f.loop, UV_RUN_NOWAIT);
        line_client_read(&f.clients[1], SIZE_MAX);
        while ((line = line_client_next(&f.clients[1])))
            assert_is_event(line, next_of_other++);
    }
    assert_int_equal(next_of_other, EVENTS + 1); /* the other one has had everything, at once */
    assert_int_equal(peer_dropped(f.peers[1]), 0);
    uint64_t dropped = peer_dropped(f.peers[0]);
    assert_true(dropped > 1000);
    assert_int_equal(check_stream(&f, &f.clients[0], EVENTS), dropped);
    assert_int_equal(f.counters.events_dropped, dropped);
    assert_int_equal(f.counters.lagged, 1);
    /* and it is as good as new */
    send_event(&f, EVENTS + 1, 0, 0);
    assert_is_event(line_client_wait(&f.clients[0], &f.loop), EVENTS + 1);
    stop(&f);
}

/* When everything that waited was dropped, the next event comes on an empty queue and still tells of them first. */
static void a_loss_is_told_of_even_when_nothing_waits(void **state)
{
    fixture f;

    (void)state;
    start(&f, (peer_settings){.queue_bytes = 0});
    uint64_t last = block(&f);
    for (uint64_t seq = last + 1; seq <= last + 3; seq++)
        send_event(&f, seq, 0, 0);
    for (uint64_t seq = 1; seq <= last; seq++)
        assert_is_event(line_client_wait(&f.clients[0], &f.loop), seq);
    WAIT_UNTIL(&f.loop, !f.peers[0]->in_flight);
    f.peers[0]->queue.event_bytes_max = 10000;
    send_event(&f, last + 4, 0, 0);
    const char *line = line_client_wait(&f.clients[0], &f.loop);
    assert_true(line_has_type(line, "lagged"));
    assert_int_equal(line_number(line, "from_seq"), last + 1);
    assert_int_equal(line_number(line, "to_seq"), last + 3);
    assert_int_equal(line_number(line, "missed"), 3);
    assert_is_event(line_client_wait(&f.clients[0], &f.loop), last + 4);
    stop(&f);
}

/* Reads a few bytes at a time from a socket with the smallest buffer: writes are short everywhere. */
static void short_writes_tear_no_line(void **state)
{
    enum { EVENTS = 400 };
    fixture f;
    int small = 1;
    uv_os_fd_t fd;

    (void)state;
    start(&f, (peer_settings){.queue_bytes = 1 << 20, .stall_ms = 600000});
    assert_int_equal(uv_fileno((uv_handle_t *)&f.peers[0]->pipe, &fd), 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
    for (uint64_t seq = 1; seq <= EVENTS; seq++)
        send_event(&f, seq, 0, 0);
    assert_true(f.peers[0]->in_flight);
    for (uint64_t seq = 1; seq <= EVENTS;) {
        char *line;
        uv_run(&f.loop, UV_RUN_NOWAIT);
        line_client_read(&f.clients[0], 97);
        while ((line = line_client_next(&f.clients[0])))
            assert_is_event(line, seq++);
        assert_false(f.clients[0].ended);
    }
    assert_int_equal(f.counters.events_dropped, 0);
    assert_int_equal(f.counters.lines_sent, EVENTS);
    stop(&f);
}

static void send_poses(fixture *f, int number)
{
    char text[128];
    int length = snprintf(text, sizeof text, "{\"type\":\"poses\",\"time_ns\":%d}\n", number);
    wire_line *line = wire_line_create(text, (size_t)length);

    peer_send_poses(f->peers[0], line);
    wire_line_release(line);
}

static void waiting_poses_are_replaced_by_the_newest(void **state)
{
    fixture f;
    uint64_t seq;
    int poses = 0;
    char *line;

    (void)state;
    start(&f, (peer_settings){.queue_bytes = 1 << 20});
    seq = block(&f);
    for (int i = 1; i <= 100; i++) {
        send_poses(&f, i);
        send_event(&f, ++seq, 0, 0);
    }
    for (uint64_t next = 1; next <= seq && (line = line_client_wait(&f.clients[0], &f.loop));) {
        if (line_has_type(line, "poses")) {
            poses++;
            assert_int_equal(line_number(line, "time_ns"), 100);
        } else {
            assert_is_event(line, next++);
        }
    }
    assert_int_equal(poses, 1);
    assert_int_equal(f.counters.poses_conflated, 99);
    /* one that reads gets them all */
    for (int i = 101; i <= 110; i++) {
        send_poses(&f, i);
        assert_int_equal(line_number(line_client_wait(&f.clients[0], &f.loop), "time_ns"), i);
    }
    assert_int_equal(f.counters.poses_conflated, 99);
    stop(&f);
}

/* Requests faster than their replies are read: reading stops, memory stays bounded, and every reply comes, in order. */
static void replies_are_never_dropped_and_stay_in_order(void **state)
{
    enum { REQUESTS = 40000 };
    fixture f;
    int sent = 0, read = 0;
    char text[64];
    char *line;

    (void)state;
    start(&f, (peer_settings){.queue_bytes = 1000, .reply_bytes = 4096, .stall_ms = 600000});
    f.echo = true;
    int length = snprintf(text, sizeof text, "{\"id\":%d}\n", sent);
    for (int idle = 0; idle < 50; idle++) { /* never reads, until the server reads no more */
        while (sent < REQUESTS && send(f.clients[0].fd, text, (size_t)length, MSG_NOSIGNAL) == length) {
            length = snprintf(text, sizeof text, "{\"id\":%d}\n", ++sent);
            idle = 0;
        }
        uv_run(&f.loop, UV_RUN_NOWAIT);
        assert_true(f.peers[0]->queue.replies.bytes <= 4096 + 64);
    }
    assert_true(sent < REQUESTS);
    assert_false(f.peers[0]->reading);
    assert_true(f.counters.reads_paused >= 1);
    while (read < REQUESTS) {
        while (sent < REQUESTS && send(f.clients[0].fd, text, (size_t)length, MSG_NOSIGNAL) == length)
            length = snprintf(text, sizeof text, "{\"id\":%d}\n", ++sent);
        line = line_client_wait(&f.clients[0], &f.loop);
        assert_non_null(line);
        assert_int_equal(line_number(line, "id"), read++);
    }
    assert_int_equal(f.counters.events_dropped, 0);
    stop(&f);
}

/* The owner is so slow that the loop's turn ends before the replies pile up, so the peer is not being read at that moment. */
static void a_pause_is_counted_when_the_turn_had_already_ended(void **state)
{
    fixture f;
    int small = 1;
    uv_os_fd_t fd;

    (void)state;
    start(&f, (peer_settings){.queue_bytes = 1000, .reply_bytes = 64, .stall_ms = 600000});
    assert_int_equal(uv_fileno((uv_handle_t *)&f.peers[0]->pipe, &fd), 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
    f.echo = true;
    f.line_us = (PEER_TURN_MS + 1) * 1000;
    for (int i = 0; i < 200; i++)
        line_client_send(&f.clients[0], &f.loop, "{\"id\":1}\n", 9);
    WAIT_UNTIL(&f.loop, peer_owes_too_much(f.peers[0]));
    uv_run(&f.loop, UV_RUN_NOWAIT);
    assert_int_equal(f.counters.reads_paused, 1);
    f.line_us = 0;
    for (int i = 0; i < 200; i++)
        assert_non_null(line_client_wait(&f.clients[0], &f.loop));
    stop(&f);
}

static void a_line_that_is_too_long_costs_only_itself(void **state)
{
    fixture f;
    size_t length = (size_t)3 * PROTOCOL_LINE_MAX;
    char *text = malloc(length);

    (void)state;
    assert_non_null(text);
    start(&f, (peer_settings){.queue_bytes = 10000});
    memset(text, 'x', length);
    line_client_send(&f.clients[0], &f.loop, "before\n", 7);
    line_client_send(&f.clients[0], &f.loop, text, length);
    line_client_send(&f.clients[0], &f.loop, "\nafter\n", 7);
    WAIT_UNTIL(&f.loop, f.lines == 2);
    assert_string_equal(f.last_line, "after");
    assert_int_equal(f.too_long, 1);
    /* the longest that is allowed */
    text[PROTOCOL_LINE_MAX - 1] = '\n';
    line_client_send(&f.clients[0], &f.loop, text, PROTOCOL_LINE_MAX);
    WAIT_UNTIL(&f.loop, f.lines == 3);
    assert_int_equal(f.too_long, 1);
    free(text);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_does_not_read_loses_oldest_and_is_told),
        cmocka_unit_test(a_loss_is_told_of_even_when_nothing_waits),
        cmocka_unit_test(short_writes_tear_no_line),
        cmocka_unit_test(waiting_poses_are_replaced_by_the_newest),
        cmocka_unit_test(replies_are_never_dropped_and_stay_in_order),
        cmocka_unit_test(a_pause_is_counted_when_the_turn_had_already_ended),
        cmocka_unit_test(a_line_that_is_too_long_costs_only_itself),
    };
    signal(SIGPIPE, SIG_IGN); /* the listener's task */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
