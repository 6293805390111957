/* Topics: clashd/ROOM/PLAYER/.., as PROTOCOL.md and protocol/mqtt.asyncapi.json have them. Pure. */
#ifndef CLASHD_SINKS_MQTT_MQTT_TOPIC_H
#define CLASHD_SINKS_MQTT_MQTT_TOPIC_H

#include <clash/event.h>

#include <stdbool.h>
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
    MQTT_PEER,
    MQTT_SAMPLES,
    MQTT_CLOCK_ASK, /* below it, as of those that follow, the player to whom it goes */
    MQTT_CLOCK_ANSWER,
    MQTT_CONTACT,
    MQTT_KINDS
} mqtt_kind;

typedef struct mqtt_way {
    const char *topic; /* below the player's */
    int qos;           /* 0: lost with the connection; 1: until the broker has it */
    bool retain;
} mqtt_way;

extern const mqtt_way mqtt_ways[MQTT_KINDS];

mqtt_kind mqtt_kind_of(clash_event_kind kind);
/** "clashd/ROOM/PLAYER/..": in the names all that a level of a topic cannot have, or that brokers treat specially, and what is no
 *  printable ASCII, becomes %XX. Return false if it does not fit. */
bool mqtt_topic(const char *room, const char *player, mqtt_kind kind, char out[MQTT_TOPIC_MAX]);
/** The same of a message that goes to one player, `to`. */
bool mqtt_topic_to(const char *room, const char *player, mqtt_kind kind, const char *to, char out[MQTT_TOPIC_MAX]);

/** A player's name, of 63 characters, with its terminating zero. */
#define MQTT_PLAYER_MAX 256
/** A name in a list of the settings, likewise; and the most names in one. */
#define MQTT_NAME_SIZE 128
#define MQTT_NAMES_MAX 16
/** The most filters of topics. */
#define MQTT_FILTERS_MAX (5 + MQTT_NAMES_MAX)

/** What a player of a room takes of the others. */
typedef struct mqtt_filters {
    size_t count;
    char room[MQTT_TOPIC_MAX];                     /* "clashd/ROOM/" */
    char own[MQTT_TOPIC_MAX];                      /* its name as a level */
    mqtt_kind kinds[MQTT_FILTERS_MAX];             /* of which each filter is */
    char topics[MQTT_FILTERS_MAX][MQTT_TOPIC_MAX]; /* with wildcards */
} mqtt_filters;

/** Samples are those of the players that are named, of all if none is. Return false if it does not fit. */
bool mqtt_filters_make(const char *room, const char *player, const char (*players)[MQTT_NAME_SIZE], size_t player_count,
                       mqtt_filters *out);
/** Whose message that is, and of which kind. Return false of anything that the filters do not ask for, or whose player has a name that
 *  mqtt_topic does not write so. */
bool mqtt_filters_match(const mqtt_filters *f, const char *topic, char out_player[MQTT_PLAYER_MAX],
                        mqtt_kind *out_kind);

#endif
