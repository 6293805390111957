/* Blades that meet a surface in the ways of the blades' own queries (queries.h, queries_hard.h): at a corner, on an
 * edge or a face of one of its triangles, along an edge or across it, while both move. Uses no libm. */
#ifndef CLASHD_TESTS_SURFACE_QUERIES_H
#define CLASHD_TESTS_SURFACE_QUERIES_H

#include "support/queries_hard.h"
#include "support/surface_scenes.h"
#include "support/surface_truth.h"

enum { SURFACE_QUERY_KINDS = QUERY_KINDS + HARD_KINDS };

static inline const char *surface_query_name(int kind)
{
    return kind < QUERY_KINDS ? query_names[kind] : hard_names[kind - QUERY_KINDS];
}

typedef struct surface_query {
    clash_body blade;
    clash_motion motion; /* of the surface */
} surface_query;

/** How a blade comes to a place on the surface: it is there at `fraction`, `apart` more than its radius away. */
typedef struct surface_way {
    double length, radius, step, turn, fraction, along, apart;
    clash_quat lie; /* there, as the surface sees it */
    clash_vec3 axis;
} surface_way;

/** The orientation that turns -z to a unit vector. */
static inline clash_quat surface_query_facing(clash_vec3 d)
{
    clash_quat q = {d.y, -d.x, 0, 1 - d.z};
    float square = q.x * q.x + q.y * q.y + q.w * q.w, s;

    if (!(square > 1e-6f))
        return (clash_quat){1, 0, 0, 0};
    s = 1 / sqrtf(square);
    return (clash_quat){q.x * s, q.y * s, 0, q.w * s};
}

/** Return about where the surface is at that time. */
static inline clash_pose surface_query_pose(const clash_motion *m, double fraction)
{
    const clash_quat *a = &m->from.orientation, *b = &m->to.orientation;
    float dot = a->x * b->x + a->y * b->y + a->z * b->z + a->w * b->w, f = (float)fraction, g = dot < 0 ? f - 1 : 1 - f,
          s;
    clash_quat q = {g * a->x + f * b->x, g * a->y + f * b->y, g * a->z + f * b->z, g * a->w + f * b->w};

    s = 1 / sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (clash_pose){{q.x * s, q.y * s, q.z * s, q.w * s},
                        query_add(hard_scaled(m->from.position, 1 - fraction), hard_scaled(m->to.position, fraction))};
}

/** Return a corner, or a place on an edge or on the face. */
static inline clash_vec3 surface_query_place(random_state *r, const clash_vec3 c[3], int dimensions)
{
    double u = random_in(r, 0, 1), v = random_in(r, 0, 1 - u);

    if (dimensions == 0)
        return c[random_below(r, 3)];
    if (dimensions == 1)
        return query_add(hard_scaled(c[0], 1 - u), hard_scaled(c[1], u));
    return query_add(hard_scaled(c[0], 1 - u - v), query_add(hard_scaled(c[1], u), hard_scaled(c[2], v)));
}

/** Return a unit vector along an edge that has a length; any vector if none has. */
static inline clash_vec3 surface_query_edge(random_state *r, const clash_vec3 c[3])
{
    int first = random_below(r, 3);
    clash_vec3 edge = surface_scene_minus(c[(first + 1) % 3], c[first]);
    float length = clash_vec3_length(edge);

    return length > 1e-6f ? hard_scaled(edge, 1 / (double)length) : random_direction(r);
}

static inline void surface_way_parallel(random_state *r, surface_way *w, const clash_vec3 c[3])
{
    w->lie = surface_query_facing(surface_query_edge(r, c));
    w->turn = random_below(r, 2) ? 0 : 0.35;
    w->step = random_below(r, 3) ? 0.05 : 0;
    if (random_below(r, 2))
        w->radius = 0;
    if (random_below(r, 4) == 0)
        w->length = 0;
}

