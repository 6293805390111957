/* What every result's bits stand on: the compiler rounds to float where the code says so, in neighbouring lines too. gcc 12
 * with its vectorizer of straight-line code does not (the project is built without it). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Two of a kind, side by side: what is taken for one vector. */
__attribute__((noinline)) static void side_by_side(const double *in, double by, double again, double *out)
{
    float x = (float)(in[0] * by), y = (float)(in[1] * by);

    out[0] = (double)x * again;
    out[1] = (double)y * again;
}

__attribute__((noinline)) static double alone(double in, double by, double again)
{
    volatile float x = (float)(in * by);

    return (double)x * again;
}

static void a_float_between_doubles_is_rounded_to(void **state)
{
    (void)state;
    for (int i = 3; i < 200; i++) {
        const double in[2] = {1.0 / i, 1.0 / (i + 1)};
        double out[2];

        side_by_side(in, 1.7, 3.3, out);
        assert_true(out[0] == alone(in[0], 1.7, 3.3) && out[1] == alone(in[1], 1.7, 3.3));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_float_between_doubles_is_rounded_to)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
