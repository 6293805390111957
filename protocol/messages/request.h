/* What clients ask, and why a request is refused. See codec.h for what they are told. */
#ifndef CLASHD_PROTOCOL_MESSAGES_REQUEST_H
#define CLASHD_PROTOCOL_MESSAGES_REQUEST_H

#include "wire.h"

#include <clash/blade.h>
#include <clash/target.h>

/** Also the `code` of an error message, printed as below. */
typedef enum protocol_error_code {
    PROTOCOL_ERROR_NONE,
    PROTOCOL_ERROR_LINE_TOO_LONG, /* "line_too_long" */
    PROTOCOL_ERROR_BAD_JSON,      /* "bad_json" */
    PROTOCOL_ERROR_BAD_MESSAGE,   /* "bad_message": not an object, no `type`, wrong type of a field, out of range */
    PROTOCOL_ERROR_UNKNOWN_TYPE,  /* "unknown_type": only if the request has an id; else it is ignored */
    PROTOCOL_ERROR_UNKNOWN_NAME,  /* "unknown_name": no such event or blade */
    PROTOCOL_ERROR_LIMIT,         /* "limit" */
    PROTOCOL_ERROR_UNAUTHORIZED, /* "unauthorized": no token, or not the right one, and the connection ends; or not for who has
                                     shown none */
    PROTOCOL_ERROR_UNKNOWN_SEQ,   /* "unknown_seq": since_seq is after the session's last event */
    PROTOCOL_ERROR_NAME_TAKEN,    /* "name_taken": another client's, or one of the configuration or the source */
    PROTOCOL_ERROR_BAD_TIME,      /* "bad_time": late, repeated, or in the future */
    PROTOCOL_ERROR_CANNOT_RECORD, /* "cannot_record": there is no place for recordings, or none is being written */
    PROTOCOL_ERROR_CANNOT_REPLAY, /* "cannot_replay": no recording is played, or it cannot do that now */
    PROTOCOL_ERROR_CANNOT_RELOAD  /* "cannot_reload": the settings are refused, and all stays as it was */
} protocol_error_code;

typedef struct protocol_error {
    protocol_error_code code;
    char message[512]; /* names the field, what it was, what was expected */
} protocol_error;

/** Note why a request is refused. Always -1, for a function to return. */
__attribute__((format(printf, 3, 4))) int protocol_refuse(protocol_error *out_error, protocol_error_code code,
                                                          const char *format, ...);

size_t protocol_encode_error(char *out, size_t size, const char *id, const protocol_error *error);

/** What a subscriber may ask for, as bits. "contacts" is no name: clients list what they want. */
enum protocol_events {
    PROTOCOL_EVENT_CLASH = 1u << 0,
    PROTOCOL_EVENT_HOLD = 1u << 1,
    PROTOCOL_EVENT_RELEASE = 1u << 2,
    PROTOCOL_EVENT_TRACKING = 1u << 3,
    PROTOCOL_EVENT_SPACE_CHANGED = 1u << 4,
    PROTOCOL_EVENT_POSES = 1u << 5,
    PROTOCOL_EVENT_RECORDER = 1u << 6,
    PROTOCOL_EVENT_REPLAY = 1u << 7
};
#define PROTOCOL_EVENTS_DEFAULT                                                                      \
    (PROTOCOL_EVENT_CLASH | PROTOCOL_EVENT_HOLD | PROTOCOL_EVENT_RELEASE | PROTOCOL_EVENT_TRACKING | \
     PROTOCOL_EVENT_SPACE_CHANGED)

typedef enum protocol_request_type {
    PROTOCOL_REQUEST_IGNORED, /* an unknown type without an id */
    PROTOCOL_REQUEST_SUBSCRIBE,
    PROTOCOL_REQUEST_PING,
    PROTOCOL_REQUEST_STATUS,
    PROTOCOL_REQUEST_AUTH,
    PROTOCOL_REQUEST_BLADE,
    PROTOCOL_REQUEST_REMOVE,
    PROTOCOL_REQUEST_POSES,
    PROTOCOL_REQUEST_RECORD,
    PROTOCOL_REQUEST_REPLAY,
    PROTOCOL_REQUEST_TARGET,
    PROTOCOL_REQUEST_FEED,
    PROTOCOL_REQUEST_CONFIG,
    PROTOCOL_REQUEST_RELOAD,
    PROTOCOL_REQUEST_HELLO,
    PROTOCOL_REQUEST_OUTLINES
} protocol_request_type;

/** Unknown fields of a subscribe that its `ok` names, and a name's length with the terminating zero: of a longer one the
 *  beginning. */
#define PROTOCOL_IGNORED_MAX 16
#define PROTOCOL_IGNORED_NAME_MAX 64

