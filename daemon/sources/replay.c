/* Source: a recording as poses; see replay.h. One item is read ahead; it waits for its time, or with REPLAY_SPEED_MAX for
 * the next turn of the loop. Blocking reads of a local file, a batch at a time. */
#include "sources/replay.h"

#include "recording.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Items a turn of the loop at REPLAY_SPEED_MAX: some 3 ms of work. */
#define REPLAY_BATCH 256
/* Damaged lines that are named one by one; the others are only counted. */
#define REPLAY_DAMAGE_NAMED 8
#define REPLAY_ERROR_MAX 512

/* What the loop holds; outlives the source until both have closed. */
typedef struct replay_handles {
    uv_timer_t timer;
    uv_idle_t idle;
    int open;
} replay_handles;

typedef struct replay {
    pose_source source;
    uv_loop_t *loop;
    logger log;
    char *path;
    double speed;
    int64_t epoch_ns;
    recording *file;
    uint64_t damage_named;
    pose_listener listener;
    replay_handles *handles; /* NULL: stopped */
    bool started_before, ended;
    uint64_t started_at_ns; /* of the loop's clock, when the first item was due */
    int64_t first_ns;       /* the first item's time */
    bool has_first;
    bool is_in_step; /* the last frame promised more of its time */
    uint64_t frames;
    recording_item_kind next_kind;
    recording_item next;
} replay;

static void replay_on_damage(void *context, uint64_t line_number, const char *message)
{
    replay *r = context;

    r->damage_named++;
    if (r->damage_named <= REPLAY_DAMAGE_NAMED)
        LOG_WARNING(&r->log, "%s line %" PRIu64 ": %s; skipped", r->path, line_number, message);
    else if (r->damage_named == REPLAY_DAMAGE_NAMED + 1)
        LOG_WARNING(&r->log, "%s: further damaged lines are counted and not named", r->path);
}

/* Events that clashd wrote are not played: they come anew from the poses. Nor are gaps: a long one cuts the tracks, as
 * it did. */
static void replay_read_ahead(replay *r)
{
    do
        r->next_kind = recording_next(r->file, &r->next);
    while (r->next_kind == RECORDING_EVENT || r->next_kind == RECORDING_GAP || r->next_kind == RECORDING_MARK ||
           r->next_kind == RECORDING_EQUIPMENT);
    if (r->next_kind != RECORDING_END && !r->has_first) {
        r->has_first = true;
        r->first_ns = r->next.time_ns;
    }
}

/* ---- delivering ---- */

static pose_sample replay_sample(const replay *r, const recording_pose *from)
{
    pose_sample sample = {.device = r->listener.device(r->listener.context, from->device), .pose = from->pose};

    if (from->valid)
        sample.flags |= POSE_VALID | (from->tracked ? POSE_TRACKED : 0u);
    if (from->teleport)
        sample.flags |= POSE_TELEPORT;
    return sample;
}

static void replay_deliver_poses(replay *r)
{
    pose_frame frame = {.time_ns = r->epoch_ns + r->next.time_ns};
    size_t taken = 0;

    if (r->next.pose_count == 0 && !r->is_in_step)
        return;
    do {
        for (frame.count = 0; frame.count < POSE_FRAME_SAMPLES_MAX && taken < r->next.pose_count; taken++)
            frame.samples[frame.count++] = replay_sample(r, &r->next.poses[taken]);
        frame.more = r->is_in_step = taken < r->next.pose_count || r->next.more;
        r->frames++;
        r->listener.frame(r->listener.context, &frame);
    } while (taken < r->next.pose_count && r->handles);
}

static void replay_deliver_blade(replay *r, int64_t time_ns)
{
    const recording_blade *b = &r->next.blade;
    const pose_blade blade = {.name = b->name,
                              .device = b->device,
                              .shape = b->shape,
                              .has_edge = b->has_edge,
                              .edge = b->edge,
                              .sword = b->sword.part_count > 0 ? &b->sword : NULL};

    r->listener.blade(r->listener.context, time_ns, &blade);
}

static void replay_deliver_next(replay *r)
{
    int64_t time_ns = r->epoch_ns + r->next.time_ns;

    if (r->next_kind == RECORDING_POSES)
        replay_deliver_poses(r);
    else if (r->next_kind == RECORDING_TRACKING_LOST)
        r->listener.lost(r->listener.context, r->listener.device(r->listener.context, r->next.device), time_ns,
                         r->next.reason);
    else if (r->next_kind == RECORDING_SPACE_CHANGED)
        r->listener.space_changed(r->listener.context, time_ns);
    else if (r->next_kind == RECORDING_BLADE && r->listener.blade)
        replay_deliver_blade(r, time_ns);
    else if (r->next_kind == RECORDING_REMOVE && r->listener.removed)
        r->listener.removed(r->listener.context, time_ns, r->next.blade.name[0] ? r->next.blade.name : NULL,
                            r->next.blade.name[0] ? NULL : r->next.device);
}

