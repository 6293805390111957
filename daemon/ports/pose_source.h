/* Port: where poses come from. A source delivers whole frames, on the loop's thread, to one listener.
 * Interface only: depends on nothing but the public headers. */
#ifndef CLASHD_PORTS_POSE_SOURCE_H
#define CLASHD_PORTS_POSE_SOURCE_H

#include <clash/blade.h>
#include <clash/event.h>
#include <clash/pose.h>
#include <clash/target.h>

#include "counter.h"

/** The most samples in one frame. A source with more devices delivers several frames of the same time, and all but the
 *  last say that more follow. */
#define POSE_FRAME_SAMPLES_MAX 16

/** Size of device names, with the terminating zero. */
#define POSE_DEVICE_NAME_MAX 128

typedef enum pose_flags {
    POSE_VALID = 1u << 0,    /* the pose may be used; without it position and orientation mean nothing */
    POSE_TRACKED = 1u << 1,  /* measured, not guessed or repeated; never set without POSE_VALID */
    POSE_TELEPORT = 1u << 2, /* do not sweep from the last sample to this one */
    /* from here on the device's poses are those of pose_source_of(): in its reference space, at its rate */
    POSE_OTHER_FEED = 1u << 3,
    POSE_JOINED = 1u << 4, /* sweep from the last sample to this one, however far apart they are */
    POSE_HOLDS = 1u << 5   /* the device stays there until its next sample: each later step has it there */
} pose_flags;

/** Position in the flags of the clash_feed_source that feeds the device from this sample on. */
#define POSE_FEED_SHIFT 8

typedef struct pose_sample {
    uint32_t device; /* as listener->device() gave it */
    uint32_t flags;  /* pose_flags */
    clash_pose pose; /* stage_from_device; for controllers of the grip, or of what is held in it: see pose_offsets */
} pose_sample;

/** Return the new feed; for a sample that is the first of one. */
static inline clash_feed_source pose_source_of(const pose_sample *sample)
{
    return (clash_feed_source)(sample->flags >> POSE_FEED_SHIFT);
}

static inline uint32_t pose_other_feed(clash_feed_source source)
{
    return POSE_OTHER_FEED | POSE_TELEPORT | (uint32_t)source << POSE_FEED_SHIFT;
}

typedef struct pose_frame {
    int64_t time_ns; /* CLOCK_MONOTONIC, or a recording's time plus the session's epoch */
    uint32_t count;
    bool more; /* another frame of the same time follows at once: sweep when all of them are in */
    pose_sample samples[POSE_FRAME_SAMPLES_MAX];
} pose_frame;

#define POSE_CONTROLLERS_MAX 8

/** The equipment that poses come from, as far as it is known. */
typedef struct pose_equipment {
    const char *runtime; /* name and version; "": not known */
    size_t controller_count;
    struct {
        const char *device, *profile; /* OpenXR's interaction profile */
    } controllers[POSE_CONTROLLERS_MAX];
} pose_equipment;

#define POSE_OFFSETS_MAX 16
/** Size of an interaction profile's name, with the terminating zero. */
#define POSE_PROFILE_MAX 128

/** Where what a hand holds lies in the grip of its controller, by that one's interaction profile: each at most once. With any other
 *  controller, and at first, it lies in the grip itself. */
typedef struct pose_offsets {
    size_t count;
    struct {
        char profile[POSE_PROFILE_MAX];
        clash_pose grip_from_held; /* m, in the grip's frame */
    } offsets[POSE_OFFSETS_MAX];
} pose_offsets;

/** Return whether all numbers are equal. */
static inline bool pose_is_same(const clash_pose *a, const clash_pose *b)
{
    const clash_vec3 p = a->position, r = b->position;
    const clash_quat q = a->orientation, s = b->orientation;

    return p.x == r.x && p.y == r.y && p.z == r.z && q.x == s.x && q.y == s.y && q.z == s.z && q.w == s.w;
}

