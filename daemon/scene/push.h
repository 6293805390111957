/* What clients push: how many blades and targets, and poses, by the contract in ports/pose_rules.h. What a client defines is its own
 * in the scene. Reads no clock and opens nothing: the time of a call is its caller's. A target
 * whose hull has to be found comes later. Loop's thread. */
#ifndef CLASHD_SCENE_PUSH_H
#define CLASHD_SCENE_PUSH_H

#include "mesh/loader.h"
#include "ports/counter.h"
#include "scene.h"

#define PUSH_BLADES_MAX 64      /* of one client */
#define PUSH_ALL_BLADES_MAX 192 /* of all together, so that hello fits a line */
#define PUSH_TARGETS_MAX 64
#define PUSH_ALL_TARGETS_MAX 192

typedef struct push push;

typedef struct push_settings {
    scene *scene; /* outlives it */
    int64_t epoch_ns;
    int64_t timeout_ns;     /* without a pose after which a device is cut */
    surface_loader *loader; /* of hulls; outlives it. NULL: they are waited for */
    void *context;          /* of the functions below, which are for hulls */
    int64_t (*now_ns)(void *context);
    /** The end of a request that was PUSH_LATER: carried out, or refused with `error`. */
    void (*done)(void *context, const void *client, const protocol_error *error);
} push_settings;

/** push_request's: `done` follows. Nothing else may be asked for this client until then. */
#define PUSH_LATER 1
/** .. and of poses: the good ones are taken, and out_error says what is wrong with the first bad one. */
#define PUSH_PARTLY 2

/** NULL when out of memory. */
push *push_create(const push_settings *settings);
void push_destroy(push *p);
/** Gives up what is PUSH_LATER, without its done: a client's, or with NULL everybody's, before the loader is closed. Accepts
 *  NULL. */
void push_give_up(push *p, const void *client);

/** Carries out a blade, target, remove, feed or poses request of a client, `now_ns` since the epoch. 0, PUSH_LATER, PUSH_PARTLY, or
 *  -1 with out_error: then nothing has changed. */
int push_request(push *p, const void *client, const protocol_request *request, int64_t now_ns,
                 protocol_error *out_error);
/** Takes a target that was made within a step that was not over. False if there is none. */
bool push_define_made(push *p);
/** A client has gone: one thing that was its own goes. False if nothing is left. */
bool push_client_goes(push *p, const void *client, int64_t now_ns);
/** Cuts devices that are silent, up to one of which the step is left unfinished. To be called often; false if there is no
 *  device to watch. */
bool push_check_silence(push *p, int64_t now_ns);
void push_list_counters(const push *p, counter_list *out);

#endif
