/* The session's life: IDLE and READY on creation, begun by the program up to FOCUSED, ended through STOPPING; and the
 * frame loop, which a headless program need not run. Playing starts at xrBeginSession. */
#include "entries.h"
#include "runtime.h"
#include "timebase.h"
#include <stdlib.h>

static XrResult create_session(runtime_instance *instance, const XrSessionCreateInfo *info, XrSession *out_session)
{
    if (!RUNTIME_IS(info, XR_TYPE_SESSION_CREATE_INFO) || info->createFlags != 0 || !out_session)
        return XR_ERROR_VALIDATION_FAILURE;
    if (info->systemId != RUNTIME_SYSTEM_ID || !instance->system_given)
        return XR_ERROR_SYSTEM_INVALID;
    if (!instance->headless) /* no graphics API is offered, so none can be bound */
        return XR_ERROR_GRAPHICS_DEVICE_INVALID;
    if (runtime.session)
        return XR_ERROR_LIMIT_REACHED;
    runtime_session *session = calloc(1, sizeof *session);
    if (!session)
        return XR_ERROR_OUT_OF_MEMORY;
    uint64_t handle = handles_add(&runtime.handles, HANDLE_SESSION, session);
    if (!handle) {
        free(session);
        return XR_ERROR_LIMIT_REACHED;
    }
    session->handle = *out_session = HANDLE_AS(XrSession, handle);
    session->profile = -1;
    runtime.session = session;
    int64_t now_ns = timebase_now_ns();
    runtime_set_session_state(session, XR_SESSION_STATE_IDLE, now_ns);
    runtime_set_session_state(session, XR_SESSION_STATE_READY, now_ns);
    return XR_SUCCESS;
}

XrResult xr_create_session(XrInstance handle, const XrSessionCreateInfo *info, XrSession *out_session)
{
    RUNTIME_ENTER_INSTANCE(handle);
    return runtime_leave(create_session(instance, info, out_session));
}

XrResult xr_destroy_session(XrSession handle)
{
    RUNTIME_ENTER_TO_DESTROY(HANDLE_SESSION, handle);
    runtime_space *space;
    for (size_t i = 0; (space = handles_next(&runtime.handles, HANDLE_SPACE, &i));) {
        handles_remove(&runtime.handles, HANDLE_VALUE(space->handle));
        free(space);
    }
    handles_remove(&runtime.handles, HANDLE_VALUE(handle));
    runtime.session = NULL;
    free(gone);
    runtime_log("session destroyed");
    return runtime_leave(XR_SUCCESS);
}

XrResult xr_begin_session(XrSession handle, const XrSessionBeginInfo *info)
{
    RUNTIME_ENTER_SESSION(handle);
    if (!RUNTIME_IS(info, XR_TYPE_SESSION_BEGIN_INFO)) /* headless: ignore its view configuration */
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    if (session->running)
        return runtime_leave(XR_ERROR_SESSION_RUNNING);
    if (session->state != XR_SESSION_STATE_READY)
        return runtime_leave(XR_ERROR_SESSION_NOT_READY);
    session->running = true;
    session->begin_ns = timebase_now_ns();
    if (runtime.faults.epoch_ns == 0)
        runtime.faults.epoch_ns = session->begin_ns;
    runtime_set_session_state(session, XR_SESSION_STATE_SYNCHRONIZED, session->begin_ns);
    runtime_set_session_state(session, XR_SESSION_STATE_VISIBLE, session->begin_ns);
    runtime_settle_focus(session, session->begin_ns);
    runtime_log("session begun at %lld", (long long)session->begin_ns);
    return runtime_leave(XR_SUCCESS);
}

