/* The process that talks to the broker (helper/clashd_mqtt.c), from clashd's side: start it, send and receive frames, reap it. libmosquitto
 * reads what a broker sends, and 2.0.11 aborts the program upon some of it, so it is there and not here. On the loop's thread; nothing
 * blocks. */
#ifndef CLASHD_SINKS_MQTT_MQTT_HELPER_H
#define CLASHD_SINKS_MQTT_MQTT_HELPER_H

#include "cli/failure.h"
#include "mqtt_wire.h"

#include <uv.h>

/** How long the process may take to leave the broker. */
#define MQTT_LEAVE_MS 2500

typedef struct mqtt_helper mqtt_helper;

typedef struct mqtt_helper_user {
    void *context;
    /** A frame of the process's kinds. The helper may not be released in it. */
    void (*frame)(void *context, const mqtt_frame *frame, const char *topic, const char *payload);
    /** The process is gone, and so is the helper: why, in words. */
    void (*ended)(void *context, const char *why);
} mqtt_helper_user;

/** Return NULL with the reason in out_failure. All callbacks come from the loop. The loop is not kept alive. */
mqtt_helper *mqtt_helper_start(uv_loop_t *loop, const mqtt_opening *opening, const mqtt_helper_user *user,
                               failure *out_failure);
/** Send a frame; what the socket does not take waits here. Return false if too much waits already. */
bool mqtt_helper_send(mqtt_helper *h, const mqtt_frame *frame, const char *topic, const char *payload);
/** Return whether all that was sent has gone into the socket. */
bool mqtt_helper_is_empty(const mqtt_helper *h);
/** Have the process leave the broker and end, and call nothing any more. The loop has to run until it has ended, MQTT_LEAVE_MS at most, before
 *  it is closed. */
void mqtt_helper_release(mqtt_helper *h);
/** Return whether a released process has not ended yet. */
bool mqtt_helper_is_going(void);

#endif
