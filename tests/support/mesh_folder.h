/* A folder of a test's own with files for tests of meshes, and reading them by the helper program. */
#ifndef TESTS_MESH_FOLDER_H
#define TESTS_MESH_FOLDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "mesh/loader.h"
#include "support/temporary.h"

static char folder[64], path[128];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/clash-mesh-" TEMPORARY);
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

/** `path` is then the file's. */
static inline void write_file(const char *name, const void *bytes, size_t size)
{
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

/** Read the file as it is: return 0, or -1 with the whole message. */
static inline int read_mesh(const char *file, surface *out, failure *out_failure)
{
    surface_request request = {.kind = SURFACE_MESH, .scale = 1.0f};

    snprintf(request.file, sizeof request.file, "%s", file);
    return surface_load_now(&request, out, out_failure);
}

#endif
