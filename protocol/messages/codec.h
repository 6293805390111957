/* Events, replies and requests to and from lines of JSON: with schema.h, framing.h and recording.h the only code that
 * knows field names. Encoders write whole lines, newline included, and never part of one. Pure; any thread. */
#ifndef CLASHD_PROTOCOL_MESSAGES_CODEC_H
#define CLASHD_PROTOCOL_MESSAGES_CODEC_H

#include <clash/blade.h>
#include <clash/event.h>
#include <clash/outline.h>
#include <clash/pose.h>
#include <clash/target.h>

#include "request.h"
#include "wire.h"

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
    clash_tracking_reason reason; /* why not; printed only if it is not tracked */
    int64_t lost_ns;              /* untracked since it was first tracked; printed only if it is not 0 */
    clash_feed_source source;
    const char *space;       /* of the feed; NULL: that of the session */
    const clash_pose *stage; /* that space from OpenXR's STAGE; NULL: not known */
} protocol_status_device;

/** Another player of the room: see schema server/status. */
typedef struct protocol_status_player {
    const char *player;
    bool is_here, is_muted;
    bool is_placed; /* the next three are known */
    int64_t clock_offset_ns, clock_drift_ppb, clock_error_ns;
    int64_t delay_ns;                                /* -1: no sample has come */
    uint64_t samples, repeated, lost, late, refused; /* since it came */
} protocol_status_player;

/** That `status` names at most. */
#define PROTOCOL_STATUS_PLAYERS_MAX 32

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
    const char *const *set_aside; /* of hello only: names of blades that clients' replace */
    size_t set_aside_count;
    /* Of a recording's header only: */
    protocol_equipment equipment;
    bool is_later; /* it does not begin with the session, but after.. */
    uint64_t seq;  /* .. this event.. */
    uint64_t open_contacts;
} protocol_session;

/** Version of the rules by which events are found, in the header of recordings: 2: a step's events by time; 1: by pair. */
#define PROTOCOL_RULES 2

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
    bool joined;   /* likewise */
    bool holds;    /* likewise */
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
    const protocol_status_player *players; /* NULL: clashd is in no room */
    size_t player_count;
    const protocol_counter *counters; /* flat object `counters` */
    size_t counter_count;
    uint64_t clients;
    const char *websocket;           /* where it listens; NULL: nowhere */
    const char *page_missing;        /* why it serves no page there; NULL: it does */
    const protocol_latency *latency; /* NULL: none is measured */
} protocol_status;

/** `id`: of the request that asks for it again, as below. */
size_t protocol_encode_hello(char *out, size_t size, const char *id, const protocol_session *session);
/** List as many devices, then targets, then blades as fit. */
size_t protocol_encode_hello_that_fits(char *out, size_t size, const char *id, const protocol_session *session);
/** clash, hold, release, tracking, space_changed. Times are printed relative to epoch_ns. */
size_t protocol_encode_event(char *out, size_t size, const clash_event *event, int64_t epoch_ns);
/** A clash or hold that also says where the pictures of the two should stop; of other events, and if `resolved` is NULL,
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

/** The most bytes that a target without its lines, and one such line, take in a message. */
#define PROTOCOL_OUTLINE_BYTES 1400
#define PROTOCOL_OUTLINE_LINE_BYTES 100

size_t protocol_encode_outlines(char *out, size_t size, const char *id, const protocol_outlines *outlines);
size_t protocol_encode_lagged(char *out, size_t size, uint64_t from_seq, uint64_t to_seq, uint64_t missed);
/** `id` is a request's id as JSON text, "" for none (an `ok` always has one). */
size_t protocol_encode_ok(char *out, size_t size, const char *id, int64_t time_ns);
/** The `ok` of a feed. */
size_t protocol_encode_fed(char *out, size_t size, const char *id, int64_t time_ns, double max_gap_ms);
/** The `ok` of a record request; `file` "": none. */
size_t protocol_encode_recording(char *out, size_t size, const char *id, int64_t time_ns, const char *file);
size_t protocol_encode_recorder(char *out, size_t size, const protocol_recorder *recorder);
size_t protocol_encode_feed_free(char *out, size_t size);
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

#endif
