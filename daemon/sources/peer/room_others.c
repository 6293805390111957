/* The other players of a room: who is there, with which blades, and their samples on the way to the scene. room_take.c reads what they
 * send. */
#include "room_private.h"

#include "ports/pose_rules.h"
#include "room_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- players ---- */

/* FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/. */
static uint64_t hash_name(const char *name)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return h;
}

static room_player *find_player(const room *r, const char *name)
{
    const uint64_t hash = hash_name(name);

    for (size_t i = 0; i < r->other_count; i++)
        if (r->index[i].hash == hash && strcmp(r->index[i].player->name, name) == 0)
            return r->index[i].player;
    return NULL;
}

static void add_player(room *r, room_player *p)
{
    p->next = r->others;
    r->others = p;
    r->index[r->other_count].hash = hash_name(p->name);
    r->index[r->other_count++].player = p;
}

static void remove_player(room *r, const room_player *p)
{
    room_player **at = &r->others;
    size_t i = 0;

    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    while (r->index[i].player != p)
        i++;
    r->index[i] = r->index[--r->other_count];
}

room_player *room_make_player(room *r, const char *name)
{
    room_player *p = find_player(r, name);

    if (p)
        return p;
    if (r->other_count == ROOM_PLAYERS_MAX || strlen(name) >= ROOM_PLAYER_MAX || !(p = room_player_create(name))) {
        r->too_many++;
        if (!r->has_said_full)
            LOG_WARNING(&r->user.log, "mqtt.room: '%s' is left out: %d players at most, with names of at most %d bytes",
                        name, ROOM_PLAYERS_MAX, ROOM_PLAYER_MAX - 1);
        r->has_said_full = true;
        return NULL;
    }
    add_player(r, p);
    return p;
}

void room_void_blades(room *r, room_player *p, int64_t now_ns)
{
    if (!p->current)
        return;
    r->user.gone(r->user.context, p, now_ns);
    free(p->current);
    p->current = NULL;
}

void room_forget_player(room *r, room_player *p, int64_t now_ns)
{
    room_void_blades(r, p, now_ns);
    room_counts_add(&r->gone, &p->counts);
    remove_player(r, p);
    room_player_destroy(p);
}

void room_online(room *r, const char *player, bool is_online, int64_t now_ns)
{
    const bool is_own = strcmp(player, r->clock.name) == 0;
    room_player *p = is_own ? NULL : is_online ? room_make_player(r, player) : find_player(r, player);

    if (is_own && !is_online) { /* nobody has its blades any more */
        r->is_told = false;
        room_tell(r);
    }
    if (!p)
        return;
    p->is_online = is_online;
    if (is_online)
        return;
    LOG_INFO(&r->user.log, "mqtt.room: %s is gone", p->name);
    room_forget_player(r, p, now_ns);
}

/* ---- blades ---- */

/* "/user/hand/left" of anna is "peer/anna/hand/left" here. */
static bool name_device(const room_player *p, const char *device, char out[POSE_DEVICE_NAME_MAX])
{
    const char *const parts[] = {"peer/", p->name, "/", strncmp(device, "/user/", 6) == 0 ? device + 6 : device};
    size_t at = 0;

    for (size_t i = 0; i < 4; i++) { /* of each sample: snprintf takes several times as long */
        const size_t length = strlen(parts[i]);

        if (length >= POSE_DEVICE_NAME_MAX - at)
            return false;
        memcpy(out + at, parts[i], length + 1);
        at += length;
    }
    return true;
}

static bool name_blade(const room_player *p, const char *blade, char out[CLASH_BLADE_NAME_MAX])
{
    const int length = snprintf(out, CLASH_BLADE_NAME_MAX, "%s/%s", p->name, blade);

    return length > 0 && length < CLASH_BLADE_NAME_MAX;
}

void room_say_wrong(room *r, room_player *p, const char *what)
{
    if (!p->is_wrong)
        LOG_WARNING(&r->user.log, "mqtt.room: %s: %s", p->name, what);
    p->is_wrong = true;
}

