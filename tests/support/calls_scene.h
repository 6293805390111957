/* What calls.h asks about: bodies, targets, surfaces and rooms of every kind, made once and without libm, so that they
 * are the same on every machine. */
#ifndef CLASHD_TESTS_CALLS_SCENE_H
#define CLASHD_TESTS_CALLS_SCENE_H

#include <clash/push_out.h>
#include <string.h>

#include "support/any_query.h"
#include "support/impact.h"
#include "support/surface_queries.h"
#include "support/target_queries.h"

enum { CALLS_MESHES = 3 * SCENE_KINDS, CALLS_TERRAINS = 8, CALLS_SIDE = 24, CALLS_OBSTACLES = 4 };

/** Surfaces, and the triangles they are made of. */
typedef struct calls_world {
    uint64_t seed;
    surface_scene scenes[CALLS_MESHES + CALLS_TERRAINS];
    clash_mesh *meshes[CALLS_MESHES];
    clash_terrain *terrains[CALLS_TERRAINS];
} calls_world;

/** Return a terrain as a scene: as many of its triangles as fit, for blades to aim at. */
static inline void calls_terrain(calls_world *w, random_state *r, int k)
{
    float heights[CALLS_SIDE * CALLS_SIDE];
    surface_scene *s = &w->scenes[CALLS_MESHES + k];
    uint32_t columns = 2 + (uint32_t)random_below(r, CALLS_SIDE - 1), rows = 2 + (uint32_t)random_below(r, 12);
    float x = (float)random_in(r, 0.05, 0.4), z = (float)random_in(r, 0.05, 0.4);

    for (uint32_t i = 0; i < columns * rows; i++)
        heights[i] = k % 3 ? (float)random_in(r, -0.1, 0.1) : 0.25f;
    w->terrains[k] = clash_terrain_create(heights, columns, rows, x, z);
    s->vertex_count = s->count = 0;
    s->middle = (clash_vec3){x, 0, z};
    for (uint32_t i = 0; i < clash_terrain_triangle_count(w->terrains[k]) && i < SCENE_TRIANGLES_MAX; i++) {
        clash_vec3 c[3];

        clash_terrain_triangle(w->terrains[k], i, c);
        surface_scene_add(s, c[0], c[1], c[2]);
    }
}

static inline void calls_world_make(calls_world *w, uint64_t seed)
{
    random_state r = {seed};

    w->seed = seed;
    for (int k = 0; k < CALLS_MESHES; k++) {
        surface_scene *s = &w->scenes[k];

        surface_scene_fill(s, &r, k % SCENE_KINDS);
        w->meshes[k] = clash_mesh_create(s->vertices, s->vertex_count, (const uint32_t(*)[3])s->triangles, s->count);
    }
    for (int k = 0; k < CALLS_TERRAINS; k++)
        calls_terrain(w, &r, k);
}

static inline void calls_world_destroy(calls_world *w)
{
    for (int k = 0; k < CALLS_MESHES; k++)
        clash_mesh_destroy(w->meshes[k]);
    for (int k = 0; k < CALLS_TERRAINS; k++)
        clash_terrain_destroy(w->terrains[k]);
}

/** Set the blade's radius to about the distance in the middle of the motion, so that it nearly grazes. */
static inline void calls_tighten(clash_body *blade, const impact_target *target)
{
    const clash_span whole = {0, 1};
    clash_toi_output c;

    if (impact_target_at(blade, whole, target, whole, 0, 0.5, &c) != CLASH_SWEEP_INVALID && c.contact.distance > 0)
        blade->shape.radius = c.contact.distance;
}

static inline random_state calls_random(const calls_world *w, int what, int i)
{
    random_state r = {w->seed + ((uint64_t)what << 48) + ((uint64_t)i << 8)};

    random_bits(&r);
    return r;
}

/** A blade and a solid, a mesh or a terrain; `surface`: 0, 1 or 2. */
static inline target_query calls_target(const calls_world *w, random_state *r, int surface, int i)
{
    int kind = i % TARGET_QUERY_KINDS, tighten = random_below(r, 4), which;
    target_query q;
    surface_query on;
    double sign;

    if (surface == 0) {
        q = target_query_any(r, kind, i / TARGET_QUERY_KINDS % TARGET_SHAPES);
    } else {
        which = random_below(r, surface == 1 ? CALLS_MESHES : CALLS_TERRAINS);
        on = surface_query_any(r, kind, &w->scenes[surface == 1 ? which : CALLS_MESHES + which], &sign);
        q.blade = on.blade;
        q.target.motion = on.motion;
        q.target.shape = surface == 1 ? (clash_shape){CLASH_SHAPE_MESH, {.mesh = w->meshes[which]}}
                                      : (clash_shape){CLASH_SHAPE_TERRAIN, {.terrain = w->terrains[which]}};
    }
    if (tighten == 0)
        calls_tighten(&q.blade, &q.target);
    return q;
}

/** Walls, slopes, balls, posts and surfaces around a blade, who is somewhere among them. */
typedef struct calls_room {
    clash_capsule parts[2];
    size_t part_count, count;
    clash_pose pose;
    clash_obstacle obstacles[CALLS_OBSTACLES];
    float reach;
} calls_room;

static inline clash_shape calls_room_shape(const calls_world *w, random_state *r)
{
    double length = random_in(r, 0.3, 2), radius = random_in(r, 0.02, 0.3);
    clash_capsule like = hard_blade(r, length, radius);
    int shape = random_below(r, TARGET_SHAPES + 2);

    if (shape == TARGET_SHAPES) /* the far ones are out of reach */
        return (clash_shape){CLASH_SHAPE_MESH, {.mesh = w->meshes[random_below(r, SCENE_FAR)]}};
    if (shape > TARGET_SHAPES)
        return (clash_shape){CLASH_SHAPE_TERRAIN, {.terrain = w->terrains[random_below(r, CALLS_TERRAINS)]}};
    return target_query_shape(r, shape, &like);
}

static inline calls_room calls_room_of(const calls_world *w, random_state *r)
{
    calls_room m = {.part_count = 1 + (size_t)random_below(r, 2)};
    double length = random_in(r, 0.2, 1.5), radius = random_in(r, 0.01, 0.3);

    m.count = 1 + (size_t)random_below(r, CALLS_OBSTACLES);
    m.pose.orientation = random_turn(r, 6.28);
    m.pose.position = random_box(r, 100);
    m.parts[0] = hard_blade(r, length, radius);
    m.parts[1] = (clash_capsule){{-0.1f, 0, 0}, {0.1f, 0, 0}, 0.02f};
    m.reach = (float)random_in(r, 0.05, 0.6);
    for (size_t k = 0; k < m.count; k++) {
        m.obstacles[k].shape = calls_room_shape(w, r);
        m.obstacles[k].pose.orientation = random_turn(r, 6.28);
        m.obstacles[k].pose.position = query_add(m.pose.position, random_box(r, 0.8));
    }
    return m;
}

#endif
