/* The actions of both hands and the trackers: grip pose and vibration, suggested for every interaction profile there
 * is. Used by the OpenXR thread; belong to one instance and, once attached, to one session. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_XR_ACTIONS_H
#define CLASHD_SOURCES_OPENXR_HELPER_XR_ACTIONS_H

#include "clashd_link.h"
#include "xr_instance.h"

#define XR_TRACKER_EXTENSION "XR_HTCX_vive_tracker_interaction"

typedef struct xr_actions {
    XrActionSet set;
    XrAction grip, haptic;  /* haptic: XR_NULL_HANDLE if not wanted */
    XrPath hands[XR_HANDS]; /* left, right */
    XrSpace grips[XR_HANDS];
    XrAction trackers[XR_ROLES]; /* XR_NULL_HANDLE: not wanted, or the runtime does not know the role */
    XrPath roles[XR_ROLES];
    XrSpace places[XR_ROLES]; /* of the trackers */
} xr_actions;

/** Create the actions and suggest bindings. Skips what a runtime refuses; fails if it refuses all. */
bool xr_actions_open(xr_actions *actions, const xr_instance *instance, xr_link *link, xr_failure *out_failure);
/** Attach them to a session and create the spaces of the grips. */
bool xr_actions_attach(xr_actions *actions, XrSession session, xr_failure *out_failure);
/** Pass queued pulses on to the controllers, or drop them if `active` is false. */
void xr_actions_vibrate(const xr_actions *actions, XrSession session, xr_link *link, bool active);

#endif
