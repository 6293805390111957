/* Blades made of parts, asked in other ways: an interval in two pieces, whichever instruction set, and raw bits instead of
 * numbers. A failure prints seed and case; CLASHD_SEED runs it again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <clash/broad.h>

#include "geometry/core.h"
#include "support/bits.h"
#include "support/parts_scene.h"

static uint64_t seed;
static long current;

#define CHECK(condition)                                                                              \
    do {                                                                                              \
        if (!(condition))                                                                             \
            fail_msg("CLASHD_SEED=%llu case %ld: %s", (unsigned long long)seed, current, #condition); \
    } while (0)

/** What two instruction sets, or one interval and its pieces, find. */
typedef struct findings {
    clash_contact_state state;
    size_t count;
    clash_contact_change changes[2 * CLASH_CONTACT_CHANGES_MAX];
} findings;

static void find(findings *f, const scene *s, clash_span a, clash_span b)
{
    f->count += impact_advance_blades(&f->state, s->settings, &s->sides[0], a, &s->sides[1], b, &f->changes[f->count]);
}

static clash_span part_of(clash_span span, double from, double to)
{
    double width = span.to - span.from;

    return (clash_span){from > 0.0 ? span.from + from * width : span.from, to < 1.0 ? span.from + to * width : span.to};
}

/* At the split a contact neither ends nor begins, unless it does so there anyhow. */
static void an_interval_in_two_pieces(void **state)
{
    random_state r = {seed};
    size_t total = 0;

    (void)state;
    for (current = 0; current < random_cases(2000); current++) {
        findings whole_one = {.count = 0}, pieces = {.count = 0};
        scene s;
        double at = 0.0;

        random_scene(&r, &s, 5);
        at = random_in(&r, 0.05, 0.95);
        find(&whole_one, &s, s.spans[0], s.spans[1]);
        find(&pieces, &s, part_of(s.spans[0], 0.0, at), part_of(s.spans[1], 0.0, at));
        for (size_t i = 0; i < pieces.count; i++)
            pieces.changes[i].impact.contact.fraction *= at;
        total = pieces.count;
        find(&pieces, &s, part_of(s.spans[0], at, 1.0), part_of(s.spans[1], at, 1.0));
        for (size_t i = total; i < pieces.count; i++)
            pieces.changes[i].impact.contact.fraction = at + (1.0 - at) * pieces.changes[i].impact.contact.fraction;
        CHECK(pieces.count == whole_one.count && pieces.state.touching == whole_one.state.touching);
        for (size_t i = 0; i < whole_one.count; i++) {
            const clash_contact_change *x = &whole_one.changes[i], *y = &pieces.changes[i];

            CHECK(x->kind == y->kind);
            CHECK(fabs(clearance(&s, x->impact.contact.fraction) - clearance(&s, y->impact.contact.fraction)) <= 1e-8);
            CHECK(fabs((double)(x->min_distance - y->min_distance)) <= 2.1e-5);
        }
    }
}

static void both_instruction_sets_agree(void **state)
{
#if defined(__x86_64__)
    random_state r = {seed + 1};
    size_t total = 0;

    (void)state;
    if (!__builtin_cpu_supports("avx2"))
        skip();
    for (current = 0; current < random_cases(2000); current++) {
        const core *sets[2] = {&core_portable, &core_avx2};
        findings found[2] = {{.count = 0}, {.count = 0}};
        clash_toi_output at[2], first[2];
        clash_toi_input in;
        scene s;

        random_scene(&r, &s, 8);
        in = impact_blades(&s.sides[0], s.spans[0], &s.sides[1], s.spans[1], s.settings);
        memset(first, 0, sizeof first);
        for (int k = 0; k < 2; k++) {
            found[k].count = sets[k]->contact_advance(&found[k].state, &in, found[k].changes);
            CHECK(sets[k]->contact_at(&in, 0.375, &at[k]) != CLASH_SWEEP_INVALID);
            sets[k]->time_of_impact(&in, &first[k]);
        }
        CHECK(found[0].count == found[1].count && found[0].state.touching == found[1].state.touching);
        CHECK(bits_float_same(found[0].state.min_distance, found[1].state.min_distance));
        CHECK(bits_output_same(&at[0], &at[1]) && bits_output_same(&first[0], &first[1]));
        for (size_t i = 0; i < found[0].count; i++)
            CHECK(bits_change_same(&found[0].changes[i], &found[1].changes[i]));
        total += found[0].count;
    }
    assert_true((long)total > random_enough(50));
#else
    (void)state;
    skip();
#endif
}

