/* OSC: what settings may say, what names become in addresses, the bytes that leave, how long a clash is shown, and that neither the
 * rate, nor nobody at the other end, nor a name that nobody knows costs more than the messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "scene/outlets.h"
#include "sinks/osc/osc.h"
#include "sinks/osc/osc_path.h"
#include "sinks/osc/osc_pulse.h"
#include "sinks/osc/osc_receiver.h"

#include "support/fresh.h"

/* ---- settings ---- */

static void addresses_are_checked(void **state)
{
    static const char *const good[] = {"/clash", "/a/b/c", "/clash/{first}/{second}", "/{first}{first}",
                                       "/a-b_c.d:!$&'()+;<=>@^~"};
    static const char *const bad[] = {"",     "/",     "clash",     "/a b",        "/a#",     "/a*",
                                      "/a,b", "/a?",   "/[a]",      "/{a}",        "/{first", "/first}",
                                      "/\n",  "/\x7f", "/\xc3\xa4", "/{parameter}"};
    failure why = {0};

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_int_equal(osc_path_check(good[i], osc_path_blades, fresh(&why)), 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(osc_path_check(bad[i], osc_path_blades, fresh(&why)), -1);
        assert_non_null(strstr(why.text, "{first} and {second}"));
    }
    assert_int_equal(osc_path_check("/avatar/parameters/{parameter}", osc_path_avatar, fresh(&why)), 0);
    assert_int_equal(osc_path_check("/{first}", osc_path_avatar, fresh(&why)), -1);
    assert_non_null(strstr(why.text, "{parameter} may"));
}

static void names_cannot_leave_their_place(void **state)
{
    const char *const names[] = {"npc/7 *?[a]{b}#,\n%", "\xc3\xa4"};
    char out[128];

    (void)state;
    assert_true(osc_path_expand("/x/{first}/{second}", osc_path_blades, names, out, sizeof out));
    assert_string_equal(out, "/x/npc%2F7%20%2A%3F%5Ba%5D%7Bb%7D%23%2C%0A%25/%C3%A4");
    assert_int_equal(osc_path_check(out, osc_path_blades, &(failure){0}), 0);
    for (size_t size = 0; size <= strlen(out); size++) {
        char little[128];

        memset(little, '+', sizeof little);
        assert_false(osc_path_expand("/x/{first}/{second}", osc_path_blades, names, little, size));
        assert_int_equal(little[size], '+');
    }
}

static void receivers_are_checked(void **state)
{
    static const struct {
        const char *text, *host, *port;
    } good[] = {{"9000", "127.0.0.1", "9000"},
                {"localhost:1", "127.0.0.1", "1"},
                {"[::1]:65535", "::1", "65535"},
                {"desk.local:07000", "desk.local", "7000"},
                {"[fe80::1%eth0]:9", "fe80::1%eth0", "9"},
                {"10.0.0.255:7", "10.0.0.255", "7"}};
    static const char *const bad[] = {"",         "0",    "65536", "-1",   "a",    "a:",        ":7000",
                                      "::1:7000", "[]:1", "a b:1", "-x:1", "a:1x", "udp://a:1", "a:123456"};
    osc_receiver found;
    failure why = {0};

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_int_equal(osc_receiver_parse(good[i].text, &found, fresh(&why)), 0);
        assert_string_equal(found.host, good[i].host);
        assert_string_equal(found.port, good[i].port);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(osc_receiver_parse(bad[i], &found, fresh(&why)), -1);
        assert_non_null(strstr(why.text, "HOST:PORT"));
    }
}

/* ---- what is shown ---- */

static void a_clash_is_shown_until_it_was_seen(void **state)
{
    osc_pulse pulse = {0};
    osc_shown shown;

    (void)state;
    osc_pulse_clash(&pulse, 0.5f, 1000, 100);
    osc_pulse_release(&pulse); /* at once */
    shown = osc_pulse_show(&pulse, 1099);
    assert_true(shown.intensity == 0.5f && shown.touching && shown.clashes == 1);
    shown = osc_pulse_show(&pulse, 1100);
    assert_true(shown.intensity == 0.0f && !shown.touching && shown.clashes == 1);
    osc_pulse_clash(&pulse, NAN, 2000, 100);
    shown = osc_pulse_show(&pulse, 2500); /* held */
    assert_true(shown.intensity == 0.0f && shown.touching);
    osc_pulse_release(&pulse);
    osc_pulse_release(&pulse); /* of a contact that nobody saw begin */
    for (int i = 0; i < 254; i++)
        osc_pulse_clash(&pulse, INFINITY, 3000, 1);
    shown = osc_pulse_show(&pulse, 3000);
    assert_true(shown.intensity == 1.0f && shown.clashes == 0); /* 256 of them */
}

