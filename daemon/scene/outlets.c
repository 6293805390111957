/* See outlets.h. */
#include "outlets.h"

static int open_osc(outlets *o, uv_loop_t *loop, const app_osc_config *config, logger log, failure *out_failure)
{
    const osc_settings settings = {
        .loop = loop,
        .receivers = config->receivers.names,
        .receiver_count = config->receivers.count,
        .avatars = config->avatars.names,
        .avatar_count = config->avatar[0] ? config->avatars.count : 0,
        .clash = config->clash,
        .hold = config->hold,
        .release = config->release,
        .intensity = config->intensity,
        .avatar = config->avatar,
        .rate_hz = config->rate_hz,
        .pulse_ms = config->pulse_ms,
        .log = log,
    };

    if (settings.receiver_count + settings.avatar_count == 0)
        return 0;
    return osc_sink_open(&settings, &o->osc, out_failure);
}

int outlets_open(outlets *o, uv_loop_t *loop, const app_config *config, logger log, failure *out_failure)
{
    return open_osc(o, loop, &config->osc, log, out_failure);
}

void outlets_join(const outlets *o, fanout *to)
{
    if (o->osc)
        fanout_add(to, osc_sink_port(o->osc));
}

void outlets_list_counters(const outlets *o, counter_list *out)
{
    if (o->osc)
        osc_sink_list_counters(o->osc, out);
}

void outlets_close(outlets *o)
{
    osc_sink_close(o->osc);
    *o = (outlets){0};
}
