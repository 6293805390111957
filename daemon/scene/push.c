/* The clients that have defined something; what they defined is in the scene. See push.h. */
#include "push_private.h"

#include "feeds.h"

#include <stdlib.h>

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

void push_give_up(push *p, const void *client)
{
    for (push_owner *o = p ? p->owners : NULL; o; o = o->next)
        if (!client || o->client == client)
            push_give_up_target(p, o);
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

int push_check(push *p, const push_owner *o, const char *name, bool is_target, const char *device,
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

static int define_blade(push *p, push_owner *o, const clash_blade_definition *from, int64_t now_ns,
                        protocol_error *out_error)
{
    const clash_blade blade = clash_blade_of(from);

    if (push_check(p, o, from->name, false, from->device, out_error) != 0)
        return -1;
    return scene_define_blade(p->settings.scene, o->client, p->settings.epoch_ns + now_ns, &blade, out_error);
}

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

bool push_client_goes(push *p, const void *client, int64_t now_ns)
{
    push_owner *o = find_owner(p, client);

    if (!o)
        return false;
    push_give_up_target(p, o);
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

int push_request(push *p, const void *client, const protocol_request *request, int64_t now_ns,
                 protocol_error *out_error)
{
    push_owner *o = find_owner(p, client);

    if (request->type == PROTOCOL_REQUEST_POSES)
        return push_take_poses(p, o, &request->poses, now_ns, out_error);
    if (request->type == PROTOCOL_REQUEST_REMOVE)
        return scene_remove(p->settings.scene, client, p->settings.epoch_ns + now_ns, request->blade.name, out_error);
    o = make_owner(p, client, now_ns);
    if (!o)
        return protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "out of memory");
    if (request->type == PROTOCOL_REQUEST_TARGET)
        return push_define_target(p, o, &request->target, now_ns, out_error);
    if ((request->type == PROTOCOL_REQUEST_FEED
             ? scene_feed(p->settings.scene, client, &request->feed, p->settings.epoch_ns + now_ns, out_error)
             : define_blade(p, o, &request->blade, now_ns, out_error)) != 0)
        return -1;
    note_game(p, o, request, now_ns);
    return 0;
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
