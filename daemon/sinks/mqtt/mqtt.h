/* Sink: what happens here, for whoever listens at an MQTT broker. PROTOCOL.md says which topics there are. A broker that is away, slow or
 * refuses costs nobody anything but its own messages.
 *
 * libmosquitto is in a process of its own, which is started when the settings name a broker (mqtt_link.h). */
#ifndef CLASHD_SINKS_MQTT_MQTT_H
#define CLASHD_SINKS_MQTT_MQTT_H

#include "cli/failure.h"
#include "mqtt_wire.h"
#include "ports/log.h"
#include "ports/sink_module.h"
#include "protocol/messages/codec.h"

#include <uv.h>

/** How to get to the broker. Strings are copied; "": none. Files have been expanded. */
typedef struct mqtt_broker {
    const char *address; /* as mqtt_address.h has it */
    const char *user, *password_file;
    bool tls;
    const char *ca_file; /* "": those of the system */
    const char *certificate_file, *key_file;
} mqtt_broker;

/** What is taken of the other players of the room, on the loop's thread. */
typedef struct mqtt_take {
    const char (*players)[MQTT_NAME_SIZE]; /* whose samples are taken; copied */
    size_t player_count;                   /* MQTT_NAMES_MAX at most; 0: all others' */
    void *context;
    /** A message of MQTT_ONLINE, _PEER, _SAMPLES, or of _CLOCK_ASK, _CLOCK_ANSWER and _CONTACT to this player: any bytes, with a zero behind them,
     *  MQTT_TAKEN_MAX at most; valid during the call. mqtt_module.send may be called in it. NULL: nothing is taken. */
    void (*received)(void *context, const char *player, mqtt_kind kind, const char *payload, size_t length);
    /** Called when the broker is there and knows the filters, so that retained messages come next, and when it is gone.
     *  May be NULL. */
    void (*connected)(void *context, bool is);
} mqtt_take;

/** Strings are copied. */
typedef struct mqtt_settings {
    uv_loop_t *loop;
    mqtt_broker broker;
    const char *room, *player;
    bool poses;   /* whether they are published */
    bool offline; /* whether events wait while there is no broker */
    size_t queue_bytes;
    uint32_t status_ms;
    int64_t epoch_ns;
    device_names names;
    logger log;
    mqtt_take take;
    void *context;
    /** What hello and status say, valid until the next call. */
    void (*session)(void *context, protocol_session *out_session);
    void (*status)(void *context, protocol_status *out_status);
} mqtt_settings;

/** The sink's table. */
typedef struct mqtt_module {
    sink_module base;
    /** Send a message of this player's; `to` is the player to whom it goes, for kinds that go to one, else NULL. Return
     *  false if it cannot go now, as there is no broker or earlier messages wait; it is not kept. */
    bool (*send)(void *sink, mqtt_kind kind, const char *to, const char *payload, size_t length);
} mqtt_module;

extern const mqtt_module mqtt_module_own;
/** Its sink is opened with mqtt_settings, and connects when the loop runs next; so another one that is closed until then has said its
 *  last before. Closed, it says that this player is gone, as far as that goes at once. */
extern const sink_place mqtt_place;
/** The files that the settings name are there and may be read. Blocking. Return 0, or -1 with the key of the wrong one. */
int mqtt_check_broker(const mqtt_broker *broker, failure *out_failure);

#endif
