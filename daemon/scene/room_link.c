/* See room_link.h. */
#include "room_link.h"

#include "feeds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int64_t now_ns(const room_link *l)
{
    return l->settings.now_ns(l->settings.context);
}

static int64_t absolute(const room_link *l, int64_t session_ns)
{
    return l->settings.epoch_ns + session_ns;
}

/* ---- what the room asks for ---- */

static bool on_publish(void *context, room_message_kind kind, const char *to, const char *line, size_t length)
{
    static const mqtt_kind kinds[ROOM_MESSAGE_KINDS] = {MQTT_PEER, MQTT_SAMPLES, MQTT_CLOCK_ASK, MQTT_CLOCK_ANSWER,
                                                        MQTT_CONTACT};
    const outlet *o = outlets_mqtt(((room_link *)context)->settings.outlets);

    return o->sink && ((const mqtt_module *)o->module)->send(o->sink, kinds[kind], to, line, length);
}

static bool is_of_peer(const char *device)
{
    return strncmp(device, "peer/", 5) == 0;
}

/* A body strikes nothing of other players. */
static size_t on_own_blades(void *context, clash_blade_definition *out, size_t most)
{
    const pipeline *p = ((room_link *)context)->settings.scene->pipeline;
    const pipeline_blade *blade;
    size_t count = 0;

    for (size_t i = 0; count < most && (blade = pipeline_blade_at(p, i)); i++) {
        const char *device = pipeline_device_name(p, blade->device);

        if (blade->properties.is_peer || blade->properties.is_body || is_of_peer(device))
            continue;
        out[count] = (clash_blade_definition){.properties = blade->properties};
        snprintf(out[count].name, sizeof out[count].name, "%s", blade->name);
        snprintf(out[count].device, sizeof out[count].device, "%s", device);
        if (blade->sword)
            out[count].sword = *blade->sword;
        count++;
    }
    return count;
}

static void on_contact(void *context, protocol_contact_settings *out)
{
    *out = ((room_link *)context)->contact;
}

static int on_define(void *context, const void *owner, int64_t time_ns, const clash_blade *blade,
                     protocol_error *out_error)
{
    room_link *l = context;
    scene *s = l->settings.scene;

    if (scene_define_blade(s, owner, absolute(l, time_ns), blade, out_error) != 0)
        return -1;
    pipeline_set_source(s->pipeline, pipeline_find_device(s->pipeline, blade->device), CLASH_SOURCE_PEER);
    return 0;
}

static void on_remove(void *context, const void *owner, int64_t time_ns, const char *blade)
{
    room_link *l = context;
    protocol_error ignored;

    scene_remove(l->settings.scene, owner, absolute(l, time_ns), blade, &ignored);
}

static void on_gone(void *context, const void *owner, int64_t time_ns)
{
    room_link *l = context;

    while (scene_owner_goes(l->settings.scene, owner, absolute(l, time_ns)))
        continue;
}

static uint32_t on_device(void *context, const void *owner, const char *name)
{
    uint32_t id;

    return scene_find_arrivals(((room_link *)context)->settings.scene, owner, name, &id) ? id : UINT32_MAX;
}

static void on_others_frame(void *context, const void *owner, const pose_frame *frame, int64_t arrived_ns)
{
    room_link *l = context;
    pose_frame placed = *frame;

    placed.time_ns = absolute(l, frame->time_ns);
    scene_frame(l->settings.scene, owner, &placed, absolute(l, arrived_ns));
}

static void on_lost(void *context, const void *owner, int64_t time_ns)
{
    room_link *l = context;
    scene *s = l->settings.scene;

    for (uint32_t id = 0; id < pipeline_device_count(s->pipeline); id++)
        if (s->devices[id].client == owner)
            pipeline_lost(s->pipeline, id, absolute(l, time_ns), CLASH_TRACKING_LOST);
}

static void on_settled(void *context)
{
    room_link *l = context;

    l->settings.settled(l->settings.context);
}

static void on_flush(uv_timer_t *timer)
{
    room_link *l = timer->data;

    if (l->room)
        room_flush(l->room, now_ns(l));
}

