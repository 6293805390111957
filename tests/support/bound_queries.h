/* Swept queries with numbers at CLASH_COORDINATE_MAX, in three ways: anything anywhere, a usual query moved to a corner
 * of the space, and shapes as far from their device as possible, so that a small turn is a long way. */
#ifndef CLASHD_TESTS_BOUND_QUERIES_H
#define CLASHD_TESTS_BOUND_QUERIES_H

#include "support/surface_queries.h"
#include "support/target_queries.h"

enum { BOUND_ANYWHERE, BOUND_CARRIED, BOUND_LEVER, BOUND_WAYS };

static const char *const bound_names[BOUND_WAYS] = {"anywhere", "at a corner", "far from its device"};

static const double bound_most = (double)CLASH_COORDINATE_MAX;

/** At the bound, somewhere below it, or about 0. */
static inline float bound_number(random_state *r)
{
    int kind = random_below(r, 4);
    double sign = hard_sign(r);

    return (float)(kind < 2 ? sign * bound_most : random_in(r, -1, 1) * (kind == 2 ? bound_most : 1.0));
}

static inline clash_vec3 bound_place(random_state *r)
{
    float x = bound_number(r), y = bound_number(r), z = bound_number(r);

    return (clash_vec3){x, y, z};
}

/** Return 0, the size of a blade or of a house, or anything up to the bound. */
static inline float bound_size(random_state *r)
{
    int kind = random_below(r, 8);

    return kind == 0  ? 0
           : kind < 4 ? (float)random_in(r, 0.001, 0.1)
           : kind < 6 ? (float)random_in(r, 1, 100)
                      : (float)(kind == 6 ? bound_most : random_in(r, 0, bound_most));
}

/** Return a motion from anywhere to anywhere, to a place nearby, or none. */
static inline clash_motion bound_motion(random_state *r)
{
    clash_motion m;
    int kind = random_below(r, 4);

    m.from.orientation = random_turn(r, 6.28);
    m.from.position = bound_place(r);
    m.to = m.from;
    if (kind == 0)
        return m;
    m.to.orientation = quat_times(random_turn(r, kind == 1 ? 1e-3 : 3.1), m.from.orientation);
    m.to.position = kind == 3 ? bound_place(r) : m.from.position;
    return m;
}

static inline clash_body bound_body(random_state *r)
{
    clash_body b;

    b.shape.base = bound_place(r);
    b.shape.tip = random_below(r, 8) ? bound_place(r) : b.shape.base;
    b.shape.radius = bound_size(r);
    b.motion = bound_motion(r);
    return b;
}

/** Return a query of shapes so far from their device that they are just within the bound however turned, and that turn
 *  by little. */
static inline query bound_lever(random_state *r)
{
    double turn = random_below(r, 2) ? 1e-4 : random_below(r, 2) ? 1e-2 : 3, fraction = random_in(r, 0, 1);
    clash_vec3 where = random_box(r, 1);
    query q;

    for (int k = 0; k < 2; k++) {
        clash_body *b = k ? &q.b : &q.a;
        double reach = random_in(r, 0.5, 0.99) * bound_most, along = random_in(r, 0, 1),
               length = random_in(r, 0.3, 1.3);
        clash_vec3 off = hard_scaled(random_direction(r), k && random_below(r, 2) ? 0 : reach);
        clash_capsule shape = hard_blade(r, length, 0.03);

        shape.base = query_add(shape.base, off);
        shape.tip = query_add(shape.tip, off);
        *b = hard_any_through(r, shape, along, where, random_below(r, 2) ? 0.05 : 5, turn, fraction);
    }
    return q;
}

static inline void bound_carry(query *q, clash_vec3 corner)
{
    clash_pose *const poses[4] = {&q->a.motion.from, &q->a.motion.to, &q->b.motion.from, &q->b.motion.to};

    for (int i = 0; i < 4; i++)
        poses[i]->position = query_add(poses[i]->position, corner);
}

static inline clash_vec3 bound_corner(random_state *r, double inside)
{
    double x = hard_sign(r), y = hard_sign(r), z = hard_sign(r);

    return hard_scaled((clash_vec3){(float)x, (float)y, (float)z}, bound_most - inside);
}

static inline query bound_once(random_state *r, int way)
{
    int kind = random_below(r, QUERY_KINDS + HARD_KINDS);
    query q;

    if (way == BOUND_LEVER)
        return bound_lever(r);
    if (way == BOUND_CARRIED) {
        q = kind < QUERY_KINDS ? query_make(r, kind) : hard_make(r, (hard_kind)(kind - QUERY_KINDS));
        bound_carry(&q, bound_corner(r, random_below(r, 2) ? 3 : 1000));
        return q;
    }
    q.a = bound_body(r);
    q.b = bound_body(r);
    return q;
}

static inline bool bound_capsule_is(const clash_capsule *c)
{
    const float most = CLASH_COORDINATE_MAX;

    return clash_vec3_is_within(c->base, most) && clash_vec3_is_within(c->tip, most) && c->radius <= most;
}

