/* Paths: stored once each, and checked as "Well-Formed Path Strings" of the OpenXR specification asks. */
#include "runtime/paths.h"
#include "cli/array.h"
#include <stdlib.h>
#include <string.h>

#define PATHS_MAX 65536

static const char *const users[] = {
    "/user/hand/left", "/user/hand/right", "/user/head", "/user/gamepad", "/user/treadmill", PATHS_TRACKER,
};

bool paths_level_is_legal(const char *level, size_t length)
{
    bool only_dots = true;
    for (size_t i = 0; i < length; i++) {
        char c = level[i];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.'))
            return false;
        only_dots = only_dots && c == '.';
    }
    return !only_dots; /* an empty level counts as only dots */
}

static bool is_legal(const char *string)
{
    if (string[0] != '/' || strlen(string) >= XR_MAX_PATH_LENGTH)
        return false;
    for (const char *level = string + 1;; level++) {
        size_t length = strcspn(level, "/");
        if (!paths_level_is_legal(level, length))
            return false;
        level += length;
        if (!*level)
            return true;
    }
}

XrResult paths_add(paths *p, const char *string, XrPath *out_path)
{
    if (!is_legal(string))
        return XR_ERROR_PATH_FORMAT_INVALID;
    for (size_t i = 0; i < p->count; i++) {
        if (strcmp(p->strings[i], string) == 0) {
            *out_path = i + 1;
            return XR_SUCCESS;
        }
    }
    if (p->count == PATHS_MAX)
        return XR_ERROR_PATH_COUNT_EXCEEDED;
    char *copy = array_grow(&p->strings, p->count, &p->capacity, sizeof *p->strings) ? strdup(string) : NULL;
    if (!copy)
        return XR_ERROR_OUT_OF_MEMORY;
    p->strings[p->count++] = copy;
    *out_path = p->count;
    return XR_SUCCESS;
}

const char *paths_string(const paths *p, XrPath path)
{
    return path == XR_NULL_PATH || path > p->count ? NULL : p->strings[path - 1];
}

void paths_finish(paths *p)
{
    for (size_t i = 0; i < p->count; i++)
        free(p->strings[i]);
    free(p->strings);
    *p = (paths){0};
}

const char *paths_user(uint32_t user)
{
    return users[user];
}

int paths_find_user(const char *string, bool prefix)
{
    for (size_t i = 0; i < sizeof users / sizeof *users; i++) {
        size_t length = strlen(users[i]);
        if (strncmp(string, users[i], length) == 0 && (string[length] == '\0' || (prefix && string[length] == '/')))
            return (int)i;
    }
    return -1;
}
