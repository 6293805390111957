/* Events, replies and requests to and from lines of JSON: with schema.h, framing.h and recording.h the only code that
 * knows field names. Encoders write whole lines, newline included, and never part of one. Pure; any thread. */
#ifndef CLASHD_PROTOCOL_MESSAGES_CODEC_H
#define CLASHD_PROTOCOL_MESSAGES_CODEC_H

#include <clash/blade.h>
#include <clash/event.h>
#include <clash/outline.h>
#include <clash/pose.h>
#include <clash/target.h>

#define PROTOCOL_VERSION 1
/** The longest line either side may send, newline included. */
#define PROTOCOL_LINE_MAX 65536
/** A request's id as JSON text (a string with its quotes, or an integer), with the terminating zero: 128 characters, of
 *  which each may need six bytes, like \u001f. */
#define PROTOCOL_ID_MAX 776
#define PROTOCOL_TOKEN_MAX 129
#define PROTOCOL_NAMES_MAX 32
#define PROTOCOL_NAME_MAX 128

/** Conventions for positions, directions and rotations on the wire; inside everything is OpenXR's. */
typedef enum protocol_axes {
    PROTOCOL_AXES_OPENXR, /* right-handed: x right, y up, -z forward */
    PROTOCOL_AXES_UNITY,  /* left-handed: x right, y up, z forward */
    PROTOCOL_AXES_GODOT   /* as OpenXR's */
} protocol_axes;

/** Whether they are OpenXR's mirrored in z. Every two conventions that answer alike are the same on the wire. */
bool protocol_axes_are_mirrored(protocol_axes axes);
/** From OpenXR's axes, or back to them: it is the same step. */
clash_vec3 protocol_axes_vec3(protocol_axes axes, clash_vec3 v);
clash_quat protocol_axes_quat(protocol_axes axes, clash_quat q);
clash_pose protocol_axes_pose(protocol_axes axes, clash_pose pose);
/** Every position, direction and velocity of an event; speeds, angles, shares and times are as before. */
void protocol_axes_event(protocol_axes axes, clash_event *event);

/* ---- server to client. All return the length written, 0 when it does not fit into `size`. ---- */

/** How closing speed becomes intensity. */
typedef enum protocol_intensity_curve {
    PROTOCOL_INTENSITY_LINEAR,     /* "linear" */
    PROTOCOL_INTENSITY_LOGARITHMIC /* "logarithmic" */
} protocol_intensity_curve;

typedef struct protocol_contact_settings {
    float margin, release_margin, min_closing_speed, hold_rate_hz, full_intensity_speed, max_gap_ms;
    bool require_tracked;
    protocol_intensity_curve intensity_curve;
    bool gap_by_rate; /* max_gap_ms is the most */
} protocol_contact_settings;

typedef struct protocol_controller {
    const char *device, *profile; /* OpenXR's interaction profile */
} protocol_controller;

/** What poses come from. */
typedef struct protocol_equipment {
    const char *runtime; /* name and version; NULL or "": not known */
    const protocol_controller *controllers;
    size_t controller_count;
} protocol_equipment;

typedef struct protocol_status_device {
    const char *device;
    bool tracked;
    int64_t lost_ns; /* untracked since it was first tracked; printed only if it is not 0 */
    clash_feed_source source;
    const char *space;       /* of the feed; NULL: that of the session */
    const clash_pose *stage; /* that space from OpenXR's STAGE; NULL: not known */
} protocol_status_device;

#define PROTOCOL_HELLO_DEVICES_MAX 64

/** hello, and with the contact settings the recording's header. */
typedef struct protocol_session {
    const char *version;
    const char *session; /* random id, hex */
    const char *space;   /* "stage", "local" */
    int64_t epoch_monotonic_ns, epoch_unix_ns;
    int64_t time_ns; /* now, since the epoch */
    const clash_blade *blades;
    size_t blade_count;
    bool is_replay; /* a recording is played: `replay` is a capability */
    const clash_target_definition *const *targets;
    size_t target_count;
    const size_t *blades_before;           /* of each target, how many of `blades` were defined before it; NULL: all */
    const protocol_status_device *devices; /* of hello only: those that have a source */
    size_t device_count;
    /* Of a recording's header only: */
    protocol_equipment equipment;
    bool is_later; /* it does not begin with the session, but after.. */
    uint64_t seq;  /* .. this event.. */
    uint64_t open_contacts;
} protocol_session;

