/* Events that wait for the broker, in the order in which they came, and those that it has been sent and has not acknowledged. Bounded by
 * their bytes: the oldest go, and what went is remembered until a `lagged` has told of it. Pure. */
#ifndef CLASHD_SINKS_MQTT_MQTT_QUEUE_H
#define CLASHD_SINKS_MQTT_MQTT_QUEUE_H

#include "mqtt_topic.h"

/** Sent and not acknowledged, at most. */
#define MQTT_FLIGHT_MAX 16

typedef struct mqtt_message {
    struct mqtt_message *next;
    uint64_t seq;
    mqtt_kind kind;
    int mid; /* of one in flight */
    size_t length;
    char payload[]; /* a line without its newline */
} mqtt_message;

/** Begins as zero, with bytes_max. */
typedef struct mqtt_queue {
    size_t bytes_max, bytes;    /* of both lists */
    mqtt_message *first, *last; /* that wait */
    mqtt_message *flying;       /* in the order in which they went */
    size_t flying_count;
    uint64_t missed, missed_from, missed_to; /* that no `lagged` has told of */
    uint64_t dropped;                        /* ever */
} mqtt_queue;

/** Copy the line. */
void mqtt_queue_push(mqtt_queue *q, mqtt_kind kind, uint64_t seq, const char *payload, size_t length);
/** One that never gets in. */
void mqtt_queue_miss(mqtt_queue *q, uint64_t seq);
/** The first that waits has gone: one of QoS 1 is in flight from now on, by that id; another is done with. */
void mqtt_queue_sent(mqtt_queue *q, int mid);
/** Return whether there was one of that id in flight, which is done with. */
bool mqtt_queue_acknowledge(mqtt_queue *q, int mid);
/** After the end of a connection: let what was in flight wait again, before the others.. */
void mqtt_queue_land(mqtt_queue *q);
/** .. or all of it is missed. */
void mqtt_queue_give_up(mqtt_queue *q);
/** Free all. */
void mqtt_queue_finish(mqtt_queue *q);

#endif
