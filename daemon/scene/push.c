#include "push.h"

#include "feeds.h"
#include "target_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct push_owner {
    struct push_owner *next;
    const void *client;
    push *push;
    target_load *load;                     /* a target being made; NULL: none */
    scene_target *made;                    /* one made, until it is defined; NULL: none */
    pose_rate rate;                        /* of messages with poses */
    bool has_fed, has_had_blades, is_game; /* is_game: both, and the scene counts it */
} push_owner;

typedef struct push_counters {
    uint64_t messages, poses, late, future, bad, limited, silent;
} push_counters;

struct push {
    push_settings settings;
    push_owner *owners;
    push_counters counters;
};

/* ---- the clients that have defined or fed anything ---- */

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
    *o = (push_owner){.next = p->owners, .client = client, .push = p, .rate = {POSE_RATE_FULL, now_ns}};
    p->owners = o;
    return o;
}

/* ---- limits ---- */

static bool is_in_hand(const push *p, const push_owner *o, const char *device)
{
    return feeds_has(p->settings.scene, o->client, pipeline_find_device(p->settings.scene->pipeline, device));
}

static int refuse_more(push *p, const char *name, bool is_target, bool of_all, size_t most, bool has_room_in_hand,
                       protocol_error *out_error)
{
    const char *what = is_target ? "target" : "blade";

    p->counters.limited++;
    return protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "%s \"%s\": %s %zu %ss, and no more are allowed%s", what,
                           name, of_all ? "all clients together have" : "this client has", most, what,
                           has_room_in_hand ? " but on devices that it feeds" : "");
}

static int check_owner(push *p, const push_owner *o, const char *name, bool is_target, const char *device,
                       protocol_error *out_error)
{
    static const size_t limits[2][2] = {{PUSH_BLADES_MAX, PUSH_ALL_BLADES_MAX},
                                        {PUSH_TARGETS_MAX, PUSH_ALL_TARGETS_MAX}};
    const scene *s = p->settings.scene;
    const size_t there = is_target ? pipeline_target_count(s->pipeline) : pipeline_blade_count(s->pipeline);
    const bool leaves_room = !is_target && !is_in_hand(p, o, device);

    if (scene_check(s, o->client, name, is_target, device, out_error) != 0)
        return -1;
    if (scene_owner_of(s, name) == o->client)
        return 0;
    for (int of_all = 0; of_all < 2; of_all++) {
        const size_t most = limits[is_target][of_all] - (leaves_room ? PUSH_HAND_BLADES : 0);

        if (there >= most && scene_count(s, of_all ? NULL : o->client, is_target) >= most)
            return refuse_more(p, name, is_target, of_all, most, leaves_room, out_error);
    }
    return 0;
}

/* ---- targets and blades ---- */

static int check(push *p, push_owner *o, const clash_target_definition *target, protocol_error *out_error)
{
    return check_owner(p, o, target->name, true, target->device, out_error);
}

/* Bad points are the client's mistake; that no hull can be computed now is not. */
static int refuse_hull(const char *error, protocol_error *out_error)
{
    const char *points = strstr(error, ": convex: ");

    if (points)
        return protocol_refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE, "mesh.%.400s", points + 2);
    return protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "%.400s", error);
}

/* Define the target that was made; another client may have taken its name meanwhile. */
static bool define_made(void *context, const void *subject, int64_t number)
{
    push_owner *o = context;
    push *p = o->push;
    const int64_t time_ns = p->settings.epoch_ns + p->settings.now_ns(p->settings.context);
    const void *client = o->client;
    protocol_error refusal = {.code = PROTOCOL_ERROR_LIMIT};
    scene_target *made = o->made;
    int result = check(p, o, (&made->definition), &refusal);

    (void)subject, (void)number;
    o->made = NULL;
    if (result == 0)
        result = scene_define_target(p->settings.scene, client, time_ns, made, &refusal);
    else
        scene_target_destroy(made);
    p->settings.done(p->settings.context, client, result == 0 ? NULL : &refusal);
    return true;
}

