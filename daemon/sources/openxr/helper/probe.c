/* See probe.h. */
#include "probe.h"

#include "xr_instance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What clashd needs, would use, or could use some day. */
static const char *const wanted[] = {"XR_MND_headless",        "XR_KHR_convert_timespec_time",     "XR_EXTX_overlay",
                                     "XR_MNDX_xdev_space",     "XR_HTCX_vive_tracker_interaction", "XR_EXT_local_floor",
                                     "XR_EXT_hand_interaction"};

static void say(const char *key, const char *text)
{
    printf("%s %s\n", key, text);
    fflush(stdout);
}

static void say_extensions(void)
{
    uint32_t count = 0;
    XrExtensionProperties *list = NULL;

    say("asks", "which extensions it has (xrEnumerateInstanceExtensionProperties)");
    if (XR_SUCCEEDED(xrEnumerateInstanceExtensionProperties(NULL, 0, &count, NULL)))
        list = calloc((size_t)count + 1, sizeof *list);
    for (uint32_t i = 0; list && i < count; i++)
        list[i].type = XR_TYPE_EXTENSION_PROPERTIES;
    if (!list || XR_FAILED(xrEnumerateInstanceExtensionProperties(NULL, count, &count, list)))
        count = 0;
    for (uint32_t i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++)
            if (strcmp(list[i].extensionName, wanted[k]) == 0)
                say("extension", wanted[k]);
    free(list);
}

static void say_failure(const xr_failure *failure)
{
    char text[600];

    snprintf(text, sizeof text, "%s %s", failure->reason == CLASH_TRACKING_NO_HEADSET ? "no_headset" : "no_runtime",
             failure->text);
    say("lacks", text);
}

_Noreturn void xr_probe(void)
{
    static xr_instance instance;
    xr_failure failure = {0};

    setenv("XR_LOADER_DEBUG", "none", 0);
    setenv("DISABLE_XR_APILAYER_CLASHD_poses", "1", 0); /* it is about games */
    say_extensions();
    say("asks", "for an instance (xrCreateInstance)");
    if (!xr_instance_open(&instance, &failure)) {
        say_failure(&failure);
    } else {
        say("runtime", instance.runtime);
        say("asks", "for a headset (xrGetSystem)");
        if (xr_instance_find_headset(&instance, &failure))
            say("headset", instance.headset[0] ? instance.headset : "without a name");
        else
            say_failure(&failure);
        say("asks", "to end the instance (xrDestroyInstance)");
        xr_instance_close(&instance);
    }
    say("end", "");
    _exit(0);
}
