/* XR_MNDX_xdev_space, offered if CLASH_RUNTIME_XDEVS is 1: the devices themselves, located whoever has the focus. They
 * are a headset, which has no space, and both controllers. Names, numbers and layouts are those of the extension,
 * version 1. */
#include "runtime/entries.h"
#include "runtime/runtime.h"
#include <string.h>

#define TYPE_CREATE_LIST_INFO ((XrStructureType)1000444002)
#define TYPE_GET_INFO ((XrStructureType)1000444003)
#define TYPE_PROPERTIES ((XrStructureType)1000444004)
#define TYPE_CREATE_SPACE_INFO ((XrStructureType)1000444005)

/* A list's handle is the session itself: there is never more than one of either. */
typedef void *xdev_list;

typedef struct list_info {
    XrStructureType type;
    const void *next;
} list_info;

typedef struct get_info {
    XrStructureType type;
    const void *next;
    uint64_t id;
} get_info;

typedef struct properties {
    XrStructureType type;
    void *next;
    char name[256], serial[256];
    XrBool32 can_create_space;
} properties;

typedef struct space_info {
    XrStructureType type;
    const void *next;
    xdev_list list;
    uint64_t id;
    XrPosef offset;
} space_info;

static const struct {
    uint64_t id;
    uint32_t hand; /* its bit; 0 if it is in no hand */
    const char *name, *serial;
} devices[] = {
    {42, 0, "Stand-in headset", "standin-0"},
    {43, 1, "Stand-in controller (Left)", "standin-1"},
    {44, 2, "Stand-in controller (Right)", "standin-2"},
};
#define DEVICES (uint32_t)(sizeof devices / sizeof *devices)

static XrResult enter(xdev_list list)
{
    runtime_session *session;
    return runtime_enter_session(HANDLE_AS(XrSession, HANDLE_VALUE(list)), &session);
}

static XrResult create_list(XrSession handle, const list_info *info, xdev_list *out_list)
{
    RUNTIME_ENTER_SESSION(handle);
    if (!RUNTIME_IS(info, TYPE_CREATE_LIST_INFO) || !out_list)
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    *out_list = handle;
    return runtime_leave(XR_SUCCESS);
}

static XrResult get_generation(xdev_list list, uint64_t *out_generation)
{
    XrResult result = enter(list);
    if (XR_FAILED(result))
        return result;
    *out_generation = 1;
    return runtime_leave(XR_SUCCESS);
}

static XrResult enumerate(xdev_list list, uint32_t capacity, uint32_t *out_count, uint64_t *out_ids)
{
    XrResult result = enter(list);
    if (XR_FAILED(result))
        return result;
    bool fill;
    result = runtime_two_call(capacity, out_count, DEVICES, out_ids, &fill);
    for (uint32_t i = 0; fill && i < DEVICES; i++)
        out_ids[i] = devices[i].id;
    return runtime_leave(result);
}

static XrResult get_properties(xdev_list list, const get_info *info, properties *out)
{
    XrResult result = enter(list);
    if (XR_FAILED(result))
        return result;
    if (!RUNTIME_IS(info, TYPE_GET_INFO) || !RUNTIME_IS(out, TYPE_PROPERTIES))
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    for (uint32_t i = 0; i < DEVICES; i++) {
        if (devices[i].id != info->id)
            continue;
        snprintf(out->name, sizeof out->name, "%s", devices[i].name);
        snprintf(out->serial, sizeof out->serial, "%s", devices[i].serial);
        out->can_create_space = devices[i].hand != 0;
        return runtime_leave(XR_SUCCESS);
    }
    return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
}

static XrResult destroy_list(xdev_list list)
{
    XrResult result = enter(list);
    return XR_FAILED(result) ? result : runtime_leave(XR_SUCCESS);
}

static XrResult create_space(XrSession handle, const space_info *info, XrSpace *out_space)
{
    RUNTIME_ENTER_SESSION(handle);
    if (!RUNTIME_IS(info, TYPE_CREATE_SPACE_INFO) || info->list != handle || !out_space)
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    for (uint32_t i = 0; i < DEVICES; i++) {
        if (devices[i].id == info->id && devices[i].hand != 0)
            return runtime_leave(runtime_add_space(
                (runtime_space){.of_device = true, .hands = devices[i].hand, .offset = info->offset}, out_space));
    }
    return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
}

PFN_xrVoidFunction runtime_xdev_function(const char *name)
{
    static const struct {
        const char *name;
        PFN_xrVoidFunction function;
    } all[] = {
        {"xrCreateXDevListMNDX", (PFN_xrVoidFunction)create_list},
        {"xrGetXDevListGenerationNumberMNDX", (PFN_xrVoidFunction)get_generation},
        {"xrEnumerateXDevsMNDX", (PFN_xrVoidFunction)enumerate},
        {"xrGetXDevPropertiesMNDX", (PFN_xrVoidFunction)get_properties},
        {"xrDestroyXDevListMNDX", (PFN_xrVoidFunction)destroy_list},
        {"xrCreateXDevSpaceMNDX", (PFN_xrVoidFunction)create_space},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(all[i].name, name) == 0)
            return all[i].function;
    }
    return NULL;
}
