/* Every interaction profile of both hands that has a grip pose, as data: what it is called, what it takes to have it, and
 * whether it can vibrate. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_XR_PROFILES_H
#define CLASHD_SOURCES_OPENXR_HELPER_XR_PROFILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** No minor version of OpenXR 1 has the profile by itself. */
#define XR_PROFILE_EXTENSION_ONLY UINT32_MAX

typedef struct xr_profile {
    const char *path;
    const char *extension; /* which brings it; NULL: none does */
    uint32_t minor;        /* the minor version of OpenXR 1 that has it by itself, or XR_PROFILE_EXTENSION_ONLY */
    bool has_haptic;       /* output/haptic */
} xr_profile;

extern const xr_profile xr_profiles[];
extern const size_t xr_profile_count;

#endif
