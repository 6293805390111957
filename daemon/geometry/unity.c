/* Unity's colliders: see clash/unity.h. Unity keeps spheres, boxes and capsules what they are under any transform, so
 * some of a skewing one is lost. What is lost and what is kept is public in Unity's C# reference sources:
 * SphereColliderEditor, BoxColliderEditor and CapsuleColliderEditor (Modules/PhysicsEditor) draw each collider from its
 * numbers, Transform.rotation, Transform.lossyScale and Transform.localToWorldMatrix, by the rules noted below. Double
 * precision throughout; rounded once, at the end. */
#include <clash/unity.h>

#include <float.h>

#include "quat.h"

/* A chain: what it does to a point, and the rotation and scale that Unity derives from it. */
typedef struct placement {
    dvec columns[3], origin; /* Transform.localToWorldMatrix */
    dquat rotation;          /* Transform.rotation */
    dvec scale;              /* Transform.lossyScale */
} placement;

static bool fits(dvec v)
{
    return fabs(v.x) <= (double)FLT_MAX && fabs(v.y) <= (double)FLT_MAX && fabs(v.z) <= (double)FLT_MAX;
}

static bool transform_is_valid(const clash_unity_transform *t)
{
    const clash_quat q = t->rotation;
    const double square =
        (double)q.x * (double)q.x + (double)q.y * (double)q.y + (double)q.z * (double)q.z + (double)q.w * (double)q.w;

    return clash_vec3_is_finite(t->position) && clash_vec3_is_finite(t->scale) && square > 0.0 && isfinite(square);
}

/* The rotation below a mirroring scale: mirror, turn, mirror back. Transform.rotation combines the chain's rotations
 * with this between them, so that it stays a rotation under mirrored parents: TransformCache.GetGlobalRotation and its
 * ScaleMulQuaternion in Unity's 2D Animation package do the same in managed code. */
static dquat turn_below(clash_vec3 scale, dquat q)
{
    const double x = scale.x < 0.0f ? -1.0 : 1.0, y = scale.y < 0.0f ? -1.0 : 1.0, z = scale.z < 0.0f ? -1.0 : 1.0;

    return (dquat){{q.v.x * y * z, q.v.y * x * z, q.v.z * x * y}, q.w};
}

/* From the collider's own transform up to the root, apply each to what is below it. */
static void go_up(placement *p, const clash_unity_transform *t)
{
    const dvec scale = dvec_from(t->scale);
    const dquat q = dquat_from(t->rotation);
    dvec *const vectors[4] = {&p->columns[0], &p->columns[1], &p->columns[2], &p->origin};

    for (int i = 0; i < 4; i++) {
        const dvec v = *vectors[i];

        *vectors[i] = dquat_rotate(q, (dvec){v.x * scale.x, v.y * scale.y, v.z * scale.z});
    }
    p->origin = dvec_add(p->origin, dvec_from(t->position));
    p->rotation = dquat_mul(q, turn_below(t->scale, p->rotation));
}

/* Transform.lossyScale: the length of each local axis, measured along Transform.rotation's axis. The part of a skewed
 * axis perpendicular to that is what is lost: the matrix without the rotation has more than its diagonal. */
static dvec lossy_scale(const placement *p)
{
    return (dvec){dvec_dot(dquat_rotate(p->rotation, (dvec){1.0, 0.0, 0.0}), p->columns[0]),
                  dvec_dot(dquat_rotate(p->rotation, (dvec){0.0, 1.0, 0.0}), p->columns[1]),
                  dvec_dot(dquat_rotate(p->rotation, (dvec){0.0, 0.0, 1.0}), p->columns[2])};
}

static bool place(const clash_unity_transform *chain, size_t count, placement *out)
{
    *out = (placement){.columns = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, .rotation = {{0}, 1.0}};
    if (count > CLASH_UNITY_TRANSFORMS_MAX)
        return false;
    for (size_t i = count; i-- > 0;) {
        if (!transform_is_valid(&chain[i]))
            return false;
        go_up(out, &chain[i]);
    }
    out->scale = lossy_scale(out);
    return fits(out->columns[0]) && fits(out->columns[1]) && fits(out->columns[2]) && fits(out->origin);
}

static dvec apply(const placement *p, clash_vec3 point)
{
    const dvec v = dvec_from(point);
    const dvec x = dvec_scale(p->columns[0], v.x), y = dvec_scale(p->columns[1], v.y),
               z = dvec_scale(p->columns[2], v.z);

    return dvec_add(dvec_add(dvec_add(x, y), z), p->origin);
}

static double largest(dvec v)
{
    return max_of(max_of(fabs(v.x), fabs(v.y)), fabs(v.z));
}

/* SphereColliderEditor: the radius times the largest of the three, whatever their signs. Under skew others have
 * measured the longest column. */
static clash_shape sphere(const clash_unity_collider *c, const placement *p)
{
    const dvec columns = {dvec_length(p->columns[0]), dvec_length(p->columns[1]), dvec_length(p->columns[2])};
    const double longest = largest(c->sphere_rule == CLASH_UNITY_SPHERE_COLUMN ? columns : p->scale);

    return (clash_shape){.kind = CLASH_SHAPE_SPHERE,
                         .as.sphere = {.radius = (float)(fabs((double)c->radius) * longest)}};
}

