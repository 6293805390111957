/* See probe.h. */
#include "probe.h"

#include "xr_instance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What clashd needs, would use, or could use one day. */
static const char *const wanted[] = {"XR_MND_headless",        "XR_KHR_convert_timespec_time",     "XR_EXTX_overlay",
                                     "XR_MNDX_xdev_space",     "XR_HTCX_vive_tracker_interaction", "XR_EXT_local_floor",
                                     "XR_EXT_hand_interaction"};

static void print_line(const char *key, const char *text)
{
    printf("%s %s\n", key, text);
    fflush(stdout);
}

static void print_extensions(void)
{
    uint32_t count = 0;
    XrExtensionProperties *list = NULL;

    print_line("asks", "which extensions it has (xrEnumerateInstanceExtensionProperties)");
    if (XR_SUCCEEDED(xrEnumerateInstanceExtensionProperties(NULL, 0, &count, NULL)))
        list = calloc((size_t)count + 1, sizeof *list);
    for (uint32_t i = 0; list && i < count; i++)
        list[i].type = XR_TYPE_EXTENSION_PROPERTIES;
    if (!list || XR_FAILED(xrEnumerateInstanceExtensionProperties(NULL, count, &count, list)))
        count = 0;
    for (uint32_t i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++)
            if (strcmp(list[i].extensionName, wanted[k]) == 0)
                print_line("extension", wanted[k]);
    free(list);
}

static void print_failure(const xr_failure *failure)
{
    char text[600];

    snprintf(text, sizeof text, "%s %s", failure->reason == CLASH_TRACKING_NO_HEADSET ? "no_headset" : "no_runtime",
             failure->text);
    print_line("lacks", text);
}

_Noreturn void xr_probe(void)
{
    static xr_instance instance;
    xr_failure failure = {0};

    setenv("XR_LOADER_DEBUG", "none", 0);
    setenv("DISABLE_XR_APILAYER_CLASHD_poses", "1", 0); /* that layer is for games */
    print_extensions();
    print_line("asks", "for an instance (xrCreateInstance)");
    if (!xr_instance_open(&instance, &failure)) {
        print_failure(&failure);
    } else {
        print_line("runtime", instance.runtime);
        print_line("asks", "for a headset (xrGetSystem)");
        if (xr_instance_find_headset(&instance, &failure))
            print_line("headset", instance.headset[0] ? instance.headset : "without a name");
        else
            print_failure(&failure);
        print_line("asks", "to end the instance (xrDestroyInstance)");
        xr_instance_close(&instance);
    }
    print_line("end", "");
    _exit(0);
}
