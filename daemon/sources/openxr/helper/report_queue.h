/* What the OpenXR thread has to report, in order. Frames may be dropped if the ring is full. A lost hand, a moved space
 * and the runtime's state stay owed until there is room, and frames wait for them. Used by that thread alone; knows
 * nothing of OpenXR. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_REPORT_QUEUE_H
#define CLASHD_SOURCES_OPENXR_HELPER_REPORT_QUEUE_H

#include "clashd_link.h"

typedef struct xr_reports {
    xr_link *link;
    struct {
        clash_tracking_reason reported, wanted; /* CLASH_TRACKING_OK: samples come, or nothing was reported yet */
        int64_t time_ns;                        /* of `wanted` */
        bool owes_profile;
        char profile[RING_TEXT_MAX];
    } devices[XR_DEVICES];
    bool owes_space, owes_runtime;
    bool owes; /* anything, as far as is known: false in almost every cycle */
    int64_t space_ns;
    ring_runtime runtime;
} xr_reports;

void xr_reports_init(xr_reports *reports, xr_link *link);
/** Report that a device has no more samples and why; once for each reason. */
void xr_reports_lost(xr_reports *reports, int device, int64_t time_ns, clash_tracking_reason reason);
/** The same for all wanted devices. */
void xr_reports_lost_all(xr_reports *reports, int64_t time_ns, clash_tracking_reason reason);
void xr_reports_space_changed(xr_reports *reports, int64_t time_ns);
/** Report the samples of the devices that are active, at least one. */
void xr_reports_frame(xr_reports *reports, int64_t time_ns, const pose_sample samples[XR_DEVICES],
                      const bool active[XR_DEVICES]);
/** Report the runtime for `status`. NULL leaves the name as it was. */
void xr_reports_runtime(xr_reports *reports, bool running, const char *name, const char *detail);
/** Report the interaction profile of that hand's controller, if it changed; "" if none is in use. */
void xr_reports_profile(xr_reports *reports, int hand, const char *profile);
void xr_reports_session(xr_reports *reports);
/** Hand what is new to clashd, and try again what is owed. */
void xr_reports_send(xr_reports *reports);

#endif
