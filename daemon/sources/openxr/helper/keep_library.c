/* See keep_library.h. The runtime is the library that exports the loader's negotiation function. */
#include "keep_library.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#define GREETING "xrNegotiateLoaderRuntimeInterface"
#define LIBRARIES_MAX 512

typedef struct libraries {
    char *names[LIBRARIES_MAX];
    size_t count;
} libraries;

static int add_library(struct dl_phdr_info *info, size_t size, void *context)
{
    libraries *all = context;

    (void)size;
    if (info->dlpi_name && info->dlpi_name[0] && all->count < LIBRARIES_MAX &&
        (all->names[all->count] = strdup(info->dlpi_name)))
        all->count++;
    return 0;
}

static void keep_if_runtime(const char *name)
{
    void *library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD), *greeting;
    Dl_info info;

    if (!library)
        return;
    greeting = dlsym(library, GREETING); /* dlsym also searches the library's dependencies */
    if (greeting && dladdr(greeting, &info) && strcmp(info.dli_fname, name) == 0)
        dlopen(name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    dlclose(library);
}

void xr_keep_runtime(void)
{
    libraries all = {.count = 0};

    dl_iterate_phdr(add_library, &all);
    for (size_t i = 0; i < all.count; i++) {
        keep_if_runtime(all.names[i]);
        free(all.names[i]);
    }
}
