/* Swept queries of a blade with a solid target, made from those of two blades (queries.h, queries_hard.h): the second blade
 * becomes a ball at its tip, the capsule itself, or a box around it or of any other size. */
#ifndef CLASHD_TESTS_TARGET_QUERIES_H
#define CLASHD_TESTS_TARGET_QUERIES_H

#include "support/queries_hard.h"
#include "support/target_truth.h"

enum { TARGET_QUERY_KINDS = QUERY_KINDS + HARD_KINDS, TARGET_SHAPES = 3 };

static const char *const target_shape_names[TARGET_SHAPES] = {"sphere", "capsule", "box"};

typedef struct target_query {
    clash_body blade;
    impact_target target;
} target_query;

static inline const char *target_query_name(int kind)
{
    return kind < QUERY_KINDS ? query_names[kind] : hard_names[kind - QUERY_KINDS];
}

/** A plate, a stick, a point, or all three sizes. */
static inline clash_vec3 target_query_half(random_state *r, double size)
{
    int flat = random_below(r, 4) ? 7 : random_below(r, 8);
    float x = (float)(size * random_in(r, 0.01, 1)), y = (float)(size * random_in(r, 0.01, 1)),
          z = (float)(size * random_in(r, 0.01, 1));

    return (clash_vec3){flat & 1 ? x : 0, flat & 2 ? y : 0, flat & 4 ? z : 0};
}

static inline clash_shape target_query_box(random_state *r, const clash_capsule *like)
{
    clash_vec3 middle = hard_point_on(like, 0.5), half;
    clash_vec3 axis = {like->tip.x - like->base.x, like->tip.y - like->base.y, like->tip.z - like->base.z};
    float length = clash_vec3_length(axis);
    clash_quat turn = random_turn(r, 6.28);

    if (random_below(r, 2)) { /* along the capsule where that lies along z */
        turn = (clash_quat){0, 0, 0, 1};
        half = (clash_vec3){like->radius, like->radius, length / 2};
    } else {
        half = target_query_half(r, (double)length / 2);
    }
    return (clash_shape){CLASH_SHAPE_BOX, {.box = {middle, turn, half}}};
}

static inline clash_shape target_query_shape(random_state *r, int shape, const clash_capsule *like)
{
    bool large = random_below(r, 2);
    clash_vec3 axis = {like->tip.x - like->base.x, like->tip.y - like->base.y, like->tip.z - like->base.z};

    if (shape == 0)
        return (clash_shape){CLASH_SHAPE_SPHERE,
                             {.sphere = {like->tip, like->radius + (large ? 0.2f * clash_vec3_length(axis) : 0.0f)}}};
    if (shape == 1)
        return (clash_shape){CLASH_SHAPE_CAPSULE, {.capsule = *like}};
    return target_query_box(r, like);
}

/** Set the blade's radius so that it comes to within `gap` of touching; leave it if it comes too near for that. */
static inline void target_query_tighten(target_query *q, double gap)
{
    truth_target t = truth_target_of(&q->blade, (clash_span){0, 1}, &q->target, (clash_span){0, 1});
    double least = truth_at(&t, 0.5).distance;

    truth_least(&t, 1e-8 + 1e-13 * t.size, 0, 1, &least);
    if (least - gap > 0)
        q->blade.shape.radius = (float)(least - gap);
}

static inline bool target_query_touches(const target_query *q)
{
    truth_target t = truth_target_of(&q->blade, (clash_span){0, 1}, &q->target, (clash_span){0, 1});

    return truth_first_within(&t, (double)q->blade.shape.radius, 1e-6, 0, 1).found;
}

static inline target_query target_query_any(random_state *r, int kind, int shape)
{
    query two = kind < QUERY_KINDS ? query_make(r, kind) : hard_make(r, (hard_kind)(kind - QUERY_KINDS));
    target_query q = {two.a, {target_query_shape(r, shape, &two.b.shape), two.b.motion}};

    if (random_below(r, 3) == 0) /* most targets are static */
        q.target.motion.to = q.target.motion.from;
    return q;
}

/** Return a query from its own seed, so that each can be made alone. */
static inline target_query target_query_of(uint64_t seed, int kind, int shape, long i)
{
    random_state r = {seed + ((uint64_t)kind << 40) + ((uint64_t)shape << 50) + ((uint64_t)i << 8)};
    target_query q;

    random_bits(&r);
    q = target_query_any(&r, kind, shape);
    while (kind == QUERY_HITS && !target_query_touches(&q))
        q = target_query_any(&r, kind, shape);
    if (kind == QUERY_GRAZING)
        target_query_tighten(&q, hard_sign(&r) * random_in(&r, 3e-5, 1e-3));
    else if (kind >= QUERY_KINDS && random_below(&r, 4) == 0)
        target_query_tighten(&q, hard_either_way(&r, -6, -3, 0));
    return q;
}

#endif
