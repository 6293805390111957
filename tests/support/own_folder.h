/* What fixtures begin with: a folder of their own, the path of a file in it, and a loop. */
#ifndef CLASHD_TESTS_OWN_FOLDER_H
#define CLASHD_TESTS_OWN_FOLDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <uv.h>

#include "support/temporary.h"

/** Make a folder, 0700, and a loop. `path` is that of a file in it, which is not there yet. Whoever called it removes and closes them. */
static inline void own_folder_open(char (*root)[64], char (*path)[128], const char *file, uv_loop_t *loop)
{
    snprintf(*root, sizeof *root, "/tmp/clashd-test-" TEMPORARY);
    assert_non_null(mkdtemp(*root));
    snprintf(*path, sizeof *path, "%s/%s", *root, file);
    assert_int_equal(uv_loop_init(loop), 0);
}

#endif
