/* Shared by tests of settings: settings from a text, and the errors about it. */
#ifndef CLASHD_TESTS_CONFIG_FIXTURE_H
#define CLASHD_TESTS_CONFIG_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "config/config.h"

#define ORIGIN "my.json"

static inline void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' does not say '%s'", text, part);
}

static inline config_values make_defaults(void)
{
    config_values config;

    /* Padding too, so that whole structs can be compared. */
    memset(&config, 0, sizeof config);
    config_defaults(&config);
    return config;
}

static inline config_result apply(config_values *config, const char *text, failure *out_failure)
{
    return config_apply_text(config, ORIGIN, text, out_failure);
}

static inline void assert_vector(clash_vec3 v, float x, float y, float z)
{
    assert_true(v.x == x && v.y == y && v.z == z);
}

#endif
