/* The contract of poses: the rules for every pose, whether a source delivers it, a client pushes it or a recording has it. Nobody
 * has other rules; whoever takes poses in calls the functions below. Reads no clock: callers pass the time.
 *
 * Flags     By default a pose is valid, tracked and no teleport. One that is not valid is not tracked either.
 * Numbers   Those of a valid pose are finite, no coordinate is beyond CLASH_COORDINATE_MAX, and the orientation has unit length.
 *           The numbers of a pose that is not valid are ignored.
 * Times     Of one device each is after the one before. If there is a clock, none is more than POSE_AHEAD_MAX_NS ahead of it
 *           (of the time that was asked for, if a source looks ahead), and no pushed one more than POSE_BEHIND_MAX_NS behind. A
 *           recording has no clock: poses more than RECORDING_LEAP_NS after the ones before them, and followed by earlier ones,
 *           are damage (protocol/recording).
 * A bad pose costs only itself: not the others of its message, line or frame, and not the next one of its device. It is counted
 *           (`refused_*`, `push_refused_*`, `source_dropped`, damaged lines) and reported once, to whoever pushed it or in the log.
 * Frames    Poses of one time are passed on in frames of at most POSE_FRAME_SAMPLES_MAX; all but the last say that more follow.
 * Rate      One sender may send POSE_RATE_HZ messages a second, and as many at once.
 * Silence   A device whose live sender sends nothing for socket.push_timeout_ms is lost until its next pose, unless its last pose
 *           holds.
 *
 * The scene keeps times, rate and silence, both for clients (scene/push_poses.c) and for sources that only pass on what they are sent
 * (`sent` of pose_listener, scene/scene_source.c). */
#ifndef CLASHD_PORTS_POSE_RULES_H
#define CLASHD_PORTS_POSE_RULES_H

#include "pose_source.h"

#include <clash/math.h>

#define POSE_RATE_HZ 2000
#define POSE_AHEAD_MAX_NS INT64_C(50000000)
#define POSE_BEHIND_MAX_NS INT64_C(1000000000)
/** Floats that went through text or another engine are this close to 1; an all-zero quaternion is not. */
#define POSE_UNIT_TOLERANCE 0.01f

static inline uint32_t pose_flags_of(bool is_valid, bool is_tracked, bool is_teleport)
{
    return (is_valid ? POSE_VALID | (is_tracked ? POSE_TRACKED : 0u) : 0u) | (is_teleport ? POSE_TELEPORT : 0u);
}

/* ---- numbers and times ---- */

typedef enum pose_verdict {
    POSE_GOOD,
    POSE_NOT_FINITE,
    POSE_TOO_FAR,
    POSE_NOT_UNIT,
    POSE_FUTURE,
    POSE_LATE /* or repeated */
} pose_verdict;

/** Check all seven at once, because every pose passes here: infinity and NaN times 0 are NaN. */
static inline bool pose_is_finite(const clash_pose *pose)
{
    const clash_vec3 p = pose->position;
    const clash_quat q = pose->orientation;

    return 0.0f * p.x + 0.0f * p.y + 0.0f * p.z + 0.0f * q.x + 0.0f * q.y + 0.0f * q.z + 0.0f * q.w == 0.0f;
}

/** Check its numbers. */
static inline pose_verdict pose_check(const pose_sample *sample)
{
    if (!(sample->flags & POSE_VALID))
        return POSE_GOOD;
    if (!pose_is_finite(&sample->pose))
        return POSE_NOT_FINITE;
    if (!clash_vec3_is_within(sample->pose.position, CLASH_COORDINATE_MAX))
        return POSE_TOO_FAR;
    return clash_quat_is_unit(sample->pose.orientation, POSE_UNIT_TOLERANCE) ? POSE_GOOD : POSE_NOT_UNIT;
}

/** Return what is wrong, in words. */
static inline const char *pose_verdict_text(pose_verdict verdict)
{
    return verdict == POSE_NOT_FINITE ? "a number is out of range"
           : verdict == POSE_TOO_FAR  ? "position: expected no coordinate beyond 10000"
           : verdict == POSE_FUTURE   ? "time_ns: over 50 ms in the future"
           : verdict == POSE_LATE     ? "time_ns: not after the last one's, or over 1 s ago"
                                      : "orientation: expected a quaternion of unit length";
}

/** What came of a device from one sender. Zero-initialise: nothing. */
typedef struct pose_arrivals {
    bool has_pose;
    bool is_live;       /* it can fall silent */
    bool owes_cut;      /* a teleport was refused: the next pose is one */
    int64_t pose_ns;    /* time of the last one */
    int64_t arrived_ns; /* when it came; also CLOCK_MONOTONIC */
} pose_arrivals;

