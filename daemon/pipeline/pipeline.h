/* The pipeline: samples in, events out. Keeps one track per device, sweeps every pair of blades over each instant that both
 * tracks cover exactly once, and turns contacts into events. What a step costs grows with the blades that move in it and
 * the pairs that come near each other, not with all pairs there are. One thread; no clock, no I/O, and no allocation but
 * to do more than ever before: the same calls give the same events, bit for bit. Knows nothing of sockets or files.
 *
 * A step with tens of thousands of touching pairs takes longer than others can wait. So its end may be taken in parts: its
 * user says when to pause (pipeline_set_pause_function), does something else, and goes on (pipeline_continue). What changes tracks,
 * blades or settings ends an unfinished step whole first: so the parts change no event. */
#ifndef CLASHD_PIPELINE_H
#define CLASHD_PIPELINE_H

#include "ports/counter.h"
#include "ports/pose_source.h"

/** Size of blade names, with the terminating zero. */
#define PIPELINE_BLADE_NAME_MAX 64
#define PIPELINE_DEVICES_MAX 16384
#define PIPELINE_BLADES_MAX 16384
#define PIPELINE_TARGETS_MAX 16384
/** Samples that a track keeps at most while it waits for the other track of a pair. With more than 1024 devices fewer,
 *  so that all together keep about a million, but at least 64. A power of two. */
#define PIPELINE_TRACK_SAMPLES 1024

/** Pairs whose last release is remembered. */
#define PIPELINE_RELEASES_MAX 65536

/** How closing speed becomes intensity; see intensity.h. */
typedef enum pipeline_intensity_curve {
    PIPELINE_INTENSITY_LINEAR,
    PIPELINE_INTENSITY_LOGARITHMIC
} pipeline_intensity_curve;

typedef struct pipeline_settings {
    float margin;               /* m */
    float release_margin;       /* m */
    float min_closing_speed;    /* m/s; a contact that starts slower gives no events at all */
    float hold_rate_hz;         /* 0: no holds */
    float full_intensity_speed; /* m/s, > 0 */
    int64_t max_gap_ns;
    bool require_tracked; /* an untracked sample cuts the track; otherwise it is used and marked untracked */
    bool every_pair;      /* also sweep pairs whose boxes are apart: changes no event, but a step's cost grows with the
                        square of the blades; to check the broad phase against */
    pipeline_intensity_curve intensity_curve;
    bool gap_by_rate; /* use less than max_gap_ns if a device's rate is known; see track.h */
    bool
        old_rules; /* as clashd before 0.8 had it, for its recordings: a step's contacts in the order of pairs, not of time */
} pipeline_settings;

typedef struct pipeline_blade {
    char name[PIPELINE_BLADE_NAME_MAX];
    uint32_t device;
    clash_blade_properties properties;
    const clash_sword *sword; /* swept instead of `properties.shape`; NULL: none */
    const void *owner;        /* not used here: kept for the caller */
} pipeline_blade;

/** A target: blades hit it, targets do not hit each other. */
typedef struct pipeline_target {
    char name[PIPELINE_BLADE_NAME_MAX];
    bool is_static;  /* fixed in the stage, on no device */
    uint32_t device; /* that carries it, unless static; `shape` is in its frame */
    clash_pose pose; /* stage_from_target, if static */
    clash_layers layers;
    clash_shape shape; /* a mesh or terrain must live until the target is removed */
    const void *owner; /* as in a blade */
} pipeline_target;

/** What was refused or happened since creation. */
typedef struct pipeline_counters {
    uint64_t samples;      /* entered a track */
    uint64_t refused_late; /* time before the track's last sample */
    uint64_t refused_not_finite;
    uint64_t refused_too_far;    /* beyond CLASH_COORDINATE_MAX */
    uint64_t refused_not_unit;   /* quaternion's length is further than 0.01 from 1 */
    uint64_t refused_unknown;    /* device id out of range */
    uint64_t invalid;            /* no POSE_VALID: cut the track */
    uint64_t untracked;          /* no POSE_TRACKED: cut the track or entered it, see require_tracked */
    uint64_t replaced;           /* replaced the last one, which had the same time */
    uint64_t replaced_elsewhere; /* of these, at another pose: what is between the two is not swept */
    uint64_t cuts;               /* tracks cut, for any reason */
    uint64_t overruns;           /* times that a pair skipped samples of the other that had left the ring */
    uint64_t sweeps;             /* intervals of pairs whose boxes met, */
    uint64_t proved;             /* of which so many were proved apart in the batch */
    uint64_t starved;            /* steps without the memory to find or keep all contacts */
    uint64_t contacts;           /* started, reported or not */
    uint64_t events;
    uint64_t definitions; /* blades and targets that came, were replaced, or went */
} pipeline_counters;

