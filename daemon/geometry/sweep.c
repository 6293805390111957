/* The public sweep of two capsules: checks what comes in and leaves the rest to the core. Pure. */
#include "core.h"
#include "validate.h"

clash_sweep_result clash_sweep(const clash_body *a, const clash_body *b, clash_contact *out_contact)
{
    double limit = (double)a->shape.radius + (double)b->shape.radius;

    if (!body_is_valid(a) || !body_is_valid(b))
        return CLASH_SWEEP_INVALID;
    return core_get()->sweep(a, b, limit, out_contact);
}