/** What a source reports to. Every function is called on the loop's thread, between start and stop. */
typedef struct pose_listener {
    void *context;
    /** Return the id of a device name (copied), the same for the same name; UINT32_MAX if there is no room for more. */
    uint32_t (*device)(void *context, const char *name);
    void (*frame)(void *context, const pose_frame *frame);
    /** Poses of one time as somebody else sent them, good or bad, which came at `now_ns`: for a source that only passes them
     *  on. All rules of pose_rules.h are kept here, also those of rate and silence. Return how many were refused. May be
     *  NULL. */
    size_t (*sent)(void *context, int64_t time_ns, int64_t now_ns, const pose_sample *samples, size_t count);
    /** No more samples of this device until further notice, and why; do not sweep across. Repeats are harmless. */
    void (*lost)(void *context, uint32_t device, int64_t time_ns, clash_tracking_reason reason);
    /** From time_ns on poses are in a moved reference space; do not sweep across. */
    void (*space_changed)(void *context, int64_t time_ns);
    /** What follows is from a different time: a recording is played from another place on. Do not sweep across; all
     *  devices are lost until they come again. May be NULL. */
    void (*jumped)(void *context, int64_t time_ns);
    /** A blade that is not in the configuration is defined, replacing one of the same name: a recording has those that
     *  clients defined. May be NULL. */
    void (*blade)(void *context, int64_t time_ns, const clash_blade *blade);
    /** A blade is removed, or a device (the other is NULL) with all that was on it. May be NULL. */
    void (*removed)(void *context, int64_t time_ns, const char *blade, const char *device);
    /** The same for a target. May be NULL. */
    void (*target)(void *context, int64_t time_ns, const clash_target_definition *target);
    void (*target_removed)(void *context, int64_t time_ns, const char *target);
    /** The equipment has become known or has changed: all of it, valid during the call. May be NULL. */
    void (*equipment)(void *context, const pose_equipment *equipment);
    /** A finite source has delivered everything. */
    void (*ended)(void *context);
} pose_listener;

/** What `status` and `hello` report of a source. Strings are the source's, valid until the next call on it. */
typedef struct pose_source_status {
    const char *kind;       /* its name in the table of sources, config/sources.h */
    const char *state;      /* "running", "waiting", "stalled", "ended" */
    const char *runtime;    /* runtime or file name; "" if unknown */
    const char *detail;     /* last reason in words, "" if all is well */
    uint64_t frames;        /* delivered */
    uint64_t dropped;       /* frames lost because the loop did not take them in time */
    uint64_t reconnects;    /* sessions begun after the first */
    uint64_t left_behind;   /* times that a runtime which hung, crashed or did not end was left behind */
    int64_t clock_error_ns; /* by how much times may be wrong; 0: exact */
    bool broken;            /* it ended early, as detail says */
} pose_source_status;

typedef struct pose_source pose_source;

struct pose_source {
    /** Start to deliver. Return 0, or -1 with a message already logged. The listener must outlive the source. */
    int (*start)(pose_source *source, const pose_listener *listener);
    /** Deliver nothing more from now on. Idempotent. */
    void (*stop)(pose_source *source);
    /** Hold back while the listener takes nothing; may be called from within a report. What comes meanwhile is
     *  delivered later, at its own times. NULL: it never delivers anything. */
    void (*hold)(pose_source *source, bool is_held);
    void (*status)(const pose_source *source, pose_source_status *out_status);
    /** Nothing can meet before that time, CLOCK_MONOTONIC: a source that takes its own samples may leave some out until
     *  then. Also called from within its listener's calls. NULL if it delivers whatever there is. */
    void (*rest)(pose_source *source, int64_t until_ns);
    /** Ask for poses that much after now from here on, ns. NULL if it does not ask for poses. */
    void (*look_ahead)(pose_source *source, int64_t ahead_ns);
    /** Give poses of what hands hold from the next one on (copied); where that is elsewhere than before, nothing is swept across. NULL
     *  if it does not know controllers. */
    void (*offset)(pose_source *source, const pose_offsets *offsets);
    /** Stop and free; pose_source_destroy accepts NULL. */
    void (*destroy)(pose_source *source);
};

static inline void pose_source_list_counters(const pose_source_status *source, counter_list *out)
{
    const counter_row all[] = {
        {"source_frames", "clashd_source_frames_total", "Frames that the source delivered.", source->frames},
        {"source_dropped", "clashd_source_frames_dropped_total",
         "Frames lost because the loop did not take them in time.", source->dropped},
        {"source_reconnects", "clashd_source_reconnects_total", "Sessions with the runtime begun after the first.",
         source->reconnects},
        {"source_left_behind", "clashd_source_left_behind_total",
         "Times that a runtime that hung, crashed or did not end was left behind.", source->left_behind},
    };

    counter_list_add(out, all, sizeof all / sizeof all[0]);
}

static inline void pose_source_destroy(pose_source *source)
{
    if (source)
        source->destroy(source);
}

#endif
