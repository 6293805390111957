/* Relative to the program, so that what is installed can be moved as a whole. See place.h. */
#include "mesh/place.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of the running program, with the slash behind it. The file itself may have been replaced since. */
static int find_directory(char out[PATH_MAX])
{
    const ssize_t length = readlink("/proc/self/exe", out, PATH_MAX - 1);
    char *slash;

    if (length < 0)
        return -1;
    out[length] = '\0';
    slash = strrchr(out, '/');
    if (!slash) {
        errno = ENOENT;
        return -1;
    }
    slash[1] = '\0';
    return 0;
}

static int join(const char *directory, const char *rest, char *out, size_t size)
{
    const int length = snprintf(out, size, "%s%s", directory, rest);

    if (length >= 0 && (size_t)length < size)
        return 0;
    errno = ENAMETOOLONG;
    return -1;
}

int mesh_helper_place(char *out_path, size_t size)
{
    /* Installed; then built, as seen from clashd and clashctl, and from tests. */
    static const char *const places[] = {CLASHD_LIBEXEC_FROM_BIN "/" MESH_HELPER_NAME, "../mesh/" MESH_HELPER_NAME,
                                         "../daemon/mesh/" MESH_HELPER_NAME};
    const char *named = getenv(MESH_HELPER_VARIABLE);
    char directory[PATH_MAX];

    if (named && named[0])
        return join("", named, out_path, size);
    if (find_directory(directory) != 0)
        return -1;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (join(directory, places[i], out_path, size) == 0 && access(out_path, F_OK) == 0)
            return 0;
    return join(directory, places[0], out_path, size);
}
