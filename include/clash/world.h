/* The world finds clashes: blades, targets and devices go in, then samples; each step moves every blade rigidly from one sample to
 * the next and returns what happened on the way, in order of time.
 *
 *     clash_world *world = clash_world_create(NULL);
 *     uint32_t hand = clash_world_device(world, "/user/hand/right");
 *     clash_world_set_blade(world, &(clash_blade){.name = "sword", .device = "/user/hand/right", .properties.shape = saber});
 *     clash_world_set_target(world, &(clash_target){.name = "post", .pose = at, .shape = post});
 *     ...                                                                                         in every frame:
 *     clash_world_add_sample(world, hand, time_ns, &pose, CLASH_SAMPLE_VALID | CLASH_SAMPLE_TRACKED);
 *     clash_events found = clash_world_step(world);
 *
 * Stage space, metres, nanoseconds of any clock. The same calls give the same events, bit for bit, on every machine: the world
 * reads no clock, does no I/O, and allocates only to do more than ever before. No call asserts on its input. One thread at a time. */
#ifndef CLASH_WORLD_H
#define CLASH_WORLD_H

#include <clash/blade.h>
#include <clash/event.h>
#include <clash/target.h>

CLASH_BEGIN_DECLS

typedef struct clash_world clash_world;

/** How closing speed becomes the intensity of an event, 0..1; the formulas are in PROTOCOL.md, "Contacts". */
typedef enum clash_intensity_curve { CLASH_INTENSITY_LINEAR, CLASH_INTENSITY_LOGARITHMIC } clash_intensity_curve;

/** What a world does with contacts. Begin with clash_world_def_default(), which has clashd's defaults. */
typedef struct clash_world_def {
    float margin;               /**< two blades touch at a distance of their radii plus this, m, >= 0 */
    float release_margin;       /**< they are apart again this much further away, m, >= 0 */
    float min_closing_speed;    /**< a contact that begins slower has no events, m/s, >= 0; 0: all have */
    float hold_rate_hz;         /**< holds per second of contact, 0 (none) .. 1000 */
    int64_t max_gap_ns;         /**< samples further apart than this are not joined by a motion, ns, > 0 */
    bool gap_by_rate;           /**< join less: 3.5 of the device's own periods, but at least 40 ms */
    bool require_tracked;       /**< a sample without CLASH_SAMPLE_TRACKED cuts its track */
    float full_intensity_speed; /**< closing speed of intensity 1, m/s, > 0 */
    clash_intensity_curve intensity_curve;
} clash_world_def;

/** Return the defaults: margin 0, release margin 5 mm, every contact, 30 holds a second, gaps up to 100 ms by rate, tracked
 *  samples only, logarithmic intensity up to 200 m/s. */
CLASH_API clash_world_def clash_world_def_default(void);

/** Create an empty world. `def` (copied) may be NULL for the defaults. Return NULL when out of memory, or if a number of `def`
 *  is not finite or not in its range. */
CLASH_API clash_world *clash_world_create(const clash_world_def *def);
CLASH_API void clash_world_destroy(clash_world *world);

/** Return the id of a device name (copied), creating the device; UINT32_MAX if there is no room for one more (16384), or the name
 *  is empty or has more than 127 bytes. The id is valid until the device is removed. */
CLASH_API uint32_t clash_world_device(clash_world *world, const char *name);
/** Remove a device with its blades and targets; their open contacts are released. Return false if there is none of that id. */
CLASH_API bool clash_world_remove_device(clash_world *world, uint32_t device);

/** Add a blade, or change the one of that name. Everything is copied; the device is created if it is new. A blade that changes
 *  on its device keeps its open contacts and its place in the order of pairs: all that follows is swept with its new shape. Return
 *  NULL, or why the blade is refused, as a static string; then nothing has changed, except that a blade that goes to another device is
 *  gone if memory ends. */
