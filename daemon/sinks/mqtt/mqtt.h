/* Sink: what happens here, for whoever listens at an MQTT broker. PROTOCOL.md says which topics there are. A broker that is away, slow or
 * refuses costs nobody anything but its own messages.
 *
 * What it needs of libmosquitto is in a module (ports/sink_module.h) that is loaded when the settings name a broker. */
#ifndef CLASHD_SINKS_MQTT_MQTT_H
#define CLASHD_SINKS_MQTT_MQTT_H

#include "cli/failure.h"
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
    void *context;
    /** What hello and status say, valid until the next call. */
    void (*session)(void *context, protocol_session *out_session);
    void (*status)(void *context, protocol_status *out_status);
} mqtt_settings;

/** Its sink is opened with mqtt_settings, and connects when the loop runs next; so another one that is closed until then has said its
 *  last before. Closed, it says that this player is gone, as far as that goes at once. */
extern const sink_place mqtt_place;
/** The files that the settings name are there and may be read. Blocking. 0, or -1 with the key of the wrong one. */
int mqtt_check_broker(const mqtt_broker *broker, failure *out_failure);

#endif