typedef struct pipeline pipeline;

typedef void (*pipeline_event_function)(void *context, const clash_event *event);

/** Create a pipeline. Events are delivered during the calls below, those of a step at its end, by time_ns and of one time by
 *  pair; on_event may only call functions that take a `const pipeline`. Return NULL when out of memory. */
pipeline *pipeline_create(const pipeline_settings *settings, pipeline_event_function on_event, void *context);
void pipeline_destroy(pipeline *p);

/** Call `on_peak` whenever an open contact closes faster than it ever has, between the events and in their order; NULL
 *  (the default): never. Checked are the start and end of every sampled interval of the contact, and each hold. It gets
 *  a late clash with the contact's id and the seq of the last event; it does not change the events. */
void pipeline_set_peak_function(pipeline *p, pipeline_event_function on_peak, void *context);

/** Return the id of a device name, creating it; UINT32_MAX if the table is full, or the name empty or too long. */
uint32_t pipeline_device(pipeline *p, const char *name);
/** Return the id of a device name, or UINT32_MAX; creates none. */
uint32_t pipeline_find_device(const pipeline *p, const char *name);
/** Remove a device and its blades. Its id becomes invalid and is later given to a new device; other ids stay. Return -1
 *  if there is no such device. */
int pipeline_remove_device(pipeline *p, uint32_t device);
/** Return the device's name, or NULL for an unknown id. Valid as long as the device. */
const char *pipeline_device_name(const pipeline *p, uint32_t device);
/** Return a number above all ids; some ids below may be unused. */
uint32_t pipeline_device_count(const pipeline *p);
/** Return whether the device's last sample was usable and none was reported lost since. */
bool pipeline_device_tracked(const pipeline *p, uint32_t device);
/** Return why the device is not tracked, CLASH_TRACKING_OK if it is; LOST if nothing has ever come, and for an unknown id. */
clash_tracking_reason pipeline_device_reason(const pipeline *p, uint32_t device);
/** Set who feeds the device, for tracking events; a sample of another feed changes it. NONE until set. */
void pipeline_set_source(pipeline *p, uint32_t device, clash_feed_source source);
clash_feed_source pipeline_device_source(const pipeline *p, uint32_t device);
/** Return for how long the device has not been tracked, in all, since it first was, up to now, ns; 0 for an unknown
 *  id. */
int64_t pipeline_device_lost_ns(const pipeline *p, uint32_t device, int64_t now_ns);
/** Return the device's pose at a time, as contacts see it: see track_pose_at. False also for an unknown id. */
bool pipeline_pose_at(const pipeline *p, uint32_t device, int64_t time_ns, clash_pose *out_pose);

/** Return the newest sample of the device's track, with no flags if the track was cut since. Return false if there is none. */
bool pipeline_last_sample(const pipeline *p, uint32_t device, int64_t *out_ns, pose_sample *out_sample);

/** Add a blade (copied, its sword too) and pair it with every blade of another device, in the order of adding: the
 *  earlier one is the pair's first. What the two devices have both passed is not swept; all that follows is. Return
 *  NULL, or why it is refused, in words: "its name is taken". */
const char *pipeline_add_blade(pipeline *p, const pipeline_blade *blade);
/** Replace what defines a blade but its name and device: the blade of that name must be on `blade->device`. It keeps its place
 *  in the order and its open contacts; only those with blades or targets that it can no longer touch are released (removed).
 *  All that follows is swept with the new shape. Return NULL, or why it is refused, in words; then nothing changes. */
const char *pipeline_change_blade(pipeline *p, const pipeline_blade *blade);
/** Remove a blade; its open contacts are released (removed). Return -1 if there is none of that name. */
int pipeline_remove_blade(pipeline *p, const char *name);
size_t pipeline_blade_count(const pipeline *p);
/** Return a blade in order of adding, or NULL past the last. Valid until a blade or target is added or removed. */
const pipeline_blade *pipeline_blade_at(const pipeline *p, size_t index);
/** Return the blade of that name, or NULL; valid likewise. */
const pipeline_blade *pipeline_find_blade(const pipeline *p, const char *name);

