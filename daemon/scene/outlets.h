/* The sinks that send to others by the network, as far as the settings name any. Whatever happens there, nobody here waits for it. */
#ifndef CLASHD_SCENE_OUTLETS_H
#define CLASHD_SCENE_OUTLETS_H

#include "cli/failure.h"
#include "config/config.h"
#include "fanout.h"
#include "outlet.h"
#include "ports/log.h"
#include "protocol/messages/codec.h"
#include "sinks/mqtt/mqtt.h"

#include <uv.h>

#define OUTLETS 2

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

/** Return who plays here: as the settings say, else the machine's name, which is put into `machine`. */
const char *outlets_player(const config_mqtt *config, char machine[OUTLETS_PLAYER_MAX]);
/** Check whether the files are there that the settings name. Blocking. Return 0, or -1 with a message in out_failure. */
int outlets_check(const config_values *config, failure *out_failure);
/** Blocking, as it checks. Return 0, or -1 with a message in out_failure; closed either way by outlets_close. */
int outlets_open(outlets *o, const outlets_settings *settings, failure *out_failure);
/** Open those anew whose settings, which have been checked, differ from `before`: all of them or none. 0, and outlets_join has to be called again, or -1 with a
 *  message in out_failure. */
int outlets_change(outlets *o, const config_values *before, const outlets_settings *settings, failure *out_failure);
/** Return the one of MQTT, whose table is an mqtt_module; its sink is NULL if there is none. Another one after outlets_change. */
const outlet *outlets_mqtt(const outlets *o);
void outlets_join(const outlets *o, fanout *to);
void outlets_list_counters(const outlets *o, counter_list *out);
/** The loop has to run once more before it is closed. */
void outlets_close(outlets *o);

#endif
