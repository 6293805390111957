/* Clients that come back with `since_seq`, and what clients in different axes are sent. */
#include "support/server_fixture.h"

#include "server/history.h"

static void send_clashes(fixture *f, uint64_t from, uint64_t to)
{
    for (uint64_t seq = from; seq <= to; seq++)
        send_event(f, sample_clash(seq, 1.0f));
}

static void expect_seqs(fixture *f, line_client *c, uint64_t from, uint64_t to)
{
    for (uint64_t seq = from; seq <= to; seq++) {
        const char *line = line_client_wait(c, &f->loop);
        assert_non_null(line);
        assert_false(line_has_type(line, "lagged"));
        assert_int_equal(line_number(line, "seq"), seq);
    }
}

static void what_was_missed_comes_and_then_what_is_new(void **state)
{
    fixture *f = *state;
    line_client c;

    send_clashes(f, 1, 40);
    greet(f, &c);
    assert_int_equal(line_number(ask(f, &c, "{\"type\":\"subscribe\",\"id\":1,\"since_seq\":25}"), "seq"), 40);
    expect_seqs(f, &c, 26, 40);
    send_clashes(f, 41, 45);
    expect_seqs(f, &c, 41, 45);
    expect_nothing(f, &c);
    line_client_finish(&c);
}

static void zero_is_everything_and_the_last_is_nothing(void **state)
{
    fixture *f = *state;
    line_client c;

    greet(f, &c);
    assert_int_equal(line_number(ask(f, &c, "{\"type\":\"subscribe\",\"id\":1,\"since_seq\":0}"), "seq"), 0);
    expect_nothing(f, &c);
    send_clashes(f, 1, 10);
    expect_seqs(f, &c, 1, 10);
    assert_int_equal(line_number(ask(f, &c, "{\"type\":\"subscribe\",\"id\":2,\"since_seq\":0}"), "seq"), 10);
    expect_seqs(f, &c, 1, 10);
    expect_ok(f, &c, "{\"type\":\"subscribe\",\"id\":3,\"since_seq\":10}", "3");
    expect_nothing(f, &c);
    line_client_finish(&c);
}

static void the_new_subscriptions_filters_apply(void **state)
{
    fixture *f = *state;
    line_client c;

    for (uint64_t seq = 1; seq <= 20; seq++)
        send_event(f, sample_clash(seq, (float)seq));
    send_event(f, sample_tracking(21, true));
    greet(f, &c);
    expect_ok(f, &c,
              "{\"type\":\"subscribe\",\"id\":1,\"since_seq\":2,\"events\":[\"clash\"],\"min_closing_speed\":15}", "1");
    expect_seqs(f, &c, 15, 20);
    expect_nothing(f, &c);
    line_client_finish(&c);
}

static void the_future_is_refused_and_the_old_subscription_stays(void **state)
{
    fixture *f = *state;
    line_client c;

    send_clashes(f, 1, 3);
    greet(f, &c);
    expect_ok(f, &c, "{\"type\":\"subscribe\",\"id\":1}", "1");
    expect_error(f, &c, "{\"type\":\"subscribe\",\"id\":2,\"since_seq\":4,\"events\":[]}", "unknown_seq", "event, 3");
    send_clashes(f, 4, 4);
    expect_seqs(f, &c, 4, 4);
    line_client_finish(&c);
}

/* Far more than a queue holds, to a client that reads slowly while new events come: not one is lost or comes twice. */
static void a_long_way_back_is_walked_at_the_readers_pace(void **state)
{
    enum { BEFORE = 20000, AFTER = 1000 };
    fixture *f = *state;
    line_client c;
    uint64_t next = 1, sent = BEFORE;

    reopen(f, 4, 65536);
    send_clashes(f, 1, BEFORE);
    greet(f, &c);
    expect_ok(f, &c, "{\"type\":\"subscribe\",\"id\":1,\"since_seq\":0}", "1");
    while (next <= BEFORE + AFTER) {
        const char *line = line_client_next(&c);
        if (!line) {
            line_client_turn(&f->loop);
            line_client_read(&c, 50000);
            continue;
        }
        assert_false(line_has_type(line, "lagged"));
        assert_int_equal(line_number(line, "seq"), next++);
        if (next % 15 == 0 && sent < BEFORE + AFTER) {
            sent++;
            send_clashes(f, sent, sent);
        }
    }
    assert_int_equal(counter(f, "events_dropped"), 0);
    line_client_finish(&c);
}

