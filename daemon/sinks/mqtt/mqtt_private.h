/* What the parts of the sink `mqtt` share: mqtt.c and mqtt_life.c. Nobody else includes it. */
#ifndef CLASHD_SINKS_MQTT_MQTT_PRIVATE_H
#define CLASHD_SINKS_MQTT_MQTT_PRIVATE_H

#include "mqtt.h"
#include "mqtt_link.h"
#include "mqtt_queue.h"

/** The shortest time between two hellos. */
#define MQTT_HELLO_MS 1000

typedef struct mqtt_sink {
    mqtt_settings settings; /* of the strings nothing is used after open */
    mqtt_link *link;
    mqtt_queue queue;
    uv_timer_t ticks;     /* of status and hello */
    uv_timer_t more;      /* what one turn had no time for */
    bool due[MQTT_KINDS]; /* of those that are retained */
    bool hello_changed;
    bool is_said_gone;            /* this player, by another */
    uint64_t hello_ms, status_ms; /* when they were told */
    uint64_t published, poses_dropped, never, taken, strange;
    mqtt_filters filters; /* of what is taken */
    char room[MQTT_PLAYER_MAX], player[MQTT_PLAYER_MAX];
    char topics[MQTT_KINDS][MQTT_TOPIC_MAX];
    char line[PROTOCOL_LINE_MAX];
} mqtt_sink;

/** Return whether it is on its way. */
bool mqtt_sink_publish(mqtt_sink *s, mqtt_kind kind, const char *payload, size_t length, int *out_mid);
/** The last words: what waits, and that this player is gone. */
void mqtt_sink_end(mqtt_sink *s);
/** What it hears of the connection. */
void mqtt_sink_hear(mqtt_link_settings *out);
/** Once in MQTT_HELLO_MS. */
void mqtt_sink_tick(uv_timer_t *timer);
event_sink mqtt_sink_port(void *sink);

#endif
