/* Keeps a runtime's library where it is. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_KEEP_LIBRARY_H
#define CLASHD_SOURCES_OPENXR_HELPER_KEEP_LIBRARY_H

/** After the loader was first asked of the runtime's extensions, for which it loads the runtime's library. It unloads it with the
 *  instance, and, as of 1.1, where no instance can be made (a runtime of OpenXR 1.0 asked for 1.1 refuses once each time), and
 *  some do not survive that (SteamVR's vrclient.so waits for ever in its destructors, under the lock of the dynamic linker). It
 *  stays loaded until the process ends, which it has to do by _exit. Does nothing if it cannot be found. */
void xr_keep_runtime(void);

#endif
