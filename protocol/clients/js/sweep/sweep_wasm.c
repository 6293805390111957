/* libclash for WebAssembly: what sweep.js calls. Numbers come in and go out as plain arrays in this module's memory, so that no
 * layout of a struct is known outside. Nothing is imported, nothing is kept between two calls but what JavaScript asked for by
 * name (a tracker, a mesh, room for a batch) and frees by name. One thread. */
#include <clash/contact.h>
#include <clash/mesh.h>

#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name), used))

enum {
    CONTACT = 16,         /* doubles: fraction, distance, midpoint, points, normal, along */
    IMPACT = CONTACT + 6, /* and the surface's normal, its triangle (-1: none), the parts */
    CHANGE = IMPACT + 2   /* before it: 0 for a start and 1 for an end, the least distance so far */
};

_Static_assert(sizeof(clash_body) == 21 * sizeof(float), "a body is 21 floats");

/** One of two colliders, as sweep.js writes it. */
typedef struct side {
    clash_motion motion;
    clash_span span;
    clash_capsule capsules[CLASH_PARTS_MAX];
    uint32_t capsule_count; /* 0: the shape */
    clash_shape shape;
} side;

static side sides[2];
static double out[CLASH_CONTACT_CHANGES_MAX * CHANGE];
static struct {
    clash_body *bodies;
    uint32_t (*pairs)[2];
    clash_sweep_result *results;
    clash_contact *contacts;
} batch;

static double *put_vec(double *to, clash_vec3 v)
{
    to[0] = (double)v.x;
    to[1] = (double)v.y;
    to[2] = (double)v.z;
    return to + 3;
}

static void put_contact(double *to, const clash_contact *c)
{
    *to++ = c->fraction;
    *to++ = (double)c->distance;
    to = put_vec(to, c->midpoint);
    to = put_vec(to, c->points[0]);
    to = put_vec(to, c->points[1]);
    to = put_vec(to, c->normal);
    to[0] = (double)c->along[0];
    to[1] = (double)c->along[1];
}

static void put_impact(double *to, const clash_toi_output *o)
{
    put_contact(to, &o->contact);
    to = put_vec(to + CONTACT, o->surface_normal);
    to[0] = o->triangle == CLASH_NO_TRIANGLE ? -1.0 : (double)o->triangle;
    to[1] = (double)o->parts[0];
    to[2] = (double)o->parts[1];
}

static clash_toi_input input_of(float margin, float release_margin)
{
    clash_toi_input in = clash_toi_input_default();

    for (int i = 0; i < 2; i++) {
        const side *s = &sides[i];

        in.colliders[i] = s->capsule_count > 0 ? clash_collider_of_capsules(s->capsules, s->capsule_count, &s->motion)
                                               : clash_collider_of_shape(&s->shape, &s->motion);
        in.colliders[i].span = s->span;
    }
    in.margin = margin;
    in.release_margin = release_margin;
    return in;
}

/** Return where the answers lie: doubles. */
EXPORT(clash_out) double *clash_out(void)
{
    return out;
}

/** Return where the motion of collider `i` lies: 14 floats, from and to, each x y z w of the orientation and x y z. */
EXPORT(clash_side_motion) float *clash_side_motion(uint32_t i)
{
    return (float *)&sides[i].motion;
}

/** Return where the capsules of collider `i` lie, 7 floats each: base, tip, radius. There is room for CLASH_PARTS_MAX. */
EXPORT(clash_side_capsules) float *clash_side_capsules(uint32_t i, uint32_t count)
{
    sides[i].capsule_count = count;
    return (float *)sides[i].capsules;
}

EXPORT(clash_side_span) void clash_side_span(uint32_t i, double from, double to)
{
    sides[i].span = (clash_span){from, to};
}

/** Make collider `i` a shape that is no blade. Where its numbers lie: of a sphere center and radius, of a capsule base, tip and
 *  radius, of a box center, orientation and half its size. `surface`: the mesh. */
EXPORT(clash_side_shape) float *clash_side_shape(uint32_t i, uint32_t kind, const void *surface)
{
    clash_shape *shape = &sides[i].shape;

    memset(shape, 0, sizeof *shape);
    sides[i].capsule_count = 0;
    shape->kind = (clash_shape_kind)kind;
    if (shape->kind == CLASH_SHAPE_MESH)
        shape->as.mesh = surface;
    else if (shape->kind == CLASH_SHAPE_TERRAIN)
        shape->as.terrain = surface;
    return (float *)&shape->as;
}

EXPORT(clash_impact) int clash_impact(float margin)
{
    clash_toi_input in = input_of(margin, 0.0f);
    clash_toi_output o;
    clash_sweep_result result = clash_time_of_impact(&in, &o);

    if (result == CLASH_SWEEP_HIT || result == CLASH_SWEEP_OVERLAP)
        put_impact(out, &o);
    return (int)result;
}

