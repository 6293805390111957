/* See mqtt_poses.h. */
#include "mqtt_poses.h"

#include "ports/pose_rules.h"

size_t mqtt_poses_list(const device_names *names, const pose_frame *frame, protocol_pose *out_poses)
{
    static const clash_pose nowhere = {.orientation = {0.0f, 0.0f, 0.0f, 1.0f}};
    size_t count = 0;

    for (uint32_t i = 0; i < frame->count && i < POSE_FRAME_SAMPLES_MAX; i++) {
        const pose_sample *sample = &frame->samples[i];
        const bool valid = (sample->flags & POSE_VALID) != 0;
        protocol_pose *pose = &out_poses[count];

        *pose = (protocol_pose){
            .device = names->name(names->context, sample->device),
            .pose = valid ? sample->pose : nowhere,
            .tracked = (sample->flags & POSE_TRACKED) != 0,
            .valid = valid,
            .teleport = (sample->flags & POSE_TELEPORT) != 0,
            .joined = (sample->flags & POSE_JOINED) != 0,
            .holds = (sample->flags & POSE_HOLDS) != 0,
            .source = pose_source_of(sample),
        };
        count += pose->device && pose_is_finite(&pose->pose);
    }
    return count;
}