static float raw_float(random_state *r)
{
    uint32_t bits = (uint32_t)random_bits(r);
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Some numbers of a scene become any bits at all. */
static void spoil(random_state *r, scene *s)
{
    for (int n = 1 + random_below(r, 3); n > 0; n--) {
        int side = random_below(r, 2);
        clash_capsule *capsule = &s->capsules[side][random_below(r, (int)s->sides[side].count)];
        float *motion = &s->sides[side].motion.from.orientation.x;

        if (random_below(r, 2))
            (&capsule->base.x)[random_below(r, 7)] = raw_float(r);
        else
            motion[random_below(r, (int)(sizeof(clash_motion) / sizeof(float)))] = raw_float(r);
    }
    if (random_below(r, 10) == 0)
        s->settings.margin = raw_float(r);
    if (random_below(r, 10) == 0)
        s->spans[0].to = (double)raw_float(r);
}

static bool is_finite_contact(const clash_contact *c)
{
    return isfinite(c->fraction) && c->fraction >= 0.0 && c->fraction <= 1.0 && isfinite(c->distance) &&
           clash_vec3_is_finite(c->midpoint) && clash_vec3_is_finite(c->points[0]) &&
           clash_vec3_is_finite(c->points[1]) && clash_vec3_is_finite(c->normal) && isfinite(c->along[0]) &&
           isfinite(c->along[1]);
}

static void raw_bits_do_no_harm(void **state)
{
    random_state r = {seed + 2};
    size_t total = 0;

    (void)state;
    for (current = 0; current < random_cases(3000); current++) {
        findings found = {.state = {.touching = random_below(&r, 2)}};
        clash_contact contact;
        clash_toi_input in;
        scene s;

        random_scene(&r, &s, 4);
        spoil(&r, &s);
        find(&found, &s, s.spans[0], s.spans[1]);
        CHECK(!isnan(found.state.min_distance) && !isnan(found.state.min_clearance));
        for (size_t i = 0; i < found.count; i++) {
            CHECK(is_finite_contact(&found.changes[i].impact.contact) && isfinite(found.changes[i].min_distance));
            CHECK(found.changes[i].impact.parts[0] < s.sides[0].count &&
                  found.changes[i].impact.parts[1] < s.sides[1].count);
        }
        in = impact_blades(&s.sides[0], s.spans[0], &s.sides[1], s.spans[1], s.settings);
        if (impact_blades_at(&in, 0.5, &contact, NULL) != CLASH_SWEEP_INVALID)
            CHECK(is_finite_contact(&contact));
        total += found.count;
    }
    assert_true((long)total > random_enough(20));
}

/* Where doubles are further apart than the distance is told to: a contact that cannot be, and no search without end. */
static void said_to_touch_and_far_apart(void **state)
{
    static const clash_capsule capsules[] = {{{0, 0, 0}, {0, 0, -1}, 0.01f}, {{0, 0, -1}, {0, 0, -2}, 0.01f}};
    const clash_pose here = {{0, 0, 0, 1}, {0, 0, 0}}, there = {{0, 0, 0, 1}, {1e20f, 0, 0}};
    const impact_settings settings = {0.0f, 0.005f};
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];

    (void)state;
    for (size_t count = 1; count <= 2; count++) {
        impact_parts a = {capsules, count, {here, here}}, b = {capsules, count, {there, there}};
        clash_contact_state track = {true, 1e30f, 1e30f};

        assert_int_equal(impact_advance_blades(&track, settings, &a, whole, &b, whole, changes), 1);
        assert_int_equal(changes[0].kind, CLASH_CONTACT_END);
        assert_true(changes[0].impact.contact.fraction == 0.0 && changes[0].min_distance == 1e20f);
        assert_false(track.touching);
    }
}

static bool is_same_place(clash_vec3 a, clash_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* One box around all is that around each. */
static void boxes_are_those_of_the_parts(void **state)
{
    random_state r = {seed + 3};

    (void)state;
    for (current = 0; current < random_cases(2000); current++) {
        float margin = (float)random_in(&r, 0.0, 0.1);
        clash_bounds box, expected;
        scene s;

        random_scene(&r, &s, CLASH_PARTS_MAX);
        for (size_t i = 0; i < s.sides[0].count; i++) {
            clash_body body = body_of(&s.sides[0], i);

            box = impact_body_bounds(&body, margin);
            expected = i == 0 ? box : clash_bounds_union(expected, box);
        }
        box = impact_blade_bounds(&s.sides[0], margin);
        CHECK(is_same_place(box.low, expected.low) && is_same_place(box.high, expected.high));
        s.capsules[0][s.sides[0].count - 1].tip.z = NAN;
        CHECK(impact_blade_bounds(&s.sides[0], margin).low.x > impact_blade_bounds(&s.sides[0], margin).high.x);
        s.sides[0].count = 0;
        CHECK(impact_blade_bounds(&s.sides[0], margin).low.x > impact_blade_bounds(&s.sides[0], margin).high.x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interval_in_two_pieces),    cmocka_unit_test(both_instruction_sets_agree),
        cmocka_unit_test(raw_bits_do_no_harm),          cmocka_unit_test(said_to_touch_and_far_apart),
        cmocka_unit_test(boxes_are_those_of_the_parts),
    };

    seed = random_seed(20260302);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
