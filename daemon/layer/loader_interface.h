/* What the OpenXR loader and an API layer say to each other before anything else, version 1 of that interface. Debian 12's
 * libopenxr-dev lacks openxr_loader_negotiation.h, so the structs are declared here: names are ours, layout and numbers are
 * those of the loader specification. */
#ifndef CLASHD_LAYER_LOADER_INTERFACE_H
#define CLASHD_LAYER_LOADER_INTERFACE_H

#include <openxr/openxr.h>
#include <stddef.h>
#include <stdint.h>

#define LAYER_NAME "XR_APILAYER_CLASHD_poses"
#define LOADER_INTERFACE_VERSION 1u
#define LOADER_INFO 1u /* structure types; 3 is a runtime's request */
#define LOADER_LAYER_REQUEST 2u
#define LOADER_LAYER_CREATE_INFO 4u
#define LOADER_LAYER_NEXT_INFO 5u
#define LOADER_STRUCT_VERSION 1u

/** Filled by the loader: what it can deal with. */
typedef struct loader_info {
    uint32_t struct_type, struct_version;
    size_t struct_size;
    uint32_t min_interface_version, max_interface_version;
    XrVersion min_api_version, max_api_version;
} loader_info;

typedef struct loader_next_info loader_next_info;
typedef struct loader_create_info loader_create_info;

typedef XrResult(XRAPI_PTR *loader_create_instance)(const XrInstanceCreateInfo *info, const loader_create_info *chain,
                                                    XrInstance *out_instance);

/** Of each layer from here to the runtime. */
struct loader_next_info {
    uint32_t struct_type, struct_version;
    size_t struct_size;
    char layer_name[XR_MAX_API_LAYER_NAME_SIZE];
    PFN_xrGetInstanceProcAddr next_get_proc;
    loader_create_instance next_create;
    loader_next_info *next;
};

/** Handed to xrCreateApiLayerInstance. */
struct loader_create_info {
    uint32_t struct_type, struct_version;
    size_t struct_size;
    void *loader_instance;
    char settings_file_location[512];
    loader_next_info *next;
};

/** Filled by the layer: what it picked, and the two functions that lead to all others. */
typedef struct loader_layer_request {
    uint32_t struct_type, struct_version;
    size_t struct_size;
    uint32_t interface_version;
    XrVersion api_version;
    PFN_xrGetInstanceProcAddr get_proc;
    loader_create_instance create_instance;
} loader_layer_request;

/** The library's only exported symbol. */
XRAPI_ATTR XrResult XRAPI_CALL xrNegotiateLoaderApiLayerInterface(const loader_info *info, const char *layer_name,
                                                                  loader_layer_request *request);

#endif
