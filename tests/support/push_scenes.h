/* Scenes for push-out in two forms: as obstacles for libclash, and as pieces for the truth (push_truth.h). A blade, a
 * sword of three parts or a person's body lies in, through or on them. */
#ifndef CLASHD_TESTS_PUSH_SCENES_H
#define CLASHD_TESTS_PUSH_SCENES_H

#include <clash/mesh.h>
#include <clash/push_out.h>

#include <string.h>

#include "support/push_truth.h"
#include "support/queries_hard.h"

typedef enum push_scene_kind {
    PUSH_CUBE,   /* twelve triangles */
    PUSH_BALL,   /* 320 triangles */
    PUSH_ANGLE,  /* an L, extruded */
    PUSH_RING,   /* a torus of 384 triangles */
    PUSH_PLATES, /* two of them, parallel or not, with room between or not */
    PUSH_HEAP,   /* boxes across each other */
    PUSH_MIXED,  /* a box, a ball, a rod and a mesh across each other */
    PUSH_HILLS,  /* a terrain of steep slopes */
    PUSH_SCENES
} push_scene_kind;

static const char *const push_scene_names[PUSH_SCENES] = {
    "cube of triangles", "ball of triangles", "L of triangles", "ring of triangles",
    "two plates",        "heap of boxes",     "mixed heap",     "hills"};

enum { PUSH_SCENE_OBSTACLES = 8, PUSH_SCENE_CORNERS = 400, PUSH_SCENE_TRIANGLES = 800, PUSH_SCENE_CELLS = 16 };

typedef struct push_solid {
    clash_vec3 corners[PUSH_SCENE_CORNERS];
    uint32_t triangles[PUSH_SCENE_TRIANGLES][3], corner_count, count;
} push_solid;

typedef struct push_scene {
    clash_capsule parts[4];
    size_t part_count;
    clash_pose pose;
    clash_obstacle obstacles[PUSH_SCENE_OBSTACLES];
    size_t count;
    clash_mesh *meshes[PUSH_SCENE_OBSTACLES];
    size_t mesh_count;
    clash_terrain *terrain;
    push_truth truth;
} push_scene;

/* ---- closed meshes ---- */

static inline uint32_t push_solid_corner(push_solid *m, double x, double y, double z)
{
    m->corners[m->corner_count] = (clash_vec3){(float)x, (float)y, (float)z};
    return m->corner_count++;
}

static inline void push_solid_triangle(push_solid *m, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t corners[3] = {a, b, c};

    memcpy(m->triangles[m->count++], corners, sizeof corners);
}

static inline void push_solid_quad(push_solid *m, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    push_solid_triangle(m, a, b, c);
    push_solid_triangle(m, a, c, d);
}

/** Extrude a polygon of `count` corners in x and y, counter-clockwise, from -depth to depth in z; `ears` are its
 *  triangles. */
static inline void push_solid_extrude(push_solid *m, const double (*polygon)[2], uint32_t count, double depth,
                                      const uint32_t (*ears)[3])
{
    *m = (push_solid){.count = 0};
    for (uint32_t k = 0; k < 2 * count; k++)
        push_solid_corner(m, polygon[k % count][0], polygon[k % count][1], k < count ? depth : -depth);
    for (uint32_t k = 0; k < count; k++)
        push_solid_quad(m, k, count + k, count + (k + 1) % count, (k + 1) % count);
    for (uint32_t k = 0; k + 2 < count; k++) {
        push_solid_triangle(m, ears[k][0], ears[k][1], ears[k][2]);
        push_solid_triangle(m, count + ears[k][0], count + ears[k][2], count + ears[k][1]);
    }
}

