/* Intensity: the formula that the documents give, by libm; never falling, 1 only where the speed is full; and on two people's
 * swings spread over the whole range. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka's header wants these before it. */
#include <cmocka.h>

#include "pipeline/intensity.h"
#include "support/random.h"

#define FULL 200.0f

static float logarithmic(double speed)
{
    return intensity_of(speed, FULL, PIPELINE_INTENSITY_LOGARITHMIC);
}

static void it_is_the_documented_formula(void **state)
{
    random_state r = {random_seed(1)};

    (void)state;
    for (int i = 0; i < 200000; i++) {
        double full = exp(random_in(&r, -5, 6)), speed = full * exp(random_in(&r, -30, 0));
        double expected = log1p(100 * speed / (double)(float)full) / log(101);
        double found = (double)intensity_of(speed, (float)full, PIPELINE_INTENSITY_LOGARITHMIC);

        if (!(fabs(found - expected) <= 1e-7 * expected + 1e-15))
            fail_msg("%.17g of %.17g m/s: %.9g is not %.17g", speed, full, found, expected);
        assert_true(intensity_of(speed, (float)full, PIPELINE_INTENSITY_LINEAR) ==
                    (float)fmin(speed / (double)(float)full, 1));
    }
}

static void the_ends_are_exact(void **state)
{
    static const double still[] = {0, -0.0, -1e-300, -5, -DBL_MAX, -INFINITY};
    static const double hard[] = {200, 200.000001, 1e30, DBL_MAX, INFINITY};

    (void)state;
    for (int curve = 0; curve < 2; curve++) {
        for (size_t i = 0; i < sizeof still / sizeof *still; i++)
            assert_true(intensity_of(still[i], FULL, (pipeline_intensity_curve)curve) == 0.0f);
        for (size_t i = 0; i < sizeof hard / sizeof *hard; i++)
            assert_true(intensity_of(hard[i], FULL, (pipeline_intensity_curve)curve) == 1.0f);
    }
    assert_true(logarithmic(199.9) < 1.0f && logarithmic(1e-6) > 0.0f);
    assert_true(intensity_of(1e-40, FLT_MAX, PIPELINE_INTENSITY_LOGARITHMIC) >= 0.0f);
}

/* Every float of some ranges, where the sum is cut off and where it is halved once more. */
static void it_never_falls(void **state)
{
    static const float ends[] = {0, 1e-30f, 1.99f, 2, 2.01f, 5.999f, 6, 6.001f, 14, 30, 62, 126, 199, 199.99f, 200};

    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        float speed = ends[i], before = logarithmic((double)speed);

        for (int n = 0; n < 20000; n++) {
            float next = nextafterf(speed, INFINITY), now = logarithmic((double)next);

            assert_true(now >= before && now <= 1.0f);
            speed = next, before = now;
        }
    }
    for (int i = 0; i < 12000; i++) {
        double speed = 0.001 * pow(1.001, i);

        assert_true(logarithmic(speed * 1.001) > logarithmic(speed));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_documented_formula),
        cmocka_unit_test(the_ends_are_exact),
        cmocka_unit_test(it_never_falls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
