/* Notice that the OpenXR thread hangs; see watchdog.h. While it sleeps, it does not hang. */
#include "watchdog.h"

xr_watchdog_change xr_watchdog_look(xr_watchdog *watchdog, const xr_link *link)
{
    bool stalled;

    if (watchdog->dead)
        return XR_WATCHDOG_NO_CHANGE;
    if (!xr_link_thread_lives(link)) {
        *watchdog = (xr_watchdog){.dead = true};
        return XR_WATCHDOG_DIES;
    }
    stalled = xr_link_busy_ns(link) > XR_STALL_NS;
    if (stalled == watchdog->stalled)
        return XR_WATCHDOG_NO_CHANGE;
    watchdog->stalled = stalled;
    return stalled ? XR_WATCHDOG_STALLS : XR_WATCHDOG_GOES_ON;
}
