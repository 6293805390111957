/* Sink: what happens here, for whoever listens at an MQTT broker. PROTOCOL.md says which topics there are. A broker that is away, slow or
 * refuses costs nobody anything but its own messages.
 *
 * What it needs of libmosquitto is in a module that is loaded when the settings name a broker: without one, clashd neither starts slower
 * nor is it larger for it. */
#ifndef CLASHD_SINKS_MQTT_MQTT_H
#define CLASHD_SINKS_MQTT_MQTT_H

#include "cli/failure.h"
#include "ports/event_sink.h"
#include "ports/log.h"
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

typedef struct mqtt_sink mqtt_sink;

/** What the module calls clashd_mqtt. */
typedef struct mqtt_module {
    const char *version; /* clashd's own: another one's structures are not these */
    int (*open)(const mqtt_settings *settings, mqtt_sink **out_sink, failure *out_failure);
    event_sink (*port)(mqtt_sink *s);
    void (*list_counters)(const mqtt_sink *s, counter_list *out);
    void (*close)(mqtt_sink *s);
} mqtt_module;

/** Whether this clashd can do it: it was built with libmosquitto. */
bool mqtt_is_built(void);
/** The files that the settings name are there and may be read. Blocking. 0, or -1 with the key of the wrong one. */
int mqtt_check_broker(const mqtt_broker *broker, failure *out_failure);
/** 0, or -1 with a message in out_failure. Connects beside all else. */
int mqtt_sink_open(const mqtt_settings *settings, mqtt_sink **out_sink, failure *out_failure);
event_sink mqtt_sink_port(mqtt_sink *s);
void mqtt_sink_list_counters(const mqtt_sink *s, counter_list *out);
/** Says that this player is gone, as far as that goes at once, and frees it; the loop has to run once more before it is closed. NULL:
 *  nothing. */
void mqtt_sink_close(mqtt_sink *s);

#endif
