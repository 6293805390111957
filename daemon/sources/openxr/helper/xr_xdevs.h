/* Hands without actions: XR_MNDX_xdev_space lists the runtime's devices and locates them whoever has the focus and
 * whatever is bound. Used if a hand's bindings give nothing. Used by the OpenXR thread; belongs to one session. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_XR_XDEVS_H
#define CLASHD_SOURCES_OPENXR_HELPER_XR_XDEVS_H

#include "clashd_link.h"
#include "xr_instance.h"

#define XR_XDEV_EXTENSION "XR_MNDX_xdev_space"

struct xdev_functions;

typedef struct xr_xdevs {
    const struct xdev_functions *functions; /* NULL: the runtime does not offer them */
    const xr_instance *instance;
    xr_link *link;
    XrSession session;
    void *list;               /* XrXDevListMNDX; NULL before the first list */
    uint64_t generation;      /* of the list */
    int64_t asked_ns;         /* when it was last asked whether the list is current */
    XrSpace spaces[XR_HANDS]; /* XR_NULL_HANDLE: no device has that hand's name */
} xr_xdevs;

/** Begin; does nothing if the runtime or the headset lacks the extension. `instance` and `link` must outlive it; it
 *  ends with the session. */
void xr_xdevs_open(xr_xdevs *xdevs, const xr_instance *instance, XrSession session, xr_link *link);
/** Return the space of a hand's device, or XR_NULL_HANDLE. Asks for the list of devices at the first call, and again if
 *  the runtime has a newer one. */
XrSpace xr_xdevs_hand(xr_xdevs *xdevs, int hand, int64_t now_ns);

#endif