/** Where a blade's picture should stop. */
typedef enum protocol_resolution {
    PROTOCOL_RESOLUTION_NONE,   /* not printed; in a pair null */
    PROTOCOL_RESOLUTION_AT,     /* printed */
    PROTOCOL_RESOLUTION_NOWHERE /* printed as null */
} protocol_resolution;

typedef struct protocol_resolved {
    protocol_resolution is;
    clash_pose pose; /* stage_from_device */
} protocol_resolved;

/** One pose of a `poses` line. */
typedef struct protocol_pose {
    const char *device;
    clash_pose pose;
    bool tracked;
    bool valid;    /* printed only when false: there is no pose (position 0, orientation identity stand in) */
    bool teleport; /* printed only when true */
    clash_feed_source source; /* printed unless NONE: the first pose of another feed */
    protocol_resolved resolved;
} protocol_pose;

/** One named number of `status`. */
typedef struct protocol_counter {
    const char *name;
    uint64_t value;
} protocol_counter;

/** What the recorder does. */
typedef struct protocol_recorder {
    int64_t time_ns;
    const char *state;  /* "off", "writing", "failing" */
    const char *file;   /* "": none so far */
    const char *detail; /* what is wrong, or "" */
    uint64_t lost_lines;
} protocol_recorder;

/** A controller that a client is to let vibrate. */
typedef struct protocol_haptic {
    const char *device;
    float amplitude;     /* 0 to 1 */
    int64_t duration_ns; /* 1 to PROTOCOL_HAPTIC_MAX_NS */
} protocol_haptic;

#define PROTOCOL_HAPTIC_MAX_NS INT64_C(1000000000)

/** What the replay of a recording does. Times as they stand in the recording, but for time_ns. */
typedef struct protocol_replay_state {
    int64_t time_ns;
    const char *state; /* "waiting", "running", "paused", "seeking", "ended" */
    const char *file;
    double speed; /* 0: as fast as possible */
    bool loops;
    int64_t position_ns, start_ns, end_ns, shift_ns;
    uint64_t passes, damaged_lines;
} protocol_replay_state;

/** Upper bounds of the buckets of a histogram, besides the last one, which has none. */
#define PROTOCOL_HISTOGRAM_BOUNDS 14

/** How many things took how long. */
typedef struct protocol_histogram {
    uint64_t counts[PROTOCOL_HISTOGRAM_BOUNDS +
                    1]; /* of those that took at most the bound, and longer than the one before */
    uint64_t sum_ns;
} protocol_histogram;

/** What `status` says of latencies. */
typedef struct protocol_latency {
    const int64_t *bounds_ns; /* PROTOCOL_HISTOGRAM_BOUNDS, ascending */
    const protocol_histogram *sample_to_queue, *sample_to_write;
} protocol_latency;

typedef struct protocol_status {
    int64_t time_ns;
    const char *source, *state, *runtime, *detail;
    int64_t clock_error_ns;              /* 0: left out */
    const protocol_replay_state *replay; /* NULL: none is played */
    const protocol_status_device *devices;
    size_t device_count;
    const protocol_counter *counters; /* flat object `counters` */
    size_t counter_count;
    uint64_t clients;
    const char *websocket;           /* where it listens; NULL: nowhere */
    const protocol_latency *latency; /* NULL: none is measured */
} protocol_status;

/** `id`: of the request that asks for it again, as below. */
size_t protocol_encode_hello(char *out, size_t size, const char *id, const protocol_session *session);
/** With as many devices, then targets, then blades as fit. */
size_t protocol_encode_hello_that_fits(char *out, size_t size, const char *id, const protocol_session *session);
/** clash, hold, release, tracking, space_changed. Times are printed relative to epoch_ns. */
size_t protocol_encode_event(char *out, size_t size, const clash_event *event, int64_t epoch_ns);
/** A clash or hold that also says where the pictures of the two should stop; of other events, and where `resolved` is NULL,
 *  the same as above. */
size_t protocol_encode_resolved_event(char *out, size_t size, const clash_event *event,
                                      const protocol_resolved resolved[2], int64_t epoch_ns);
size_t protocol_encode_poses(char *out, size_t size, int64_t time_ns, const protocol_pose *poses, size_t count);
/** The same for a recording; `more`: the next poses line belongs to the same step. Printed only when true. */
size_t protocol_encode_recorded_poses(char *out, size_t size, int64_t time_ns, const protocol_pose *poses, size_t count,
                                      bool more);
