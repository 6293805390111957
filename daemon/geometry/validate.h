/* What makes input to the sweep valid. Pure. */
#ifndef CLASH_GEOMETRY_VALIDATE_H
#define CLASH_GEOMETRY_VALIDATE_H

#include <clash/sweep.h>
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

/** Whether 0 <= from <= to <= 1. */
static inline bool span_is_valid(clash_span span)
{
    return span.from >= 0.0 && span.from <= span.to && span.to <= 1.0;
}

#endif
