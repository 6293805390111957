/* Lines of poses read in one pass are what JSON and the schema make of them, to the bit: as clashd writes them, with keys in any
 * order, odd numbers and spaces, and damaged in one to a few dozen places. What clashd writes goes the short way. A failure prints
 * seed and line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "fuzz/mutate.h"
#include "protocol/messages/encode.h"
#include "support/pose_lines.h"

static uint64_t seed;

/** A line that is put together, as another program might write it. */
typedef struct written {
    random_state *r;
    size_t length;
    char text[PROTOCOL_LINE_MAX];
} written;

static void put(written *w, const char *text)
{
    const size_t length = strlen(text);

    if (w->length + length < sizeof w->text) {
        memcpy(w->text + w->length, text, length + 1);
        w->length += length;
    }
}

static bool rarely(written *w)
{
    return random_below(w->r, 40) == 0;
}

static void put_space(written *w)
{
    static const char *const odd[] = {"  ", "\t", "\r", "\n", "\v", "\xc2\xa0"};

    if (random_below(w->r, 6) == 0)
        put(w, rarely(w) ? odd[random_below(w->r, 6)] : " ");
}

static void put_number(written *w)
{
    static const char *const odd[] = {"0",
                                      "-0",
                                      "-0.0",
                                      "1e5",
                                      "1E-5",
                                      "0.1e+2",
                                      "1e22",
                                      "1e23",
                                      "01",
                                      "1.",
                                      "null",
                                      "1e999",
                                      "1e-999",
                                      "\"1\"",
                                      "1e38",
                                      "3.5e38",
                                      "NaN",
                                      "-",
                                      "1e-23",
                                      "-1e400",
                                      "+1",
                                      ".5",
                                      "[1]",
                                      "1e40",
                                      "true",
                                      "9007199254740993",
                                      "0.30000000000000004441",
                                      "123456789012345678901"};
    char text[64];

    if (random_below(w->r, 8) == 0) {
        put(w, odd[random_below(w->r, MUTATE_COUNT(odd))]);
        return;
    }
    snprintf(text, sizeof text, "%.*g", 1 + random_below(w->r, 17), random_in(w->r, -2, 2));
    put(w, text);
}

static void put_numbers(written *w, int count)
{
    count += rarely(w) ? random_below(w->r, 3) - 1 : 0;
    put(w, "[");
    for (int i = 0; i < count; i++) {
        put_space(w);
        put_number(w);
        put_space(w);
        put(w, i + 1 < count ? "," : "");
    }
    put(w, "]");
}

static void put_flag(written *w)
{
    static const char *const odd[] = {"null", "1", "True", "\"true\"", "tru", "truefalse"};

    put(w, rarely(w) ? odd[random_below(w->r, 6)] : random_below(w->r, 2) ? "true" : "false");
}

static void put_device(written *w)
{
    static const char *const odd[] = {"\"\"",     "\"a\\u0041\"", "\"\xc3\xa4\"", "\"\xff\"", "5",
                                      "\"a\tb\"", "\"a\x7f\"",    "\"a\\\"b\"",   "\"a",      "\"a\\\\\""};
    char name[160];
    const int length = rarely(w) ? 120 + random_below(w->r, 16) : 1 + random_below(w->r, 20);

    if (rarely(w)) {
        put(w, odd[random_below(w->r, MUTATE_COUNT(odd))]);
        return;
    }
    snprintf(name, sizeof name, "\"%0*d\"", length, random_below(w->r, 10));
    put(w, name);
}

static void put_key(written *w, const char *key, bool is_first)
{
    put(w, is_first ? "" : ",");
    put_space(w);
    put(w, "\"");
    put(w, key);
    put(w, random_below(w->r, 1600) == 0 ? "x\"" : "\"");
    put_space(w);
    put(w, ":");
    put_space(w);
}

static void put_value(written *w, int key)
{
    if (key == 0)
        put_device(w);
    else if (key == 1)
        put_numbers(w, 3);
    else if (key == 2)
        put_numbers(w, 4);
    else if (key == 6)
        put(w, "\"game\"");
    else
        put_flag(w);
}

/** `order` of so many keys, in any; some are left out or come twice, now and then. */
static int shuffled(written *w, int *order, int count)
{
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; i > 0 && random_below(w->r, 2); i--) {
        const int k = random_below(w->r, i + 1), held = order[i];

        order[i] = order[k];
        order[k] = held;
    }
    if (rarely(w))
        order[random_below(w->r, count)] = order[0];
    return count;
}

static void put_pose(written *w)
{
    static const char *const keys[] = {"device", "position", "orientation", "tracked",
                                       "valid",  "teleport", "source",      "battery"};
    int order[8], put_already = 0;
    const int count = shuffled(w, order, rarely(w) ? 8 : 3 + random_below(w->r, 4));

    put(w, "{");
    for (int i = 0; i < count; i++) {
        if (rarely(w))
            continue;
        put_key(w, keys[order[i]], put_already++ == 0);
        put_value(w, order[i]);
        put_space(w);
    }
    put(w, "}");
}

static void put_poses(written *w)
{
    const bool is_long = rarely(w);
    const int count = is_long ? RECORDING_POSES_MAX - 2 + random_below(w->r, 5) : random_below(w->r, 4);

    put(w, "[");
    for (int i = 0; i < count; i++) {
        put(w, i > 0 ? "," : "");
        put_space(w);
        if (is_long)
            put(w, "{\"device\":\"a\",\"position\":[0,0,0],\"orientation\":[0,0,0,1]}");
        else
            put_pose(w);
        put_space(w);
    }
    put(w, "]");
}