/* ---- what leaves ---- */

typedef struct desk {
    int fd;
    char text[OSC_RECEIVER_TEXT_MAX];
} desk;

static desk open_desk(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof at;
    desk d = {.fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0)};

    assert_true(d.fd >= 0);
    assert_int_equal(bind(d.fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(getsockname(d.fd, (struct sockaddr *)&at, &length), 0);
    snprintf(d.text, sizeof d.text, "%u", ntohs(at.sin_port));
    return d;
}

typedef struct stage {
    uv_loop_t loop;
    uv_async_t alive;      /* as clashd's socket keeps its loop */
    const char *intensity; /* its path; NULL: the usual one */
    outlet sink;
} stage;

static void open_stage(stage *s, const char (*receivers)[OSC_RECEIVER_TEXT_MAX], size_t count, bool are_avatars,
                       double rate_hz)
{
    const osc_settings settings = {
        .loop = &s->loop,
        .receivers = receivers,
        .receiver_count = are_avatars ? 0 : count,
        .avatars = receivers,
        .avatar_count = are_avatars ? count : 0,
        .clash = "/clash",
        .hold = "",
        .release = "/over/{second}",
        .intensity = s->intensity ? s->intensity : "/i",
        .avatar = "/avatar/parameters/{parameter}",
        .rate_hz = rate_hz,
        .pulse_ms = 20,
    };
    failure why = {0};

    assert_int_equal(uv_loop_init(&s->loop), 0);
    assert_int_equal(uv_async_init(&s->loop, &s->alive, NULL), 0);
    if (outlet_open(&s->sink, &osc_place, &settings, &why) != 0)
        fail_msg("%s", why.text);
}

static void close_stage(stage *s)
{
    outlet_close(&s->sink);
    uv_close((uv_handle_t *)&s->alive, NULL);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&s->loop), 0);
}

static void tell_of(const stage *s, clash_event_kind kind, uint64_t id, const char *first)
{
    const event_sink sink = outlet_port(&s->sink);
    clash_event event = {.kind = kind, .id = id, .blades = {first, "r/2"}, .duration_ns = 500000000};

    if (kind == CLASH_EVENT_RELEASE)
        event.as.release.min_distance = 0.0f;
    else
        event.as.clash =
            (clash_event_clash){.contact.midpoint = {0.5f, -1.0f, 2.0f}, .closing_speed = 8.0f, .intensity = 0.25f};
    sink.event(sink.context, &event);
}

static void tell(const stage *s, clash_event_kind kind, uint64_t id)
{
    tell_of(s, kind, id, "left");
}

static uint64_t counted(const stage *s, const char *name)
{
    counter_list list = {.count = 0};

    outlet_list_counters(&s->sink, &list);
    for (size_t i = 0; i < list.count; i++)
        if (strcmp(list.rows[i].name, name) == 0)
            return list.rows[i].value;
    fail_msg("no counter %s", name);
    return 0;
}

static bool next_is(const desk *d, const char *bytes, size_t length)
{
    char got[1500];
    const ssize_t count = recv(d->fd, got, sizeof got, 0);

    return count == (ssize_t)length && memcmp(got, bytes, length) == 0;
}

#define NEXT_IS(desk, bytes) next_is(desk, bytes, sizeof(bytes) - 1)

/* By the letter of OSC 1.0: all in fours, strings with zeros behind, numbers with the high byte first. */
static const char clash_bytes[] =
    "/clash\0\0,ssfffffi\0\0\0left\0\0\0\0r/2\0\x3f\0\0\0\xbf\x80\0\0\x40\0\0\0\x41\0\0\0\x3e\x80\0\0\0\0\0\x07";