static void replay_end(replay *r)
{
    const recording_counters *counters = recording_get_counters(r->file);

    uv_timer_stop(&r->handles->timer);
    uv_idle_stop(&r->handles->idle);
    r->ended = true;
    if (counters->damaged + counters->torn > 0)
        LOG_WARNING(&r->log, "%s: %" PRIu64 " damaged lines of %" PRIu64 " were skipped", r->path,
                    counters->damaged + counters->torn, counters->lines);
    LOG_DEBUG(&r->log, "%s: %" PRIu64 " frames played", r->path, r->frames);
    r->listener.ended(r->listener.context);
}

/* ---- pacing ---- */

/* When the next item is due, on the clock of uv_hrtime(). A recording's time may jump by any amount either way. */
static uint64_t replay_due_ns(const replay *r)
{
    double after = ((double)r->next.time_ns - (double)r->first_ns) / r->speed;

    if (!(after > 0))
        return r->started_at_ns;
    return after < (double)(INT64_MAX / 2) ? r->started_at_ns + (uint64_t)after : UINT64_MAX;
}

static void replay_on_timer(uv_timer_t *timer)
{
    replay *r = timer->data;
    uint64_t now_ns = uv_hrtime(), due_ns;

    for (int i = 0; i < REPLAY_BATCH && r->next_kind != RECORDING_END && replay_due_ns(r) <= now_ns; i++) {
        replay_deliver_next(r);
        if (!r->handles)
            return; /* the listener stopped us */
        replay_read_ahead(r);
    }
    if (r->next_kind == RECORDING_END) {
        replay_end(r);
        return;
    }
    due_ns = replay_due_ns(r);
    now_ns = uv_hrtime();
    uv_update_time(r->loop);
    /* Timers count milliseconds: waking early and looking again would spin, so the wait is rounded up. */
    uv_timer_start(timer, replay_on_timer, due_ns > now_ns ? (due_ns - now_ns + 999999) / 1000000 : 0, 0);
}

static void replay_on_idle(uv_idle_t *idle)
{
    replay *r = idle->data;

    for (int i = 0; i < REPLAY_BATCH && r->next_kind != RECORDING_END; i++) {
        replay_deliver_next(r);
        if (!r->handles)
            return;
        replay_read_ahead(r);
    }
    if (r->next_kind == RECORDING_END)
        replay_end(r);
}

/* ---- the port ---- */

static int replay_open_handles(replay *r)
{
    r->handles = calloc(1, sizeof *r->handles);
    if (!r->handles)
        return -1;
    uv_timer_init(r->loop, &r->handles->timer);
    uv_idle_init(r->loop, &r->handles->idle);
    r->handles->timer.data = r->handles->idle.data = r;
    r->handles->open = 2;
    return 0;
}

static void replay_on_close(uv_handle_t *handle)
{
    replay_handles *handles = handle->data;

    if (--handles->open == 0)
        free(handles);
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
        LOG_ERROR(&r->log, "%s: out of memory", r->path);
        return -1;
    }
    r->listener = *listener;
    r->started_before = true;
    r->ended = r->has_first = r->is_in_step = false;
    replay_read_ahead(r);
    r->started_at_ns = uv_hrtime();
    if (r->speed == REPLAY_SPEED_MAX)
        uv_idle_start(&r->handles->idle, replay_on_idle);
    else
        uv_timer_start(&r->handles->timer, replay_on_timer, 0, 0);
    return 0;
}

static void replay_stop(pose_source *source)
{
    replay *r = (replay *)source;
    replay_handles *handles = r->handles;

    if (!handles)
        return;
    r->handles = NULL;
    handles->timer.data = handles->idle.data = handles;
    uv_close((uv_handle_t *)&handles->timer, replay_on_close);
    uv_close((uv_handle_t *)&handles->idle, replay_on_close);
}

static void replay_status(const pose_source *source, pose_source_status *out_status)
{
    const replay *r = (const replay *)source;

    *out_status = (pose_source_status){
        .kind = "replay",
        .state = r->ended     ? "ended"
                 : r->handles ? "running"
                              : "waiting",
        .runtime = r->path,
        .detail = r->ended ? "played to its end" : "",
        .frames = r->frames,
    };
}

static void replay_destroy(pose_source *source)
{
    replay *r = (replay *)source;

    replay_stop(source);
    recording_close(r->file);
    free(r->path);
    free(r);
}

pose_source *replay_source_create(const replay_settings *settings, uv_loop_t *loop, logger log, char *out_error,
                                  size_t error_size)
{
    replay *r = calloc(1, sizeof *r);

    assert(settings->speed == REPLAY_SPEED_MAX || (settings->speed > 0 && isfinite(settings->speed)));
    if (!r || !(r->path = strdup(settings->path))) {
        snprintf(out_error, error_size, "%s: out of memory", settings->path);
        free(r);
        return NULL;
    }
    r->source =
        (pose_source){.start = replay_start, .stop = replay_stop, .status = replay_status, .destroy = replay_destroy};
    r->loop = loop;
    r->log = log;
    r->speed = settings->speed;
    r->epoch_ns = settings->epoch_ns;
    r->file = recording_open(settings->path, replay_on_damage, r, out_error, error_size);
    if (!r->file) {
        free(r->path);
        free(r);
        return NULL;
    }
    return &r->source;
}
