/* Swapchains: a headless session has no formats, so none can be created and every handle to one is invalid. */
#include "runtime/entries.h"
#include "runtime/runtime.h"

XrResult xr_enumerate_swapchain_formats(XrSession handle, uint32_t capacity, uint32_t *out_count, int64_t *formats)
{
    runtime_session *session;
    XrResult result = runtime_enter_session(handle, &session);
    bool fill;
    return XR_FAILED(result) ? result : runtime_leave(runtime_two_call(capacity, out_count, 0, formats, &fill));
}

XrResult xr_create_swapchain(XrSession handle, const XrSwapchainCreateInfo *info, XrSwapchain *out_swapchain)
{
    RUNTIME_ENTER_SESSION(handle);
    if (!RUNTIME_IS(info, XR_TYPE_SWAPCHAIN_CREATE_INFO) || !out_swapchain)
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    return runtime_leave(XR_ERROR_SWAPCHAIN_FORMAT_UNSUPPORTED);
}

static XrResult no_swapchain(void)
{
    runtime_enter();
    return runtime_leave(XR_ERROR_HANDLE_INVALID);
}

XrResult xr_destroy_swapchain(XrSwapchain swapchain)
{
    (void)swapchain;
    return no_swapchain();
}

XrResult xr_enumerate_swapchain_images(XrSwapchain swapchain, uint32_t capacity, uint32_t *out_count,
                                       XrSwapchainImageBaseHeader *images)
{
    (void)swapchain, (void)capacity, (void)out_count, (void)images;
    return no_swapchain();
}

XrResult xr_acquire_swapchain_image(XrSwapchain swapchain, const XrSwapchainImageAcquireInfo *info, uint32_t *index)
{
    (void)swapchain, (void)info, (void)index;
    return no_swapchain();
}

XrResult xr_wait_swapchain_image(XrSwapchain swapchain, const XrSwapchainImageWaitInfo *info)
{
    (void)swapchain, (void)info;
    return no_swapchain();
}

XrResult xr_release_swapchain_image(XrSwapchain swapchain, const XrSwapchainImageReleaseInfo *info)
{
    (void)swapchain, (void)info;
    return no_swapchain();
}
