/* MQTT without a broker: addresses, topics, passwords, and the queue of what waits, whatever comes in whatever order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sinks/mqtt/mqtt_address.h"
#include "sinks/mqtt/mqtt_files.h"
#include "sinks/mqtt/mqtt_queue.h"
#include "sinks/mqtt/mqtt_topic.h"

#include "support/fresh.h"
#include "support/random.h"
#include "support/temporary.h"

static void addresses_are_checked(void **state)
{
    static const struct {
        const char *text, *host;
        int port;
        bool is_here;
    } good[] = {{"broker.local", "broker.local", 0, false},
                {"127.0.0.1:1884", "127.0.0.1", 1884, true},
                {"[::1]:65535", "::1", 65535, true},
                {"[fe80::1%eth0]", "fe80::1%eth0", 0, false},
                {"localhost", "localhost", 0, true}};
    static const char *const bad[] = {"",    ":1883", "a:", "a:0", "a:65536", "a:1x", "a b",     "mqtt://a",
                                      "::1", "[::1",  "[]", "-a",  "a/b",     "a\n",  "a:123456"};
    mqtt_address found;
    failure why = {0};

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_int_equal(mqtt_address_parse(good[i].text, &found, fresh(&why)), 0);
        assert_string_equal(found.host, good[i].host);
        assert_int_equal(found.port, good[i].port);
        assert_int_equal(mqtt_address_is_here(&found), good[i].is_here);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(mqtt_address_parse(bad[i], &found, fresh(&why)), -1);
        assert_non_null(strstr(why.text, "HOST:PORT"));
    }
}

static void names_are_one_level_each(void **state)
{
    char long_name[4 * 63 + 1], out[MQTT_TOPIC_MAX];

    (void)state;
    assert_true(mqtt_topic("a/+#", "$SYS %\n\xc3\xa4", MQTT_CLASH, out));
    assert_string_equal(out, "clashd/a%2F%2B%23/%24SYS%20%25%0A%C3%A4/events/clash");
    memset(long_name, '\xff', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_true(mqtt_topic(long_name, "p", MQTT_SPACE_CHANGED, out)); /* 63 characters of four bytes each */
    assert_int_equal(mqtt_kind_of(CLASH_EVENT_HOLD), MQTT_HOLD);
    assert_int_equal(mqtt_ways[MQTT_HOLD].qos, 0);
    assert_true(mqtt_ways[MQTT_CLASH].qos == 1 && mqtt_ways[MQTT_RELEASE].qos == 1 && mqtt_ways[MQTT_POSES].qos == 0);
}

static bool is_taken(const mqtt_filters *f, const char *topic, const char *player, mqtt_kind kind)
{
    char found[MQTT_PLAYER_MAX];
    mqtt_kind which;

    return mqtt_filters_match(f, topic, found, &which) && strcmp(found, player) == 0 && which == kind;
}

static void of_others_only_what_is_asked_for_is_taken(void **state)
{
    static const char *const others[] = {"",
                                         "clashd/a%2Fb/x",
                                         "clashd/a%2Fb/x/",
                                         "clashd/a%2Fb//peer",
                                         "clashd/a%2Fb/x/peer/",
                                         "clashd/a%2Fb/x/peers",
                                         "clashd/a%2Fb/x/hello",
                                         "clashd/a%2Fb/x/events/clash",
                                         "clashd/a%2Fb/x/clock/ask",
                                         "clashd/a%2Fb/x/clock/ask/",
                                         "clashd/a%2Fb/x/clock/ask/m",
                                         "clashd/a%2Fb/x/clock/ask/me%20/x",
                                         "clashd/a%2Fb/x/clock/answer/You",
                                         "clashd/a%2fb/x/peer",
                                         "clashd/c/x/peer",
                                         "other/a%2Fb/x/peer",
                                         "clashd/a%2Fb/x%/peer",
                                         "clashd/a%2Fb/x%4/peer",
                                         "clashd/a%2Fb/%00/peer",
                                         "clashd/a%2Fb/%41/peer", /* a second name of A */
                                         "clashd/a%2Fb/%c3%a4/peer",
                                         "clashd/a%2Fb/x/contact",
                                         "clashd/a%2Fb/x/contact/you",
                                         "clashd/a%2Fb/x y/peer"};
    mqtt_filters f;
    char long_topic[2000] = "clashd/a%2Fb/";
    char ignored[MQTT_PLAYER_MAX];
    mqtt_kind kind;

    (void)state;
    assert_true(mqtt_filters_make("a/b", "me ", NULL, 0, &f));
    assert_int_equal(f.count, 6);
    assert_string_equal(f.topics[1], "clashd/a%2Fb/+/peer");
    assert_string_equal(f.topics[2], "clashd/a%2Fb/+/clock/ask/me%20");
    assert_string_equal(f.topics[4], "clashd/a%2Fb/+/contact/me%20");
    assert_string_equal(f.topics[5], "clashd/a%2Fb/+/samples");
    assert_true(is_taken(&f, "clashd/a%2Fb/x/peer", "x", MQTT_PEER));
    assert_true(is_taken(&f, "clashd/a%2Fb/x/online", "x", MQTT_ONLINE));
    assert_true(is_taken(&f, "clashd/a%2Fb/%C3%A4%25/samples", "\xc3\xa4%", MQTT_SAMPLES));
    assert_true(is_taken(&f, "clashd/a%2Fb/x/clock/ask/me%20", "x", MQTT_CLOCK_ASK));
    assert_true(is_taken(&f, "clashd/a%2Fb/x/clock/answer/me%20", "x", MQTT_CLOCK_ANSWER));
    assert_true(is_taken(&f, "clashd/a%2Fb/x/contact/me%20", "x", MQTT_CONTACT));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (mqtt_filters_match(&f, others[i], ignored, &kind))
            fail_msg("%s", others[i]);
    memset(long_topic + 13, 'x', 1000);
    memcpy(long_topic + 1013, "/peer", 6);
    assert_false(mqtt_filters_match(&f, long_topic, ignored, &kind));
}

