/* Thin blades, lines among them, that pass each other at 10 m to 100 km an interval: what is only met for the last
 * digits of a double must be met all the same. A miss shows where the same motion is searched piece by piece, a step too
 * far as a gap at the contact. A failure prints seed and case; CLASHD_SEED runs it again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/impact.h"
#include "support/queries_hard.h"
#include "support/truth.h"

enum { PIECES = 16 };

/* A search that rounding leaves no step doubles its tolerance (sweep.h). */
#define GROWTH 2
/* Two searches may find one contact this far from each other, in fractions of the interval. */
#define LATE 1e-6

static uint64_t seed;

/** Moves both so that they meet at `fraction` nearly parallel, on one swing or two. */
static void pass_in_parallel(random_state *r, query *q, double speed, double fraction)
{
    clash_vec3 where = random_box(r, 1), step = random_box(r, speed), axis = random_direction(r);
    clash_vec3 on_a = hard_point_on(&q->a.shape, random_in(r, 0, 1)),
               on_b = hard_point_on(&q->b.shape, random_in(r, 0, 1));
    clash_quat lie = random_turn(r, 6.28), tilt = hard_any_tilt(r, hard_decades(r, -9, -1));
    double angle = random_in(r, 0, 3);
    clash_vec3 other_step = random_below(r, 2) ? step : random_box(r, speed);
    double other_angle = random_below(r, 2) ? angle : random_in(r, 0, 3);

    q->a = hard_through(q->a.shape, on_a, where, lie, axis, angle, step, fraction);
    q->b = hard_through(q->b.shape, on_b, where, quat_times(tilt, lie), axis, other_angle, other_step, fraction);
}

static query passing(random_state *r)
{
    static const double thin[4] = {0, 1e-9, 1e-6, 1e-3};
    double speed = hard_decades(r, 1, 5), length = hard_decades(r, -1, 1), fraction = random_in(r, 0.05, 1);
    query q =
        hard_meeting(r, length, thin[random_below(r, 4)], fraction, random_in(r, 0, 1), random_in(r, 0, 1), speed, 3);

    if (random_below(r, 2))
        pass_in_parallel(r, &q, speed, fraction);
    return q;
}

/** The first contact piece by piece, the pieces' ends at random and just before `near`; -1 where there is none. */
static double piecewise(random_state *r, const query *q, double near)
{
    double from = 0;

    for (int i = 1; i <= PIECES; i++) {
        double to = i == PIECES ? 1.0 : fmax(from, (i + random_in(r, -0.4, 0.4)) / PIECES);
        double before = near - hard_decades(r, -12, -2);
        clash_span piece;
        clash_contact c;

        if (before > from && before < to)
            to = before, i--;
        piece = (clash_span){from, to};
        if (impact_sweep(&q->a, piece, &q->b, piece, 0, &c) != CLASH_SWEEP_APART)
            return from + c.fraction * (to - from);
        from = to;
    }
    return -1;
}

/** Whether they touch soon after `at` beyond what the tolerance leaves open; looks ever less closely. */
static bool surely_touch(const exhaustive_pair *p, double limit, double at)
{
    double least = exhaustive_distance(p, at), ahead = LATE;

    for (int i = 0; i < 900; i++, ahead /= 1.03) /* down to 1e-17 */
        least = fmin(least, exhaustive_distance(p, fmin(at + ahead, 1)));
    return least <= limit + 0.2e-9;
}

/** What is wrong with the whole sweep, NULL where nothing is. */
static const char *mistake(random_state *r, const query *q, clash_sweep_result result, const clash_contact *c)
{
    double limit = (double)q->a.shape.radius + (double)q->b.shape.radius, gap, cut;
    exhaustive_pair p = exhaustive_whole(&q->a, &q->b);

    if (result == CLASH_SWEEP_INVALID)
        return "invalid";
    if (result == CLASH_SWEEP_OVERLAP)
        return NULL;
    cut = piecewise(r, q, result == CLASH_SWEEP_HIT ? c->fraction : 1);
    if (result == CLASH_SWEEP_APART)
        return cut >= 0 && surely_touch(&p, limit, cut) ? "missed" : NULL;
    gap = exhaustive_distance(&p, c->fraction) - limit;
    if (fabs(gap) > GROWTH * (truth_tolerance(&p) + 2.3e-16 * p.most[1]))
        return "a gap at the contact";
    if (cut < 0 || cut > c->fraction + LATE)
        return surely_touch(&p, limit, c->fraction) ? "missed piece by piece" : NULL;
    return cut < c->fraction - LATE && surely_touch(&p, limit, cut) ? "late" : NULL;
}

static void nothing_is_passed_through(void **state)
{
    random_state r = {seed};
    long hits = 0;

    (void)state;
    for (long i = 0; i < random_cases(100000); i++) {
        query q = passing(&r);
        clash_contact c = {0};
        clash_sweep_result result = clash_sweep(&q.a, &q.b, &c);
        const char *wrong = mistake(&r, &q, result, &c);

        if (wrong)
            fail_msg("seed %llu case %ld: %s (%d at %.17g)", (unsigned long long)seed, i, wrong, (int)result,
                     c.fraction);
        hits += result == CLASH_SWEEP_HIT;
    }
    assert_true(hits > random_cases(100000) / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_passed_through)};

    seed = random_seed(299792458);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