static void on_flush_in(void *context, uint64_t ms)
{
    uv_timer_start(&((room_link *)context)->flush, on_flush, ms, 0);
}

static void on_tick(uv_timer_t *timer)
{
    room_link *l = timer->data;

    if (l->room)
        uv_timer_start(timer, on_tick, room_tick(l->room, now_ns(l)), 0);
}

/* ---- what waits for other players ---- */

static void settle(room_link *l)
{
    if (session_outbox_settle(l->settings.outbox) > 0)
        on_settled(l);
}

static void wait_for_others(room_link *l);

static void on_due(uv_timer_t *timer)
{
    room_link *l = timer->data;

    if (l->room)
        room_decide(l->room, now_ns(l));
    settle(l);
    wait_for_others(l);
}

/* Contacts that nothing is kept back of wait too: what is told of their end depends on it. */
static void wait_for_others(room_link *l)
{
    const int64_t due = l->room ? room_due(l->room) : INT64_MAX, left = due - now_ns(l);

    if (due == INT64_MAX || !l->is_open)
        return;
    uv_timer_start(&l->settle, on_due, left > 0 ? (uint64_t)(left / 1000000) + 1 : 0, 0);
}

static bool on_judge(void *context, clash_event *event)
{
    room_link *l = context;

    return room_judge_event(l->room, event);
}

static void on_give_up(void *context, uint64_t contact)
{
    room_link *l = context;

    room_give_up(l->room, contact);
}

/* ---- what the connection passes on ---- */

static void on_received(void *context, const char *player, mqtt_kind kind, const char *payload, size_t length)
{
    room_link *l = context;

    if (!l->room)
        return;
    if (kind == MQTT_ONLINE)
        room_online(l->room, player, length == 4 && memcmp(payload, "true", 4) == 0, now_ns(l));
    else if (kind >= MQTT_PEER && kind <= MQTT_CONTACT)
        room_take(l->room, player, (room_message_kind)(kind - MQTT_PEER), payload, length, now_ns(l));
    settle(l);
}

static void on_connected(void *context, bool is)
{
    room_link *l = context;

    l->is_connected = is;
    if (l->room)
        room_join(l->room, is, now_ns(l));
    settle(l);
}

mqtt_take room_link_take(room_link *l, const config_mqtt *config)
{
    return (mqtt_take){.players = config->players.names,
                       .player_count = config->players.count,
                       .context = l,
                       .received = on_received,
                       .connected = on_connected};
}

/* ---- what happens here ---- */

static void on_frame(void *context, const pose_frame *frame)
{
    room_link *l = context;

    room_on_frame(l->room, frame, &l->settings.names, l->settings.epoch_ns, now_ns(l));
}

static void on_event(void *context, const clash_event *event)
{
    room_link *l = context;

    room_on_event(l->room, event, l->settings.epoch_ns, now_ns(l));
}

/* The pipeline changes after the sinks have been told. */
static void on_blades_changed(uv_timer_t *timer)
{
    room_link *l = timer->data;

    if (!l->room)
        return;
    room_on_blades(l->room);
    room_flush(l->room, now_ns(l));
}

static void on_blade(void *context, int64_t time_ns, const clash_blade *blade)
{
    (void)time_ns;
    if (!is_of_peer(blade->device))
        uv_timer_start(&((room_link *)context)->flush, on_blades_changed, 0, 0);
}

static void on_removed(void *context, int64_t time_ns, const char *blade, const char *device)
{
    (void)time_ns, (void)blade;
    if (!device || !is_of_peer(device))
        uv_timer_start(&((room_link *)context)->flush, on_blades_changed, 0, 0);
}

static void on_note(void *context, clash_event *event)
{
    room_link *l = context;
    const void *const owners[2] = {scene_owner_of(l->settings.scene, event->blades[0]),
                                   scene_owner_of(l->settings.scene, event->blades[1])};

    room_note_event(l->room, event, owners, l->settings.epoch_ns, now_ns(l));
    if (!uv_is_active((uv_handle_t *)&l->settle))
        wait_for_others(l);
}

void room_link_list_counters(const room_link *l, counter_list *out)
{
    if (l->room)
        room_list_counters(l->room, now_ns(l), out);
}

