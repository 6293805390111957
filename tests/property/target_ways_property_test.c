/* Sweeps with targets held against themselves and against sweeps of blades: a ball and a capsule are blades of the same
 * shape, a common rigid motion and a cut interval change nothing, parts of a blade are the blade, and following a contact
 * says what the single moments say. A failure prints seed, shape, kind and case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <clash/broad.h>
#include <clash/contact.h>

#include "support/near.h"
#include "support/target_queries.h"

static const clash_span whole = {0, 1};
static uint64_t seed;

#define FAIL(shape, kind, i, ...)                                                                         \
    do {                                                                                                  \
        print_error("seed %llu, %s, %s, case %ld: ", (unsigned long long)seed, target_shape_names[shape], \
                    target_query_name(kind), i);                                                          \
        fail_msg(__VA_ARGS__);                                                                            \
    } while (0)

/** How far the axis is from the shape at a fraction, less the blade's radius. */
static double gap_at(const target_query *q, double fraction)
{
    truth_target t = truth_target_of(&q->blade, whole, &q->target, whole);

    return truth_at(&t, fraction).distance - (double)q->blade.shape.radius;
}

static double size_of(const target_query *q)
{
    return truth_target_of(&q->blade, whole, &q->target, whole).size;
}

/** Runs a check on every shape and kind. */
static void each(long cases, int shapes,
                 void (*check)(random_state *r, const target_query *q, int shape, int kind, long i))
{
    for (int shape = 0; shape < shapes; shape++) {
        for (int kind = 0; kind < TARGET_QUERY_KINDS; kind++) {
            for (long i = 0; i < random_cases(cases); i++) {
                target_query q = target_query_of(seed, kind, shape, i);
                random_state r = {seed + (uint64_t)i};

                check(&r, &q, shape, kind, i);
            }
        }
    }
}

static void check_as_blade(random_state *r, const target_query *q, int shape, int kind, long i)
{
    const clash_shape *s = &q->target.shape;
    clash_capsule ball = {s->as.sphere.center, s->as.sphere.center, s->as.sphere.radius};
    clash_body other = {shape == 0 ? ball : s->as.capsule, q->target.motion};
    clash_toi_output c;
    clash_contact d;
    clash_sweep_result a = impact_sweep_target(&q->blade, whole, &q->target, whole, 0, &c);
    clash_sweep_result b = clash_sweep(&q->blade, &other, &d);
    double doubt = 1e-8 + 1e-12 * size_of(q), distance;

    (void)r;
    if (a == b && a == CLASH_SWEEP_APART)
        return;
    if (a == CLASH_SWEEP_APART || b == CLASH_SWEEP_APART || a == CLASH_SWEEP_INVALID || b == CLASH_SWEEP_INVALID) {
        truth_target t = truth_target_of(&q->blade, whole, &q->target, whole);
        double least = gap_at(q, 0.5) + (double)q->blade.shape.radius;

        truth_least(&t, doubt, 0, 1, &least);
        if (fabs(least - (double)q->blade.shape.radius) > 4 * doubt)
            FAIL(shape, kind, i, "%d as a target, %d as a blade", (int)a, (int)b);
        return;
    }
    distance = fmax(0, (double)d.distance - (double)other.shape.radius);
    if (fabs(gap_at(q, c.contact.fraction) - gap_at(q, d.fraction)) > doubt)
        FAIL(shape, kind, i, "at %.12g as a target, %.12g as a blade", c.contact.fraction, d.fraction);
    if (fabs((double)c.contact.distance - distance) > 2e-7 * (double)d.distance + doubt)
        FAIL(shape, kind, i, "distance %g as a target, %g as a blade", (double)c.contact.distance, distance);
}

static void balls_and_capsules_are_blades(void **state)
{
    (void)state;
    each(40, 2, check_as_blade);
}

static clash_pose moved(clash_quat q, clash_vec3 by, clash_pose p)
{
    clash_pose frame = {q, by};

    return (clash_pose){quat_times(q, p.orientation), clash_pose_apply(&frame, p.position)};
}

/* Float rounding of the moved poses moves everything by micrometres: both must touch there, not at the same bit. */
static void check_moved(random_state *r, const target_query *q, int shape, int kind, long i)
{
    target_query m = *q;
    clash_quat turn = random_turn(r, 6.28);
    clash_vec3 by = random_box(r, 2);
    clash_toi_output c, d;
    clash_sweep_result s, t;
    double room = 3e-5;

    if (size_of(q) > 20) /* float rounding of the poses */
        return;
    m.blade.motion = (clash_motion){moved(turn, by, q->blade.motion.from), moved(turn, by, q->blade.motion.to)};
    m.target.motion = (clash_motion){moved(turn, by, q->target.motion.from), moved(turn, by, q->target.motion.to)};
    s = impact_sweep_target(&q->blade, whole, &q->target, whole, 0, &c);
    t = impact_sweep_target(&m.blade, whole, &m.target, whole, 0, &d);
    if (s == t && (s != CLASH_SWEEP_HIT || fabs(gap_at(q, d.contact.fraction)) < room))
        return;
    if (s != CLASH_SWEEP_APART && t != CLASH_SWEEP_APART && fabs(gap_at(q, 0)) < room)
        return;
    {
        truth_target truth = truth_target_of(&q->blade, whole, &q->target, whole);
        double least = gap_at(q, 0.5) + (double)q->blade.shape.radius;

        truth_least(&truth, 1e-6, 0, 1, &least);
        if (fabs(least - (double)q->blade.shape.radius) < room)
            return; /* on the limit, rounding decides */
    }
    FAIL(shape, kind, i, "%d at %.9g before, %d at %.9g after", (int)s, c.contact.fraction, (int)t, d.contact.fraction);
}

