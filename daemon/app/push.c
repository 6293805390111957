/* A list of clients that own something, each with its blades; a device exists as long as a blade is on it. See push.h. */
#include "push.h"

#include "assembly.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S INT64_C(1000000000)

typedef struct push_device {
    char name[POSE_DEVICE_NAME_MAX];
    uint32_t id;
    uint32_t blades; /* on it */
    bool has_pose, live;
    int64_t pose_ns;    /* of the last one, since the epoch */
    int64_t arrived_ns; /* when it came */
} push_device;

typedef struct push_blade {
    char name[PIPELINE_BLADE_NAME_MAX];
    char device[POSE_DEVICE_NAME_MAX];
} push_blade;

typedef struct push_owner {
    struct push_owner *next;
    const void *client;
    size_t blade_count, device_count;
    push_blade blades[PUSH_BLADES_MAX];
    push_device devices[PUSH_BLADES_MAX + 1]; /* one more while a blade moves to another */
    int64_t tokens;                           /* of messages, times NS_PER_S */
    int64_t filled_ns;
} push_owner;

typedef struct push_counters {
    uint64_t messages, poses, late, future, limited, silent;
} push_counters;

struct push {
    push_settings settings;
    push_owner *owners;
    size_t blade_count;
    push_counters counters;
};

#define FAIL(error_code, ...) \
    (out_error->code = (error_code), snprintf(out_error->message, sizeof out_error->message, __VA_ARGS__), -1)

push *push_create(const push_settings *settings)
{
    push *p = calloc(1, sizeof *p);

    if (p)
        p->settings = *settings;
    return p;
}

void push_destroy(push *p)
{
    while (p && p->owners) {
        push_owner *next = p->owners->next;

        free(p->owners);
        p->owners = next;
    }
    free(p);
}

/* ---- who owns what ---- */

static push_owner *find_owner(const push *p, const void *client)
{
    push_owner *o = p->owners;

    while (o && o->client != client)
        o = o->next;
    return o;
}

static push_owner *make_owner(push *p, const void *client, int64_t now_ns)
{
    push_owner *o = find_owner(p, client);

    if (o || !(o = calloc(1, sizeof *o)))
        return o;
    *o = (push_owner){.next = p->owners, .client = client, .tokens = PUSH_RATE_HZ * NS_PER_S, .filled_ns = now_ns};
    p->owners = o;
    return o;
}

static push_blade *find_blade(push_owner *o, const char *name)
{
    for (size_t i = 0; o && i < o->blade_count; i++)
        if (strcmp(o->blades[i].name, name) == 0)
            return &o->blades[i];
    return NULL;
}

static push_device *find_device(push_owner *o, const char *name)
{
    for (size_t i = 0; o && i < o->device_count; i++)
        if (strcmp(o->devices[i].name, name) == 0)
            return &o->devices[i];
    return NULL;
}

bool push_owns(const push *p, const char *name)
{
    for (push_owner *o = p->owners; o; o = o->next)
        if (find_blade(o, name) || find_device(o, name))
            return true;
    return false;
}

static bool pipeline_has_blade(const pipeline *p, const char *name)
{
    const pipeline_blade *blade;

    for (size_t i = 0; (blade = pipeline_blade_at(p, i)); i++)
        if (strcmp(blade->name, name) == 0)
            return true;
    return false;
}

/* Every name that the pipeline knows and that is not this client's belongs to somebody else. Those of OpenXR are kept free
 * for it: it may come later. */
static int check_names(const push *p, push_owner *o, const protocol_own_blade *blade, protocol_error *out_error)
{
    if (!find_blade(o, blade->name) && pipeline_has_blade(p->settings.pipeline, blade->name))
        return FAIL(PROTOCOL_ERROR_NAME_TAKEN, "name: the blade \"%s\" is not this client's", blade->name);
    if (strncmp(blade->device, "/user/", 6) == 0)
        return FAIL(PROTOCOL_ERROR_NAME_TAKEN, "device: \"%s\": names under /user/ are OpenXR's", blade->device);
    if (!find_device(o, blade->device) && app_pipeline_find_device(p->settings.pipeline, blade->device) != UINT32_MAX)
        return FAIL(PROTOCOL_ERROR_NAME_TAKEN, "device: \"%s\" is not this client's", blade->device);
    return 0;
}

static int check_limits(push *p, push_owner *o, const protocol_own_blade *blade, protocol_error *out_error)
{
    int result = 0;

    if (find_blade(o, blade->name))
        return 0;
    if (o->blade_count == PUSH_BLADES_MAX)
        result = FAIL(PROTOCOL_ERROR_LIMIT, "blades: a client may have %d", PUSH_BLADES_MAX);
    else if (p->blade_count == PUSH_ALL_BLADES_MAX)
        result = FAIL(PROTOCOL_ERROR_LIMIT, "blades: all clients together may have %d", PUSH_ALL_BLADES_MAX);
    p->counters.limited += result != 0;
    return result;
}

/* ---- blades ---- */

