/* Source: a recording as poses; see replay.h. This part is its life, and what it gives to the player. One item is read
 * ahead. */
#include "replay_private.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lines that are not played, read before others come first. */
#define REPLAY_PASSED_OVER 256
/* Damaged lines that are named one by one; the others are only counted. */
#define REPLAY_DAMAGE_NAMED 8

static void replay_on_damage(void *context, uint64_t line_number, const char *message)
{
    replay *r = context;

    r->damage_named++;
    if (r->damage_named <= REPLAY_DAMAGE_NAMED)
        LOG_WARNING(&r->log, "%s line %" PRIu64 ": %s; skipped", r->path, line_number, message);
    else if (r->damage_named == REPLAY_DAMAGE_NAMED + 1)
        LOG_WARNING(&r->log, "%s: further damaged lines are counted and not named", r->path);
}

recording_item_kind replay_read(replay *r, recording_item_kind (*read)(recording *, recording_item *))
{
    if (!r->is_reading)
        recording_get_place(r->file, &r->place);
    r->next_kind = read(r->file, &r->next);
    r->is_reading = r->next_kind == RECORDING_LATER;
    if (!r->is_reading)
        recording_index_note(r->index, &r->place, &r->next);
    return r->next_kind;
}

int replay_go(replay *r, const recording_place *place)
{
    r->is_reading = false;
    return recording_go(r->file, place);
}

void replay_read_ahead(replay *r)
{
    for (int i = 0; i < REPLAY_PASSED_OVER; i++) {
        const recording_item_kind kind = replay_read(r, recording_next);

        if (kind != RECORDING_END && kind != RECORDING_LATER && !player_takes(kind))
            continue;
        if (kind != RECORDING_LATER && r->is_landing)
            replay_arrive(r);
        return;
    }
    r->next_kind = RECORDING_LATER;
}

void replay_notify_changed(replay *r)
{
    if (r->settings.changed)
        r->settings.changed(r->settings.context);
}

/* ---- delivering ---- */

int64_t replay_wire_ns(const replay *r, int64_t file_ns)
{
    const int64_t time_ns = file_ns + r->shift_ns; /* either is below 2^54 */

    return r->settings.epoch_ns + (time_ns < REPLAY_TIME_MAX_NS ? time_ns : REPLAY_TIME_MAX_NS);
}

void replay_deliver_next(replay *r)
{
    const int64_t wire_ns = replay_wire_ns(r, r->next.time_ns);
    uint64_t frames;

    if (!r->has_delivered || wire_ns > r->wire_ns)
        r->wire_ns = wire_ns;
    r->delivered_ns = r->next.time_ns;
    r->has_delivered = true;
    r->changes += recording_is_change(r->next_kind);
    frames = player_play(&r->player, &r->next, wire_ns);
    r->frames += frames;
    r->pass_frames += frames;
    if (frames > 0 && r->steps_left > 0 && !r->player.is_in_step)
        r->steps_left--;
}

/* ---- the port ---- */

static void replay_on_close(uv_handle_t *handle)
{
    replay_handles *handles = handle->data;

    if (--handles->open == 0)
        free(handles);
}

static int replay_open_handles(replay *r)
{
    replay_handles *handles = calloc(1, sizeof *handles);

    if (!handles)
        return -1;
    handles->timer.data = handles->idle.data = handles;
    if (uv_timer_init(r->loop, &handles->timer) != 0) {
        free(handles);
        return -1;
    }
    handles->open = 1;
    if (uv_idle_init(r->loop, &handles->idle) != 0) {
        uv_close((uv_handle_t *)&handles->timer, replay_on_close);
        return -1;
    }
    handles->open = 2;
    handles->timer.data = handles->idle.data = r;
    r->handles = handles;
    return 0;
}

static int replay_start(pose_source *source, const pose_listener *listener)
{
    replay *r = (replay *)source;

    assert(!r->handles);
    if (r->started_before && recording_rewind(r->file) < 0) {
        LOG_ERROR(&r->log, "%s: cannot be played again from its beginning", r->path);
        return -1;
    }
    if (replay_open_handles(r) < 0) {
        LOG_ERROR(&r->log, "%s: out of memory, or of timers", r->path);
        return -1;
    }
    r->player = (player){.listener = *listener};
    r->started_before = true;
    r->ended = r->is_seeking = r->has_delivered = r->is_reading = r->is_held = r->is_waiting = false;
    r->is_landing = true;
    r->steps_left = r->passes = r->pass_frames = 0;
    r->shift_ns = 0;
    r->changes = 0;
    replay_read_ahead(r);
    replay_begin(r);
    return 0;
}

