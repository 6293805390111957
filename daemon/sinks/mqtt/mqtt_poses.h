/* A frame as it is published. Pure. */
#ifndef CLASHD_SINKS_MQTT_MQTT_POSES_H
#define CLASHD_SINKS_MQTT_MQTT_POSES_H

#include "ports/event_sink.h"
#include "protocol/messages/codec.h"

/** List the samples that have a name and finite numbers, at most POSE_FRAME_SAMPLES_MAX; names are not copied. Return
 *  how many. */
size_t mqtt_poses_list(const device_names *names, const pose_frame *frame, protocol_pose *out_poses);

#endif
