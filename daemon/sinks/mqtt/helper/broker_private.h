/* What the parts of a link share: broker_link.c (its life and its tries) and broker_turn.c (a connection's turns of the loop). Nobody else
 * includes it. */
#ifndef CLASHD_SINKS_MQTT_HELPER_BROKER_PRIVATE_H
#define CLASHD_SINKS_MQTT_HELPER_BROKER_PRIVATE_H

#include "broker_link.h"

#include "mesh/worker.h"

struct broker_link {
    broker_link_settings settings;
    uv_timer_t timer;               /* of the next try, or of the next tick */
    worker *trying;                 /* NULL: nobody connects now */
    broker_try *try;                /* .. with this */
    struct mosquitto *mosq;         /* NULL: no connection */
    mosquitto_property *properties; /* of what is published */
    uv_poll_t *poll;                /* of a copy of its socket */
    int fd;                         /* that */
    bool is_connected;              /* the broker has said yes */
    bool is_new;                    /* .. just now */
    bool is_over;                   /* the handle is no use any more */
    bool was_waiting;               /* the kernel did not take all */
    uint64_t since_ms, retry_ms;
    uint64_t tries, connections;
    uint64_t received;
    uint64_t denied, never; /* messages */
    bool has_said_denied;
    char said[MQTT_SAID_MAX];   /* in the log, last */
    char reason[MQTT_SAID_MAX]; /* of its end, as far as it is known */
};

/** The handle is connected, or on its way: it is watched from now on. Return -1 if no descriptor is left. */
int broker_turn_begin(broker_link *l);
/** Stop watching it. The descriptor is closed when the loop has run once more. */
void broker_turn_end(broker_link *l);
/** Something may have to be written. */
void broker_turn_watch(broker_link *l);
/** Act upon what a call of libmosquitto has returned. */
void broker_turn_after(broker_link *l, int result);
/** The connection is lost. */
void broker_link_drop(broker_link *l, const char *why);

#endif
