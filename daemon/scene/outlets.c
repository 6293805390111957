#include "outlets.h"

#include "config/fields.h"
#include "platform/module.h"
#include "sinks/osc/osc.h"

#include <clash/base.h>

#include <stdio.h>
#include <unistd.h>

/* ---- one sink in a module ---- */

int outlet_open(outlet *o, const sink_place *place, const void *settings, failure *out_failure)
{
    failure why = {0};

    *o = (outlet){0};
    if (place->linked) {
        o->module = place->linked;
        return o->module->open(settings, &o->sink, out_failure);
    }
    if (!place->file)
        return fail_int(out_failure, "%s: this clashd was built without it", place->section);
    o->module = module_load(place->file, place->variable, place->room, place->symbol, CLASH_VERSION_STRING, &why);
    if (!o->module)
        return fail_int(out_failure, "%s: %s", place->section, why.text);
    return o->module->open(settings, &o->sink, out_failure);
}

event_sink outlet_port(const outlet *o)
{
    return o->sink ? o->module->port(o->sink) : (event_sink){0};
}

void outlet_list_counters(const outlet *o, counter_list *out)
{
    if (o->sink)
        o->module->list_counters(o->sink, out);
}

void outlet_close(outlet *o)
{
    if (o->sink)
        o->module->close(o->sink);
    *o = (outlet){0};
}

/* ---- all of them ---- */

static int open_osc(outlet *o, const outlets_settings *from, failure *out_failure)
{
    const config_osc *config = &from->config->osc;
    const osc_settings settings = {
        .loop = from->loop,
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
        .log = from->log,
    };

    if (settings.receiver_count + settings.avatar_count == 0)
        return 0;
    return outlet_open(o, &osc_place, &settings, out_failure);
}

static mqtt_broker broker_of(const config_mqtt *config)
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

const char *outlets_player(const config_mqtt *config, char machine[OUTLETS_PLAYER_MAX])
{
    if (config->player[0])
        return config->player;
    if (gethostname(machine, OUTLETS_PLAYER_MAX) != 0 || !machine[0])
        snprintf(machine, OUTLETS_PLAYER_MAX, "player");
    machine[OUTLETS_PLAYER_MAX - 1] = '\0';
    return machine;
}

static int open_mqtt(outlet *o, const outlets_settings *from, failure *out_failure)
{
    const config_mqtt *config = &from->config->mqtt;
    char machine[OUTLETS_PLAYER_MAX];
    const mqtt_settings settings = {
        .loop = from->loop,
        .broker = broker_of(config),
        .room = config->room,
        .player = outlets_player(config, machine),
        .poses = config->poses,
        .offline = config->offline,
        .queue_bytes = config->queue_bytes,
        .status_ms = config->status_ms,
        .epoch_ns = from->epoch_ns,
        .names = from->names,
        .log = from->log,
        .take = from->take,
        .context = from->context,
        .session = from->session,
        .status = from->status,
    };

    if (!config->broker[0])
        return 0;
    return outlet_open(o, &mqtt_place, &settings, out_failure);
}

int outlets_check(const config_values *config, failure *out_failure)
{
    const mqtt_broker broker = broker_of(&config->mqtt);

    return broker.address[0] ? mqtt_check_broker(&broker, out_failure) : 0;
}

static const struct {
    const char *section;
    int (*open)(outlet *o, const outlets_settings *from, failure *out_failure);
} kinds[OUTLETS] = {{"osc", open_osc}, {"mqtt", open_mqtt}};

const outlet *outlets_mqtt(const outlets *o)
{
    return &o->all[1];
}

int outlets_open(outlets *o, const outlets_settings *settings, failure *out_failure)
{
    if (outlets_check(settings->config, out_failure) != 0)
        return -1;
    for (size_t i = 0; i < OUTLETS; i++)
        if (kinds[i].open(&o->all[i], settings, out_failure) != 0)
            return -1;
    return 0;
}

/* A new sink sends nothing before the loop runs again: what the old one sends last comes before. */
int outlets_change(outlets *o, const config_values *before, const outlets_settings *settings, failure *out_failure)
{
    bool is_other[OUTLETS] = {false};
    outlets next = {0};
    char key[64];

    for (size_t i = 0; i < OUTLETS; i++) {
        is_other[i] = config_find_change(before, settings->config, kinds[i].section, key, sizeof key);
        if (is_other[i] && kinds[i].open(&next.all[i], settings, out_failure) != 0) {
            outlets_close(&next);
            return -1;
        }
    }
    for (size_t i = 0; i < OUTLETS; i++)
        if (is_other[i]) {
            outlet_close(&o->all[i]);
            o->all[i] = next.all[i];
        }
    return 0;
}

void outlets_join(const outlets *o, session_outbox *to)
{
    for (size_t i = 0; i < OUTLETS; i++)
        if (o->all[i].sink)
            session_outbox_add(to, outlet_port(&o->all[i]), SESSION_OUTBOX_AGREED);
}

void outlets_list_counters(const outlets *o, counter_list *out)
{
    for (size_t i = 0; i < OUTLETS; i++)
        outlet_list_counters(&o->all[i], out);
}

void outlets_close(outlets *o)
{
    for (size_t i = 0; i < OUTLETS; i++)
        outlet_close(&o->all[i]);
}
