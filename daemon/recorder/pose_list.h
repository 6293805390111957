/* A frame as the poses of a line: device ids become names, and what cannot be written is left out. Shared by the sinks
 * that write poses. Pure. */
#ifndef CLASHD_RECORDER_POSE_LIST_H
#define CLASHD_RECORDER_POSE_LIST_H

#include "ports/event_sink.h"
#include "protocol/messages/codec.h"

/** Fill in one pose. Return false if it is to be left out. */
bool pose_list_fill_one(protocol_pose *out_pose, const pose_sample *sample, const device_names *names);
/** Write at most POSE_FRAME_SAMPLES_MAX poses; return how many. Adds to `refused` the samples left out: their numbers
 *  are not finite, or their device has no name. */
size_t pose_list_fill(protocol_pose *out_poses, const pose_frame *frame, const device_names *names, uint64_t *refused);

#endif
