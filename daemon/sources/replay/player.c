/* Recording items to a pose listener: see player.h. */
#include "player.h"

#include "ports/pose_rules.h"

bool player_takes(recording_item_kind kind)
{
    return kind == RECORDING_POSES || kind == RECORDING_TRACKING_LOST || kind == RECORDING_SPACE_CHANGED ||
           recording_is_change(kind);
}

/* One without poses says only that the step is over. */
static uint64_t player_report_poses(player *p, const recording_item *item, int64_t time_ns)
{
    const pose_listener *to = &p->listener;
    pose_frames frames = {to->context, to->frame, &p->is_stopped, .pending.time_ns = time_ns};

    if (item->pose_count == 0 && !p->is_in_step)
        return 0;
    p->is_in_step = item->more;
    for (size_t i = 0; i < item->pose_count; i++) {
        const protocol_own_pose *from = &item->poses[i];
        pose_sample sample = {to->device(to->context, from->device),
                              pose_flags_of(from->valid, from->tracked, from->teleport), from->pose};

        sample.flags |= (from->joined ? POSE_JOINED : 0u) | (from->holds ? POSE_HOLDS : 0u);
        if (from->source != CLASH_SOURCE_NONE)
            sample.flags |= pose_other_feed(from->source);
        if (!pose_frames_add(&frames, &sample))
            break;
    }
    return pose_frames_end(&frames, item->more);
}

static void player_report_blade(player *p, const clash_blade_definition *definition, int64_t time_ns)
{
    const clash_blade blade = clash_blade_of(definition);

    if (p->listener.blade)
        p->listener.blade(p->listener.context, time_ns, &blade);
}

void player_remove(player *p, const recording_item *item, int64_t time_ns)
{
    const bool is_target =
        item->kind == RECORDING_TARGET || (item->kind == RECORDING_REMOVE && item->target.name[0] != '\0');
    const bool is_blade = !is_target && item->blade.name[0] != '\0';

    if (is_target && p->listener.target_removed)
        p->listener.target_removed(p->listener.context, time_ns, item->target.name);
    else if (!is_target && p->listener.removed)
        p->listener.removed(p->listener.context, time_ns, is_blade ? item->blade.name : NULL,
                            is_blade ? NULL : item->device);
}

uint64_t player_play(player *p, const recording_item *item, int64_t time_ns)
{
    const pose_listener *to = &p->listener;

    if (item->kind == RECORDING_POSES)
        return player_report_poses(p, item, time_ns);
    if (item->kind == RECORDING_TRACKING_LOST)
        to->lost(to->context, to->device(to->context, item->device), time_ns, item->reason);
    else if (item->kind == RECORDING_SPACE_CHANGED)
        to->space_changed(to->context, time_ns);
    else if (item->kind == RECORDING_BLADE)
        player_report_blade(p, &item->blade, time_ns);
    else if (item->kind == RECORDING_TARGET && to->target)
        to->target(to->context, time_ns, &item->target);
    else if (item->kind == RECORDING_REMOVE)
        player_remove(p, item, time_ns);
    return 0;
}
