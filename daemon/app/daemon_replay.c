/* The daemon's replay: control it as clients ask, and describe it. See daemon_private.h. */
#include "daemon_private.h"

#include "sources/replay/replay.h"

#include <stdio.h>

static bool is_replay(const app_daemon *d)
{
    return d->options->source == CONFIG_SOURCE_REPLAY && d->source;
}

bool daemon_describe_replay(app_daemon *d, protocol_replay_state *out_state)
{
    replay_state state;

    if (!is_replay(d))
        return false;
    replay_source_get_state(d->source, &state);
    *out_state = (protocol_replay_state){
        .time_ns = session_time_ns(&d->session),
        .state = state.state,
        .file = state.file,
        .speed = state.speed,
        .loops = state.loops,
        .position_ns = state.position_ns,
        .start_ns = state.first_ns,
        .end_ns = state.last_ns,
        .shift_ns = state.shift_ns,
        .passes = state.passes,
        .damaged_lines = state.damaged,
    };
    return true;
}

void daemon_replay_changed(void *context)
{
    app_daemon *d = context;
    protocol_replay_state state;

    if (d->server && daemon_describe_replay(d, &state))
        server_notify_replay(d->server, &state);
}

int daemon_replay(app_daemon *d, const protocol_replay *what, protocol_error *out_error)
{
    static const replay_action actions[] = {
        [PROTOCOL_REPLAY_PAUSE] = REPLAY_PAUSE, [PROTOCOL_REPLAY_RESUME] = REPLAY_RESUME,
        [PROTOCOL_REPLAY_STEP] = REPLAY_STEP,   [PROTOCOL_REPLAY_SEEK] = REPLAY_SEEK,
        [PROTOCOL_REPLAY_SPEED] = REPLAY_SPEED,
    };
    const replay_command command = {
        .action = actions[what->action], .count = what->frames, .time_ns = what->time_ns, .speed = what->speed};

    failure why = {0};

    if (is_replay(d))
        return replay_source_command(d->source, &command, &why) == 0
                   ? 0
                   : protocol_refuse(out_error, PROTOCOL_ERROR_CANNOT_REPLAY, "%s", why.text);
    return protocol_refuse(out_error, PROTOCOL_ERROR_CANNOT_REPLAY,
                           "no recording is played: poses come from elsewhere, as status says");
}

void daemon_hold_replay(void *context, bool is_held)
{
    app_daemon *d = context;

    if (is_replay(d) && d->source)
        replay_source_hold(d->source, is_held);
}
