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

/** Blade names, with the terminating zero. */
#define PIPELINE_BLADE_NAME_MAX 64
#define PIPELINE_DEVICES_MAX 16384
#define PIPELINE_BLADES_MAX 16384
#define PIPELINE_TARGETS_MAX 16384
/** Samples a track keeps at most while it waits for the other one of a pair; with more than 1024 devices fewer, so that all
 *  together keep about a million, but 64 at least. A power of two. */
#define PIPELINE_TRACK_SAMPLES 1024

/** Pairs of which the last release is remembered. */
#define PIPELINE_RELEASES_MAX 65536

/** How closing speed becomes intensity: see intensity.h. */
typedef enum pipeline_intensity_curve {
    PIPELINE_INTENSITY_LINEAR,
    PIPELINE_INTENSITY_LOGARITHMIC
} pipeline_intensity_curve;

typedef struct pipeline_settings {
    float margin;               /* m */
    float release_margin;       /* m */
    float min_closing_speed;    /* m/s; a contact that starts slower gives no event at all */
    float hold_rate_hz;         /* 0: no holds */
    float full_intensity_speed; /* m/s, > 0 */
    int64_t max_gap_ns;
    bool require_tracked; /* an untracked sample cuts the track, else it is used and said to be untracked */
    bool every_pair; /* sweep pairs whose boxes do not meet, too: changes no event, and what a step costs grows with the
                        square of the blades; what the broad phase is held against */
    pipeline_intensity_curve intensity_curve;
    bool gap_by_rate; /* max_gap_ns is the most, and less does where a device's rate is known: see track.h */
} pipeline_settings;

typedef struct pipeline_blade {
    char name[PIPELINE_BLADE_NAME_MAX];
    uint32_t device;
    clash_blade_properties properties;
    const clash_sword *sword; /* what is swept instead of `properties.shape`; NULL: none */
    const void *owner;        /* means nothing here: kept for the caller */
} pipeline_blade;

/** A target: blades strike it, targets do not strike each other. */
typedef struct pipeline_target {
    char name[PIPELINE_BLADE_NAME_MAX];
    bool is_static;    /* stands in the stage for ever, on no device */
    uint32_t device;   /* that carries it, if it is not static; `shape` is in its frame */
    clash_pose pose;   /* stage_from_target, if it is static */
    clash_shape shape; /* a mesh or terrain must stay until the target is removed */
    const void *owner; /* as a blade's */
} pipeline_target;

/** Everything that was refused or happened, since creation. */
typedef struct pipeline_counters {
    uint64_t samples;      /* entered a track */
    uint64_t refused_late; /* time before the track's last sample */
    uint64_t refused_not_finite;
    uint64_t refused_too_far;  /* beyond CLASH_COORDINATE_MAX */
    uint64_t refused_not_unit; /* quaternion's length is further than 0.01 from 1 */
    uint64_t refused_unknown;  /* device id out of range */
    uint64_t invalid;          /* no POSE_VALID: cut the track */
    uint64_t untracked;        /* no POSE_TRACKED: cut the track or entered it, see require_tracked */
    uint64_t replaced;         /* same time as the last one, which it replaced */
    uint64_t cuts;             /* tracks cut, for whatever reason */
    uint64_t overruns; /* times that a pair came to where the other's samples had left the ring, and skipped it */
    uint64_t sweeps;   /* intervals of pairs whose boxes met */
    uint64_t proved;   /* .. of those, shown in the batch to be apart throughout */
    uint64_t starved;  /* steps that lacked the memory to find or keep all contacts */
    uint64_t contacts; /* started, reported or not */
    uint64_t events;
} pipeline_counters;

typedef struct pipeline pipeline;

typedef void (*pipeline_event_function)(void *context, const clash_event *event);

/** NULL when out of memory. Events are delivered during the calls below, in order; the function that takes them must not
 *  call back, but for what changes nothing: functions of a `const pipeline`. */
pipeline *pipeline_create(const pipeline_settings *settings, pipeline_event_function on_event, void *context);
void pipeline_destroy(pipeline *p);

/** Calls `on_peak` whenever an open contact closes in faster than it ever has, between the events and in their order: NULL (the
 *  default) for never. Looked at is every sampled interval that it lasts through, at its start and its end, and each hold.
 *  Handed over is a clash that is late, with the contact's id and the seq of the last event: it changes none of them. */
void pipeline_set_peak_function(pipeline *p, pipeline_event_function on_peak, void *context);

/** Id of a device name, made when new; UINT32_MAX when the table is full or the name empty or too long. */
uint32_t pipeline_device(pipeline *p, const char *name);
/** UINT32_MAX if there is no such device; makes none. */
uint32_t pipeline_find_device(const pipeline *p, const char *name);
/** Forgets a device and removes its blades. Its id means nothing from then on and is later given to a new device; those
 *  of others stay. -1 if there is no such device. */
int pipeline_remove_device(pipeline *p, uint32_t device);
/** NULL for an unknown id. Valid as long as the device. */
const char *pipeline_device_name(const pipeline *p, uint32_t device);
/** All ids are below it; after a removal some below it mean nothing. */
uint32_t pipeline_device_count(const pipeline *p);
/** Whether the device's last sample was usable and none was reported lost since. */
bool pipeline_device_tracked(const pipeline *p, uint32_t device);
/** Whose samples of it are taken, as tracking events say; a sample of another feed changes it. NONE until it is said. */
void pipeline_set_source(pipeline *p, uint32_t device, clash_feed_source source);
clash_feed_source pipeline_device_source(const pipeline *p, uint32_t device);
/** For how long the device has not been tracked since it first was, up to now, ns; 0 for an unknown id. */
int64_t pipeline_device_lost_ns(const pipeline *p, uint32_t device, int64_t now_ns);
/** Where the device is at a time, as contacts have it: see track_pose_at. False also for an unknown id. */
bool pipeline_pose_at(const pipeline *p, uint32_t device, int64_t time_ns, clash_pose *out_pose);

