/* The headless session: its life by the runtime's events, the space of poses, and reading both hands at once. Used by
 * the OpenXR thread. No handle of it outlives it. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_XR_SESSION_H
#define CLASHD_SOURCES_OPENXR_HELPER_XR_SESSION_H

#include "report_queue.h"
#include "runtime_clock.h"
#include "xr_actions.h"
#include "xr_xdevs.h"

/** Announced changes of the space that have not come yet. More at once have never been seen; the oldest then counts as
 *  due. */
#define XR_CHANGES_MAX 8

typedef struct xr_session {
    const xr_instance *instance;
    xr_link *link;
    xr_clock clock;
    int64_t event_floor_ns; /* what the runtime reports next happened later; CLOCK_MONOTONIC */
    int64_t frame_ns;       /* when it was last asked for a frame to learn its time */
    bool told_clock;        /* the log has heard which clock it is */
    XrSession handle;
    XrSessionState state;
    bool running; /* between xrBeginSession and xrEndSession */
    XrReferenceSpaceType space_type;
    XrSpace space;
    xr_actions actions;
    xr_xdevs xdevs;
    XrPath profiles[XR_HANDS];                   /* as last logged, */
    char profile_names[XR_HANDS][RING_TEXT_MAX]; /* and their names; "": no controller */
    int64_t changes_ns[XR_CHANGES_MAX];          /* CLOCK_MONOTONIC, in order of arrival */
    int change_count;
} xr_session;

/** All devices at one time. */
typedef struct xr_poses {
    bool active[XR_DEVICES];
    pose_sample samples[XR_DEVICES]; /* valid if active */
} xr_poses;

/** Create a session with actions and spaces; xr_session_events takes it further. False: out_failure says why.
 *  `instance` and `link` must outlive it. Closing the instance destroys it, whether it opened or not. */
bool xr_session_open(xr_session *session, const xr_instance *instance, xr_link *link, xr_failure *out_failure);

/** Handle the runtime's events. False: the session or the instance is gone, see out_failure. */
bool xr_session_events(xr_session *session, xr_failure *out_failure);
/** Read both hands and the trackers at `time_ns`; only while running. False as above. */
bool xr_session_look(xr_session *session, int64_t time_ns, xr_poses *out_poses, xr_failure *out_failure);
/** Take the first announced change of the space at or before `time_ns`. Return false if there is none. */
bool xr_session_take_change(xr_session *session, int64_t time_ns, int64_t *out_change_ns);

#endif
