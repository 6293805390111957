/* Topics: clashd/ROOM/PLAYER/.., as PROTOCOL.md and protocol/mqtt.asyncapi.json have them. Pure. */
#ifndef CLASHD_SINKS_MQTT_MQTT_TOPIC_H
#define CLASHD_SINKS_MQTT_MQTT_TOPIC_H

#include <clash/event.h>

#include <stddef.h>

/** With its terminating zero: of a room and a player of 63 characters each. */
#define MQTT_TOPIC_MAX 1600

typedef enum mqtt_kind {
    MQTT_ONLINE,
    MQTT_HELLO,
    MQTT_STATUS,
    MQTT_POSES,
    MQTT_CLASH,
    MQTT_HOLD,
    MQTT_RELEASE,
    MQTT_TRACKING,
    MQTT_SPACE_CHANGED,
    MQTT_LAGGED,
    MQTT_KINDS
} mqtt_kind;

typedef struct mqtt_way {
    const char *topic; /* below the player's */
    int qos;           /* 0: gone where the connection is; 1: until the broker has it */
    bool retain;
} mqtt_way;

extern const mqtt_way mqtt_ways[MQTT_KINDS];

mqtt_kind mqtt_kind_of(clash_event_kind kind);
/** "clashd/ROOM/PLAYER/..": in the names all that a level of a topic cannot have, or that brokers treat specially, and what is no
 *  printable ASCII, becomes %XX. False if it does not fit. */
bool mqtt_topic(const char *room, const char *player, mqtt_kind kind, char out[MQTT_TOPIC_MAX]);

#endif
