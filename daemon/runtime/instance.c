/* The instance: created as the environment and the faults say, destroyed with everything that belongs to it. */
#include "runtime/entries.h"
#include "runtime/runtime.h"
#include "runtime/timebase.h"
#include <clash/base.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_PROFILE "/interaction_profiles/valve/index_controller"

static const XrExtensionProperties extensions[] = {
    {.type = XR_TYPE_EXTENSION_PROPERTIES, .extensionName = XR_MND_HEADLESS_EXTENSION_NAME, .extensionVersion = 2},
    {.type = XR_TYPE_EXTENSION_PROPERTIES, .extensionName = RUNTIME_ACTIVE_PRIORITY, .extensionVersion = 1},
    {.type = XR_TYPE_EXTENSION_PROPERTIES,
     .extensionName = XR_KHR_CONVERT_TIMESPEC_TIME_EXTENSION_NAME,
     .extensionVersion = 1},
    {.type = XR_TYPE_EXTENSION_PROPERTIES, .extensionName = RUNTIME_XDEV_SPACE, .extensionVersion = 1},
    {.type = XR_TYPE_EXTENSION_PROPERTIES, .extensionName = RUNTIME_TRACKERS, .extensionVersion = 1},
};
#define EXTENSIONS (uint32_t)(sizeof extensions / sizeof *extensions)

static bool is_set(const char *variable, const char *to)
{
    const char *text = getenv(variable);
    return text && strcmp(text, to) == 0;
}

/* Return whether the environment lets the extension be offered. */
static bool is_offered(const char *name)
{
    if (strcmp(name, XR_KHR_CONVERT_TIMESPEC_TIME_EXTENSION_NAME) == 0)
        return !is_set("CLASH_RUNTIME_TIMESPEC", "0");
    if (strcmp(name, RUNTIME_TRACKERS) == 0)
        return is_set("CLASH_RUNTIME_TRACKERS", "1");
    return strcmp(name, RUNTIME_XDEV_SPACE) != 0 || is_set("CLASH_RUNTIME_XDEVS", "1");
}

static uint32_t list_extensions(XrExtensionProperties out[EXTENSIONS])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < EXTENSIONS; i++) {
        if (is_offered(extensions[i].extensionName))
            out[count++] = extensions[i];
    }
    return count;
}

XrResult xr_enumerate_api_layer_properties(uint32_t capacity, uint32_t *out_count, XrApiLayerProperties *properties)
{
    bool fill; /* layers are the loader's business */
    return runtime_two_call(capacity, out_count, 0, properties, &fill);
}

XrResult xr_enumerate_instance_extension_properties(const char *layer, uint32_t capacity, uint32_t *out_count,
                                                    XrExtensionProperties *properties)
{
    if (layer && *layer)
        return XR_ERROR_API_LAYER_NOT_PRESENT;
    XrExtensionProperties offered[EXTENSIONS];
    uint32_t count = list_extensions(offered);
    bool fill;
    XrResult result = runtime_two_call(capacity, out_count, count, properties, &fill);
    for (uint32_t i = 0; fill && i < count; i++) {
        if (!RUNTIME_IS(&properties[i], XR_TYPE_EXTENSION_PROPERTIES))
            return XR_ERROR_VALIDATION_FAILURE;
        void *next = properties[i].next;
        properties[i] = offered[i];
        properties[i].next = next;
    }
    return result;
}

/* Keep a list of faults, and what has happened of it, until the variable's text changes. */
static int load_faults(failure *out_failure)
{
    const char *text = getenv("CLASH_RUNTIME_FAULTS");
    failure reason = {0};
    if (!text)
        text = "";
    if (strcmp(text, runtime.faults.text) == 0)
        return 0;
    if (faults_parse(text, &runtime.faults, &reason) != 0) {
        return fail_int(out_failure, "CLASH_RUNTIME_FAULTS: %s", reason.text);
    }
    runtime.refusals = runtime.absences = runtime.hangs = 0;
    runtime.refuse_until_ns = 0;
    for (size_t i = 0; i < runtime.faults.count; i++) {
        const fault *item = &runtime.faults.list[i];
        runtime.refusals += item->kind == FAULT_REFUSE ? item->count : 0;
        runtime.absences += item->kind == FAULT_NO_HEADSET ? item->count : 0;
        runtime.hangs += item->kind == FAULT_NO_END ? item->count : 0;
    }
    return 0;
}

/* Read digits from `least` to `most`, or take `usual` if the variable is not set. */
static int load_number(const char *name, int64_t usual, int64_t least, int64_t most, int64_t *out, failure *out_failure)
{
    const char *text = getenv(name);
    size_t length = text ? strlen(text) : 0;
    *out = usual;
    if (length == 0)
        return 0;
    if (length <= 12 && strspn(text, "0123456789") == length && (*out = strtoll(text, NULL, 10)) <= most &&
        *out >= least)
        return 0;
    return fail_int(out_failure, "%s: '%s': expected a whole number from %lld to %lld", name, text, (long long)least,
                    (long long)most);
}

