/* What the units of libclash's core share. Each unit is compiled once for each instruction set, so what they call of each
 * other has the set in its name: CORE(parts_impact) is core_avx2_parts_impact where CORE_NAME is core_avx2. Pure. */
#ifndef CLASH_GEOMETRY_CORE_UNIT_H
#define CLASH_GEOMETRY_CORE_UNIT_H

#include "core.h"
#include "pair_time_of_impact.h"
#include "separation_test.h"

#define CORE_JOINED(set, name) set##_##name
#define CORE_JOIN(set, name) CORE_JOINED(set, name)
#define CORE(name) CORE_JOIN(CORE_NAME, name)

/* Of the radius of a capsule around others: more than rounding it to float takes away. */
#define COVER_SAFETY (1.0 + 1e-6)
#define MIN_DISTANCE_RESOLUTION 1e-5

/* Blades of several capsules, and targets: each as core.h says of its functions. */
clash_sweep_result CORE(parts_impact)(const clash_toi_input *in, clash_toi_output *out);
clash_sweep_result CORE(parts_contact_at)(const clash_toi_input *in, double fraction, clash_toi_output *out);
size_t CORE(parts_advance)(clash_contact_state *state, const clash_toi_input *in, clash_contact_change *out_changes);
clash_sweep_result CORE(target_impact)(const clash_toi_input *in, clash_toi_output *out);
clash_sweep_result CORE(target_contact_at)(const clash_toi_input *in, double fraction, clash_toi_output *out);
size_t CORE(target_advance)(clash_contact_state *state, const clash_toi_input *in, clash_contact_change *out_changes);

/* Batches. */
clash_sweep_result CORE(sweep_near)(const clash_body *a, const clash_body *b, double limit, clash_contact *out_contact);
size_t CORE(sweep_many)(core_task *tasks, size_t count, bool all);
unsigned CORE(eight_apart)(const clash_body *bodies, const uint32_t (*pairs)[2], float margin, bool *out_valid);
unsigned CORE(sixteen_apart)(const clash_body *bodies, const uint32_t (*pairs)[2], float margin, bool out_valid[2]);
size_t CORE(spheres_apart_run)(const clash_body *bodies, const uint32_t (*pairs)[2], size_t count, float margin,
                               unsigned *out_apart);

/** Infinity and NaN times 0 are NaN, and so is any sum with them. */
static inline bool is_finite_sum(float distance, clash_vec3 a, clash_vec3 b, clash_vec3 c, clash_vec3 d)
{
    const float numbers[] = {distance, a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, d.x, d.y, d.z};
    float sum = 0.0f;

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sum += numbers[i] * 0.0f;
    return sum == 0.0f;
}

/** Two axes at time x of the interval: a's base in stage space, and how the axes lie. */
typedef struct axes {
    dvec base, u, v;
    const closest *near;
    double distance, x;
} axes;

/** Turn axes into a contact in stage space. Return false if a number does not fit into a float. */
static inline bool contact_between(const axes *at, clash_contact *out_contact)
{
    dvec on_a = dvec_add_scaled(at->base, at->u, at->near->s);
    dvec on_b = dvec_add(on_a, at->near->w);
    clash_contact c = {
        .fraction = at->x,
        .distance = (float)at->distance,
        .midpoint = dvec_round(dvec_add_scaled(on_a, at->near->w, 0.5)),
        .points = {dvec_round(on_a), dvec_round(on_b)},
        .normal = dvec_round(closest_normal(at->near, at->u, at->v)),
        .along = {(float)at->near->s, (float)at->near->t},
    };

    if (!is_finite_sum(c.distance, c.midpoint, c.points[0], c.points[1], c.normal))
        return false;
    if (out_contact)
        *out_contact = c;
    return true;
}

static inline bool contact_of(const pair *p, double x, const pair_state *s, clash_contact *out_contact)
{
    dvec origin = dvec_add_scaled(p->origin, p->step, x);
    axes at = {dvec_add(origin, f64x4_vec_get(&s->ends, 0)), s->u, s->v, &s->near, s->distance, x};

    return contact_between(&at, out_contact);
}

static inline clash_body body_of(const clash_collider *collider, size_t i)
{
    return (clash_body){collider->capsules[i], *collider->motion};
}

static inline void name_parts(clash_toi_output *out, uint32_t a, uint32_t b)
{
    out->surface_normal = (clash_vec3){0.0f, 0.0f, 0.0f};
    out->triangle = CLASH_NO_TRIANGLE;
    out->parts[0] = a;
    out->parts[1] = b;
}

/** Return whether there is more to halve: between two huge distances rounding may leave nothing. */
static inline bool is_range(double low, double high)
{
    return high - low > MIN_DISTANCE_RESOLUTION + 1e-15 * high;
}

static inline double release_margin_of(const clash_toi_input *in)
{
    return (double)(in->release_margin < CLASH_CONTACT_RELEASE_MIN ? CLASH_CONTACT_RELEASE_MIN : in->release_margin);
}

/** Return the distance at which a contact ends. Hysteresis is never less than the uncertainty by rounding, far beyond
 *  CLASH_COORDINATE_MAX: a contact that begins within the tolerance of its limit must not end there. */
static inline double end_after(double start_limit, double end_limit, double tolerance)
{
    return max_of(end_limit, start_limit + 4.0 * tolerance);
}

#endif