static void tell_removed(const push *p, int64_t now_ns, const char *blade, const char *device)
{
    const event_sink *sinks = p->settings.sinks;

    sinks->removed(sinks->context, p->settings.epoch_ns + now_ns, blade, device);
}

static void lose(push *p, push_device *device, int64_t now_ns)
{
    device->live = false;
    pipeline_lost(p->settings.pipeline, device->id, p->settings.epoch_ns + now_ns, CLASH_TRACKING_LOST);
}

/* A device without blades is no more: it is lost first, so that who follows it hears of it. */
static void drop_device(push *p, push_owner *o, const char *name, int64_t now_ns)
{
    push_device *device = find_device(o, name);

    if (!device || --device->blades > 0)
        return;
    lose(p, device, now_ns);
    tell_removed(p, now_ns, NULL, device->name);
    pipeline_remove_device(p->settings.pipeline, device->id);
    *device = o->devices[--o->device_count];
}

static int add_device(push *p, push_owner *o, const char *name)
{
    push_device *device = find_device(o, name);
    uint32_t id;

    if (!device) {
        id = pipeline_device(p->settings.pipeline, name);
        if (id == UINT32_MAX)
            return -1;
        device = &o->devices[o->device_count++];
        *device = (push_device){.id = id};
        snprintf(device->name, sizeof device->name, "%s", name);
    }
    device->blades++;
    return 0;
}

static int define_in_pipeline(push *p, const protocol_own_blade *from, int64_t now_ns)
{
    const event_sink *sinks = p->settings.sinks;
    const pose_blade blade = {.name = from->name,
                              .device = from->device,
                              .shape = from->shape,
                              .has_edge = from->has_edge,
                              .edge = from->edge,
                              .sword = from->sword.part_count > 0 ? &from->sword : NULL};

    sinks->blade(sinks->context, p->settings.epoch_ns + now_ns, &blade);
    return app_pipeline_define(p->settings.pipeline, &blade);
}

static int define_blade(push *p, push_owner *o, const protocol_own_blade *blade, int64_t now_ns,
                        protocol_error *out_error)
{
    push_blade *known = find_blade(o, blade->name);
    push_blade before = known ? *known : (push_blade){0};

    if (check_names(p, o, blade, out_error) != 0 || check_limits(p, o, blade, out_error) != 0)
        return -1;
    if (add_device(p, o, blade->device) != 0)
        return FAIL(PROTOCOL_ERROR_LIMIT, "devices: clashd cannot follow any more");
    if (define_in_pipeline(p, blade, now_ns) != 0) {
        drop_device(p, o, blade->device, now_ns);
        return FAIL(PROTOCOL_ERROR_LIMIT, "blades: clashd cannot follow any more");
    }
    if (!known) {
        known = &o->blades[o->blade_count++];
        p->blade_count++;
    }
    snprintf(known->name, sizeof known->name, "%s", blade->name);
    snprintf(known->device, sizeof known->device, "%s", blade->device);
    drop_device(p, o, before.device, now_ns);
    return 0;
}

static void remove_blade(push *p, push_owner *o, push_blade *blade, int64_t now_ns)
{
    const push_blade gone = *blade;

    *blade = o->blades[--o->blade_count];
    p->blade_count--;
    tell_removed(p, now_ns, gone.name, NULL);
    pipeline_remove_blade(p->settings.pipeline, gone.name);
    drop_device(p, o, gone.device, now_ns);
}

static int request_removal(push *p, push_owner *o, const char *name, int64_t now_ns, protocol_error *out_error)
{
    push_blade *blade = find_blade(o, name);

    if (!blade && pipeline_has_blade(p->settings.pipeline, name))
        return FAIL(PROTOCOL_ERROR_NAME_TAKEN, "name: the blade \"%s\" is not this client's", name);
    if (!blade)
        return FAIL(PROTOCOL_ERROR_UNKNOWN_NAME, "name: there is no blade \"%s\"", name);
    remove_blade(p, o, blade, now_ns);
    return 0;
}

void push_client_gone(push *p, const void *client, int64_t now_ns)
{
    push_owner *o = find_owner(p, client);

    if (!o)
        return;
    while (o->blade_count > 0)
        remove_blade(p, o, &o->blades[o->blade_count - 1], now_ns);
    for (push_owner **at = &p->owners; *at; at = &(*at)->next)
        if (*at == o) {
            *at = o->next;
            break;
        }
    free(o);
}

/* ---- poses ---- */

static bool take_token(push_owner *o, int64_t now_ns)
{
    const int64_t full = PUSH_RATE_HZ * NS_PER_S;
    const int64_t passed = now_ns - o->filled_ns;

    o->tokens = passed >= NS_PER_S ? full : o->tokens + passed * PUSH_RATE_HZ;
    o->tokens = o->tokens < full ? o->tokens : full;
    o->filled_ns = now_ns;
    if (o->tokens < NS_PER_S)
        return false;
    o->tokens -= NS_PER_S;
    return true;
}

