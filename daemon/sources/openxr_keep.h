/* Keeps a runtime's library where it is. */
#ifndef CLASHD_SOURCES_OPENXR_KEEP_H
#define CLASHD_SOURCES_OPENXR_KEEP_H

/** After an instance was created: the loader unloads the runtime's library with the instance, and some do not survive that
 *  (SteamVR's vrclient.so waits for ever in its destructors, under the lock of the dynamic linker). It stays loaded until
 *  the process ends, which it has to do by _exit. Does nothing where it cannot be found. */
void xr_keep_runtime(void);

#endif
