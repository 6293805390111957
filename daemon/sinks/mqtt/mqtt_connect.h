/* One try to connect, on a thread of its own: libmosquitto looks the broker's name up and reads files of keys where it is called. The
 * handle belongs to that thread until the try is over, and to the loop's afterwards: never to both. */
#ifndef CLASHD_SINKS_MQTT_MQTT_CONNECT_H
#define CLASHD_SINKS_MQTT_MQTT_CONNECT_H

#include "mqtt.h"
#include "mqtt_topic.h"

#include <mosquitto.h>

#define MQTT_PATH_MAX 4096
#define MQTT_SAID_MAX 256

/** Plain data: copied into each try. */
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

typedef struct mqtt_try {
    void *context; /* for whoever waits */
    mqtt_target target;
    struct mosquitto *mosq; /* connected, or on its way: its socket is there. NULL: not, because of this: */
    failure why;
    char said[MQTT_SAID_MAX]; /* by libmosquitto, of what is wrong */
} mqtt_try;

/** worker_job's work: fills mosq or why. */
void mqtt_try_connect(void *context);
/** Free it with its handle. */
void mqtt_try_free(void *context);

#endif
