/* Find helpers relative to the program, so that an installation can be moved as a whole. See helper_place.h. */
#include "platform/helper_place.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Return the running program's directory, with the slash. The file itself may have been replaced since. */
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

static int join(char *out, size_t size, const char *directory, const char *place, const char *name)
{
    const int length = snprintf(out, size, "%s%s%s", directory, place, name);

    if (length >= 0 && (size_t)length < size)
        return 0;
    errno = ENAMETOOLONG;
    return -1;
}

int helper_place(const char *name, const char *variable, const char *room, char *out_path, size_t size)
{
    /* In a build tree: as seen from clashd and clashctl, and from tests. */
    static const char *const built[] = {"../", "../daemon/"};
    const char *named = getenv(variable);
    char directory[PATH_MAX], place[PATH_MAX];

    if (named && named[0])
        return join(out_path, size, "", "", named);
    if (find_directory(directory) != 0)
        return -1;
    if (join(out_path, size, directory, CLASHD_LIBEXEC_FROM_BIN "/", name) == 0 && access(out_path, F_OK) == 0)
        return 0;
    for (size_t i = 0; i < sizeof built / sizeof *built; i++)
        if (join(place, sizeof place, built[i], room, "/") == 0 && join(out_path, size, directory, place, name) == 0 &&
            access(out_path, F_OK) == 0)
            return 0;
    return join(out_path, size, directory, CLASHD_LIBEXEC_FROM_BIN "/", name);
}