static int check_time(push *p, const push_device *device, int64_t time_ns, int64_t now_ns, protocol_error *out_error)
{
    if (time_ns > now_ns + PUSH_AHEAD_MAX_NS) {
        p->counters.future++;
        return FAIL(PROTOCOL_ERROR_BAD_TIME, "time_ns: %.1f ms in the future, 50 ms are allowed",
                    (double)(time_ns - now_ns) * 1e-6);
    }
    if (time_ns < now_ns - PUSH_BEHIND_MAX_NS || (device->has_pose && time_ns <= device->pose_ns)) {
        p->counters.late++;
        return FAIL(PROTOCOL_ERROR_BAD_TIME,
                    "time_ns: expected a time after that of the last pose of \"%s\", and not over 1 s ago",
                    device->name);
    }
    return 0;
}

/* Nothing is taken of a message before all of it has been found right. */
static int check_poses(push *p, push_owner *o, const protocol_own_poses *poses, int64_t time_ns, int64_t now_ns,
                       protocol_error *out_error)
{
    for (size_t i = 0; i < poses->count; i++) {
        const push_device *device = find_device(o, poses->poses[i].device);

        if (!device)
            return FAIL(PROTOCOL_ERROR_UNKNOWN_NAME,
                        "poses: no blade of this client is on a device \"%s\": define one first",
                        poses->poses[i].device);
        if (check_time(p, device, time_ns, now_ns, out_error) != 0)
            return -1;
        for (size_t k = 0; k < i; k++)
            if (strcmp(poses->poses[k].device, device->name) == 0)
                return FAIL(PROTOCOL_ERROR_BAD_MESSAGE, "poses: \"%s\" stands twice", device->name);
    }
    return 0;
}

static pose_sample make_sample(push_device *device, const protocol_own_pose *pose, int64_t time_ns, int64_t now_ns)
{
    device->has_pose = device->live = true;
    device->pose_ns = time_ns;
    device->arrived_ns = now_ns;
    return (pose_sample){.device = device->id,
                         .pose = pose->pose,
                         .flags = (pose->valid ? POSE_VALID : 0u) | (pose->valid && pose->tracked ? POSE_TRACKED : 0u) |
                                  (pose->teleport ? POSE_TELEPORT : 0u)};
}

static void deliver(push *p, const pose_frame *frame)
{
    const event_sink *sinks = p->settings.sinks;

    sinks->frame(sinks->context, frame);
    pipeline_frame(p->settings.pipeline, frame);
}

static int take_poses(push *p, push_owner *o, const protocol_own_poses *poses, int64_t now_ns,
                      protocol_error *out_error)
{
    const int64_t time_ns = poses->has_time ? poses->time_ns : now_ns;
    pose_frame frame = {.time_ns = p->settings.epoch_ns + time_ns};

    if (o && !take_token(o, now_ns)) {
        p->counters.limited++;
        return FAIL(PROTOCOL_ERROR_LIMIT, "poses: at most %d messages a second", PUSH_RATE_HZ);
    }
    if (check_poses(p, o, poses, time_ns, now_ns, out_error) != 0)
        return -1;
    p->counters.messages++;
    p->counters.poses += poses->count;
    for (size_t i = 0; i < poses->count; i++) {
        push_device *device = find_device(o, poses->poses[i].device);

        frame.samples[frame.count++] = make_sample(device, &poses->poses[i], time_ns, now_ns);
        if (frame.count == POSE_FRAME_SAMPLES_MAX || i + 1 == poses->count) {
            frame.more = i + 1 < poses->count;
            deliver(p, &frame);
            frame.count = 0;
        }
    }
    return 0;
}

bool push_check_silence(push *p, int64_t now_ns)
{
    for (push_owner *o = p->owners; o; o = o->next)
        for (size_t i = 0; i < o->device_count; i++) {
            push_device *device = &o->devices[i];

            if (!device->live || now_ns - device->arrived_ns < p->settings.timeout_ns)
                continue;
            p->counters.silent++;
            lose(p, device, now_ns);
        }
    return p->owners != NULL;
}

int push_request(push *p, const void *client, const protocol_request *request, int64_t now_ns,
                 protocol_error *out_error)
{
    push_owner *o = find_owner(p, client);

    if (request->type == PROTOCOL_REQUEST_POSES)
        return take_poses(p, o, &request->poses, now_ns, out_error);
    if (request->type == PROTOCOL_REQUEST_REMOVE)
        return request_removal(p, o, request->blade.name, now_ns, out_error);
    o = make_owner(p, client, now_ns);
    if (!o)
        return FAIL(PROTOCOL_ERROR_LIMIT, "out of memory");
    return define_blade(p, o, &request->blade, now_ns, out_error);
}

size_t push_list_counters(const push *p, protocol_counter *out_counters, size_t size)
{
    const protocol_counter all[] = {
        {"pushed_blades", p->blade_count},           {"pushed_messages", p->counters.messages},
        {"pushed_poses", p->counters.poses},         {"push_refused_late", p->counters.late},
        {"push_refused_future", p->counters.future}, {"push_refused_limit", p->counters.limited},
        {"push_silent", p->counters.silent},
    };
    size_t count = sizeof all / sizeof all[0];

    if (count > size)
        count = size;
    memcpy(out_counters, all, count * sizeof all[0]);
    return count;
}
