/* What a user can choose of the OpenXR source. */
#ifndef CLASHD_SOURCES_OPENXR_OPENXR_SETTINGS_H
#define CLASHD_SOURCES_OPENXR_OPENXR_SETTINGS_H

#include "ports/log.h"

#include <stdbool.h>
#include <stdint.h>

#define OPENXR_DEVICE_LEFT "/user/hand/left"
#define OPENXR_DEVICE_RIGHT "/user/hand/right"

/** The least rate of frames while nothing can meet: what displays show, and close enough together to be joined. */
#define OPENXR_REST_HZ 90.0

/** A tracker's device is named by this and its role (XR_HTCX_vive_tracker_interaction). */
#define OPENXR_TRACKER_PREFIX "/user/vive_tracker_htcx/role/"
/** At most this many are followed at once. */
#define OPENXR_TRACKERS_MAX 6

typedef enum openxr_space { OPENXR_SPACE_STAGE, OPENXR_SPACE_LOCAL } openxr_space;

typedef struct openxr_settings {
    double rate_hz;       /* 1 .. 10000 frames a second */
    bool may_rest;        /* use rate_hz only while something can meet, else OPENXR_REST_HZ */
    openxr_space space;   /* what poses are relative to; local replaces a missing stage, with a warning */
    int64_t lookahead_ns; /* ask for poses this much after now; 0 or a little less gives measured ones */
    bool haptics;         /* bind the vibration of both hands */
    uint32_t trackers;    /* wanted ones, as bits of openxr_tracker; at most OPENXR_TRACKERS_MAX */
} openxr_settings;

/** Return the bit of a role by its device's name, or 0 if there is no such role. */
uint32_t openxr_tracker(const char *device);

/** Return `trackers` with that device's, if it is one. Warn of a role that does not exist, and of one too many. */
uint32_t openxr_tracker_add(uint32_t trackers, const char *device, const logger *log);

#endif
