/* Messages of a room that are just within each bound are taken, and those just beyond it refused, with what was wrong; and so are the times of samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sources/peer/room_player.h"

#include "support/room_pair.h"

#define TEXT_MAX 70000

static char text[TEXT_MAX];
static size_t length;

static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *format, ...)
{
    va_list words;

    va_start(words, format);
    length += (size_t)vsnprintf(text + length, sizeof text - length, format, words);
    va_end(words);
    assert_true(length < sizeof text);
}

/* So many letters. */
static const char *letters(int count)
{
    static char out[200];

    memset(out, 'x', (size_t)count);
    out[count] = '\0';
    return out;
}

/* So many values, each a row of the same words. */
static void put_rows(int count, const char *row)
{
    for (int i = 0; i < count; i++)
        put("%s%s", i > 0 ? "," : "", row);
}

/* Whether the text is taken; if not, `why` has to name the key. */
static bool is_taken(room_message_kind kind, const char *key)
{
    static room_message out;
    failure why = {0};

    if (room_parse(kind, text, length, &out, &why) == 0)
        return true;
    if (!strstr(why.text, key))
        fail_msg("expected %s in '%s'", key, why.text);
    return false;
}

static void put_peer(int blades, int name, int device, int session)
{
    length = 0;
    put("{\"type\":\"peer\",\"session\":\"%s\",\"version\":1,\"from_sample\":0,\"blades\":[", letters(session));
    for (int i = 0; i < blades; i++) {
        put("%s{\"name\":\"%02d%s\",", i > 0 ? "," : "", i, letters(name - 2));
        put("\"device\":\"%s\",\"base\":[0,0,0],\"tip\":[0,0,1],\"radius\":1}", letters(device));
    }
    put("]}");
}

static void players_are_taken_up_to_each_bound(void **state)
{
    static const struct {
        int blades, name, device, session;
        const char *key; /* NULL: taken */
    } cases[] = {{16, 63, 127, 32, NULL},   {0, 63, 127, 1, NULL},    {17, 2, 1, 1, "blades"}, {1, 64, 1, 1, "name"},
                 {1, 63, 128, 1, "device"}, {1, 2, 1, 33, "session"}, {1, 2, 0, 1, "device"},  {1, 2, 1, 0, "session"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put_peer(cases[i].blades, cases[i].name, cases[i].device, cases[i].session);
        assert_int_equal(is_taken(ROOM_MESSAGE_PEER, cases[i].key ? cases[i].key : ""), cases[i].key == NULL);
    }
}

typedef struct samples_case {
    const char *version, *error, *first;
    int knots, devices, samples, device;
    const char *key;
} samples_case;

static void put_samples(const samples_case *c)
{
    char row[100];

    length = 0;
    put("{\"type\":\"samples\",\"session\":\"s\",\"version\":%s,\"clock\":\"c\",\"error_ns\":%s,\"knots\":[",
        c->version, c->error);
    put_rows(c->knots, "[9007199254740991,-9007199254740991]");
    put("],\"devices\":[");
    put_rows(c->devices, "\"/user/hand/left\"");
    put("],\"first\":%s,\"samples\":[", c->first);
    snprintf(row, sizeof row, "[%d,7,9007199254740991,10000,-10000,1e-45,0,0,0,1]", c->device);
    put_rows(c->samples, row);
    put("]}");
}

static void samples_are_taken_up_to_each_bound(void **state)
{
    static const samples_case cases[] = {
        {"9007199254740991", "9007199254740991", "9007199254740991", 16, 16, 256, 15, NULL},
        {"1", "0", "0", 2, 1, 1, 0, NULL},
        {"1", "0", "0", 2, 0, 0, 0, NULL},
        {"0", "0", "0", 2, 1, 1, 0, "version"},
        {"9007199254740992", "0", "0", 2, 1, 1, 0, "version"},
        {"1", "-1", "0", 2, 1, 1, 0, "error_ns"},
        {"1", "0", "-1", 2, 1, 1, 0, "first"},
        {"1", "0", "0.5", 2, 1, 1, 0, "first"},
        {"1", "0", "0", 17, 1, 1, 0, "knots"},
        {"1", "0", "0", 1, 1, 1, 0, "knots"},
        {"1", "0", "0", 2, 17, 1, 0, "devices"},
        {"1", "0", "0", 2, 1, 257, 0, "samples"},
        {"1", "0", "0", 2, 1, 1, 1, "samples"},
        {"1", "0", "0", 2, 1, 1, -1, "samples"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put_samples(&cases[i]);
        assert_int_equal(is_taken(ROOM_MESSAGE_SAMPLES, cases[i].key ? cases[i].key : ""), cases[i].key == NULL);
    }
}

/* One sample of ben's, so far from now by anna's clock; the knots cover it. */
static void send_at(machine *a, int64_t now_ns, int64_t ahead_ns, uint64_t number)
{
    const int64_t at_ns = now_ns - a->epoch_ns + ahead_ns;
    /* Anna's clock is the room's, and her map a straight line: ben, whose knots these are, may have the same times. */
    length = 0;
    put("{\"type\":\"samples\",\"session\":\"bbbb\",\"version\":1,\"clock\":\"aaaa\",\"error_ns\":0,\"knots\":[["
        "%" PRId64 ",%" PRId64 "],[%" PRId64 ",%" PRId64 "]],",
        at_ns - SECOND, at_ns - SECOND, at_ns + SECOND, at_ns + SECOND);
    put("\"devices\":[\"/user/hand/right\"],\"first\":%" PRIu64 ",\"samples\":[[0,3,%" PRId64 ",0,0,0,0,0,0,1]]}",
        number, at_ns);
    room_take(a->room, "ben", ROOM_MESSAGE_SAMPLES, text, length, now_ns - a->epoch_ns);
}

static void times_of_samples_are_bounded(void **state)
{
    static const struct {
        int64_t ahead_ns;
        bool is_refused, is_late;
    } cases[] = {{ROOM_AHEAD_NS, false, false},
                 {ROOM_AHEAD_NS + 1, true, false},
                 {-ROOM_BEHIND_NS, false, false},
                 {-ROOM_BEHIND_NS - 1, false, true}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        machine a, b;
        const int64_t now_ns = meet(&a, &b);

        assert_int_equal(room_map_forward(&room_clock_of(a.room)->map, now_ns), now_ns);
        send_at(&a, now_ns, cases[i].ahead_ns, 0);
        assert_int_equal(counter(&a, now_ns, "room_refused"), cases[i].is_refused);
        assert_int_equal(counter(&a, now_ns, "room_late"), cases[i].is_late);
        assert_int_equal(a.taken_count, !cases[i].is_refused && !cases[i].is_late);
        machine_close(&a, now_ns);
        machine_close(&b, now_ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(players_are_taken_up_to_each_bound),
        cmocka_unit_test(samples_are_taken_up_to_each_bound),
        cmocka_unit_test(times_of_samples_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