size_t room_link_list_players(const room_link *l, protocol_status_player *out, size_t most)
{
    return l->room ? room_list_players(l->room, now_ns(l), out, most) : 0;
}

/* ---- its life ---- */

static clash_pose pose_of(const config_room *c)
{
    return (clash_pose){.orientation = {0.0f, (float)sin(c->turn / 2.0), 0.0f, (float)cos(c->turn / 2.0)},
                        .position = {(float)c->x, (float)c->y, (float)c->z}};
}

static int create_room(room_link *l, const config_values *config, failure *out_failure)
{
    const room_user user = {.context = l,
                            .log = l->settings.log,
                            .publish = on_publish,
                            .own_blades = on_own_blades,
                            .contact = on_contact,
                            .define = on_define,
                            .remove = on_remove,
                            .gone = on_gone,
                            .device = on_device,
                            .frame = on_others_frame,
                            .lost = on_lost,
                            .settled = on_settled,
                            .flush_in = on_flush_in};
    const char *players[CONFIG_NAMES_MAX];
    char machine[OUTLETS_PLAYER_MAX];
    const config_mqtt *mqtt = &config->mqtt;
    const room_settings settings = {.player = outlets_player(mqtt, machine),
                                    .session = l->settings.session,
                                    .shares = mqtt->share,
                                    .is_referee = mqtt->referee,
                                    .players = players,
                                    .player_count = mqtt->players.count,
                                    .room_from_stage = pose_of(&config->room),
                                    .agree_ns = (int64_t)mqtt->agree_ms * 1000000};

    if (!mqtt->broker[0] || !mqtt->peers)
        return 0;
    for (size_t i = 0; i < mqtt->players.count; i++)
        players[i] = mqtt->players.names[i];
    l->room = room_create(&settings, &user);
    if (l->room && session_outbox_set_players(l->settings.outbox, &l->players) == 0)
        return 0;
    room_destroy(l->room, now_ns(l));
    l->room = NULL;
    return fail_int(out_failure, "mqtt.peers: out of memory");
}

/* What waits for other players goes on without them. */
static void destroy_room(room_link *l)
{
    bool waited;

    room_destroy(l->room, now_ns(l));
    l->room = NULL;
    waited = l->settings.outbox->waiting_count > 0;
    session_outbox_set_players(l->settings.outbox, NULL);
    if (waited)
        on_settled(l);
}

int room_link_open(room_link *l, const room_link_settings *settings, const config_values *config, failure *out_failure)
{
    uv_timer_t *const timers[] = {&l->tick, &l->flush, &l->settle};

    *l = (room_link){.settings = *settings, .contact = config->contact};
    l->players = (session_outbox_players){
        .port = {.context = l, .event = on_event, .frame = on_frame, .blade = on_blade, .removed = on_removed},
        .note = on_note,
        .judge = on_judge,
        .give_up = on_give_up,
        .context = l,
    };
    for (size_t i = 0; i < 3; i++) {
        uv_timer_init(settings->loop, timers[i]);
        timers[i]->data = l;
        uv_unref((uv_handle_t *)timers[i]);
    }
    l->is_open = true;
    if (create_room(l, config, out_failure) != 0)
        return -1;
    if (l->room)
        uv_timer_start(&l->tick, on_tick, 0, 0);
    return 0;
}

void room_link_change(room_link *l, const config_values *config, bool is_other_broker)
{
    const clash_pose place = pose_of(&config->room);
    failure why = {0};

    l->contact = config->contact;
    if (!is_other_broker) {
        if (l->room)
            room_move(l->room, &place, now_ns(l));
        return;
    }
    uv_timer_stop(&l->tick);
    destroy_room(l);
    if (create_room(l, config, &why) != 0)
        LOG_WARNING(&l->settings.log, "%s", why.text);
    if (l->room)
        uv_timer_start(&l->tick, on_tick, 0, 0);
}

void room_link_close(room_link *l)
{
    if (!l->is_open)
        return;
    destroy_room(l);
    uv_close((uv_handle_t *)&l->tick, NULL);
    uv_close((uv_handle_t *)&l->flush, NULL);
    uv_close((uv_handle_t *)&l->settle, NULL);
    l->is_open = false;
}
