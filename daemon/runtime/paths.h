/* The instance's table of paths: strings to XrPath atoms and back, and the top-level user paths. */
#ifndef CLASHD_RUNTIME_PATHS_H
#define CLASHD_RUNTIME_PATHS_H

#include <openxr/openxr.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Zero-initialise; paths_finish frees. */
typedef struct paths {
    char **strings; /* XrPath is an index + 1 */
    size_t count, capacity;
} paths;

void paths_finish(paths *p);
/** Intern a path. Fails with XR_ERROR_PATH_FORMAT_INVALID, XR_ERROR_PATH_COUNT_EXCEEDED or XR_ERROR_OUT_OF_MEMORY. */
XrResult paths_add(paths *p, const char *string, XrPath *out_path);
/** Return the path's string, valid until paths_finish, or NULL if there is no such path. */
const char *paths_string(const paths *p, XrPath path);

/** Return whether this is a legal single level of a path: lower case letters, digits, '-', '_', '.'; not only dots. */
bool paths_level_is_legal(const char *level, size_t length);

/** The top-level path of the one tracker that there may be. */
#define PATHS_TRACKER "/user/vive_tracker_htcx/role/handheld_object"
/** Return the top-level user path of number `user` (runtime.h), e.g. 0: "/user/hand/left". */
const char *paths_user(uint32_t user);
/** Return the number of the top-level user path that equals `string` or, with `prefix`, begins it; -1 if none. */
int paths_find_user(const char *string, bool prefix);

#endif