static void on_made(void *context, scene_target **targets, const char *error)
{
    push_owner *o = context;
    push *p = o->push;
    protocol_error refusal = {.code = PROTOCOL_ERROR_LIMIT};

    o->load = NULL;
    if (!targets) {
        refuse_hull(error, &refusal);
        p->settings.done(p->settings.context, o->client, &refusal);
        return;
    }
    o->made = targets[0];
    if (!p->settings.inbox ||
        !inbox_put(p->settings.inbox, &(inbox_task){.run = define_made, .context = o, .subject = o}))
        define_made(o, o, 0);
}

static void give_up(push *p, push_owner *o)
{
    if (o->load)
        target_load_cancel(o->load);
    inbox_forget(p->settings.inbox, define_made, o);
    scene_target_destroy(o->made);
    o->load = NULL;
    o->made = NULL;
}

static int define_later(push *p, push_owner *o, const clash_target_definition *target, protocol_error *out_error)
{
    const target_load_user user = {.context = o, .done = on_made};

    if (o->load)
        return protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "targets: one of this client's is being made");
    o->load = target_load_start(p->settings.loader, target, 1, &user);
    return o->load ? PUSH_LATER : protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "out of memory");
}

static int define_target(push *p, push_owner *o, const clash_target_definition *target, int64_t now_ns,
                         protocol_error *out_error)
{
    scene_target *made;
    failure reason = {0};

    if (check(p, o, target, out_error) != 0)
        return -1;
    if (scene_target_is_slow(target) && p->settings.loader)
        return define_later(p, o, target, out_error);
    made = scene_target_make(target, &reason);
    if (!made)
        return protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "%.400s", reason.text);
    return scene_define_target(p->settings.scene, o->client, p->settings.epoch_ns + now_ns, made, out_error);
}

static int define_blade(push *p, push_owner *o, const clash_blade_definition *from, int64_t now_ns,
                        protocol_error *out_error)
{
    const clash_blade blade = clash_blade_of(from);

    if (check_owner(p, o, from->name, false, from->device, out_error) != 0)
        return -1;
    return scene_define_blade(p->settings.scene, o->client, p->settings.epoch_ns + now_ns, &blade, out_error);
}

/* ---- poses ---- */

/* One message on its way to the scene. */
typedef struct pushed {
    push *push;
    const void *client;
    int64_t time_ns, now_ns; /* CLOCK_MONOTONIC */
    pose_frames frames;      /* of the good ones */
    uint64_t taken;
} pushed;

static void on_frame(void *context, const pose_frame *frame)
{
    const pushed *m = context;

    scene_frame(m->push->settings.scene, m->client, frame, m->now_ns);
}

static int refuse_time(const pushed *m, push_counters *counters, const char *name, pose_verdict verdict,
                       protocol_error *out_error)
{
    if (verdict == POSE_FUTURE) {
        counters->future++;
        return protocol_refuse(out_error, PROTOCOL_ERROR_BAD_TIME, "time_ns: %.1f ms in the future, 50 ms are allowed",
                               (double)(m->time_ns - m->now_ns) * 1e-6);
    }
    counters->late++;
    return protocol_refuse(out_error, PROTOCOL_ERROR_BAD_TIME,
                           "time_ns: expected a time after that of the last pose of \"%s\", and not over 1 s ago",
                           name);
}

static bool stands_before(const protocol_own_poses *poses, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(poses->poses[i].device, poses->poses[index].device) == 0)
            return true;
    return false;
}

