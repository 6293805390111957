/* What clients push: blades, targets (limited in number) and poses, by the contract in ports/pose_rules.h. A client
 * owns in the scene what it defines. Reads no clock and opens nothing: callers pass the time. A target whose hull must
 * be computed is finished later. Loop's thread. */
#ifndef CLASHD_SCENE_PUSH_H
#define CLASHD_SCENE_PUSH_H

#include "inbox.h"
#include "mesh/loader.h"
#include "ports/counter.h"
#include "scene.h"

#define PUSH_BLADES_MAX 4096     /* for one client */
#define PUSH_ALL_BLADES_MAX 8192 /* for all together: 10,000 moving ones a step were measured, some 2 kB each */
/* Of both limits as many are only for blades on devices that a client feeds, so that a crowd leaves the player's hands
 * their swords. */
#define PUSH_HAND_BLADES 64
#define PUSH_TARGETS_MAX 64
#define PUSH_ALL_TARGETS_MAX 192

typedef struct push push;

typedef struct push_settings {
    scene *scene; /* must outlive it */
    int64_t epoch_ns;
    int64_t timeout_ns;     /* a device is cut after so long without a pose */
    surface_loader *loader; /* for hulls; must outlive it. NULL: wait for them */
    inbox *inbox;           /* in which a target waits whose hull is made; NULL: it is defined at once */
    void *context;          /* of the function below */
    int64_t (*now_ns)(void *context);
    /** End a request that was PUSH_LATER: carried out, or refused with `error`. */
    void (*done)(void *context, const void *client, const protocol_error *error);
} push_settings;

/** Result of push_request: `done` follows. Pass nothing else of this client until then. */
#define PUSH_LATER 1
/** Result for poses: the good ones were taken, and out_error tells what is wrong with the first bad one. */
#define PUSH_PARTLY 2

/** Return NULL when out of memory. */
push *push_create(const push_settings *settings);
void push_destroy(push *p);
/** Drop PUSH_LATER requests without calling `done`: of a client, or of everybody if NULL, before the loader is closed.
 *  Accepts NULL. */
void push_give_up(push *p, const void *client);

/** Carry out a client's blade, target, remove, feed or poses request; `now_ns` counts from the epoch. Return 0,
 *  PUSH_LATER, PUSH_PARTLY, or -1 with out_error: then nothing has changed. */
int push_request(push *p, const void *client, const protocol_request *request, int64_t now_ns,
                 protocol_error *out_error);
/** A client is gone: remove one thing that it owned. Return false if nothing is left. */
bool push_client_goes(push *p, const void *client, int64_t now_ns);
/** Cut silent devices, the source's too, up to one that leaves the step unfinished. Call often. Return false if there is no device to
 *  watch. */
bool push_check_silence(push *p, int64_t now_ns);
void push_list_counters(const push *p, counter_list *out);

#endif