static void a_common_rigid_motion(void **state)
{
    (void)state;
    for (int shape = 0; shape < TARGET_SHAPES; shape++)
        for (int kind = 0; kind < QUERY_KINDS; kind++)
            for (long i = 0; i < random_cases(60); i++) {
                target_query q = target_query_of(seed, kind, shape, i);
                random_state r = {seed + (uint64_t)i};

                /* half turns may go either way, and what is near one is near the other */
                if (kind != QUERY_GRAZING)
                    check_moved(&r, &q, shape, kind, i);
            }
}

static void check_split(random_state *r, const target_query *q, int shape, int kind, long i)
{
    double cut = random_in(r, 0, 1), where = -1, doubt = 1e-8 + 1e-12 * size_of(q);
    clash_span first = {0, cut}, second = {cut, 1};
    clash_toi_output c, d;
    clash_sweep_result s = impact_sweep_target(&q->blade, whole, &q->target, whole, 0, &c);

    if (impact_sweep_target(&q->blade, first, &q->target, first, 0, &d) != CLASH_SWEEP_APART)
        where = d.contact.fraction * cut;
    else if (impact_sweep_target(&q->blade, second, &q->target, second, 0, &d) != CLASH_SWEEP_APART)
        where = cut + d.contact.fraction * (1 - cut);
    if ((where >= 0) != (s != CLASH_SWEEP_APART)) {
        /* within the tolerance of the limit both answers are right */
        if (fabs(gap_at(q, where >= 0 ? where : c.contact.fraction)) > doubt)
            FAIL(shape, kind, i, "whole %d, cut at %.9g: %.9g", (int)s, cut, where);
    } else if (where >= 0 && fabs(fmax(0, gap_at(q, where)) - fmax(0, gap_at(q, c.contact.fraction))) > doubt) {
        FAIL(shape, kind, i, "whole at %.9g, cut at %.9g: %.9g", c.contact.fraction, cut, where);
    }
}

static void splitting_the_interval(void **state)
{
    (void)state;
    each(30, TARGET_SHAPES, check_split);
}

static void check_moment(random_state *r, const target_query *q, int shape, int kind, long i)
{
    double fraction = random_in(r, 0, 1), p = random_in(r, 0, 1), from = random_in(r, 0, 1), doubt;
    clash_span a = {fmin(p, from), fmax(p, from)}, b = {0, p};
    truth_target t = truth_target_of(&q->blade, a, &q->target, b);
    clash_toi_output c;
    clash_sweep_result s = impact_target_at(&q->blade, a, &q->target, b, 0, fraction, &c);
    double expected = truth_at(&t, fraction).distance, gap = expected - (double)q->blade.shape.radius;

    doubt = 1e-8 + 1e-12 * t.size;
    if (s == CLASH_SWEEP_INVALID || fabs((double)c.contact.distance - expected) > 2e-7 * expected + doubt)
        FAIL(shape, kind, i, "%d, distance %.9g, expected %.9g", (int)s, (double)c.contact.distance, expected);
    if (fabs(gap) > doubt && (s == CLASH_SWEEP_OVERLAP) != (gap < 0))
        FAIL(shape, kind, i, "%d with a gap of %g", (int)s, gap);
    if (c.contact.fraction != fraction)
        FAIL(shape, kind, i, "fraction %g", c.contact.fraction);
}

static void moments(void **state)
{
    (void)state;
    each(60, TARGET_SHAPES, check_moment);
}

/** The blade holds its target within the bounds of both, wherever it touches. */
static void check_bounds(random_state *r, const target_query *q, int shape, int kind, long i)
{
    clash_bounds b = impact_target_bounds(&q->target, 0.0f);
    truth_target t = truth_target_of(&q->blade, whole, &q->target, whole);

    for (int n = 0; n < 20; n++) {
        truth_moment m = truth_at(&t, random_in(r, 0, 1));

        for (int k = 0; k < t.corner_count; k++) {
            ref_vec p = ref_mad(m.p, ref_turn(m.q, t.corners[k]), 1);

            if (p.x - t.radius < (double)b.low.x || p.x + t.radius > (double)b.high.x ||
                p.y - t.radius < (double)b.low.y || p.y + t.radius > (double)b.high.y ||
                p.z - t.radius < (double)b.low.z || p.z + t.radius > (double)b.high.z)
                FAIL(shape, kind, i, "corner %d is outside", k);
        }
    }
}