CLASH_API const char *clash_world_set_blade(clash_world *world, const clash_blade *blade);
/** Add a target, or replace the one of that name, whose contacts are then released. Everything is copied but a mesh or terrain,
 *  which must outlive the target. The same definition again changes nothing. Return NULL, or why it is refused, likewise; a target
 *  that is replaced is gone if memory ends. */
CLASH_API const char *clash_world_set_target(clash_world *world, const clash_target *target);
/** Remove the blade or target of that name; its open contacts are released. Return false if there is none. */
CLASH_API bool clash_world_remove(clash_world *world, const char *name);

typedef enum clash_sample_flags {
    CLASH_SAMPLE_VALID = 1u << 0,    /**< there is a pose; without it the track is cut and the device is lost */
    CLASH_SAMPLE_TRACKED = 1u << 1,  /**< measured, not guessed or repeated */
    CLASH_SAMPLE_TELEPORT = 1u << 2, /**< nothing is swept from the sample before to this one */
    CLASH_SAMPLE_HOLDS = 1u << 5     /**< the device stays there until its next sample: each later step has it there */
} clash_sample_flags;

/** Times are within this of 0, either way: 73 years, ns. */
#define CLASH_TIME_MAX_NS (INT64_C(1) << 61)

/** Add a sample for the next step: where the device is (stage_from_device, copied; NULL only without CLASH_SAMPLE_VALID) at a time.
 *  Samples of one device must have rising times; the later of two with one time replaces the earlier. A sample that is late, not
 *  finite, beyond CLASH_COORDINATE_MAX or not a rotation is refused and counted, and changes nothing else. */
CLASH_API void clash_world_add_sample(clash_world *world, uint32_t device, int64_t time_ns, const clash_pose *pose,
                                      uint32_t flags);
/** Cut the device's track in the next step: nothing is swept from its last sample up to `time_ns` to its next one, and open
 *  contacts are released (track_cut). The device counts as tracked as before. */
CLASH_API void clash_world_cut(clash_world *world, uint32_t device, int64_t time_ns);

/** Events in order of time_ns; those of one time in the order of pairs. */
typedef struct clash_events {
    const clash_event *events;
    size_t count;
} clash_events;

/** Take all samples and cuts since the last step, in order of time, and return the events that they cause, with the releases of what
 *  was removed or changed since. `seq` counts them from 1 without a gap. The array, and the names and parts that its events point
 *  to, belong to the world and are valid until the next call that is not a query. */
CLASH_API clash_events clash_world_step(clash_world *world);

/** What happened since creation. */
typedef struct clash_world_counters {
    uint64_t samples;            /**< that entered a track */
    uint64_t refused_late;       /**< samples before the device's last one, or beyond CLASH_TIME_MAX_NS */
    uint64_t refused_not_finite; /**< samples with a number that is not finite */
    uint64_t refused_too_far;    /**< samples beyond CLASH_COORDINATE_MAX */
    uint64_t refused_not_unit;   /**< samples whose quaternion's length is further than 0.01 from 1 */
    uint64_t refused_unknown;    /**< samples of ids that are not a device's */
    uint64_t replaced;           /**< samples that replaced one of the same time */
    uint64_t cuts;               /**< tracks cut, for any reason */
    uint64_t overruns;           /**< times that a pair skipped samples that had left the ring of 1024 */
    uint64_t sweeps;             /**< intervals of pairs whose boxes met */
    uint64_t contacts;           /**< started, with events or without */
    uint64_t starved;            /**< contacts, events or samples lost because memory ended; else 0 */
} clash_world_counters;

CLASH_API clash_world_counters clash_world_get_counters(const clash_world *world);

/** Query: where the device is at a time, on the motion between two samples, or at its last one. Return false, and leave `out_pose`
 *  alone, if it is not followed at that time, no longer known, or not a device's id. */
CLASH_API bool clash_world_pose_at(const clash_world *world, uint32_t device, int64_t time_ns, clash_pose *out_pose);

CLASH_END_DECLS

#endif