static inline void push_solid_box(push_solid *m, clash_vec3 half)
{
    const double x = (double)half.x, y = (double)half.y;
    const double square[4][2] = {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
    static const uint32_t ears[2][3] = {{0, 1, 2}, {0, 2, 3}};

    push_solid_extrude(m, square, 4, (double)half.z, ears);
}

static inline void push_solid_angle(push_solid *m, double size)
{
    const double s = size, t = 0.35 * size;
    const double polygon[6][2] = {{0, 0}, {s, 0}, {s, t}, {t, t}, {t, s}, {0, s}};
    static const uint32_t ears[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};

    push_solid_extrude(m, polygon, 6, 0.4 * size, ears);
}

/** Make rows of corners around an axis: those of a ball meet in two poles, those of a ring close on themselves. */
static inline void push_solid_turned(push_solid *m, bool is_ring, uint32_t rows, uint32_t columns, double radius,
                                     double thick)
{
    *m = (push_solid){.count = 0};
    for (uint32_t j = 0; j < rows; j++) {
        double up = is_ring ? 6.283185307179586 * j / rows : 3.141592653589793 * ((double)j + 1) / (rows + 1);
        double across = is_ring ? radius + thick * cos(up) : radius * sin(up);

        for (uint32_t i = 0; i < columns; i++) {
            double turn = 6.283185307179586 * i / columns;

            push_solid_corner(m, across * cos(turn), (is_ring ? thick * sin(up) : -radius * cos(up)),
                              -across * sin(turn));
        }
    }
    for (uint32_t j = 0; j + (is_ring ? 0 : 1) < rows; j++)
        for (uint32_t i = 0; i < columns; i++) {
            uint32_t low = j * columns, high = (j + 1) % rows * columns, next = (i + 1) % columns;

            push_solid_quad(m, low + i, low + next, high + next, high + i);
        }
    if (is_ring)
        return;
    push_solid_corner(m, 0, -radius, 0);
    push_solid_corner(m, 0, radius, 0);
    for (uint32_t i = 0; i < columns; i++) {
        uint32_t next = (i + 1) % columns, top = (rows - 1) * columns;

        push_solid_triangle(m, rows * columns, next, i);
        push_solid_triangle(m, rows * columns + 1, top + i, top + next);
    }
}

/* ---- into a scene, for both ---- */

static inline void push_scene_pieces(push_scene *s, const push_solid *m, const clash_pose *pose)
{
    const int body = s->truth.bodies;
    const ref_quat q = ref_unit(pose->orientation);
    const ref_vec from = ref_of(s->pose.position);

    for (uint32_t k = 0; k < m->count; k++) {
        ref_vec c[3];

        for (int i = 0; i < 3; i++) {
            c[i] = ref_turn(q, ref_of(m->corners[m->triangles[k][i]]));
            c[i] = surface_from_to(from, ref_mad(c[i], ref_of(pose->position), 1));
        }
        push_truth_add(&s->truth, 3, c, 0, body);
    }
}

/** With `split` every triangle has its own corners, as in files. */
static inline void push_scene_mesh(push_scene *s, const push_solid *m, clash_pose pose, bool split)
{
    static clash_vec3 corners[3 * PUSH_SCENE_TRIANGLES];
    static uint32_t triangles[PUSH_SCENE_TRIANGLES][3];
    clash_mesh *mesh;

    for (uint32_t k = 0; k < 3 * m->count; k++) {
        corners[k] = m->corners[m->triangles[k / 3][k % 3]];
        triangles[k / 3][k % 3] = k;
    }
    mesh = split ? clash_mesh_create(corners, 3 * m->count, (const uint32_t(*)[3])triangles, m->count)
                 : clash_mesh_create(m->corners, m->corner_count, (const uint32_t(*)[3])m->triangles, m->count);
    s->meshes[s->mesh_count++] = mesh;
    s->obstacles[s->count++] = (clash_obstacle){{CLASH_SHAPE_MESH, {.mesh = mesh}}, pose};
    push_scene_pieces(s, m, &pose);
}

static inline void push_scene_box(push_scene *s, clash_vec3 half, clash_pose pose)
{
    static push_solid m;

    s->obstacles[s->count++] = (clash_obstacle){{CLASH_SHAPE_BOX, {.box = {{0, 0, 0}, {0, 0, 0, 1}, half}}}, pose};
    push_solid_box(&m, half);
    push_scene_pieces(s, &m, &pose);
}

static inline void push_scene_rod(push_scene *s, clash_capsule rod, bool is_ball, clash_pose pose)
{
    const ref_quat q = ref_unit(pose.orientation);
    const ref_vec ends[2] = {ref_of(rod.base), ref_of(rod.tip)};
    clash_obstacle o = {{CLASH_SHAPE_CAPSULE, {.capsule = rod}}, pose};
    ref_vec c[2];

    if (is_ball)
        o.shape = (clash_shape){CLASH_SHAPE_SPHERE, {.sphere = {rod.base, rod.radius}}};
    s->obstacles[s->count++] = o;
    for (int i = 0; i < 2; i++)
        c[i] = surface_from_to(ref_of(s->pose.position), ref_mad(ref_turn(q, ends[i]), ref_of(pose.position), 1));
    push_truth_add(&s->truth, is_ball ? 1 : 2, c, (double)rod.radius, -1);
}

static inline void push_scene_hills(push_scene *s, random_state *r)
{
    static float heights[PUSH_SCENE_CELLS * PUSH_SCENE_CELLS];
    static push_solid m;
    const clash_pose pose = {{0, 0, 0, 1}, {-3, 0, -3}};
    double steep = random_in(r, 0.05, 0.8);

    m = (push_solid){.count = 0};
    for (int i = 0; i < PUSH_SCENE_CELLS * PUSH_SCENE_CELLS; i++) {
        const int row = i / PUSH_SCENE_CELLS;

        heights[i] = (float)random_in(r, 0, steep);
        push_solid_corner(&m, i % PUSH_SCENE_CELLS * 0.4, (double)heights[i], row * 0.4);
    }
    for (uint32_t k = 0; k < (PUSH_SCENE_CELLS - 1) * (PUSH_SCENE_CELLS - 1); k++) {
        uint32_t a = k / (PUSH_SCENE_CELLS - 1) * PUSH_SCENE_CELLS + k % (PUSH_SCENE_CELLS - 1);
        uint32_t b = a + PUSH_SCENE_CELLS;

        push_solid_triangle(&m, a, b, a + 1);
        push_solid_triangle(&m, a + 1, b, b + 1);
    }
    s->terrain = clash_terrain_create(heights, PUSH_SCENE_CELLS, PUSH_SCENE_CELLS, 0.4f, 0.4f);
    s->obstacles[s->count++] = (clash_obstacle){{CLASH_SHAPE_TERRAIN, {.terrain = s->terrain}}, pose};
    push_scene_pieces(s, &m, &pose);
}

/* ---- the scenes ---- */

/* Draw random numbers one statement after the other: within a statement the compiler chooses the order. */

static inline clash_vec3 push_scene_half(random_state *r, double low, double high)
{
    float x = (float)random_in(r, low, high), y = (float)random_in(r, low, high), z = (float)random_in(r, low, high);

    return (clash_vec3){x, y, z};
}

static inline clash_pose push_scene_lie(random_state *r, const push_scene *s, double half)
{
    const clash_vec3 off = random_box(r, half);

    return (clash_pose){random_turn(r, 6.28), query_add(s->pose.position, off)};
}

static inline void push_scene_body(push_scene *s, random_state *r)
{
    const int kind = random_below(r, 4);
    const clash_vec3 guard[2] = {{-0.1f, 0, 0}, {0.1f, 0, 0}};
    double length, radius;
    ref_quat q;

    s->pose.position = random_box(r, 2);
    s->pose.orientation = random_turn(r, 6.28);
    length = random_in(r, 0.3, 1.2);
    radius = random_in(r, 0.02, 0.06);
    s->parts[0] = kind == 3 ? (clash_capsule){{0, 0.3f, 0}, {0, 1.2f, 0}, 0.25f} : hard_blade(r, length, radius);
    s->part_count = 1;
    if (kind == 2) {
        s->parts[1] = (clash_capsule){guard[0], guard[1], 0.02f};
        s->parts[2] = (clash_capsule){s->parts[0].tip, {0.1f, 0, s->parts[0].tip.z - 0.3f}, 0.02f};
        s->part_count = 3;
    }
    q = ref_unit(s->pose.orientation);
    s->truth.axis_count = (int)s->part_count;
    for (size_t i = 0; i < s->part_count; i++) {
        s->truth.axes[i][0] = ref_turn(q, ref_of(s->parts[i].base));
        s->truth.axes[i][1] = ref_turn(q, ref_of(s->parts[i].tip));
        s->truth.radii[i] = (double)s->parts[i].radius;
    }
}

/** Return a point of the blade, in stage space. */
static inline clash_vec3 push_scene_on_blade(random_state *r, const push_scene *s)
{
    return clash_pose_apply(&s->pose, hard_point_on(&s->parts[0], random_in(r, 0, 1)));
}

static inline void push_scene_plates(push_scene *s, random_state *r)
{
    clash_vec3 half = push_scene_half(r, 0.2, 1), apart = {0, 0, (float)random_in(r, 0, 0.5)};
    clash_pose first = {{0, 0, 0, 1}, push_scene_on_blade(r, s)}, second, at = {{0, 0, 0, 1}, {0, 0, 0}};

    half.z = (float)random_in(r, 0.005, 0.1);
    apart.z += 2 * half.z;
    first.orientation = at.orientation = random_turn(r, 6.28);
    second = first;
    second.position = query_add(first.position, clash_pose_rotate(&at, apart));
    if (random_below(r, 2))
        second.orientation = quat_times(random_turn(r, 0.5), first.orientation);
    push_scene_box(s, half, first);
    push_scene_box(s, half, second);
}

static inline void push_scene_heap(push_scene *s, random_state *r, bool mixed)
{
    static push_solid m;
    const int count = 2 + random_below(r, 5);

    for (int k = 0; k < count; k++) {
        const clash_vec3 half = push_scene_half(r, 0.03, 0.4), on = push_scene_on_blade(r, s),
                         off = random_box(r, 0.25);
        const clash_pose pose = {random_turn(r, 6.28), query_add(on, off)};
        const double length = random_in(r, 0.3, 1), radius = random_in(r, 0.05, 0.3);
        const clash_capsule rod = hard_blade(r, length, radius);

        if (!mixed || k % 4 == 0) {
            push_scene_box(s, half, pose);
        } else if (k % 4 == 1) {
            push_solid_angle(&m, random_in(r, 0.2, 0.7));
            push_scene_mesh(s, &m, pose, random_below(r, 2));
        } else {
            push_scene_rod(s, rod, k % 4 == 2, pose);
        }
    }
}

/** One mesh, with a point of the blade somewhere in the box around it. */
static inline void push_scene_one(push_scene *s, random_state *r, push_scene_kind kind)
{
    static push_solid m;
    const double size = random_in(r, 0.1, 0.5);
    const clash_vec3 half = push_scene_half(r, 0.3 * size, size);
    clash_vec3 reach = {(float)size, (float)size, (float)size}, local;
    clash_pose pose = {random_turn(r, 6.28), {0, 0, 0}};

    if (kind == PUSH_CUBE) {
        push_solid_box(&m, half);
        reach = half;
    } else if (kind == PUSH_BALL) {
        push_solid_turned(&m, false, 10, 16, size, 0);
    } else if (kind == PUSH_ANGLE) {
        push_solid_angle(&m, 2 * size);
        reach = (clash_vec3){2 * reach.x, 2 * reach.y, 0.8f * reach.z};
    } else {
        push_solid_turned(&m, true, 8, 24, size, 0.4 * size);
        reach = (clash_vec3){1.4f * reach.x, 0.4f * reach.y, 1.4f * reach.z};
    }
    local = random_box(r, 1);
    local = (clash_vec3){local.x * reach.x, local.y * reach.y, local.z * reach.z};
    if (kind == PUSH_ANGLE)
        local = (clash_vec3){fabsf(local.x), fabsf(local.y), local.z};
    local = clash_pose_apply(&pose, local);
    pose.position = push_scene_on_blade(r, s);
    pose.position = (clash_vec3){pose.position.x - local.x, pose.position.y - local.y, pose.position.z - local.z};
    push_scene_mesh(s, &m, pose, random_below(r, 2));
}

/** Make a scene; finish with push_scene_finish(). The first case of a seed is the same whatever came before. */
static inline void push_scene_make(push_scene *s, push_scene_kind kind, random_state *r)
{
    *s = (push_scene){.count = 0};
    push_scene_body(s, r);
    if (kind == PUSH_PLATES) {
        push_scene_plates(s, r);
    } else if (kind == PUSH_HEAP || kind == PUSH_MIXED) {
        push_scene_heap(s, r, kind == PUSH_MIXED);
    } else if (kind == PUSH_HILLS) {
        s->pose.position =
            (clash_vec3){s->pose.position.x * 0.3f, (float)random_in(r, -0.2, 0.8), s->pose.position.z * 0.3f};
        push_scene_hills(s, r);
    } else {
        push_scene_one(s, r, kind);
    }
}

static inline void push_scene_finish(push_scene *s)
{
    for (size_t k = 0; k < s->mesh_count; k++)
        clash_mesh_destroy(s->meshes[k]);
    clash_terrain_destroy(s->terrain);
}

#endif
