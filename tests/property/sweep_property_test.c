/* Properties of the sweep on random queries of seven kinds: agreement with exhaustive search, symmetry, a common rigid
 * motion, splitting the interval, and batches. A failure prints seed, kind and case; CLASHD_SEED runs it again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <clash/contact.h>

#include "support/impact.h"
#include "support/queries.h"
#include "support/reference.h"

/* Cases nearer to the limit than this are not asked: there float rounding of the input decides. */
#define DOUBT 2e-6

/* A contact without the padding at its end, which means nothing. */
#define CONTACT_BYTES (offsetof(clash_contact, along) + sizeof((clash_contact *)0)->along)

static uint64_t seed;

#define FAIL(kind, i, ...)                                                                        \
    do {                                                                                          \
        print_error("seed %llu, %s, case %ld: ", (unsigned long long)seed, query_names[kind], i); \
        fail_msg(__VA_ARGS__);                                                                    \
    } while (0)

static double limit_of(const query *q)
{
    return (double)q->a.shape.radius + (double)q->b.shape.radius;
}

static query next_query(random_state *r, int kind)
{
    query q = query_make(r, kind);

    if (kind == QUERY_GRAZING) {
        double gap = random_in(r, 3e-5, 1e-3);
        double least = ref_min_distance(&q.a, &q.b, 1e-7);

        query_graze(&q, least, random_below(r, 2) ? gap : -gap);
    }
    return q;
}

static void truth_of(random_state *r, int kind, long i)
{
    query q = next_query(r, kind);
    double doubt = kind == QUERY_FAR ? 5e-5 : DOUBT, limit = limit_of(&q);
    double speed = ref_speed_bound(&q.a) + ref_speed_bound(&q.b) + 1e-12;
    double early = ref_first_within(&q.a, &q.b, limit + doubt, doubt / 4, speed, 0, 1);
    double late = ref_first_within(&q.a, &q.b, limit - doubt, doubt / 4, speed, 0, 1);
    double start = ref_distance_at(&q.a, &q.b, 0) - limit;
    clash_contact c;
    clash_sweep_result s = clash_sweep(&q.a, &q.b, &c);

    if (s == CLASH_SWEEP_INVALID)
        FAIL(kind, i, "invalid");
    if (early < 0 && s != CLASH_SWEEP_APART)
        FAIL(kind, i, "false contact at %.9g", c.fraction);
    if (late >= 0 && s == CLASH_SWEEP_APART)
        FAIL(kind, i, "missed the contact at %.9g..%.9g", early, late);
    if (fabs(start) > doubt && s != CLASH_SWEEP_APART && (start < 0) != (s == CLASH_SWEEP_OVERLAP))
        FAIL(kind, i, "state %d with a gap of %g at the start", (int)s, start);
    if (s == CLASH_SWEEP_HIT && (c.fraction < early - 1e-9 || (late >= 0 && c.fraction > late + 1e-9)))
        FAIL(kind, i, "contact at %.9g, expected within %.9g..%.9g", c.fraction, early, late);
    if (s == CLASH_SWEEP_HIT && fabs(ref_distance_at(&q.a, &q.b, c.fraction) - limit) > doubt)
        FAIL(kind, i, "gap of %g at the contact", ref_distance_at(&q.a, &q.b, c.fraction) - limit);
}

static void agrees_with_exhaustive_search(void **state)
{
    (void)state;
    for (int kind = 0; kind < QUERY_KINDS; kind++) {
        random_state r = {seed + (uint64_t)kind};

        for (long i = 0; i < random_cases(kind == QUERY_GRAZING ? 300 : 2000); i++)
            truth_of(&r, kind, i);
    }
}

static float gap_between(clash_vec3 a, clash_vec3 b)
{
    return clash_vec3_length((clash_vec3){a.x - b.x, a.y - b.y, a.z - b.z});
}

