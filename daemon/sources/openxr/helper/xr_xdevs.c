/* See xr_xdevs.h. The extension is not in Khronos' registry; names, numbers and layouts here follow the description
 * that comes with Monado (XR_MNDX_xdev_space, version 1). */
#include "xr_xdevs.h"

#include <stdlib.h>
#include <string.h>

/** How often to ask whether the list is outdated, while it is used. */
#define ASK_PERIOD_NS 1000000000
#define DEVICES_MAX 256
#define TEXT_MAX 256

#define TYPE_SYSTEM_PROPERTIES ((XrStructureType)1000444001)
#define TYPE_CREATE_LIST_INFO ((XrStructureType)1000444002)
#define TYPE_GET_INFO ((XrStructureType)1000444003)
#define TYPE_PROPERTIES ((XrStructureType)1000444004)
#define TYPE_CREATE_SPACE_INFO ((XrStructureType)1000444005)

typedef void *xdev_list;

typedef struct system_properties {
    XrStructureType type;
    void *next;
    XrBool32 supports_xdev_space;
} system_properties;

typedef struct create_list_info {
    XrStructureType type;
    const void *next;
} create_list_info;

typedef struct get_info {
    XrStructureType type;
    const void *next;
    uint64_t id;
} get_info;

typedef struct properties {
    XrStructureType type;
    void *next;
    char name[TEXT_MAX], serial[TEXT_MAX];
    XrBool32 can_create_space;
} properties;

typedef struct create_space_info {
    XrStructureType type;
    const void *next;
    xdev_list list;
    uint64_t id;
    XrPosef offset;
} create_space_info;

typedef struct xdev_functions {
    XrResult(XRAPI_PTR *create_list)(XrSession session, const create_list_info *info, xdev_list *out_list);
    XrResult(XRAPI_PTR *generation)(xdev_list list, uint64_t *out_generation);
    XrResult(XRAPI_PTR *enumerate)(xdev_list list, uint32_t capacity, uint32_t *out_count, uint64_t *out_ids);
    XrResult(XRAPI_PTR *get_properties)(xdev_list list, const get_info *info, properties *out_properties);
    XrResult(XRAPI_PTR *destroy_list)(xdev_list list);
    XrResult(XRAPI_PTR *create_space)(XrSession session, const create_space_info *info, XrSpace *out_space);
} xdev_functions;

/* One runtime at a time is in this process, and its library stays loaded. */
static xdev_functions functions;

static bool find_functions(XrInstance instance)
{
    const struct {
        const char *name;
        PFN_xrVoidFunction *to;
    } all[] = {
        {"xrCreateXDevListMNDX", (PFN_xrVoidFunction *)&functions.create_list},
        {"xrGetXDevListGenerationNumberMNDX", (PFN_xrVoidFunction *)&functions.generation},
        {"xrEnumerateXDevsMNDX", (PFN_xrVoidFunction *)&functions.enumerate},
        {"xrGetXDevPropertiesMNDX", (PFN_xrVoidFunction *)&functions.get_properties},
        {"xrDestroyXDevListMNDX", (PFN_xrVoidFunction *)&functions.destroy_list},
        {"xrCreateXDevSpaceMNDX", (PFN_xrVoidFunction *)&functions.create_space},
    };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (XR_FAILED(xrGetInstanceProcAddr(instance, all[i].name, all[i].to)) || !*all[i].to)
            return false;
    return true;
}

void xr_xdevs_open(xr_xdevs *xdevs, const xr_instance *instance, XrSession session, xr_link *link)
{
    system_properties ours = {.type = TYPE_SYSTEM_PROPERTIES};
    XrSystemProperties all = {.type = XR_TYPE_SYSTEM_PROPERTIES, .next = &ours};

    *xdevs = (xr_xdevs){.instance = instance, .link = link, .session = session};
    if (xr_instance_has(instance, XR_XDEV_EXTENSION) &&
        XR_SUCCEEDED(xrGetSystemProperties(instance->handle, instance->system, &all)) && ours.supports_xdev_space &&
        find_functions(instance->handle))
        xdevs->functions = &functions;
}

/* ---- which device is which hand's ---- */

/* Return the hand that a device's name mentions, as in "Index Controller (Left)"; -1 for neither or both. Runtimes say
 * it nowhere else. */
static int hand_of(const properties *p)
{
    const bool is_left = strcasestr(p->name, "left") || strcasestr(p->serial, "left");
    const bool is_right = strcasestr(p->name, "right") || strcasestr(p->serial, "right");

    return is_left == is_right ? -1 : is_right;
}

static void take_device(xr_xdevs *xdevs, uint64_t id)
{
    const get_info info = {.type = TYPE_GET_INFO, .id = id};
    create_space_info space = {
        .type = TYPE_CREATE_SPACE_INFO, .list = xdevs->list, .id = id, .offset = {.orientation = {.w = 1.0f}}};
    properties p = {.type = TYPE_PROPERTIES};
    int hand;

    if (XR_FAILED(xdevs->functions->get_properties(xdevs->list, &info, &p)))
        return;
    p.name[TEXT_MAX - 1] = p.serial[TEXT_MAX - 1] = '\0';
    hand = p.can_create_space ? hand_of(&p) : -1;
    if (hand < 0 || xdevs->spaces[hand] != XR_NULL_HANDLE)
        return;
    if (XR_FAILED(xdevs->functions->create_space(xdevs->session, &space, &xdevs->spaces[hand])))
        xdevs->spaces[hand] = XR_NULL_HANDLE;
    else
        xr_link_log(xdevs->link, LOG_LEVEL_INFO,
                    "%s hand: nothing is bound, or another program has the focus: its poses are those of %.80s",
                    hand == 0 ? "left" : "right", p.name);
}

static void drop_list(xr_xdevs *xdevs)
{
    for (int hand = 0; hand < XR_HANDS; hand++) {
        if (xdevs->spaces[hand] != XR_NULL_HANDLE)
            xrDestroySpace(xdevs->spaces[hand]);
        xdevs->spaces[hand] = XR_NULL_HANDLE;
    }
    if (xdevs->list)
        xdevs->functions->destroy_list(xdevs->list);
    xdevs->list = NULL;
}

static void list_devices(xr_xdevs *xdevs)
{
    const create_list_info info = {.type = TYPE_CREATE_LIST_INFO};
    uint64_t ids[DEVICES_MAX];
    uint32_t count = 0;

    if (XR_FAILED(xdevs->functions->create_list(xdevs->session, &info, &xdevs->list))) {
        xdevs->list = NULL;
        return;
    }
    if (XR_FAILED(xdevs->functions->generation(xdevs->list, &xdevs->generation)))
        xdevs->generation = 0;
    if (XR_FAILED(xdevs->functions->enumerate(xdevs->list, DEVICES_MAX, &count, ids)))
        return;
    for (uint32_t i = 0; i < count && i < DEVICES_MAX; i++)
        take_device(xdevs, ids[i]);
}

XrSpace xr_xdevs_hand(xr_xdevs *xdevs, int hand, int64_t now_ns)
{
    uint64_t newest = xdevs->generation;

    if (!xdevs->functions)
        return XR_NULL_HANDLE;
    if (xdevs->asked_ns == 0 || now_ns - xdevs->asked_ns >= ASK_PERIOD_NS) {
        xdevs->asked_ns = now_ns;
        if (xdevs->list && XR_SUCCEEDED(xdevs->functions->generation(xdevs->list, &newest)) &&
            newest != xdevs->generation)
            drop_list(xdevs);
        if (!xdevs->list)
            list_devices(xdevs);
    }
    return xdevs->spaces[hand];
}
