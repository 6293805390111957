/* One try to connect, on a thread of its own: libmosquitto looks the broker's name up and reads files of keys where it is called. The
 * handle belongs to that thread until the try is over, and to the loop's afterwards: never to both. */
#ifndef CLASHD_SINKS_MQTT_HELPER_BROKER_TRY_H
#define CLASHD_SINKS_MQTT_HELPER_BROKER_TRY_H

#include "cli/failure.h"
#include "sinks/mqtt/mqtt_wire.h"

#include <mosquitto.h>

#define MQTT_SAID_MAX 256

typedef struct broker_try {
    void *context; /* for whoever waits */
    mqtt_target target;
    struct mosquitto *mosq; /* connected, or on its way: its socket is there. NULL: not, because of this: */
    failure why;
    char said[MQTT_SAID_MAX]; /* by libmosquitto, of what is wrong */
} broker_try;

/** worker_job's work: fills mosq or why. */
void broker_try_connect(void *context);
/** Free it with its handle. */
void broker_try_free(void *context);

#endif
