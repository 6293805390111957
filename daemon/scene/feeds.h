/* Who feeds a device: whose poses are its samples. A client may feed devices of clashd's own source, or others. A game
 * ranks above the layer, and both above the source: the lower yields from the higher's first usable pose on, and takes
 * over again when the higher stops. What the others send meanwhile is kept in tracks of their own, so that the next
 * feeder continues exactly where the last one ended, by its motion between two samples: no instant that both covered is
 * lost. The first sample of another feeder says so (POSE_OTHER_FEED). All poses of the daemon pass here. Times are
 * CLOCK_MONOTONIC; reads no clock. Loop's thread. */
#ifndef CLASHD_SCENE_FEEDS_H
#define CLASHD_SCENE_FEEDS_H

#include "scene.h"

/** Devices that all clients may feed together. */
#define FEED_DEVICES_MAX 256
/** Two of a client's poses that are at most this far apart are swept across, unless the settings or its feed say
 *  otherwise. */
#define FEED_GAP_NS INT64_C(100000000)

/** Set a client's feed; it replaces the client's last one as a whole, and ends without devices. Return 0, or -1 with
 *  out_error: then nothing has changed. */
int scene_feed(scene *s, const void *client, const protocol_feed *wanted, int64_t time_ns, protocol_error *out_error);
/** Return how far apart two of a client's poses may be that are swept across, if its feed asked for `max_gap_ns` (0: for
 *  nothing); 0: as contact.max_gap_ms allows. */
int64_t scene_gap_of_feed(const scene *s, int64_t max_gap_ns);
/** Return when poses of that device came from that client, as its feeder or owner; NULL if it is neither. */
pose_arrivals *scene_find_arrivals(const scene *s, const void *client, const char *device, uint32_t *out_id);

/** Take poses of the source (`client` NULL), or of a client that owns or feeds their devices; `arrived_ns`: when a
 *  client's came. */
void scene_frame(scene *s, const void *client, const pose_frame *frame, int64_t arrived_ns);
/** The source's other reports; see ports/pose_source.h. */
uint32_t scene_source_device(scene *s, const char *name);
void scene_source_lost(scene *s, uint32_t device, int64_t time_ns, clash_tracking_reason reason);
void scene_source_space_changed(scene *s, int64_t time_ns);
/** Report all devices of the source lost. */
void scene_source_gone(scene *s, int64_t time_ns, clash_tracking_reason reason);
/** Cut devices and end feeds whose senders sent nothing since `since_ns`; stop early if a cut leaves the step unfinished.
 *  Return how many. */
uint64_t scene_check_silence(scene *s, int64_t time_ns, int64_t since_ns);

/** Return the frame of reference that the feeding client named for that device; NULL: the session's. */
const char *scene_space_of(const scene *s, uint32_t device);
/** Return that space's pose in OpenXR's STAGE, if its client gave one; else NULL. Valid until its next feed. */
const clash_pose *scene_stage_of(const scene *s, uint32_t device);
/** Return the client that feeds the device now if it plays the device's vibration in clashd's place; else NULL. */
const void *scene_haptics_of(const scene *s, uint32_t device);

/** For scene.c: the device is gone. */
void feeds_forget_device(scene *s, uint32_t device);
/** Return one device that has a feed; there must be one. */
uint32_t feeds_first_device(const scene *s);
/** Return whether that client feeds the device. */
bool feeds_has(const scene *s, const void *client, uint32_t device);
/** Return whether another client feeds the device. */
bool feeds_has_other(const scene *s, const void *client, uint32_t device);

#endif
