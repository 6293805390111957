/* Subscribers with thresholds of their own over one session, and what comes again to who comes back: contacts that are told late,
 * and contacts left out because the two had just parted. */
#include "support/server_fixture.h"

#define MS INT64_C(1000000)

/** A part of a session: regular events in order, with the peaks between them. */
typedef struct part {
    char kind; /* c, h, r: clash, hold, release; p: a peak */
    uint64_t id;
    int64_t ms;
    float start, now;
} part;

static const part session[] = {
    {'c', 1, 0, 1, 1},  {'p', 1, 1, 1, 4},   {'p', 1, 2, 1, 6},   {'h', 1, 3, 1, 0},   {'p', 1, 3, 1, 9},
    {'r', 1, 4, 1, 0},  {'c', 2, 10, 7, 7},  {'p', 2, 11, 7, 8},  {'r', 2, 12, 7, 0},  {'c', 3, 90, 1, 1},
    {'h', 3, 91, 1, 0}, {'r', 3, 92, 1, 0},  {'c', 4, 93, 2, 2},  {'p', 4, 94, 2, 5},  {'h', 4, 95, 2, 0},
    {'r', 4, 96, 2, 0}, {'c', 5, 130, 8, 8}, {'r', 5, 131, 8, 0}, {'c', 6, 200, 8, 8}, {'r', 6, 201, 8, 0},
};
#define PARTS (sizeof session / sizeof *session)

static clash_event event_of(const part *p, uint64_t seq)
{
    clash_event event = p->kind == 'r' ? sample_release(seq, p->id, p->start) : sample_clash(seq, p->now);

    event.id = p->id;
    event.time_ns = SAMPLE_EPOCH_NS + p->ms * MS;
    event.start_closing_speed = p->start;
    if (p->kind == 'h')
        event.kind = CLASH_EVENT_HOLD;
    if (p->kind == 'p')
        event.as.clash.late = true;
    return event;
}

static void send_parts(fixture *f, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        clash_event event;
        uint64_t seq = 0;

        for (size_t k = 0; k <= i; k++)
            seq += session[k].kind != 'p';
        event = event_of(&session[i], seq);
        if (session[i].kind == 'p')
            f->port.peak(f->port.context, &event);
        else
            f->port.event(f->port.context, &event);
    }
}

/** As "c2 r2 l4", l being a clash that is late. */
static void describe(const char *line, char *out, size_t size)
{
    const char kind = strstr(line, "\"late\":true")    ? 'l'
                      : line_has_type(line, "clash")   ? 'c'
                      : line_has_type(line, "hold")    ? 'h'
                      : line_has_type(line, "release") ? 'r'
                                                       : '?';

    snprintf(out, size, "%c%d", kind, (int)line_number(line, "id"));
}

static void expect_told(fixture *f, line_client *c, const char *expected)
{
    char told[400] = "", one[16];
    const char *line;

    line_client_say(c, &f->loop, "{\"type\":\"ping\",\"id\":0}");
    while ((line = line_client_wait(c, &f->loop)) && !line_has_type(line, "ok")) {
        describe(line, one, sizeof one);
        assert_true(strlen(told) + strlen(one) + 2 < sizeof told);
        snprintf(told + strlen(told), sizeof told - strlen(told), "%s%s", told[0] ? " " : "", one);
    }
    assert_string_equal(told, expected);
}

static const struct {
    const char *asks, *told;
} subscribers[] = {
    {"", "c1 h1 r1 c2 r2 c3 h3 r3 c4 h4 r4 c5 r5 c6 r6"},
    {",\"min_closing_speed\":5", "c2 r2 c5 r5 c6 r6"},
    {",\"min_peak_speed\":5", "l1 h1 r1 c2 r2 l4 h4 r4 c5 r5 c6 r6"},
    {",\"min_peak_speed\":8.5", "l1 r1"},
    {",\"min_apart_ms\":50", "c1 h1 r1 c3 h3 r3 c6 r6"},
    {",\"min_apart_ms\":50,\"min_peak_speed\":5", "l1 h1 r1 l4 h4 r4 c6 r6"},
    {",\"min_apart_ms\":50,\"min_closing_speed\":5", "c2 r2 c5 r5 c6 r6"},
    {",\"min_apart_ms\":50,\"min_peak_speed\":5,\"events\":[\"clash\"]", "l1 l4 c6"},
    {",\"min_closing_speed\":2,\"min_peak_speed\":9", "l1 r1 c2 r2 c4 h4 r4 c5 r5 c6 r6"},
};
#define SUBSCRIBERS (sizeof subscribers / sizeof *subscribers)

static void subscribe(fixture *f, line_client *c, size_t subscriber, const char *more)
{
    char request[256];

    snprintf(request, sizeof request, "{\"type\":\"subscribe\",\"id\":1%s%s}", subscribers[subscriber].asks, more);
    expect_ok(f, c, request, "1");
}

static void each_is_told_what_it_asked_for(void **state)
{
    fixture *f = *state;
    line_client c[SUBSCRIBERS];

    reopen(f, SUBSCRIBERS, 1 << 20);
    for (size_t i = 0; i < SUBSCRIBERS; i++) {
        greet(f, &c[i]);
        subscribe(f, &c[i], i, "");
    }
    send_parts(f, 0, PARTS);
    for (size_t i = 0; i < SUBSCRIBERS; i++) {
        expect_told(f, &c[i], subscribers[i].told);
        line_client_finish(&c[i]);
    }
}

