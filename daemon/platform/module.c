/* See module.h. */
#include "platform/module.h"

#include "platform/helper_place.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

const void *module_load(const char *file, const char *variable, const char *room, const char *symbol,
                        const char *version, failure *out_failure)
{
    char path[PATH_MAX];
    const char *const *found;
    void *library;

    if (helper_place(file, variable, room, path, sizeof path) != 0) {
        fail_with(out_failure, "%s: %s", file, strerror(errno));
        return NULL;
    }
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    found = library ? dlsym(library, symbol) : NULL;
    if (!found) {
        fail_with(out_failure, "%s", dlerror());
        return NULL;
    }
    if (strcmp(*found, version) == 0)
        return found;
    fail_with(out_failure, "%s is of version %.32s, and this clashd is %s", path, *found, version);
    return NULL;
}
