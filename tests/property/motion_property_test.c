/* The same motion told otherwise must give the same contact: orientations of any length and sign, the motion cut at any
 * points into many parts, and sampled anew at any times, by the sweep and by the tracker. On plain and hard queries; a
 * failure prints seed, kind and case, and CLASHD_SEED runs it again. Another duration, which only the pipeline knows, is
 * time_property_test's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/course.h"

/** Parts or samples that a motion is cut into, at most. */
enum { CUTS_MAX = 40 };

static uint64_t seed;
static const clash_span whole = {0, 1};

#define FAIL(kind, i, ...)                                                                     \
    do {                                                                                       \
        print_error("seed %llu, %s, case %ld: ", (unsigned long long)seed, any_name(kind), i); \
        fail_msg(__VA_ARGS__);                                                                 \
    } while (0)

static clash_quat stretched(random_state *r, clash_quat q)
{
    float by = (float)hard_sign(r), half = random_below(r, 2) ? 2.0f : 0.5f;

    for (int i = random_below(r, 50); i > 0; i--)
        by *= half;
    return (clash_quat){q.x * by, q.y * by, q.z * by, q.w * by};
}

/* Powers of two change no digit, so it is the same motion to the last bit of its numbers. */
static void orientations_of_any_length(void **state)
{
    (void)state;
    for (int kind = 0; kind < ANY_KINDS; kind++) {
        random_state r = {seed + (uint64_t)kind};

        for (long i = 0; i < random_cases(100); i++) {
            query q = any_query(&r, kind);
            clash_body *const bodies[2] = {&q.a, &q.b};
            clash_sweep_result result;
            truth_verdict verdict;
            clash_contact c;
            double gap;

            for (int k = 0; k < 2; k++) {
                clash_motion *m = &bodies[k]->motion;

                m->from.orientation = stretched(&r, m->from.orientation);
                m->to.orientation = stretched(&r, m->to.orientation);
            }
            result = clash_sweep(&q.a, &q.b, &c);
            verdict = truth_judge(&q.a, whole, &q.b, whole, any_limit(&q), result, &c, &gap);
            if (verdict != TRUTH_AGREES)
                FAIL(kind, i, "%s (%d, gap %g)", truth_names[verdict], (int)result, gap);
        }
    }
}

/** 0 = cuts[0] < .. < cuts[count] = 1: evenly, or anywhere. */
static int any_cuts(random_state *r, double cuts[CUTS_MAX + 1])
{
    int count = 2 + random_below(r, CUTS_MAX - 1), kept = 1;
    bool evenly = random_below(r, 2);

    cuts[0] = 0;
    for (int i = 1; i < count; i++) {
        double at = evenly ? (double)i / count : cuts[kept - 1] + (1 - cuts[kept - 1]) * random_in(r, 0, 4.0 / count);

        if (at > cuts[kept - 1] && at < 1)
            cuts[kept++] = at;
    }
    cuts[kept] = 1;
    return kept;
}

/** A query, one in four of them with its radii within a micrometre or so of the least distance. */
static query next_query(random_state *r, int kind)
{
    query q = any_query(r, kind);

    if (random_below(r, 4) == 0)
        hard_tighten(&q, hard_either_way(r, -8, -5, 0));
    return q;
}

/** What the sweep and the tracker may leave open, and twice that where rounding leaves nothing of a step. */
static double doubt_of(const query *q)
{
    exhaustive_pair p = exhaustive_whole(&q->a, &q->b);

    return 2 * truth_tolerance(&p) + 2.3e-16 * p.most[1];
}

/** What is wrong with a first touch found at `at` of the whole (below 0: with none); NULL where nothing is. */
static const char *first_touch_mistake(const query *q, double at, double doubt)
{
    exhaustive_pair p = exhaustive_whole(&q->a, &q->b);
    double limit = any_limit(q), slack = fmax(0.1 * doubt, 2e-10 + 2e-15 * p.size);
    double until = at < 0 ? 1 : at - doubt / p.most[1];

    if (at >= 0 && exhaustive_distance(&p, at) > limit + doubt)
        return "invented";
    if (at > 0 && exhaustive_distance(&p, at) < limit - doubt)
        return "late";
    return until > 0 && exhaustive_first_within(&p, limit - doubt - slack, slack, 0, until).found ? "missed" : NULL;
}

/** Sweeps part by part: where it first touches, in fractions of the whole; -1 where it does not. */
static double sweep_in_parts(const query *q, const double *cuts, int count)
{
    for (int i = 0; i < count; i++) {
        clash_span part = {cuts[i], cuts[i + 1]};
        clash_contact c;

        if (impact_sweep(&q->a, part, &q->b, part, 0, &c) != CLASH_SWEEP_APART)
            return cuts[i] + c.fraction * (cuts[i + 1] - cuts[i]);
    }
    return -1;
}

