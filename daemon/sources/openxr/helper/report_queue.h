/* What the OpenXR thread has to tell, in the order in which it happened. Frames may be dropped if the ring is full;
 * a lost hand, a moved space and the state of the runtime are owed until there is room, and frames wait for them. Used by
 * the thread alone; knows nothing of OpenXR. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_REPORT_QUEUE_H
#define CLASHD_SOURCES_OPENXR_HELPER_REPORT_QUEUE_H

#include "clashd_link.h"

typedef struct xr_reports {
    xr_link *link;
    struct {
        clash_tracking_reason reported, wanted; /* CLASH_TRACKING_OK: samples come, or nothing has been said yet */
        int64_t time_ns;                        /* of `wanted` */
        bool owes_profile;
        char profile[RING_TEXT_MAX];
    } devices[XR_DEVICES];
    bool owes_space, owes_runtime;
    int64_t space_ns;
    ring_runtime runtime;
} xr_reports;

void xr_reports_init(xr_reports *reports, xr_link *link);
/** No more samples of that device, and why; said once for each reason. */
void xr_reports_lost(xr_reports *reports, int device, int64_t time_ns, clash_tracking_reason reason);
/** Of all that are wanted. */
void xr_reports_lost_all(xr_reports *reports, int64_t time_ns, clash_tracking_reason reason);
void xr_reports_space_changed(xr_reports *reports, int64_t time_ns);
/** The samples of the devices that are active, at least one. */
void xr_reports_frame(xr_reports *reports, int64_t time_ns, const pose_sample samples[XR_DEVICES],
                      const bool active[XR_DEVICES]);
/** For status; NULL leaves the name as it was. */
void xr_reports_runtime(xr_reports *reports, bool running, const char *name, const char *detail);
/** The interaction profile of that hand's controller; "": none is in use. Said only where it is another. */
void xr_reports_profile(xr_reports *reports, int hand, const char *profile);
void xr_reports_session(xr_reports *reports);
/** Has clashd get what is new, and tries again what is owed. */
void xr_reports_send(xr_reports *reports);

#endif