/** Add a target (copied) and pair it with every blade of other devices; in their events the blade comes first. Sweeps
 *  from the blade's present time on. Return NULL, or why it is refused, in words. */
const char *pipeline_add_target(pipeline *p, const pipeline_target *target);
/** Remove a target; its open contacts are released (removed). Return -1 if there is none of that name. */
int pipeline_remove_target(pipeline *p, const char *name);
size_t pipeline_target_count(const pipeline *p);
/** Like pipeline_blade_at and pipeline_find_blade. */
const pipeline_target *pipeline_target_at(const pipeline *p, size_t index);
const pipeline_target *pipeline_find_target(const pipeline *p, const char *name);
/** Return how many of the present blades were defined before that target: the order of a step's events depends on
 *  it. */
size_t pipeline_blades_before(const pipeline *p, size_t target_index);

/** Take one frame: each sample enters its track, or is refused and counted. The last frame of a step (`more` is false)
 *  ends it: pairs are swept as far as both tracks reach. A step of which more was promised also ends before anything
 *  else is done. Order of events: by time; of one time, devices tracked again, then contacts in the order of pairs. What
 *  ends a step comes last: devices no longer tracked; space_changed if a device has another feed from now on. The order of samples of
 *  different devices does not matter. */
void pipeline_frame(pipeline *p, const pose_frame *frame);
/** Cut the device's track: open contacts are released (track_cut), and a tracking event is made if it was tracked. If
 *  the other track of a pair has not reached the cut yet, its contact continues and is released there. */
void pipeline_lost(pipeline *p, uint32_t device, int64_t time_ns, clash_tracking_reason reason);
/** Cut the device's track and nothing else: open contacts are released (track_cut), the device counts as tracked as before. */
void pipeline_cut(pipeline *p, uint32_t device, int64_t time_ns);
/** Cut every track (no tracking events) and make a space_changed event. */
void pipeline_space_changed(pipeline *p, int64_t time_ns);

/** Allow the end of a step to be taken in parts: `pause` is asked once its pairs are found and then again after a few
 *  pairs each; when it returns true, the call returns and leaves the step unfinished. NULL (the default): never pause.
 *  It must not call back. The events, their order and their bits are the same in either case. */
void pipeline_set_pause_function(pipeline *p, bool (*pause)(void *context), void *context);
/** Return whether a step is unfinished. Every call except pipeline_device and those that change nothing finishes it
 *  first. */
bool pipeline_is_unfinished(const pipeline *p);
/** Continue an unfinished step up to the next pause. Return whether it is still unfinished. */
bool pipeline_continue(pipeline *p);
/** Finish an unfinished step. */
void pipeline_finish(pipeline *p);

/** Return the time until which the blades of the frame's devices can be expected to meet nothing, as they move now and
 *  as hands can accelerate: samples before it show nothing that the next one does not. Returns the frame's time if they
 *  touch something, if too little is known, or if there are too many blades and targets to check; INT64_MAX if there is
 *  nothing to meet. */
int64_t pipeline_apart_until(const pipeline *p, const pose_frame *frame);

/** Use other settings for all that is swept from now on; open contacts continue. Call between frames; makes no events
 *  but those of a step of which more was promised. */
void pipeline_change_settings(pipeline *p, const pipeline_settings *settings);
/** Return the settings in force. */
const pipeline_settings *pipeline_get_settings(const pipeline *p);

const pipeline_counters *pipeline_get_counters(const pipeline *p);
void pipeline_list_counters(const pipeline *p, counter_list *out);

/** The stages of a step, to measure how long each takes. */
typedef enum pipeline_stage {
    PIPELINE_STAGE_SAMPLES, /* entering tracks: since the end of the last step */
    PIPELINE_STAGE_BOXES,   /* boxes around the new motions */
    PIPELINE_STAGE_PAIRS,   /* finding pairs whose boxes meet */
    PIPELINE_STAGE_BATCH,   /* proving most of them apart, eight at a time */
    PIPELINE_STAGE_SWEEPS,  /* sweeping the rest one by one, with their events */
    PIPELINE_STAGES
} pipeline_stage;

/** Call `done` at the end of each stage; NULL (the default): no calls. Steps in which no blade moves skip some. */
void pipeline_set_stage_function(pipeline *p, void (*done)(void *context, pipeline_stage stage), void *context);

#endif