static void swapping_the_bodies(void **state)
{
    (void)state;
    for (int kind = 0; kind < QUERY_KINDS; kind++) {
        random_state r = {seed + 100 + (uint64_t)kind};

        for (long i = 0; i < random_cases(kind == QUERY_GRAZING ? 100 : 5000); i++) {
            query q = next_query(&r, kind);
            float room = kind == QUERY_FAR ? 1e-4f : 1e-5f;
            clash_contact ab, ba;
            clash_sweep_result s = clash_sweep(&q.a, &q.b, &ab), t = clash_sweep(&q.b, &q.a, &ba);

            if (s != t)
                FAIL(kind, i, "%d one way, %d the other", (int)s, (int)t);
            if (s == CLASH_SWEEP_APART)
                continue;
            if (fabs(ref_distance_at(&q.a, &q.b, ab.fraction) - ref_distance_at(&q.a, &q.b, ba.fraction)) > 1e-7)
                FAIL(kind, i, "at %.9g one way, %.9g the other", ab.fraction, ba.fraction);
            /* parallel axes have many closest points; else they are the same two */
            if (kind != QUERY_PARALLEL && kind != QUERY_GRAZING && fabs(ab.fraction - ba.fraction) < 1e-9 &&
                gap_between(ab.midpoint, ba.midpoint) > room)
                FAIL(kind, i, "midpoints %g m from each other", (double)gap_between(ab.midpoint, ba.midpoint));
        }
    }
}

static clash_pose moved(clash_quat q, clash_vec3 by, clash_pose p)
{
    clash_pose frame = {q, by};

    return (clash_pose){quat_times(q, p.orientation), clash_pose_apply(&frame, p.position)};
}

/* Float rounding of the moved poses moves the blades by micrometres: both must touch there, not at the same bit. */
static void a_common_rigid_motion(void **state)
{
    (void)state;
    for (int kind = 0; kind < QUERY_KINDS; kind++) {
        random_state r = {seed + 200 + (uint64_t)kind};

        for (long i = 0; i < random_cases(kind == QUERY_FAR || kind == QUERY_GRAZING ? 0 : 3000); i++) {
            query q = next_query(&r, kind), m = q;
            clash_quat turn = random_turn(&r, 6.28);
            clash_vec3 by = random_box(&r, 2.0);
            clash_contact c, d;
            clash_sweep_result s, t;

            m.a.motion = (clash_motion){moved(turn, by, q.a.motion.from), moved(turn, by, q.a.motion.to)};
            m.b.motion = (clash_motion){moved(turn, by, q.b.motion.from), moved(turn, by, q.b.motion.to)};
            s = clash_sweep(&q.a, &q.b, &c);
            t = clash_sweep(&m.a, &m.b, &d);
            if (s == t && s != CLASH_SWEEP_HIT)
                continue;
            if (s == t && fabs(ref_distance_at(&q.a, &q.b, d.fraction) - limit_of(&q)) < 2e-5)
                continue;
            if (fabs(ref_min_distance(&q.a, &q.b, 1e-7) - limit_of(&q)) < 1e-5 ||
                fabs(ref_distance_at(&q.a, &q.b, 0) - limit_of(&q)) < 1e-5)
                continue; /* on the limit, rounding decides */
            FAIL(kind, i, "%d at %.9g before, %d at %.9g after", (int)s, c.fraction, (int)t, d.fraction);
        }
    }
}

static void splitting_the_interval(void **state)
{
    (void)state;
    for (int kind = 0; kind < QUERY_KINDS; kind++) {
        random_state r = {seed + 300 + (uint64_t)kind};

        for (long i = 0; i < random_cases(kind == QUERY_GRAZING ? 100 : 5000); i++) {
            query q = next_query(&r, kind);
            double cut = random_in(&r, 0, 1), where = -1;
            clash_span first = {0, cut}, second = {cut, 1};
            clash_contact c, d;
            clash_sweep_result s = clash_sweep(&q.a, &q.b, &c);

            if (impact_sweep(&q.a, first, &q.b, first, 0, &d) != CLASH_SWEEP_APART)
                where = d.fraction * cut;
            else if (impact_sweep(&q.a, second, &q.b, second, 0, &d) != CLASH_SWEEP_APART)
                where = cut + d.fraction * (1 - cut);
            if ((where >= 0) != (s != CLASH_SWEEP_APART))
                FAIL(kind, i, "whole %d, cut at %.9g: %.9g", (int)s, cut, where);
            if (where >= 0 && fabs(ref_distance_at(&q.a, &q.b, where) - ref_distance_at(&q.a, &q.b, c.fraction)) > 1e-7)
                FAIL(kind, i, "whole at %.9g, cut at %.9g: %.9g", c.fraction, cut, where);
        }
    }
}