static void samples_may_be_of_some_alone(void **state)
{
    static const char names[MQTT_NAMES_MAX][MQTT_NAME_SIZE] = {"anna", "b+"};
    mqtt_filters f;

    (void)state;
    assert_true(mqtt_filters_make("hall", "me", names, 2, &f));
    assert_int_equal(f.count, 7);
    assert_string_equal(f.topics[5], "clashd/hall/anna/samples");
    assert_string_equal(f.topics[6], "clashd/hall/b%2B/samples");
    assert_true(mqtt_filters_make("hall", "me", names, MQTT_NAMES_MAX, &f));
    assert_false(mqtt_filters_make("hall", "me", names, MQTT_NAMES_MAX + 1, &f));
}

static void a_name_is_the_same_there_and_back(void **state)
{
    random_state r = {random_seed(23)};

    (void)state;
    for (int round = 0; round < 20000; round++) {
        char name[64] = {0}, topic[MQTT_TOPIC_MAX], back[MQTT_PLAYER_MAX];
        const int length = 1 + random_below(&r, 62);
        mqtt_filters f;
        mqtt_kind kind;

        for (int i = 0; i < length; i++)
            name[i] = (char)(1 + random_below(&r, 255));
        assert_true(mqtt_filters_make(name, name, NULL, 0, &f));
        assert_true(mqtt_topic(name, name, MQTT_SAMPLES, topic));
        assert_true(mqtt_filters_match(&f, topic, back, &kind) && kind == MQTT_SAMPLES);
        assert_string_equal(back, name);
        assert_true(mqtt_topic_to(name, "x", MQTT_CLOCK_ASK, name, topic));
        assert_true(mqtt_filters_match(&f, topic, back, &kind) && kind == MQTT_CLOCK_ASK);
    }
}

static void write_file(const char *path, const char *text, mode_t mode)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(chmod(path, mode), 0);
}

static void a_password_is_a_line_of_a_closed_file(void **state)
{
    char directory[] = "/tmp/clashd-mqtt-" TEMPORARY, path[64], out[MQTT_PASSWORD_MAX], big[MQTT_PASSWORD_MAX + 8];
    failure why = {0};

    (void)state;
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/secret", directory);
    assert_int_equal(mqtt_read_password(path, out, fresh(&why)), -1);
    assert_non_null(strstr(why.text, path));
    write_file(path, "s\xc3\xa4sam \r\nmore", 0600);
    assert_int_equal(mqtt_read_password(path, out, fresh(&why)), 0);
    assert_string_equal(out, "s\xc3\xa4sam ");
    write_file(path, "open", 0644);
    assert_int_equal(mqtt_read_password(path, out, fresh(&why)), -1);
    assert_non_null(strstr(why.text, "everybody"));
    write_file(path, "\nsecond", 0600);
    assert_int_equal(mqtt_read_password(path, out, fresh(&why)), -1);
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    write_file(path, big, 0600);
    assert_int_equal(mqtt_read_password(path, out, fresh(&why)), -1);
    assert_int_equal(mqtt_read_password(directory, out, fresh(&why)), -1);
    unlink(path);
    rmdir(directory);
}