/* Return 0, or -1 with what is wrong. */
static int take_pose(pushed *m, const protocol_own_poses *poses, size_t index, push_counters *counters,
                     protocol_error *out_error)
{
    const protocol_own_pose *from = &poses->poses[index];
    pose_sample sample = {0, pose_flags_of(from->valid, from->tracked, from->teleport), from->pose};
    pose_arrivals *arrivals = NULL;
    pose_verdict verdict;

    if (m->client)
        arrivals = scene_find_arrivals(m->push->settings.scene, m->client, from->device, &sample.device);
    if (!arrivals)
        return protocol_refuse(
            out_error, PROTOCOL_ERROR_UNKNOWN_NAME,
            "poses: no blade of this client is on a device \"%s\", nor does it feed one: define one first",
            from->device);
    if (from->holds && from->valid && !feeds_has(m->push->settings.scene, m->client, sample.device))
        sample.flags |= POSE_HOLDS;
    verdict = pose_take(&m->frames, arrivals, &sample, m->now_ns);
    m->taken += verdict == POSE_GOOD;
    if (verdict == POSE_GOOD)
        return 0;
    if (verdict == POSE_LATE && stands_before(poses, index))
        return protocol_refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE, "poses: \"%s\" stands twice", from->device);
    if (verdict == POSE_LATE || verdict == POSE_FUTURE)
        return refuse_time(m, counters, from->device, verdict, out_error);
    counters->bad++;
    return protocol_refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE, "poses: %.60s: %s", from->device,
                           pose_verdict_text(verdict));
}

/* Only the first bad pose is reported and counted. */
static int take_poses(pushed *m, const protocol_own_poses *poses, protocol_error *out_error)
{
    push_counters uncounted = {0};
    protocol_error unsaid;
    int result = 0;

    for (size_t i = 0; i < poses->count; i++) {
        const bool is_first = result == 0;

        if (take_pose(m, poses, i, is_first ? &m->push->counters : &uncounted, is_first ? out_error : &unsaid) != 0)
            result = -1;
    }
    if (m->taken > 0)
        pose_frames_end(&m->frames, false);
    return result;
}

/* None of the message is taken. */
static void refuse_all(const pushed *m, const protocol_own_poses *poses)
{
    for (size_t i = 0; i < poses->count; i++) {
        const protocol_own_pose *from = &poses->poses[i];
        uint32_t ignored;
        pose_arrivals *arrivals = scene_find_arrivals(m->push->settings.scene, m->client, from->device, &ignored);

        if (arrivals)
            pose_refuse(arrivals, m->time_ns, pose_flags_of(from->valid, from->tracked, from->teleport));
    }
}

static int take_message(push *p, push_owner *o, const protocol_own_poses *poses, int64_t now_ns,
                        protocol_error *out_error)
{
    pushed message = {.push = p,
                      .client = o ? o->client : NULL,
                      .time_ns = p->settings.epoch_ns + (poses->has_time ? poses->time_ns : now_ns),
                      .now_ns = p->settings.epoch_ns + now_ns};
    int result;

    message.frames = (pose_frames){&message, on_frame, .pending.time_ns = message.time_ns};
    if (o && !pose_rate_take(&o->rate, now_ns)) {
        p->counters.limited++;
        refuse_all(&message, poses);
        return protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "poses: at most %d messages a second", POSE_RATE_HZ);
    }
    result = take_poses(&message, poses, out_error);
    p->counters.messages += result == 0 || message.taken > 0;
    p->counters.poses += message.taken;
    return result != 0 && message.taken > 0 ? PUSH_PARTLY : result;
}

bool push_check_silence(push *p, int64_t now_ns)
{
    const int64_t time_ns = p->settings.epoch_ns + now_ns;

    p->counters.silent += scene_check_silence(p->settings.scene, time_ns, time_ns - p->settings.timeout_ns);
    return p->owners || p->settings.scene->is_sent_poses;
}

/* ---- requests, and the end of a client ---- */

/* A client that feeds devices and has swords of its own is a game, from then on until it goes: while its hands are empty
 * the default blades would only strike what the player does not see. A body is not a sword. */
