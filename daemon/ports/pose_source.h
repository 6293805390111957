/* Port: where poses come from. A source delivers whole frames, on the loop's thread, to one listener.
 * Interface only: depends on nothing but the public headers. */
#ifndef CLASHD_PORTS_POSE_SOURCE_H
#define CLASHD_PORTS_POSE_SOURCE_H

#include <clash/blade.h>
#include <clash/event.h>
#include <clash/pose.h>
#include <clash/target.h>

#include "counter.h"

/** The most samples one frame carries. A source with more devices delivers several frames of the same time, of which all
 *  but the last say that there is more. */
#define POSE_FRAME_SAMPLES_MAX 16

/** Device names, with the terminating zero. */
#define POSE_DEVICE_NAME_MAX 128

typedef enum pose_flags {
    POSE_VALID = 1u << 0,    /* the pose may be used; without it position and orientation mean nothing */
    POSE_TRACKED = 1u << 1,  /* measured, not guessed or repeated; never set without POSE_VALID */
    POSE_TELEPORT = 1u << 2, /* do not sweep from the sample before to this one */
    /* .. and from here on the device's poses are those of pose_source_of(): in its reference space, at its rate */
    POSE_OTHER_FEED = 1u << 3
} pose_flags;

/** Who feeds the device from that sample on, a clash_feed_source, in its flags. */
#define POSE_FEED_SHIFT 8

typedef struct pose_sample {
    uint32_t device; /* as listener->device() gave it */
    uint32_t flags;  /* pose_flags */
    clash_pose pose; /* stage_from_device, of the grip for controllers */
} pose_sample;

/** Of a sample that is the first one of another feed. */
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
    bool more; /* another frame of the same time follows at once: pairs are swept when all of them are in */
    pose_sample samples[POSE_FRAME_SAMPLES_MAX];
} pose_frame;

#define POSE_CONTROLLERS_MAX 8

/** What poses come from, as far as it is known. */
typedef struct pose_equipment {
    const char *runtime; /* name and version; "": not known */
    size_t controller_count;
    struct {
        const char *device, *profile; /* OpenXR's interaction profile */
    } controllers[POSE_CONTROLLERS_MAX];
} pose_equipment;

/** What a source reports to. Every function is called on the loop's thread, between start and stop. */
typedef struct pose_listener {
    void *context;
    /** The id of a device name (copied), the same for the same name. UINT32_MAX if there is no room for more. */
    uint32_t (*device)(void *context, const char *name);
    void (*frame)(void *context, const pose_frame *frame);
    /** No more samples of this device until further notice, and why; nothing is swept across. Repeats are harmless. */
    void (*lost)(void *context, uint32_t device, int64_t time_ns, clash_tracking_reason reason);
    /** From time_ns on poses are in a moved reference space; nothing is swept across. */
    void (*space_changed)(void *context, int64_t time_ns);
    /** What follows is of another time than it would be: a recording is played from another place on. Nothing is swept
     *  across, and all that is followed is lost until it comes again. May be NULL. */
    void (*jumped)(void *context, int64_t time_ns);
    /** A blade that is no configured one is defined, in the place of one of the same name: a recording has those that
     *  clients had. May be NULL. */
    void (*blade)(void *context, int64_t time_ns, const clash_blade *blade);
    /** A blade is gone, or a device (the other is NULL) and what was known of it. May be NULL. */
    void (*removed)(void *context, int64_t time_ns, const char *blade, const char *device);
    /** The same of a target. May be NULL. */
    void (*target)(void *context, int64_t time_ns, const clash_target_definition *target);
    void (*target_removed)(void *context, int64_t time_ns, const char *target);
    /** What poses come from has become known, or is another now: all of it, valid during the call. May be NULL. */
    void (*equipment)(void *context, const pose_equipment *equipment);
    /** A finite source has delivered all it has. */
    void (*ended)(void *context);
} pose_listener;

/** What `status` and `hello` say of a source. Strings are the source's, valid until the next call on it. */
typedef struct pose_source_status {
    const char *kind;       /* its name in the table of sources, config/sources.h */
    const char *state;      /* "running", "waiting", "stalled", "ended" */
    const char *runtime;    /* runtime or file name; "" if unknown */
    const char *detail;     /* last reason in words, "" if all is well */
    uint64_t frames;        /* delivered */
    uint64_t dropped;       /* frames lost because the loop did not take them in time */
    uint64_t reconnects;    /* sessions begun after the first */
    uint64_t left_behind;   /* times that a runtime that hung, crashed or did not end was left behind */
    int64_t clock_error_ns; /* by how much times may be wrong; 0: they are the clock's */
    bool broken;            /* it ended before its time, as detail says */
} pose_source_status;

typedef struct pose_source pose_source;

struct pose_source {
    /** Begins to deliver; 0, or -1 with a message already logged. The listener outlives the source. */
    int (*start)(pose_source *source, const pose_listener *listener);
    /** Delivers nothing more once it has returned. Idempotent. */
    void (*stop)(pose_source *source);
    /** Whether the listener takes nothing for now; also from within a report. What comes meanwhile is delivered after it, at its own
     *  times. NULL: it never delivers anything. */
    void (*hold)(pose_source *source, bool is_held);
    void (*status)(const pose_source *source, pose_source_status *out_status);
    /** Nothing can happen before that time, CLOCK_MONOTONIC: a source that takes its own samples may leave some out until
     *  then. Called from within its listener's calls, too. NULL if it delivers what there is. */
    void (*rest)(pose_source *source, int64_t until_ns);
    /** From now on poses are asked for that much after now, ns. NULL if they are not asked for. */
    void (*look_ahead)(pose_source *source, int64_t ahead_ns);
    /** Stops and frees; accepts NULL through pose_source_destroy. */
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
