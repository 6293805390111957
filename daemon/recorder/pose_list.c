/* Turn frames into lists of poses. See pose_list.h. */
#include "pose_list.h"

#include "ports/pose_rules.h"

/* Without POSE_VALID there is no pose, and its numbers may be anything. */
bool pose_list_fill_one(protocol_pose *out_pose, const pose_sample *sample, const device_names *names)
{
    static const clash_pose nowhere = {.orientation = {0.0f, 0.0f, 0.0f, 1.0f}};
    bool valid = (sample->flags & POSE_VALID) != 0;

    *out_pose = (protocol_pose){
        .device = names->name(names->context, sample->device),
        .pose = valid ? sample->pose : nowhere,
        .tracked = (sample->flags & POSE_TRACKED) != 0,
        .valid = valid,
        .teleport = (sample->flags & POSE_TELEPORT) != 0,
        .joined = (sample->flags & POSE_JOINED) != 0,
        .holds = (sample->flags & POSE_HOLDS) != 0,
        .source = pose_source_of(sample),
    };
    return out_pose->device && pose_is_finite(&out_pose->pose);
}

size_t pose_list_fill(protocol_pose *out_poses, const pose_frame *frame, const device_names *names, uint64_t *refused)
{
    size_t count = 0;

    for (uint32_t i = 0; i < frame->count && i < POSE_FRAME_SAMPLES_MAX; i++) {
        if (pose_list_fill_one(&out_poses[count], &frame->samples[i], names))
            count++;
        else
            (*refused)++;
    }
    return count;
}
