/* The page for Prometheus and the histograms in it: which bucket, what is escaped, what is printed how, the
 * samples of each metric together. That a strict reader takes it all: e2e/metrics_test.py. */
#include "metrics/latency.h"
#include "metrics/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void each_duration_has_its_bucket(void **state)
{
    latency l = {0};

    (void)state;
    for (size_t i = 0; i < PROTOCOL_HISTOGRAM_BOUNDS; i++) {
        assert_true(i == 0 || latency_bounds_ns[i] > latency_bounds_ns[i - 1]);
        latency_add(&l, latency_bounds_ns[i]);
        latency_add(&l, latency_bounds_ns[i] + 1);
    }
    assert_int_equal(l.histogram.counts[0], 1);
    for (size_t i = 1; i < PROTOCOL_HISTOGRAM_BOUNDS; i++)
        assert_int_equal(l.histogram.counts[i], 2);
    assert_int_equal(l.histogram.counts[PROTOCOL_HISTOGRAM_BOUNDS], 1);
    l = (latency){0};
    latency_add(&l, -5);
    latency_add(&l, INT64_MIN);
    latency_add(&l, INT64_C(3600000000000));
    assert_int_equal(l.histogram.counts[0], 2);
    assert_int_equal(l.histogram.counts[PROTOCOL_HISTOGRAM_BOUNDS], 1);
    assert_int_equal(l.histogram.sum_ns, INT64_C(3600000000000));
}

static char *format(const protocol_status *status, const counter_list *counters)
{
    size_t length;
    char *bytes = metrics_format(status, counters, &length), *text;

    assert_non_null(bytes);
    text = strndup(bytes, length);
    free(bytes);
    assert_non_null(text);
    assert_int_equal(strlen(text), length);
    assert_int_equal(text[length - 1], '\n');
    return text;
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("%s is not in:\n%s", part, text);
}

static void values_are_printed(void **state)
{
    static const counter_list counters = {
        .rows = {{"refused_late", "clashd_samples_refused_total{reason=\"late\"}", "Refused.", 7},
                 {"refused_unknown", "clashd_samples_refused_total{reason=\"unknown_device\"}", "Refused.", 8},
                 {"samples", "clashd_samples_total", "Taken.", UINT64_MAX},
                 {"queued", "clashd_samples", "Waiting.", 1}},
        .count = 4};
    const protocol_status_device devices[] = {{.device = "/user/hand/left", .tracked = true},
                                              {.device = "a\"b\\c\nd", .lost_ns = INT64_C(61000000007)}};
    const protocol_status_player players[] = {{.player = "anna",
                                               .is_placed = true,
                                               .clock_offset_ns = -50000000001,
                                               .clock_drift_ppb = -50000,
                                               .clock_error_ns = 410000,
                                               .delay_ns = 21000000,
                                               .lost = 3},
                                              {.player = "\"b", .delay_ns = -1}};
    latency queue = {0}, write = {0};
    const protocol_latency latencies = {latency_bounds_ns, &queue.histogram, &write.histogram};
    const protocol_status status = {.time_ns = INT64_C(3600000000001),
                                    .source = "openxr",
                                    .state = "running",
                                    .runtime = "x \"y\"",
                                    .detail = "",
                                    .devices = devices,
                                    .device_count = 2,
                                    .players = players,
                                    .player_count = 2,
                                    .clients = 3,
                                    .latency = &latencies};

    (void)state;
    latency_add(&queue, 60000);
    latency_add(&queue, 2000000000);
    char *text = format(&status, &counters);
    assert_has(text, "\n# HELP clashd_samples_total Taken.\n# TYPE clashd_samples_total counter\nclashd_samples_total "
                     "18446744073709551615\n"
                     "# HELP clashd_samples Waiting.\n# TYPE clashd_samples gauge\nclashd_samples 1\n");
    assert_has(text, "\n# TYPE clashd_samples_refused_total counter\nclashd_samples_refused_total{reason=\"late\"} 7\n"
                     "clashd_samples_refused_total{reason=\"unknown_device\"} 8\n");
    assert_has(text, "\nclashd_uptime_seconds 3600.000000001\n");
    assert_has(text, "\nclashd_device_tracked{device=\"a\\\"b\\\\c\\nd\"} 0\n");
    assert_has(text, "\nclashd_device_tracking_lost_seconds_total{device=\"a\\\"b\\\\c\\nd\"} 61.000000007\n");
    assert_has(text, "\nclashd_source_info{source=\"openxr\",state=\"running\",runtime=\"x \\\"y\\\"\"} 1\n");
    assert_has(text,
               "\n# TYPE clashd_room_player_clock_offset_seconds gauge\nclashd_room_player_clock_offset_seconds{player="
               "\"anna\"} -50.000000001\n# HELP clashd_room_player_clock_drift_ratio ");
    assert_has(text, "\nclashd_room_player_clock_drift_ratio{player=\"anna\"} -0.000050000\n");
    assert_has(text, "\nclashd_room_player_clock_error_seconds{player=\"anna\"} 0.000410000\n");
    assert_has(text, "\nclashd_room_player_delay_seconds{player=\"anna\"} 0.021000000\n#");
    assert_has(text, "\nclashd_room_player_samples_lost_total{player=\"anna\"} 3\n"
                     "clashd_room_player_samples_lost_total{player=\"\\\"b\"} 0\n");
    assert_has(text, "\nclashd_sample_to_queue_seconds_bucket{le=\"5e-05\"} 0\n"
                     "clashd_sample_to_queue_seconds_bucket{le=\"0.0001\"} 1\n");
    assert_has(text, "_bucket{le=\"1\"} 1\nclashd_sample_to_queue_seconds_bucket{le=\"+Inf\"} 2\n"
                     "clashd_sample_to_queue_seconds_sum 2.000060000\nclashd_sample_to_queue_seconds_count 2\n");
    assert_has(text, "\nclashd_sample_to_write_seconds_count 0\n");
    free(text);
}

/* Far more than the page begins with. */
static void many_devices_fit(void **state)
{
    enum { MANY = 16384 };
    protocol_status_device *devices = calloc(MANY, sizeof *devices);
    const protocol_status status = {
        .source = "none", .state = "", .runtime = "", .detail = "", .devices = devices, .device_count = MANY};
    char *text;

    (void)state;
    assert_non_null(devices);
    for (size_t i = 0; i < MANY; i++)
        devices[i].device = "npc/a-rather-long-name-of-a-device";
    text = format(&status, &(counter_list){.count = 0});
    assert_true(strlen(text) > (size_t)MANY * 100);
    assert_null(strstr(text, "sample_to"));
    free(text);
    free(devices);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_duration_has_its_bucket),
        cmocka_unit_test(values_are_printed),
        cmocka_unit_test(many_devices_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
