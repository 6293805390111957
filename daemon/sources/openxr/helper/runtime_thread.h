/* The OpenXR thread: connect, read the poses rate_hz times a second, and connect again whenever needed. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_RUNTIME_THREAD_H
#define CLASHD_SOURCES_OPENXR_HELPER_RUNTIME_THREAD_H

#include "clashd_link.h"

/** Return the pause after one of `pause_ns`, if a connection failed for that reason: 50 ms at first, then twice the
 *  last, up to 30 s, or 2 s if only a headset is missing. */
int64_t xr_pause_after(int64_t pause_ns, clash_tracking_reason reason);
#define XR_PAUSE_FIRST_NS 50000000

/** For pthread_create; `argument` is the xr_link. Ends, with xr_link_finish, when the link says so, or if the runtime's
 *  files changed while it was not connected. */
void *xr_thread_main(void *argument);

#endif
