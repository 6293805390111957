/* What makes input to the sweep valid. Pure. */
#ifndef CLASH_GEOMETRY_VALIDATE_H
#define CLASH_GEOMETRY_VALIDATE_H

#include <clash/contact.h>
#include <string.h>

typedef int32_t validate_bits __attribute__((vector_size(16)));

/** Whether every number of the body is finite, its quaternions are not zero and its radius is not negative. */
static inline bool body_is_valid(const clash_body *body)
{
    /* All 21 floats, the last load overlapping: infinity and NaN are the ones with all exponent bits set. */
    static const size_t starts[6] = {0, 4, 8, 12, 16, 17};
    validate_bits bad = {0, 0, 0, 0};
    const clash_quat *p = &body->motion.from.orientation, *q = &body->motion.to.orientation;
    bool from_is_zero = p->w == 0.0f && p->x == 0.0f && p->y == 0.0f && p->z == 0.0f;
    bool to_is_zero = q->w == 0.0f && q->x == 0.0f && q->y == 0.0f && q->z == 0.0f;

    _Static_assert(sizeof(clash_body) == 21 * sizeof(float), "a body is 21 floats without padding");
    for (int i = 0; i < 6; i++) {
        validate_bits bits;

        memcpy(&bits, (const char *)body + starts[i] * sizeof(float), sizeof bits);
        bad |= (bits & 0x7fffffff) > 0x7f7fffff;
    }
    return !(bad[0] | bad[1] | bad[2] | bad[3]) && body->shape.radius >= 0.0f && !from_is_zero && !to_is_zero;
}

static inline bool box_is_valid(const clash_box *box)
{
    const clash_quat *q = &box->orientation;
    float sum = 0.0f;
    const float numbers[] = {box->center.x, box->center.y, box->center.z, q->x,        q->y,
                             q->z,          q->w,          box->half.x,   box->half.y, box->half.z};

    /* Infinity and NaN times 0 are NaN. */
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sum += numbers[i] * 0.0f;
    return sum == 0.0f && box->half.x >= 0.0f && box->half.y >= 0.0f && box->half.z >= 0.0f &&
           !(q->x == 0.0f && q->y == 0.0f && q->z == 0.0f && q->w == 0.0f);
}

/** The shape together with what moves it. */
static inline bool target_is_valid(const clash_shape *shape, const clash_motion *motion)
{
    clash_body body = {{{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}, 0.0f}, *motion};

    switch (shape->kind) {
    case CLASH_SHAPE_SPHERE:
        body.shape = (clash_capsule){shape->as.sphere.center, shape->as.sphere.center, shape->as.sphere.radius};
        return body_is_valid(&body);
    case CLASH_SHAPE_CAPSULE:
        body.shape = shape->as.capsule;
        return body_is_valid(&body);
    case CLASH_SHAPE_BOX:
        return box_is_valid(&shape->as.box) && body_is_valid(&body);
    case CLASH_SHAPE_MESH:
        return shape->as.mesh && body_is_valid(&body);
    case CLASH_SHAPE_TERRAIN:
        return shape->as.terrain && body_is_valid(&body);
    }
    return false;
}

/** Whether 0 <= from <= to <= 1. */
static inline bool span_is_valid(clash_span span)
{
    return span.from >= 0.0 && span.from <= span.to && span.to <= 1.0;
}

static inline bool parts_are_valid(const clash_parts *parts, clash_span span)
{
    if (parts->count < 1 || parts->count > CLASH_PARTS_MAX || !span_is_valid(span))
        return false;
    for (size_t i = 0; i < parts->count; i++) {
        clash_body body = {parts->capsules[i], parts->motion};

        if (!body_is_valid(&body))
            return false;
    }
    return true;
}

/** Margins are finite and not negative. */
static inline bool margin_is_valid(float margin)
{
    return margin >= 0.0f && margin <= 3.402823466e38f;
}

static inline bool settings_are_valid(clash_contact_settings s)
{
    return margin_is_valid(s.margin) && margin_is_valid(s.release_margin);
}

/** The hysteresis that counts. */
static inline double settings_release_margin(clash_contact_settings s)
{
    return (double)(s.release_margin < CLASH_CONTACT_RELEASE_MIN ? CLASH_CONTACT_RELEASE_MIN : s.release_margin);
}

#endif
