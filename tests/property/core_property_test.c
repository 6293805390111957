/* The ways of asking the same thing: batches of every length with invalid bodies among them, whichever instruction set, and
 * whole spans give the same bits as one sweep after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/core.h"
#include "support/bits.h"
#include "support/impact.h"
#include "support/queries_hard.h"

enum { BATCH_MAX = 40, BODIES = 2 * BATCH_MAX };

static uint64_t seed;
static const clash_span whole = {0, 1};

typedef struct answers {
    clash_sweep_result results[BATCH_MAX + 1];
    clash_contact contacts[BATCH_MAX + 1];
} answers;

static query any_query(random_state *r)
{
    query q;

    if (random_below(r, 3) == 0)
        return query_make(r, random_below(r, QUERY_KINDS));
    q = hard_make(r, (hard_kind)random_below(r, HARD_KINDS));
    if (random_below(r, 4) == 0)
        hard_tighten(&q, hard_either_way(r, -9, -3, 0));
    return q;
}

/** Breaks one of the body's 21 numbers, or its meaning. */
static void spoil(random_state *r, clash_body *b)
{
    static const float values[] = {NAN, INFINITY, -INFINITY};
    float *numbers = (float *)b;
    int how = random_below(r, 5);

    if (how == 0)
        b->shape.radius = -1e-30f;
    else if (how == 1)
        b->motion.from.orientation = (clash_quat){0, 0, -0.0f, 0};
    else
        numbers[random_below(r, (int)(sizeof *b / sizeof(float)))] = values[random_below(r, 3)];
}

static void make_bodies(random_state *r, clash_body *bodies, bool with_invalid)
{
    for (int i = 0; i < BODIES; i += 2) {
        query q = any_query(r);

        bodies[i] = q.a;
        bodies[i + 1] = q.b;
        if (with_invalid && random_below(r, 20) == 0)
            spoil(r, &bodies[i + random_below(r, 2)]);
    }
}

/** All bytes known, so that what must not be written can be told, and whole structs be compared. */
static void clear(answers *a)
{
    memset(a, 0x5a, sizeof *a);
}

static void one_by_one(const clash_body *bodies, const uint32_t (*pairs)[2], size_t count, answers *out)
{
    clear(out);
    for (size_t i = 0; i < count; i++)
        out->results[i] = clash_sweep(&bodies[pairs[i][0]], &bodies[pairs[i][1]], &out->contacts[i]);
}

/** With what stands behind the last answer. */
static bool same_answers(const answers *x, const answers *y)
{
    bool same = memcmp(x->results, y->results, sizeof x->results) == 0;

    for (int i = 0; i <= BATCH_MAX; i++)
        same = same && bits_contact_same(&x->contacts[i], &y->contacts[i]);
    return same;
}

static void check_count(random_state *r, size_t count, bool with_invalid, long results[4])
{
    static answers single, batch;
    clash_body bodies[BODIES];
    uint32_t pairs[BATCH_MAX][2];

    make_bodies(r, bodies, with_invalid);
    for (size_t i = 0; i < count; i++) {
        pairs[i][0] = (uint32_t)random_below(r, BODIES);
        pairs[i][1] = random_below(r, 4) ? pairs[i][0] ^ 1u : (uint32_t)random_below(r, BODIES);
    }
    one_by_one(bodies, pairs, count, &single);
    clear(&batch);
    clash_sweep_pairs(bodies, pairs, count, batch.results, batch.contacts);
    for (size_t i = 0; i < count; i++)
        results[single.results[i]]++;
    if (!same_answers(&single, &batch))
        fail_msg("seed %llu: a batch of %zu differs from single sweeps", (unsigned long long)seed, count);
    clear(&batch);
    clash_sweep_pairs(bodies, pairs, count, batch.results, NULL);
    assert_memory_equal(single.results, batch.results, count * sizeof *batch.results);
}

