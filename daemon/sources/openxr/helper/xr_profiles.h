/* Every hand's interaction profile that has a grip pose, as data: its name, what must be enabled for it, and whether it
 * can vibrate. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_XR_PROFILES_H
#define CLASHD_SOURCES_OPENXR_HELPER_XR_PROFILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** No minor version of OpenXR 1 includes the profile. */
#define XR_PROFILE_EXTENSION_ONLY UINT32_MAX

typedef struct xr_profile {
    const char *path;
    const char *extension; /* that brings it, or NULL */
    uint32_t minor;        /* the first minor version of OpenXR 1 that includes it, or XR_PROFILE_EXTENSION_ONLY */
    bool has_haptic;       /* output/haptic */
} xr_profile;

extern const xr_profile xr_profiles[];
extern const size_t xr_profile_count;

#endif
