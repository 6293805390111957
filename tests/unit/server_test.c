/* The socket as clients see it: hello, subscriptions, poses, limits, and clients that do not read or vanish. */
#include "support/server_fixture.h"

#include <signal.h>

static void hello_comes_first_and_nothing_without_a_subscription(void **state)
{
    fixture *f = *state;
    line_client c;

    greet(f, &c);
    send_event(f, sample_clash(1, 3.0f));
    expect_nothing(f, &c);
    assert_int_equal(counter(f, "events_encoded"), 0);
    assert_int_equal(server_clients(f->server), 1);
    line_client_finish(&c);
    WAIT_UNTIL(&f->loop, server_clients(f->server) == 0);
}

static void a_subscriber_gets_what_it_asked_for(void **state)
{
    fixture *f = *state;
    line_client c;

    greet(f, &c);
    assert_int_equal(f->subscribed, 0);
    expect_ok(f, &c, "{\"type\":\"subscribe\",\"id\":1}", "1");
    assert_int_equal(f->subscribed, 1);
    send_event(f, sample_clash(1, 3.0f));
    send_event(f, sample_release(2, 1, 3.0f));
    send_event(f, sample_tracking(3, false));
    f->port.frame(f->port.context, &(pose_frame){0});
    const char *line = line_client_wait(&c, &f->loop);
    assert_true(line_has_type(line, "clash"));
    assert_int_equal(line_number(line, "seq"), 1);
    assert_int_equal(line_number(line, "time_ns"), 1000000); /* since the epoch */
    assert_true(line_has_type(line_client_wait(&c, &f->loop), "release"));
    assert_true(line_has_type(line_client_wait(&c, &f->loop), "tracking"));
    /* subscribing again takes the place of the first */
    expect_ok(f, &c, "{\"type\":\"subscribe\",\"id\":2,\"events\":[\"release\"],\"min_closing_speed\":2}", "2");
    send_event(f, sample_clash(4, 3.0f));
    send_event(f, sample_release(5, 4, 1.0f));
    send_event(f, sample_release(6, 4, 2.5f));
    assert_int_equal(line_number(line_client_wait(&c, &f->loop), "seq"), 6);
    expect_nothing(f, &c);
    line_client_finish(&c);
}

static void one_client_too_many_is_told_so(void **state)
{
    fixture *f = *state;
    line_client a, b, c;

    reopen(f, 2, 1 << 20);
    greet(f, &a);
    greet(f, &b);
    line_client_connect(&c, f->path);
    const char *line = line_client_wait(&c, &f->loop);
    assert_true(line_has_type(line, "error"));
    assert_non_null(strstr(line, "\"code\":\"limit\""));
    assert_null(line_client_wait(&c, &f->loop));
    assert_int_equal(counter(f, "clients_refused"), 1);
    line_client_finish(&c);
    expect_nothing(f, &a);
    line_client_finish(&b);
    WAIT_UNTIL(&f->loop, server_clients(f->server) == 1);
    greet(f, &c); /* there is room again */
    line_client_finish(&a);
    line_client_finish(&c);
}

static void one_that_does_not_read_is_told_what_it_missed(void **state)
{
    enum { EVENTS = 4000 };
    fixture *f = *state;
    line_client slow, fast;
    uint64_t next = 1, missed = 0, read_by_fast = 0;

    reopen(f, 4, 65536);
    greet(f, &slow);
    greet(f, &fast);
    expect_ok(f, &slow, "{\"type\":\"subscribe\",\"id\":1}", "1");
    expect_ok(f, &fast, "{\"type\":\"subscribe\",\"id\":1}", "1");
    for (uint64_t seq = 1; seq <= EVENTS; seq++) {
        const char *line;
        send_event(f, sample_clash(seq, 1.0f));
        uv_run(&f->loop, UV_RUN_NOWAIT);
        line_client_read(&fast, SIZE_MAX);
        while ((line = line_client_next(&fast)))
            assert_int_equal(line_number(line, "seq"), ++read_by_fast);
    }
    assert_int_equal(read_by_fast, EVENTS);
    while (next <= EVENTS) {
        const char *line = line_client_wait(&slow, &f->loop);
        assert_non_null(line);
        if (line_has_type(line, "lagged")) {
            assert_int_equal(line_number(line, "from_seq"), next);
            missed += (uint64_t)line_number(line, "missed");
            next += (uint64_t)line_number(line, "missed");
            assert_int_equal(line_number(line, "to_seq"), next - 1);
        } else {
            assert_int_equal(line_number(line, "seq"), next++);
            assert_int_equal(line[strlen(line) - 1], '}');
        }
    }
    assert_true(missed > 0);
    assert_int_equal(counter(f, "events_dropped"), missed);
    assert_int_equal(counter(f, "events_encoded"), EVENTS); /* once for both */
    line_client_finish(&slow);
    line_client_finish(&fast);
}

