/* The game's frames. Each is handed on once, as soon as its display time is known and the game is about to look where its
 * hands are: when it syncs its actions after xrWaitFrame, else when it locates its views for that frame, else at xrEndFrame.
 * Nothing here allocates or waits once the session has its input attached. */
#include "game_frame.h"
#include "game_haptics.h"
#include "game_space.h"
#include "hooks.h"
#include "input_sync.h"

#include <math.h>

/** In frames: if the game has not shown by then which space it draws in, guess it. */
#define GUESS_AFTER 45
#define PERIOD_NS 11111111

#define VALID_BITS (XR_SPACE_LOCATION_POSITION_VALID_BIT | XR_SPACE_LOCATION_ORIENTATION_VALID_BIT)
#define TRACKED_BITS (XR_SPACE_LOCATION_POSITION_TRACKED_BIT | XR_SPACE_LOCATION_ORIENTATION_TRACKED_BIT)
/** An estimated display time further from now than this is wrong: no runtime predicts so far. */
#define FAR_NS 100000000
/** Ignore a display time that is further ahead of what the runtime said. */
#define BEYOND_NS 1000000000

/** For a runtime that cannot convert times: assume that this frame is shown one period from now, and that both clocks run alike after
 *  that. */
static int64_t estimate(layer_session *session, XrTime time)
{
    int64_t now = feed_now_ns(), monotonic;

    if (session->has_offset && !__builtin_add_overflow(time, session->offset_ns, &monotonic) &&
        monotonic > now - FAR_NS && monotonic < now + FAR_NS)
        return monotonic;
    monotonic = now + (session->period > 0 ? session->period : PERIOD_NS);
    session->has_offset = !__builtin_sub_overflow(monotonic, time, &session->offset_ns);
    return monotonic;
}

static int64_t to_monotonic(layer_session *session, XrTime time)
{
    const layer_instance *instance = session->instance;
    struct timespec at;

    if (instance->next.to_timespec && XR_SUCCEEDED(instance->next.to_timespec(instance->handle, time, &at)))
        return (int64_t)at.tv_sec * 1000000000 + at.tv_nsec;
    return estimate(session, time);
}

static bool is_finite(const clash_pose *p)
{
    return isfinite(p->position.x) && isfinite(p->position.y) && isfinite(p->position.z) &&
           isfinite(p->orientation.x) && isfinite(p->orientation.y) && isfinite(p->orientation.z) &&
           isfinite(p->orientation.w);
}

static feed_pose locate(const layer_session *session, int hand, XrTime time)
{
    XrSpace grip = session->grips[session->active[hand]][hand];
    XrSpaceLocation at = {.type = XR_TYPE_SPACE_LOCATION};
    const XrQuaternionf *q = &at.pose.orientation;
    feed_pose found = {.is_valid = false};

    if (grip == XR_NULL_HANDLE || XR_FAILED(session->instance->next.LocateSpace(grip, session->base, time, &at)))
        return found;
    found.pose = (clash_pose){{q->x, q->y, q->z, q->w}, {at.pose.position.x, at.pose.position.y, at.pose.position.z}};
    found.is_valid = (at.locationFlags & VALID_BITS) == VALID_BITS && is_finite(&found.pose);
    found.is_tracked = found.is_valid && (at.locationFlags & TRACKED_BITS) == TRACKED_BITS;
    return found;
}

/** Without the focus the runtime gives a program no hands, and another one may have them. */
static bool has_focus(const layer_session *session)
{
    return session->state == XR_SESSION_STATE_FOCUSED || session->state == XR_SESSION_STATE_UNKNOWN;
}

static bool can_send(const layer_session *session)
{
    return session->input && session->link && session->base != XR_NULL_HANDLE && has_focus(session);
}

