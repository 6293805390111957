/* What clashd and the process with libmosquitto (helper/clashd_mqtt.c) send each other over a socket: a frame, then a topic and a payload,
 * each with a zero behind it. Both come from one build, so a frame is a struct as it is in memory; but the process reads bytes of
 * strangers, so clashd checks all that comes from it. */
#ifndef CLASHD_SINKS_MQTT_MQTT_WIRE_H
#define CLASHD_SINKS_MQTT_MQTT_WIRE_H

#include "mqtt_topic.h"

#include <stdint.h>
#include <sys/types.h>

#define MQTT_HELPER_NAME "clashd-mqtt"
/** Names another helper program, for tests and unusual installations. */
#define MQTT_HELPER_VARIABLE "CLASHD_MQTT_HELPER"

#define MQTT_PATH_MAX 4096
/** Larger messages are not taken. */
#define MQTT_TAKEN_MAX 65536

/** How to get to the broker. */
typedef struct mqtt_target {
    char client
        [24]; /* the same for all connections: a new one ends the one before, and its will comes before the new one says that it is here */
    char host[256];
    int port;
    char user[256], password_file[MQTT_PATH_MAX];
    bool tls;
    char ca_file[MQTT_PATH_MAX], certificate_file[MQTT_PATH_MAX], key_file[MQTT_PATH_MAX];
    char will_topic[MQTT_TOPIC_MAX];
} mqtt_target;

/** The payload of MQTT_FRAME_OPEN. */
typedef struct mqtt_opening {
    char version[32]; /* clashd's */
    mqtt_target target;
    bool has_filters;
    mqtt_filters filters; /* to subscribe to */
} mqtt_opening;

typedef enum mqtt_frame_kind {
    /* clashd's: */
    MQTT_FRAME_OPEN = 1,
    MQTT_FRAME_PUBLISH, /* number: its id */
    MQTT_FRAME_ALIVE,   /* every second: the process ends if clashd is silent, so that the broker publishes its will */
    MQTT_FRAME_CLOSE,   /* leave the broker, then end */
    /* the process's: */
    MQTT_FRAME_LOG,       /* number: the level; payload: the text */
    MQTT_FRAME_CONNECTED, /* the broker knows the filters, too */
    MQTT_FRAME_LOST,
    MQTT_FRAME_ACKNOWLEDGED, /* number: the id of a message of QoS 1 that the broker has, or never gets */
    MQTT_FRAME_TAKEN,        /* number: how many messages more have gone to libmosquitto, or nowhere */
    MQTT_FRAME_RECEIVED,     /* flag: the broker had kept it */
    MQTT_FRAME_COUNTS,       /* nothing but the counts */
    MQTT_FRAME_KINDS
} mqtt_frame_kind;

/** So far, by the process: sent in each of its frames. */
typedef struct mqtt_link_counts {
    uint64_t tries, connections;
    uint64_t denied; /* messages of QoS 1 that the broker did not let through */
    uint64_t never;  /* messages that this broker takes in no packet */
} mqtt_link_counts;

typedef struct mqtt_frame {
    uint32_t kind;
    int32_t number;
    uint32_t topic_length, payload_length; /* without the zeros */
    uint8_t qos, retain, flag, unused[5];
    mqtt_link_counts counts;
} mqtt_frame;

#define MQTT_FRAME_TOPIC_MAX 65535u
#define MQTT_FRAME_PAYLOAD_MAX 131072u

/** Bytes that have come, up to one whole frame. */
typedef struct mqtt_reader {
    char *bytes;
    size_t filled;
} mqtt_reader;

/** Return 0, or -1 when out of memory. */
int mqtt_reader_open(mqtt_reader *r);
void mqtt_reader_close(mqtt_reader *r);
/** Read what is there, without waiting. Return 1, 0 if nothing is there now, or -1 at the end. */
int mqtt_reader_fill(mqtt_reader *r, int fd);
/** Return 1 with the next frame, 0 if it is not whole yet, or -1 if it is not valid. Topic and payload end in zeros, and are valid until
 *  mqtt_reader_drop. */
int mqtt_reader_next(const mqtt_reader *r, mqtt_frame *out_frame, const char **out_topic, const char **out_payload);
/** Drop that frame. */
void mqtt_reader_drop(mqtt_reader *r);

/** Return how many bytes the frame takes with its topic and payload. */
size_t mqtt_frame_size(const mqtt_frame *frame);
/** Send it without waiting if `waits` is false, else wholly. Return how many bytes have gone, or -1: the other end is gone. */
ssize_t mqtt_frame_send(int fd, const mqtt_frame *frame, const char *topic, const char *payload, bool waits);
/** Write it to `out`, which has mqtt_frame_size bytes. */
void mqtt_frame_write(const mqtt_frame *frame, const char *topic, const char *payload, char *out);

#endif