/** The newest sample of the device's track; without flags where that has been cut since. False if there is none. */
bool pipeline_last_sample(const pipeline *p, uint32_t device, int64_t *out_ns, pose_sample *out_sample);

/** Adds a blade (copied, its sword too) and pairs it with every blade of another device, in the order in which they were added: the
 *  earlier one is the pair's first. What one of two devices has yet to come to is swept, their common past is not.
 *  NULL, or why it is refused, in words: "its name is taken". */
const char *pipeline_add_blade(pipeline *p, const pipeline_blade *blade);
/** Removes a blade; its open contacts are released (removed). -1 if there is none of that name. */
int pipeline_remove_blade(pipeline *p, const char *name);
size_t pipeline_blade_count(const pipeline *p);
/** In order of adding; NULL beyond the last. Valid until a blade or target is added or removed. */
const pipeline_blade *pipeline_blade_at(const pipeline *p, size_t index);
/** NULL if there is none of that name; else as pipeline_blade_at. */
const pipeline_blade *pipeline_find_blade(const pipeline *p, const char *name);

/** Adds a target (copied) and pairs it with every blade that is not of the same device; in their events the blade comes
 *  first. What a blade's device has yet to come to is swept. NULL, or why it is refused, in words. */
const char *pipeline_add_target(pipeline *p, const pipeline_target *target);
/** Removes a target; its open contacts are released (removed). -1 if there is none of that name. */
int pipeline_remove_target(pipeline *p, const char *name);
size_t pipeline_target_count(const pipeline *p);
/** As pipeline_blade_at, and pipeline_find_blade. */
const pipeline_target *pipeline_target_at(const pipeline *p, size_t index);
const pipeline_target *pipeline_find_target(const pipeline *p, const char *name);
/** How many of the blades that there are were defined before that target: the order of a step's events rests on it. */
size_t pipeline_blades_before(const pipeline *p, size_t target_index);

/** Takes one frame: every sample enters its track or is refused and counted. The last frame of a step (`more` is false)
 *  ends it: pairs are swept as far as both tracks reach. A step of which more was promised ends, too, before anything
 *  else is done. Events come in this order: devices tracked again, then pair by pair in the order of pairs what happened
 *  in order of time, then devices no longer tracked, then space_changed where another feeds a device from now on. The order
 *  of samples of different devices does not matter. */
void pipeline_frame(pipeline *p, const pose_frame *frame);
/** Cuts the device's track: open contacts are released (track_cut) and, if it was tracked, a tracking event is made. Where
 *  the other track of a pair has yet to come to the cut, its contact goes on and is released there. */
void pipeline_lost(pipeline *p, uint32_t device, int64_t time_ns, clash_tracking_reason reason);
/** Cuts every track (no tracking events) and makes a space_changed event. */
void pipeline_space_changed(pipeline *p, int64_t time_ns);

/** Lets the end of a step be taken in parts: `pause` is asked when its pairs are found and then again and again, each time after
 *  some pairs at most, and where it says true the call returns and leaves the step unfinished. NULL (the default): never. It must
 *  not call back. Which events there are, their order and their bits are the same whatever it says. */
void pipeline_set_pause_function(pipeline *p, bool (*pause)(void *context), void *context);
/** Whether a step has been left unfinished. Until it is finished, only what changes nothing and pipeline_device do not end it
 *  whole first. */
bool pipeline_is_unfinished(const pipeline *p);
/** Goes on with an unfinished step up to the next pause. Returns whether it is still unfinished. */
bool pipeline_continue(pipeline *p);
/** Ends an unfinished step whole. */
void pipeline_finish(pipeline *p);

/** Until when the blades of the frame's devices can be expected to meet nothing, as they move now and as hands can accelerate: a
 *  sample before that shows nothing that the next one does not. The frame's time if they touch something, if too little is
 *  known, or if there are too many blades and targets to look; INT64_MAX if there is nothing to meet. */
int64_t pipeline_apart_until(const pipeline *p, const pose_frame *frame);

/** Goes by other settings from now on, in what is yet to be swept; open contacts go on. Between frames; no events but those
 *  of a step of which more was promised. */
void pipeline_change_settings(pipeline *p, const pipeline_settings *settings);
/** Those in force. */
const pipeline_settings *pipeline_get_settings(const pipeline *p);

const pipeline_counters *pipeline_get_counters(const pipeline *p);
void pipeline_list_counters(const pipeline *p, counter_list *out);

/** What a step consists of, for who wants to know how long each part takes. */
typedef enum pipeline_stage {
    PIPELINE_STAGE_SAMPLES, /* entering tracks: since the end of the step before */
    PIPELINE_STAGE_BOXES,   /* boxes around the new motions */
    PIPELINE_STAGE_PAIRS,   /* finding those that meet */
    PIPELINE_STAGE_BATCH,   /* proving most of them apart, eight at a time */
    PIPELINE_STAGE_SWEEPS,  /* the rest, one by one, and their events */
    PIPELINE_STAGES
} pipeline_stage;

/** Calls `done` at the end of each stage; NULL (the default) for nothing. Steps in which no blade moves leave some out. */
void pipeline_set_stage_function(pipeline *p, void (*done)(void *context, pipeline_stage stage), void *context);

#endif