/* Nothing but the answers is written either: the arrays are longer than any batch. */
static void batches_of_every_length(void **state)
{
    random_state r = {seed};
    long results[4] = {0};

    (void)state;
    for (long round = 0; round < 2 || round < random_cases(10); round++)
        for (size_t count = 0; count <= BATCH_MAX; count++)
            check_count(&r, count, round % 2, results);
    for (int i = 0; i < 4; i++)
        assert_true(results[i] > random_enough(50));
}

#if defined(__x86_64__)
/** The table that is held against the portable one. */
static const core *wide;

static bool same_sweep(const query *q, clash_span sa, clash_span sb)
{
    const clash_toi_input in = impact_bodies(&q->a, sa, &q->b, sb, (impact_settings){0, 0});
    double limit = (double)q->a.shape.radius + (double)q->b.shape.radius;
    clash_toi_output c, d;
    clash_sweep_result s, t;

    memset(&c, 0, sizeof c);
    memset(&d, 0, sizeof d);
    s = core_portable.sweep(&q->a, &q->b, limit, &c.contact);
    t = wide->sweep(&q->a, &q->b, limit, &d.contact);
    if (s != t || !bits_output_same(&c, &d))
        return false;
    s = core_portable.time_of_impact(&in, &c);
    t = wide->time_of_impact(&in, &d);
    if (s != t || !bits_output_same(&c, &d))
        return false;
    s = core_portable.contact_at(&in, 0.375, &c);
    t = wide->contact_at(&in, 0.375, &d);
    if (s != t || !bits_output_same(&c, &d))
        return false;
    s = core_portable.sweep_near(&q->a, &q->b, limit, &c.contact);
    t = wide->sweep_near(&q->a, &q->b, limit, &d.contact);
    return s == t && bits_output_same(&c, &d);
}

static bool same_following(const query *q, clash_span sa, clash_span sb, bool touching)
{
    const clash_toi_input in = impact_bodies(&q->a, sa, &q->b, sb, (impact_settings){0, 0.002f});
    clash_contact_state s = {.touching = touching, .min_distance = 0.5f, .min_clearance = 0.4f}, t = s;
    clash_contact_change c[CLASH_CONTACT_CHANGES_MAX], d[CLASH_CONTACT_CHANGES_MAX];
    size_t m, n;

    memset(c, 0, sizeof c);
    memset(d, 0, sizeof d);
    m = core_portable.contact_advance(&s, &in, c);
    n = wide->contact_advance(&t, &in, d);
    for (size_t i = 0; i < m && m == n; i++)
        if (!bits_change_same(&c[i], &d[i]))
            return false;
    return m == n && s.touching == t.touching && bits_float_same(s.min_distance, t.min_distance);
}

/** Sixteen at a time, and eight: the same among instruction sets, and among themselves. */
static bool same_sixteen(random_state *r)
{
    clash_body bodies[BODIES];
    uint32_t pairs[16][2];
    bool valid[2][2], alone[2];
    unsigned apart[2], eights;
    float margin = random_below(r, 2) ? 0.0f : (float)hard_decades(r, -9, 0);

    make_bodies(r, bodies, random_below(r, 8) == 0);
    for (uint32_t i = 0; i < 16; i++) {
        pairs[i][0] = 2 * i;
        pairs[i][1] = 2 * i + 1;
    }
    apart[0] = core_portable.sixteen_apart(bodies, (const uint32_t(*)[2])pairs, margin, valid[0]);
    apart[1] = wide->sixteen_apart(bodies, (const uint32_t(*)[2])pairs, margin, valid[1]);
    eights = wide->eight_apart(bodies, (const uint32_t(*)[2])pairs, margin, &alone[0]);
    eights |= wide->eight_apart(bodies, (const uint32_t(*)[2])pairs + 8, margin, &alone[1]) << 8;
    return apart[0] == apart[1] && apart[0] == eights && memcmp(valid[0], valid[1], sizeof valid[0]) == 0 &&
           memcmp(valid[0], alone, sizeof alone) == 0;
}

