/* Which client feeds which device: who comes and goes; see feeds.h. */
#include "feeds_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static feed_rank rank_of(const protocol_feed *wanted)
{
    return wanted->source != CLASH_SOURCE_LAYER ? FEED_GAME : wanted->is_overlay ? FEED_OVERLAY : FEED_LAYER;
}

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
        const void *its = f ? f->feeders[rank_of(wanted)].client : NULL;
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
        for (size_t rank = FEED_CLIENTS; rank < FEED_RANKS; rank++)
            count += f->feeders[rank].client && f->feeders[rank].client != client;
    return count <= FEED_DEVICES_MAX ? 0
                                     : protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT,
                                                       "devices: all clients together may feed %d", FEED_DEVICES_MAX);
}

static bool is_wanted(const scene *s, const feed *f, feed_rank rank, const protocol_feed *wanted)
{
    const char *name = pipeline_device_name(s->pipeline, f->device);

    for (size_t i = 0; rank_of(wanted) == rank && i < wanted->count; i++)
        if (strcmp(wanted->devices[i], name) == 0)
            return true;
    return false;
}

/* Remove the devices that existed only because they were fed. */
static void drop_unfed(scene *s, int64_t time_ns)
{
    for (feed *f = s->feeds, *next; f; f = next) {
        const uint32_t id = f->device;

        next = f->next;
        if (s->devices[id].is_fed_only && !feeds_has_other(s, NULL, id) && !scene_has_things(s, id))
            scene_forget_device(s, id, time_ns);
    }
}

static void end_lanes(scene *s, const void *client, const protocol_feed *wanted, int64_t time_ns)
{
    bool is_any = false;

    for (feed *f = s->feeds; f; f = f->next)
        for (size_t rank = FEED_CLIENTS; rank < FEED_RANKS; rank++) {
            feeder *one = &f->feeders[rank];

            if (one->client != client || is_wanted(s, f, (feed_rank)rank, wanted))
                continue;
            scene_remove_things(s, client, f->device, time_ns);
            track_finish(&one->track);
            *one = (feeder){0};
            f->has_lost = is_any = true;
            if (f->active == rank)
                f->active = FEED_RANKS;
        }
    feeds_settle(s, time_ns);
    drop_unfed(s, time_ns);
    if (is_any && s->on_feed_end)
        s->on_feed_end(s->feed_end_context);
}

/* Make room for all that the feed needs, before anything of the client's is changed. Return false, without a trace, if there
 * is none. */
static bool reserve_lanes(scene *s, const protocol_feed *wanted)
{
    uint32_t made[FEED_DEVICES_MAX];
    size_t made_count = 0, i;

    for (i = 0; i < wanted->count; i++) {
        const bool is_new = pipeline_find_device(s->pipeline, wanted->devices[i]) == UINT32_MAX;
        const uint32_t id = pipeline_device(s->pipeline, wanted->devices[i]);

        if (id != UINT32_MAX && is_new)
            made[made_count++] = id;
        if (id == UINT32_MAX || (!s->devices[id].feed && !make_feed(s, id)))
            break;
        s->devices[id].is_fed_only |= is_new;
    }
    if (i == wanted->count)
        return true;
    while (made_count-- > 0) { /* nobody has been told of these */
        feeds_forget_device(s, made[made_count]);
        pipeline_remove_device(s->pipeline, made[made_count]);
        s->devices[made[made_count]] = (scene_device){0};
    }
    return false;
}

static void begin_lane(scene *s, const void *client, const char *name, const protocol_feed *wanted)
{
    feed *f = feed_of(s, pipeline_find_device(s->pipeline, name));
    feeder *one = &f->feeders[rank_of(wanted)];

    if (one->client && strcmp(one->space, wanted->space) != 0) { /* poses in another frame of reference follow */
        pipeline_counters ignored = {0};

        track_cut(&one->track, &ignored);
        if (f->active == rank_of(wanted))
            f->active = FEED_RANKS;
    }
    one->client = client;
    memcpy(one->space, wanted->space, sizeof one->space);
    one->has_stage = wanted->has_stage;
    one->stage = wanted->stage;
    one->max_gap_ns = wanted->max_gap_ns;
    one->has_haptics = wanted->has_haptics;
}

int scene_feed(scene *s, const void *client, const protocol_feed *wanted, int64_t time_ns, protocol_error *out_error)
{
    if (check_feed(s, client, wanted, out_error) != 0)
        return -1;
    if (!reserve_lanes(s, wanted))
        return protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "devices: clashd cannot follow any more");
    for (size_t i = 0; i < wanted->count; i++)
        begin_lane(s, client, wanted->devices[i], wanted);
    end_lanes(s, client, wanted, time_ns);
    return 0;
}
