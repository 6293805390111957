/* Where each device is, as a function of the time since the session began: from a recording (CLASH_RUNTIME_RECORDING)
 * or a script (CLASH_RUNTIME_SCRIPT), at CLASH_RUNTIME_SPEED, repeated unless CLASH_RUNTIME_LOOP=0. Knows neither
 * sessions nor faults, and never changes once created. */
#ifndef CLASHD_RUNTIME_PLAYBACK_H
#define CLASHD_RUNTIME_PLAYBACK_H

#include "cli/failure.h"

#include "played_track.h"

typedef enum playback_device {
    PLAYBACK_LEFT,
    PLAYBACK_RIGHT,
    PLAYBACK_HEAD,
    PLAYBACK_TRACKER,
    PLAYBACK_DEVICES
} playback_device;

/** Between two passes of a recording nothing is tracked for this long (playing time). It is longer than any gap that a
 *  listener joins, so that the jump from end to beginning is no motion. */
#define PLAYBACK_SEAM_NS 150000000

typedef struct playback playback;

/** Create what the environment asks for. Return NULL with a message that names the variable and what was expected. */
playback *playback_create(failure *out_failure);
void playback_destroy(playback *p);
/** Return the device's pose and how good it is; `elapsed_ns` >= 0. */
track_quality playback_pose(const playback *p, playback_device device, int64_t elapsed_ns, clash_pose *out_pose);
/** Return whether the device still exists: false for good after the end of a recording that is not repeated. */
bool playback_is_present(const playback *p, playback_device device, int64_t elapsed_ns);
/** Return whether poses are in LOCAL space rather than STAGE. */
bool playback_is_local(const playback *p);
/** Return a description for the log and for people. */
const char *playback_describe(const playback *p);

#endif
