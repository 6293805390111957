/* Players of an arena without headsets: each is a connection of its own with the broker, and says where its two blades are as clashd would
 * (PROTOCOL.md, Several players). Every second player's blade goes through its neighbour's, up and down, once each in a second. */
#ifndef BENCH_ARENA_ARENA_H
#define BENCH_ARENA_ARENA_H

#include <mosquitto.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARENA_PLAYERS_MAX 2000
#define ARENA_RATE_HZ 90
#define ARENA_PERIOD_NS (INT64_C(1000000000) / ARENA_RATE_HZ)
#define ARENA_TOPIC_MAX 128
#define ARENA_MESSAGE_MAX 4096
/* What of a message an echo sends back: as long as a clash. */
#define ARENA_ECHO_BYTES 800
/* An echo answers one in so many messages of a player, as many as there would be clashes; of each player another one, so that they come spread
 * over the second as clashes do. */
#define ARENA_ECHO_EVERY UINT64_C(90)
#define ARENA_ECHO_APART UINT64_C(37)

typedef struct arena_options {
    const char *host, *room, *referee;
    int port;
    unsigned players;
    double seconds;
    bool is_bare; /* the referee is an echo */
} arena_options;

/** Of CLOCK_MONOTONIC. */
int64_t arena_now_ns(void);

/* ---- link.c: one connection ---- */

typedef struct arena_link {
    struct mosquitto *mosq;
    bool is_connected, is_subscribed;
    void (*received)(void *context, const struct mosquitto_message *message);
    void *context;
} arena_link;

/** Connects, which takes turns of arena_link_run. Ends the program where that fails. */
void arena_link_open(arena_link *l, const arena_options *options);
void arena_link_publish(arena_link *l, const char *topic, const char *payload, size_t length, int qos, bool retain);
/** All that is to be read and written, of all of them, until a time at the latest; earlier if anything came. */
void arena_link_run(arena_link *const *links, size_t count, int64_t until_ns);
void arena_link_close(arena_link *l);

/* ---- player.c: what one of them says ---- */

/* Frames of which the time of sending is kept. */
#define ARENA_SENT_MAX 512

typedef struct arena_player {
    arena_link link;
    unsigned number;
    int64_t begin_ns; /* of its frame 0 */
    uint64_t frame;   /* the next one's */
    uint64_t count;   /* of those that were sent */
    char topic[ARENA_TOPIC_MAX];
    char frames[4][640];                /* of the last ones: samples as they stand in messages */
    int64_t sent_ns[ARENA_SENT_MAX];    /* 0: it was left out */
    int64_t counted_ns[ARENA_SENT_MAX]; /* the same of those that were sent */
} arena_player;

/** Whose clock the room has: session and epoch of the referee. */
typedef struct arena_clock {
    char session[64];
    int64_t epoch_ns;
} arena_clock;

/** What is retained: the player's blades. */
void arena_player_introduce(arena_player *p, const arena_options *options, const arena_clock *clock);
/** Sends its next frame. Returns the bytes of the payload. */
size_t arena_player_send(arena_player *p, const arena_clock *clock);
/** Leaves its next frame out: a headset sends none of long ago. */
void arena_player_skip(arena_player *p);
int64_t arena_player_due_ns(const arena_player *p);
/** When the first frame was sent whose time, on CLOCK_MONOTONIC, is not before that; 0: not known. */
int64_t arena_player_sent_ns(const arena_player *p, int64_t time_ns);
/** Leaves nothing behind at the broker. */
void arena_player_leave(arena_player *p, const arena_options *options);

/* ---- echo.c ---- */

/** The bare referee: takes all samples, answers some of them, finds nothing. Until SIGTERM. */
int arena_echo(const arena_options *options);

#endif
