/* What the feeders of a device send; see feeds.h. feeds_clients.c says who they are, feeds_switch.c changes from one to another. */
#include "feeds_private.h"

static feeder *feeder_of(feed *f, const void *client)
{
    if (f && client)
        for (size_t rank = FEED_CLIENTS; rank < FEED_RANKS; rank++)
            if (f->feeders[rank].client == client)
                return &f->feeders[rank];
    return NULL;
}

bool feeds_has(const scene *s, const void *client, uint32_t device)
{
    return feeder_of(feed_of(s, device), client) != NULL;
}

bool feeds_has_other(const scene *s, const void *client, uint32_t device)
{
    const feed *f = feed_of(s, device);

    for (size_t rank = FEED_CLIENTS; f && rank < FEED_RANKS; rank++)
        if (f->feeders[rank].client && f->feeders[rank].client != client)
            return true;
    return false;
}

pose_arrivals *scene_find_arrivals(const scene *s, const void *client, const char *device, uint32_t *out_id)
{
    const uint32_t id = *out_id = pipeline_find_device(s->pipeline, device);
    feeder *one = feeder_of(feed_of(s, id), client);

    if (one)
        return &one->arrivals;
    return id != UINT32_MAX && s->devices[id].client == client ? &s->devices[id].arrivals : NULL;
}

/* Return the client that feeds the device now, or NULL. */
static const feeder *active_feeder(const scene *s, uint32_t device)
{
    const feed *f = feed_of(s, device);

    return f && f->active < FEED_RANKS && f->feeders[f->active].client ? &f->feeders[f->active] : NULL;
}

const char *scene_space_of(const scene *s, uint32_t device)
{
    const feeder *one = active_feeder(s, device);

    return one ? one->space : NULL;
}

const clash_pose *scene_stage_of(const scene *s, uint32_t device)
{
    const feeder *one = active_feeder(s, device);

    return one && one->has_stage ? &one->stage : NULL;
}

const void *scene_haptics_of(const scene *s, uint32_t device)
{
    const feeder *one = active_feeder(s, device);

    return one && one->has_haptics ? one->client : NULL;
}

/* ---- poses ---- */

int64_t scene_gap_of_feed(const scene *s, int64_t max_gap_ns)
{
    const pipeline_settings *settings = pipeline_get_settings(s->pipeline);

    return max_gap_ns > 0 ? max_gap_ns : settings->gap_by_rate ? FEED_GAP_NS : 0;
}

/* What a client's feed asked for counts for the devices that the client owns, too: one hitch holds up all of its poses. */
static int64_t gap_asked_by(const scene *s, const void *client)
{
    for (feed *f = s->feeds; f; f = f->next) {
        const feeder *one = feeder_of(f, client);

        if (one)
            return one->max_gap_ns;
    }
    return 0;
}

/* Return the flag with which a client's sample is swept to, or not, whatever its device's rate says: a game that hitches
 * goes on where it was. 0: as contact.max_gap_ms has it. */
static uint32_t join_flag(const scene *s, const void *client, const feeder *one, uint32_t device, int64_t time_ns)
{
    const pipeline_settings *settings = pipeline_get_settings(s->pipeline);
    const int64_t max_gap_ns = scene_gap_of_feed(s, one ? one->max_gap_ns : gap_asked_by(s, client));
    int64_t last_ns;
    pose_sample last;

    if (max_gap_ns == 0)
        return 0;
    if (!one && !pipeline_last_sample(s->pipeline, device, &last_ns, &last))
        return 0;
    if (one && track_is_empty(&one->track))
        return 0;
    if (one)
        last_ns = track_last(&one->track)->time_ns;
    if (time_ns - last_ns > max_gap_ns)
        return time_ns - last_ns > settings->max_gap_ns ? 0u : POSE_TELEPORT; /* 0: too far apart anyway */
    return time_ns - last_ns > (settings->gap_by_rate ? TRACK_GAP_LEAST_NS : settings->max_gap_ns) ? POSE_JOINED : 0u;
}

/* Return whether the sample goes to the pipeline with its frame. If not, its feeder keeps it until the switch. */
static bool take_sample(scene *s, feed *f, const void *client, int64_t time_ns, pose_sample *sample, int64_t arrived_ns)
{
    feeder *one = client ? feeder_of(f, client) : f ? &f->feeders[FEED_OWN] : NULL;
    pipeline_counters ignored = {0};
    feed_rank chosen;
    bool is_active;

    if (client && sample->flags & POSE_VALID)
        sample->flags |= join_flag(s, client, one, sample->device, time_ns);
    if (!one)
        return true; /* no client feeds it, or it is a device of the client's own */
    one->track.wanted_ns = f->last_ns;
    if (track_push(&one->track, pipeline_get_settings(s->pipeline), time_ns, sample, &ignored) == TRACK_ENTERED)
        pose_arrive(&one->usable, time_ns, arrived_ns);
    chosen = feeds_choose(f);
    is_active =
        f->active < FEED_RANKS && one == &f->feeders[f->active] && (chosen == f->active || chosen == FEED_RANKS);
    if (is_active && time_ns > f->last_ns)
        f->last_ns = time_ns;
    return is_active;
}

