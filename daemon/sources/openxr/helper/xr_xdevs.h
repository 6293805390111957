/* Hands without actions: XR_MNDX_xdev_space lists the runtime's devices themselves, and says where they are whoever has the focus and
 * whatever is bound. Used where a hand's bindings give nothing. Lives on the OpenXR thread; belongs to one session. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_XR_XDEVS_H
#define CLASHD_SOURCES_OPENXR_HELPER_XR_XDEVS_H

#include "clashd_link.h"
#include "xr_instance.h"

#define XR_XDEV_EXTENSION "XR_MNDX_xdev_space"

struct xdev_functions;

typedef struct xr_xdevs {
    const struct xdev_functions *functions; /* NULL: the runtime has no such thing */
    const xr_instance *instance;
    xr_link *link;
    XrSession session;
    void *list;               /* XrXDevListMNDX; NULL: none yet */
    uint64_t generation;      /* of the list */
    int64_t asked_ns;         /* when it was last asked whether the list is the newest */
    XrSpace spaces[XR_HANDS]; /* XR_NULL_HANDLE: no device goes by that hand's name */
} xr_xdevs;

/** Whether the runtime and the headset have it. `instance` and `link` outlive it; the session's end is its end. */
void xr_xdevs_open(xr_xdevs *xdevs, const xr_instance *instance, XrSession session, xr_link *link);
/** The space of a hand's device; XR_NULL_HANDLE: there is none. The list of devices is asked for with the first call, and again where
 *  the runtime has a newer one. */
XrSpace xr_xdevs_hand(xr_xdevs *xdevs, int hand, int64_t now_ns);

#endif
