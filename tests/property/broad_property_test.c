/* The broad phase against trying every pair, and boxes against the bodies that they must hold throughout. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <clash/broad.h>

#include "support/impact.h"
#include "support/queries.h"
#include "support/reference.h"

#define MANY 600

static uint64_t seed;

static bool holds(clash_bounds box, ref_vec p, double radius)
{
    return p.x - radius >= (double)box.low.x && p.x + radius <= (double)box.high.x &&
           p.y - radius >= (double)box.low.y && p.y + radius <= (double)box.high.y &&
           p.z - radius >= (double)box.low.z && p.z + radius <= (double)box.high.z;
}

static void a_box_holds_its_body(void **state)
{
    random_state r = {seed};

    (void)state;
    for (long i = 0; i < random_cases(3000); i++) {
        query q = query_make(&r, (int)(i % QUERY_KINDS));
        clash_bounds box = impact_body_bounds(&q.a, 0.0f);

        for (int k = 0; k <= 100; k++) {
            ref_vec base, tip;

            ref_axis_at(&q.a, k / 100.0, &base, &tip);
            if (!holds(box, base, (double)q.a.shape.radius) || !holds(box, tip, (double)q.a.shape.radius))
                fail_msg("seed %llu case %ld: leaves its box at %d %%", (unsigned long long)seed, i, k);
        }
        /* and is not much larger than the body's own reach */
        assert_true((double)box.high.x - (double)box.low.x <
                    2.0 * (ref_speed_bound(&q.a) + 1.5 + (double)q.a.shape.radius) + 1.0);
    }
}

static bool boxes_overlap(const clash_bounds *a, const clash_bounds *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static bool is_usable(const clash_bounds *b)
{
    return b->low.x <= b->high.x && b->low.y <= b->high.y && b->low.z <= b->high.z;
}

/** Small and large boxes, thin and flat ones, some empty, some far away, at different densities. */
static clash_bounds random_box_at(random_state *r, double room)
{
    double size = pow(10.0, random_in(r, -2, random_below(r, 20) ? 0.3 : 2));
    clash_vec3 at = random_box(r, room), half = random_box(r, size);
    clash_bounds box;

    if (random_below(r, 40) == 0)
        at = random_box(r, 1e7);
    half = (clash_vec3){fabsf(half.x), fabsf(half.y), fabsf(half.z)};
    box = (clash_bounds){{at.x - half.x, at.y - half.y, at.z - half.z}, {at.x + half.x, at.y + half.y, at.z + half.z}};
    if (random_below(r, 50) == 0)
        box.low.y = box.high.y + 1.0f;
    if (random_below(r, 80) == 0)
        box.low.x = NAN;
    return box;
}

static void finds_every_pair_once(void **state)
{
    static clash_bounds boxes[MANY];
    static uint32_t groups[MANY];
    static unsigned char found[MANY][MANY];
    clash_broad *broad = clash_broad_create();
    random_state r = {seed + 1};

    (void)state;
    for (long round = 0; round < random_cases(60); round++) {
        uint32_t count = (uint32_t)random_below(&r, MANY);
        double room = pow(10.0, random_in(&r, 0, 2));
        const uint32_t(*pairs)[2];
        size_t pair_count;

        memset(found, 0, sizeof found);
        for (uint32_t i = 0; i < count; i++) {
            boxes[i] = random_box_at(&r, room);
            groups[i] = i / 2;
        }
        assert_int_equal(clash_broad_find(broad, boxes, groups, count, &pairs, &pair_count), 0);
        for (size_t k = 0; k < pair_count; k++) {
            assert_true(pairs[k][0] < pairs[k][1] && pairs[k][1] < count);
            found[pairs[k][0]][pairs[k][1]]++;
        }
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t j = i + 1; j < count; j++) {
                bool expected = is_usable(&boxes[i]) && is_usable(&boxes[j]) && boxes_overlap(&boxes[i], &boxes[j]) &&
                                groups[i] != groups[j];

                if (found[i][j] != (expected ? 1 : 0))
                    fail_msg("seed %llu round %ld: pair %u %u found %d times, expected %d", (unsigned long long)seed,
                             round, i, j, found[i][j], expected);
            }
        }
    }
    clash_broad_destroy(broad);
}

static void nothing_to_find(void **state)
{
    clash_broad *broad = clash_broad_create();
    const clash_bounds one = {{0, 0, 0}, {0, 0, 0}}, same[3] = {one, one, one};
    const uint32_t(*pairs)[2];
    size_t pair_count = 7;

    (void)state;
    assert_int_equal(clash_broad_find(broad, NULL, NULL, 0, &pairs, &pair_count), 0);
    assert_int_equal(pair_count, 0);
    assert_int_equal(clash_broad_find(broad, &one, NULL, 1, &pairs, &pair_count), 0);
    assert_int_equal(pair_count, 0);
    assert_int_equal(clash_broad_find(broad, same, NULL, 3, &pairs, &pair_count), 0); /* points on one spot touch */
    assert_int_equal(pair_count, 3);
    clash_broad_destroy(broad);
    clash_broad_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_holds_its_body),
        cmocka_unit_test(finds_every_pair_once),
        cmocka_unit_test(nothing_to_find),
    };

    seed = random_seed(77);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
