/* The OpenXR thread: connects, reads both hands rate_hz times a second, and connects again whenever it has to. */
#ifndef CLASHD_SOURCES_OPENXR_THREAD_H
#define CLASHD_SOURCES_OPENXR_THREAD_H

#include "sources/openxr_link.h"

/** For pthread_create; `argument` is the xr_link. Ends when the link says so, with xr_link_finish. */
void *xr_thread_main(void *argument);

#endif
