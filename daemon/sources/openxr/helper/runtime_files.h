/* Watch the files whose change means that a runtime was installed, removed or replaced. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_RUNTIME_FILES_H
#define CLASHD_SOURCES_OPENXR_HELPER_RUNTIME_FILES_H

#include <stdint.h>

/** Return a number for their state: the manifests that the loader may choose from (XR_RUNTIME_JSON, active_runtime.json
 *  in all its places), the library that each names, and the sockets that Monado and WiVRn create when they start.
 *  Another number means that one of them came, went or changed. Reads at most a manifest of ordinary size and never
 *  waits. */
uint64_t xr_files_look(void);

#endif