static const char release_bytes[] = "/over/r%2F2\0,ssfi\0\0\0left\0\0\0\0r/2\0\x3f\0\0\0\0\0\0\x07";
static const char lit_bytes[] = "/i\0\0,f\0\0\x3e\x80\0\0";
static const char dark_bytes[] = "/i\0\0,f\0\0\0\0\0\0";

static void bytes_are_those_of_the_specification(void **state)
{
    desk d = open_desk();
    stage s = {0};

    (void)state;
    if (!osc_place.file)
        skip();
    open_stage(&s, &d.text, 1, false, 1000.0);
    tell(&s, CLASH_EVENT_CLASH, 7);
    tell(&s, CLASH_EVENT_HOLD, 7);
    tell(&s, CLASH_EVENT_RELEASE, 7);
    assert_true(NEXT_IS(&d, clash_bytes));
    assert_true(NEXT_IS(&d, lit_bytes));
    assert_true(NEXT_IS(&d, release_bytes));
    assert_false(NEXT_IS(&d, dark_bytes)); /* it has not been shown yet */
    while (!NEXT_IS(&d, dark_bytes)) {
        usleep(1000);
        uv_run(&s.loop, UV_RUN_NOWAIT);
    }
    assert_int_equal(counted(&s, "osc_sent"), 4);
    close_stage(&s);
    close(d.fd);
}

static void an_avatar_is_left_as_it_was(void **state)
{
    static const char off[] = "/avatar/parameters/ClashTouching\0\0\0\0,F\0\0",
                      on[] = "/avatar/parameters/ClashTouching\0\0\0\0,T\0\0";
    static const char lit[] = "/avatar/parameters/ClashIntensity\0\0\0,f\0\0\x3e\x80\0\0",
                      dark[] = "/avatar/parameters/ClashIntensity\0\0\0,f\0\0\0\0\0\0";
    static const char none[] = "/avatar/parameters/ClashCount\0\0\0,i\0\0\0\0\0\0",
                      one[] = "/avatar/parameters/ClashCount\0\0\0,i\0\0\0\0\0\1";
    desk d = open_desk();
    stage s = {0};

    (void)state;
    if (!osc_place.file)
        skip();
    open_stage(&s, &d.text, 1, true, 1000.0);
    assert_true(NEXT_IS(&d, dark) && NEXT_IS(&d, off) && NEXT_IS(&d, none));
    tell(&s, CLASH_EVENT_CLASH, 1);
    assert_true(NEXT_IS(&d, lit) && NEXT_IS(&d, on) && NEXT_IS(&d, one));
    close_stage(&s); /* while it touches */
    assert_true(NEXT_IS(&d, dark) && NEXT_IS(&d, off));
    close(d.fd);
}

static void the_rate_costs_events_but_no_state(void **state)
{
    desk d = open_desk();
    char got[1500];
    uint64_t arrived = 0;
    stage s = {0};

    (void)state;
    if (!osc_place.file)
        skip();
    open_stage(&s, &d.text, 1, false, 20.0);
    for (uint64_t i = 0; i < 500; i++) {
        tell(&s, CLASH_EVENT_CLASH, i);
        tell(&s, CLASH_EVENT_RELEASE, i);
    }
    /* What is lit at the end goes out, however late. */
    do {
        const ssize_t length = recv(d.fd, got, sizeof got, 0);

        arrived += length > 0;
        if (length == sizeof dark_bytes - 1 && memcmp(got, dark_bytes, (size_t)length) == 0)
            break;
        usleep(1000);
        uv_run(&s.loop, UV_RUN_NOWAIT);
    } while (true);
    assert_in_range(counted(&s, "osc_limited"), 900, 1000);
    assert_int_equal(counted(&s, "osc_sent"), arrived);
    assert_int_equal(counted(&s, "osc_lost"), 0);
    close_stage(&s);
    close(d.fd);
}

/* Each sword's fader goes down again, however many are struck at once. */
static void the_rate_leaves_no_fader_up(void **state)
{
    bool is_up[10] = {false};
    desk d = open_desk();
    stage s = {.intensity = "/i/{first}"};
    char got[1500];

    (void)state;
    if (!osc_place.file)
        skip();
    open_stage(&s, &d.text, 1, false, 5.0);
    for (uint64_t i = 0; i < 10; i++)
        tell_of(&s, CLASH_EVENT_CLASH, i, (const char[]){'s', (char)('0' + i), '\0'});
    close_stage(&s);
    while (recv(d.fd, got, sizeof got, 0) > 0)
        if (memcmp(got, "/i/s", 4) == 0)
            is_up[got[4] - '0'] = got[12] != 0;
    for (size_t i = 0; i < 10; i++)
        assert_false(is_up[i]);
    close(d.fd);
}

