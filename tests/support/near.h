/* Comparing doubles: cmocka's assert_float_equal rounds both sides to float first. Include after cmocka.h. */
#ifndef CLASHD_TESTS_NEAR_H
#define CLASHD_TESTS_NEAR_H

#include <math.h>

#define assert_near(value, expected, tolerance)                                         \
    do {                                                                                \
        double near_value = (double)(value), near_expected = (double)(expected);        \
                                                                                        \
        if (!(fabs(near_value - near_expected) <= (double)(tolerance)))                 \
            fail_msg("%s is %.12g, expected %.12g", #value, near_value, near_expected); \
    } while (0)

#endif