static void define_blade(room *r, room_player *p, const clash_blade_definition *from, int64_t now_ns)
{
    char name[CLASH_BLADE_NAME_MAX], device[POSE_DEVICE_NAME_MAX];
    clash_blade blade = clash_blade_of(from);
    protocol_error why;
    char text[700];

    if (!name_blade(p, from->name, name) || !name_device(p, from->device, device)) {
        p->counts.refused++;
        room_say_wrong(r, p, "a blade is left out: its name is too long with the player's");
        return;
    }
    blade.name = name;
    blade.device = device;
    blade.properties.is_peer = !r->is_referee;
    if (r->user.define(r->user.context, p, now_ns, &blade, &why) == 0)
        return;
    p->counts.refused++;
    snprintf(text, sizeof text, "the blade %s is left out: %s", name, why.message);
    room_say_wrong(r, p, text);
}

static const clash_blade_definition *find_blade(const room_message_peer *in, const char *name)
{
    for (size_t i = 0; in && i < in->blade_count; i++)
        if (strcmp(in->blades[i].name, name) == 0)
            return &in->blades[i];
    return NULL;
}

/* Leave unchanged blades alone: their contacts go on. */
static void begin_version(room *r, room_player *p, int64_t now_ns)
{
    room_message_peer *before = room_player_begin(p);
    char name[CLASH_BLADE_NAME_MAX];

    for (size_t i = 0; before && i < before->blade_count; i++)
        if (!find_blade(p->current, before->blades[i].name) && name_blade(p, before->blades[i].name, name))
            r->user.remove(r->user.context, p, now_ns, name);
    for (size_t i = 0; i < p->current->blade_count; i++) {
        const clash_blade_definition *was = find_blade(before, p->current->blades[i].name);

        if (!was || !clash_blade_is_same(was, &p->current->blades[i]))
            define_blade(r, p, &p->current->blades[i], now_ns);
    }
    free(before);
}

void room_clear_player(room *r, room_player *p, int64_t now_ns)
{
    p->waiting_count = 0;
    p->map.count = 0;
    if (!p->current)
        return;
    r->user.gone(r->user.context, p, now_ns);
    for (size_t i = 0; i < p->current->blade_count; i++)
        define_blade(r, p, &p->current->blades[i], now_ns);
}

/* ---- samples ---- */

/* A pose of the player's stage in this one's: both know where they are in the room. */
static clash_pose placed(const room *r, const room_player *p, const clash_pose *pose)
{
    const clash_pose *theirs = &p->peer.room_from_stage, *own = &r->room_from_stage;

    if (room_pose_is_same(theirs, own))
        return *pose;
    return room_place_pose(own, theirs, pose);
}

typedef struct delivery {
    room *room;
    room_player *player;
    int64_t now_ns;
} delivery;

static void on_frame(void *context, const pose_frame *frame)
{
    const delivery *d = context;

    d->room->user.frame(d->room->user.context, d->player, frame, d->now_ns);
}

static void add_sample(room *r, room_player *p, const room_sample *from, pose_frames *frames)
{
    char device[POSE_DEVICE_NAME_MAX];
    pose_sample sample = {.device = UINT32_MAX,
                          .flags = pose_flags_of(from->is.is_valid, from->is.is_tracked, from->is.is_teleport)};

    if (name_device(p, from->device, device))
        sample.device = r->user.device(r->user.context, p, device);
    if (sample.device == UINT32_MAX)
        return; /* nothing is on it */
    if (from->is.is_valid)
        sample.pose = from->is.pose;
    if (pose_check(&sample) != POSE_GOOD) {
        p->counts.refused++;
        return;
    }
    if (from->is.is_valid)
        sample.pose = placed(r, p, &sample.pose);
    pose_frames_add(frames, &sample);
    p->counts.samples++;
    p->last_ns = from->time_ns;
}

/* Deliver what has come, in frames of one time each. */
void room_deliver(room *r, room_player *p, int64_t now_ns)
{
    delivery to = {r, p, now_ns};
    pose_frames frames = {&to, on_frame, NULL, 0, {0}};
    const room_sample *next;
    bool begins, is_any = false;

    while ((next = room_player_next(p, now_ns, &begins))) {
        if (frames.pending.count > 0 && (begins || next->time_ns != frames.pending.time_ns))
            pose_frames_end(&frames, false);
        if (begins) {
            begin_version(r, p, now_ns);
            continue;
        }
        frames.pending.time_ns = next->time_ns;
        add_sample(r, p, next, &frames);
        room_player_drop(p);
        is_any = true;
    }
    if (frames.pending.count > 0)
        pose_frames_end(&frames, false);
    if (is_any)
        r->user.settled(r->user.context);
}
