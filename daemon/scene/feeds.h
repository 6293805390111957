/* Who feeds a device: whose poses are its samples. A client may feed devices that clashd has a source for, or that nobody has.
 * A game comes before the layer, and both before the source: the lower one yields from the first usable pose of the higher
 * one on, and takes over again when that stops. What the others send meanwhile is kept as a track of their own, so that
 * who takes over begins, by the motion between two samples, just where the one before has ended: of what both have covered
 * nothing is lost. The first sample of another feed says so (POSE_OTHER_FEED). All poses of the daemon go this way. Times are CLOCK_MONOTONIC; reads
 * no clock. Loop's thread. */
#ifndef CLASHD_SCENE_FEEDS_H
#define CLASHD_SCENE_FEEDS_H

#include "scene.h"

/** Devices that all clients together feed. */
#define FEED_DEVICES_MAX 256

/** A client's feed: takes the place of its one before as a whole; without devices it ends. 0, or -1 with out_error: then nothing
 *  has changed, but if there is no room for a device: then it feeds none. */
int scene_feed(scene *s, const void *client, const protocol_feed *wanted, int64_t time_ns, protocol_error *out_error);
/** When poses of that device came from that client, whether it feeds it or owns it. NULL: neither. */
pose_arrivals *scene_find_arrivals(const scene *s, const void *client, const char *device, uint32_t *out_id);

/** Poses of the source (NULL), or of a client of devices that it owns or feeds; `arrived_ns`: when a client's came. */
void scene_frame(scene *s, const void *client, const pose_frame *frame, int64_t arrived_ns);
/** What else a source reports: see ports/pose_source.h. */
uint32_t scene_source_device(scene *s, const char *name);
void scene_source_lost(scene *s, uint32_t device, int64_t time_ns, clash_tracking_reason reason);
void scene_source_space_changed(scene *s, int64_t time_ns);
/** All of its devices are lost. */
void scene_source_gone(scene *s, int64_t time_ns, clash_tracking_reason reason);
/** Cuts devices of clients, and ends feeds, of which nothing has come since `since_ns`, up to one of which the step is left
 *  unfinished. How many. */
uint64_t scene_check_silence(scene *s, int64_t time_ns, int64_t since_ns);

/** The frame of reference that a client has named for that device; NULL: that of the session. */
const char *scene_space_of(const scene *s, uint32_t device);
/** That space from OpenXR's STAGE, as that client says; NULL: it does not. Valid until its next feed. */
const clash_pose *scene_stage_of(const scene *s, uint32_t device);
/** The client that feeds the device now, if it lets that vibrate in clashd's place; else NULL. */
const void *scene_haptics_of(const scene *s, uint32_t device);

/** For scene.c: the device is no more. */
void feeds_forget_device(scene *s, uint32_t device);
/** Of those that have one; there is one. */
uint32_t feeds_first_device(const scene *s);
/** Whether that client feeds it. */
bool feeds_has(const scene *s, const void *client, uint32_t device);
/** Whether another client than that one feeds it. */
bool feeds_has_other(const scene *s, const void *client, uint32_t device);

#endif
