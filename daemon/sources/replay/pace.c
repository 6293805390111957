/* When what is delivered: by a timer at the recording's times, or a batch a turn of the loop if there is nothing to wait
 * for. Blocking reads of a regular file, a batch at a time, whatever is in it. And what a client may ask for. */
#include "replay_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Items a turn of the loop: some 3 ms of work as a rule; if these take longer, no more time than that. */
#define REPLAY_BATCH 256
#define REPLAY_TURN_NS 3000000

static void replay_end(replay *r)
{
    const recording_counters *counters = recording_get_counters(r->file);

    r->ended = true;
    r->steps_left = 0;
    if (recording_get_error(r->file))
        LOG_ERROR(&r->log, "%s", recording_get_error(r->file));
    if (counters->damaged + counters->torn > 0)
        LOG_WARNING(&r->log, "%s: %" PRIu64 " of %" PRIu64 " lines were damaged and skipped", r->path,
                    counters->damaged + counters->torn, counters->lines);
    LOG_DEBUG(&r->log, "%s: %" PRIu64 " frames played", r->path, r->frames);
    r->player.listener.ended(r->player.listener.context);
    replay_notify_changed(r);
}

/* A recording in which nothing was played is not begun again: that would be all there ever is. */
static void replay_finish_pass(replay *r)
{
    failure why = {0};

    if (!r->settings.loops || r->pass_frames == 0 || recording_get_error(r->file)) {
        replay_end(r);
    } else if (replay_seek_begin(r, INT64_MIN, &why) < 0) {
        LOG_ERROR(&r->log, "%s: cannot begin again: %s", r->path, why.text);
        replay_end(r);
    } else {
        r->passes++;
        r->pass_frames = 0;
    }
}

static bool replay_is_due(const replay *r, uint64_t now_ns)
{
    return r->steps_left > 0 || replay_clock_due_ns(&r->clock, r->next.time_ns) <= now_ns;
}

/* While it stands still, the clock stands where it was left. */
static void replay_hold_clock(replay *r)
{
    if (r->clock.is_paused && r->has_delivered)
        replay_clock_set(&r->clock, r->delivered_ns, uv_hrtime());
}

/* Return false if the listener stopped us. */
static bool replay_play_batch(replay *r)
{
    const uint64_t now_ns = uv_hrtime();

    for (int i = 0; i < REPLAY_BATCH && !r->is_held && !r->is_waiting && r->next_kind != RECORDING_END; i++) {
        if (r->next_kind != RECORDING_LATER && !replay_is_due(r, now_ns))
            break;
        if (r->next_kind != RECORDING_LATER)
            replay_deliver_next(r);
        if (!r->handles)
            return false;
        replay_read_ahead(r);
        if (uv_hrtime() - now_ns > REPLAY_TURN_NS)
            break;
    }
    return true;
}

static void replay_take_turn(replay *r)
{
    const bool was_stepping = r->steps_left > 0;

    if (r->is_seeking) {
        replay_seek_go_on(r);
    } else if (!r->ended) {
        if (!replay_play_batch(r))
            return;
        if (was_stepping)
            replay_hold_clock(r);
        if (r->next_kind == RECORDING_END && !r->is_held && !r->is_waiting &&
            !(r->clock.is_paused && r->steps_left == 0))
            replay_finish_pass(r);
        else if (was_stepping && r->steps_left == 0)
            replay_notify_changed(r);
    }
    replay_schedule(r);
}

static void replay_on_timer(uv_timer_t *timer)
{
    replay_take_turn(timer->data);
}

static void replay_on_idle(uv_idle_t *idle)
{
    replay_take_turn(idle->data);
}

/* 0: at once. UINT64_MAX: not by itself. */
static uint64_t replay_next_turn_ns(const replay *r)
{
    if (r->is_seeking || (r->steps_left > 0 && !r->ended))
        return 0;
    if (!r->ended && r->next_kind == RECORDING_LATER)
        return 0;
    if (r->ended || r->clock.is_paused)
        return UINT64_MAX;
    return r->next_kind == RECORDING_END ? 0 : replay_clock_due_ns(&r->clock, r->next.time_ns);
}

