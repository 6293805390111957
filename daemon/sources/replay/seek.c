/* Going elsewhere in a recording: what is followed is cut at once; the blades and targets that there are at the other place are defined
 * and no others; then the way from the nearest place in the index is skimmed, a stretch each turn of the loop, until the
 * time is found. Times that the listener is told never run back: the shift grows if they would. */
#include "replay_private.h"

#include <stdio.h>
#include <stdlib.h>

/* Lines a turn of the loop: about as long as a batch that is played. */
#define REPLAY_STRETCH 2000
#define REPLAY_STRETCH_NS 3000000

static int replay_refuse(failure *out_failure, const char *why)
{
    return fail_int(out_failure, "%s", why);
}

/* Deliver the definitions that hold after so many changes again, or take them back. */
static int replay_apply_blades(replay *r, size_t changes, bool is_removal, const char **lines)
{
    const size_t count = recording_index_blades(r->index, changes, lines);

    for (size_t i = 0; i < count && r->handles; i++) {
        if (!recording_parse(lines[i], &r->next))
            return -1;
        if (is_removal)
            player_remove(&r->player, &r->next, r->wire_ns);
        else
            player_play(&r->player, &r->next, r->wire_ns);
    }
    return 0;
}

static int replay_restore_blades(replay *r, size_t changes)
{
    const char **lines;
    int result;

    if (changes == r->changes)
        return 0;
    lines = malloc(RECORDING_INDEX_CHANGES_MAX * sizeof *lines);
    if (!lines)
        return -1;
    result = replay_apply_blades(r, r->changes, true, lines) < 0 ? -1 : replay_apply_blades(r, changes, false, lines);
    free(lines);
    r->changes = changes;
    return result;
}

static void replay_cut(replay *r)
{
    const pose_listener *to = &r->player.listener;

    if (r->has_delivered && to->jumped)
        to->jumped(to->context, r->wire_ns);
    r->player.is_in_step = false;
}

int replay_seek_begin(replay *r, int64_t target_ns, failure *out_failure)
{
    size_t changes;
    const recording_place *from = recording_index_find(r->index, target_ns, &changes);
    recording_place place;

    if (!from)
        return replay_refuse(out_failure, "the recording has no poses");
    if (recording_index_is_overfull(r->index))
        return replay_refuse(out_failure, "the recording changes its blades and targets too often to be gone through");
    place = *from;
    if (replay_go(r, &place) < 0)
        return replay_refuse(out_failure, "the recording cannot be read from another place: expected a file");
    replay_cut(r);
    if (replay_restore_blades(r, changes) < 0)
        LOG_WARNING(&r->log, "%s: the blades of that time cannot all be read again", r->path);
    r->is_seeking = true;
    r->ended = false;
    r->steps_left = 0;
    r->target_ns = target_ns;
    return 0;
}

void replay_arrive(replay *r)
{
    r->is_landing = false;
    if (r->next_kind != RECORDING_END && r->has_delivered && replay_wire_ns(r, r->next.time_ns) <= r->wire_ns)
        r->shift_ns = r->wire_ns - r->settings.epoch_ns + REPLAY_SEAM_NS - r->next.time_ns;
    if (r->next_kind != RECORDING_END)
        replay_clock_set(&r->clock, r->next.time_ns, uv_hrtime());
}

/* What comes behind that place is what is to be played next. */
static void replay_land(replay *r)
{
    const recording_place place = r->place;

    replay_go(r, &place);
    r->is_landing = true;
    replay_read_ahead(r);
    r->is_seeking = false;
    if (r->clock.is_paused)
        r->steps_left++;
    replay_notify_changed(r);
}

void replay_seek_go_on(replay *r)
{
    const uint64_t began_ns = uv_hrtime();

    for (int i = 0; i < REPLAY_STRETCH && r->handles && !r->is_held && !r->is_waiting &&
                    uv_hrtime() - began_ns < REPLAY_STRETCH_NS;
         i++) {
        replay_read(r, recording_skim);
        if (r->next_kind == RECORDING_END || (r->next_kind == RECORDING_POSES && r->next.time_ns >= r->target_ns)) {
            replay_land(r);
            return;
        }
        if (!recording_is_change(r->next_kind))
            continue;
        r->changes++;
        player_play(&r->player, &r->next, r->wire_ns);
    }
}
