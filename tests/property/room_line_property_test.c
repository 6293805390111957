/* Messages of samples read in one pass are what JSON and the schema make of them, to the bit: as clashd writes them, and damaged in some
 * places. What clashd writes goes the short way. A failure prints seed and message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "protocol/messages/room_line.h"
#include "support/random.h"

static uint64_t seed;

static int64_t any_time(random_state *r)
{
    return (int64_t)random_in(r, -1e5, random_below(r, 2) ? 9.007199254740991e15 : 1e11);
}

static float any_float(random_state *r)
{
    static const float odd[] = {0.0f, -0.0f, 1.0f, -1.0f, 1e-38f, 3.4e38f, -1e30f, 1e-45f, 0.1f};

    return random_below(r, 8) ? (float)random_in(r, -3.0, 3.0) : odd[random_below(r, 9)];
}

static void make(random_state *r, room_message_samples *out)
{
    memset(out, 0, sizeof *out);
    snprintf(out->session, sizeof out->session, "%016llx", (unsigned long long)random_bits(r));
    snprintf(out->clock, sizeof out->clock, "%llx", (unsigned long long)random_bits(r));
    out->version = 1 + (uint64_t)random_below(r, 100);
    out->error_ns = random_below(r, 1000000000);
    out->knot_count = 2 + (size_t)random_below(r, ROOM_MESSAGE_KNOTS_MAX - 1);
    for (size_t i = 0; i < out->knot_count; i++) {
        out->knots[i][0] = any_time(r);
        out->knots[i][1] = any_time(r);
    }
    out->device_count = 1 + (size_t)random_below(r, ROOM_MESSAGE_DEVICES_MAX);
    for (size_t i = 0; i < out->device_count; i++)
        snprintf(out->devices[i], sizeof out->devices[i], "/user/hand/%zu", i);
    out->first = (uint64_t)random_below(r, 1000000);
    out->count = (size_t)random_below(r, random_below(r, 20) ? 12 : ROOM_MESSAGE_SAMPLES_MAX + 1);
    for (size_t i = 0; i < out->count; i++) {
        room_message_sample *s = &out->samples[i];

        s->device = (uint32_t)random_below(r, (int)out->device_count);
        s->is_valid = random_below(r, 5) > 0;
        s->is_tracked = s->is_valid && random_below(r, 5) > 0;
        s->is_teleport = random_below(r, 9) == 0;
        s->time_ns = any_time(r);
        if (s->is_valid)
            s->pose = (clash_pose){.orientation = {any_float(r), any_float(r), any_float(r), any_float(r)},
                                   .position = {any_float(r), any_float(r), any_float(r)}};
    }
}

/* A blank before it is nothing that clashd writes: so it goes the long way. */
static int read_slowly(const char *text, size_t length, room_message *out)
{
    static char longer[PROTOCOL_LINE_MAX + 1];
    failure ignored = {0};

    longer[0] = ' ';
    memcpy(longer + 1, text, length);
    return room_parse(ROOM_MESSAGE_SAMPLES, longer, length + 1, out, &ignored);
}

/* What is to be read is written the same if it is the same, to the bit. */
static bool is_same(const room_message_samples *a, const room_message_samples *b)
{
    static char texts[2][PROTOCOL_LINE_MAX];
    const size_t first = room_encode_samples(texts[0], sizeof texts[0], a);

    return first > 0 && room_encode_samples(texts[1], sizeof texts[1], b) == first &&
           memcmp(texts[0], texts[1], first) == 0;
}

/* Whether it went the short way. */
static bool compare(const char *text, size_t length)
{
    static room_message slow;
    static room_message_samples fast;
    failure why = {0};

    if (!room_line_read(text, length, &fast))
        return false;
    if (read_slowly(text, length, &slow) != 0)
        fail_msg("seed %llu: taken, but no message: %.*s", (unsigned long long)seed, (int)length, text);
    if (!is_same(&fast, &slow.samples))
        fail_msg("seed %llu: read as something else: %.*s", (unsigned long long)seed, (int)length, text);
    assert_int_equal(room_parse(ROOM_MESSAGE_SAMPLES, text, length, &slow, &why), 0);
    return true;
}

/* Of what is written, with room at the end for one byte more. */
static size_t damage(random_state *r, char *text, size_t length)
{
    static const char bytes[] = "0123456789-+.eE,:[]{}\" \\/nulltruefalse\t\n\x01\x80\xff";

    for (int i = 1 + random_below(r, 3); i > 0; i--) {
        const size_t at = (size_t)random_below(r, (int)length);
        const int what = random_below(r, 4);

        if (what == 0) {
            memmove(text + at, text + at + 1, length - at - 1);
            length--;
        } else if (what == 1 && length + 1 < PROTOCOL_LINE_MAX - 2) {
            memmove(text + at + 1, text + at, length - at);
            length++;
        }
        if (what != 0)
            text[at] = bytes[random_below(r, (int)sizeof bytes - 1)];
    }
    return length;
}

static void both_ways_are_one(void **state)
{
    static room_message_samples made;
    static char text[PROTOCOL_LINE_MAX];
    random_state r = {seed = random_seed(41)};
    long damaged = 0;

    (void)state;
    for (long i = random_cases(4000); i > 0; i--) {
        size_t length;

        make(&r, &made);
        length = room_encode_samples(text, sizeof text - 2, &made);
        if (length == 0)
            continue;
        length--; /* the newline */
        if (!compare(text, length))
            fail_msg("seed %llu: what clashd writes goes the long way: %s", (unsigned long long)seed, text);
        for (int turn = 0; turn < 20; turn++) {
            static char other[PROTOCOL_LINE_MAX];

            memcpy(other, text, length);
            damaged += compare(other, damage(&r, other, length));
        }
    }
    assert_true(damaged > 0); /* else no damage that leaves a message was tried */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_ways_are_one)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
