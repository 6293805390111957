/* See outlets.h. */
#include "outlets.h"

#include <stdio.h>
#include <unistd.h>

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

static mqtt_broker broker_of(const app_mqtt_config *config)
{
    return (mqtt_broker){
        .address = config->broker,
        .user = config->user,
        .password_file = config->password_file,
        .tls = config->tls,
        .ca_file = config->ca_file,
        .certificate_file = config->certificate_file,
        .key_file = config->key_file,
    };
}

static int open_mqtt(outlets *o, const outlets_settings *from, failure *out_failure)
{
    const app_mqtt_config *config = &from->config->mqtt;
    char machine[64] = "";
    const mqtt_settings settings = {
        .loop = from->loop,
        .broker = broker_of(config),
        .room = config->room,
        .player = config->player[0] ? config->player : machine,
        .poses = config->poses,
        .offline = config->offline,
        .queue_bytes = config->queue_bytes,
        .status_ms = config->status_ms,
        .epoch_ns = from->epoch_ns,
        .names = from->names,
        .log = from->log,
        .context = from->context,
        .session = from->session,
        .status = from->status,
    };

    if (!config->broker[0])
        return 0;
    if (!config->player[0] && (gethostname(machine, sizeof machine - 1) != 0 || !machine[0]))
        snprintf(machine, sizeof machine, "player");
    return mqtt_sink_open(&settings, &o->mqtt, out_failure);
}

int outlets_check(const app_config *config, failure *out_failure)
{
    const mqtt_broker broker = broker_of(&config->mqtt);

    return broker.address[0] ? mqtt_check_broker(&broker, out_failure) : 0;
}

int outlets_open(outlets *o, const outlets_settings *settings, failure *out_failure)
{
    if (open_osc(o, settings->loop, &settings->config->osc, settings->log, out_failure) != 0)
        return -1;
    return open_mqtt(o, settings, out_failure);
}

void outlets_join(const outlets *o, fanout *to)
{
    if (o->osc)
        fanout_add(to, osc_sink_port(o->osc));
    if (o->mqtt)
        fanout_add(to, mqtt_sink_port(o->mqtt));
}

void outlets_list_counters(const outlets *o, counter_list *out)
{
    if (o->osc)
        osc_sink_list_counters(o->osc, out);
    if (o->mqtt)
        mqtt_sink_list_counters(o->mqtt, out);
}

void outlets_close(outlets *o)
{
    osc_sink_close(o->osc);
    mqtt_sink_close(o->mqtt);
    *o = (outlets){0};
}