static inline bool pose_is_future(int64_t time_ns, int64_t now_ns)
{
    return time_ns > now_ns + POSE_AHEAD_MAX_NS;
}

static inline pose_verdict pose_check_time(const pose_arrivals *before, int64_t time_ns, int64_t now_ns)
{
    if (pose_is_future(time_ns, now_ns))
        return POSE_FUTURE;
    return time_ns < now_ns - POSE_BEHIND_MAX_NS || (before->has_pose && time_ns <= before->pose_ns) ? POSE_LATE
                                                                                                     : POSE_GOOD;
}

static inline void pose_arrive(pose_arrivals *arrivals, int64_t time_ns, int64_t now_ns)
{
    *arrivals = (pose_arrivals){.has_pose = true, .is_live = true, .pose_ns = time_ns, .arrived_ns = now_ns};
}

/** A pose is not taken: if it was a teleport, and later than the last one, the next one has to be. */
static inline void pose_refuse(pose_arrivals *arrivals, int64_t time_ns, uint32_t flags)
{
    arrivals->owes_cut |= flags & POSE_TELEPORT && !(arrivals->has_pose && time_ns <= arrivals->pose_ns);
}

/** Return whether it has fallen silent, i.e. nothing has come since that time. True only once. */
static inline bool pose_falls_silent(pose_arrivals *arrivals, int64_t since_ns)
{
    const bool is_silent = arrivals->is_live && arrivals->arrived_ns <= since_ns;

    arrivals->is_live = arrivals->is_live && !is_silent;
    return is_silent;
}

/* ---- rate ---- */

/** Begins with its starting time and POSE_RATE_FULL tokens. */
typedef struct pose_rate {
    int64_t tokens; /* for messages, in 1/POSE_NS_PER_S */
    int64_t filled_ns;
} pose_rate;

#define POSE_NS_PER_S INT64_C(1000000000)
#define POSE_RATE_FULL (POSE_RATE_HZ * POSE_NS_PER_S)

/** Return whether another message may come now. */
static inline bool pose_rate_take(pose_rate *rate, int64_t now_ns)
{
    const int64_t passed = now_ns - rate->filled_ns;

    rate->tokens = passed >= POSE_NS_PER_S ? POSE_RATE_FULL : rate->tokens + passed * POSE_RATE_HZ;
    rate->tokens = rate->tokens < POSE_RATE_FULL ? rate->tokens : POSE_RATE_FULL;
    rate->filled_ns = now_ns;
    if (rate->tokens < POSE_NS_PER_S)
        return false;
    rate->tokens -= POSE_NS_PER_S;
    return true;
}

/* ---- frames ---- */

/** Poses of one time, being split into frames. Initialise as {context, frame, is_stopped, .pending.time_ns = ..}. */
typedef struct pose_frames {
    void *context;
    void (*frame)(void *context, const pose_frame *frame);
    const bool *is_stopped; /* set from within `frame`: no more are wanted; NULL: never */
    uint64_t delivered;
    pose_frame pending;
} pose_frames;

static inline void pose_frames_deliver(pose_frames *f, bool more)
{
    f->pending.more = more;
    f->delivered++;
    f->frame(f->context, &f->pending);
    f->pending.count = 0;
}

/** Return false if no more are wanted. */
static inline bool pose_frames_add(pose_frames *f, const pose_sample *sample)
{
    if (f->pending.count == POSE_FRAME_SAMPLES_MAX)
        pose_frames_deliver(f, true);
    if (f->is_stopped && *f->is_stopped)
        return false;
    f->pending.samples[f->pending.count++] = *sample;
    return true;
}

/** Judge a live sender's pose, whose time is the frames' and which came at `now_ns`, and add it if it is good. */
static inline pose_verdict pose_take(pose_frames *f, pose_arrivals *arrivals, const pose_sample *sample, int64_t now_ns)
{
    pose_verdict verdict = pose_check(sample);
    pose_sample cut = *sample;

    if (verdict == POSE_GOOD)
        verdict = pose_check_time(arrivals, f->pending.time_ns, now_ns);
    if (verdict != POSE_GOOD) {
        pose_refuse(arrivals, f->pending.time_ns, sample->flags);
        return verdict;
    }
    cut.flags |= arrivals->owes_cut ? POSE_TELEPORT : 0u;
    pose_arrive(arrivals, f->pending.time_ns, now_ns);
    arrivals->is_live = !(cut.flags & POSE_HOLDS);
    pose_frames_add(f, &cut);
    return POSE_GOOD;
}

/** Deliver the last frame, even if empty; `more`: another of the same time follows. Return how many poses there
 *  were. */
static inline uint64_t pose_frames_end(pose_frames *f, bool more)
{
    if (!f->is_stopped || !*f->is_stopped)
        pose_frames_deliver(f, more);
    return f->delivered;
}

#endif
