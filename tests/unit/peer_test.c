/* Peers over real socket pairs and a real loop: whole lines or none, exact `lagged`, nobody else notices. */
#include "support/line_client.h"

#include "ipc/peer_private.h"
#include "protocol/codec.h"

#include <signal.h>

#define LINE_MAX_BYTES 8192

typedef struct fixture {
    uv_loop_t loop;
    peer_counters counters;
    kept_log log;
    peer *peers[2]; /* NULL once ended */
    line_client clients[2];
    peer_end ends[2];
    unsigned lines, too_long;
    char last_line[256];
    bool echo; /* replies to each line with the same line */
    bool keep_half_closed;
    bool close_on_line;
} fixture;

static void on_line(void *context, peer *p, const char *line, size_t length)
{
    fixture *f = context;
    char reply[512];
    int size = snprintf(reply, sizeof reply, "%.*s\n", (int)(length < 400 ? length : 400), line);

    f->lines++;
    snprintf(f->last_line, sizeof f->last_line, "%.*s", (int)(length < 200 ? length : 200), line);
    if (f->close_on_line)
        peer_close(p);
    if (f->echo)
        peer_send_reply(p, reply, (size_t)size);
}

static void on_too_long(void *context, peer *p)
{
    fixture *f = context;

    (void)p;
    f->too_long++;
}

static bool on_half_closed(void *context, peer *p)
{
    const fixture *f = context;

    (void)p;
    return f->keep_half_closed;
}

static void on_ended(void *context, peer *p, peer_end end)
{
    fixture *f = context;
    size_t index = (size_t)(uintptr_t)peer_data(p);

    assert_ptr_equal(f->peers[index], p);
    f->peers[index] = NULL;
    f->ends[index] = end;
}

static void connect_pair(fixture *f, size_t index, const peer_settings *settings)
{
    const peer_listener listener = {
        .context = f, .line = on_line, .too_long = on_too_long, .half_closed = on_half_closed, .ended = on_ended};
    int pair[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
    line_client_init(&f->clients[index], pair[1]);
    f->peers[index] = peer_create(&f->loop, pair[0], settings, &listener, &f->counters, (void *)(uintptr_t)index);
    assert_non_null(f->peers[index]);
}

static void start(fixture *f, peer_settings settings)
{
    memset(f, 0, sizeof *f);
    assert_int_equal(uv_loop_init(&f->loop), 0);
    settings.log = (logger){.context = &f->log, .write = kept_log_write};
    for (size_t i = 0; i < 2; i++)
        connect_pair(f, i, &settings);
}

static void stop(fixture *f)
{
    for (size_t i = 0; i < 2; i++) {
        if (f->peers[i])
            peer_close(f->peers[i]);
        line_client_finish(&f->clients[i]);
    }
    uv_run(&f->loop, UV_RUN_DEFAULT);
    assert_null(f->peers[0]);
    assert_null(f->peers[1]);
    assert_int_equal(uv_loop_close(&f->loop), 0);
}

/* Events of differing length whose every byte follows from their number. */
static size_t make_event(char *out, uint64_t seq)
{
    size_t padding = (size_t)(seq * 7919 % 700);
    int length = snprintf(out, LINE_MAX_BYTES, "{\"type\":\"clash\",\"seq\":%llu,\"pad\":\"", (unsigned long long)seq);

    memset(out + length, 'a' + (int)(seq % 26), padding);
    return (size_t)length + padding +
           (size_t)snprintf(out + (size_t)length + padding, LINE_MAX_BYTES - (size_t)length - padding, "\"}\n");
}

static void send_event(fixture *f, uint64_t seq, size_t first, size_t last)
{
    char text[LINE_MAX_BYTES];
    wire_line *line = wire_line_create(text, make_event(text, seq));

    assert_non_null(line);
    for (size_t i = first; i <= last; i++)
        if (f->peers[i])
            peer_send_event(f->peers[i], line, seq);
    wire_line_release(line);
}

static void assert_is_event(const char *line, uint64_t seq)
{
    char expected[LINE_MAX_BYTES];

    expected[make_event(expected, seq) - 1] = '\0';
    assert_string_equal(line, expected);
}

static void sends_at_once_when_nothing_waits(void **state)
{
    fixture f;

    (void)state;
    start(&f, (peer_settings){.queue_bytes = 65536});
    send_event(&f, 1, 0, 0); /* the loop does not run */
    line_client_read(&f.clients[0], SIZE_MAX);
    assert_is_event(line_client_next(&f.clients[0]), 1);
    assert_int_equal(f.counters.lines_sent, 1);
    stop(&f);
}

/* Reads all and checks: seqs go up one by one but where a `lagged` tells exactly what is missing. */
static uint64_t check_stream(fixture *f, line_client *c, uint64_t last)
{
    uint64_t next = 1, missed = 0;
    char *line;

    while (next <= last && (line = line_client_wait(c, &f->loop))) {
        if (!line_has_type(line, "lagged")) {
            assert_is_event(line, next++);
            continue;
        }
        assert_int_equal(line_number(line, "from_seq"), next);
        assert_int_equal(line_number(line, "missed"), line_number(line, "to_seq") - line_number(line, "from_seq") + 1);
        missed += (uint64_t)line_number(line, "missed");
        next = (uint64_t)line_number(line, "to_seq") + 1;
    }
    assert_int_equal(next, last + 1);
    return missed;
}

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

/* Fills what the kernel takes; returns the last seq. */
static uint64_t block(fixture *f)
{
    uint64_t seq = 0;

    while (!f->peers[0]->in_flight)
        send_event(f, ++seq, 0, 0);
    return seq;
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
    for (int idle = 0; idle < 50;) { /* never reads, until the server reads no more */
        if (sent < REQUESTS && send(f.clients[0].fd, text, (size_t)length, MSG_NOSIGNAL) == length) {
            length = snprintf(text, sizeof text, "{\"id\":%d}\n", ++sent);
            idle = 0;
        } else {
            idle++;
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
    assert_non_null(strstr(f.log.last, "(peer_test)"));
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

static void a_line_that_is_too_long_costs_only_itself(void **state)
{
    fixture f;
    size_t length = PROTOCOL_LINE_MAX * 3;
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
        cmocka_unit_test(sends_at_once_when_nothing_waits),
        cmocka_unit_test(one_that_does_not_read_loses_oldest_and_is_told),
        cmocka_unit_test(short_writes_tear_no_line),
        cmocka_unit_test(waiting_poses_are_replaced_by_the_newest),
        cmocka_unit_test(replies_are_never_dropped_and_stay_in_order),
        cmocka_unit_test(one_without_progress_is_closed_and_named),
        cmocka_unit_test(one_that_reads_slowly_lives),
        cmocka_unit_test(an_idle_one_is_never_stalled),
        cmocka_unit_test(one_that_vanishes_ends),
        cmocka_unit_test(a_half_closed_one_goes_on_hearing),
        cmocka_unit_test(a_half_closed_one_that_is_not_kept_gets_its_replies),
        cmocka_unit_test(finishing_sends_what_waits_first),
        cmocka_unit_test(a_line_that_is_too_long_costs_only_itself),
        cmocka_unit_test(the_owner_may_close_from_a_line),
    };
    signal(SIGPIPE, SIG_IGN); /* the listener's task */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