static clash_span random_span(random_state *r)
{
    double p = random_in(r, 0, 1), q = random_in(r, 0, 1);

    return (clash_span){fmin(p, q), fmax(p, q)};
}

/* Bodies sampled at different rates share only parts of their motions: against a dense search at mapped times. */
static void spans_of_their_own(void **state)
{
    enum { STEPS = 400 };

    (void)state;
    for (int kind = 0; kind < QUERY_GRAZING; kind++) {
        random_state r = {seed + 500 + (uint64_t)kind};

        for (long i = 0; i < random_cases(500); i++) {
            query q = next_query(&r, kind);
            clash_span sa = random_span(&r), sb = random_span(&r);
            double limit = limit_of(&q), closest_before = 1e9, closest = 1e9;
            clash_contact c;
            clash_sweep_result s = impact_sweep(&q.a, sa, &q.b, sb, 0, &c);
            double until = s == CLASH_SWEEP_APART ? 1.0 : c.fraction;

            for (int k = 0; k < STEPS; k++) {
                double t = until * k / STEPS, gap = ref_distance_in_spans(&q.a, sa, &q.b, sb, t) - limit;

                closest_before = fmin(closest_before, gap);
            }
            if (s != CLASH_SWEEP_APART)
                closest = ref_distance_in_spans(&q.a, sa, &q.b, sb, until) - limit;
            if (s == CLASH_SWEEP_HIT && fabs(closest) > DOUBT)
                FAIL(kind, i, "gap of %g at the contact", closest);
            if (s != CLASH_SWEEP_OVERLAP && closest_before < -DOUBT)
                FAIL(kind, i, "missed: %g deep before %.9g", closest_before, until);
        }
    }
}

static void batches_are_single_sweeps(void **state)
{
    enum { BODIES = 64, PAIRS = 500 };
    random_state r = {seed + 400};
    clash_body bodies[BODIES];
    uint32_t pairs[PAIRS][2];
    clash_sweep_result results[PAIRS];
    clash_contact contacts[PAIRS];
    int hits = 0;

    (void)state;
    for (int i = 0; i < BODIES; i++)
        bodies[i] = query_make(&r, i % 2 ? QUERY_HITS : QUERY_PARALLEL).a;
    for (int i = 0; i < PAIRS; i++)
        for (int k = 0; k < 2; k++)
            pairs[i][k] = (uint32_t)random_below(&r, BODIES);
    memset(contacts, 0, sizeof contacts);
    clash_sweep_pairs(bodies, pairs, PAIRS, results, contacts);
    for (int i = 0; i < PAIRS; i++) {
        clash_contact single;

        memset(&single, 0, sizeof single);
        assert_int_equal(results[i], clash_sweep(&bodies[pairs[i][0]], &bodies[pairs[i][1]], &single));
        assert_memory_equal(&single, &contacts[i], CONTACT_BYTES);
        hits += results[i] == CLASH_SWEEP_HIT;
    }
    assert_true(hits > random_enough(10));
    clash_sweep_pairs(bodies, pairs, PAIRS, results, NULL);
}

