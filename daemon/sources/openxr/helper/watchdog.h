/* Notice, from the loop's side, that the OpenXR thread hangs inside the runtime, that it works again, or that the
 * runtime has ended it (no runtime should), after which it is never heard of again. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_WATCHDOG_H
#define CLASHD_SOURCES_OPENXR_HELPER_WATCHDOG_H

#include "clashd_link.h"

/** How often to look; a stall is noticed within XR_STALL_NS plus this. */
#define XR_WATCHDOG_PERIOD_MS 100

typedef enum xr_watchdog_change {
    XR_WATCHDOG_NO_CHANGE,
    XR_WATCHDOG_STALLS,
    XR_WATCHDOG_GOES_ON,
    XR_WATCHDOG_DIES
} xr_watchdog_change;

/** Zero-initialise. */
typedef struct xr_watchdog {
    bool stalled, dead;
} xr_watchdog;

xr_watchdog_change xr_watchdog_look(xr_watchdog *watchdog, const xr_link *link);

#endif