/* BoxColliderEditor: the size times the scale, axis by axis. */
static clash_shape box(const clash_unity_collider *c, dvec scale)
{
    const dvec half = {0.5 * fabs((double)c->size.x * scale.x), 0.5 * fabs((double)c->size.y * scale.y),
                       0.5 * fabs((double)c->size.z * scale.z)};

    return (clash_shape){.kind = CLASH_SHAPE_BOX,
                         .as.box = {.orientation = {0.0f, 0.0f, 0.0f, 1.0f}, .half = dvec_round(half)}};
}

/* CapsuleColliderEditor: the height times the scale along its direction, the radius times the longer of the other two.
 * The height includes the caps; if they do not fit, the capsule is a ball. */
static clash_shape capsule(const clash_unity_collider *c, dvec scale)
{
    const double lengths[3] = {fabs(scale.x), fabs(scale.y), fabs(scale.z)};
    const uint32_t along = c->direction, one = (along + 1) % 3, other = (along + 2) % 3;
    const double radius = fabs((double)c->radius) * max_of(lengths[one], lengths[other]);
    const double half = max_of(0.5 * fabs((double)c->height) * lengths[along] - radius, 0.0);
    const dvec tip = {along == 0 ? half : 0.0, along == 1 ? half : 0.0, along == 2 ? half : 0.0};

    return (clash_shape){
        .kind = CLASH_SHAPE_CAPSULE,
        .as.capsule = {.base = dvec_round(dvec_sub((dvec){0}, tip)), .tip = dvec_round(tip), .radius = (float)radius}};
}

static bool collider_is_valid(const clash_unity_collider *c)
{
    if (!clash_vec3_is_finite(c->center))
        return false;
    switch (c->kind) {
    case CLASH_UNITY_SPHERE:
        return isfinite(c->radius) && c->sphere_rule <= CLASH_UNITY_SPHERE_COLUMN;
    case CLASH_UNITY_BOX:
        return clash_vec3_is_finite(c->size);
    case CLASH_UNITY_CAPSULE:
        return isfinite(c->radius) && isfinite(c->height) && c->direction <= 2;
    }
    return false;
}

bool clash_unity_has_negative_size(const clash_unity_collider *c)
{
    switch (c->kind) {
    case CLASH_UNITY_SPHERE:
        return c->radius < 0.0f;
    case CLASH_UNITY_BOX:
        return c->size.x < 0.0f || c->size.y < 0.0f || c->size.z < 0.0f;
    case CLASH_UNITY_CAPSULE:
        return c->radius < 0.0f || c->height < 0.0f;
    }
    return false;
}

static bool shape_fits(const clash_shape *s)
{
    switch (s->kind) {
    case CLASH_SHAPE_SPHERE:
        return isfinite(s->as.sphere.radius);
    case CLASH_SHAPE_BOX:
        return clash_vec3_is_finite(s->as.box.half);
    default:
        return clash_vec3_is_finite(s->as.capsule.tip) && isfinite(s->as.capsule.radius);
    }
}

bool clash_unity_shape(const clash_unity_collider *collider, const clash_unity_transform *chain, size_t count,
                       clash_shape *out_shape, clash_pose *out_pose)
{
    clash_shape shape;
    placement p;
    dvec center;

    if (!collider_is_valid(collider) || !place(chain, count, &p))
        return false;
    /* the center goes through the full matrix, whatever happens to the shape: all three editors do so */
    center = apply(&p, collider->center);
    shape = collider->kind == CLASH_UNITY_SPHERE ? sphere(collider, &p)
            : collider->kind == CLASH_UNITY_BOX  ? box(collider, p.scale)
                                                 : capsule(collider, p.scale);
    if (!fits(center) || !shape_fits(&shape))
        return false;
    *out_shape = shape;
    *out_pose = (clash_pose){
        .orientation = {(float)p.rotation.v.x, (float)p.rotation.v.y, (float)p.rotation.v.z, (float)p.rotation.w},
        .position = dvec_round(center),
    };
    return true;
}

bool clash_unity_matrix_of(const clash_unity_transform *chain, size_t count, clash_unity_matrix *out_matrix)
{
    placement p;

    if (!place(chain, count, &p))
        return false;
    *out_matrix = (clash_unity_matrix){dvec_round(p.columns[0]), dvec_round(p.columns[1]), dvec_round(p.columns[2]),
                                       dvec_round(p.origin)};
    return true;
}

void clash_unity_transform_points(const clash_unity_matrix *matrix, const clash_vec3 *vertices, size_t count,
                                  clash_vec3 *out)
{
    const placement p = {.columns = {dvec_from(matrix->x), dvec_from(matrix->y), dvec_from(matrix->z)},
                         .origin = dvec_from(matrix->origin)};

    for (size_t i = 0; i < count; i++)
        out[i] = dvec_round(apply(&p, vertices[i]));
}

bool clash_unity_is_mirrored(const clash_unity_matrix *matrix)
{
    return dvec_dot(dvec_cross(dvec_from(matrix->x), dvec_from(matrix->y)), dvec_from(matrix->z)) < 0.0;
}
