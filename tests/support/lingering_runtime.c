/* The stand-in runtime in a library that does not survive being unloaded: its destructor waits for ever, under the
 * dynamic linker's lock, as SteamVR's vrclient.so is reported to. The stand-in itself is never unloaded. */
#include <dlfcn.h>
#include <unistd.h>

__attribute__((visibility("default"))) int xrNegotiateLoaderRuntimeInterface(const void *loader, void *request);

int xrNegotiateLoaderRuntimeInterface(const void *loader, void *request)
{
    void *stand_in = dlopen(STAND_IN, RTLD_NOW | RTLD_LOCAL);
    int (*greet)(const void *, void *);

    if (!stand_in)
        return -1;
    *(void **)&greet = dlsym(stand_in, "xrNegotiateLoaderRuntimeInterface");
    return greet ? greet(loader, request) : -1;
}

__attribute__((destructor)) static void linger(void)
{
    for (;;)
        pause();
}