static void cut_into_many(void **state)
{
    static const impact_settings settings = {0.001f, 0.002f};
    size_t touches = 0, changes = 0;

    (void)state;
    for (int kind = 0; kind < ANY_KINDS; kind++) {
        random_state r = {seed + 100 + (uint64_t)kind};

        for (long i = 0; i < random_cases(300); i++) {
            query q = next_query(&r, kind);
            double cuts[CUTS_MAX + 1];
            int count = any_cuts(&r, cuts);
            double at = sweep_in_parts(&q, cuts, count);
            const char *wrong = first_touch_mistake(&q, at, doubt_of(&q));
            course c = {.count = 0};

            if (wrong)
                FAIL(kind, i, "in %d parts the touch at %.17g is %s", count, at, wrong);
            for (int k = 0; k < count; k++)
                course_advance(&c, settings, &q.a, &q.b, (clash_span){cuts[k], cuts[k + 1]}, cuts[k], cuts[k + 1]);
            wrong = course_mistake(&q, settings, &c, doubt_of(&q));
            if (wrong)
                FAIL(kind, i, "followed in %d parts: %s", count, wrong);
            touches += at >= 0;
            changes += c.count;
        }
    }
    print_message("%zu touches, %zu changes\n", touches, changes);
    assert_true((long)touches > random_enough(500) && (long)changes > random_enough(500));
}

/** The part of both motions as two neighbouring samples have it: poses of their own, rounded to float. */
static query resampled(const query *q, double from, double to)
{
    query part = *q;

    part.a.motion = (clash_motion){clash_motion_at(&q->a.motion, from), clash_motion_at(&q->a.motion, to)};
    part.b.motion = (clash_motion){clash_motion_at(&q->b.motion, from), clash_motion_at(&q->b.motion, to)};
    return part;
}

/** Sweeps from sample to sample, as above. */
static double sweep_in_samples(const query *q, const double *cuts, int count)
{
    for (int i = 0; i < count; i++) {
        query part = resampled(q, cuts[i], cuts[i + 1]);
        clash_contact c;

        if (clash_sweep(&part.a, &part.b, &c) != CLASH_SWEEP_APART)
            return cuts[i] + c.fraction * (cuts[i + 1] - cuts[i]);
    }
    return -1;
}

/* A rigid motion of constant rates gives the same events however often it is sampled, to within what rounding the poses
 * to float moves the blades (course_rounding: 0.3 um for blades of a metre held a metre from the origin). Where the two
 * turn by nearly half a turn rounding may send them the other way round: those kinds are cut exactly above. */
static void sampled_at_any_times(void **state)
{
    static const impact_settings settings = {0.001f, 0.002f};
    size_t touches = 0, changes = 0;

    (void)state;
    for (int kind = 0; kind < ANY_KINDS; kind++) {
        random_state r = {seed + 200 + (uint64_t)kind};

        for (long i = 0; i < random_cases(kind == QUERY_KINDS + HARD_HALF_TURN ? 0 : 300); i++) {
            query q = next_query(&r, kind);
            double cuts[CUTS_MAX + 1], doubt = doubt_of(&q) + course_rounding(&q);
            int count = any_cuts(&r, cuts);
            double at = sweep_in_samples(&q, cuts, count);
            const char *wrong = first_touch_mistake(&q, at, doubt);
            course c = {.count = 0};

            if (wrong)
                FAIL(kind, i, "in %d samples the touch at %.17g is %s", count, at, wrong);
            for (int k = 0; k < count; k++) {
                query part = resampled(&q, cuts[k], cuts[k + 1]);

                course_advance(&c, settings, &part.a, &part.b, whole, cuts[k], cuts[k + 1]);
            }
            wrong = course_mistake(&q, settings, &c, doubt);
            if (wrong)
                FAIL(kind, i, "followed in %d samples: %s", count, wrong);
            touches += at >= 0;
            changes += c.count;
        }
    }
    print_message("%zu touches, %zu changes\n", touches, changes);
    assert_true((long)touches > random_enough(500) && (long)changes > random_enough(500));
}

/* Giants whose distance no double says to within 0.01 mm: the least distance is found all the same, in time. */
static void the_least_distance_of_giants(void **state)
{
    const clash_pose at = {{0, 0, 0, 1}, {0, 0, 0}}, beside = {{0, 0, 0, 1}, {3e12f, 0, 0}};
    const clash_body a = {{{0, 0, 0}, {0, 0, 0}, 2e12f}, {at, at}}, b = {a.shape, {beside, beside}};
    const impact_parts pa = {&a.shape, 1, a.motion}, pb = {&b.shape, 1, b.motion};
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];
    clash_contact_state track = {0}, of_parts = {0};

    (void)state;
    assert_int_equal(impact_advance(&track, (impact_settings){0, 0}, &a, whole, &b, whole, changes), 1);
    assert_true(track.touching && track.min_distance == 3e12f);
    assert_int_equal(impact_advance_blades(&of_parts, (impact_settings){0, 0}, &pa, whole, &pb, whole, changes), 1);
    assert_true(of_parts.touching && of_parts.min_distance == 3e12f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orientations_of_any_length),
        cmocka_unit_test(cut_into_many),
        cmocka_unit_test(sampled_at_any_times),
        cmocka_unit_test(the_least_distance_of_giants),
    };

    seed = random_seed(1618033);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
