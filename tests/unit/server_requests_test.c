/* What clients ask of the socket: one reply each, in order, and errors that say what was expected. */
#include "support/server_fixture.h"

static void unknown_names_are_told_what_there_is(void **state)
{
    fixture *f = *state;
    line_client c;

    greet(f, &c);
    expect_ok(f, &c, "{\"type\":\"subscribe\",\"id\":1,\"blades\":[\"right\"]}", "1");
    expect_error(f, &c, "{\"type\":\"subscribe\",\"id\":2,\"blades\":[\"left\",\"lefty\"]}", "unknown_name",
                 "\\\"left\\\", \\\"right\\\"");
    assert_int_equal(f->subscribed, 1);
    send_event(f, sample_clash(1, 3.0f)); /* the first one still holds */
    assert_true(line_has_type(line_client_wait(&c, &f->loop), "clash"));
    expect_error(f, &c, "{\"type\":\"subscribe\",\"id\":3,\"events\":[\"clashes\"]}", "unknown_name", "clash");
    line_client_finish(&c);
}

static void whatever_is_sent_the_connection_lives(void **state)
{
    fixture *f = *state;
    line_client c;
    char *big = malloc(PROTOCOL_LINE_MAX + 1);

    assert_non_null(big);
    greet(f, &c);
    expect_error(f, &c, "not json", "bad_json", "");
    expect_error(f, &c, "[1,2]", "bad_message", "");
    expect_error(f, &c, "{\"id\":7}", "bad_message", "\"id\":7");
    expect_error(f, &c, "{\"type\":\"dance\",\"id\":8}", "unknown_type", "\"id\":8");
    expect_error(f, &c, "{\"type\":\"subscribe\",\"id\":9,\"events\":3}", "bad_message", "events");
    expect_error(f, &c, "\xff\xfe\x01{{{", "bad_json", "");
    memset(big, 'x', PROTOCOL_LINE_MAX);
    big[PROTOCOL_LINE_MAX] = '\0';
    expect_error(f, &c, big, "line_too_long", "65536");
    line_client_say(&c, &f->loop, "{\"type\":\"dance\"}"); /* without an id: a newer client's, ignored */
    expect_nothing(f, &c);
    assert_int_equal(counter(f, "bad_requests"), 7);
    free(big);
    line_client_finish(&c);
}

static void random_bytes_harm_nobody(void **state)
{
    fixture *f = *state;
    line_client c, other;
    char noise[4096];
    uint32_t random = 12345;

    greet(f, &c);
    greet(f, &other);
    for (int round = 0; round < 100; round++) {
        for (size_t i = 0; i < sizeof noise; i++)
            noise[i] = (char)((random = random * 1664525u + 1013904223u) >> 24);
        line_client_send(&c, &f->loop, noise, sizeof noise);
        line_client_read(&c, SIZE_MAX);
    }
    line_client_send(&c, &f->loop, "\n", 1);
    line_client_say(&c, &f->loop, "{\"type\":\"ping\",\"id\":\"alive\"}");
    for (const char *line = ""; !strstr(line, "\"alive\"");) {
        line = line_client_wait(&c, &f->loop);
        assert_non_null(line);
    }
    expect_nothing(f, &other);
    line_client_finish(&c);
    line_client_finish(&other);
}

/* Each request with an id has one reply, in order, of whatever kind, while events go out in between. */
static void replies_keep_the_order_of_requests(void **state)
{
    enum { REQUESTS = 3000 };
    fixture *f = *state;
    line_client c;
    int next = 0;
    uint64_t seq = 0;

    greet(f, &c);
    for (int i = 0; i < REQUESTS; i++) {
        char request[128];
        const char *const kinds[] = {"\"type\":\"ping\"", "\"type\":\"status\"", "\"type\":\"dance\"",
                                     "\"type\":\"subscribe\""};
        snprintf(request, sizeof request, "{%s,\"id\":%d}", kinds[i % 4], i);
        line_client_say(&c, &f->loop, request);
        send_event(f, sample_clash(++seq, 1.0f));
        if (i % 50 == 0)
            uv_run(&f->loop, UV_RUN_NOWAIT);
    }
    while (next < REQUESTS) {
        static const char *const types[] = {"ok", "status", "error", "ok"};
        const char *line = line_client_wait(&c, &f->loop);
        assert_non_null(line);
        if (line_has_type(line, "clash") || line_has_type(line, "lagged"))
            continue;
        assert_true(line_has_type(line, types[next % 4]));
        assert_int_equal(line_number(line, "id"), next++);
    }
    line_client_finish(&c);
}

static void status_tells_of_the_source_and_of_the_clients(void **state)
{
    fixture *f = *state;
    line_client c, other;

    greet(f, &c);
    greet(f, &other);
    const char *line = ask(f, &c, "{\"type\":\"status\",\"id\":\"s\"}");
    assert_true(line_has_type(line, "status"));
    assert_non_null(strstr(line, "\"id\":\"s\""));
    assert_int_equal(line_number(line, "clients"), 2);
    assert_int_equal(line_number(line, "clients_accepted"), 2);
    line_client_finish(&c);
    line_client_finish(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SINK(unknown_names_are_told_what_there_is),
        WITH_SINK(whatever_is_sent_the_connection_lives),
        WITH_SINK(random_bytes_harm_nobody),
        WITH_SINK(replies_keep_the_order_of_requests),
        WITH_SINK(status_tells_of_the_source_and_of_the_clients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
