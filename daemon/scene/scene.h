/* What exists, whose it is, and who is told: blades, targets and devices, each with one owner. Whatever is defined or removed goes
 * this way: the name is checked, the sinks are told, the pipeline is changed, in this order. What an owner defined goes with it
 * and with nobody else. Times are CLOCK_MONOTONIC; reads no clock. Loop's thread. */
#ifndef CLASHD_SCENE_SCENE_H
#define CLASHD_SCENE_SCENE_H

#include "mesh/loader.h"
#include "ports/event_sink.h"
#include "ports/log.h"
#include "ports/pose_rules.h"
#include "protocol/messages/codec.h"
#include "targets.h"

/** Owners: the settings, the recording that is replayed, or else the address of a client. */
extern const char scene_settings[], scene_recording[];

/** A device: a client's, or one that the settings and recordings share. */
typedef struct scene_device {
    const void *client;     /* NULL: it is none's */
    uint32_t things;        /* blades and targets of that client on it: it goes with the last of them */
    bool is_sources;        /* the source knows it */
    bool is_fed_only;       /* it goes with the last who feeds it */
    bool is_bad;            /* the source's last pose of it was, as the log has said */
    struct feed *feed;      /* see feeds.h; NULL: no client has fed it */
    pose_arrivals arrivals; /* of that client */
} scene_device;

typedef struct scene {
    pipeline *pipeline;
    const event_sink *sinks;      /* outlives it */
    logger log;                   /* may be zeroed */
    scene_device *devices;        /* by the pipeline's ids */
    clash_feed_source own;        /* what the source is; NONE: there is none */
    struct feed *feeds;           /* all of them */
    struct displaced *asides;     /* blades that a client's stand in for */
    struct pending_targets *late; /* those of a recording that wait for files; NULL: none ever do */
    int64_t last_ns;              /* of what the source reported last */
    uint64_t feed_switches;       /* so far */
    bool is_in_step;              /* the last frame promised more of its time */
} scene;

/** An empty one, with a pipeline of its own, whose events go to the sinks, which outlive it. 0, or -1 when out of memory; close it
 *  in either case. */
int scene_open(scene *s, const pipeline_settings *settings, const event_sink *sinks, logger log);
void scene_close(scene *s);
/** Those of the settings. 0, or -1 with a message in out_failure. Of targets it waits for the files. */
int scene_define_blades_of(scene *s, const app_config *config, failure *out_failure);
int scene_define_targets_of(scene *s, const app_config *config, failure *out_failure);

/** What a source reports to it, but for `equipment` and `ended`, and without scene_open_pending for `target`. */
pose_listener scene_listener(scene *s);
/** From now on targets of recordings may wait for files; `hold` says whether poses have to. 0, or -1 when out of memory. Close
 *  `late` before the loader, and before the scene. */
int scene_open_pending(scene *s, surface_loader *loader, void (*hold)(void *s, bool is_held));

/** Whether an owner may define a blade or target of that name on that device ("": on none). 0, or -1 with what stands against it. */
int scene_check(const scene *s, const void *owner, const char *name, bool is_target, const char *device,
                protocol_error *out_error);
/** Each in the place of the owner's own one of that name. 0, or -1 with out_error: then nothing has changed, but where memory
 *  is lacking: then there is none of that name. A target is the scene's in any case. */
int scene_define_blade(scene *s, const void *owner, int64_t time_ns, const clash_blade *blade,
                       protocol_error *out_error);
int scene_define_target(scene *s, const void *owner, int64_t time_ns, app_target *target, protocol_error *out_error);
/** In order of definition; NULL beyond the last. Valid until it is removed or replaced. */
const clash_target_definition *scene_target_at(const scene *s, size_t index);
/** NULL if there is none of that name; likewise. */
const clash_target_definition *scene_find_target(const scene *s, const char *name);
/** It is no more, and the caller's; nobody is told. NULL if there is none of that name. */
app_target *scene_take_target(scene *s, const char *name);
/** An owner's blade or target. -1 with out_error if it has none of that name. */
int scene_remove(scene *s, const void *owner, int64_t time_ns, const char *name, protocol_error *out_error);
/** A device that is no client's, with all that the owner has on it. Where others have something on it, it stays and is lost. */
void scene_remove_device(scene *s, const void *owner, int64_t time_ns, const char *name);
/** What a client has on a device that it feeds no more. */
void scene_remove_things(scene *s, const void *client, uint32_t device, int64_t time_ns);
/** Of all that a client has defined one thing goes, the last one first. False if it had nothing left: its feed has ended too. */
bool scene_owner_goes(scene *s, const void *client, int64_t time_ns);

/** Who owns the blades of those settings: the recording, where they are its header's or nobody's. */
const void *scene_owner_of_blades(const app_config *config);
/** NULL if there is no blade or target of that name. */
const void *scene_owner_of(const scene *s, const char *name);
/** Whether there is a blade of the settings or of a recording of that name that a client's stand in for, while it feeds the device. */
bool scene_is_displaced(const scene *s, const char *name);
/** In words, as in "a client has that name". */
const char *scene_owner_text(const void *owner);
/** How many blades or targets an owner has; NULL: all clients together. */
size_t scene_count(const scene *s, const void *owner, bool is_target);
bool scene_is_clients_device(const scene *s, const char *name);
/** Whether any blade or target is on it. */
bool scene_has_things(const scene *s, uint32_t device);
/** For feeds.c: a device with nothing on it is no more. */
void scene_forget_device(scene *s, uint32_t device, int64_t time_ns);

#endif