EXPORT(clash_at) int clash_at(float margin, double fraction)
{
    clash_toi_input in = input_of(margin, 0.0f);
    clash_toi_output o;
    clash_sweep_result result = clash_contact_at(&in, fraction, &o);

    if (result != CLASH_SWEEP_INVALID)
        put_impact(out, &o);
    return (int)result;
}

/** Return NULL when out of memory. */
EXPORT(clash_tracker_create) clash_contact_state *clash_tracker_create(void)
{
    return calloc(1, sizeof(clash_contact_state));
}

EXPORT(clash_tracker_destroy) void clash_tracker_destroy(clash_contact_state *tracker)
{
    free(tracker);
}

EXPORT(clash_tracker_reset) void clash_tracker_reset(clash_contact_state *tracker)
{
    memset(tracker, 0, sizeof *tracker);
}

EXPORT(clash_tracker_touching) int clash_tracker_touching(const clash_contact_state *tracker)
{
    return tracker->touching;
}

/** Return how many changes there were, or -1 if the input is invalid. */
EXPORT(clash_tracker_advance)
int clash_tracker_advance(clash_contact_state *tracker, float margin, float release_margin)
{
    clash_toi_input in = input_of(margin, release_margin);
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];
    clash_toi_output unused;
    size_t count;

    if (!(release_margin >= 0.0f && release_margin <= 3.402823466e38f) ||
        clash_contact_at(&in, 0.0, &unused) == CLASH_SWEEP_INVALID)
        return -1;
    count = clash_contact_advance(tracker, &in, changes);
    for (size_t i = 0; i < count; i++) {
        double *to = out + i * CHANGE;

        to[0] = changes[i].kind == CLASH_CONTACT_END;
        to[1] = (double)changes[i].min_distance;
        put_impact(to + 2, &changes[i].impact);
    }
    return (int)count;
}

/** The pose at `fraction` of the motion of collider 0: 7 doubles. */
EXPORT(clash_pose_at) void clash_pose_at(double fraction)
{
    clash_pose p = clash_motion_at(&sides[0].motion, fraction);

    out[0] = (double)p.orientation.x;
    out[1] = (double)p.orientation.y;
    out[2] = (double)p.orientation.z;
    out[3] = (double)p.orientation.w;
    put_vec(out + 4, p.position);
}

/** Room for a batch, in place of the room that there was. Return 0, or -1 when out of memory: then there is none. */
EXPORT(clash_batch_reserve) int clash_batch_reserve(uint32_t body_count, uint32_t pair_count)
{
    free(batch.bodies);
    free(batch.pairs);
    free(batch.results);
    free(batch.contacts);
    batch.bodies = calloc(body_count, sizeof *batch.bodies);
    batch.pairs = calloc(pair_count, sizeof *batch.pairs);
    batch.results = calloc(pair_count, sizeof *batch.results);
    batch.contacts = calloc(pair_count, sizeof *batch.contacts);
    return batch.bodies && batch.pairs && batch.results && batch.contacts ? 0 : -1;
}

/** 21 floats each: base, tip, radius, and the motion. */
EXPORT(clash_batch_bodies) float *clash_batch_bodies(void)
{
    return (float *)batch.bodies;
}

/** Two indices each; sweep.js has seen that they are those of bodies. */
EXPORT(clash_batch_pairs) uint32_t *clash_batch_pairs(void)
{
    return batch.pairs[0];
}

EXPORT(clash_batch_results) clash_sweep_result *clash_batch_results(void)
{
    return batch.results;
}

EXPORT(clash_batch_sweep) void clash_batch_sweep(uint32_t pair_count)
{
    clash_sweep_pairs(batch.bodies, (const uint32_t(*)[2])batch.pairs, pair_count, batch.results, batch.contacts);
}

/** Write the contact of pair `i`, which touches. */
EXPORT(clash_batch_contact) void clash_batch_contact(uint32_t i)
{
    put_contact(out, &batch.contacts[i]);
}

EXPORT(clash_allocate) void *clash_allocate(uint32_t bytes)
{
    return malloc(bytes);
}

EXPORT(clash_free) void clash_free(void *room)
{
    free(room);
}

/** As clash_mesh_create. */
EXPORT(clash_mesh_make)
clash_mesh *clash_mesh_make(const float *vertices, uint32_t vertex_count, const uint32_t *triangles,
                            uint32_t triangle_count)
{
    return clash_mesh_create((const clash_vec3 *)vertices, vertex_count, (const uint32_t(*)[3])triangles,
                             triangle_count);
}

EXPORT(clash_mesh_free) void clash_mesh_free(clash_mesh *mesh)
{
    clash_mesh_destroy(mesh);
}