static void bounds_hold_the_target(void **state)
{
    (void)state;
    each(20, TARGET_SHAPES, check_bounds);
}

/** As a follower sees one interval: states by dense looks, changes by impact_advance_target. The blade is cut into parts
 *  of one line, which is the same blade. */
static void check_follow(random_state *r, const target_query *q, int shape, int kind, long i)
{
    impact_settings settings = {0.0f, (float)random_in(r, 0, 0.01)};
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];
    clash_contact_state state = {0};
    clash_capsule parts[2] = {q->blade.shape, q->blade.shape};
    impact_parts blade = {parts, (size_t)1 + (size_t)random_below(r, 2), q->blade.motion};
    double radius = (double)q->blade.shape.radius, until = 0, least = HUGE_VAL, size = size_of(q);
    double doubt = 2e-7 * size + 1e-8, release = fmax(1e-6, (double)settings.release_margin);
    bool touching = false;
    size_t count;

    if (blade.count == 2)
        parts[0].tip = parts[1].base = hard_point_on(&q->blade.shape, 0.5);
    count = impact_advance_target(&state, settings, &blade, whole, &q->target, whole, changes);
    for (size_t k = 0; k <= count; k++) {
        double next = k < count ? changes[k].impact.contact.fraction : 1;

        for (int n = 0; n <= 40 && next > until; n++) {
            double x = until + (next - until) * n / 40, gap = gap_at(q, x);

            if (touching)
                least = fmin(least, gap + radius);
            if (touching ? gap > release + doubt : gap < -doubt)
                FAIL(shape, kind, i, "a gap of %g at %.9g, %s", gap, x, touching ? "touching" : "apart");
        }
        if (k == count)
            break;
        if (touching && (double)changes[k].min_distance > least + 1.1e-5 + doubt)
            FAIL(shape, kind, i, "least distance %g, seen %g", (double)changes[k].min_distance, least);
        if (changes[k].kind != (touching ? CLASH_CONTACT_END : CLASH_CONTACT_START) || next < until ||
            changes[k].impact.parts[0] >= blade.count)
            FAIL(shape, kind, i, "change %zu is wrong", k);
        if (next > until && fabs(gap_at(q, next) - (touching ? release : 0)) > doubt)
            FAIL(shape, kind, i, "a gap of %g at the change %zu", gap_at(q, next), k);
        touching = !touching;
        until = next;
        least = HUGE_VAL;
    }
    if (state.touching != touching)
        FAIL(shape, kind, i, "the state is %d after %zu changes", state.touching, count);
}

static void following_contacts(void **state)
{
    (void)state;
    each(20, TARGET_SHAPES, check_follow);
}

static void wrong_input_changes_nothing(void **state)
{
    target_query q = target_query_of(seed, QUERY_HITS, 2, 0);
    clash_contact_state before = {.touching = true, .min_distance = 3}, after = before;
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];
    impact_parts blade = {&q.blade.shape, 1, q.blade.motion};
    impact_settings good = {0, 0}, bad = {-1, 0};
    impact_target wrong[3] = {q.target, q.target, q.target};
    clash_toi_output c = {.contact = {.distance = 7}};

    (void)state;
    wrong[0].shape.as.box.half.y = -1;
    wrong[1].motion.to.position.x = NAN;
    wrong[2].shape.kind = (clash_shape_kind)77;
    for (int i = 0; i < 3; i++) {
        clash_bounds b = impact_target_bounds(&wrong[i], 0);

        assert_int_equal(impact_sweep_target(&q.blade, whole, &wrong[i], whole, 0, &c), CLASH_SWEEP_INVALID);
        assert_int_equal(impact_target_at(&q.blade, whole, &wrong[i], whole, 0, 0, &c), CLASH_SWEEP_INVALID);
        assert_int_equal(impact_advance_target(&after, good, &blade, whole, &wrong[i], whole, changes), 0);
        assert_true(b.low.x > b.high.x);
    }
    assert_int_equal(impact_sweep_target(&q.blade, whole, &q.target, whole, NAN, &c), CLASH_SWEEP_INVALID);
    assert_int_equal(impact_sweep_target(&q.blade, (clash_span){1, 0}, &q.target, whole, 0, &c), CLASH_SWEEP_INVALID);
    assert_int_equal(impact_target_at(&q.blade, whole, &q.target, whole, 0, 1.5, &c), CLASH_SWEEP_INVALID);
    assert_int_equal(impact_advance_target(&after, bad, &blade, whole, &q.target, whole, changes), 0);
    blade.count = 0;
    assert_int_equal(impact_advance_target(&after, good, &blade, whole, &q.target, whole, changes), 0);
    assert_near(c.contact.distance, 7, 0);
    assert_true(after.touching && after.min_distance == before.min_distance);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_and_capsules_are_blades), cmocka_unit_test(a_common_rigid_motion),
        cmocka_unit_test(splitting_the_interval),        cmocka_unit_test(moments),
        cmocka_unit_test(bounds_hold_the_target),        cmocka_unit_test(following_contacts),
        cmocka_unit_test(wrong_input_changes_nothing),
    };

    seed = random_seed(20260607);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
