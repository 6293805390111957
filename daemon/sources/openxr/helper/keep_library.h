/* Keep a runtime's library loaded. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_KEEP_LIBRARY_H
#define CLASHD_SOURCES_OPENXR_HELPER_KEEP_LIBRARY_H

/** Call after the loader was first asked for the runtime's extensions, which loads the runtime's library. The loader
 *  unloads it with the instance and, as of 1.1, whenever no instance can be created (a 1.0 runtime that is asked for
 *  1.1 refuses once each time). Some libraries do not survive that: SteamVR's vrclient.so waits for ever in its
 *  destructors while it holds the dynamic linker's lock. So keep it loaded until the process ends, which must be by
 *  _exit. Does nothing if the library cannot be found. */
void xr_keep_runtime(void);

#endif
