/* What the OpenXR loader and a runtime exchange first, version 1 of that interface. Debian 12's libopenxr-dev lacks
 * openxr_loader_negotiation.h, so the two structs are declared here: names are ours, layout and numbers are those of
 * the loader specification. */
#ifndef CLASHD_RUNTIME_NEGOTIATION_H
#define CLASHD_RUNTIME_NEGOTIATION_H

#include <openxr/openxr.h>
#include <stddef.h>
#include <stdint.h>

#define NEGOTIATION_INTERFACE_VERSION 1u
#define NEGOTIATION_LOADER_INFO 1u     /* structure types */
#define NEGOTIATION_RUNTIME_REQUEST 3u /* 2 is a layer's request */
#define NEGOTIATION_STRUCT_VERSION 1u

/** Filled by the loader: the versions it supports. */
typedef struct negotiation_loader_info {
    uint32_t struct_type; /* NEGOTIATION_LOADER_INFO */
    uint32_t struct_version;
    size_t struct_size;
    uint32_t min_interface_version, max_interface_version;
    XrVersion min_api_version, max_api_version;
} negotiation_loader_info;

/** Filled by the runtime: the versions it chose, and the function that finds all others. */
typedef struct negotiation_runtime_request {
    uint32_t struct_type; /* NEGOTIATION_RUNTIME_REQUEST */
    uint32_t struct_version;
    size_t struct_size;
    uint32_t interface_version;
    XrVersion api_version;
    PFN_xrGetInstanceProcAddr get_instance_proc_addr;
} negotiation_runtime_request;

/** The library's only exported symbol. */
XRAPI_ATTR XrResult XRAPI_CALL xrNegotiateLoaderRuntimeInterface(const negotiation_loader_info *loader_info,
                                                                 negotiation_runtime_request *request);

#endif