XrResult xr_end_session(XrSession handle)
{
    RUNTIME_ENTER_SESSION(handle);
    if (!session->running)
        return runtime_leave(XR_ERROR_SESSION_NOT_RUNNING);
    if (session->state != XR_SESSION_STATE_STOPPING)
        return runtime_leave(XR_ERROR_SESSION_NOT_STOPPING);
    int64_t now_ns = timebase_now_ns();
    session->running = false;
    runtime_set_session_state(session, XR_SESSION_STATE_IDLE, now_ns);
    if (session->exit_requested)
        runtime_set_session_state(session, XR_SESSION_STATE_EXITING, now_ns);
    return runtime_leave(XR_SUCCESS);
}

XrResult xr_request_exit_session(XrSession handle)
{
    RUNTIME_ENTER_SESSION(handle);
    if (!session->running)
        return runtime_leave(XR_ERROR_SESSION_NOT_RUNNING);
    if (session->state != XR_SESSION_STATE_STOPPING)
        runtime_stop_session(session, timebase_now_ns());
    return runtime_leave(XR_SUCCESS);
}

static XrResult enter_running(XrSession handle, runtime_session **out_session)
{
    XrResult result = runtime_enter_session(handle, out_session);
    if (XR_FAILED(result))
        return result;
    return (*out_session)->running ? XR_SUCCESS : runtime_leave(XR_ERROR_SESSION_NOT_RUNNING);
}

XrResult xr_wait_frame(XrSession handle, const XrFrameWaitInfo *info, XrFrameState *out_state)
{
    runtime_session *session;
    XrResult result = enter_running(handle, &session);
    if (XR_FAILED(result))
        return result;
    if ((info && info->type != XR_TYPE_FRAME_WAIT_INFO) || !RUNTIME_IS(out_state, XR_TYPE_FRAME_STATE))
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    int64_t period_ns = runtime.instance->frame_period_ns;
    int64_t now_ns = timebase_now_ns(), due_ns = session->frame_ns + period_ns;
    if (due_ns < now_ns)
        due_ns = now_ns;
    runtime_leave(XR_SUCCESS);
    timebase_sleep_until(due_ns);
    result = enter_running(handle, &session); /* much may have changed meanwhile */
    if (XR_FAILED(result))
        return result;
    session->frame_ns = due_ns;
    session->frame_waited = true;
    out_state->predictedDisplayTime = timebase_to_xr(due_ns + period_ns);
    out_state->predictedDisplayPeriod = period_ns;
    out_state->shouldRender = XR_FALSE;
    return runtime_leave(XR_SUCCESS);
}

XrResult xr_begin_frame(XrSession handle, const XrFrameBeginInfo *info)
{
    runtime_session *session;
    XrResult result = enter_running(handle, &session);
    if (XR_FAILED(result))
        return result;
    if (info && info->type != XR_TYPE_FRAME_BEGIN_INFO)
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    if (!session->frame_waited)
        return runtime_leave(XR_ERROR_CALL_ORDER_INVALID);
    result = session->frame_begun ? XR_FRAME_DISCARDED : XR_SUCCESS;
    session->frame_waited = false;
    session->frame_begun = true;
    return runtime_leave(result);
}

XrResult xr_end_frame(XrSession handle, const XrFrameEndInfo *info)
{
    runtime_session *session;
    XrResult result = enter_running(handle, &session);
    if (XR_FAILED(result))
        return result;
    if (!RUNTIME_IS(info, XR_TYPE_FRAME_END_INFO))
        return runtime_leave(XR_ERROR_VALIDATION_FAILURE);
    if (!session->frame_begun)
        return runtime_leave(XR_ERROR_CALL_ORDER_INVALID);
    if (info->displayTime <= 0)
        return runtime_leave(XR_ERROR_TIME_INVALID);
    if (info->environmentBlendMode != XR_ENVIRONMENT_BLEND_MODE_OPAQUE)
        return runtime_leave(XR_ERROR_ENVIRONMENT_BLEND_MODE_UNSUPPORTED);
    if (info->layerCount > 0) /* nothing can have been drawn */
        return runtime_leave(XR_ERROR_LAYER_INVALID);
    session->frame_begun = false;
    return runtime_leave(XR_SUCCESS);
}