static void what_is_gone_is_counted(void **state)
{
    fixture *f = *state;
    line_client c;
    const char *line;

    send_clashes(f, 1, HISTORY_EVENTS_MAX + 10);
    greet(f, &c);
    expect_ok(f, &c, "{\"type\":\"subscribe\",\"id\":1,\"since_seq\":4}", "1");
    line = line_client_wait(&c, &f->loop);
    assert_true(line_has_type(line, "lagged"));
    assert_int_equal(line_number(line, "from_seq"), 5);
    assert_int_equal(line_number(line, "to_seq"), 10);
    assert_int_equal(line_number(line, "missed"), 6);
    expect_seqs(f, &c, 11, 2000); /* the rest is a matter of reading */
    line_client_finish(&c);
}

/* Who ends while a client is on its way leaves it nothing owing. */
static void finishing_brings_it_to_the_end(void **state)
{
    fixture *f = *state;
    line_client c;

    reopen(f, 4, 16 << 20);
    send_clashes(f, 1, 9000);
    greet(f, &c);
    line_client_say(&c, &f->loop, "{\"type\":\"subscribe\",\"since_seq\":0}");
    WAIT_UNTIL(&f->loop, counter(f, "requests") == 1);
    server_finish(f->server);
    expect_seqs(f, &c, 1, 9000);
    assert_null(line_client_wait(&c, &f->loop));
    line_client_finish(&c);
    uv_run(&f->loop, UV_RUN_DEFAULT);
    open_server(f, 8, 1 << 20);
}

static void closing_in_the_middle_is_safe(void **state)
{
    fixture *f = *state;
    line_client c;

    send_clashes(f, 1, 20000);
    greet(f, &c);
    line_client_say(&c, &f->loop, "{\"type\":\"subscribe\",\"since_seq\":0}");
    WAIT_UNTIL(&f->loop, counter(f, "requests") == 1);
    reopen(f, 4, 65536);
    line_client_finish(&c);
}

/* Encoded once for each handedness, whoever asks. */
static void each_gets_its_own_axes(void **state)
{
    static const char *const asked[] = {
        "{\"type\":\"subscribe\",\"id\":1,\"axes\":\"openxr\",\"events\":[\"clash\",\"poses\"]}",
        "{\"type\":\"subscribe\",\"id\":1,\"axes\":\"godot\",\"events\":[\"clash\",\"poses\"]}",
        "{\"type\":\"subscribe\",\"id\":1,\"axes\":\"unity\",\"events\":[\"clash\",\"poses\"]}",
        "{\"type\":\"subscribe\",\"id\":1,\"events\":[\"clash\",\"poses\"]}"};
    fixture *f = *state;
    line_client c[4];
    pose_frame frame = sample_frame(1000);

    for (int i = 0; i < 4; i++) {
        greet(f, &c[i]);
        expect_ok(f, &c[i], asked[i], "1");
    }
    frame.samples[1].pose.orientation = (clash_quat){0.5f, -0.5f, 0.5f, 0.5f};
    send_event(f, sample_clash(1, 1.0f));
    f->port.frame(f->port.context, &frame);
    for (int i = 0; i < 4; i++) {
        const bool mirrored = i == 2;
        const char *line = line_client_wait(&c[i], &f->loop);
        assert_non_null(strstr(line, mirrored ? "\"midpoint\":[0.100000001,1.20000005,0.5]"
                                              : "\"midpoint\":[0.100000001,1.20000005,-0.5]"));
        assert_non_null(strstr(line, "\"normal\":[1,0,0]"));
        line = line_client_wait(&c[i], &f->loop);
        assert_non_null(strstr(line, mirrored ? "\"position\":[1,1.5,0.25]" : "\"position\":[1,1.5,-0.25]"));
        assert_non_null(
            strstr(line, mirrored ? "\"orientation\":[-0.5,0.5,0.5,0.5]" : "\"orientation\":[0.5,-0.5,0.5,0.5]"));
        line_client_finish(&c[i]);
    }
    assert_int_equal(counter(f, "events_encoded"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SINK(what_was_missed_comes_and_then_what_is_new),
        WITH_SINK(zero_is_everything_and_the_last_is_nothing),
        WITH_SINK(the_new_subscriptions_filters_apply),
        WITH_SINK(the_future_is_refused_and_the_old_subscription_stays),
        WITH_SINK(a_long_way_back_is_walked_at_the_readers_pace),
        WITH_SINK(what_is_gone_is_counted),
        WITH_SINK(finishing_brings_it_to_the_end),
        WITH_SINK(closing_in_the_middle_is_safe),
        WITH_SINK(each_gets_its_own_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