/* Its release has a peak of at least the late clash's speed; other clients get the session's own. */
static void a_release_has_the_peak_of_its_late_clash(void **state)
{
    static const struct {
        size_t subscriber;
        long long peak; /* of the first contact's release, m/s */
    } expected[] = {{0, 1}, {2, 6}, {3, 9}, {5, 6}};
    enum { COUNT = sizeof expected / sizeof *expected };
    fixture *f = *state;
    line_client c[COUNT];

    reopen(f, COUNT, 1 << 20);
    for (size_t i = 0; i < COUNT; i++) {
        greet(f, &c[i]);
        subscribe(f, &c[i], expected[i].subscriber, ",\"events\":[\"release\"]");
    }
    send_parts(f, 0, PARTS);
    for (size_t i = 0; i < COUNT; i++) {
        const char *line = line_client_wait(&c[i], &f->loop);

        assert_int_equal(line_number(line, "id"), 1);
        assert_int_equal(line_number(line, "peak_closing_speed"), expected[i].peak);
        line_client_finish(&c[i]);
    }
}

/* What is late has the number of the event before it, and all else of its own time. */
static void a_late_clash_is_a_line_of_its_own(void **state)
{
    fixture *f = *state;
    line_client c;
    const char *line;

    greet(f, &c);
    subscribe(f, &c, 2, ",\"events\":[\"clash\"],\"axes\":\"unity\"");
    send_parts(f, 0, 4);
    line = line_client_wait(&c, &f->loop);
    assert_non_null(strstr(line, "\"type\":\"clash\",\"seq\":1,\"time_ns\":2000000,\"id\":1,"));
    assert_non_null(strstr(line, ",\"closing_speed\":6,"));
    assert_non_null(strstr(line, ",\"late\":true,"));
    assert_non_null(strstr(line, "\"midpoint\":[0.100000001,1.20000005,0.5]"));
    expect_nothing(f, &c);
    line_client_finish(&c);
}

/* From wherever in its stream it comes back, it has the rest, once: as if it had never been away. */
static void who_comes_back_has_the_rest(void **state)
{
    fixture *f = *state;

    send_parts(f, 0, PARTS);
    for (size_t i = 0; i < SUBSCRIBERS; i++) {
        char since[80] = ",\"since_seq\":0";
        const char *rest = subscribers[i].told;

        while (*rest) {
            line_client c;
            char last[16];
            const char *line;

            greet(f, &c);
            subscribe(f, &c, i, since);
            expect_told(f, &c, rest);
            subscribe(f, &c, i, since); /* one line further */
            line = line_client_wait(&c, &f->loop);
            describe(line, last, sizeof last);
            snprintf(since, sizeof since, ",\"since_seq\":%llu%s%s", (unsigned long long)line_number(line, "seq"),
                     last[0] == 'l' ? ",\"since_late\":" : "", last[0] == 'l' ? last + 1 : "");
            rest += strcspn(rest, " ");
            rest += *rest == ' ';
            line_client_finish(&c);
        }
    }
}

/* Who does not say that it has a late clash is told again: twice rather than never. */
static void without_since_late_it_comes_again(void **state)
{
    fixture *f = *state;
    line_client c;

    send_parts(f, 0, 5);
    greet(f, &c);
    subscribe(f, &c, 2, ",\"since_seq\":1");
    expect_told(f, &c, "l1 h1");
    subscribe(f, &c, 2, ",\"since_seq\":1,\"since_late\":1");
    expect_told(f, &c, "h1");
    send_parts(f, 5, 8);
    expect_told(f, &c, "r1 c2"); /* and goes on live */
    line_client_finish(&c);
}

/* Peaks do not count in `missed`, and those whose events are gone do no harm. */
static void what_is_gone(void **state)
{
    enum { CONTACTS = 30000 };
    fixture *f = *state;
    line_client c;
    const char *line;
    uint64_t from;

    for (uint64_t i = 1; i <= CONTACTS; i++) {
        clash_event clash = sample_clash(2 * i - 1, 1.0f), late = sample_clash(2 * i - 1, 9.0f);
        clash_event release = sample_release(2 * i, 2 * i - 1, 1.0f);

        late.as.clash.late = true;
        late.start_closing_speed = 1.0f;
        send_event(f, clash);
        f->port.peak(f->port.context, &late);
        send_event(f, release);
    }
    greet(f, &c);
    subscribe(f, &c, 2, ",\"since_seq\":10,\"events\":[\"release\"]");
    line = line_client_wait(&c, &f->loop);
    assert_true(line_has_type(line, "lagged"));
    from = (uint64_t)line_number(line, "to_seq") + 1;
    assert_int_equal(line_number(line, "from_seq"), 11);
    assert_int_equal(line_number(line, "missed"), from - 11);
    assert_in_range(from, 20000, 30000);
    for (uint64_t seq = from + from % 2; seq <= UINT64_C(2) * CONTACTS; seq += 2) {
        line = line_client_wait(&c, &f->loop);
        assert_int_equal(line_number(line, "seq"), seq);
    }
    expect_nothing(f, &c);
    line_client_finish(&c);
}

static void fields_that_are_not_known_are_named(void **state)
{
    fixture *f = *state;
    line_client c;

    greet(f, &c);
    assert_null(strstr(ask(f, &c, "{\"type\":\"subscribe\",\"id\":1,\"events\":[]}"), "ignored"));
    assert_non_null(strstr(ask(f, &c, "{\"type\":\"subscribe\",\"id\":1,\"min_speed\":3,\"Axes\":\"unity\"}"),
                           "\"ignored\":[\"min_speed\",\"Axes\"]}"));
    line_client_finish(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SINK(each_is_told_what_it_asked_for),      WITH_SINK(a_release_has_the_peak_of_its_late_clash),
        WITH_SINK(a_late_clash_is_a_line_of_its_own),   WITH_SINK(who_comes_back_has_the_rest),
        WITH_SINK(without_since_late_it_comes_again),   WITH_SINK(what_is_gone),
        WITH_SINK(fields_that_are_not_known_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
