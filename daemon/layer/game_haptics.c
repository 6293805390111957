/* Pulses wait in the link until the game's next frame. If the runtime refuses one, as for a session without focus, it is dropped: a
 * real fault shows in the game's own calls. */
#include "game_haptics.h"

/** Use the set that was synced last: actions of other sets are not active. */
static bool find_action(const layer_session *session, int hand, XrHapticActionInfo *out_info)
{
    if (!session->input)
        return false;
    *out_info = (XrHapticActionInfo){.type = XR_TYPE_HAPTIC_ACTION_INFO,
                                     .action = session->input->sets[session->active[hand]].haptic,
                                     .subactionPath = session->instance->hands[hand]};
    return out_info->action != XR_NULL_HANDLE;
}

void game_haptics_play(layer_session *session)
{
    XrHapticActionInfo where;
    feed_pulse pulse;

    while (session->link && feed_link_take_pulse(session->link, &pulse)) {
        const XrHapticVibration how = {.type = XR_TYPE_HAPTIC_VIBRATION,
                                       .duration = pulse.duration_ns,
                                       .frequency = XR_FREQUENCY_UNSPECIFIED,
                                       .amplitude = pulse.amplitude};

        if (find_action(session, pulse.hand, &where) &&
            session->instance->next.ApplyHapticFeedback(session->handle, &where, (const XrHapticBaseHeader *)&how) ==
                XR_SUCCESS)
            session->has_pulsed = true;
    }
}

void game_haptics_stop(const layer_session *session)
{
    XrHapticActionInfo where;

    for (int hand = 0; session->has_pulsed && hand < LAYER_HANDS; hand++)
        if (find_action(session, hand, &where))
            session->instance->next.StopHapticFeedback(session->handle, &where);
}