/* ---- the queue ---- */

static size_t count_of(const mqtt_message *m)
{
    size_t count = 0;

    for (; m; m = m->next)
        count++;
    return count;
}

static void the_oldest_go_and_are_told_of(void **state)
{
    mqtt_queue q = {.bytes_max = 10 * (sizeof(mqtt_message) + 100)};
    char payload[100] = "";

    (void)state;
    for (uint64_t seq = 1; seq <= 25; seq++)
        mqtt_queue_push(&q, MQTT_CLASH, seq, payload, sizeof payload);
    assert_int_equal(count_of(q.first), 10);
    assert_int_equal(q.first->seq, 16);
    assert_true(q.missed == 15 && q.missed_from == 1 && q.missed_to == 15);
    q.missed = 0; /* it was told */
    mqtt_queue_push(&q, MQTT_CLASH, 26, payload, sizeof payload);
    assert_true(q.missed == 1 && q.missed_from == 16 && q.missed_to == 16 && q.dropped == 16);
    mqtt_queue_push(&q, MQTT_CLASH, 27, payload, sizeof payload);
    for (int mid = 1; mid <= 3; mid++)
        mqtt_queue_sent(&q, mid);
    assert_int_equal(q.flying_count, 3);
    assert_false(mqtt_queue_acknowledge(&q, 9));
    assert_true(mqtt_queue_acknowledge(&q, 2));
    assert_false(mqtt_queue_acknowledge(&q, 2));
    mqtt_queue_land(&q); /* they wait again, before the others */
    assert_true(q.flying_count == 0 && !q.flying && q.first->seq == 18 && q.first->next->seq == 20);
    mqtt_queue_finish(&q);
    assert_int_equal(q.bytes, 0);
}

static void one_larger_than_all_room_is_missed(void **state)
{
    mqtt_queue q = {.bytes_max = 50};
    char payload[100] = "";

    (void)state;
    mqtt_queue_push(&q, MQTT_HOLD, 7, payload, sizeof payload);
    assert_true(!q.first && !q.last && q.bytes == 0 && q.missed == 1 && q.missed_to == 7);
}

/* Every event is somewhere exactly once: it waits, is in flight, is done with or was missed; whatever happened. */
static void nothing_is_lost_unseen(void **state)
{
    mqtt_queue q = {.bytes_max = 4000};
    random_state r = {random_seed(17)};
    char payload[300] = "";
    uint64_t seq = 0, gone = 0;
    int mid = 0;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        const int what = random_below(&r, 100);
        mqtt_message *first = q.first;

        if (what < 50) {
            mqtt_queue_push(&q, random_below(&r, 2) ? MQTT_CLASH : MQTT_HOLD, ++seq, payload,
                            (size_t)random_below(&r, (int)sizeof payload));
        } else if (what < 75 && first && q.flying_count < MQTT_FLIGHT_MAX) {
            gone += mqtt_ways[first->kind].qos == 0;
            mqtt_queue_sent(&q, ++mid);
        } else if (what < 97) {
            gone += mqtt_queue_acknowledge(&q, mid - random_below(&r, 20));
        } else if (what < 99) {
            mqtt_queue_land(&q);
        } else {
            mqtt_queue_give_up(&q);
        }
        assert_int_equal(count_of(q.first) + count_of(q.flying) + gone + q.dropped, seq);
        assert_int_equal(count_of(q.flying), q.flying_count);
        assert_true(q.bytes <= q.bytes_max + MQTT_FLIGHT_MAX * (sizeof(mqtt_message) + sizeof payload));
        for (const mqtt_message *m = q.first; m && m->next; m = m->next)
            assert_true(m->seq < m->next->seq);
        assert_true(!q.first == !q.last && (!q.last || !q.last->next));
    }
    mqtt_queue_finish(&q);
    assert_int_equal(q.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_checked),
        cmocka_unit_test(names_are_one_level_each),
        cmocka_unit_test(of_others_only_what_is_asked_for_is_taken),
        cmocka_unit_test(samples_may_be_of_some_alone),
        cmocka_unit_test(a_name_is_the_same_there_and_back),
        cmocka_unit_test(a_password_is_a_line_of_a_closed_file),
        cmocka_unit_test(the_oldest_go_and_are_told_of),
        cmocka_unit_test(one_larger_than_all_room_is_missed),
        cmocka_unit_test(nothing_is_lost_unseen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
