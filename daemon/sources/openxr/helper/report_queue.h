/* What the OpenXR thread has to tell, in the order in which it happened. Frames may be dropped where the ring is full;
 * a lost hand, a moved space and the state of the runtime are owed until there is room, and frames wait for them. Used by
 * the thread alone; knows nothing of OpenXR. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_REPORT_QUEUE_H
#define CLASHD_SOURCES_OPENXR_HELPER_REPORT_QUEUE_H

#include "clashd_link.h"

typedef struct xr_news {
    xr_link *link;
    struct {
        clash_tracking_reason told, wanted; /* CLASH_TRACKING_OK: samples come, or nothing has been said yet */
        int64_t time_ns;                    /* of `wanted` */
        bool owes_profile;
        char profile[RING_TEXT_MAX];
    } hands[XR_HANDS];
    bool owes_space, owes_runtime;
    int64_t space_ns;
    ring_runtime runtime;
} xr_news;

void xr_news_init(xr_news *news, xr_link *link);
/** No more samples of that hand, and why; said once for each reason. */
void xr_news_lost(xr_news *news, int hand, int64_t time_ns, clash_tracking_reason reason);
void xr_news_lost_both(xr_news *news, int64_t time_ns, clash_tracking_reason reason);
void xr_news_space_changed(xr_news *news, int64_t time_ns);
/** `hands[i]` is the hand of samples[i]. */
void xr_news_frame(xr_news *news, int64_t time_ns, const pose_sample *samples, const int *hands, uint32_t count);
/** For status; NULL leaves the name as it was. */
void xr_news_runtime(xr_news *news, bool running, const char *name, const char *detail);
/** The interaction profile of that hand's controller; "": none is in use. Said only where it is another. */
void xr_news_profile(xr_news *news, int hand, const char *profile);
void xr_news_session(xr_news *news);
/** Has clashd get what is new, and tries again what is owed. */
void xr_news_send(xr_news *news);

#endif