/* However many pairs there are and however many eights of them are far apart, those and no others are answered. */
static void a_batch_answers_its_own_pairs(void **state)
{
    enum { NEAR = 16, BODIES = 2 * NEAR, PAIRS = 48, UNTOUCHED = 0x55 };
    random_state r = {seed + 450};
    clash_body bodies[BODIES];

    (void)state;
    for (int i = 0; i < BODIES; i++) {
        bodies[i] = query_make(&r, QUERY_HITS).a;
        if (i >= NEAR) /* far from all others */
            bodies[i].motion.from.position.x = bodies[i].motion.to.position.x = 100.0f * (float)i;
    }
    for (size_t count = 0; count <= PAIRS; count++) {
        size_t far = 8 * (count % 7);
        uint32_t pairs[PAIRS][2];
        clash_sweep_result results[PAIRS];
        unsigned char apart[PAIRS], untouched[sizeof results];

        for (size_t i = 0; i < PAIRS; i++) {
            pairs[i][0] = (uint32_t)random_below(&r, NEAR);
            pairs[i][1] = (uint32_t)random_below(&r, NEAR) + (i < far ? NEAR : 0);
        }
        memset(results, UNTOUCHED, sizeof results);
        memset(apart, UNTOUCHED, sizeof apart);
        memset(untouched, UNTOUCHED, sizeof untouched);
        clash_sweep_pairs(bodies, (const uint32_t(*)[2])pairs, count, results, NULL);
        clash_pairs_apart(bodies, (const uint32_t(*)[2])pairs, count, 0.0f, (bool *)apart);
        assert_memory_equal(results + count, untouched, (PAIRS - count) * sizeof *results);
        assert_memory_equal(apart + count, untouched, PAIRS - count);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(results[i], clash_sweep(&bodies[pairs[i][0]], &bodies[pairs[i][1]], NULL));
            assert_true(apart[i] == 0 || (apart[i] == 1 && results[i] == CLASH_SWEEP_APART));
            assert_true(apart[i] || i >= far);
        }
    }
}

/* What is proven apart is apart; nearly all that is far off is proven; a body that is not valid is no proof. */
static void what_is_proven_is_apart(void **state)
{
    enum { BODIES = 96, PAIRS = 501 };
    random_state r = {seed + 500};
    clash_body bodies[BODIES];
    uint32_t pairs[PAIRS][2];
    bool apart[PAIRS];
    long proven = 0, sweeps_apart = 0, touching = 0;

    (void)state;
    for (long round = 0; round < random_cases(20); round++) {
        float margin = round % 2 ? (float)random_in(&r, 0, 0.1) : 0.0f;
        size_t count = PAIRS - (size_t)random_below(&r, 9);

        for (int i = 0; i < BODIES; i++)
            bodies[i] = query_make(&r, (int)(round % QUERY_KINDS)).a;
        for (int i = 0; i < PAIRS; i++)
            for (int k = 0; k < 2; k++)
                pairs[i][k] = (uint32_t)random_below(&r, BODIES);
        clash_pairs_apart(bodies, (const uint32_t(*)[2])pairs, count, margin, apart);
        for (size_t i = 0; i < count; i++) {
            const clash_body *a = &bodies[pairs[i][0]], *b = &bodies[pairs[i][1]];
            bool is_apart =
                impact_sweep(a, (clash_span){0, 1}, b, (clash_span){0, 1}, margin, NULL) == CLASH_SWEEP_APART;

            if (apart[i] && !is_apart)
                FAIL((int)(round % QUERY_KINDS), round, "pair %zu is not apart by %g", i, (double)margin);
            proven += apart[i];
            sweeps_apart += is_apart;
            touching += !is_apart;
        }
    }
    assert_true(touching > random_enough(100) && 10 * proven >= 8 * sweeps_apart);
    bodies[7].shape.radius = -1.0f;
    bodies[8].motion.to.position.y = NAN;
    for (int i = 0; i < 16; i++) {
        pairs[i][0] = i < 8 ? 7 : 1;
        pairs[i][1] = 8;
    }
    clash_pairs_apart(bodies, (const uint32_t(*)[2])pairs, 16, 0.0f, apart);
    for (int i = 0; i < 16; i++)
        assert_false(apart[i]);
    for (int k = 0; k < 3; k++) {
        clash_pairs_apart(bodies, (const uint32_t(*)[2])pairs + 16, 16, (float[]){-1.0f, NAN, INFINITY}[k], apart);
        for (int i = 0; i < 16; i++)
            assert_false(apart[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_exhaustive_search),
        cmocka_unit_test(swapping_the_bodies),
        cmocka_unit_test(a_common_rigid_motion),
        cmocka_unit_test(splitting_the_interval),
        cmocka_unit_test(spans_of_their_own),
        cmocka_unit_test(batches_are_single_sweeps),
        cmocka_unit_test(a_batch_answers_its_own_pairs),
        cmocka_unit_test(what_is_proven_is_apart),
    };

    seed = random_seed(20260101);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
