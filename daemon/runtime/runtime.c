/* The runtime's single state, and the lock that every call takes; see runtime.h. A stall is slept through without the
 * mutex, so that each thread that calls in meanwhile blocks on its own, as it would in a real runtime whose service
 * hangs. */
#include "runtime/runtime.h"
#include "runtime/timebase.h"
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

runtime_state runtime;
int64_t timebase_offset_ns = TIMEBASE_OFFSET_S * NS_PER_S;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Not pthread_exit: a loader written in C++ stops its unwinding. The caller has released the mutex. */
static void end_thread_if_ordered(void)
{
    if (!runtime.ends_thread)
        return;
    runtime.ends_thread = false;
    pthread_mutex_unlock(&mutex);
    syscall(SYS_exit, 0);
}

XrResult runtime_enter(void)
{
    for (;;) {
        pthread_mutex_lock(&mutex);
        int64_t now_ns = timebase_now_ns();
        const fault *stall = faults_holding(&runtime.faults, FAULT_STALL, ~0u, now_ns);
        if (!stall) {
            runtime_carry_out_faults(now_ns);
            if (runtime.crashes)
                raise(SIGABRT);
            end_thread_if_ordered();
            return XR_SUCCESS;
        }
        int64_t until_ns = faults_time(&runtime.faults, stall) + stall->duration_ns;
        pthread_mutex_unlock(&mutex);
        timebase_sleep_until(until_ns);
    }
}

XrResult runtime_leave(XrResult result)
{
    pthread_mutex_unlock(&mutex);
    return result;
}

XrResult runtime_enter_to_destroy(handle_kind kind, uint64_t handle, void **out_object)
{
    runtime_enter();
    *out_object = handles_get(&runtime.handles, kind, handle);
    return *out_object ? XR_SUCCESS : runtime_leave(XR_ERROR_HANDLE_INVALID);
}

XrResult runtime_enter_object(handle_kind kind, uint64_t handle, void **out_object)
{
    XrResult result = runtime_enter_to_destroy(kind, handle, out_object);
    if (XR_FAILED(result))
        return result;
    if (runtime.instance->lost)
        return runtime_leave(XR_ERROR_INSTANCE_LOST);
    if ((kind == HANDLE_SESSION || kind == HANDLE_SPACE) && runtime.session->lost)
        return runtime_leave(XR_ERROR_SESSION_LOST);
    return XR_SUCCESS;
}

XrResult runtime_enter_instance(XrInstance handle, runtime_instance **out_instance)
{
    void *object;
    XrResult result = runtime_enter_object(HANDLE_INSTANCE, HANDLE_VALUE(handle), &object);
    if (XR_SUCCEEDED(result))
        *out_instance = object;
    return result;
}

XrResult runtime_enter_session(XrSession handle, runtime_session **out_session)
{
    void *object;
    XrResult result = runtime_enter_object(HANDLE_SESSION, HANDLE_VALUE(handle), &object);
    if (XR_SUCCEEDED(result))
        *out_session = object;
    return result;
}

bool runtime_peek_instance(XrInstance handle, bool *out_convert_timespec, bool *out_xdevs)
{
    pthread_mutex_lock(&mutex);
    const runtime_instance *instance = handles_get(&runtime.handles, HANDLE_INSTANCE, HANDLE_VALUE(handle));
    if (instance) {
        *out_convert_timespec = instance->convert_timespec;
        *out_xdevs = instance->xdevs;
    }
    pthread_mutex_unlock(&mutex);
    return instance;
}

XrResult runtime_two_call(uint32_t capacity, uint32_t *count_out, uint32_t count, const void *array, bool *out_fill)
{
    *out_fill = false;
    if (!count_out || (capacity > 0 && !array))
        return XR_ERROR_VALIDATION_FAILURE;
    *count_out = count;
    if (capacity > 0 && capacity < count)
        return XR_ERROR_SIZE_INSUFFICIENT;
    *out_fill = capacity > 0;
    return XR_SUCCESS;
}

void runtime_complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("clash_runtime: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void runtime_log(const char *format, ...)
{
    if (!runtime.instance || !runtime.instance->log)
        return;
    va_list arguments;
    va_start(arguments, format);
    fprintf(runtime.instance->log, "%lld ", (long long)timebase_now_ns());
    vfprintf(runtime.instance->log, format, arguments);
    fputc('\n', runtime.instance->log);
    fflush(runtime.instance->log);
    va_end(arguments);
}