static inline bool bound_shape_is(const clash_shape *s)
{
    const float most = CLASH_COORDINATE_MAX;

    if (s->kind == CLASH_SHAPE_SPHERE)
        return clash_vec3_is_within(s->as.sphere.center, most) && s->as.sphere.radius <= most;
    if (s->kind == CLASH_SHAPE_CAPSULE)
        return bound_capsule_is(&s->as.capsule);
    return s->kind != CLASH_SHAPE_BOX ||
           (clash_vec3_is_within(s->as.box.center, most) && clash_vec3_is_within(s->as.box.half, most));
}

static inline bool bound_motion_is(const clash_motion *m)
{
    return clash_vec3_is_within(m->from.position, CLASH_COORDINATE_MAX) &&
           clash_vec3_is_within(m->to.position, CLASH_COORDINATE_MAX);
}

static inline bool bound_body_is(const clash_body *b)
{
    return bound_capsule_is(&b->shape) && bound_motion_is(&b->motion);
}

/** Return a query of two blades, within the bound, from its own seed. */
static inline query bound_query(uint64_t seed, int way, long i)
{
    random_state r = {seed + ((uint64_t)way << 40) + ((uint64_t)i << 8)};
    query q;

    random_bits(&r);
    do
        q = bound_once(&r, way);
    while (!bound_body_is(&q.a) || !bound_body_is(&q.b));
    if (i % 2 && hard_tighten(&q, hard_either_way(&r, -8, -3, 0)) && (!bound_body_is(&q.a) || !bound_body_is(&q.b)))
        q.a.shape.radius = q.b.shape.radius = 1;
    return q;
}

/** Return a query of a blade and a solid with the same numbers. */
static inline target_query bound_target_query(uint64_t seed, int way, int shape, long i)
{
    random_state r = {seed + ((uint64_t)way << 40) + ((uint64_t)shape << 50) + ((uint64_t)i << 8)};
    target_query q;
    query two;

    random_bits(&r);
    do {
        two = bound_once(&r, way);
        q = (target_query){two.a, {target_query_shape(&r, shape, &two.b.shape), two.b.motion}};
        if (shape == 2 && way == BOUND_ANYWHERE)
            q.target.shape.as.box.half = (clash_vec3){bound_size(&r), bound_size(&r), bound_size(&r)};
    } while (!bound_body_is(&q.blade) || !bound_shape_is(&q.target.shape) || !bound_motion_is(&q.target.motion));
    if (i % 2)
        target_query_tighten(&q, hard_either_way(&r, -5, -3, 0));
    if (!bound_body_is(&q.blade))
        q.blade.shape.radius = 1;
    return q;
}

/** Make triangles from one end of the bound to the other, slivers among them, and usual ones in a corner. */
static inline void bound_scene(random_state *r, surface_scene *s)
{
    int count = 1 + random_below(r, 40);

    s->vertex_count = s->count = 0;
    s->middle = (clash_vec3){0, 0, 0};
    for (int i = 0; i < count; i++) {
        clash_vec3 a = bound_place(r), b = bound_place(r), c = bound_place(r), corner = bound_corner(r, 2);
        int kind = random_below(r, 4);

        if (kind == 0) /* a sliver */
            c = query_add(clash_vec3_scale(a, 0.999f), random_box(r, 1e-3));
        if (kind == 1) {
            a = query_add(corner, random_box(r, 1));
            b = query_add(corner, random_box(r, 1));
            c = query_add(corner, random_box(r, 1));
        }
        surface_scene_add(s, a, b, c);
    }
}

/** Return a query of a blade and a mesh, whose triangles go into *out_scene. */
static inline surface_query bound_surface_query(uint64_t seed, int way, long i, surface_scene *out_scene)
{
    random_state r = {seed + ((uint64_t)way << 40) + ((uint64_t)i << 8)};
    clash_vec3 far = hard_scaled(random_direction(&r), random_in(&r, 0.5, 0.99) * bound_most);
    surface_query q;
    double sign;

    if (way == BOUND_ANYWHERE)
        bound_scene(&r, out_scene);
    else
        surface_scene_fill(out_scene, &r, random_below(&r, SCENE_FAR));
    if (way == BOUND_LEVER) {
        out_scene->middle = far;
        for (uint32_t k = 0; k < out_scene->vertex_count; k++)
            out_scene->vertices[k] = query_add(out_scene->vertices[k], far);
    }
    do {
        if (way == BOUND_ANYWHERE) {
            q.blade = bound_body(&r);
            q.motion = bound_motion(&r);
        } else {
            q = surface_query_any(&r, random_below(&r, SURFACE_QUERY_KINDS), out_scene, &sign);
        }
        if (way == BOUND_CARRIED)
            surface_query_carry(&q, bound_corner(&r, random_below(&r, 2) ? 3 : 1000));
    } while (!bound_body_is(&q.blade) || !bound_motion_is(&q.motion));
    return q;
}

#endif
