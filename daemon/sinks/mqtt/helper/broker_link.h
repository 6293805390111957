/* The connection to a broker, on the process's loop: connects, and again when it is lost, later each time. On the loop's thread. */
#ifndef CLASHD_SINKS_MQTT_HELPER_BROKER_LINK_H
#define CLASHD_SINKS_MQTT_HELPER_BROKER_LINK_H

#include "broker_try.h"
#include "ports/log.h"

#include <uv.h>

/** Pauses between tries: the first and the longest; each is twice the one before, give or take a quarter. */
#define MQTT_RETRY_MS 1000
#define MQTT_RETRY_MAX_MS 30000
/** How long the broker may take to answer. */
#define MQTT_ANSWER_MS 10000

typedef struct broker_link_settings {
    uv_loop_t *loop;
    mqtt_target target;
    logger log;
    const mqtt_filters *filters; /* what is subscribed to; NULL: nothing. Outlives the link */
    void *context;
    /** The broker takes messages from now on, or more of them. */
    void (*ready)(void *context, bool is_new);
    /** The broker has that message of QoS 1. Nothing of the link may be called in it. */
    void (*acknowledged)(void *context, int mid);
    void (*lost)(void *context);
    /** With filters: a message, of any topic; whether the broker had kept it, from before clashd asked for such. broker_link_publish may be called
     *  in it, and nothing else. */
    void (*received)(void *context, const char *topic, bool is_kept, const char *payload, size_t length);
} broker_link_settings;

typedef struct broker_link broker_link;

/** Return NULL when out of memory. */
broker_link *broker_link_open(const broker_link_settings *settings);
/** Return whether there is a broker, and the kernel took all that it was sent. */
bool broker_link_is_ready(const broker_link *l);
bool broker_link_is_connected(const broker_link *l);
mqtt_link_counts broker_link_count(const broker_link *l);
/** Return whether it has gone as far as the kernel or libmosquitto; of QoS 1 by which id. Not: the link is lost, or the message is none that this
 *  broker takes, which *out_never says. */
bool broker_link_publish(broker_link *l, const char *topic, const mqtt_way *way, const char *payload, size_t length,
                         int *out_mid, bool *out_never);
/** Take leave of the broker, and call nobody any more. The loop has to run until that is over, BROKER_LEAVE_MS at most, before it is closed;
 *  no other link connects before. */
void broker_link_close(broker_link *l);

#endif