/* Names for which there is no room light nobody else's. */
static void a_path_that_is_too_long_lights_no_other(void **state)
{
    char path[256] = "/", first[64] = {0};
    desk d = open_desk();
    stage s = {.intensity = path};
    char got[1500];

    (void)state;
    if (!osc_place.file)
        skip();
    for (size_t at = 1; at < 1 + 30 * strlen("{first}"); at += strlen("{first}"))
        snprintf(path + at, sizeof path - at, "{first}");
    memset(first, '/', sizeof first - 1);
    open_stage(&s, &d.text, 1, false, 1000.0);
    tell_of(&s, CLASH_EVENT_CLASH, 1, "a");
    while (recv(d.fd, got, sizeof got, 0) > 0) {
    }
    tell_of(&s, CLASH_EVENT_CLASH, 2, first);
    while (recv(d.fd, got, sizeof got, 0) > 0)
        assert_true(memcmp(got, "/aaa", 4) != 0 || got[36] == 0);
    assert_int_equal(counted(&s, "osc_not_encoded"), 1);
    close_stage(&s);
    close(d.fd);
}

/* An avatar remembers what it was told last. */
static void the_rate_keeps_no_end_back(void **state)
{
    static const char off[] = "/avatar/parameters/ClashTouching\0\0\0\0,F\0\0";
    bool is_off = false;
    desk d = open_desk();
    char got[1500];
    stage s = {0};

    (void)state;
    if (!osc_place.file)
        skip();
    open_stage(&s, &d.text, 1, true, 5.0);
    for (uint64_t i = 0; i < 10; i++)
        tell(&s, CLASH_EVENT_CLASH, i);
    while (recv(d.fd, got, sizeof got, 0) > 0) {
    }
    close_stage(&s);
    for (ssize_t length; (length = recv(d.fd, got, sizeof got, 0)) > 0;)
        is_off |= length == sizeof off - 1 && memcmp(got, off, sizeof off - 1) == 0;
    assert_true(is_off);
    close(d.fd);
}

static void nobody_at_the_other_end_costs_nothing(void **state)
{
    desk gone = open_desk(), there = open_desk();
    char receivers[3][OSC_RECEIVER_TEXT_MAX] = {"nobody.invalid:9"};
    stage s = {0};

    (void)state;
    if (!osc_place.file)
        skip();
    close(gone.fd);
    snprintf(receivers[1], sizeof receivers[1], "%s", gone.text);
    snprintf(receivers[2], sizeof receivers[2], "%s", there.text);
    open_stage(&s, (const char(*)[OSC_RECEIVER_TEXT_MAX])receivers, 3, false, 1000.0);
    for (uint64_t i = 0; i < 5; i++) {
        tell(&s, CLASH_EVENT_CLASH, 7);
        assert_true(NEXT_IS(&there, clash_bytes) && NEXT_IS(&there, lit_bytes));
    }
    assert_true(counted(&s, "osc_refused") >= 1); /* on loopback before the next message */
    assert_int_equal(counted(&s, "osc_lost"), 5);
    close_stage(&s); /* waits for no lookup */
    close(there.fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_checked),
        cmocka_unit_test(names_cannot_leave_their_place),
        cmocka_unit_test(receivers_are_checked),
        cmocka_unit_test(a_clash_is_shown_until_it_was_seen),
        cmocka_unit_test(bytes_are_those_of_the_specification),
        cmocka_unit_test(an_avatar_is_left_as_it_was),
        cmocka_unit_test(the_rate_costs_events_but_no_state),
        cmocka_unit_test(the_rate_leaves_no_fader_up),
        cmocka_unit_test(a_path_that_is_too_long_lights_no_other),
        cmocka_unit_test(the_rate_keeps_no_end_back),
        cmocka_unit_test(nobody_at_the_other_end_costs_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
