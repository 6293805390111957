/* The files by which one sees that a runtime has come or is another one. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_RUNTIME_FILES_H
#define CLASHD_SOURCES_OPENXR_HELPER_RUNTIME_FILES_H

#include <stdint.h>

/** A number for their state: the manifests that the loader may choose from (XR_RUNTIME_JSON, active_runtime.json in all its
 *  places), the library that each names, and the sockets that Monado and WiVRn make when they start. Another number: one of
 *  them has come, gone or changed. Reads no more than a manifest of ordinary size, and never waits. */
uint64_t xr_files_look(void);

#endif
