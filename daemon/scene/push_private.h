/* What the parts of push share: push.c (who owns what, and blades), push_targets.c and push_poses.c. Included by nobody
 * else. */
#ifndef CLASHD_SCENE_PUSH_PRIVATE_H
#define CLASHD_SCENE_PUSH_PRIVATE_H

#include "push.h"

#include "assembly.h"
#include "target_load.h"

#include <stdio.h>
#include <string.h>

#define NS_PER_S INT64_C(1000000000)

typedef struct push_device {
    char name[POSE_DEVICE_NAME_MAX];
    uint32_t id;
    uint32_t things; /* blades and targets on it */
    bool has_pose, live;
    int64_t pose_ns;    /* of the last one, since the epoch */
    int64_t arrived_ns; /* when it came */
} push_device;

typedef struct push_blade {
    char name[PIPELINE_BLADE_NAME_MAX];
    char device[POSE_DEVICE_NAME_MAX];
    bool was_warned_of; /* a negative size: said once, however often it is defined anew */
} push_blade;

typedef struct push_target {
    char name[CLASH_TARGET_NAME_MAX];
    char device[POSE_DEVICE_NAME_MAX]; /* "": it stands still */
    bool was_warned_of;                /* as a blade's */
} push_target;

typedef struct push_owner {
    struct push_owner *next;
    const void *client;
    push *push;
    target_load *load; /* of a target that comes later; NULL: none */
    size_t blade_count, target_count, device_count;
    push_blade blades[PUSH_BLADES_MAX];
    push_target targets[PUSH_TARGETS_MAX];
    push_device devices[PUSH_BLADES_MAX + PUSH_TARGETS_MAX + 1]; /* one more while a blade moves to another */
    int64_t tokens;                                              /* of messages, times NS_PER_S */
    int64_t filled_ns;
} push_owner;

typedef struct push_counters {
    uint64_t messages, poses, late, future, limited, silent;
} push_counters;

struct push {
    push_settings settings;
    push_owner *owners;
    size_t blade_count, target_count;
    push_counters counters;
};

#define FAIL(error_code, ...) \
    (out_error->code = (error_code), snprintf(out_error->message, sizeof out_error->message, __VA_ARGS__), -1)

/** NULL where there is none of that name. `o` may be NULL: who owns nothing. */
push_blade *push_find_blade(push_owner *o, const char *name);
push_target *push_find_target(push_owner *o, const char *name);
push_device *push_find_device(push_owner *o, const char *name);

/** 0, or -1 with what is wrong with a device that the client wants to put something on. */
int push_check_device(const push *p, push_owner *o, const char *device, protocol_error *out_error);
/** One thing more, or less, on a device of the client's, which is made, or goes, with its first and last. */
int push_add_device(push *p, push_owner *o, const char *name);
void push_drop_device(push *p, push_owner *o, const char *name, int64_t now_ns);
void push_lose(push *p, push_device *device, int64_t now_ns);

/** Says that a blade's or target's size is negative, where it is and has not been said of it. */
void push_warn(const push *p, bool negative, const char *what, const char *name, bool *was_warned_of);

bool push_pipeline_has_blade(const push *p, const char *name);

/** What is to come later does not come. */
void push_give_up_one(push_owner *o);

/** As push_request. */
int push_define_target(push *p, push_owner *o, const clash_target_definition *target, int64_t now_ns,
                       protocol_error *out_error);
void push_remove_target(push *p, push_owner *o, push_target *target, int64_t now_ns);
int push_take_poses(push *p, push_owner *o, const protocol_own_poses *poses, int64_t now_ns, protocol_error *out_error);

#endif
