/* Look at what the OpenXR loader would find now; see runtime_files.h. It is only a hint when to try again, so the files
 * are read loosely. */
#include "runtime_files.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MANIFEST_MAX 16384
/* As distributions build the loader, and as its own default. */
#define SYSTEM_PLACES "/etc:/usr/local/etc"

static void mix(uint64_t *sum, const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        *sum = (*sum ^ ((const unsigned char *)data)[i]) * 0x100000001b3u; /* FNV-1a */
}

static void mix_file(uint64_t *sum, const char *path)
{
    struct stat status;
    int64_t facts[6] = {-1};

    if (stat(path, &status) == 0) {
        const int64_t found[6] = {(int64_t)status.st_dev,          (int64_t)status.st_ino, status.st_mtim.tv_sec,
                                  (int64_t)status.st_mtim.tv_nsec, status.st_ctim.tv_sec,  (int64_t)status.st_size};

        memcpy(facts, found, sizeof facts);
    }
    mix(sum, facts, sizeof facts);
}

/* Add the text after "library_path"; no known manifest has escapes in it. */
static void mix_library(uint64_t *sum, const char *manifest, const char *text)
{
    const char *at = strstr(text, "\"library_path\""), *end;
    char real[PATH_MAX], path[2 * PATH_MAX];
    const char *slash;

    at = at ? strchr(at + strlen("\"library_path\""), '"') : NULL;
    end = at ? strchr(at + 1, '"') : NULL;
    if (!end || end - at > PATH_MAX || !memchr(at, '/', (size_t)(end - at)) || !realpath(manifest, real))
        return; /* the system looks a bare name up */
    slash = strrchr(real, '/');
    snprintf(path, sizeof path, "%.*s%.*s", at[1] == '/' ? 0 : (int)(slash + 1 - real), real, (int)(end - at - 1),
             at + 1);
    mix_file(sum, path);
}

static void mix_manifest(uint64_t *sum, const char *path)
{
    char text[MANIFEST_MAX];
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;
    ssize_t length = 0;

    mix_file(sum, path);
    if (file < 0)
        return;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode))
        length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    mix_library(sum, path, text);
}

/* Add the manifests below each directory of a list with colons. */
static void mix_places(uint64_t *sum, const char *list)
{
    static const char *const names[] = {"active_runtime.json", "active_runtime.x86_64.json",
                                        "active_runtime.aarch64.json"};
    char path[PATH_MAX];

    while (*list) {
        const size_t length = strcspn(list, ":");

        for (size_t i = 0; length > 0 && i < sizeof names / sizeof *names; i++)
            if ((size_t)snprintf(path, sizeof path, "%.*s/openxr/1/%s", (int)length, list, names[i]) < sizeof path)
                mix_manifest(sum, path);
        list += length + (list[length] == ':');
    }
}

static void mix_below(uint64_t *sum, const char *directory, const char *name, void (*add)(uint64_t *, const char *))
{
    char path[PATH_MAX];

    if (directory && directory[0] && (size_t)snprintf(path, sizeof path, "%s%s", directory, name) < sizeof path)
        add(sum, path);
}

uint64_t xr_files_look(void)
{
    const char *named = getenv("XR_RUNTIME_JSON"), *own = getenv("XDG_CONFIG_HOME"),
               *shared = getenv("XDG_CONFIG_DIRS");
    uint64_t sum = 0xcbf29ce484222325u;

    mix_below(&sum, getenv("XDG_RUNTIME_DIR"), "/monado_comp_ipc", mix_file);
    mix_below(&sum, getenv("XDG_RUNTIME_DIR"), "/wivrn/comp_ipc", mix_file);
    if (named && named[0]) {
        mix_manifest(&sum, named);
        return sum;
    }
    mix_below(&sum, own, "", mix_places);
    if (!own || !own[0])
        mix_below(&sum, getenv("HOME"), "/.config", mix_places);
    mix_places(&sum, shared && shared[0] ? shared : "/etc/xdg");
    mix_places(&sum, SYSTEM_PLACES);
    return sum;
}
