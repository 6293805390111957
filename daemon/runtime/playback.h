/* What the devices do, as a function of the time since the session began: a recording (CLASH_RUNTIME_RECORDING) or a
 * script (CLASH_RUNTIME_SCRIPT), at CLASH_RUNTIME_SPEED, again and again unless CLASH_RUNTIME_LOOP=0. It knows neither
 * sessions nor faults. Once created it never changes. */
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

/** Between two passes of a recording nothing is tracked for this long (playing time), which is longer than any gap that
 *  a listener joins: the jump from the end to the beginning is no motion. */
#define PLAYBACK_SEAM_NS 150000000

typedef struct playback playback;

/** As the environment says. NULL with a message that names the variable and what was expected. */
playback *playback_create(failure *out_failure);
void playback_destroy(playback *p);
/** `elapsed_ns` >= 0. */
track_quality playback_pose(const playback *p, playback_device device, int64_t elapsed_ns, clash_pose *out_pose);
/** Whether there is such a device at all, still. False for good after the end where nothing is repeated. */
bool playback_is_present(const playback *p, playback_device device, int64_t elapsed_ns);
/** Whether poses are in LOCAL space rather than STAGE. */
bool playback_is_local(const playback *p);
/** For the log and for people. */
const char *playback_describe(const playback *p);

#endif
