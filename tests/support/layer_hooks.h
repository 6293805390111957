/* The common part of the tests' OpenXR API layers. The file that includes it defines the two functions declared
 * first. */
#ifndef CLASHD_TESTS_LAYER_HOOKS_H
#define CLASHD_TESTS_LAYER_HOOKS_H

#include "layer/loader_interface.h"

#include <string.h>

typedef struct layer_hook {
    const char *name;
    PFN_xrVoidFunction *next, ours;
} layer_hook;

#define LAYER_HOOK(name, next, ours)                                    \
    {                                                                   \
        name, (PFN_xrVoidFunction *)&(next), (PFN_xrVoidFunction)(ours) \
    }

/** Return the calls that the layer intercepts. */
static const layer_hook *list_hooks(size_t *out_count);
/** Called before an instance is created. */
static void begin(void);

static PFN_xrGetInstanceProcAddr next_get_proc;

static XrResult get_proc(XrInstance instance, const char *name, PFN_xrVoidFunction *function)
{
    XrResult result = next_get_proc(instance, name, function);
    size_t count;
    const layer_hook *hooks = list_hooks(&count);

    for (size_t i = 0; XR_SUCCEEDED(result) && i < count; i++) {
        if (strcmp(name, hooks[i].name) == 0) {
            *hooks[i].next = *function;
            *function = hooks[i].ours;
        }
    }
    return result;
}

static XrResult create(const XrInstanceCreateInfo *info, const loader_create_info *chain, XrInstance *instance)
{
    loader_create_info rest = *chain;

    begin();
    rest.next = chain->next->next;
    next_get_proc = chain->next->next_get_proc;
    return chain->next->next_create(info, &rest, instance);
}

__attribute__((visibility("default"))) XrResult xrNegotiateLoaderApiLayerInterface(const loader_info *info,
                                                                                   const char *layer_name,
                                                                                   loader_layer_request *request)
{
    (void)info, (void)layer_name;
    request->interface_version = LOADER_INTERFACE_VERSION;
    request->api_version = XR_MAKE_VERSION(1, 0, 0);
    request->get_proc = get_proc;
    request->create_instance = create;
    return XR_SUCCESS;
}

#endif
