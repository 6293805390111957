/* The bits of the human swings of tests/data, through the pipeline: a part of the golden hashes, as golden_test is, which says
 * more. Apart from that, since reading them takes the protocol's room and what that links. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pipeline/pipeline.h"
#include "protocol/recording/recording.h"
#include "support/fresh.h"
#include "support/golden.h"
#include "support/golden_file.h"

static void on_event(void *context, const clash_event *event)
{
    uint64_t *hash = context;

    *hash = golden_event(*hash, event);
}

static pipeline *swings_pipeline(uint64_t *hash)
{
    const pipeline_settings settings = {.release_margin = 0.005f,
                                        .hold_rate_hz = 30.0f,
                                        .full_intensity_speed = 200.0f,
                                        .intensity_curve = PIPELINE_INTENSITY_LOGARITHMIC,
                                        .max_gap_ns = INT64_C(100000000),
                                        .require_tracked = true};
    pipeline_blade blade = {
        .properties = {.shape = {{0, 0, -0.05f}, {0, 0, -1}, 0.015f}, .has_edge = true, .edge = {0, -1, 0}}};
    pipeline *p = pipeline_create(&settings, on_event, hash);

    assert_non_null(p);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(pipeline_device(p, i ? "/user/hand/right" : "/user/hand/left"), i);
        snprintf(blade.name, sizeof blade.name, "%s", i ? "right" : "left");
        blade.device = i;
        assert_null(pipeline_add_blade(p, &blade));
    }
    return p;
}

static uint64_t of_swings(const char *path)
{
    uint64_t hash = BITS_HASH_EMPTY;
    pipeline *p = swings_pipeline(&hash);
    recording_item *item = malloc(sizeof *item);
    failure error = {0};
    recording *r = recording_open(path, NULL, NULL, fresh(&error));

    assert_true(r && item);
    while (recording_next(r, item) != RECORDING_END) {
        pose_frame frame = {.time_ns = item->time_ns};

        assert_int_equal(item->kind, RECORDING_POSES);
        for (size_t i = 0; i < item->pose_count; i++)
            frame.samples[frame.count++] = (pose_sample){strstr(item->poses[i].device, "right") ? 1u : 0u,
                                                         POSE_VALID | POSE_TRACKED, item->poses[i].pose};
        pipeline_frame(p, &frame);
    }
    assert_true(pipeline_get_counters(p)->contacts > 0);
    recording_close(r);
    free(item);
    pipeline_destroy(p);
    return hash;
}

static uint64_t of_twenty_seconds(void)
{
    return of_swings(TEST_DATA "/duel-20s.jsonl");
}

static uint64_t of_five_seconds(void)
{
    return of_swings(TEST_DATA "/duel-start-5s.jsonl");
}

static void the_bits_of_human_swings(void **state)
{
    static const golden_stage stages[] = {{"duel-20s", of_twenty_seconds}, {"duel-start-5s", of_five_seconds}};

    (void)state;
    golden_check(stages, sizeof stages / sizeof *stages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_bits_of_human_swings)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
