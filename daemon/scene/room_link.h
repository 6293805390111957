/* The room of several players (sources/peer) joined with what it needs: the broker's connection, the scene, the clock. */
#ifndef CLASHD_SCENE_ROOM_LINK_H
#define CLASHD_SCENE_ROOM_LINK_H

#include "event_outbox.h"
#include "outlets.h"
#include "scene.h"
#include "sources/peer/room.h"

typedef struct room_link_settings {
    uv_loop_t *loop;
    scene *scene;
    const outlets *outlets;
    session_outbox *outbox; /* gets the hook of other players while there is a room */
    const char *session;    /* its id */
    int64_t epoch_ns;
    device_names names;
    logger log;
    void *context;                    /* of the functions below */
    int64_t (*now_ns)(void *context); /* of the session */
    /** Frames of others are in. */
    void (*settled)(void *context);
} room_link_settings;

/** Zero-initialise. Do not move it once it is open. */
typedef struct room_link {
    room_link_settings settings;
    room *room; /* NULL: the settings want none */
    protocol_contact_settings contact;
    bool is_open, is_connected;
    uv_timer_t tick, flush, settle;
    session_outbox_players players;
} room_link;

/** Return 0, or -1 with a message in out_failure; closed either way by room_link_close. */
int room_link_open(room_link *l, const room_link_settings *settings, const config_values *config, failure *out_failure);
/** The settings are others from now on; `is_other_broker`: the connection is another one too. */
void room_link_change(room_link *l, const config_values *config, bool is_other_broker);
/** The loop has to run once more before it is closed. */
void room_link_close(room_link *l);

/** What the connection passes on; it points into the settings. */
mqtt_take room_link_take(room_link *l, const config_mqtt *config);
void room_link_list_counters(const room_link *l, counter_list *out);
/** As room_list_players(); 0 without a room. */
size_t room_link_list_players(const room_link *l, protocol_status_player *out, size_t most);

#endif
