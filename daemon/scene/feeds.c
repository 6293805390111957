/* Who feeds each device, by rank; see feeds.h. feeds_switch.c changes from one feeder to another. */
#include "feeds_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static feed_rank rank_of(clash_feed_source source)
{
    return source == CLASH_SOURCE_LAYER ? FEED_LAYER : FEED_GAME;
}

static feed *feed_of(const scene *s, uint32_t device)
{
    return device < PIPELINE_DEVICES_MAX ? s->devices[device].feed : NULL;
}

static feeder *feeder_of(feed *f, const void *client)
{
    if (f && client)
        for (size_t rank = FEED_LAYER; rank < FEED_RANKS; rank++)
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

    for (size_t rank = FEED_LAYER; f && rank < FEED_RANKS; rank++)
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

/* ---- who comes and goes ---- */

/* Start from the source's last sample: that is where the next feeder may have to continue. */
static feed *make_feed(scene *s, uint32_t id)
{
    feed *f = calloc(1, sizeof *f);
    pipeline_counters ignored = {0};
    pose_sample last;

    if (!f)
        return NULL;
    *f = (feed){.next = s->feeds, .device = id, .active = FEED_RANKS, .last_ns = INT64_MIN};
    f->had_samples = pipeline_last_sample(s->pipeline, id, &f->last_ns, &last);
    if (f->had_samples && s->devices[id].is_sources) {
        f->active = FEED_OWN;
        if (last.flags & POSE_VALID)
            track_push(&f->feeders[FEED_OWN].track, pipeline_get_settings(s->pipeline), f->last_ns, &last, &ignored);
        f->feeders[FEED_OWN].usable.is_live = (last.flags & POSE_VALID) != 0;
    }
    return s->devices[id].feed = s->feeds = f;
}

uint32_t feeds_first_device(const scene *s)
{
    return s->feeds->device;
}

void feeds_forget_device(scene *s, uint32_t device)
{
    feed *gone = feed_of(s, device);

    for (feed **at = &s->feeds; gone && *at; at = &(*at)->next)
        if (*at == gone) {
            *at = gone->next;
            for (size_t rank = 0; rank < FEED_RANKS; rank++)
                track_finish(&gone->feeders[rank].track);
            free(gone);
            break;
        }
    s->devices[device].feed = NULL;
}

static int check_feed(const scene *s, const void *client, const protocol_feed *wanted, protocol_error *out_error)
{
    size_t count = wanted->count;

    for (size_t i = 0; i < wanted->count; i++) {
        const uint32_t id = pipeline_find_device(s->pipeline, wanted->devices[i]);
        const feed *f = feed_of(s, id);
        const void *its = f ? f->feeders[rank_of(wanted->source)].client : NULL;
        const void *owner = id != UINT32_MAX ? s->devices[id].client : NULL;

        for (size_t k = 0; k < i; k++)
            if (strcmp(wanted->devices[k], wanted->devices[i]) == 0)
                return protocol_refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE, "devices: \"%s\" stands twice",
                                       wanted->devices[i]);
        if (its && its != client)
            return protocol_refuse(out_error, PROTOCOL_ERROR_NAME_TAKEN, "devices: another client feeds \"%s\"",
                                   wanted->devices[i]);
        if (owner && owner != client)
            return protocol_refuse(out_error, PROTOCOL_ERROR_NAME_TAKEN, "devices: \"%s\" is another client's",
                                   wanted->devices[i]);
    }
    for (const feed *f = s->feeds; f; f = f->next)
        for (size_t rank = FEED_LAYER; rank < FEED_RANKS; rank++)
            count += f->feeders[rank].client && f->feeders[rank].client != client;
    return count <= FEED_DEVICES_MAX ? 0
                                     : protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT,
                                                       "devices: all clients together may feed %d", FEED_DEVICES_MAX);
}

static bool is_wanted(const scene *s, const feed *f, feed_rank rank, const protocol_feed *wanted)
{
    const char *name = pipeline_device_name(s->pipeline, f->device);

    for (size_t i = 0; rank_of(wanted->source) == rank && i < wanted->count; i++)
        if (strcmp(wanted->devices[i], name) == 0)
            return true;
    return false;
}

