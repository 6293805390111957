/* What the tests of Unity's colliders compare with: numbers that are the same but for rounding. */
#ifndef CLASHD_TESTS_UNITY_NEAR_H
#define CLASHD_TESTS_UNITY_NEAR_H

#include <clash/unity.h>
#include <math.h>

#define NO_TURN          \
    {                    \
        0.0f, 0, 0, 1.0f \
    }

static inline void assert_near(const char *name, const char *what, double is, double expected)
{
    if (!(fabs(is - expected) <= 2e-6 * (1.0 + fabs(expected))))
        fail_msg("%s: %s is %.9g, not %.9g", name, what, is, expected);
}

static inline void assert_vec3(const char *name, const char *what, clash_vec3 is, clash_vec3 expected)
{
    assert_near(name, what, (double)is.x, (double)expected.x);
    assert_near(name, what, (double)is.y, (double)expected.y);
    assert_near(name, what, (double)is.z, (double)expected.z);
}

#endif