static void poses_go_to_who_asked_for_them(void **state)
{
    fixture *f = *state;
    line_client all, some, none;
    pose_frame frame;
    int got = 0;

    greet(f, &all);
    greet(f, &some);
    greet(f, &none);
    expect_ok(f, &all, "{\"type\":\"subscribe\",\"id\":1,\"events\":[\"poses\"]}", "1");
    expect_ok(f, &some, "{\"type\":\"subscribe\",\"id\":1,\"events\":[\"poses\"],\"pose_rate_hz\":10}", "1");
    expect_ok(f, &none, "{\"type\":\"subscribe\",\"id\":1}", "1");
    for (int i = 0; i < 100; i++) { /* one second at 100 Hz */
        frame = sample_frame(i * INT64_C(10000000));
        f->port.frame(f->port.context, &frame);
        const char *line = line_client_wait(&all, &f->loop);
        assert_true(line_has_type(line, "poses"));
        assert_int_equal(line_number(line, "time_ns"), i * 10000000);
    }
    line_client_say(&some, &f->loop, "{\"type\":\"ping\",\"id\":2}");
    while (line_has_type(line_client_wait(&some, &f->loop), "poses"))
        got++;
    assert_int_equal(got, 10);
    expect_nothing(f, &none);
    line_client_finish(&all);
    line_client_finish(&some);
    line_client_finish(&none);
}

/* Frames of one time add up, so that a waiting line that is replaced loses no device; and numbers that are none are left
 * out. */
static void poses_of_one_time_add_up(void **state)
{
    fixture *f = *state;
    line_client c;
    pose_frame left = sample_frame(1000), right = left;

    greet(f, &c);
    expect_ok(f, &c, "{\"type\":\"subscribe\",\"id\":1,\"events\":[\"poses\"]}", "1");
    left.count = right.count = 1;
    right.samples[0].device = 1;
    f->port.frame(f->port.context, &left);
    const char *line = line_client_wait(&c, &f->loop);
    assert_non_null(strstr(line, "/user/hand/left"));
    assert_null(strstr(line, "/user/hand/right"));
    f->port.frame(f->port.context, &right);
    line = line_client_wait(&c, &f->loop);
    assert_non_null(strstr(line, "/user/hand/left"));
    assert_non_null(strstr(line, "/user/hand/right"));
    right.time_ns++;
    f->port.frame(f->port.context, &right);
    assert_null(strstr(line_client_wait(&c, &f->loop), "/user/hand/left"));
    left.time_ns += 2;
    left.samples[0].pose.position.y = 0.0f / 0.0f;
    f->port.frame(f->port.context, &left);
    left.samples[0].device = 99;
    f->port.frame(f->port.context, &left);
    expect_nothing(f, &c);
    assert_int_equal(counter(f, "poses_refused"), 2);
    line_client_finish(&c);
}

static void a_client_that_only_listens_on_stays(void **state)
{
    fixture *f = *state;
    line_client listening, done;

    greet(f, &listening);
    greet(f, &done);
    line_client_say(&listening, &f->loop, "{\"type\":\"subscribe\"}");
    shutdown(listening.fd, SHUT_WR);
    line_client_send(&done, &f->loop, "{\"type\":\"ping\",\"id\":5}", 22); /* no newline: its end ends the line */
    shutdown(done.fd, SHUT_WR);
    assert_true(line_has_type(line_client_wait(&done, &f->loop), "ok"));
    assert_null(line_client_wait(&done, &f->loop));
    WAIT_UNTIL(&f->loop, server_clients(f->server) == 1);
    send_event(f, sample_clash(1, 1.0f));
    assert_true(line_has_type(line_client_wait(&listening, &f->loop), "clash"));
    line_client_finish(&listening);
    line_client_finish(&done);
}

static void clients_that_vanish_kill_nobody(void **state)
{
    fixture *f = *state;
    line_client c;

    signal(SIGPIPE, SIG_DFL);
    reopen(f, 8, 1 << 20); /* which makes it ignored */
    for (int i = 0; i < 20; i++) {
        greet(f, &c);
        expect_ok(f, &c, "{\"type\":\"subscribe\",\"id\":1}", "1");
        line_client_finish(&c);
        for (uint64_t seq = 1; seq < 4; seq++)
            send_event(f, sample_clash(seq, 1.0f)); /* before the loop could notice */
    }
    WAIT_UNTIL(&f->loop, server_clients(f->server) == 0);
}

static void closing_ends_every_client(void **state)
{
    fixture *f = *state;
    line_client c;

    greet(f, &c);
    expect_ok(f, &c, "{\"type\":\"subscribe\",\"id\":1}", "1");
    reopen(f, 8, 1 << 20);
    assert_null(line_client_wait(&c, &f->loop));
    line_client_finish(&c);
}

/* The same in peace: what waits is sent first. */
static void finishing_loses_nothing(void **state)
{
    enum { EVENTS = 2000 };
    fixture *f = *state;
    line_client c;

    greet(f, &c);
    expect_ok(f, &c, "{\"type\":\"subscribe\",\"id\":1}", "1");
    for (uint64_t seq = 1; seq <= EVENTS; seq++)
        send_event(f, sample_clash(seq, 1.0f));
    server_finish(f->server);
    for (uint64_t seq = 1; seq <= EVENTS; seq++)
        assert_int_equal(line_number(line_client_wait(&c, &f->loop), "seq"), seq);
    assert_null(line_client_wait(&c, &f->loop));
    line_client_finish(&c);
    uv_run(&f->loop, UV_RUN_DEFAULT);
    open_server(f, 8, 1 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SINK(hello_comes_first_and_nothing_without_a_subscription),
        WITH_SINK(a_subscriber_gets_what_it_asked_for),
        WITH_SINK(one_client_too_many_is_told_so),
        WITH_SINK(one_that_does_not_read_is_told_what_it_missed),
        WITH_SINK(poses_go_to_who_asked_for_them),
        WITH_SINK(poses_of_one_time_add_up),
        WITH_SINK(a_client_that_only_listens_on_stays),
        WITH_SINK(clients_that_vanish_kill_nobody),
        WITH_SINK(closing_ends_every_client),
        WITH_SINK(finishing_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
