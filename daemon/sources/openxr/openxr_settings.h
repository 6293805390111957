/* What a user can choose of the OpenXR source. */
#ifndef CLASHD_SOURCES_OPENXR_OPENXR_SETTINGS_H
#define CLASHD_SOURCES_OPENXR_OPENXR_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#define OPENXR_DEVICE_LEFT "/user/hand/left"
#define OPENXR_DEVICE_RIGHT "/user/hand/right"

/** That often, whatever happens: what displays show, and as long apart as samples are joined without a doubt. */
#define OPENXR_REST_HZ 90.0

/** What roles of trackers are called as devices: this, and the role (XR_HTCX_vive_tracker_interaction). */
#define OPENXR_TRACKER_PREFIX "/user/vive_tracker_htcx/role/"
/** That many are followed at once. */
#define OPENXR_TRACKERS_MAX 6

typedef enum openxr_space { OPENXR_SPACE_STAGE, OPENXR_SPACE_LOCAL } openxr_space;

typedef struct openxr_settings {
    double rate_hz;     /* 1 .. 10000, frames a second */
    bool may_rest;      /* so many only while something can meet; else OPENXR_REST_HZ */
    openxr_space space; /* what poses are relative to; local stands in, with a warning, for a stage that is not there */
    int64_t lookahead_ns; /* poses are asked for this much after now; 0 or a little below is what can be measured */
    bool haptics;         /* binds the vibration of both hands */
    uint32_t trackers;    /* whose poses are wanted, by openxr_tracker's bits; at most OPENXR_TRACKERS_MAX of them */
} openxr_settings;

/** The bit of a role by its device's name; 0: there is no such role. */
uint32_t openxr_tracker(const char *device);

#endif