void replay_schedule(replay *r)
{
    const uint64_t due_ns = replay_next_turn_ns(r);
    uint64_t now_ns;

    if (!r->handles)
        return;
    uv_timer_stop(&r->handles->timer);
    uv_idle_stop(&r->handles->idle);
    if (r->is_held || r->is_waiting)
        return;
    if (due_ns == UINT64_MAX || (due_ns == 0 && uv_idle_start(&r->handles->idle, replay_on_idle) == 0))
        return;
    now_ns = uv_hrtime();
    uv_update_time(r->loop);
    /* Timers count milliseconds: waking early and looking again would spin, so the wait is rounded up. */
    if (uv_timer_start(&r->handles->timer, replay_on_timer, due_ns > now_ns ? (due_ns - now_ns + 999999) / 1000000 : 0,
                       0) != 0)
        uv_idle_start(&r->handles->idle, replay_on_idle); /* better too early than never */
}

void replay_begin(replay *r)
{
    replay_schedule(r);
}

void replay_source_hold(pose_source *source, bool is_held)
{
    replay *r = (replay *)source;

    if (is_held == r->is_held)
        return;
    r->is_held = is_held;
    if (is_held)
        r->held_since_ns = uv_hrtime();
    else
        replay_clock_stood(&r->clock, r->held_since_ns, uv_hrtime());
    replay_schedule(r);
}

void replay_wait(pose_source *source, bool is_held)
{
    replay *r = (replay *)source;

    if (is_held == r->is_waiting)
        return;
    r->is_waiting = is_held;
    replay_schedule(r);
}

/* ---- what may be asked for ---- */

static int replay_resume(replay *r, failure *out_failure)
{
    if (r->ended && replay_seek_begin(r, INT64_MIN, out_failure) < 0)
        return -1;
    r->steps_left = 0;
    replay_clock_resume(&r->clock, uv_hrtime());
    return 0;
}

static int replay_step(replay *r, uint64_t count, failure *out_failure)
{
    if (r->ended) {
        return fail_int(out_failure, "the recording is over: there is no frame to step to");
    }
    replay_clock_pause(&r->clock, uv_hrtime());
    r->steps_left += count;
    return 0;
}

/* As fast as it goes there is no time to go on from: then it is that of what comes next. */
static void replay_set_speed(replay *r, double speed)
{
    const uint64_t now_ns = uv_hrtime();

    if (r->clock.speed == REPLAY_SPEED_MAX && r->handles && r->next_kind != RECORDING_END &&
        r->next_kind != RECORDING_LATER)
        replay_clock_set(&r->clock, r->next.time_ns, now_ns);
    replay_clock_set_speed(&r->clock, speed, now_ns);
}

int replay_source_command(pose_source *source, const replay_command *command, failure *out_failure)
{
    replay *r = (replay *)source;
    int result = 0;

    if (!r->handles && (command->action == REPLAY_STEP || command->action == REPLAY_SEEK)) {
        return fail_int(out_failure, "the replay has not begun yet");
    }
    switch (command->action) {
    case REPLAY_PAUSE:
        r->steps_left = 0;
        replay_clock_pause(&r->clock, uv_hrtime());
        break;
    case REPLAY_RESUME:
        result = replay_resume(r, out_failure);
        break;
    case REPLAY_STEP:
        result = replay_step(r, command->count, out_failure);
        break;
    case REPLAY_SEEK:
        result = replay_seek_begin(r, command->time_ns, out_failure);
        break;
    case REPLAY_SPEED:
        replay_set_speed(r, command->speed);
        break;
    }
    if (result == 0) {
        replay_schedule(r);
        replay_notify_changed(r);
    }
    return result;
}