size_t protocol_encode_status(char *out, size_t size, const char *id, const protocol_status *status);
/** Lines along a target's surface, or some of them. */
typedef struct protocol_outline {
    const char *name, *device; /* device "": none */
    const clash_line *lines;   /* in the stage, or in the device's frame */
    size_t first, count;       /* of these, */
    size_t line_count;         /* out of so many */
    bool is_simplified;
} protocol_outline;

/** A page of targets' outlines. */
typedef struct protocol_outlines {
    int64_t time_ns;
    uint64_t definitions; /* see the counter of that name */
    const protocol_outline *targets;
    size_t target_count;
    bool has_next;
    size_t next_target, next_line; /* where the next page begins */
} protocol_outlines;

/** What may be in a line, in bytes, whatever the names and numbers: all of a target but its lines, and one of these. */
#define PROTOCOL_OUTLINE_BYTES 1400
#define PROTOCOL_OUTLINE_LINE_BYTES 100

size_t protocol_encode_outlines(char *out, size_t size, const char *id, const protocol_outlines *outlines);
size_t protocol_encode_lagged(char *out, size_t size, uint64_t from_seq, uint64_t to_seq, uint64_t missed);
/** `id` is a request's id as JSON text, "" for none (an `ok` always has one). */
size_t protocol_encode_ok(char *out, size_t size, const char *id, int64_t time_ns);
/** The `ok` of a record request; `file` "": none. */
size_t protocol_encode_recording(char *out, size_t size, const char *id, int64_t time_ns, const char *file);
size_t protocol_encode_recorder(char *out, size_t size, const protocol_recorder *recorder);
size_t protocol_encode_haptic(char *out, size_t size, const protocol_haptic *haptic);
size_t protocol_encode_replay(char *out, size_t size, const protocol_replay_state *replay);
/** Lines of recordings: what is missing before, and a mark. */
size_t protocol_encode_recorded_gap(char *out, size_t size, int64_t time_ns, int64_t from_ns, uint64_t lines,
                                    uint64_t open_contacts);
size_t protocol_encode_recorded_mark(char *out, size_t size, int64_t time_ns, const char *text);
size_t protocol_encode_recorded_equipment(char *out, size_t size, int64_t time_ns, const protocol_equipment *equipment);
/** Lines of recordings: a client's blade is defined; a blade, or with it a device, is removed (the other is NULL). */
size_t protocol_encode_recorded_blade(char *out, size_t size, int64_t time_ns, const clash_blade *blade);
size_t protocol_encode_recorded_removal(char *out, size_t size, int64_t time_ns, const char *blade, const char *device);
/** The same of a target, with all that a replay makes it of but the file that it may name. */
size_t protocol_encode_recorded_target(char *out, size_t size, int64_t time_ns, const clash_target_definition *target);
size_t protocol_encode_recorded_target_removal(char *out, size_t size, int64_t time_ns, const char *target);
size_t protocol_encode_recording_header(char *out, size_t size, const protocol_session *session,
                                        const protocol_contact_settings *settings);
/** The header of a recording that clashd did not write: space, axes, blades, and a note for people. */
size_t protocol_encode_imported_header(char *out, size_t size, const char *space, const clash_blade *blades,
                                       size_t blade_count, const char *note);

/* ---- client to server ---- */

/** Also the `code` of an error message, printed as below. */
typedef enum protocol_error_code {
    PROTOCOL_ERROR_NONE,
    PROTOCOL_ERROR_LINE_TOO_LONG, /* "line_too_long" */
    PROTOCOL_ERROR_BAD_JSON,      /* "bad_json" */
    PROTOCOL_ERROR_BAD_MESSAGE,   /* "bad_message": not an object, no `type`, wrong type of a field, out of range */
    PROTOCOL_ERROR_UNKNOWN_TYPE,  /* "unknown_type": only where the request has an id; else it is ignored */
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

/** Notes why a request is refused. Always -1, for a function to return. */
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
    uint32_t events;    /* protocol_events; PROTOCOL_EVENTS_DEFAULT where `events` is left out */
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
    char space[PROTOCOL_SPACE_MAX];
    bool has_stage;
    clash_pose stage; /* space from OpenXR's STAGE */
    bool has_haptics; /* `haptic` is to come for them */
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

/** Parses one line (no newline; any bytes). 0, or -1 with `out_error` filled; out_request->id is filled either way. */
int protocol_parse_request(const char *line, size_t length, protocol_request *out_request, protocol_error *out_error);

#endif
