/* The sinks that send over the network (OSC, MQTT), each in a module that is loaded when the settings name a receiver or a broker.
 * They never block the loop. */
#ifndef CLASHD_SCENE_OUTLETS_H
#define CLASHD_SCENE_OUTLETS_H

#include "cli/failure.h"
#include "config/config.h"
#include "event_outbox.h"
#include "ports/log.h"
#include "ports/sink_module.h"
#include "protocol/messages/codec.h"
#include "sinks/mqtt/mqtt.h"

#include <uv.h>

#define OUTLETS 2

/** One sink that is in a module. Zeroed: none. */
typedef struct outlet {
    const sink_module *module;
    void *sink;
} outlet;

/** Open a sink with settings of its own type; the module stays loaded. Return 0, or -1 with a message in out_failure, and `o` is
 *  none. */
int outlet_open(outlet *o, const sink_place *place, const void *settings, failure *out_failure);
/** These accept an outlet that is none, and then do nothing. */
event_sink outlet_port(const outlet *o);
void outlet_list_counters(const outlet *o, counter_list *out);
/** The loop has to run once more before it is closed. */
void outlet_close(outlet *o);

/** Begins as zero. */
typedef struct outlets {
    outlet all[OUTLETS];
} outlets;

typedef struct outlets_settings {
    uv_loop_t *loop;
    const config_values *config; /* as it is now: it need not outlive the call */
    int64_t epoch_ns;
    device_names names;
    logger log;
    mqtt_take take; /* of other players */
    void *context;  /* outlives them, with: */
    /** As in mqtt.h. */
    void (*session)(void *context, protocol_session *out_session);
    void (*status)(void *context, protocol_status *out_status);
} outlets_settings;

#define OUTLETS_PLAYER_MAX 64

/** Return the player's name: the settings', else the machine's, which is written to `machine`. */
const char *outlets_player(const config_mqtt *config, char machine[OUTLETS_PLAYER_MAX]);
/** Check that the files exist that the settings name. Blocks. Return 0, or -1 with a message in out_failure. */
int outlets_check(const config_values *config, failure *out_failure);
/** Check, and open. Blocks. Return 0, or -1 with a message in out_failure; closed either way by outlets_close. */
int outlets_open(outlets *o, const outlets_settings *settings, failure *out_failure);
/** Reopen the sinks whose settings, which have been checked, differ from `before`: all of them or none. Return 0, and the caller
 *  calls outlets_join again, or -1 with a message in out_failure. */
int outlets_change(outlets *o, const config_values *before, const outlets_settings *settings, failure *out_failure);
/** Return the sink of MQTT, whose module is an mqtt_module; its `sink` is NULL if there is none. outlets_change replaces it. */
const outlet *outlets_mqtt(const outlets *o);
void outlets_join(const outlets *o, session_outbox *to);
void outlets_list_counters(const outlets *o, counter_list *out);
/** The loop has to run once more before it is closed. */
void outlets_close(outlets *o);

#endif
