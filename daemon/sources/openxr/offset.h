/* Where what a hand holds lies in its controller's grip, and poses of it. Pure. */
#ifndef CLASHD_SOURCES_OPENXR_OFFSET_H
#define CLASHD_SOURCES_OPENXR_OFFSET_H

#include "ports/pose_source.h"

#include <stdbool.h>

/** In the grip itself, as it is to begin with. */
#define XR_OFFSET_NONE                            \
    {                                             \
        .orientation = { 0.0f, 0.0f, 0.0f, 1.0f } \
    }

/** Of one hand. Initialise with {XR_OFFSET_NONE, false}. */
typedef struct xr_offset {
    clash_pose grip_from_held;
    bool is_other; /* than at the last good sample, which no motion leads on from */
} xr_offset;

/** Take that of the profile ("": none is known), or none if it has none. */
void xr_offset_choose(xr_offset *o, const pose_offsets *offsets, const char *profile);
/** Turn the grip's pose into that of what is held: stage_from_grip * grip_from_held. A sample without a good pose stays; the first
 *  good one after a change gets POSE_TELEPORT. Without an offset the pose keeps its bits. */
void xr_offset_place(xr_offset *o, pose_sample *sample);

#endif
