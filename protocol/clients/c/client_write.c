/* See client_write.h. */
#include "client_write.h"

#include <math.h>

bool is_finite_vec3(clash_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

bool is_finite_quat(clash_quat q)
{
    return isfinite(q.x) && isfinite(q.y) && isfinite(q.z) && isfinite(q.w);
}

bool is_finite_pose(const clash_pose *pose)
{
    return is_finite_vec3(pose->position) && is_finite_quat(pose->orientation);
}

bool is_finite_capsule(const clash_capsule *c)
{
    return is_finite_vec3(c->base) && is_finite_vec3(c->tip) && isfinite(c->radius);
}