/** Pairs some of which are far apart, and which are so. */
static bool same_far_run(random_state *r)
{
    clash_body bodies[BODIES];
    uint32_t pairs[BATCH_MAX][2];
    unsigned apart[2];
    float margin = random_below(r, 2) ? 0.0f : (float)hard_decades(r, -9, 0);

    make_bodies(r, bodies, random_below(r, 8) == 0);
    for (size_t i = 0; i < BATCH_MAX; i++) {
        bodies[2 * i].motion.from.position.x += 3;
        bodies[2 * i].motion.to.position.x += i < 30 ? 3 : 0;
        pairs[i][0] = (uint32_t)(2 * i);
        pairs[i][1] = (uint32_t)(2 * i + 1);
    }
    return core_portable.spheres_apart_run(bodies, (const uint32_t(*)[2])pairs, BATCH_MAX, margin, &apart[0]) ==
               wide->spheres_apart_run(bodies, (const uint32_t(*)[2])pairs, BATCH_MAX, margin, &apart[1]) &&
           apart[0] == apart[1];
}

static size_t sweep_many(const core *c, const clash_body *bodies, answers *out)
{
    core_task tasks[8];

    clear(out);
    for (size_t i = 0; i < 8; i++)
        tasks[i] = (core_task){&bodies[2 * i], &bodies[2 * i + 1], &out->results[i], &out->contacts[i], 0, 0};
    return c->sweep_many(tasks, 8, false);
}

static bool same_search_many(random_state *r)
{
    static answers portable, other;
    clash_body bodies[BODIES];
    size_t left;

    make_bodies(r, bodies, false);
    left = sweep_many(&core_portable, bodies, &portable);
    return left == sweep_many(wide, bodies, &other) && same_answers(&portable, &other);
}

static void check_instruction_set(const core *of, const char *name)
{
    random_state r = {seed + 1};

    wide = of;
    for (long i = 0; i < random_cases(5000); i++) {
        query q = any_query(&r);
        double p = random_in(&r, 0, 1);
        clash_span part = {p * random_in(&r, 0, 1), p}, sa = i % 2 ? whole : part, sb = i % 3 ? whole : part;

        if (!same_sweep(&q, sa, sb) || !same_following(&q, sa, sb, i % 5 == 0))
            fail_msg("seed %llu case %ld: %s gives other bits", (unsigned long long)seed, i, name);
        if (i % 8 == 0 && !(same_sixteen(&r) && same_far_run(&r)))
            fail_msg("seed %llu case %ld: %s tells others apart", (unsigned long long)seed, i, name);
        if (i % 8 == 0 && !same_search_many(&r))
            fail_msg("seed %llu case %ld: %s gives other bits, four by four", (unsigned long long)seed, i, name);
    }
}
#endif

static void instruction_sets_give_the_same_bits(void **state)
{
    (void)state;
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2"))
        skip();
    check_instruction_set(&core_avx2, "AVX2");
    if (core_get() == &core_avx512)
        check_instruction_set(&core_avx512, "AVX-512");
#else
    skip();
#endif
}

static void whole_spans_are_no_spans(void **state)
{
    random_state r = {seed + 2};

    (void)state;
    for (long i = 0; i < random_cases(5000); i++) {
        query q = any_query(&r);
        clash_contact c, d;

        memset(&c, 0, sizeof c);
        memset(&d, 0, sizeof d);
        assert_int_equal(clash_sweep(&q.a, &q.b, &c), impact_sweep(&q.a, whole, &q.b, whole, 0.0f, &d));
        assert_true(bits_contact_same(&c, &d));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_of_every_length),
        cmocka_unit_test(instruction_sets_give_the_same_bits),
        cmocka_unit_test(whole_spans_are_no_spans),
    };

    seed = random_seed(8128);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
