/* What the parts of push share: push.c (clients and blades), push_targets.c and push_poses.c. Nobody else includes
 * it. */
#ifndef CLASHD_SCENE_PUSH_PRIVATE_H
#define CLASHD_SCENE_PUSH_PRIVATE_H

#include "push.h"

#include "target_load.h"

#include <stdio.h>
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

/** Return 0, or -1 if the client may not define a blade or target of that name, or no more of them. */
int push_check(push *p, const push_owner *o, const char *name, bool is_target, const char *device,
               protocol_error *out_error);
/** Like push_request. */
int push_define_target(push *p, push_owner *o, const clash_target_definition *target, int64_t now_ns,
                       protocol_error *out_error);
/** Drop a target that is made or waits to be defined, without an answer. */
void push_give_up_target(push *p, push_owner *o);
/** `o` is NULL if the client has never defined anything. */
int push_take_poses(push *p, push_owner *o, const protocol_own_poses *poses, int64_t now_ns, protocol_error *out_error);

#endif
