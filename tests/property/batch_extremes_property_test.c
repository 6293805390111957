/* Bodies of any size that a float can hold, quaternions of any length: alone and in a batch the same bits come out. Lengths
 * share a scale, so that blades of 1e19 m reach one another as those of 1 m do; there squares leave the range of float. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <clash/contact.h>

#include "support/bits.h"
#include "support/queries.h"

enum { BODIES = 12, PAIRS = 29 /* sixteen, eight and a rest of five */ };

static const float float_max = 3.402823466e38f;

static float clamped(double n)
{
    return (float)fmax(fmin(n, (double)float_max), -(double)float_max);
}

static clash_vec3 scaled(clash_vec3 v, double scale)
{
    return (clash_vec3){clamped((double)v.x * scale), clamped((double)v.y * scale), clamped((double)v.z * scale)};
}

/** Mostly of about unit length. */
static clash_quat turn_of_any_length(random_state *r)
{
    clash_quat q = random_turn(r, random_below(r, 4) ? 0.5 : 3.1);
    double scale = random_below(r, 2) ? 1.0 : pow(10.0, random_in(r, -22.0, 19.0));

    q = (clash_quat){clamped((double)q.x * scale), clamped((double)q.y * scale), clamped((double)q.z * scale),
                     clamped((double)q.w * scale)};
    if (q.x == 0.0f && q.y == 0.0f && q.z == 0.0f && q.w == 0.0f)
        q.w = 1.0f;
    return q;
}

/** With positions in a box of that many scales. */
static clash_body body_of_scale(random_state *r, double scale, double spread)
{
    double own = scale * pow(10.0, random_in(r, -2.0, 0.5));
    clash_vec3 from = random_box(r, spread),
               to = random_below(r, 2) ? query_add(from, random_box(r, 0.3)) : random_box(r, spread);
    clash_body b = {
        .shape = {scaled(random_box(r, 1), own), scaled(random_box(r, 1), own), 0},
        .motion = {{turn_of_any_length(r), scaled(from, scale)}, {turn_of_any_length(r), scaled(to, scale)}}};

    if (random_below(r, 2))
        b.shape.radius = clamped(own * random_in(r, 0.0, 1.0));
    return b;
}

static void compare(const clash_body *bodies, const uint32_t (*pairs)[2], long round)
{
    clash_sweep_result results[PAIRS];
    clash_contact contacts[PAIRS];

    memset(contacts, 0x5a, sizeof contacts);
    clash_sweep_pairs(bodies, pairs, PAIRS, results, contacts);
    for (size_t i = 0; i < PAIRS; i++) {
        clash_contact alone;
        clash_sweep_result result;

        memset(&alone, 0x5a, sizeof alone);
        result = clash_sweep(&bodies[pairs[i][0]], &bodies[pairs[i][1]], &alone);
        if (result != results[i] || !bits_contact_same(&alone, &contacts[i])) {
            const float *a = (const float *)&bodies[pairs[i][0]], *b = (const float *)&bodies[pairs[i][1]];

            print_error("round %ld, pair %zu: alone %d at %.17g, %g m; in the batch %d at %.17g, %g m\n", round, i,
                        (int)result, alone.fraction, (double)alone.distance, (int)results[i], contacts[i].fraction,
                        (double)contacts[i].distance);
            for (size_t k = 0; k < sizeof(clash_body) / sizeof(float); k++)
                print_error("%14.9g %14.9g\n", (double)a[k], (double)b[k]);
            fail();
        }
    }
}

static void a_batch_says_what_each_pair_does_alone(void **state)
{
    random_state r = {random_seed(20261)};
    long rounds = random_cases(4000);

    (void)state;
    for (long round = 0; round < rounds; round++) {
        double scale = pow(10.0, random_in(&r, -30.0, 38.5)), spread = pow(10.0, random_in(&r, -0.3, 1.0));
        clash_body bodies[BODIES];
        uint32_t pairs[PAIRS][2];

        for (size_t i = 0; i < BODIES; i++)
            bodies[i] = body_of_scale(&r, scale, spread);
        for (size_t i = 0; i < PAIRS; i++) {
            pairs[i][0] = (uint32_t)random_below(&r, BODIES);
            pairs[i][1] = (uint32_t)random_below(&r, BODIES);
        }
        compare(bodies, (const uint32_t(*)[2])pairs, round);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_batch_says_what_each_pair_does_alone)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