static inline void surface_way_near_parallel(random_state *r, surface_way *w, const clash_vec3 c[3])
{
    double angle = hard_decades(r, -7, -2);
    clash_quat tilt = hard_any_tilt(r, angle);

    w->lie = quat_times(tilt, surface_query_facing(surface_query_edge(r, c)));
    w->step = 0.05 * hard_decades(r, -3, 0) * 0.1;
    w->turn = random_below(r, 2) ? 3 : 0.01;
    if (random_below(r, 2))
        w->axis = clash_pose_rotate(&(clash_pose){w->lie, {0, 0, 0}}, (clash_vec3){0, 0, -1});
}

static inline surface_way surface_way_plain(random_state *r, int kind, const clash_vec3 c[3])
{
    double turn = kind == QUERY_DROPPED ? 0.9 : kind == QUERY_EXTREME ? 2.8 : 0.35;
    double step = kind == QUERY_DROPPED ? 0.15 : kind == QUERY_EXTREME ? 0.7 : 0.05;
    surface_way w = {.step = step, .turn = turn};

    w.length = random_in(r, 0.3, 1.3);
    w.radius = kind == QUERY_EXTREME ? (random_below(r, 2) ? 0.3 : 1e-4) : random_in(r, 0.005, 0.03);
    w.fraction = random_in(r, 0, 1);
    w.along = random_in(r, 0, 1);
    w.lie = random_turn(r, 6.28);
    w.axis = random_direction(r);
    if (kind != QUERY_HITS && kind != QUERY_PARALLEL)
        w.apart = random_in(r, -0.02, 0.1);
    if (kind == QUERY_PARALLEL)
        surface_way_parallel(r, &w, c);
    return w;
}

static inline surface_way surface_way_hard(random_state *r, hard_kind kind, const clash_vec3 c[3])
{
    surface_way w = surface_way_plain(r, QUERY_HITS, c);

    if (kind == HARD_PARALLEL)
        surface_way_near_parallel(r, &w, c);
    if (kind == HARD_TIPS)
        w.along = random_below(r, 4) ? 1 : 0, w.step = hard_decades(r, -3, 1);
    if (kind == HARD_AT_ENDS || kind == HARD_DYADIC) {
        w.fraction = kind == HARD_DYADIC ? 0 : hard_decades(r, -9, -2);
        if (random_below(r, 2))
            w.fraction = 1 - w.fraction;
    }
    if (kind == HARD_BRIEF)
        w.step = random_below(r, 2) ? 1000 : 50, w.turn = random_below(r, 2) ? 0 : 3;
    if (kind == HARD_LINES)
        w.radius = 0, w.step = random_below(r, 2) ? 1 : 0.01, w.turn = 1;
    if (kind == HARD_SIZES) {
        w.length = hard_decades(r, -6, 4);
        w.radius = random_below(r, 4) ? 0.02 * w.length : 0;
        w.step = random_below(r, 2) ? w.length : hard_decades(r, -6, 1);
        w.turn = 2;
    }
    if (kind == HARD_SLOW)
        w.step = hard_decades(r, -8, -5), w.turn = 0;
    return w;
}

static inline void surface_query_carry(surface_query *q, clash_vec3 away)
{
    clash_pose *const poses[4] = {&q->blade.motion.from, &q->blade.motion.to, &q->motion.from, &q->motion.to};

    for (int i = 0; i < 4; i++)
        poses[i]->position = query_add(poses[i]->position, away);
}

static inline void surface_query_half_turn(random_state *r, clash_motion *m)
{
    double off = hard_either_way(r, -6, 0, 0);

    m->to.orientation = quat_times(hard_any_tilt(r, 3.14159265358979 + off), m->from.orientation);
}

/** Move the blade with the surface, except for a small turn and a small step. */
static inline void surface_query_together(random_state *r, surface_query *q, clash_vec3 place, clash_vec3 beside)
{
    double slight = hard_decades(r, -6, 0) * 0.1, length = random_in(r, 0.1, 1);
    clash_vec3 along = hard_scaled(random_direction(r), length);

    q->blade.shape.base = query_add(place, beside);
    q->blade.shape.tip = query_add(q->blade.shape.base, along);
    q->blade.motion.from = hard_beside(r, q->motion.from, slight);
    q->blade.motion.to = hard_beside(r, q->motion.to, slight);
}