void scene_frame(scene *s, const void *client, const pose_frame *frame, int64_t arrived_ns)
{
    pose_frame rest;

    if (!s->feeds && !client) {
        feeds_deliver(s, frame);
        return;
    }
    rest = *frame;
    rest.count = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        pose_sample sample = frame->samples[i];

        if (take_sample(s, feed_of(s, sample.device), client, frame->time_ns, &sample, arrived_ns))
            rest.samples[rest.count++] = sample;
    }
    feeds_switch(s);
    if (rest.count > 0 || (s->is_in_step && !rest.more))
        feeds_deliver(s, &rest);
}

uint32_t scene_source_device(scene *s, const char *name)
{
    uint32_t id = scene_is_clients_device(s, name) ? UINT32_MAX : pipeline_device(s->pipeline, name);

    if (id == UINT32_MAX || s->devices[id].is_sources)
        return id;
    s->devices[id].is_sources = true;
    s->devices[id].is_fed_only = false;
    if (pipeline_device_source(s->pipeline, id) == CLASH_SOURCE_NONE)
        pipeline_set_source(s->pipeline, id, s->own);
    return id;
}

static void lose_feeder(feeder *one)
{
    pipeline_counters ignored = {0};

    one->usable.is_live = false;
    track_cut(&one->track, &ignored);
}

void scene_source_lost(scene *s, uint32_t device, int64_t time_ns, clash_tracking_reason reason)
{
    feed *f = feed_of(s, device);

    if (f) {
        lose_feeder(&f->feeders[FEED_OWN]);
        if (f->active != FEED_OWN || feeds_choose(f) != FEED_RANKS)
            return;
        f->last_ns = time_ns > f->last_ns ? time_ns : f->last_ns;
    }
    pipeline_lost(s->pipeline, device, time_ns, reason);
}

void scene_source_gone(scene *s, int64_t time_ns, clash_tracking_reason reason)
{
    for (uint32_t device = 0; device < pipeline_device_count(s->pipeline); device++)
        if (!s->devices[device].client)
            scene_source_lost(s, device, time_ns, reason);
}

/* If others feed all devices of the source, its new space does not concern them: it only takes over in that space
 * later. */
void scene_source_space_changed(scene *s, int64_t time_ns)
{
    bool is_used = !s->feeds;

    for (uint32_t i = 0; s->feeds && i < pipeline_device_count(s->pipeline); i++) {
        feed *f = s->devices[i].feed;

        if (f)
            track_finish(&f->feeders[FEED_OWN].track);
        is_used |= s->devices[i].is_sources && (!f || f->active == FEED_OWN);
    }
    if (is_used)
        pipeline_space_changed(s->pipeline, time_ns);
}

/* ---- silence ---- */

/* A feed is not silent as long as its next pose would be joined to the last one. */
static int64_t silent_since(const feeder *one, int64_t time_ns, int64_t since_ns)
{
    const int64_t joined_ns = time_ns - one->max_gap_ns;

    return joined_ns < since_ns ? joined_ns : since_ns;
}

static uint64_t check_feeds(scene *s, int64_t time_ns, int64_t since_ns)
{
    uint64_t silent = 0;

    for (feed *f = s->feeds; f; f = f->next)
        for (size_t rank = FEED_CLIENTS; rank < FEED_RANKS; rank++)
            if (pose_falls_silent(&f->feeders[rank].usable, silent_since(&f->feeders[rank], time_ns, since_ns))) {
                lose_feeder(&f->feeders[rank]);
                f->has_lost |= f->active == rank;
                silent++;
            }
    if (silent > 0)
        feeds_settle(s, time_ns);
    return silent;
}

uint64_t scene_check_silence(scene *s, int64_t time_ns, int64_t since_ns)
{
    uint64_t silent = check_feeds(s, time_ns, since_ns);

    for (uint32_t i = 0; i < pipeline_device_count(s->pipeline) && !pipeline_is_unfinished(s->pipeline); i++) {
        if (!pose_falls_silent(&s->devices[i].arrivals, since_ns))
            continue;
        silent++;
        if (s->devices[i].client)
            pipeline_lost(s->pipeline, i, time_ns, CLASH_TRACKING_LOST);
        else
            scene_source_lost(s, i, time_ns, CLASH_TRACKING_LOST);
    }
    return silent;
}
