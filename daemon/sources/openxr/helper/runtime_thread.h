/* The OpenXR thread: connects, reads both hands rate_hz times a second, and connects again whenever it has to. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_RUNTIME_THREAD_H
#define CLASHD_SOURCES_OPENXR_HELPER_RUNTIME_THREAD_H

#include "clashd_link.h"

/** The pause after one of `pause_ns`, when a connection has failed for that reason: 50 ms at first, twice that each time, up to
 *  30 s, and to 2 s where only a headset is missing. */
int64_t xr_pause_after(int64_t pause_ns, clash_tracking_reason reason);
#define XR_PAUSE_FIRST_NS 50000000

/** For pthread_create; `argument` is the xr_link. Ends, with xr_link_finish, when the link says so, or when the runtime's
 *  files have changed while it was not connected. */
void *xr_thread_main(void *argument);

#endif