static void put_time(written *w)
{
    static const char *const odd[] = {"-0", "1.0", "1e3", "9007199254740991", "9007199254740992", "00", "1.5", "\"1\""};
    char text[32];

    snprintf(text, sizeof text, "%lld", (long long)(random_bits(w->r) >> random_below(w->r, 64)));
    put(w, rarely(w) ? odd[random_below(w->r, 8)] : random_below(w->r, 3) ? "123456789" : text);
}

static void put_line(written *w)
{
    static const char *const keys[] = {"type", "time_ns", "poses", "more", "later"};
    int order[5], put_already = 0;
    const int count = shuffled(w, order, rarely(w) ? 5 : 3 + random_below(w->r, 2));

    w->length = 0;
    put_space(w);
    put(w, "{");
    for (int i = 0; i < count; i++) {
        if (rarely(w))
            continue;
        put_key(w, keys[order[i]], put_already++ == 0);
        if (order[i] == 0)
            put(w, rarely(w) ? "\"mark\"" : "\"poses\"");
        else if (order[i] == 1)
            put_time(w);
        else if (order[i] == 2)
            put_poses(w);
        else
            put_flag(w);
        put_space(w);
    }
    put(w, "}");
    put_space(w);
}

static pose_lines_verdict check(const char *line, size_t length)
{
    const pose_lines_verdict verdict = pose_lines_check(line, length);

    if (verdict == POSE_LINES_WRONG)
        fail_msg("seed %llu: %.*s", (unsigned long long)seed, (int)length, line);
    return verdict;
}

static void lines_of_other_programs(void **state)
{
    static written w;
    static random_state r;
    long taken = 0, left = 0;

    (void)state;
    r = (random_state){seed};
    w.r = &r;
    for (long i = 0; i < random_cases(40000); i++) {
        put_line(&w);
        *(check(w.text, w.length) == POSE_LINES_SAME ? &taken : &left) += 1;
    }
    assert_true(taken > random_enough(5000));
    assert_true(left > random_enough(5000));
}

static size_t write_line(random_state *r, char *out, size_t size)
{
    protocol_pose poses[4];
    const size_t count = (size_t)random_below(r, 5);

    for (size_t i = 0; i < count; i++)
        poses[i] = (protocol_pose){random_below(r, 2) ? "/user/hand/left" : "npc/7",
                                   {random_turn(r, 6), random_box(r, pow(10, random_in(r, -4, 5)))},
                                   random_below(r, 2) == 0,
                                   random_below(r, 4) > 0,
                                   random_below(r, 8) == 0,
                                   random_below(r, 8) == 0,
                                   random_below(r, 8) == 0,
                                   CLASH_SOURCE_NONE,
                                   {0}};
    return protocol_encode_recorded_poses(out, size, (int64_t)(random_bits(r) >> 20), poses, count,
                                          random_below(r, 4) == 0);
}

static void lines_of_clashd_go_the_short_way(void **state)
{
    static char line[PROTOCOL_LINE_MAX];
    random_state r = {seed};

    (void)state;
    for (long i = 0; i < random_cases(40000); i++) {
        const size_t length = write_line(&r, line, sizeof line) - 1;

        if (check(line, length) != POSE_LINES_SAME)
            fail_msg("seed %llu: is not taken: %.*s", (unsigned long long)seed, (int)length, line);
    }
}

static void damaged_lines(void **state)
{
    static uint8_t data[MUTATE_SIZE_MAX];
    static char line[PROTOCOL_LINE_MAX];
    random_state r = {seed};
    long taken = 0, left = 0;

    (void)state;
    for (long i = 0; i < random_cases(60000); i++) {
        mutate_file file = {.data = (uint8_t *)line, .size = write_line(&r, line, sizeof line) - 1};
        const size_t length = mutate(&r, &file, 1, &file, data);

        *(check((const char *)data, length) == POSE_LINES_SAME ? &taken : &left) += 1;
    }
    assert_true(taken > random_enough(400));
    assert_true(left > random_enough(5000));
}

/** Each beginning of a line, and each with another byte in every place. */
static void every_place(void **state)
{
    static const char line[] =
        "{\"type\":\"poses\",\"time_ns\":11291504,\"poses\":[{\"device\":\"/user/hand/"
        "left\",\"position\":[-0.234094486,"
        "0.923281968,1.5],\"orientation\":[-0.6e-1,0,1,0.597539186],\"tracked\":true,\"valid\":true,"
        "\"teleport\":false}],\"more\":false}";
    static const char others[] = "0159-+.eE\",:[]{} \t\\tfa\x01\xc3";
    char other[sizeof line];

    (void)state;
    assert_int_equal(check(line, sizeof line - 1), POSE_LINES_SAME);
    for (size_t i = 0; i < sizeof line - 1; i++) {
        assert_int_equal(check(line, i), POSE_LINES_LEFT);
        for (size_t k = 0; k < sizeof others; k++) { /* the zero at its end too */
            memcpy(other, line, sizeof line);
            other[i] = others[k];
            check(other, sizeof line - 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_other_programs),
        cmocka_unit_test(lines_of_clashd_go_the_short_way),
        cmocka_unit_test(damaged_lines),
        cmocka_unit_test(every_place),
    };

    seed = random_seed(17);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