static void replay_stop(pose_source *source)
{
    replay *r = (replay *)source;
    replay_handles *handles = r->handles;

    if (!handles)
        return;
    r->handles = NULL;
    r->player.is_stopped = true;
    handles->timer.data = handles->idle.data = handles;
    uv_close((uv_handle_t *)&handles->timer, replay_on_close);
    uv_close((uv_handle_t *)&handles->idle, replay_on_close);
}

static const char *replay_state_name(const replay *r)
{
    return r->ended                             ? "ended"
           : !r->handles                        ? "waiting"
           : r->is_seeking || r->steps_left > 0 ? "seeking"
           : r->clock.is_paused                 ? "paused"
                                                : "running";
}

static void replay_status(const pose_source *source, pose_source_status *out_status)
{
    const replay *r = (const replay *)source;

    *out_status = (pose_source_status){
        .kind = "replay",
        .state = replay_state_name(r),
        .runtime = r->path,
        .detail = !r->ended                      ? ""
                  : recording_get_error(r->file) ? recording_get_error(r->file)
                                                 : "played to its end",
        .frames = r->frames,
        .broken = r->ended && recording_get_error(r->file),
    };
}

static int64_t replay_between(int64_t time_ns, int64_t first_ns, int64_t last_ns)
{
    return time_ns < first_ns ? first_ns : time_ns > last_ns ? last_ns : time_ns;
}

void replay_source_get_state(const pose_source *source, replay_state *out_state)
{
    const replay *r = (const replay *)source;
    const recording_counters *counters = recording_get_counters(r->file);
    int64_t first_ns = 0, last_ns = 0;

    if (!recording_index_times(r->index, &first_ns, &last_ns) || last_ns < r->end_ns)
        last_ns = r->end_ns;
    *out_state = (replay_state){
        .file = r->path,
        .state = replay_state_name(r),
        .is_paused = r->clock.is_paused,
        .loops = r->settings.loops,
        .speed = r->clock.speed,
        .position_ns = r->is_seeking      ? replay_between(r->target_ns, first_ns, last_ns)
                       : r->has_delivered ? r->delivered_ns
                                          : first_ns,
        .first_ns = first_ns,
        .last_ns = last_ns,
        .shift_ns = r->shift_ns,
        .frames = r->frames,
        .passes = r->passes,
        .damaged = counters->damaged + counters->torn,
    };
}

static void replay_destroy(pose_source *source)
{
    replay *r = (replay *)source;

    replay_stop(source);
    recording_close(r->file);
    recording_index_destroy(r->index);
    free(r->path);
    free(r);
}

static replay *replay_allocate(const char *path)
{
    replay *r = calloc(1, sizeof *r);

    if (!r)
        return NULL;
    r->path = strdup(path);
    r->index = recording_index_create();
    if (r->path && r->index)
        return r;
    recording_index_destroy(r->index);
    free(r->path);
    free(r);
    return NULL;
}

pose_source *replay_source_create(const replay_settings *settings, uv_loop_t *loop, logger log, failure *out_failure)
{
    replay *r = replay_allocate(settings->path);

    assert(settings->speed == REPLAY_SPEED_MAX || (settings->speed > 0 && isfinite(settings->speed)));
    if (!r) {
        fail_with(out_failure, "%s: out of memory", settings->path);
        return NULL;
    }
    r->source = (pose_source){.start = replay_start,
                              .stop = replay_stop,
                              .hold = replay_wait,
                              .status = replay_status,
                              .destroy = replay_destroy};
    r->settings = *settings;
    r->settings.path = r->path;
    r->clock.speed = settings->speed;
    r->loop = loop;
    r->log = log;
    r->file = recording_open_file(settings->path, replay_on_damage, r, out_failure);
    if (!r->file) {
        replay_destroy(&r->source);
        return NULL;
    }
    recording_set_budget(r->file, REPLAY_READ_BUDGET);
    recording_find_end(settings->path, &r->end_ns);
    return &r->source;
}