/* Remove a device that exists only because it was fed. */
static void drop_if_only_fed(scene *s, uint32_t id, int64_t time_ns)
{
    if (s->devices[id].is_fed_only && !feeds_has_other(s, NULL, id) && !scene_has_things(s, id))
        scene_forget_device(s, id, time_ns);
}

static void end_lanes(scene *s, const void *client, const protocol_feed *wanted, int64_t time_ns)
{
    for (feed *f = s->feeds; f; f = f->next)
        for (size_t rank = FEED_LAYER; rank < FEED_RANKS; rank++) {
            feeder *one = &f->feeders[rank];

            if (one->client != client || is_wanted(s, f, (feed_rank)rank, wanted))
                continue;
            scene_remove_things(s, client, f->device, time_ns);
            track_finish(&one->track);
            *one = (feeder){0};
            f->has_lost = true;
            if (f->active == rank)
                f->active = FEED_RANKS;
        }
    feeds_settle(s, time_ns);
    for (feed *f = s->feeds, *next; f; f = next) {
        next = f->next;
        drop_if_only_fed(s, f->device, time_ns);
    }
}

static int begin_lane(scene *s, const void *client, const char *name, const protocol_feed *wanted)
{
    const bool is_new = pipeline_find_device(s->pipeline, name) == UINT32_MAX;
    const uint32_t id = pipeline_device(s->pipeline, name);
    feed *f = id == UINT32_MAX ? NULL : s->devices[id].feed ? s->devices[id].feed : make_feed(s, id);
    feeder *one = f ? &f->feeders[rank_of(wanted->source)] : NULL;

    if (!f)
        return -1;
    s->devices[id].is_fed_only |= is_new;
    if (one->client && strcmp(one->space, wanted->space) != 0) { /* poses in another frame of reference follow */
        pipeline_counters ignored = {0};

        track_cut(&one->track, &ignored);
        if (f->active == rank_of(wanted->source))
            f->active = FEED_RANKS;
    }
    one->client = client;
    memcpy(one->space, wanted->space, sizeof one->space);
    one->has_stage = wanted->has_stage;
    one->stage = wanted->stage;
    one->has_haptics = wanted->has_haptics;
    return 0;
}

int scene_feed(scene *s, const void *client, const protocol_feed *wanted, int64_t time_ns, protocol_error *out_error)
{
    int result = 0;

    if (check_feed(s, client, wanted, out_error) != 0)
        return -1;
    for (size_t i = 0; i < wanted->count && result == 0; i++)
        result = begin_lane(s, client, wanted->devices[i], wanted);
    if (result != 0)
        result = protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "devices: clashd cannot follow any more");
    end_lanes(s, client, result == 0 ? wanted : &(protocol_feed){.count = 0}, time_ns);
    return result;
}

/* ---- poses ---- */

/* Return whether the sample goes to the pipeline with its frame. If not, its feeder keeps it until the switch. */
static bool take_sample(scene *s, feed *f, const void *client, int64_t time_ns, const pose_sample *sample,
                        int64_t arrived_ns)
{
    feeder *one = client ? feeder_of(f, client) : &f->feeders[FEED_OWN];
    pipeline_counters ignored = {0};
    feed_rank chosen;
    bool is_active;

    if (!one)
        return true; /* a device of the client's own */
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

    if (!s->feeds) {
        feeds_deliver(s, frame);
        return;
    }
    rest = *frame;
    rest.count = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        feed *f = feed_of(s, frame->samples[i].device);

        if (!f || take_sample(s, f, client, frame->time_ns, &frame->samples[i], arrived_ns))
            rest.samples[rest.count++] = frame->samples[i];
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

static uint64_t check_feeds(scene *s, int64_t time_ns, int64_t since_ns)
{
    uint64_t silent = 0;

    for (feed *f = s->feeds; f; f = f->next)
        for (size_t rank = FEED_LAYER; rank < FEED_RANKS; rank++)
            if (pose_falls_silent(&f->feeders[rank].usable, since_ns)) {
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
