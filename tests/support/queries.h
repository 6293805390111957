/* Random swept queries of seven kinds, each hard in its own way. Here and in queries_hard.h no two random numbers are
 * drawn in one expression, because C leaves open which comes first. */
#ifndef CLASHD_TESTS_QUERIES_H
#define CLASHD_TESTS_QUERIES_H

#include <clash/sweep.h>
#include <math.h>

#include "support/random.h"

enum { QUERY_RANDOM, QUERY_DROPPED, QUERY_HITS, QUERY_PARALLEL, QUERY_GRAZING, QUERY_EXTREME, QUERY_FAR, QUERY_KINDS };

static const char *const query_names[QUERY_KINDS] = {"random at 90 Hz", "dropped frames", "hits",    "parallel",
                                                     "grazing",         "extreme",        "far away"};

typedef struct query {
    clash_body a, b;
} query;

static inline clash_vec3 query_add(clash_vec3 a, clash_vec3 b)
{
    return (clash_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline clash_body query_body(random_state *r, double room, double step, double turn, double radius)
{
    clash_body b;
    clash_quat q = random_turn(r, 6.28);
    clash_vec3 off;

    b.shape.base = random_box(r, 0.05);
    off = random_box(r, 0.05);
    b.shape.tip = query_add(off, (clash_vec3){0, 0, (float)-random_in(r, 0.3, 1.3)});
    b.shape.radius = (float)random_in(r, 0.2 * radius, radius);
    b.motion.from = (clash_pose){q, random_box(r, room)};
    b.motion.to.position = query_add(b.motion.from.position, random_box(r, step));
    b.motion.to.orientation = quat_times(random_turn(r, turn), q);
    return b;
}

/** Parallel, collinear, static, zero length, zero radius, in all mixtures. */
static inline void query_degenerate(random_state *r, query *q)
{
    int kind = random_below(r, 64);

    q->b.shape.base = (clash_vec3){0, 0, 0};
    q->b.shape.tip = (clash_vec3){0, 0, -1};
    q->a.shape = q->b.shape;
    q->b.shape.radius = q->a.shape.radius = (kind & 1) ? 0.0f : 0.02f;
    if (kind & 2)
        q->b.motion.from.orientation = q->b.motion.to.orientation = q->a.motion.from.orientation;
    if (kind & 4)
        q->a.motion.to.orientation = q->a.motion.from.orientation;
    if (kind & 8)
        q->a.motion.to = q->a.motion.from;
    if (kind & 16)
        q->a.shape.tip = q->a.shape.base;
    if (kind & 32) /* collinear: one behind the other along the axis, sliding */
        q->a.motion.from.position =
            clash_pose_apply(&q->b.motion.from, (clash_vec3){0, 0, (float)random_in(r, -2.2, 1.2)});
}

/** Set b's radius so that the least distance over the interval is the sum of the radii plus `gap`. */
static inline void query_graze(query *q, double least, double gap)
{
    double sum = least - gap;

    q->a.shape.radius = (float)fmax(0.0, sum * 0.5);
    q->b.shape.radius = (float)fmax(0.0, sum - (double)q->a.shape.radius);
}

static inline query query_make(random_state *r, int kind)
{
    double turn = kind == QUERY_DROPPED ? 0.9 : kind == QUERY_EXTREME ? 2.8 : 0.35;
    double step = kind == QUERY_DROPPED ? 0.15 : kind == QUERY_EXTREME ? 0.7 : 0.05;
    double room = kind == QUERY_HITS || kind == QUERY_PARALLEL ? 0.4 : 0.9;
    double radius = kind == QUERY_EXTREME && random_below(r, 2) ? 0.3 : kind == QUERY_EXTREME ? 1e-4 : 0.03;
    query q;

    q.a = query_body(r, room, step, turn, radius);
    q.b = query_body(r, room, step, turn, radius);
    if (kind == QUERY_PARALLEL)
        query_degenerate(r, &q);
    if (kind == QUERY_FAR) {
        clash_vec3 away = random_box(r, 120.0);

        q.a.motion.from.position = query_add(q.a.motion.from.position, away);
        q.a.motion.to.position = query_add(q.a.motion.to.position, away);
        q.b.motion.from.position = query_add(q.b.motion.from.position, away);
        q.b.motion.to.position = query_add(q.b.motion.to.position, away);
    }
    return q;
}

#endif
