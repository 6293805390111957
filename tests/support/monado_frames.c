/* Preloaded into an OpenXR game: count the frames that the runtime takes from it, in the file that FRAMES names (one
 * uint64_t, updated in place), so that a test can see from outside that the game goes on. Knows nothing of clashd. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <openxr/openxr.h>

static volatile uint64_t *map_count(void)
{
    const char *path = getenv("FRAMES");
    int fd = path ? open(path, O_RDWR | O_CREAT, 0600) : -1;
    void *mapped;

    if (fd < 0 || ftruncate(fd, sizeof(uint64_t)) < 0)
        abort();
    mapped = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED)
        abort();
    close(fd);
    return mapped;
}

/* Wraps the loader's function. A frame without a layer is one that the game did not draw. */
XRAPI_ATTR XrResult XRAPI_CALL xrEndFrame(XrSession session, const XrFrameEndInfo *info)
{
    static volatile uint64_t *count;
    static PFN_xrEndFrame next;
    XrResult result;

    if (!count) {
        count = map_count();
        next = (PFN_xrEndFrame)dlsym(RTLD_NEXT, "xrEndFrame");
        if (!next)
            abort();
    }
    result = next(session, info);
    if (XR_SUCCEEDED(result) && info->layerCount > 0)
        (*count)++;
    return result;
}
