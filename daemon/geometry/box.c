/* Boxes around moving bodies. Pure. */
#include <clash/broad.h>

#include <math.h>

#include "quat.h"
#include "surface.h"
#include "validate.h"

/* Relative bound on what float rounding of the box and of the motion may move. */
#define BOX_ROUNDING 1e-6

static dvec least(dvec a, dvec b)
{
    return (dvec){min_of(a.x, b.x), min_of(a.y, b.y), min_of(a.z, b.z)};
}

static dvec most(dvec a, dvec b)
{
    return (dvec){max_of(a.x, b.x), max_of(a.y, b.y), max_of(a.z, b.z)};
}

clash_bounds clash_bounds_union(clash_bounds a, clash_bounds b)
{
    return (clash_bounds){{fminf(a.low.x, b.low.x), fminf(a.low.y, b.low.y), fminf(a.low.z, b.low.z)},
                          {fmaxf(a.high.x, b.high.x), fmaxf(a.high.y, b.high.y), fmaxf(a.high.z, b.high.z)}};
}

static dvec end_at(dquat q, clash_vec3 position, dvec arm)
{
    return dvec_add(dvec_from(position), dquat_rotate(q, arm));
}

/** Half the squared angle's share of how far an arc leaves its chord: angle^2 / 8 for an arm of length 1, from above. With
 *  orientations p and q the distance |q - p| (or |q + p|) is 2 sin(angle / 4) <= 0.77: angle <= 4 * 1.11 * that / 2. */
static double chord_deviation(dquat p, dquat q)
{
    double sign = dvec_dot(p.v, q.v) + p.w * q.w < 0.0 ? -1.0 : 1.0;
    dvec d = dvec_add_scaled(q.v, p.v, -sign);
    double w = q.w - sign * p.w;
    double angle = 2.23 * sqrt(dvec_dot(d, d) + w * w);

    return 0.125 * angle * angle;
}

static const clash_bounds nothing = {{1.0f, 1.0f, 1.0f}, {-1.0f, -1.0f, -1.0f}};

/** A motion with all that is computed once for every capsule on it. */
typedef struct box_motion {
    const clash_motion *is;
    dquat from, to;
    double deviation;
} box_motion;

static box_motion box_motion_of(const clash_motion *motion)
{
    dquat p = dquat_from(motion->from.orientation), q = dquat_from(motion->to.orientation);

    return (box_motion){motion, p, q, chord_deviation(p, q)};
}

/** A box before it is rounded to float. */
typedef struct wide_box {
    dvec low, high;
} wide_box;

static inline __attribute__((always_inline)) wide_box box_of_line(const box_motion *m, dvec base, dvec tip,
                                                                  double radius, float margin)
{
    const clash_pose *f = &m->is->from, *t = &m->is->to;
    dvec a = end_at(m->from, f->position, base), b = end_at(m->from, f->position, tip);
    dvec c = end_at(m->to, t->position, base), d = end_at(m->to, t->position, tip);
    dvec low = least(least(a, b), least(c, d)), high = most(most(a, b), most(c, d));
    double reach = max_of(dvec_length(base), dvec_length(tip));
    double size = reach + max_of(dvec_length(low), dvec_length(high));
    double wide = radius + (double)margin + reach * m->deviation + BOX_ROUNDING * size;
    dvec around = {wide, wide, wide};

    return (wide_box){dvec_sub(low, around), dvec_add(high, around)};
}

static wide_box box_of_axis(const box_motion *m, dvec base, dvec tip, double radius, float margin)
{
    return box_of_line(m, base, tip, radius, margin);
}

static wide_box box_of_capsule(const box_motion *m, const clash_capsule *s, float margin)
{
    return box_of_axis(m, dvec_from(s->base), dvec_from(s->tip), (double)s->radius, margin);
}

static clash_bounds box_rounded(wide_box box)
{
    return (clash_bounds){dvec_round(box.low), dvec_round(box.high)};
}

static wide_box box_of_capsules(const box_motion *m, const clash_collider *c, float margin)
{
    wide_box box = box_of_capsule(m, &c->capsules[0], margin);

    for (size_t i = 1; i < c->capsule_count; i++) {
        wide_box own = box_of_capsule(m, &c->capsules[i], margin);

        box = (wide_box){least(box.low, own.low), most(box.high, own.high)};
    }
    return box;
}

/** Return the box around the four edges of a box that run along its x, given in its device's frame. */
static wide_box box_of_box(const box_motion *m, dvec center, dquat orientation, dvec half, float margin)
{
    wide_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

    for (int k = 0; k < 4; k++) {
        dvec base = {-half.x, k & 1 ? half.y : -half.y, k & 2 ? half.z : -half.z}, tip = {half.x, base.y, base.z};
        wide_box own = box_of_axis(m, dvec_add(center, dquat_rotate(orientation, base)),
                                   dvec_add(center, dquat_rotate(orientation, tip)), 0.0, margin);

        box = (wide_box){least(box.low, own.low), most(box.high, own.high)};
    }
    return box;
}

/** The same for the extent of a mesh or terrain. */
static wide_box box_of_surface(const box_motion *m, clash_vec3 low, clash_vec3 high, float margin)
{
    dvec a = dvec_from(low), b = dvec_from(high);

    return box_of_box(m, dvec_scale(dvec_add(a, b), 0.5), (dquat){{0.0, 0.0, 0.0}, 1.0},
                      dvec_scale(dvec_sub(b, a), 0.5), margin);
}

static wide_box box_of_shape(const box_motion *m, const clash_shape *s, float margin)
{
    clash_capsule capsule;

    if (s->kind == CLASH_SHAPE_BOX)
        return box_of_box(m, dvec_from(s->as.box.center), dquat_from(s->as.box.orientation), dvec_from(s->as.box.half),
                          margin);
    if (s->kind == CLASH_SHAPE_MESH)
        return box_of_surface(m, s->as.mesh->low, s->as.mesh->high, margin);
    if (s->kind == CLASH_SHAPE_TERRAIN)
        return box_of_surface(m, s->as.terrain->low, s->as.terrain->high, margin);
    capsule = s->kind == CLASH_SHAPE_CAPSULE
                  ? s->as.capsule
                  : (clash_capsule){s->as.sphere.center, s->as.sphere.center, s->as.sphere.radius};
    return box_of_capsule(m, &capsule, margin);
}

/** Of one capsule, as most bodies are: in registers from beginning to end. */
static clash_bounds box_of_one(const clash_capsule *s, const clash_motion *motion, float margin)
{
    const box_motion m = box_motion_of(motion);

    return box_rounded(box_of_line(&m, dvec_from(s->base), dvec_from(s->tip), (double)s->radius, margin));
}

clash_bounds clash_collider_bounds(const clash_collider *collider, float margin)
{
    box_motion motion;

    if (!collider_is_valid(collider) || !(margin >= 0.0f))
        return nothing;
    if (collider->capsule_count == 1)
        return box_of_one(collider->capsules, collider->motion, margin);
    motion = box_motion_of(collider->motion);
    return box_rounded(collider->shape ? box_of_shape(&motion, collider->shape, margin)
                                       : box_of_capsules(&motion, collider, margin));
}