/* Load the settings of time, in which other runtimes differ too. */
static int load_time(runtime_instance *instance, failure *out_failure)
{
    int64_t seconds, tells, frames_hz;
    if (load_number("CLASH_RUNTIME_EPOCH", TIMEBASE_OFFSET_S, 0, 100 * TIMEBASE_OFFSET_S, &seconds, out_failure) != 0 ||
        load_number("CLASH_RUNTIME_EVENT_TIMES", 1, 0, 1, &tells, out_failure) != 0 ||
        load_number("CLASH_RUNTIME_FRAMES_HZ", 90, 1, 1000, &frames_hz, out_failure) != 0)
        return -1;
    instance->frame_period_ns = NS_PER_S / frames_hz;
    timebase_offset_ns = seconds * NS_PER_S;
    instance->no_event_times = tells == 0;
    return 0;
}

/* Print what Monado's client library prints if its service is missing. */
static int print_noise(failure *out_failure)
{
    int64_t lines;
    if (load_number("CLASH_RUNTIME_NOISE", 0, 0, 100000, &lines, out_failure) != 0)
        return -1;
    for (int64_t i = 0; i < lines; i++)
        fprintf(stderr, "%c[%lld] noise of the stand-in runtime\n", (char)('a' + i % 26), (long long)timebase_now_ns());
    return 0;
}

static int load_profile(runtime_instance *instance, failure *out_failure)
{
    const char *text = getenv("CLASH_RUNTIME_PROFILE");
    instance->preferred_profile = profiles_find(text && *text ? text : DEFAULT_PROFILE);
    if (instance->preferred_profile >= 0)
        return 0;
    return fail_int(out_failure,
                    "CLASH_RUNTIME_PROFILE: '%s': expected an interaction profile of OpenXR 1.0, like " DEFAULT_PROFILE,
                    text);
}

static int open_log(runtime_instance *instance, failure *out_failure)
{
    const char *path = getenv("CLASH_RUNTIME_LOG");
    if (!path || !*path)
        return 0;
    instance->log = fopen(path, "ae");
    if (instance->log)
        return 0;
    return fail_int(out_failure, "CLASH_RUNTIME_LOG: %s: cannot be opened for writing", path);
}

static bool is_refused(int64_t now_ns)
{
    if (runtime.refusals > 0) {
        runtime.refusals--;
        return true;
    }
    return now_ns < runtime.refuse_until_ns || faults_holding(&runtime.faults, FAULT_REFUSE, ~0u, now_ns);
}

static XrResult check_info(const XrInstanceCreateInfo *info)
{
    if (!RUNTIME_IS(info, XR_TYPE_INSTANCE_CREATE_INFO) || info->createFlags != 0 ||
        (info->enabledExtensionCount > 0 && !info->enabledExtensionNames))
        return XR_ERROR_VALIDATION_FAILURE;
    const XrApplicationInfo *application = &info->applicationInfo;
    if (!application->applicationName[0] ||
        !memchr(application->applicationName, '\0', sizeof application->applicationName))
        return XR_ERROR_NAME_INVALID;
    if (XR_VERSION_MAJOR(application->apiVersion) != 1 || XR_VERSION_MINOR(application->apiVersion) != 0)
        return XR_ERROR_API_VERSION_UNSUPPORTED;
    return XR_SUCCESS;
}

static XrResult enable_extensions(runtime_instance *instance, const XrInstanceCreateInfo *info)
{
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
        const char *name = info->enabledExtensionNames[i];
        if (strcmp(name, XR_MND_HEADLESS_EXTENSION_NAME) == 0)
            instance->headless = true;
        else if (strcmp(name, XR_KHR_CONVERT_TIMESPEC_TIME_EXTENSION_NAME) == 0 && is_offered(name))
            instance->convert_timespec = true;
        else if (strcmp(name, RUNTIME_XDEV_SPACE) == 0 && is_offered(name))
            instance->xdevs = true;
        else if (strcmp(name, RUNTIME_TRACKERS) == 0 && is_offered(name))
            instance->trackers = true;
        else if (strcmp(name, RUNTIME_ACTIVE_PRIORITY) == 0)
            continue; /* in force without being enabled, too */
        else
            return XR_ERROR_EXTENSION_NOT_PRESENT;
    }
    return XR_SUCCESS;
}

static void free_instance(runtime_instance *instance)
{
    playback_destroy(instance->playback);
    paths_finish(&instance->paths);
    for (size_t i = 0; i < PROFILES_MAX; i++)
        free(instance->suggestions[i].list);
    if (instance->log)
        fclose(instance->log);
    free(instance);
}

