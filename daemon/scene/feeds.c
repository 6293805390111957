#include "feeds.h"

#include "pipeline/track.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** The highest rank feeds. */
typedef enum feed_rank { FEED_OWN, FEED_OVERLAY, FEED_LAYER, FEED_GAME, FEED_RANKS } feed_rank;
/** The lowest rank of a client. */
#define FEED_CLIENTS FEED_OVERLAY

/** One party that feeds a device, and what it sends. */
typedef struct feeder {
    const void *client; /* NULL: nobody, or clashd's own source */
    char space[PROTOCOL_SPACE_MAX];
    bool has_stage, has_haptics; /* as in protocol_feed */
    clash_pose stage;
    int64_t max_gap_ns;     /* as its feed asked; 0: not at all */
    pose_arrivals arrivals; /* of all its poses, */
    pose_arrivals usable;   /* and of the usable ones: while these are live it can feed */
    track track;
} feeder;

/** The feeders of one device. */
typedef struct feed {
    struct feed *next;
    uint32_t device;
    feed_rank active; /* whose sample the pipeline had last; FEED_RANKS: nobody's, or that of one who is gone */
    bool had_samples; /* the pipeline has had one */
    bool has_lost;    /* the active feeder is gone */
    int64_t last_ns;  /* time of the pipeline's last sample */
    feeder feeders[FEED_RANKS];
    /* During a switch: */
    bool is_switched, has_next;
    uint64_t next_index; /* in the active feeder's track, of the sample after this one: */
    int64_t next_ns;
    pose_sample sample;
} feed;

/** NULL: no client has fed it. */
static inline feed *feed_of(const scene *s, uint32_t device)
{
    return device < PIPELINE_DEVICES_MAX ? s->devices[device].feed : NULL;
}

/* ---- changing from one feeder to another ---- */

/* Return the rank that feeds from now on; FEED_RANKS: none does. */
static feed_rank choose(const feed *f)
{
    for (int rank = FEED_GAME; rank >= FEED_OWN; rank--)
        if (f->feeders[rank].usable.is_live)
            return (feed_rank)rank;
    return FEED_RANKS;
}

/* Hand a frame to the sinks and the world. */
static void deliver(scene *s, const pose_frame *frame)
{
    s->is_in_step = frame->more;
    pipeline_finish(s->pipeline); /* a frame comes after all events of the step before */
    if (s->sinks->frame)
        s->sinks->frame(s->sinks->context, frame);
    pipeline_frame(s->pipeline, frame);
}

static clash_feed_source source_of(const scene *s, feed_rank rank)
{
    return rank == FEED_GAME ? CLASH_SOURCE_GAME : rank == FEED_OWN ? s->own : CLASH_SOURCE_LAYER;
}

/* Load the active feeder's sample of that index, if there is one. */
static void load_next(feed *f, uint64_t index)
{
    const track *t = &f->feeders[f->active].track;
    const track_sample *from;

    f->has_next = index < t->end;
    if (!f->has_next)
        return;
    from = track_at(t, index);
    f->next_index = index + 1;
    f->next_ns = from->time_ns;
    f->sample = (pose_sample){
        .device = f->device, .pose = from->pose, .flags = POSE_VALID | (from->tracked ? POSE_TRACKED : 0u)};
    if (index > track_first(t) && track_at(t, index - 1)->segment != from->segment)
        f->sample.flags |= POSE_TELEPORT;
    else if (index > track_first(t) && from->time_ns - track_at(t, index - 1)->time_ns > TRACK_GAP_LEAST_NS)
        f->sample.flags |= POSE_JOINED; /* its own track joins them */
}

/* Load the first sample of the chosen feeder (perhaps the active one, after it waited for another in vain). If its
 * motion began before the old one's end, that is its place at that end. Return false if nothing has come since. */
