/* The actions of both hands: the grip's pose and the vibration, suggested for every interaction profile there is. Lives on
 * the OpenXR thread; belongs to one instance, and once attached to one session. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_XR_ACTIONS_H
#define CLASHD_SOURCES_OPENXR_HELPER_XR_ACTIONS_H

#include "clashd_link.h"
#include "xr_instance.h"

#define XR_TRACKER_EXTENSION "XR_HTCX_vive_tracker_interaction"

typedef struct xr_actions {
    XrActionSet set;
    XrAction grip, haptic;  /* haptic: XR_NULL_HANDLE where not wanted */
    XrPath hands[XR_HANDS]; /* left, right */
    XrSpace grips[XR_HANDS];
    XrAction trackers[XR_ROLES]; /* XR_NULL_HANDLE: not wanted, or the runtime knows none of that role */
    XrPath roles[XR_ROLES];
    XrSpace places[XR_ROLES]; /* of the trackers */
} xr_actions;

/** Creates the actions and suggests bindings. What a runtime refuses of them is skipped; all of them is a failure. */
bool xr_actions_open(xr_actions *actions, const xr_instance *instance, xr_link *link, xr_failure *out_failure);
/** Attaches them to a session and makes the spaces of the grips. */
bool xr_actions_attach(xr_actions *actions, XrSession session, xr_failure *out_failure);
/** Passes what has been asked for on to the controllers, or drops it where `active` is false. */
void xr_actions_vibrate(const xr_actions *actions, XrSession session, xr_link *link, bool active);

#endif
