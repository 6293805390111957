/* The connection to a broker, on clashd's loop, through a process of its own (mqtt_helper.h), which connects, and again when the connection
 * is lost. The link starts the process, and again, later each time, if that ends by itself. On the loop's thread; nothing blocks. */
#ifndef CLASHD_SINKS_MQTT_MQTT_LINK_H
#define CLASHD_SINKS_MQTT_MQTT_LINK_H

#include "mqtt_wire.h"
#include "ports/log.h"

#include <uv.h>

typedef struct mqtt_link_settings {
    uv_loop_t *loop;
    mqtt_target target; /* without `client` */
    logger log;
    const mqtt_filters *filters; /* what is subscribed to; NULL: nothing. Outlives the link */
    void *context;
    /** The broker takes messages from now on, or more of them. */
    void (*ready)(void *context, bool is_new);
    /** The broker has that message of QoS 1. Nothing of the link may be called in it. */
    void (*acknowledged)(void *context, int mid);
    void (*lost)(void *context);
    /** With filters: a message, of any topic; whether the broker had kept it, from before clashd asked for such. mqtt_link_publish may be called
     *  in it, and nothing else. */
    void (*received)(void *context, const char *topic, bool is_kept, const char *payload, size_t length);
} mqtt_link_settings;

typedef struct mqtt_link mqtt_link;

/** Return NULL when out of memory. */
mqtt_link *mqtt_link_open(const mqtt_link_settings *settings);
/** Return whether there is a broker, and few messages are still on their way to it. */
bool mqtt_link_is_ready(const mqtt_link *l);
bool mqtt_link_is_connected(const mqtt_link *l);
mqtt_link_counts mqtt_link_count(const mqtt_link *l);
/** Return whether it is on its way; of QoS 1 by which id. If not, it may be sent later. */
bool mqtt_link_publish(mqtt_link *l, const char *topic, const mqtt_way *way, const char *payload, size_t length,
                       int *out_mid);
/** Take leave of the broker, and call nothing any more. The loop has to run until that is over, MQTT_LEAVE_MS (mqtt_helper.h) at most, before
 *  it is closed; no other link connects before. */
void mqtt_link_close(mqtt_link *l);

#endif
