/* What exists, whose it is, and who is told: blades, targets and devices, each with one owner. Every definition and
 * removal takes this way: check the name, tell the sinks, change the pipeline, in this order. What an owner defined
 * goes with that owner and with nobody else. Times are CLOCK_MONOTONIC; reads no clock. Loop's thread. */
#ifndef CLASHD_SCENE_SCENE_H
#define CLASHD_SCENE_SCENE_H

#include "mesh/loader.h"
#include "ports/event_sink.h"
#include "ports/log.h"
#include "ports/pose_rules.h"
#include "protocol/messages/codec.h"
#include "targets.h"

/** Owners: the settings, the replayed recording, or otherwise the address of a client. */
extern const char scene_settings[], scene_recording[];

/** A device: a client's, or one that the settings and recordings share. */
typedef struct scene_device {
    const void *client;     /* NULL: no client's */
    uint32_t things;        /* that client's blades and targets on it; it goes with the last of them */
    bool is_sources;        /* the source knows it */
    bool is_fed_only;       /* it goes with its last feeder */
    bool is_bad;            /* the source's last pose was bad */
    uint8_t bad_named;      /* times that the log said so */
    struct feed *feed;      /* see feeds.h; NULL: no client has fed it */
    pose_arrivals arrivals; /* of that client, or of whoever sends to the source */
} scene_device;

typedef struct scene {
    pipeline *pipeline;
    const event_sink *sinks;            /* must outlive it */
    logger log;                         /* may be zeroed */
    scene_device *devices;              /* by the pipeline's ids */
    clash_feed_source own;              /* the kind of source; NONE without one */
    struct feed *feeds;                 /* of all devices */
    struct displaced *displaced;        /* replaced by a client's for now */
    uint32_t games;                     /* clients that feed devices and have blades of their own */
    bool has_default_blades;            /* the settings' blades are the defaults, which give way to games' */
    bool is_aside_logged;               /* the log said that they did */
    struct pending_targets *late;       /* a recording's targets that wait for files; NULL: none ever do */
    int64_t last_ns;                    /* of the source's last report */
    uint64_t feed_switches;             /* so far */
    void (*on_feed_end)(void *context); /* a client feeds a device no longer; NULL: nothing is called */
    void *feed_end_context;
    pose_rate rate;          /* of what is sent to the source */
    bool is_sent_poses;      /* the source has passed on what was sent to it: its devices may fall silent */
    bool is_rate_exceeded;   /* and the log said so */
    bool is_replaced_logged; /* a sample at another pose, of the same time as the one before */
    bool is_in_step;         /* the last frame promised more of the same time */
} scene;

/** Open an empty scene with its own pipeline, whose events go to the sinks, which must outlive it. Return 0, or -1 when
 *  out of memory; close it in either case. */
int scene_open(scene *s, const pipeline_settings *settings, const event_sink *sinks, logger log);
void scene_close(scene *s);
/** Define the settings' blades or targets, waiting for the targets' files. Return 0, or -1 with a message in
 *  out_failure. */
int scene_define_blades_of(scene *s, const config_values *config, failure *out_failure);
int scene_define_targets_of(scene *s, const config_values *config, failure *out_failure);
/** Open a scene with the settings' contact, blades and targets. Return 0, or -1 with a message in out_failure; close it
 *  in either case. */
int scene_open_of(scene *s, const config_values *config, const event_sink *sinks, logger log, failure *out_failure);

/** Return the listener for a source; without `equipment` and `ended`, and without `target` before
 *  scene_open_pending. */
pose_listener scene_listener(scene *s);
/** The listener's functions of these names, for whoever adds to them. */
void scene_source_frame(scene *s, const pose_frame *frame);
size_t scene_source_sent(scene *s, int64_t time_ns, int64_t now_ns, const pose_sample *samples, size_t count);
/** From now on a recording's targets may wait for files; `hold` says whether poses must wait. Return 0, or -1 when out
 *  of memory. Close `late` before the loader and before the scene. */
int scene_open_pending(scene *s, surface_loader *loader, void (*hold)(void *s, bool is_held));

/** Check whether an owner may define a blade or target of that name on that device ("": on none). Return 0, or -1 with
 *  the reason. */
int scene_check(const scene *s, const void *owner, const char *name, bool is_target, const char *device,
                protocol_error *out_error);
/** Define, replacing the owner's own thing of that name. Return 0, or -1 with out_error: then nothing has changed,
 *  except that when out of memory the old one may be gone. The scene takes the target in either case. */
int scene_define_blade(scene *s, const void *owner, int64_t time_ns, const clash_blade *blade,
                       protocol_error *out_error);
int scene_define_target(scene *s, const void *owner, int64_t time_ns, scene_target *target, protocol_error *out_error);
/** Return a target in order of definition, or NULL past the last. Valid until it is removed or replaced. */
const clash_target_definition *scene_target_at(const scene *s, size_t index);
/** Return the target of that name, or NULL. Valid as above. */
const clash_target_definition *scene_find_target(const scene *s, const char *name);
/** Take a target out and hand it to the caller; nobody is told. Return NULL if there is none of that name. */
scene_target *scene_take_target(scene *s, const char *name);
/** Remove an owner's blade or target. Return -1 with out_error if it has none of that name. */
int scene_remove(scene *s, const void *owner, int64_t time_ns, const char *name, protocol_error *out_error);
/** Remove a device that is no client's, with all that the owner has on it. If others have something on it, it stays and
 *  is reported lost. */
void scene_remove_device(scene *s, const void *owner, int64_t time_ns, const char *name);
/** Remove what a client has on a device that it no longer feeds. */
void scene_remove_things(scene *s, const void *client, uint32_t device, int64_t time_ns);
/** Remove one thing that a client defined, the last first. Return false if nothing was left: its feed has ended too. */
bool scene_owner_goes(scene *s, const void *client, int64_t time_ns);

/** Return who owns those settings' blades: the recording if they come from its header or from nobody. */
const void *scene_owner_of_blades(const config_values *config);
/** Return the owner of the blade or target of that name, or NULL. */
const void *scene_owner_of(const scene *s, const char *name);
/** Return whether a blade of the settings or a recording has that name and is set aside for clients' blades. */
bool scene_is_displaced(const scene *s, const char *name);
/** Fill in the names of blades that clients' replace now, at most `most` of them. Return how many. */
size_t scene_list_displaced(const scene *s, const char **out_names, size_t most);
/** One more, or one less, client that feeds devices and has blades of its own. As long as there is one the default
 *  settings' blades are set aside, on every device. */
void scene_add_game(scene *s, int64_t time_ns);
void scene_drop_game(scene *s, int64_t time_ns);
/** Say whether the settings' blades are the defaults, which games' blades replace. */
void scene_set_default_blades(scene *s, bool are_default, int64_t time_ns);
/** Return words as in "a client has that name". */
const char *scene_owner_text(const void *owner);
/** Return how many blades or targets an owner has; NULL: all clients together. */
size_t scene_count(const scene *s, const void *owner, bool is_target);
bool scene_is_clients_device(const scene *s, const char *name);
/** Return whether any blade or target is on the device. */
bool scene_has_things(const scene *s, uint32_t device);
/** For feeds.c: remove a device with nothing on it. */
void scene_forget_device(scene *s, uint32_t device, int64_t time_ns);

#endif