/** Choose what is not determined by how it comes to its place. */
static inline void surface_query_become(random_state *r, surface_query *q, int kind, clash_vec3 place,
                                        clash_vec3 beside)
{
    if (kind == QUERY_FAR)
        surface_query_carry(q, random_box(r, 120));
    if (kind < QUERY_KINDS)
        return;
    kind -= QUERY_KINDS;
    if (kind == HARD_FAR)
        surface_query_carry(q, random_box(r, 1e4));
    if (kind == HARD_HALF_TURN)
        surface_query_half_turn(r, &q->blade.motion);
    if (kind == HARD_UNIT) {
        q->blade.motion.from.orientation = hard_rescaled(r, q->blade.motion.from.orientation);
        q->motion.to.orientation = hard_rescaled(r, q->motion.to.orientation);
    }
    if (kind == HARD_SLOW && random_below(r, 2)) { /* rolls about its own axis */
        q->blade.shape.base.x = q->blade.shape.base.y = q->blade.shape.tip.x = q->blade.shape.tip.y = 0;
        q->blade.motion.to.orientation =
            quat_times(q->blade.motion.from.orientation, hard_turn((clash_vec3){0, 0, 1}, random_in(r, -3.1, 3.1)));
    }
    if (kind == HARD_TOGETHER)
        surface_query_together(r, q, place, beside);
}

/** Set the blade's radius so that it comes to within `gap` of touching; leave it if it comes too near for that. */
static inline void surface_query_tighten(surface_query *q, const ref_vec (*corners)[3], uint32_t count, uint32_t *lists,
                                         double gap)
{
    surface_truth t = surface_truth_of(&q->blade, &q->motion, corners, count, lists);
    double least = surface_least(&t, 1e-8 + 1e-13 * t.size);

    if (least - gap > 0)
        q->blade.shape.radius = (float)(least - gap);
}

/** Return a query of a random triangle of the scene, before its radius is fitted. *out_sign: drawn here to keep the
 *  order of random numbers. */
static inline surface_query surface_query_any(random_state *r, int kind, const surface_scene *scene, double *out_sign)
{
    const uint32_t *triangle = scene->triangles[random_below(r, (int)scene->count)];
    const clash_vec3 c[3] = {scene->vertices[triangle[0]], scene->vertices[triangle[1]], scene->vertices[triangle[2]]};
    clash_vec3 place = surface_query_place(r, c, random_below(r, 3)), beside;
    surface_way w =
        kind < QUERY_KINDS ? surface_way_plain(r, kind, c) : surface_way_hard(r, (hard_kind)(kind - QUERY_KINDS), c);
    surface_query q = {.motion = surface_scene_motion(r, scene->middle)};
    clash_pose there = surface_query_pose(&q.motion, w.fraction);
    clash_capsule shape = hard_blade(r, w.length, w.radius);
    double angle = random_in(r, -w.turn, w.turn);

    *out_sign = hard_sign(r);
    beside = hard_scaled(random_direction(r), (double)shape.radius + w.apart);
    q.blade = hard_through(shape, hard_point_on(&shape, w.along), clash_pose_apply(&there, query_add(place, beside)),
                           quat_times(there.orientation, w.lie), clash_pose_rotate(&there, w.axis), angle,
                           random_box(r, w.step), w.fraction);
    surface_query_become(r, &q, kind, place, beside);
    return q;
}

/** `corners`, `lists`: those of the scene, as surface_truth_of has them. */
static inline surface_query surface_query_of(random_state *r, int kind, const surface_scene *scene,
                                             const ref_vec (*corners)[3], uint32_t *lists)
{
    double sign;
    surface_query q = surface_query_any(r, kind, scene, &sign);

    if (kind == QUERY_GRAZING)
        surface_query_tighten(&q, corners, scene->count, lists, sign * random_in(r, 3e-5, 1e-3));
    else if (kind >= QUERY_KINDS && random_below(r, 4) == 0)
        surface_query_tighten(&q, corners, scene->count, lists, hard_either_way(r, -6, -3, 0));
    return q;
}

#endif