static bool begin(scene *s, feed *f, feed_rank chosen)
{
    const track *t = &f->feeders[chosen].track;
    uint64_t index = track_first(t);
    clash_pose pose;
    bool is_other;

    while (index < t->end && track_at(t, index)->time_ns <= f->last_ns)
        index++;
    if (index == t->end)
        return false;
    is_other = f->active != chosen;
    f->active = chosen;
    load_next(f, index);
    if (!is_other)
        return true;
    if (f->had_samples && !(f->sample.flags & POSE_TELEPORT) && track_pose_at(t, f->last_ns, &pose)) {
        f->sample.pose = pose;
        f->next_ns = f->last_ns;
        f->next_index = index;
        if (!track_at(t, index - 1)->tracked)
            f->sample.flags &= ~(uint32_t)POSE_TRACKED;
    }
    f->sample.flags &= ~(uint32_t)POSE_JOINED;
    if (f->had_samples)
        f->sample.flags |= pose_other_feed(source_of(s, chosen));
    else
        pipeline_set_source(s->pipeline, f->device, source_of(s, chosen));
    s->feed_switches += f->had_samples;
    f->had_samples = true;
    return true;
}

static int64_t earliest(const scene *s)
{
    int64_t time_ns = INT64_MAX;

    for (const feed *f = s->feeds; f; f = f->next)
        if (f->has_next && f->next_ns < time_ns)
            time_ns = f->next_ns;
    return time_ns;
}

/* Deliver the loaded samples in the order of their times; with_rest: and all that follow in their feeders' tracks. */
static void deliver_next(scene *s, bool with_rest)
{
    pose_frame frame = {0};

    while ((frame.time_ns = earliest(s)) != INT64_MAX) {
        for (feed *f = s->feeds; f; f = f->next) {
            if (!f->has_next || f->next_ns != frame.time_ns)
                continue;
            if (frame.count == POSE_FRAME_SAMPLES_MAX) {
                frame.more = true;
                deliver(s, &frame);
                frame.count = 0;
            }
            frame.samples[frame.count++] = f->sample;
            f->last_ns = frame.time_ns;
            f->has_next = false;
            if (with_rest)
                load_next(f, f->next_index);
        }
        frame.more = false;
        deliver(s, &frame);
        frame.count = 0;
    }
}

/* Let the highest feeder that can continue take over, with all it has sent meanwhile. */
static void switch_feeders(scene *s)
{
    bool is_any = false;

    for (feed *f = s->feeds; f; f = f->next) {
        const feed_rank chosen = choose(f);

        f->is_switched = chosen != FEED_RANKS && begin(s, f, chosen);
        is_any |= f->is_switched;
    }
    if (!is_any)
        return;
    deliver_next(s, false);
    for (feed *f = s->feeds; f; f = f->next)
        if (f->is_switched)
            load_next(f, f->next_index);
    deliver_next(s, true);
}

/* Switch; then report devices lost whose feeder is gone and which no other can feed. */
static void settle(scene *s, int64_t time_ns)
{
    switch_feeders(s);
    for (feed *f = s->feeds; f; f = f->next) {
        const bool is_lost = f->has_lost && choose(f) == FEED_RANKS;

        f->has_lost = false;
        if (!is_lost)
            continue;
        pipeline_lost(s->pipeline, f->device, time_ns, CLASH_TRACKING_LOST);
        if (!feeds_has_other(s, NULL, f->device))
            pipeline_set_source(s->pipeline, f->device, s->devices[f->device].is_sources ? s->own : CLASH_SOURCE_NONE);
        f->last_ns = time_ns > f->last_ns ? time_ns : f->last_ns;
    }
}

/* ---- the feeders of a device ---- */

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
    chosen = choose(f);
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
        deliver(s, frame);
        return;
    }
    rest = *frame;
    rest.count = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        pose_sample sample = frame->samples[i];

        if (take_sample(s, feed_of(s, sample.device), client, frame->time_ns, &sample, arrived_ns))
            rest.samples[rest.count++] = sample;
    }
    switch_feeders(s);
    if (rest.count > 0 || (s->is_in_step && !rest.more))
        deliver(s, &rest);
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
        if (f->active != FEED_OWN || choose(f) != FEED_RANKS)
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
        settle(s, time_ns);
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

/* ---- clients that come and go ---- */

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
    settle(s, time_ns);
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