/** Send the frame of that display time, if it has not been sent. */
static void send_frame(layer_session *session, XrTime time)
{
    feed_frame *frame = &session->frame;

    if (time <= session->sent || session->waited <= 0 || time - session->waited > BEYOND_NS || !can_send(session))
        return;
    session->sent = time;
    if (session->moves_at != 0 && time >= session->moves_at) {
        session->moves_at = 0;
        session->base_has_moved = true;
    }
    if (session->base_has_moved)
        game_space_describe(session, time);
    frame->is_cut = session->base_has_moved;
    session->base_has_moved = false;
    frame->time_ns = to_monotonic(session, time);
    for (int hand = 0; hand < LAYER_HANDS; hand++)
        frame->hands[hand] = locate(session, hand, time);
    frame->is_overlay = session->is_overlay;
    session->is_feeding = true;
    feed_link_put(session->link, frame);
    game_haptics_play(session);
}

/** Leave the hands to another program if this one has lost the focus. */
static void end_feed(layer_session *session)
{
    const feed_frame end = {.is_end = true};

    if (session->is_feeding && !has_focus(session))
        session->is_feeding = !feed_link_put(session->link, &end);
}

void game_frame_state(layer_session *session, XrSessionState state)
{
    session->state = state;
    end_feed(session);
}

void game_frame_synced(layer_session *session)
{
    send_frame(session, session->waited);
}

XrResult layer_wait_frame(XrSession handle, const XrFrameWaitInfo *info, XrFrameState *state)
{
    const layer_next *next = layer_next_of_session(handle);
    layer_session *session;
    XrResult result;
    bool entered;

    if (!next)
        return XR_ERROR_HANDLE_INVALID;
    result = next->WaitFrame(handle, info, state);
    if (result != XR_SUCCESS || !state) /* XR_SESSION_LOSS_PENDING may leave it unset */
        return result;
    entered = layer_enter();
    session = layer_find_session(handle);
    if (entered && session) {
        session->waited = state->predictedDisplayTime;
        if (session->sent > 0 && session->waited < session->sent - BEYOND_NS)
            session->sent = 0; /* that one's time was wrong */
        session->period = state->predictedDisplayPeriod;
    }
    layer_leave(entered);
    return result;
}

XrResult layer_locate_views(XrSession handle, const XrViewLocateInfo *info, XrViewState *state, uint32_t capacity,
                            uint32_t *out_count, XrView *views)
{
    bool entered = layer_enter();
    layer_session *session = layer_find_session(handle);
    const layer_next *next = layer_next_of(session ? session->instance : NULL);

    if (entered && session && LAYER_IS(info, XR_TYPE_VIEW_LOCATE_INFO)) {
        game_space_used(session, info->space, false);
        if (session->game_syncs && info->displayTime == session->waited)
            send_frame(session, info->displayTime);
    }
    layer_leave(entered);
    return next ? next->LocateViews(handle, info, state, capacity, out_count, views) : XR_ERROR_HANDLE_INVALID;
}

/** Note the space of the first projection layer. */
static void note_layers(layer_session *session, const XrFrameEndInfo *info)
{
    for (uint32_t i = 0; info->layers && i < info->layerCount; i++) {
        const XrCompositionLayerBaseHeader *layer = info->layers[i];

        if (LAYER_IS(layer, XR_TYPE_COMPOSITION_LAYER_PROJECTION)) {
            game_space_used(session, layer->space, true);
            return;
        }
    }
}

/** Do for the game what it never does itself: say its space, sync what it has attached. It never attaches for the game: a session takes
 *  action sets once, and the game may come to that at any time. */
static void stand_in(layer_session *session)
{
    session->without_base = session->base == XR_NULL_HANDLE ? session->without_base + 1 : 0;
    if (session->without_base >= GUESS_AFTER)
        game_space_guess(session);
    if (session->input && !session->game_syncs)
        input_sync_alone(session);
}

XrResult layer_end_frame(XrSession handle, const XrFrameEndInfo *info)
{
    bool entered = layer_enter();
    layer_session *session = layer_find_session(handle);
    const layer_next *next = layer_next_of(session ? session->instance : NULL);

    if (entered && session && LAYER_IS(info, XR_TYPE_FRAME_END_INFO)) {
        note_layers(session, info);
        stand_in(session);
        end_feed(session);
        send_frame(session, info->displayTime);
        game_haptics_play(session); /* those that this very frame has caused, if clashd was quick */
    }
    layer_leave(entered);
    return next ? next->EndFrame(handle, info) : XR_ERROR_HANDLE_INVALID;
}