typedef struct protocol_subscribe {
    uint32_t events;    /* protocol_events; PROTOCOL_EVENTS_DEFAULT if `events` is left out */
    size_t blade_count; /* 0: all */
    char blades[PROTOCOL_NAMES_MAX][PROTOCOL_NAME_MAX];
    float min_closing_speed; /* m/s */
    float pose_rate_hz;      /* 0: as they come */
    protocol_axes axes;
    bool has_since_seq;
    uint64_t since_seq; /* the last event it has */
    bool resolved_poses;
    float min_peak_speed; /* m/s; 0: none */
    int64_t min_apart_ns; /* 0: none */
    uint64_t since_late;  /* id of a late clash that it has as well, with that number; 0: none */
    size_t ignored_count; /* fields that are not known */
    char ignored[PROTOCOL_IGNORED_MAX][PROTOCOL_IGNORED_NAME_MAX];
} protocol_subscribe;

/** The `ok` of a subscribe: `seq` is that of the session's last event so far; of `wanted` what was ignored counts. */
size_t protocol_encode_subscribed(char *out, size_t size, const char *id, int64_t time_ns, uint64_t seq,
                                  const protocol_subscribe *wanted);

#define PROTOCOL_POSES_MAX 64

/** One pose that came in, pushed or recorded. */
typedef struct protocol_own_pose {
    char device[PROTOCOL_NAME_MAX];
    clash_pose pose;
    bool tracked, valid, teleport;
    bool holds;               /* the device stays there until its next pose */
    bool joined;              /* of a recorded one: swept to, however far the one before is */
    clash_feed_source source; /* of a recorded one, unless NONE: the first pose of another feed */
} protocol_own_pose;

/** Poses of one time, in OpenXR's axes. */
typedef struct protocol_own_poses {
    bool has_time;
    int64_t time_ns; /* since the epoch */
    size_t count;
    protocol_own_pose poses[PROTOCOL_POSES_MAX];
} protocol_own_poses;

#define PROTOCOL_FEED_DEVICES_MAX 64
#define PROTOCOL_SPACE_MAX 64

/** Devices that a client feeds. */
typedef struct protocol_feed {
    clash_feed_source source; /* GAME or LAYER */
    int64_t max_gap_ns;       /* 0: not given */
    char space[PROTOCOL_SPACE_MAX];
    bool has_stage;
    clash_pose stage; /* space from OpenXR's STAGE */
    bool has_haptics; /* `haptic` is to come for them */
    bool is_overlay;  /* of LAYER: below others */
    size_t count;
    char devices[PROTOCOL_FEED_DEVICES_MAX][PROTOCOL_NAME_MAX];
} protocol_feed;

typedef enum protocol_record_action {
    PROTOCOL_RECORD_START,
    PROTOCOL_RECORD_STOP,
    PROTOCOL_RECORD_ROTATE,
    PROTOCOL_RECORD_MARK
} protocol_record_action;

/** 1000 characters, with the terminating zero. */
#define PROTOCOL_TEXT_MAX 4001

typedef struct protocol_record {
    protocol_record_action action;
    char text[PROTOCOL_TEXT_MAX]; /* of a mark */
} protocol_record;

typedef enum protocol_replay_action {
    PROTOCOL_REPLAY_PAUSE,
    PROTOCOL_REPLAY_RESUME,
    PROTOCOL_REPLAY_STEP,
    PROTOCOL_REPLAY_SEEK,
    PROTOCOL_REPLAY_SPEED
} protocol_replay_action;

typedef struct protocol_replay {
    protocol_replay_action action;
    uint64_t frames; /* of a step */
    int64_t time_ns; /* of a seek, as times stand in the recording */
    double speed;    /* of a speed; 0: as fast as possible */
} protocol_replay;

typedef struct protocol_ask_outlines {
    char target[4 * 63 + 1]; /* "": all, from this one on: */
    size_t from_target, from_line;
} protocol_ask_outlines;

typedef struct protocol_request {
    protocol_request_type type;
    char id[PROTOCOL_ID_MAX]; /* "" if the request had none */
    bool is_unread;           /* out of memory: nobody knows what it asked, or its id */
    union {                   /* by type */
        protocol_subscribe subscribe;
        clash_blade_definition blade;   /* in OpenXR's axes; of remove: its name only, which may be a target's */
        clash_target_definition target; /* in OpenXR's axes, and of no file */
        protocol_own_poses poses;
        protocol_feed feed;
        protocol_record record;
        protocol_replay replay;
        protocol_ask_outlines outlines;
        char token[PROTOCOL_TOKEN_MAX]; /* of auth; "" if it is no token at all */
    };
} protocol_request;

/** Parse one line (no newline; any bytes). Return 0, or -1 with `out_error` filled; out_request->id is filled either way. */
int protocol_parse_request(const char *line, size_t length, protocol_request *out_request, protocol_error *out_error);

#endif
