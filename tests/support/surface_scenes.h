/* Meshes and terrains that are hard in their own ways, and blades that swing near them. */
#ifndef CLASHD_TESTS_SURFACE_SCENES_H
#define CLASHD_TESTS_SURFACE_SCENES_H

#include <clash/mesh.h>

#include "support/queries.h"

enum {
    SCENE_SOUP,       /* triangles anywhere, crossing each other */
    SCENE_BALL,       /* closed and bumpy */
    SCENE_PLANE,      /* flat: many triangles are equally close */
    SCENE_NEEDLES,    /* next to no area */
    SCENE_DEGENERATE, /* points, segments, duplicates among others */
    SCENE_SIZES,      /* from micrometres to kilometres */
    SCENE_FAR,        /* some kilometres from the device's origin */
    SCENE_KINDS
};

static const char *const scene_names[SCENE_KINDS] = {"soup", "ball", "plane", "needles", "degenerate", "sizes", "far"};

enum { SCENE_TRIANGLES_MAX = 512 };

/** Triangles over vertices of their own, or over a grid's. */
typedef struct surface_scene {
    clash_vec3 vertices[3 * SCENE_TRIANGLES_MAX];
    uint32_t triangles[SCENE_TRIANGLES_MAX][3];
    uint32_t vertex_count, count;
    clash_vec3 middle; /* where to aim */
} surface_scene;

static inline void surface_scene_add(surface_scene *s, clash_vec3 a, clash_vec3 b, clash_vec3 c)
{
    uint32_t n = s->vertex_count;

    s->vertices[n] = a;
    s->vertices[n + 1] = b;
    s->vertices[n + 2] = c;
    for (uint32_t k = 0; k < 3; k++)
        s->triangles[s->count][k] = n + k;
    s->vertex_count += 3;
    s->count++;
}

/** A triangle about a point of a cube. */
static inline void surface_scene_add_any(surface_scene *s, random_state *r, double room, double size)
{
    clash_vec3 at = query_add(random_box(r, room), s->middle), b = query_add(at, random_box(r, size));

    surface_scene_add(s, at, b, query_add(at, random_box(r, size)));
}

static inline void surface_scene_needle(surface_scene *s, random_state *r)
{
    clash_vec3 at = random_box(r, 0.5), b = query_add(at, random_box(r, 0.8));
    double width = random_below(r, 2) ? 1e-6 : 1e-4;
    clash_vec3 off = random_box(r, width), beside = query_add(random_below(r, 2) ? at : b, off);

    surface_scene_add(s, at, b, beside);
}

static inline void surface_scene_degenerate(surface_scene *s, random_state *r)
{
    clash_vec3 at = random_box(r, 0.5), b = query_add(at, random_box(r, 0.3));
    size_t before = s->count ? (size_t)random_below(r, (int)s->count) : 0;
    const clash_vec3 *again = &s->vertices[3 * before];
    int kind = random_below(r, 5);

    if (kind == 0)
        surface_scene_add(s, at, at, at);
    else if (kind == 1)
        surface_scene_add(s, at, b, at);
    else if (kind == 2)
        surface_scene_add(s, at, b, (clash_vec3){(at.x + b.x) / 2, (at.y + b.y) / 2, (at.z + b.z) / 2});
    else if (kind == 3 && s->count)
        surface_scene_add(s, again[0], again[1], again[2]);
    else
        surface_scene_add_any(s, r, 0.5, 0.3);
}

/** A point of the ball or the plane on a grid of columns by rows. */
static inline clash_vec3 surface_scene_grid_point(int kind, uint32_t i, uint32_t j, uint32_t columns, uint32_t rows)
{
    double u = (double)i / columns, v = (double)j / rows, su, cu, sv, cv, radius;

    if (kind == SCENE_PLANE)
        return (clash_vec3){(float)(2 * u - 1), 0, (float)(2 * v - 1)};
    exact_sincos(2 * 3.14159265358979 * (i % columns) / columns, &su, &cu);
    exact_sincos(3.14159265358979 * v, &sv, &cv);
    radius = 0.4 + 0.05 * su * cv + 0.03 * cu * cu;
    return (clash_vec3){(float)(radius * sv * cu), (float)(radius * cv), (float)(radius * sv * su)};
}

