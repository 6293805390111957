/* What makes input to the sweep valid. Pure. */
#ifndef CLASH_GEOMETRY_VALIDATE_H
#define CLASH_GEOMETRY_VALIDATE_H

#include <clash/contact.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

typedef int32_t validate_bits __attribute__((vector_size(16)));

/** Return nonzero if one of the four floats from that one on is infinite or NaN, which have all exponent bits set.
 *  Reads them in place: what was just copied piece by piece is slow to load whole. */
static inline validate_bits bits_not_finite(const void *floats, size_t first)
{
    validate_bits bits;

    memcpy(&bits, (const char *)floats + first * sizeof(float), sizeof bits);
    return (bits & 0x7fffffff) > 0x7f7fffff;
}

/** Return whether any of four results of comparisons is set. */
static inline bool any_bits(validate_bits bad)
{
#if defined(__SSE2__)
    return _mm_movemask_epi8((__m128i)bad) != 0;
#else
    return (bad[0] | bad[1] | bad[2] | bad[3]) != 0;
#endif
}

static inline bool quat_is_zero(const clash_quat *q)
{
    return q->x == 0.0f && q->y == 0.0f && q->z == 0.0f && q->w == 0.0f;
}

/** Return whether every number is finite and the radius not negative. Checks all 7 floats, one of them twice. */
static inline bool capsule_is_valid(const clash_capsule *capsule)
{
    validate_bits bad = bits_not_finite(capsule, 0) | bits_not_finite(capsule, 3);

    _Static_assert(sizeof(clash_capsule) == 7 * sizeof(float), "a capsule is 7 floats without padding");
    return !any_bits(bad) && capsule->radius >= 0.0f;
}

/** Return whether every number is finite and no quaternion zero. Checks all 14 floats, two of them twice. */
static inline bool motion_is_valid(const clash_motion *motion)
{
    validate_bits bad = bits_not_finite(motion, 0) | bits_not_finite(motion, 4) | bits_not_finite(motion, 8) |
                        bits_not_finite(motion, 10);

    _Static_assert(sizeof(clash_motion) == 14 * sizeof(float), "a motion is 14 floats without padding");
    return !any_bits(bad) && !quat_is_zero(&motion->from.orientation) && !quat_is_zero(&motion->to.orientation);
}

static inline bool pose_is_valid(const clash_pose *pose)
{
    validate_bits bad = bits_not_finite(pose, 0) | bits_not_finite(pose, 3);

    _Static_assert(sizeof(clash_pose) == 7 * sizeof(float), "a pose is 7 floats without padding");
    return !any_bits(bad) && !quat_is_zero(&pose->orientation);
}

static inline bool body_is_valid(const clash_body *body)
{
    return capsule_is_valid(&body->shape) && motion_is_valid(&body->motion);
}

static inline bool box_is_valid(const clash_box *box)
{
    const clash_quat *q = &box->orientation;
    float sum = 0.0f;
    const float numbers[] = {box->center.x, box->center.y, box->center.z, q->x,        q->y,
                             q->z,          q->w,          box->half.x,   box->half.y, box->half.z};

    /* infinity and NaN times 0 are NaN */
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sum += numbers[i] * 0.0f;
    return sum == 0.0f && box->half.x >= 0.0f && box->half.y >= 0.0f && box->half.z >= 0.0f && !quat_is_zero(q);
}

static inline bool sphere_is_valid(const clash_sphere *sphere)
{
    const clash_capsule ball = {sphere->center, sphere->center, sphere->radius};

    return capsule_is_valid(&ball);
}

static inline bool shape_is_valid(const clash_shape *shape)
{
    switch (shape->kind) {
    case CLASH_SHAPE_SPHERE:
        return sphere_is_valid(&shape->as.sphere);
    case CLASH_SHAPE_CAPSULE:
        return capsule_is_valid(&shape->as.capsule);
    case CLASH_SHAPE_BOX:
        return box_is_valid(&shape->as.box);
    case CLASH_SHAPE_MESH:
        return shape->as.mesh != NULL;
    case CLASH_SHAPE_TERRAIN:
        return shape->as.terrain != NULL;
    }
    return false;
}

/** Return whether 0 <= from <= to <= 1. */
static inline bool span_is_valid(clash_span span)
{
    return span.from >= 0.0 && span.from <= span.to && span.to <= 1.0;
}

static inline bool capsules_are_valid(const clash_capsule *capsules, size_t count)
{
    if (!capsules || count < 1 || count > CLASH_PARTS_MAX)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!capsule_is_valid(&capsules[i]))
            return false;
    return true;
}

/** Without regard to its span. */
static inline bool collider_is_valid(const clash_collider *c)
{
    if (!c->motion || !motion_is_valid(c->motion))
        return false;
    if (c->shape)
        return !c->capsules && c->capsule_count == 0 && shape_is_valid(c->shape);
    return capsules_are_valid(c->capsules, c->capsule_count);
}

/** Return whether the margin is finite and not negative. */
static inline bool margin_is_valid(float margin)
{
    return margin >= 0.0f && margin <= 3.402823466e38f;
}

static inline bool toi_input_is_valid(const clash_toi_input *in)
{
    const clash_collider *a = &in->colliders[0], *b = &in->colliders[1];

    return !a->shape && collider_is_valid(a) && collider_is_valid(b) && span_is_valid(a->span) &&
           span_is_valid(b->span) && margin_is_valid(in->margin);
}

#endif