static void note_game(push *p, push_owner *o, const protocol_request *request, int64_t now_ns)
{
    o->has_fed |= request->type == PROTOCOL_REQUEST_FEED && request->feed.count > 0;
    o->has_had_blades |= request->type == PROTOCOL_REQUEST_BLADE && !request->blade.properties.is_body;
    if (o->is_game || !o->has_fed || !o->has_had_blades)
        return;
    o->is_game = true;
    scene_add_game(p->settings.scene, p->settings.epoch_ns + now_ns);
}

int push_request(push *p, const void *client, const protocol_request *request, int64_t now_ns,
                 protocol_error *out_error)
{
    push_owner *o = find_owner(p, client);

    if (request->type == PROTOCOL_REQUEST_POSES)
        return take_message(p, o, &request->poses, now_ns, out_error);
    if (request->type == PROTOCOL_REQUEST_REMOVE)
        return scene_remove(p->settings.scene, client, p->settings.epoch_ns + now_ns, request->blade.name, out_error);
    o = make_owner(p, client, now_ns);
    if (!o)
        return protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "out of memory");
    if (request->type == PROTOCOL_REQUEST_TARGET)
        return define_target(p, o, &request->target, now_ns, out_error);
    if ((request->type == PROTOCOL_REQUEST_FEED
             ? scene_feed(p->settings.scene, client, &request->feed, p->settings.epoch_ns + now_ns, out_error)
             : define_blade(p, o, &request->blade, now_ns, out_error)) != 0)
        return -1;
    note_game(p, o, request, now_ns);
    return 0;
}

void push_give_up(push *p, const void *client)
{
    for (push_owner *o = p ? p->owners : NULL; o; o = o->next)
        if (!client || o->client == client)
            give_up(p, o);
}

bool push_client_goes(push *p, const void *client, int64_t now_ns)
{
    push_owner *o = find_owner(p, client);

    if (!o)
        return false;
    give_up(p, o);
    if (scene_owner_goes(p->settings.scene, client, p->settings.epoch_ns + now_ns))
        return true;
    if (o->is_game)
        scene_drop_game(p->settings.scene, p->settings.epoch_ns + now_ns);
    for (push_owner **at = &p->owners; *at; at = &(*at)->next)
        if (*at == o) {
            *at = o->next;
            break;
        }
    free(o);
    return false;
}

#define REFUSED "Messages with poses that were refused, or had one that was, by the first reason."

void push_list_counters(const push *p, counter_list *out)
{
    const counter_row all[] = {
        {"pushed_blades", "clashd_pushed_blades", "Blades of clients now.",
         scene_count(p->settings.scene, NULL, false)},
        {"pushed_messages", "clashd_pushed_messages_total", "Messages with poses that were taken from clients.",
         p->counters.messages},
        {"pushed_poses", "clashd_pushed_poses_total", "Poses in these.", p->counters.poses},
        {"push_refused_late", "clashd_pushed_messages_refused_total{reason=\"late\"}", REFUSED, p->counters.late},
        {"push_refused_future", "clashd_pushed_messages_refused_total{reason=\"future\"}", REFUSED, p->counters.future},
        {"push_refused_pose", "clashd_pushed_messages_refused_total{reason=\"pose\"}", REFUSED, p->counters.bad},
        {"push_refused_limit", "clashd_pushed_messages_refused_total{reason=\"limit\"}", REFUSED, p->counters.limited},
        {"push_silent", "clashd_pushed_devices_silent_total", "Devices of clients that fell silent and were cut.",
         p->counters.silent},
        {"pushed_targets", "clashd_pushed_targets", "Targets of clients now.",
         scene_count(p->settings.scene, NULL, true)},
        {"feed_switches", "clashd_feed_switches_total",
         "Times that another fed a device from then on: a game, the layer, or clashd's own source again.",
         p->settings.scene->feed_switches},
    };

    counter_list_add(out, all, sizeof all / sizeof all[0]);
}