static inline void surface_scene_grid(surface_scene *s, int kind, uint32_t columns, uint32_t rows)
{
    for (uint32_t j = 0; j <= rows; j++)
        for (uint32_t i = 0; i <= columns; i++)
            s->vertices[s->vertex_count++] = surface_scene_grid_point(kind, i, j, columns, rows);
    for (uint32_t j = 0; j < rows; j++) {
        for (uint32_t i = 0; i < columns; i++) {
            uint32_t a = j * (columns + 1) + i, c = a + columns + 1, two[2][3] = {{a, c, a + 1}, {a + 1, c, c + 1}};

            for (int k = 0; k < 6; k++)
                s->triangles[s->count + (uint32_t)k / 3][k % 3] = two[k / 3][k % 3];
            s->count += 2;
        }
    }
}

static inline void surface_scene_fill(surface_scene *s, random_state *r, int kind)
{
    int count = 1 + random_below(r, random_below(r, 2) ? 8 : 100);

    s->vertex_count = s->count = 0;
    s->middle = kind == SCENE_FAR ? random_box(r, 5e3) : (clash_vec3){0, 0, 0};
    if (kind == SCENE_BALL || kind == SCENE_PLANE) {
        uint32_t columns = 3 + (uint32_t)random_below(r, 12), rows = 3 + (uint32_t)random_below(r, 8);

        surface_scene_grid(s, kind, columns, rows);
        return;
    }
    for (int i = 0; i < count; i++) {
        double size = kind == SCENE_SIZES ? exact_power_of_ten(random_below(r, 8) - 6) : random_in(r, 0.01, 0.6);

        if (kind == SCENE_NEEDLES)
            surface_scene_needle(s, r);
        else if (kind == SCENE_DEGENERATE)
            surface_scene_degenerate(s, r);
        else
            surface_scene_add_any(s, r, 0.5, size);
    }
}

static inline clash_vec3 surface_scene_minus(clash_vec3 a, clash_vec3 b)
{
    return (clash_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

/** Return a motion of the surface under which `middle` stays near the stage's origin. */
static inline clash_motion surface_scene_motion(random_state *r, clash_vec3 middle)
{
    clash_motion m;
    int kind = random_below(r, 3);
    double turn = kind == 2 ? 0.5 : 0.1;

    m.from.orientation = random_turn(r, 6.28);
    m.from.position = random_box(r, 0.2);
    m.from.position = surface_scene_minus(m.from.position, clash_pose_rotate(&m.from, middle));
    m.to = m.from;
    if (kind == 0)
        return m;
    m.to.orientation = quat_times(random_turn(r, clash_vec3_length(middle) > 1 ? 1e-4 : turn), m.from.orientation);
    m.to.position = query_add(m.to.position, random_box(r, 0.1));
    return m;
}

/** Return a blade near the origin: at 90 Hz, over dropped frames, or swung round. */
static inline clash_body surface_scene_blade(random_state *r)
{
    int kind = random_below(r, 4);
    double turn = kind == 3 ? 2.8 : kind == 2 ? 0.9 : 0.35, step = kind == 3 ? 0.7 : kind == 2 ? 0.15 : 0.05;
    clash_body b = query_body(r, 0.9, step, turn, random_below(r, 8) ? 0.03 : 0.2);

    if (random_below(r, 12) == 0)
        b.shape.radius = 0;
    if (random_below(r, 12) == 0)
        b.shape.tip = b.shape.base;
    if (random_below(r, 12) == 0)
        b.motion.to = b.motion.from;
    return b;
}

#endif
