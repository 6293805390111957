/* What players of a room tell each other (schema/room), as lines and back: see PROTOCOL.md, Several players. Pure; any thread. */
#ifndef CLASHD_PROTOCOL_MESSAGES_ROOM_MESSAGE_H
#define CLASHD_PROTOCOL_MESSAGES_ROOM_MESSAGE_H

#include "cli/failure.h"
#include "codec.h"

/** A session's id, with the terminating zero. */
#define ROOM_SESSION_MAX 33
#define ROOM_MESSAGE_DEVICES_MAX 16
#define ROOM_MESSAGE_BLADES_MAX 16
#define ROOM_MESSAGE_KNOTS_MAX 16
#define ROOM_MESSAGE_SAMPLES_MAX 256

typedef enum room_message_kind {
    ROOM_MESSAGE_PEER,
    ROOM_MESSAGE_SAMPLES,
    ROOM_MESSAGE_CLOCK_ASK,
    ROOM_MESSAGE_CLOCK_ANSWER,
    ROOM_MESSAGE_CONTACT,
    ROOM_MESSAGE_KINDS
} room_message_kind;

typedef struct room_message_peer {
    char session[ROOM_SESSION_MAX];
    uint64_t version, from_sample;
    bool is_referee;
    bool agrees;                  /* it tells what contacts it finds */
    char clock[ROOM_SESSION_MAX]; /* "": has not got the room's time */
    clash_pose room_from_stage;
    bool has_contact; /* as taken in: whether it said so */
    protocol_contact_settings contact;
    size_t blade_count;
    clash_blade_definition blades[ROOM_MESSAGE_BLADES_MAX];
} room_message_peer;

typedef struct room_message_sample {
    uint32_t device; /* place in the message's list */
    bool is_valid, is_tracked, is_teleport;
    int64_t time_ns; /* in the player's session */
    clash_pose pose; /* if valid: as it was sent, whatever its numbers, saturated to floats */
} room_message_sample;

typedef struct room_message_samples {
    char session[ROOM_SESSION_MAX];
    uint64_t version;
    char clock[ROOM_SESSION_MAX];
    int64_t error_ns;
    size_t knot_count;
    int64_t knots[ROOM_MESSAGE_KNOTS_MAX][2]; /* time in the session, time in the room */
    size_t device_count;
    char devices[ROOM_MESSAGE_DEVICES_MAX][PROTOCOL_NAME_MAX];
    uint64_t first; /* number of samples[0] */
    size_t count;
    room_message_sample samples[ROOM_MESSAGE_SAMPLES_MAX];
} room_message_samples;

/** A question, and with the rest an answer. */
typedef struct room_message_clock {
    char session[ROOM_SESSION_MAX];
    uint64_t number;
    int64_t sent_ns;
    char asked_by[ROOM_SESSION_MAX], clock[ROOM_SESSION_MAX];
    int64_t received_ns, answered_ns;
} room_message_clock;

typedef struct room_message_contact {
    char session[ROOM_SESSION_MAX], clock[ROOM_SESSION_MAX];
    char blades[2][CLASH_BLADE_NAME_MAX]; /* the sender's own, and that of whom it goes to */
    int64_t room_id, room_time_ns;
} room_message_contact;

typedef struct room_message {
    room_message_kind kind;
    union {
        room_message_peer peer;
        room_message_samples samples;
        room_message_clock clock;
        room_message_contact contact;
    };
} room_message;

/** Encode a whole line. Return its length, 0 if it does not fit into `size`. */
size_t room_encode_peer(char *out, size_t size, const room_message_peer *peer);
size_t room_encode_samples(char *out, size_t size, const room_message_samples *samples);
size_t room_encode_clock_ask(char *out, size_t size, const room_message_clock *ask);
size_t room_encode_clock_answer(char *out, size_t size, const room_message_clock *answer);
size_t room_encode_contact(char *out, size_t size, const room_message_contact *contact);

/** Parse a message of that kind (any bytes). Return 0, or -1 with what is wrong: then *out is anything. */
int room_parse(room_message_kind kind, const char *text, size_t length, room_message *out, failure *out_failure);

#endif