/* Apply the environment. A mistake in it goes to the person on stderr, and to the program as a failure. */
static XrResult fill_instance(runtime_instance *instance)
{
    failure reason = {0};
    if (load_profile(instance, &reason) == 0 && load_time(instance, &reason) == 0 && open_log(instance, &reason) == 0 &&
        (instance->playback = playback_create(&reason)) != NULL)
        return XR_SUCCESS;
    runtime_complain("%s", reason.text);
    return XR_ERROR_RUNTIME_FAILURE;
}

static XrResult create_instance(const XrInstanceCreateInfo *info, XrInstance *out_instance)
{
    failure reason = {0};
    XrResult result = out_instance ? check_info(info) : XR_ERROR_VALIDATION_FAILURE;
    if (XR_FAILED(result))
        return result;
    if (runtime.instance)
        return XR_ERROR_LIMIT_REACHED;
    if (load_faults(&reason) != 0 || print_noise(&reason) != 0) {
        runtime_complain("%s", reason.text);
        return XR_ERROR_RUNTIME_FAILURE;
    }
    if (faults_crash_in(&runtime.faults, CALL_CREATE))
        raise(SIGABRT);
    if (is_refused(timebase_now_ns()))
        return XR_ERROR_RUNTIME_FAILURE;
    runtime_instance *instance = calloc(1, sizeof *instance);
    if (!instance)
        return XR_ERROR_OUT_OF_MEMORY;
    result = enable_extensions(instance, info);
    if (XR_SUCCEEDED(result))
        result = fill_instance(instance);
    uint64_t handle = XR_SUCCEEDED(result) ? handles_add(&runtime.handles, HANDLE_INSTANCE, instance) : 0;
    if (!handle) {
        free_instance(instance);
        return XR_FAILED(result) ? result : XR_ERROR_LIMIT_REACHED;
    }
    instance->handle = *out_instance = HANDLE_AS(XrInstance, handle);
    runtime.instance = instance;
    runtime_log("instance created, playing %s", playback_describe(instance->playback));
    return XR_SUCCESS;
}

XrResult xr_create_instance(const XrInstanceCreateInfo *info, XrInstance *out_instance)
{
    runtime_enter();
    return runtime_leave(create_instance(info, out_instance));
}

static bool hangs_at_end(int64_t now_ns)
{
    if (runtime.hangs > 0) {
        runtime.hangs--;
        return true;
    }
    return faults_holding(&runtime.faults, FAULT_NO_END, ~0u, now_ns);
}

XrResult xr_destroy_instance(XrInstance handle)
{
    RUNTIME_ENTER_TO_DESTROY(HANDLE_INSTANCE, handle);
    if (hangs_at_end(timebase_now_ns())) {
        runtime_log("instance does not end");
        runtime_leave(XR_SUCCESS);
        for (;;)
            pause();
    }
    for (size_t i = 0; i < HANDLES_MAX; i++) {
        handle_slot *slot = &runtime.handles.slots[i];
        if (slot->value && slot->object != gone)
            free(slot->object); /* each kind of child is a single block of memory */
        *slot = (handle_slot){0};
    }
    runtime_log("instance destroyed");
    runtime.instance = NULL;
    runtime.session = NULL;
    free_instance(gone);
    return runtime_leave(XR_SUCCESS);
}

XrResult xr_get_instance_properties(XrInstance handle, XrInstanceProperties *out_properties)
{
    RUNTIME_ENTER_INSTANCE(handle);
    if (!RUNTIME_IS(out_properties, XR_TYPE_INSTANCE_PROPERTIES))
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    out_properties->runtimeVersion = XR_MAKE_VERSION(CLASH_VERSION_MAJOR, CLASH_VERSION_MINOR, CLASH_VERSION_PATCH);
    snprintf(out_properties->runtimeName, sizeof out_properties->runtimeName, "clashd stand-in runtime");
    return runtime_leave(XR_SUCCESS);
}

static XrResult report_lost_events(runtime_instance *instance, XrEventDataBuffer *out_event)
{
    XrEventDataEventsLost lost = {.type = XR_TYPE_EVENT_DATA_EVENTS_LOST, .lostEventCount = instance->events_lost};
    memset(out_event, 0, sizeof *out_event);
    memcpy(out_event, &lost, sizeof lost);
    instance->events_lost = 0;
    return XR_SUCCESS;
}

XrResult xr_poll_event(XrInstance handle, XrEventDataBuffer *out_event)
{
    RUNTIME_ENTER_INSTANCE(handle);
    if (!RUNTIME_IS(out_event, XR_TYPE_EVENT_DATA_BUFFER))
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    if (instance->events_lost > 0)
        return runtime_leave(report_lost_events(instance, out_event));
    if (instance->event_count == 0)
        return runtime_leave(XR_EVENT_UNAVAILABLE);
    *out_event = instance->events[instance->event_first];
    instance->event_first = (instance->event_first + 1) % RUNTIME_EVENTS_MAX;
    instance->event_count--;
    return runtime_leave(XR_SUCCESS);
}
